"""What a writer says to the reader about nothing but their talk: doubts of its own, offers of help."""

from __future__ import annotations

import re

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
