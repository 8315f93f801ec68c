"""What a country, its people and its language are called: "British" beside "U.K.", "Dutch" beside "Holland"."""

from __future__ import annotations

import re
from functools import lru_cache

# A line is one country. Those whose adjective begins with the country's name (Germany, German) need none.
_TABLE = """
Argentina|Argentine|Argentinian|Argentinean
Belgium|Belgian
Brazil|Brazilian
Britain|British|Briton|UK|United Kingdom
China|Chinese
Czechia|Czech
Denmark|Danish|Danes
Egypt|Egyptian
England|English
Finland|Finnish|Finns
France|French
Greece|Greek
Hungary|Hungarian
Iceland|Icelandic|Icelander
Iraq|Iraqi
Ireland|Irish
Israel|Israeli
Italy|Italian
Jamaica|Jamaican
Lebanon|Lebanese
Myanmar|Burma|Burmese
Netherlands|Holland|Dutch
New Zealand|New Zealander|Kiwi
Norway|Norwegian
Peru|Peruvian
Philippines|Philippine|Filipino|Filipina
Poland|Polish|Poles
Portugal|Portuguese
Saudi Arabia|Saudi
Scotland|Scottish|Scots|Scot
Spain|Spanish|Spaniard
Sweden|Swedish|Swedes
Switzerland|Swiss
Thailand|Thai
Turkey|Türkiye|Turkish|Turks
Ukraine|Ukrainian
UAE|United Arab Emirates|Emirati
USSR|Soviet Union|Soviet
US|USA|United States|America|American
Vietnam|Vietnamese
Wales|Welsh
Europe|European
"""
_NATIONS = tuple(tuple(line.split("|")) for line in _TABLE.split("\n") if line)
_OF = {
    word.lower(): nation for nation in _NATIONS for each in nation if " " not in each for word in (each, f"{each}s")
}


def says_nation(word: str, text: str) -> bool:
    """Whether a text names the country that a folded word names, by any of its names or its people's.

    >>> says_nation("british", "a U.K. version"), says_nation("british", "tell us more"), says_nation("ulm", "Ulm")
    (True, False, False)
    """
    nation = _OF.get(word)
    return nation is not None and _written(nation).search(text) is not None


@lru_cache(maxsize=64)
def _written(nation: tuple[str, ...]) -> re.Pattern[str]:
    """The names as words, with their capitals: "us" is none of them; initials with or without stops."""
    return re.compile("|".join(rf"(?<!\w){_with_stops(each)}s?(?!\w)" for each in nation))


def _with_stops(name: str) -> str:
    return r"\.?\ ?".join(name) if name.isupper() else re.escape(name)
