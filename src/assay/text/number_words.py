"""What number words and numerals are worth."""

from __future__ import annotations

_SMALL = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
VALUES: dict[str, float] = {"zero": 0.0}
VALUES |= {word: float(n) for n, word in enumerate(_SMALL.split(), 1)}
VALUES |= {word: float(10 * n) for n, word in enumerate(_TENS.split(), 2)}
_ORDINAL_WORDS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
    fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"""
ORDINALS = {word: float(n) for n, word in enumerate(_ORDINAL_WORDS.split(), 1)}
MULTIPLES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
# Single letters count in exactly this case and only right behind the digits ("3.5m"), "b" for billion.
MAGNITUDES: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12.0,
    "thousands": 1e3, "millions": 1e6, "billions": 1e9, "score": 20.0, "lakh": 1e5, "crore": 1e7,
    "mn": 1e6, "mln": 1e6, "mio": 1e6, "bn": 1e9, "bln": 1e9, "tn": 1e12, "trn": 1e12,
    "k": 1e3, "K": 1e3, "m": 1e6, "M": 1e6, "b": 1e9, "B": 1e9,
}  # fmt: skip
FRACTIONS = {
    "half": 1 / 2, "halves": 1 / 2, "third": 1 / 3, "thirds": 1 / 3, "quarter": 1 / 4, "quarters": 1 / 4,
    "fourth": 1 / 4, "fourths": 1 / 4, "fifth": 1 / 5, "fifths": 1 / 5, "tenth": 1 / 10, "tenths": 1 / 10,
}  # fmt: skip
_CJK_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {
    "零": 0,
    "两": 2,
    "兩": 2,
}
_CJK_SMALL = {"十": 10, "百": 100, "千": 1000}
_CJK_LARGE = {"万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "兆": 1e12}
CJK_NUMERALS = "".join([*_CJK_DIGITS, *_CJK_SMALL, *_CJK_LARGE])


def cjk_value(numerals: str) -> float:
    """The value of CJK numerals, positional ("二〇二一") or with magnitudes ("三百五十万"); NaN when neither.

    >>> cjk_value("三百五十万"), cjk_value("二〇二一"), cjk_value("十二")
    (3500000.0, 2021.0, 12.0)
    """
    if numerals.isascii() and numerals.isdigit():
        return float(numerals)
    if len(numerals) > 24:
        return float("nan")
    if all(character in _CJK_DIGITS for character in numerals):
        return float("".join(str(_CJK_DIGITS[character]) for character in numerals))
    total, group, digit = 0.0, 0.0, 0.0
    for character in numerals:
        if character in _CJK_DIGITS:
            digit = float(_CJK_DIGITS[character])
        elif character in _CJK_SMALL:
            group, digit = group + (digit or 1.0) * _CJK_SMALL[character], 0.0
        elif character in _CJK_LARGE:
            total, group, digit = (total + (group + digit or 1.0)) * _CJK_LARGE[character], 0.0, 0.0
        else:
            return float("nan")
    return total + group + digit
