"""The kind of a question, the type of its answer, and the detail and expertise of the answer."""

from __future__ import annotations

import re
from typing import Literal

from assay.types import AnswerType, QuestionKind

Expertise = Literal["beginner", "general", "expert"]

_AUXILIARY = (
    r"(?:is|are|was|were|am|do|does|did|can|could|will|would|should|shall|has|have|had|may|might|must|isn't|aren't"
    r"|wasn't|weren't|don't|doesn't|didn't|can't|won't)"
)
_LEAD = r"^\W*(?:(?:and|but|so|also|then|please|hi|hello|ok|okay|well)\b\W*)*"
_YES_NO = re.compile(rf"{_LEAD}{_AUXILIARY}\b", re.I)
_STATEMENT = re.compile(r"[.!。][^\w.!。]*$")
_ASKS = re.compile(
    rf"{_LEAD}(?:{_AUXILIARY}|(?:in |at |on |for |to |by |from )?(?:what|which|who|whom|whose|when|where|why|how)"
    r"|list|name|give|tell|explain|describe|define|compare|show)\b",
    re.I,
)
_COMPARATIVE = re.compile(
    r"\b(?:compare[ds]?|comparison|versus|vs\.?|differences?|differ|differs|similarit(?:y|ies)|in common"
    r"|(?:better|worse|older|younger|larger|smaller|bigger|more|less|fewer|higher|lower|faster|earlier|later|first)\b"
    r"[^?]{0,80}\b(?:than|or)|which of|both [^?]{1,60} and)\b|区别|比较|相比|不同",
    re.I,
)
_HOW_TO = re.compile(
    rf"{_LEAD}(?:how\s+(?:to|do|can|could|should|would|might)\s*(?:i|you|we|one|my)?\b|steps? to\b)|如何|怎么|怎样",
    re.I,
)
_HOW_TO_ANYWHERE = re.compile(
    r"\bhow\s+(?:to|do i|can i|do you|can you|should i|do we)\b|\bsteps? (?:to|for)\b", re.I
)
_INTERPRETIVE = re.compile(
    r"\b(?:why|explain|interpret|meaning of|significance|importance|impact|effects? of|role of|do you think|opinion"
    r"|argue|analy[sz]e|implications?|discuss|describe)\b|为什么|为何|意义|影响|解释",
    re.I,
)


def _what(nouns: str) -> str:
    """ "Which NOUN", "what is the NOUN", "in what NOUN", with up to three words before the noun."""
    return rf"\b(?:what|which)\b(?:\s(?:is|was|are|were)|'s)?(?:\sthe)?\s(?:\w+\s){{0,3}}(?:{nouns})\b"


