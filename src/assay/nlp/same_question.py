"""The forms of a question by which it is found again: in the same words, and in words that ask the same.

Two questions have one `meaning_form` only where they differ in what cannot change the answer: articles, courtesies,
inflection of "do", some fixed phrases, and words of one group of the lexicon's table same_question. Names, numbers,
dates, negations, prepositions, quantifiers, tense and the order of the words stay as they are, since one word
decides ("open on Sunday", "open on Monday").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from assay.nlp.lexicon import groups, word_class
from assay.nlp.tokens import stem

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_ENDING = " .?!…"
# Numbers with what joins their parts; words with hyphens; signs that change what a word means ("C++", "5 %").
_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*\w*|[^\W\d_]\w*(?:[-/]\w+)*|'s\b|[#+%$€£°&@*<>=/]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NUMBERS = MappingProxyType(
    {word: str(n) for n, word in enumerate("zero one two three four five six seven eight nine ten".split())}
)
_DROPPED = frozenset({"there", "please", "do", "does", "exactly"})
_BE = frozenset({"is", "are", "am", "was", "were", "be", "been", "being", "has", "have", "had", "having"})
# The plural of these is another word.
_NO_PLURALS = frozenset({"news", "means", "series", "species", "customs", "arms", "goods", "glasses"})
_SIBILANTS = ("ss", "x", "ch", "sh", "z")
# A longer question is a text: other words for all of it are seldom met.
_LONGEST = 500
# Shorter words are too seldom inflected forms.
_SHORTEST = 4
_PERSON = "(?:i|we|one)"
_BEFORE_NAMES = "(?:is|are|was|were|does|do|did|who|what|when|where|how|of|for|to|from|in|on|at|by)"
_ASKING = "(?:what|who|when|where|how|why|which|if|whether)"
# Each phrase that asks the same as another one, and that other one, in the order of their use.
_REWRITTEN: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"'re\b", " are"),
        (r"'ll\b", " will"),
        (r"'ve\b", " have"),
        (r"\b(what|who|when|where|how|it|that|there)'s\b", r"\1 is"),
        (r",? ?\bplease\b,?", ""),
        (r"^(hello|hi|hey|good morning|excuse me)[,!.] ", ""),
        (r"^(can|could|would|will) you (kindly )?(tell me|say|explain to me|let me know) (?=\w)", ""),
        (rf"^(do you (happen to )?know|tell me|let me know|say) (?={_ASKING}\b)", ""),
        (r"^(i want|i need|i would like|i'd like|i wish) to know (?=\w)", ""),
        (r"^(i wonder|i am wondering|i'm wondering) (?=\w)", ""),
        (r"^((?:in|on|at|for|during|from|under|after|before|since) [^,]+), (?=\w)(.+)$", r"\2 \1"),
        (r"\b(at )?(what|which) time\b", "when"),
        (r"^in (what|which) year\b|^which year\b", "what year"),
        (r"^on (what|which) (day|date)\b|^which (day|date)\b", r"what \2\3"),
        (r"^(?:how much|what) (?:does|do) (.+) cost$", r"what is the price of \1"),
        (r"^(?:how much|what) did (.+) cost$", r"what was the price of \1"),
        (
            r"^how much (is|are|was|were) the (?=(?:fee|fine|fare|price|cost|charge|rent|deposit)\b)",
            r"what \1 the ",
        ),
        (r"^how much (is|are|was|were) (?=(?:a|an|the)\b)", "what is the price of "),
        (rf"^how (?:do|can|could|should) {_PERSON}\b|^what is the way to\b", "how to"),
        (rf"^what (?:do|must|should) {_PERSON} (?:have to |need to )?do (?:in order )?to\b", "how to"),
        (r"^(?:is it possible|am i allowed|are we allowed|is one allowed|is it allowed) to\b", "can i"),
        (rf"^(?:can|may) {_PERSON}\b", "can i"),
        (rf"^(?:do|does) {_PERSON} (?:have|need) to\b|^must {_PERSON}\b|^is it necessary to\b", "must i"),
        (r"^(?:am i|are we|is one) (?:required|obliged) to\b", "must i"),
        (rf"^where can {_PERSON} find\b", "where is"),
        (r"^(where (?:is|are|was|were) .+) (?:located|situated|to be found)$", r"\1"),
        (r"^how many (.+?) (?:does|do) (.+) have$", r"how many \1 are in \2"),
        (r"^how many (.+?) did (.+) have$", r"how many \1 were in \2"),
        (r"^how many ([\w-]+) (.+) (?:has|have)$", r"how many \1 are in \2"),
        (r"^what (is|was) the length of\b", r"how long \1"),
        (r"^what (is|was) the height of\b", r"how high \1"),
        (r"^what (is|was) the depth of\b", r"how deep \1"),
        (r"^what (is|was) the width of\b", r"how wide \1"),
        (r"^for how long\b", "how long"),
        (r"^from where (.+)$", r"where \1 from"),
        (r"^by whom (?:is|was|were) (.+) (\w+ed)$", r"who \2 \1"),
        (r"^who (?:is|was) the founder of\b", "who founded"),
        (r"^who (?:is|was) the (?:author|writer) of\b", "who wrote"),
        (r"\bbecause of what\b|^for what reason\b|^for which reason\b|^how come\b", "why"),
        # A possessive at the end: "the museum's address" is the address of the museum.
        (
            rf"(\b(?:(?!{_BEFORE_NAMES}\b)[\w-]+ )*[\w-]+)'s ((?:[\w-]+ ){{0,2}}?[\w-]+)(?= is$| are$|$)",
            r"the \2 of \1",
        ),
    )
)


def normal_form(text: str) -> str:
    """The question without what no reader minds: case, white space, the kind of its quotes, its question mark.

    Words in capitals stay so, unless all of them are: "US" is no "us".

    >>> normal_form(" When does  the Library open? ") == normal_form("when does the library open")
    True
    >>> normal_form("Who leads the US?")
    'who leads the US'
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).replace("’", "'").replace("‘", "'").split())
    plain = re.sub(r"[“”„«»]", '"', plain)
    shouts = not any(letter.islower() for letter in plain)
    first = len(plain) - len(plain.lstrip("\"'( "))

    def folded(match: re.Match[str]) -> str:
        word = match[0]
        is_capitals = word.isupper() and word != "I" and (len(word) > 1 or match.start() > first)
        return word if is_capitals and not shouts else word.casefold()

    return _WORD.sub(folded, plain).rstrip(_ENDING)


