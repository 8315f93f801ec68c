"""The shorter questions that a question comes down to, as the passages found so far answer its inner phrases.

"Who is the spouse of the director of Jump for Glory?" and a passage that names its director come down to "Who is
the spouse of Raoul Walsh?".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.act.refine_question import Phrase, held, phrases, share, weighed, whole
from assay.act.refine_reading import Line, Read, read
from assay.text.answer_types import candidates
from assay.text.tokens import terms, words
from assay.types import AnswerType, Hit, Span

# Steps that a question is followed for, and how many shorter questions are followed on from each step.
_STEPS, _FOLLOWED = 2, 6
# How many names are tried for one phrase, and how many are led on to by the question as a whole.
_OF_A_PHRASE, _LED_ON = 4, 6
# What speaks for a name, together 1: how much of its phrase its passage and its sentence hold, a word of the phrase
# near it, a type that fits, and that its passage is about the name in the phrase.
_PASSAGE, _SENTENCE, _NEAR, _TYPE, _TITLE = 0.3, 0.3, 0.15, 0.15, 0.1
# What it loses with each place of its passage and of its sentence, and over how many.
_LATER, _PLACES, _SENTENCES = 0.01, 10, 5
# Words on either side of a name that are near it.
_NEAR_WORDS = 4
# In "Turin, Italy" the last of the names is the widest.
_WIDE = frozenset("country state nation continent".split())


@dataclass(frozen=True, slots=True)
class Form:
    """A question that another came down to by a name; `score`, 0 to 1, is how likely the name stands there.

    `step` counts the names that were put in. A form that is `led` has the name before the question's open words,
    where no phrase of the question is known that the name could stand for.
    """

    text: str
    score: float
    step: int = 0
    name: str = ""
    led: bool = False


def forms(question: str, hits: Sequence[Hit]) -> tuple[Form, ...]:
    """The question itself, then what it comes down to, likeliest first, each once."""
    found = {question: Form(question, 1.0)}
    known = frozenset(terms(question))
    followed = [found[question]]
    for _ in range(_STEPS):
        shorter = [each for form in followed for each in _shorter(form, hits, known)]
        new: dict[str, Form] = {}
        for form in sorted(shorter, key=lambda each: -each.score):
            if form.text not in found:
                new.setdefault(form.text, form)
        found.update(new)
        followed = list(new.values())[:_FOLLOWED]
    return tuple(sorted(found.values(), key=lambda each: -each.score))


def _shorter(form: Form, hits: Sequence[Hit], known: frozenset[str]) -> Iterator[Form]:
    """The forms with a name in the place of a phrase; at the first step those led on to besides."""
    own = frozenset(terms(form.name))
    for phrase in phrases(form.text):
        if form.step and not own & phrase.weights.keys():
            continue  # it stood there before the last step, and was followed from there
        outside = form.text[: phrase.start], form.text[phrase.end :]
        if weighed(" ".join(outside)):
            for score, name, _ in _best(phrase, hits, known, _OF_A_PHRASE):
                yield Form(name.join(outside), form.score * score, form.step + 1, name)
    if not form.step:
        for score, name, open_words in _best(whole(form.text), hits, known, _LED_ON):
            yield Form(" ".join((name, *open_words)), score, 1, name, led=True)


_Named = tuple[float, str, tuple[str, ...]]


def _best(phrase: Phrase, hits: Sequence[Hit], known: frozenset[str], count: int) -> list[_Named]:
    """The likeliest names for a phrase, each once, with how likely and the phrase's words open beside it."""
    best: dict[str, _Named] = {}
    for place, hit in enumerate(hits):
        for each in _standing(phrase, read(hit), min(place, _PLACES), known):
            key = " ".join(words(each[1]))
            if key not in best or each[0] > best[key][0]:
                best[key] = each
    return sorted(best.values(), key=lambda each: -each[0])[:count]


def _standing(phrase: Phrase, passage: Read, place: int, known: frozenset[str]) -> Iterator[_Named]:
    """The names of a passage that could stand for the phrase."""
    about = frozenset(terms(phrase.name))
    if about and not about <= passage.titled and not any(phrase.name in line.text for line in passage.lines):
        return
    titled = held(phrase.weights, passage.titled)
    speaks = _PASSAGE * share(phrase.weights, held(phrase.weights, passage.terms)) - _LATER * place
    speaks += _TITLE * (bool(about) and words(passage.title) == words(phrase.name))
    new_title = bool(about) and not known >= passage.titled
    for n, line in enumerate(passage.lines):
        inside = titled | held(phrase.weights, line.terms)
        if not inside:
            continue
        open_words = phrase.without(inside)
        says = speaks + _SENTENCE * share(phrase.weights, inside) - _LATER * min(n, _SENTENCES)
        if new_title and inside > titled:
            # What the passage is about may be what the phrase means: Paul Gross starred in the part.
            fits = phrase.wants is not AnswerType.PLACE
            yield says + _NEAR + _TYPE * fits, passage.title, open_words
        fitting = _fitting(line, phrase)
        for span in line.names:
            name = line.text[span.start : span.end].strip()
            if not known | passage.titled >= frozenset(terms(name)):
                near = bool(held(phrase.weights, terms(_beside(line.text, span))))
                yield says + _NEAR * near + _TYPE * (span.start in fitting), name, open_words


def _fitting(line: Line, phrase: Phrase) -> frozenset[int]:
    """Where the names of a sentence begin that are of the type that the phrase wants."""
    if phrase.wants is AnswerType.NAME:
        return frozenset(span.start for span in line.names)
    fitting = candidates(line.text, phrase.wants)
    if phrase.wants is AnswerType.PLACE and not _WIDE.isdisjoint(words(phrase.text)):
        starts = {span.start for span in fitting if line.text[: span.start].endswith(", ")}
        fitting = tuple(span for span in fitting if span.end + 2 not in starts)
    return frozenset(span.start for span in fitting)


def _beside(line: str, name: Span) -> str:
    """The words next to a name."""
    return " ".join((*line[: name.start].split()[-_NEAR_WORDS:], *line[name.end :].split()[:_NEAR_WORDS]))
