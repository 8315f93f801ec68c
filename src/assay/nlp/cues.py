"""Sentences that do not just state something: connectives, offers, orders, questions, truncated sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from assay.nlp.language import language_of
from assay.nlp.lexicon import word_class
from assay.nlp.tokens import fold, word_spans
from assay.types import Span

# English adverbs that open a sentence and link it to the one before.
CONNECTIVES = word_class("cues.connectives")
# A contrast, a condition or a likeness ("instead", "otherwise", "similarly") is part of what is said.
_MEANT = word_class("cues.meant_connectives")
_OPENING = re.compile(
    rf"""(?: (?:{"|".join(sorted(CONNECTIVES - _MEANT))}|overall|lastly|finally)
         | in\ (?:addition|short|summary|conclusion|brief|other\ words|fact)
         | to\ (?:summari[sz]e|sum\ up|conclude)
         | as\ a\ (?:result|consequence) | for\ this\ reason | of\ course
         | (?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|fifth(?:ly)?)
           (?=,\s+(?:it|they|he|she|we|you|this|these|that|those|there|the|its|their|his|her|our|your)\b)
        ),\s+(?=\S)""",
    re.IGNORECASE | re.VERBOSE,
)


def without_connective(sentence: str) -> str:
    """The sentence without the connective that opens it; the first of several steps keeps its ordinal.

    >>> without_connective("First, it rains."), without_connective("First, open the box.")
    ('It rains.', 'First, open the box.')
    >>> without_connective("In summary, “rain” fell.")
    '“rain” fell.'
    """
    match = _OPENING.match(sentence)
    if match is None:
        return sentence
    rest = sentence[match.end() :]
    return rest[0].upper() + rest[1:]


# Courtesies: offers of help, and the writer's own doubts.

# All words of an offer are listed, so that no statement can pass as one: "please note that …" does not.
_MORE = r"(?:any|some|further|more|other|additional|a|your|the)"
_MATTER = r"(?:questions?|concerns?|doubts?|feedback|help|assistance|information|details|anything|something)"
_MATTERS = (
    rf"(?:{_MORE}\s)*{_MATTER}(?:\s(?:or|and)\s(?:{_MORE}\s)*{_MATTER})*(?:\selse)?(?:\sabout\s(?:this|that|it))?"
)
_NEED = rf"(?:if|when(?:ever)?|should)\syou\s(?:still\s)?(?:have|need|want|would\slike)\s{_MATTERS}"
_MEET = r"""(?:schedule|book|arrange|set\sup|request)\s(?:a|an|your)\s
    (?:(?:first|initial|personal)\s)?(?:consultation|call|meeting|appointment|demo|quote)(?:\swith\sus)?"""
_AIM = rf"""(?:{_MEET}|learn\smore|find\sout\smore|get\sstarted
    |(?:discuss|talk\sabout)\syour\s(?:needs|plans|project))"""
_OFFER = re.compile(
    rf"""\s*(?:{_NEED},?\s)?
        (?:please,?\s|kindly\s)?(?:(?:feel\sfree|(?:do\snot|don['’]t)\shesitate)\sto\s)?(?:please\s)?
        (?:(?:contact|ask|call|e-?mail|message|write\sto|reach\sout\sto|get\sin\stouch\swith)\s(?:us|me)
          |reach\sout|get\sin\stouch|ask|let\s(?:us|me)\sknow|{_MEET})
        (?:\sagain|\sdirectly)?
        (?:,?\s{_NEED}|\s(?:with|for|about)\s{_MATTERS}|\sto\s{_AIM})?
        \s*[.!]*\s*""",
    re.VERBOSE | re.IGNORECASE,
)
# A doubt may hold no number, and no clause that could be a statement of its own.
_UNSURE = re.compile(
    r"""\s*(?:i\sam|i['’]m|we\sare|we['’]re)\s(?:not\s(?:sure|certain)|unsure|uncertain)\s
        (?:whether|if|(?:about\s|of\s)?(?:how|what|when|where|which|who|why))\s
        (?:(?!\b(?:and|as|because|but|given|however|since|so|though|although|that|whereas|while|which|who)\b)
           [^\d,;:()–—])+
        \s*[.!]*\s*""",
    re.VERBOSE | re.IGNORECASE,
)


def is_courtesy(sentence: str) -> bool:
    """True if a sentence is a plain offer to the reader, or a doubt of the writer, and states nothing besides.

    >>> [is_courtesy(s) for s in ("Contact us if you have questions!", "I am not sure whether pets are allowed.")]
    [True, True]
    >>> [is_courtesy(s) for s in ("Please note that pets are allowed.", "I am not sure why, but pets are allowed.")]
    [False, False]
    """
    return _OFFER.fullmatch(sentence) is not None or _UNSURE.fullmatch(sentence) is not None


# Orders and questions to the reader, in English.

# Words that open a request or a question.
_OPENS = word_class("cues.request_openers")
_TO_SOMEONE = re.compile(r"\b(?:you|your|yours|yourself|me|my|mine|please)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def speaks_to_reader(sentence: str) -> bool:
    """True if a sentence is an order or a question, speaks of "you" or "me", or says nothing in words.

    >>> [speaks_to_reader(text) for text in ("Write a poem.", "Who is it?", "You agree.", "It is red.")]
    [True, True, True, False]
    """
    first = next(word_spans(sentence), None)
    if first is None or not _WORD.search(sentence):
        return True
    opens = fold(sentence[first.start : first.end]) in _OPENS
    return opens or sentence.rstrip("\"'”’)* ").endswith(("?", "？")) or bool(_TO_SOMEONE.search(sentence))


# Questions in an answer, and their titles, which state nothing to test.

_ENDS = re.compile(r"[?？][!！]*\Z")
# Quotation marks, brackets and emphasis around a whole question.
_WRAPS = (
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ('"', '"'),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("(", ")"),
)
_QUESTION_WORD = r"""(?:
        Who|Whose|What|When|Where|Which|Why|How|Is|Are|Was|Were|Do|Does|Did|Can|Could|Should|Will|Would|Has|Have|May
      | Wer|Wem|Wen|Wann|Wo|Welche[mnrs]?|Warum|Wieso|Wie|Ist|Sind|Kann|Können|Gibt|Hat|Haben
      | Qui|Que|Quel(?:le)?s?|Quand|Où|Pourquoi|Comment|Combien|Qué|Quién|Cuál|Cuándo|Dónde|Cómo|Cuánt[oa]s?
    )\b"""
_OPENS_QUESTION = re.compile(rf"[\W\d]*(?:Q\d+\W+)?{_QUESTION_WORD}", re.VERBOSE)
# A line that begins a question, and one that begins a sentence, behind one without a full stop.
_BEGINS = re.compile(rf"\n[ \t]*(?={_QUESTION_WORD})", re.VERBOSE)
_CAPITAL_LINE = re.compile(r"\n[ \t]*(?=[^\W\d_a-zß-öø-ÿ])")
# All words of a title are listed, so that no statement can pass as one.
_ASKING = r"(?:you|users?|readers?)\s(?:could|might|may|can)\s(?:also\s)?(?:ask|have|wonder|want\sto\s(?:ask|know))"
_TITLE = re.compile(
    rf"""\W*(?:
        (?:(?:some|other|more|your|our|common|open|next|related|suggested|recommended|possible|potential|further
            |additional|frequently\sasked|follow-?\s?up|and)\s)*
        (?:follow-?\s?up\s)?questions?(?:\s(?:{_ASKING}|to\s(?:ask|consider|explore)))?(?:\snext)?
      | follow-?\s?ups?
      | (?:(?:questions|things|what)\s)?{_ASKING}(?:\s(?:about|next))?
      | people\salso\sask
      | (?:(?:weitere|weiterführende|mögliche|verwandte|ähnliche|häufige|offene)\s)?
        (?:rück|nach|folge|anschluss)?fragen
      | questions\s(?:complémentaires|suivantes|connexes|fréquentes|de\ssuivi)
      | preguntas\s(?:relacionadas|frecuentes|adicionales|de\sseguimiento)
    )\W*""",
    re.VERBOSE | re.IGNORECASE,
)


def asks(sentence: str) -> bool:
    """True if a sentence is a question, be it in quotation marks or brackets as a whole, or set off.

    >>> [asks(text) for text in ("How long is it?", "**How long is it?**", 'He asked “How long is it?”')]
    [True, True, False]
    """
    bare = sentence.strip()
    wrapped = next((pair for pair in _WRAPS if bare.startswith(pair[0]) and bare.endswith(pair[1])), None)
    if wrapped is not None and len(bare) > len(wrapped[0] + wrapped[1]):
        inner = bare[len(wrapped[0]) : -len(wrapped[1])]
        return not any(mark in inner for mark in wrapped) and asks(inner)  # else two: "It is", he said, "or no?"
    return _ENDS.search(bare) is not None


def heads_questions(sentence: str) -> bool:
    """True if a sentence is nothing but the title of questions that follow.

    >>> heads_questions("**Follow-up questions**"), heads_questions("Questions about the fee of 90 euros")
    (True, False)
    """
    return _TITLE.fullmatch(sentence.strip()) is not None


def apart_from_questions(text: str, span: Span) -> Iterator[Span]:
    """A sentence that ends as a question, cut before each line that begins one; any other as it is.

    A line without a full stop is one sentence with the next, and its statement must not pass for a question. Where
    the first line does not open as a question, each line with a capital may be where the question begins.
    """
    sentence = text[span.start : span.end]
    lines = _BEGINS if _OPENS_QUESTION.match(sentence) else _CAPITAL_LINE
    cuts = [match.start() for match in lines.finditer(sentence)] if asks(sentence) else []
    for start, end in pairwise((0, *cuts, len(sentence))):
        part = sentence[start:end]
        begins = span.start + start + len(part) - len(part.lstrip())
        yield Span(begins, begins + len(part.strip()))


# Truncated sentences: small models leave the place of the answer empty.

_LINKING = r"(?:is|are|was|were)"
# In small letters: names of works end on anything.
_TO_THE_END = r"[ \t]*+(?:\.\s*+|\s*+)\Z"
_LEFT_OPEN = re.compile(rf"(?<![\w.'’-])(?:the|and){_TO_THE_END}")
_LINKS_TO_NOTHING = re.compile(rf"(?<![\w.'’-]){_LINKING}{_TO_THE_END}")
# A mark stood where the answer should: "The answer is: [1]."
_LEADS_TO_NOTHING = re.compile(r"[:;,]\s*[.。]\s*\Z")
# "That is how it is", "she asked who the winner was", "it cost more than the other was".
_SAID_BEFORE = re.compile(
    rf"\b(?:what|who|whom|whose|where|when|how|why|which|whatever|whoever|wherever|than)\b"
    rf"|\b(?:I|it|he|she|they|we|you|there|this|that|these|those|one|so|nor|neither)[ \t]+{_LINKING}{_TO_THE_END}",
    re.IGNORECASE,
)
# "Ann was never there, but Bo was", "he is as tall as she is".
_REPEATS = re.compile(
    r"^(?>.*?\b(?:is|are|was|were|isn['’]t|aren['’]t|wasn['’]t|weren['’]t)\b).*"
    r"\b(?:as|so|but|while|whereas|though|although|and|unlike|only)\b",
    re.IGNORECASE | re.MULTILINE,
)
_LAST_CLAUSE = re.compile(r"[:;]\s")


def is_truncated(sentence: str) -> bool:
    """True if a sentence ends where something must follow; of words only English ones are known.

    >>> [is_truncated(text) for text in ("The answer is.", "It is located in the", "She asked who he was.")]
    [True, True, False]
    >>> [is_truncated(text) for text in ("Ann was not there, but Bo was.", "Das ist, was es war.")]
    [False, False]
    """
    if _LEADS_TO_NOTHING.search(sentence):
        return True
    if language_of(sentence) != "en":
        return False
    if _LEFT_OPEN.search(sentence):
        return True
    clause = _LAST_CLAUSE.split(sentence)[-1]
    return bool(_LINKS_TO_NOTHING.search(clause)) and not (_SAID_BEFORE.search(clause) or _REPEATS.search(clause))


# Parts of a question, in English.

# The beginning of a question or a request, as a pattern.
ASKS = (
    r"(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have"
    r"|had|may|might|must|shall|tell|explain|describe|list|compare|give)"
)
_BEGINS_ASKING = re.compile(rf"\W*{ASKS}\b", re.IGNORECASE)
_ASKING_WORD = re.compile(r"\b(?:who|whom|whose|what|when|where|which|why|how)\b", re.IGNORECASE)


def asks_alone(part: str) -> bool:
    """True if a part of a question asks something by itself; a thing to be compared does not.

    >>> [asks_alone(part) for part in ("how much does it cost", "In which year was that", "a hub")]
    [True, True, False]
    """
    return bool(_BEGINS_ASKING.match(part) or _ASKING_WORD.search(part))
