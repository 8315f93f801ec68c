"""Questions that a sentence answers, made from it by rules; the wording is rough, as that of searches is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from assay.text.answer_types import candidates
from assay.text.tokens import STOP_WORDS
from assay.types import AnswerType

_AUXILIARY = re.compile(r"\b(is|was|are|were|has|have|had|can|could|will|would|should|may|must)\b")
_PREPOSITION = re.compile(
    r"\b(?:in|on|at|by|from|to|of|since|until|during|as|for|with|around|about|near) (?:the )?$"
)
_DEFINED = re.compile(r"^(?:The |An? )?(.{3,50}?) (is|are|was|were|refers to|means) (?:an?|the|one)\b")
_REASON = re.compile(r",? (?:because|due to|in order to|so that|owing to|as a result of|to avoid|to prevent) ")
_MEANS = re.compile(r"^(?:To|In order to) ([a-z][^,]{8,60}), |\bby ([a-z]+ing) ")
_LINK = re.compile(r" ?[,;:(]| (?:and|or|but|which|that|who|with|for|by|during|after|before|because|as|while) ")
_WORD = re.compile(r"[\w'’-]+")
_ASKING = {
    AnswerType.DATE: ("when", "what year", "in which year", "since when", "what date"),
    AnswerType.PERSON: ("who", "who", "whom"),
    AnswerType.PLACE: ("where", "in which place", "what city", "what country"),
    AnswerType.NAME: ("what", "which", "who"),
    AnswerType.NUMBER: ("how many", "how much", "what number of"),
}
_POINTING = frozenset("it this that there he she they these".split())
_LONGEST_SUBJECT = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the words of the sentence that answer it; `answer` is "" where the whole sentence does."""

    text: str
    answer: str


Maker = Callable[[str, Random], "Asked | None"]


def of_a_stretch(sentence: str, random: Random) -> Asked | None:
    """Who, when, where, what, how many: what a date, number or name in the sentence answers."""
    found = [
        (kind, span.start, span.end)
        for kind in _ASKING
        for span in candidates(sentence, kind)
        if 0 < span.end - span.start < 50
    ]
    if not found:
        return None
    kind, start, end = random.choice(found)
    asking, answer = random.choice(_ASKING[kind]), sentence[start:end]
    before, behind = sentence[:start], sentence[end:].strip(" .")
    if not before.strip() and kind is not AnswerType.NUMBER:
        return Asked(f"{asking} {behind}", answer)
    before = _PREPOSITION.sub("", before)
    if kind is AnswerType.NUMBER:
        noun, _, behind = behind.partition(" ")
        asking = f"{asking} {noun}"
    return Asked(_fronted(asking, before, behind), answer)


def _fronted(asking: str, before: str, behind: str) -> str:
    """The asking words, the auxiliary, its subject, the rest; in the sentence's order where there is none."""
    found = _AUXILIARY.search(before)
    if found is None or len(before[: found.start()].split()) > _LONGEST_SUBJECT:
        return f"{asking} {_opened(before.strip())} {behind}"
    subject, rest = _opened(before[: found.start()].strip()), before[found.end() :].strip()
    return f"{asking} {found[1]} {subject} {rest} {behind}"


def _opened(text: str) -> str:
    first, _, rest = text.partition(" ")
    return f"{first.lower()} {rest}" if first.lower() in STOP_WORDS else text


def of_a_thing(sentence: str, random: Random) -> Asked | None:
    """What is it: what a definition answers."""
    found = _DEFINED.search(sentence)
    if found is None or found[1].split()[0].lower() in {
        "it",
        "this",
        "that",
        "there",
        "he",
        "she",
        "they",
        "these",
    }:
        return None
    verb = found[2] if found[2] in ("is", "are", "was", "were") else "is"
    forms = ("what {1} {0}", "what {1} {0}", "define {0}", "what is the meaning of {0}", "who {1} {0}", "{0}")
    return Asked(random.choice(forms).format(found[1], verb), "")


def of_a_reason(sentence: str, random: Random) -> Asked | None:
    """Why: what a reason answers."""
    found = _REASON.search(sentence)
    if found is None or len(sentence[: found.start()].split()) < 4:
        return None
    return Asked(_fronted("why", sentence[: found.start()], ""), sentence[found.end() :])


def of_a_way(sentence: str, random: Random) -> Asked | None:
    """How: what a way of doing something answers."""
    found = _MEANS.search(sentence)
    if found is None:
        return None
    if found[1]:
        return Asked(random.choice(("how do I {}", "how can I {}", "how to {}", "can I {}")).format(found[1]), "")
    return Asked(_fronted("how", sentence[: found.start()], ""), sentence[found.start() :])


def yes_or_no(sentence: str, random: Random) -> Asked | None:
    """Whether it is so."""
    found = _AUXILIARY.search(sentence)
    if found is None or not 0 < len(sentence[: found.start()].split()) <= _LONGEST_SUBJECT:
        return None
    return Asked(
        f"{found[1]} {_opened(sentence[: found.start()].strip())} {sentence[found.end() :].strip(' .')}", ""
    )


def of_words(sentence: str, random: Random) -> Asked | None:
    """A few of its words, as people search."""
    words = [each for each in _WORD.findall(sentence) if each.lower() not in STOP_WORDS and len(each) > 2]
    if len(words) < 5:
        return None
    kept = sorted(random.sample(range(len(words)), random.randint(3, min(7, len(words) - 1))))
    asking = random.choice(("", "", "", "what is ", "how does ", "why ", "what are "))
    return Asked(asking + " ".join(words[at] for at in kept), "")


MAKERS: tuple[tuple[Maker, float], ...] = (
    (of_a_stretch, 6), (of_a_thing, 3), (of_a_reason, 1.5), (of_a_way, 1.5), (yes_or_no, 1.5), (of_words, 2),
)  # fmt: skip


def question(sentence: str, random: Random) -> Asked | None:
    """One question that the sentence answers, None after a few tries."""
    makers, weights = zip(*MAKERS, strict=True)
    for maker in random.choices(makers, weights, k=5):
        made = maker(sentence, random)
        if made is not None and 3 <= len(made.text.split()) <= 28:
            return Asked(_shortened(re.sub(r"\s+", " ", made.text).strip(), random), made.answer)
    return None


def _shortened(text: str, random: Random) -> str:
    """Mostly up to a comma, a link or a preposition after its sixth word: people ask in about nine words."""
    ends = [each.start() for each in _LINK.finditer(text) if len(text[: each.start()].split()) >= 6]
    return text[: random.choice(ends)].rstrip(" ,;:") if ends and random.random() < 0.7 else text
