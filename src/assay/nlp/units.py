"""Units of measure: each word's dimension, and its size in the dimension's base unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

CURRENCY_SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR"}
# Written before a number as well, in exactly this case: "EUR 45m".
CURRENCY_CODES = frozenset("USD EUR GBP JPY INR CNY".split())

# The dimension of a sum in cents, which leaves the currency open.
CENTS = "cents"
_CURRENCIES = frozenset(CURRENCY_SIGNS.values()) | CURRENCY_CODES

# Units that may be of any of some dimensions.
_OPEN = {CENTS: _CURRENCIES, "degree": frozenset({"celsius", "fahrenheit"})}

# dimension: {words: size in the base unit}; the base unit is the one of size 1.
_TABLE: dict[str, dict[str, float]] = {
    "percent": {"% percent pct": 1.0},
    "USD": {"dollar dollars usd US$ 美元 $": 1.0},
    "EUR": {"euro euros eur €": 1.0},
    "GBP": {"pound pounds gbp quid £": 1.0},
    "JPY": {"yen jpy ¥": 1.0},
    "INR": {"rupee rupees inr ₹": 1.0},
    "CNY": {"yuan renminbi cny rmb 元 人民币": 1.0},
    # Hundredths of whatever currency.
    CENTS: {"cent cents": 0.01},
    "length": {
        "m metre metres meter meters 米": 1.0,
        "km kilometre kilometres kilometer kilometers 公里 千米": 1000.0,
        "cm centimetre centimetres centimeter centimeters 厘米": 0.01,
        "mm millimetre millimetres millimeter millimeters 毫米": 0.001,
        "mile miles mi": 1609.344,
        "foot feet ft": 0.3048,
        "inch inches": 0.0254,
        "yard yards yd": 0.9144,
        "nm nanometre nanometres nanometer nanometers": 1e-9,
        "µm micron microns": 1e-6,
    },
    "mass": {
        "kg kilogram kilograms kilo kilos 公斤": 1.0,
        "g gram grams 克": 0.001,
        "mg milligram milligrams": 1e-6,
        "tonne tonnes 吨": 1000.0,
        "lb lbs": 0.45359237,
        "ounce ounces oz": 0.028349523125,
    },
    # A year is 12 months; days and weeks are apart, since months and days do not convert.
    "months": {
        "year years yr yrs 年": 12.0,
        "month months 个月": 1.0,
        "decade decades": 120.0,
        "century centuries": 1200.0,
    },
    "seconds": {
        "second seconds sec secs 秒": 1.0,
        "minute minutes min mins 分钟": 60.0,
        "hour hours h hr hrs 小时": 3600.0,
        "day days 天": 86400.0,
        "week weeks 周": 604800.0,
        "ms millisecond milliseconds": 0.001,
    },
    "area": {"hectare hectares ha": 1.0, "acre acres": 0.40468564224},
    "times": {"times": 1.0},
    "volume": {
        "litre litres liter liters l": 1.0,
        "ml millilitre millilitres milliliter milliliters": 0.001,
        "gallon gallons": 3.785411784,
    },
    "celsius": {"°C °c celsius": 1.0},
    "fahrenheit": {"°F °f fahrenheit": 1.0},
    "degree": {"° degree degrees": 1.0},
    "bytes": {
        "byte bytes": 1.0,
        "kb KB": 1e3,
        "mb MB megabyte megabytes": 1e6,
        "gb GB gigabyte gigabytes": 1e9,
        "tb TB terabyte terabytes": 1e12,
    },
    "watts": {
        "W watt watts": 1.0,
        "kw kW kilowatt kilowatts": 1e3,
        "mw MW megawatt megawatts": 1e6,
        "gw GW gigawatt gigawatts": 1e9,
    },
    "hertz": {"hz Hz hertz": 1.0, "khz kHz": 1e3, "mhz MHz": 1e6, "ghz GHz": 1e9},
    "speed": {"mph": 0.44704, "kph": 0.27777777777777778},
    "point": {"pp": 1.0, "bps": 0.01},
}
UNITS: dict[str, tuple[str, float]] = {
    word: (dimension, size)
    for dimension, sizes in _TABLE.items()
    for words, size in sizes.items()
    for word in words.split()
}
# The size of one square metre in hectares, and of one cubic metre in litres.
_POWERS = {"2": ("area", 2, 1e-4), "3": ("volume", 3, 1e3)}
_WRITTEN_POWERS = {"square": "2", "sq": "2", "²": "2", "2": "2", "cubic": "3", "³": "3", "3": "3"}
_DEGREES = {"c": "celsius", "celsius": "celsius", "f": "fahrenheit", "fahrenheit": "fahrenheit"}
_PAIR = re.compile(
    r"""[ -]?(?:(?P<power>square|sq|cubic)\.?[ -](?P<base>[a-z]+)
      | (?P<short>[kcm]?m)(?P<exponent>[²³23])(?!\w)
      | (?<=-)(?P<weight>pound)\b(?!\ (?:notes?|coins?|fines?|prizes?)\b)  # "a 23-pound shell"
      | (?P<height>in)(?=\ \(\d)                                          # "18 in (460 mm)"
      | (?P<basis>basis)\ points?\b
      | degrees?\ (?P<scale>celsius|fahrenheit|[cf])\b)""",
    re.VERBOSE | re.IGNORECASE,
)


DAY = 86_400.0  # seconds
# The days of a month as people count them: 28 and 30, and a twelfth of 52 weeks and of a year.
_MONTH_DAYS = (28.0, 30.0, 364 / 12, 365 / 12)


@dataclass(frozen=True, slots=True)
class Compound:
    """A unit of more than one word that ends at `end`: its dimension, and its size in the base unit."""

    end: int
    dimension: str
    size: float


def same_measure(first: str, second: str) -> bool:
    """True if two dimensions are one; cents are of whatever currency, degrees of whatever scale.

    >>> same_measure("EUR", CENTS), same_measure("EUR", "USD")
    (True, False)
    >>> same_measure("degree", "celsius"), same_measure("celsius", "fahrenheit")
    (True, False)
    """
    return first == second or any(
        unscaled in (first, second) and {first, second} <= {unscaled, *scales} for unscaled, scales in _OPEN.items()
    )


def compound(text: str, at: int) -> Compound | None:
    """The unit of two words, or with a power, right behind a number that ends at `at`; None where there is none.

    >>> compound("340 square kilometres", 3), compound("4 km²", 1)
    (Compound(end=21, dimension='area', size=100.0), Compound(end=5, dimension='area', size=100.0))
    >>> compound("25 degrees Celsius", 2), compound("25 square deals", 2)
    (Compound(end=18, dimension='celsius', size=1.0), None)
    >>> compound("a 23-pound shell", 4), compound("a 20-pound note", 4)
    (Compound(end=10, dimension='mass', size=0.45359237), None)
    """
    match = _PAIR.match(text, at)
    if match is None:
        return None
    if match["scale"]:
        return Compound(match.end(), _DEGREES[match["scale"].lower()], 1.0)
    if match["basis"]:
        return Compound(match.end(), *UNITS["bps"])
    if match["weight"] or match["height"]:
        return Compound(match.end(), *UNITS["lb" if match["weight"] else "inch"])
    unit = UNITS.get((match["base"] or match["short"]).lower())
    if unit is None or unit[0] != "length":
        return None
    dimension, exponent, size = _POWERS[_WRITTEN_POWERS[(match["power"] or match["exponent"]).lower()]]
    return Compound(match.end(), dimension, round(unit[1] ** exponent * size, 12))


def conversions(value: float, dimension: str, wanted: str) -> Iterator[tuple[float, bool]]:
    """Values in another dimension that measures the same, and whether each is exact.

    A month is about 30 days, and a kilobyte may be 1,024 bytes.

    >>> list(conversions(30.0, "celsius", "fahrenheit")), (2.0, True) in conversions(60 * DAY, "seconds", "months")
    ([(86.0, False)], True)
    """
    pair = (dimension, wanted)
    if pair == ("celsius", "fahrenheit"):
        yield value * 1.8 + 32, False
    elif pair == ("fahrenheit", "celsius"):
        yield (value - 32) / 1.8, False
    elif pair == ("seconds", "months"):
        yield from ((value / DAY / days, True) for days in _MONTH_DAYS)
    elif pair == ("months", "seconds"):
        yield from ((value * DAY * days, True) for days in _MONTH_DAYS)
    elif pair == ("bytes", "bytes"):
        yield from ((value * 1.024**power, True) for power in (-3, -2, -1, 1, 2, 3))