_QUANTITIES = (
    "number|percentage|percent|population|price|cost|rate|amount|total|height|length|weight|size|distance"
    "|temperature|age|score|salary|revenue"
)
_TIMES = "years?|dates?|days?|months?|century|centuries|decades?|time"
_PEOPLE = "person|people|actor|actress|player|president|author|singer|director|man|woman|king|queen"
_PLACES = "city|country|state|place|location|town|county|region|island|continent|province|venue|capital|district"
# "When" and "where" ask only without a question word before them: "what to do when it rains" asks for no date.
_FIRST = r"^(?:(?!\b(?:what|which|who|whom|whose|how|why)\b).){0,400}?"
# The first match gives the type: "how many" is before "how", "why" before all.
_TYPES: tuple[tuple[re.Pattern[str], AnswerType], ...] = tuple(
    (re.compile("|".join(patterns), re.I), wanted)
    for wanted, *patterns in (
        (AnswerType.REASON, r"\bwhy\b", r"\bhow come\b", _what("reasons?|causes?"), "为什么|为何|原因"),
        (
            AnswerType.NUMBER,
            r"\bhow (?:many|much|old|tall|high|far|long|big|large|deep|wide|heavy|fast|often|hot|cold)\b",
            _what(_QUANTITIES),
            "多少|几[个人次名岁年天位场]|多[长高大远重久]",
        ),
        (
            AnswerType.DATE,
            _FIRST + r"\bwhen\b",
            _what(_TIMES),
            r"\b(?:premiere|release|birth) date\b",
            "什么时候|何时|哪一?[年天日月]|几[月号日点]|时间|日期",
        ),
        (
            AnswerType.PERSON,
            r"\bwho(?:m|se)?\b(?! (?:is|are|was|were) (?:the )?\w+\W*$)",
            _what(_PEOPLE),
            "谁|哪位|何人",
        ),
        (
            AnswerType.PLACE,
            _FIRST + r"\bwhere\b",
            _what(_PLACES),
            "哪里|哪儿|在哪|何处|何地|地点|哪个(?:国家|城市|省|地方)",
        ),
        (
            AnswerType.PROCEDURE,
            r"\bhow (?:to|do|does|did|can|could|should|would|might|is|are|was|were)\b",
            r"\bsteps? (?:to|for)\b",
            "如何|怎么|怎样",
        ),
        (
            AnswerType.LIST,
            r"^\W*(?:please )?(?:list|name (?:the|all|some|two|three|four|five)|give (?:me )?(?:examples|some))\b",
            r"\bwhat are (?:the|some|all)\b",
            r"\bwhich \w+s (?:are|were|have)\b",
            "哪些",
        ),
        (
            AnswerType.DEFINITION,
            r"^\W*what(?: is|'s| are| does| do| was| were)(?: an?| the)? (?:[\w'-]+ ?){1,3}\W*$",
            r"^\W*(?:define\b|who (?:is|was) [\w' .-]{1,40}\W*$)",
            r"\bwhat (?:does|is) .{1,60}\b(?:mean|stand for|meant by)\b",
            "是什么意思|什么是",
        ),
        (AnswerType.YES_NO, _YES_NO.pattern, r"吗[？?]?\s*$", "是否"),
        (
            AnswerType.NAME,
            r"\bnames? of\b",
            rf"\b(?:what|which) (?!(?:to|if|about|{_AUXILIARY[3:-1]})\b)\w",
            "什么|哪[个部家支种项]",
        ),
    )
)
_BEGINNER = re.compile(
    r"\beli5\b|\blike i(?:'m| am) (?:five|5|a (?:child|kid|beginner))\b"
    r"|\b(?:simple|plain|layman'?s?) (?:terms|words|english|language)\b"
    r"|\bfor (?:beginners?|dummies|kids|children)\b|\bi(?:'m| am) (?:new to|a beginner)\b|\bsimply put\b"
    r"|通俗|简单[地说]",
    re.I,
)
_EXPERT = re.compile(
    r"\btechnical(?:ly)? (?:details?|depth|explanation|terms)\b|\b(?:as an|for|for an) experts?\b"
    r"|\brigorous(?:ly)?\b|\bformal(?:ly)? (?:proof|derivation)\b"
    r"|\bi(?:'m| am) an? (?:expert|engineer|physician|doctor|lawyer|researcher|scientist|developer)\b",
    re.I,
)
_LONG = re.compile(
    r"\bin (?:great |more |full )?(?:detail|depth)\b|\b(?:detailed|thorough(?:ly)?|comprehensive(?:ly)?)\b"
    r"|\b(?:exhaustive(?:ly)?|at length|step by step|elaborate)\b|详细|详尽",
    re.I,
)
_SHORT = re.compile(
    r"\b(?:brief(?:ly)?|in short|short answer|in (?:one|a) (?:word|sentence|line)|in a few words|concise(?:ly)?)\b"
    r"|\b(?:tl;?dr|just the)\b|简短|简要|一句话",
    re.I,
)
# The default detail by answer type (chosen): 1 is a phrase, 10 a chapter.
_DETAIL = {
    AnswerType.PERSON: 2,
    AnswerType.PLACE: 2,
    AnswerType.DATE: 2,
    AnswerType.NUMBER: 2,
    AnswerType.NAME: 2,
    AnswerType.YES_NO: 2,
    AnswerType.DEFINITION: 3,
    AnswerType.OTHER: 3,
    AnswerType.LIST: 4,
    AnswerType.REASON: 5,
    AnswerType.PROCEDURE: 5,
}


def answer_type_of(question: str) -> AnswerType:
    """The type of the answer; OTHER for a statement and if no rule matches.

    >>> answer_type_of("How many moons does Mars have?").value, answer_type_of("谁是冠军？").value
    ('number', 'person')
    >>> answer_type_of("Aspirin lowers fever.").value
    'other'
    """
    if _STATEMENT.search(question) and not _ASKS.match(question):
        return AnswerType.OTHER
    if _YES_NO.match(question) and not re.search(r"\bor\b", question):
        return AnswerType.YES_NO
    return next((wanted for pattern, wanted in _TYPES if pattern.search(question)), AnswerType.OTHER)


def kind_of(question: str, *, carried: bool) -> QuestionKind:
    """The kind of the question; a follow-up is one that needed the dialogue to be understood.

    >>> kind_of("Which is larger, Mars or Venus?", carried=False).value
    'comparative'
    """
    if _COMPARATIVE.search(question):
        return QuestionKind.COMPARATIVE
    if _HOW_TO.search(question) or _HOW_TO_ANYWHERE.search(question):
        return QuestionKind.HOW_TO
    if _YES_NO.match(question) or question.rstrip(" ？?").endswith("吗"):
        return QuestionKind.YES_NO
    if _INTERPRETIVE.search(question):
        return QuestionKind.INTERPRETIVE
    return QuestionKind.FOLLOW_UP if carried else QuestionKind.FACTUAL


def expertise_of(text: str) -> Expertise:
    """The expertise of the reader if the text says it, else "general".

    >>> expertise_of("Explain tides like I'm five")
    'beginner'
    """
    if _BEGINNER.search(text):
        return "beginner"
    return "expert" if _EXPERT.search(text) else "general"


def detail_of(text: str, answer_type: AnswerType, kind: QuestionKind) -> int:
    """The detail of the answer, 1 (a phrase) to 10 (a chapter): as the text says, else by the answer type.

    >>> detail_of("Briefly, why?", AnswerType.REASON, QuestionKind.INTERPRETIVE)
    1
    """
    if _SHORT.search(text):
        return 1
    if _LONG.search(text):
        return 8
    if kind in (QuestionKind.COMPARATIVE, QuestionKind.INTERPRETIVE):
        return max(5, _DETAIL[answer_type])
    return _DETAIL[answer_type]
