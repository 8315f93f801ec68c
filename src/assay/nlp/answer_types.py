"""Stretches of a text that could be an answer of a type: dates, numbers, persons, places, names, reasons.

Shapes of words only: no dictionary of names, no model. A stretch that is found need not be the answer; where
none is found in a language whose shapes are known, the text very likely does not hold one.
"""

from __future__ import annotations

import re

from assay.nlp.lexicon import word_class
from assay.nlp.tokens import UNSPACED, fold, words
from assay.types import AnswerType, Span

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DAY = r"(?:[0-3]?\d(?:st|nd|rd|th)?)"
_YEAR = r"(?:1\d{3}|20\d{2}|\d{1,4}\s?(?:BCE?|AD|CE))"
_DATE = re.compile(
    rf"""\b{_DAY}\s(?:of\s)?{_MONTH}\b\.?(?:,?\s{_YEAR})?\b     # 3 May 1997, 3rd of May
      | \b{_MONTH}\.?\s{_DAY}(?!\d)(?:\s?,?\s{_YEAR})?\b        # May 3, 1997; September 20
      | \b{_MONTH}\.?,?\s{_YEAR}\b                               # May 1997
      | \b\d{{4}}-\d{{2}}-\d{{2}}\b | \b\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{2,4}}\b
      | \b1\d{{3}}0s\b | \b20\d0s\b | \b(?:early|mid|late)?[-\s]?\d{{1,2}}(?:st|nd|rd|th)[-\s]century\b
      | \d{{2,4}}\s?年(?:\s?\d{{1,2}}\s?月)?(?:\s?\d{{1,2}}\s?[日号])? | \d{{1,2}}\s?月(?:\s?\d{{1,2}}\s?[日号])?
      | \b{_YEAR}(?![\d,]*\s?(?:%|percent|people|miles|km|metres|meters|feet))\b
      | \b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b | \b{_MONTH}(?=\s|[.,;)])""",
    re.VERBOSE,
)
_NUMBER_WORD = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion"
    r"|trillion|dozen|half|twice|once|zero)"
)
_NUMBER = re.compile(
    rf"""(?<![\w.])[-−+]?(?:[$€£¥]\s?)?\d+(?:,\d{{3}})*(?:\.\d+)?(?:\s?%|(?:st|nd|rd|th)\b)?
         (?:[\s-](?:percent|per\scent|hundred|thousand|million|billion|trillion)\b)?
      | \b{_NUMBER_WORD}(?:[-\s](?:and\s)?{_NUMBER_WORD})*\b
      | [一二三四五六七八九十百千万亿两\d.]{{1,16}}(?=[个人名次岁年天日元万亿米公吨度%％座部项枚分场家位])""",
    re.VERBOSE | re.IGNORECASE,
)
# A capitalised word, with the small words that join the parts of one name.
_CAPITALISED = r"(?:[A-Z\u00c0-\u00de][\w’'&.-]*[\w]|[A-Z])"
_NAME = re.compile(
    rf"{_CAPITALISED}(?:\s(?:(?:of|the|de|la|le|del|di|da|van|von|der|den|bin|al|and|for|du|dos)\s)*{_CAPITALISED}"
    rf"|\s\d{{1,4}}\b)*"
)
_QUOTED = re.compile(r"[“\"《「『]([^”\"》」』\n]{2,80})[”\"》」』]")
_PERSON_SHAPE = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Sir|Lord|Lady|King|Queen|Prince|Princess|President|Pope|Saint|St|Captain|General)\.?\s)?"
    r"[A-Z\u00c0-\u00de][\w’'.-]*(?:\s(?:de|la|van|von|der|den|bin|al|da|di|del)){0,2}"
    r"(?:\s[A-Z\u00c0-\u00de][\w’'.-]*){1,3}$"
)
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Sir|Lord|Lady|King|Queen|Prince|Princess|President|Pope|Saint)\.?\s[A-Z]\w+"
)
_PLACE_CUE = re.compile(
    r"\b(?:in|at|near|from|to|of|on|across|outside|around|into|within|throughout)\s(?:the\s|downtown\s"
    r"|(?:north|south|east|west|central)(?:ern)?\s)*$",
    re.IGNORECASE,
)
_PLACE_WORD = re.compile(
    r"\b(?:city|county|state|country|river|island|islands|ocean|sea|lake|mountain|mountains|street|avenue|park"
    r"|village|town|province|region|district|coast|valley|bay|capital|north|south|east|west|stadium|university)\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\b(?:because|due to|since|so that|in order to|as a result|owing to|thanks to|caused? by|causes?|led to"
    r"|leads to|reasons?|therefore|hence|thus|so as to|attributed to|results? (?:from|in)|for the purpose)\b"
    r"|因为|由于|因此|所以|原因|为了|导致",
    re.IGNORECASE,
)
_PROCEDURE = re.compile(
    r"\b(?:first|then|next|finally|step|steps|click|select|enter|run|use|using|press|choose|open|install|set|add"
    r"|create|go to|make sure|must|should|by \w+ing|follow|following|complete|submit|apply|provide|specify"
    r"|configure|can)\b|步骤|首先|然后|点击",
    re.IGNORECASE,
)
_DEFINITION = re.compile(
    r"\b(?:is|are|was|were)\s(?:also\s|often\s|usually\s|generally\s)?(?:an?|the|one|any)\b|\brefers? to\b"
    r"|\b(?:is|are) (?:known|called|defined|considered|used)\b|\bmeans?\b|\bdefined as\b|\bstands? for\b"
    r"|是指|是一|指的是|称为",
    re.IGNORECASE,
)
# From the first comma on: a search that began with the first item would be slow on text without commas.
_LIST = re.compile(
    r",\s?[^,;.]{1,60}(?:,[^,;.]{1,60}){0,8},?\s(?:and|or)\s[^,;.]{1,60}|\n\s{0,50}(?:[-*•]|\d{1,3}[.)])\s"
    r"|、[^、。]{1,40}(?:、[^、。]{1,40})*"
)
_OPENERS = word_class("names.sentence_openers")
_WORD = re.compile(r"\S+")
_SPACED_ONLY = frozenset({AnswerType.PERSON, AnswerType.PLACE, AnswerType.NAME})
_OPEN_TYPES = frozenset({AnswerType.OTHER, AnswerType.YES_NO})
_HAS_UNSPACED = re.compile(rf"[{UNSPACED}]")


