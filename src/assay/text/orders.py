"""Sentences that speak to their reader instead of stating something: orders and questions. Rules for English."""

from __future__ import annotations

import re

from assay.text.tokens import fold, word_spans

# Words with which an order or a question begins: what people ask of a helper, and how they ask.
_OPENS = frozenset(
    """act activate add also always analyse analyze answer append assess assume begin bypass calculate call can
    check choose classify click code compare compose compute consider continue convert copy correct could count
    create decode decrypt define delete describe design determine develop disable discuss display do does don't
    draft edit
    email e-mail enable encode encrypt end enter estimate evaluate execute explain fetch find finally finish first
    follow forget format forward generate get give help how identify ignore imagine implement include insert instead
    investigate judge just keep let let's list look make may modify name never next note now obey offer only open
    outline output override paraphrase paste pick plan play please predict pretend print propose provide put rank
    rate read recite recommend recount remember remove repeat replace reply research respond reveal reverse review
    rewrite run save say score search select send set shall share should show simply simulate sing solve sort spell
    start state stop suggest summarise summarize suppose switch take teach tell then think transform translate
    update upload use visit what when where which who whom whose why will would write are did is was were""".split()
)
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