@lru_cache(maxsize=4096)
def meaning_form(text: str) -> str:
    """The question in a form that other words for the same question share.

    >>> meaning_form("Could you tell me what time the shop opens?") == meaning_form("When does the shop open?")
    True
    >>> meaning_form("What does a ticket cost?") == meaning_form("How much is a ticket?")
    True
    >>> meaning_form("Is it open on Sunday?") == meaning_form("Is it open on Monday?")
    False
    >>> meaning_form("Who was the director?") == meaning_form("Who is the director?")
    False
    """
    plain = normal_form(text)
    if len(plain) > _LONGEST:
        return plain
    for pattern, other in _REWRITTEN:
        plain = " ".join(pattern.sub(other, plain).split())
    verbs, stated = list[str](), list[str]()
    is_past = False
    for word in _TOKEN.findall(_THOUSANDS.sub("", plain)):
        if word in _BE:
            verbs.append(word)
        elif word == "did":
            verbs.append("past")
        elif word not in _DROPPED and word not in _articles():
            base = _base(word)
            is_past = is_past or (base != word and word.endswith("ed"))
            stated.append(_alike().get(base, base))
    if is_past and not verbs:
        verbs.append("past")
    return f"{' '.join(verbs)}|{' '.join(stated)}"


def names_agree(first: str, second: str) -> bool:
    """True if the capitals of two questions name the same; one without any inside names what it may.

    >>> names_agree("Which Polish do we use?", "Which polish do we use?"), names_agree("Is Bo in?", "Is Al in?")
    (True, False)
    """
    one, other = _capitals(first), _capitals(second)
    return one == other or not one or not other


def _capitals(text: str) -> frozenset[str]:
    """The words with a capital, but for the first one, without their possessive."""
    written = _WORD.findall(text)[1:]
    return frozenset(
        re.sub(r"['’]s$", "", word).casefold() for word in written if word[0].isupper() and word[:2] not in _OWN
    )


_OWN = frozenset({"I", "I'", "I’"})


@cache
def _articles() -> frozenset[str]:
    return word_class("function_words.articles")


@cache
def _alike() -> Mapping[str, str]:
    """The word that stands for each word of a group."""
    return MappingProxyType({word: min(group) for group in groups("same_question") for word in group})


@lru_cache(maxsize=4096)
def _base(word: str) -> str:
    """The word without the endings of the plural, of the third person and of the past; digits for a number's name.

    >>> [_base(word) for word in ("opens", "closed", "stopped", "cities", "news", "three", "opening")]
    ['open', 'close', 'stop', 'city', 'news', '3', 'opening']
    """
    if word in _NUMBERS:
        return _NUMBERS[word]
    if len(word) < _SHORTEST or not word.islower() or word in _NO_PLURALS or not word.isalpha():
        return word
    return next(_bases(word), word)


def _bases(word: str) -> Iterator[str]:
    if word.endswith(("ies", "ied")):
        yield word[:-3] + "y"
    elif word.endswith("ed") and not word.endswith("eed"):
        base = word[:-2]
        yield stem(word) if stem(word) in (base, base[:-1], f"{base}e") else base
    elif word.endswith("es") and word[:-2].endswith(_SIBILANTS):
        yield word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        yield word[:-1]