def tells(wanted: AnswerType, text: str) -> bool:
    """True if `candidates` can say anything of this type in this text: names need a script with capitals.

    >>> tells(AnswerType.PERSON, "山口茜夺冠"), tells(AnswerType.DATE, "2023年"), tells(AnswerType.OTHER, "x")
    (False, True, False)
    """
    if wanted in _OPEN_TYPES:
        return False
    return not (wanted in _SPACED_ONLY and _HAS_UNSPACED.search(text))


def candidates(text: str, wanted: AnswerType) -> tuple[Span, ...]:
    """The stretches of `text` that could answer a question of type `wanted`, in order.

    Empty where nothing fits and where nothing could tell (see `tells`). Linear in the length of the text.

    >>> [("Ann Lee won 3 races in May 1999")[s.start : s.end] for s in candidates(
    ...     "Ann Lee won 3 races in May 1999", AnswerType.DATE)]
    ['May 1999']
    >>> [("Ann Lee won 3 races")[s.start : s.end] for s in candidates("Ann Lee won 3 races", AnswerType.PERSON)]
    ['Ann Lee']
    """
    match wanted:
        case AnswerType.DATE:
            return _spans(_DATE, text)
        case AnswerType.NUMBER:
            return numbers(text)
        case AnswerType.PERSON:
            return persons(text)
        case AnswerType.PLACE:
            return places(text)
        case AnswerType.NAME:
            return names(text)
        case AnswerType.REASON:
            return _spans(_REASON, text)
        case AnswerType.PROCEDURE:
            return _spans(_PROCEDURE, text)
        case AnswerType.DEFINITION:
            return _spans(_DEFINITION, text)
        case AnswerType.LIST:
            return _spans(_LIST, text)
        case AnswerType.YES_NO | AnswerType.OTHER:
            return ()


def new_candidates(text: str, wanted: AnswerType, question: str) -> tuple[Span, ...]:
    """The candidates that say something which the question does not say already.

    >>> len(new_candidates("Ann Lee was born in 1950.", AnswerType.PERSON, "When was Ann Lee born?"))
    0
    """
    asked = set(words(question))
    return tuple(
        span for span in candidates(text, wanted) if not asked.issuperset(words(text[span.start : span.end]))
    )


def names(text: str) -> tuple[Span, ...]:
    """Runs of capitalised words, a sentence's ordinary first word left out, and titles in quotation marks."""
    found = [Span(match.start(1), match.end(1)) for match in _QUOTED.finditer(text)]
    for match in _NAME.finditer(text):
        start = _without_opener(text, match)
        if start is not None and text[start].isupper():
            found.append(Span(start, match.end()))
    return tuple(sorted(found, key=lambda span: (span.start, span.end)))


def persons(text: str) -> tuple[Span, ...]:
    """Names of two to four capitalised words, and titled ones."""
    full = [span for span in names(text) if _PERSON_SHAPE.match(text[span.start : span.end])]
    taken = {span.start for span in full}
    titled = [Span(m.start(), m.end()) for m in _TITLED.finditer(text) if m.start() not in taken]
    return tuple(sorted(full + titled, key=lambda span: (span.start, span.end)))


def places(text: str) -> tuple[Span, ...]:
    """Names behind a preposition of place or another place ("Turin, Italy"), and names with a word for a place."""
    found: list[Span] = []
    for span in names(text):
        follows = bool(found) and found[-1].end == span.start - 2 and text[found[-1].end : span.start] == ", "
        cued = _PLACE_CUE.search(text, max(0, span.start - 24), span.start)
        if follows or cued or _PLACE_WORD.search(text, span.start, span.end):
            found.append(span)
    return tuple(found)


def numbers(text: str) -> tuple[Span, ...]:
    """Numbers in digits and words, those that are part of a date left out."""
    dates = _spans(_DATE, text)
    return tuple(span for span in _spans(_NUMBER, text) if not any(d.start <= span.start < d.end for d in dates))


def _without_opener(text: str, match: re.Match[str]) -> int | None:
    """The start of the name behind a leading function word ("The", "In"); None when nothing else is left."""
    start = match.start()
    while start < match.end():
        head = _WORD.match(text, start, match.end())
        if head is None:
            return None
        if fold(head.group().strip(".,'’")) not in _OPENERS:
            return start
        start = head.end()
        while start < match.end() and text[start].isspace():
            start += 1
    return None


def _spans(pattern: re.Pattern[str], text: str) -> tuple[Span, ...]:
    """The matches of the pattern."""
    return tuple(Span(match.start(), match.end()) for match in pattern.finditer(text))
