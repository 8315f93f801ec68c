"""Words that join a sentence to what stands before it, and state nothing themselves."""

from __future__ import annotations

import re

from assay.nlp.lexicon import word_class
from assay.nlp.tokens import fold, word_spans

# English adverbs that open a sentence and say how it goes on from the last one.
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


# What a writer says to the reader about nothing but their talk: doubts of its own, offers of help.


# Every word of an offer is told here, so that none can carry a statement in: "please note that …" is none.
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
# What is not known may hold no number, and nothing may follow that could be a statement of its own.
_UNSURE = re.compile(
    r"""\s*(?:i\sam|i['’]m|we\sare|we['’]re)\s(?:not\s(?:sure|certain)|unsure|uncertain)\s
        (?:whether|if|(?:about\s|of\s)?(?:how|what|when|where|which|who|why))\s
        (?:(?!\b(?:and|as|because|but|given|however|since|so|though|although|that|whereas|while|which|who)\b)
           [^\d,;:()–—])+
        \s*[.!]*\s*""",
    re.VERBOSE | re.IGNORECASE,
)


def is_courtesy(sentence: str) -> bool:
    """Whether a sentence is a plain offer to the reader, or a doubt of the writer, and states nothing besides.

    >>> [is_courtesy(s) for s in ("Contact us if you have questions!", "I am not sure whether pets are allowed.")]
    [True, True]
    >>> [is_courtesy(s) for s in ("Please note that pets are allowed.", "I am not sure why, but pets are allowed.")]
    [False, False]
    """
    return _OFFER.fullmatch(sentence) is not None or _UNSURE.fullmatch(sentence) is not None


# Sentences that speak to their reader instead of stating something: orders and questions. Rules for English.


# Words with which an order or a question begins: what people ask of a helper, and how they ask.
_OPENS = word_class("cues.request_openers")
_TO_SOMEONE = re.compile(r"\b(?:you|your|yours|yourself|me|my|mine|please)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def speaks_to_reader(sentence: str) -> bool:
    """Whether a sentence is an order or a question, speaks of "you" or "me", or says nothing in words.

    >>> [speaks_to_reader(each) for each in ("Write a poem.", "Who is it?", "You agree.", "It is red.")]
    [True, True, True, False]
    """
    first = next(word_spans(sentence), None)
    if first is None or not _WORD.search(sentence):
        return True
    opens = fold(sentence[first.start : first.end]) in _OPENS
    return opens or sentence.rstrip("\"'”’)* ").endswith(("?", "？")) or bool(_TO_SOMEONE.search(sentence))


# How a part of a question asks, in English.


# What begins a question or a request, as a pattern.
ASKS = (
    r"(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have"
    r"|had|may|might|must|shall|tell|explain|describe|list|compare|give)"
)
_BEGINS_ASKING = re.compile(rf"\W*{ASKS}\b", re.IGNORECASE)
_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|what|when|where|which|why|how)\b", re.IGNORECASE)


def asks(part: str) -> bool:
    """Whether a part of a question asks something by itself; a thing to be compared does not.

    >>> asks("how much does it cost"), asks("In which year was that"), asks("a hub")
    (True, True, False)
    """
    return bool(_BEGINS_ASKING.match(part) or _QUESTION_WORD.search(part))
