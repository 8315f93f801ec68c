"""The phrases of a question that one name could stand for: "the director of Jump for Glory" is Raoul Walsh.

English word order, by the words with which phrases begin; other languages have names, and few phrases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.nlp.answer_types import candidates, names
from assay.nlp.lexicon import word_class
from assay.nlp.sentences import sentences
from assay.nlp.tokens import fold, terms, word_spans, words
from assay.types import AnswerType, Hit, Span

# At most this many phrases of a question are followed (chosen): a text with more is not a question.
_MOST = 8
# Weights: a name or a number identifies more than another word (chosen).
_NAME_WEIGHT = 3.0
# Two terms are forms of one word if they share this many first letters and differ in length by at most this
# many: "director" and "directed".
_SHARED, _APART = 5, 3
# Words that begin a phrase or a clause, and verbs that begin its predicate.
_RELATIVE = word_class("phrases.relative")
_BOUNDARIES = _RELATIVE | word_class("phrases.boundaries")
_VERBS = word_class("verbs.opening")
# Words of a clause after its name and verb: "where Ann Lee was born".
_BEHIND = 2
_ARTICLES = word_class("function_words.articles")
_QUOTES = "“”\"'"
# Words that only ask.
_ASKING = word_class("phrases.asking")
# Nouns that tell the type of name for a phrase.
_PERSONS = word_class("phrases.persons")
_PLACES = word_class("phrases.places")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A stretch of a question, `start` to `end`, around `name` (empty where there is none).

    `weights` are its terms with what each counts, `wants` the type of name that could stand for it.
    """

    start: int
    end: int
    text: str
    name: str
    weights: Mapping[str, float]
    wants: AnswerType

    def without(self, known: frozenset[str]) -> tuple[str, ...]:
        """The content words of the phrase, without words whose terms are all `known`."""
        return tuple(
            word for word in words(self.text) if any(t in self.weights and t not in known for t in terms(word))
        )


def whole(question: str) -> Phrase:
    """The question as one phrase that any name may replace."""
    return Phrase(0, len(question), question, "", term_weights(question), AnswerType.NAME)


def term_weights(text: str) -> dict[str, float]:
    """The terms of a question in order with their weights; names and numbers weigh more.

    >>> term_weights("Who directed Emma?")
    {'direct': 1.0, 'emma': 3.0}
    """
    heavy = {term for span in names(text) for term in terms(text[span.start : span.end])}
    return {
        term: _NAME_WEIGHT if term in heavy or term[:1].isdigit() else 1.0
        for word in words(text)
        if word not in _ASKING
        for term in terms(word)
    }


def held_terms(weights: Mapping[str, float], found: Iterable[str]) -> frozenset[str]:
    """The terms of `weights` that are among `found`, also as another form of the word.

    >>> sorted(held_terms({"director": 1.0, "emma": 2.0}, ["direct", "film"]))
    ['director']
    """
    families: dict[str, list[str]] = {}
    for term in weights:
        families.setdefault(term[:_SHARED], []).append(term)
    return frozenset(
        term for term_held in found for term in families.get(term_held[:_SHARED], ()) if _are_forms(term, term_held)
    )


def held_share(weights: Mapping[str, float], of: Iterable[str]) -> float:
    """The share of the total weight that these terms have, 0 to 1."""
    whole = sum(weights.values())
    return sum(weights[term] for term in of) / whole if whole else 0.0


def _are_forms(one: str, other: str) -> bool:
    """True if two terms with the same first letters are forms of one word."""
    return one == other or (min(len(one), len(other)) >= _SHARED and abs(len(one) - len(other)) <= _APART)


@lru_cache(maxsize=256)
def phrases(question: str) -> tuple[Phrase, ...]:
    """The innermost phrase around each name; in a question without names, around each clause.

    >>> [phrase.text for phrase in phrases("Who is the spouse of the director of Jump for Glory?")]
    ['the director of Jump for Glory']
    >>> [phrase.text for phrase in phrases("In what county is the city where Ann Lee was born?")]
    ['the city where Ann Lee was born']
    """
    named = [span for span in names(question) if terms(question[span.start : span.end])][:_MOST]
    parts = _parts(question, named)
    if named:
        found = [_around(question, parts, named, name) for name in named]
    else:
        found = [
            Span(parts[n - 1].start, parts[n].end)
            for n, part in enumerate(parts)
            if n and _first(question, part) in _RELATIVE
        ][:_MOST]
    weights = term_weights(question)
    kept: dict[Span, Phrase] = {}
    for n, span in enumerate(found):
        trimmed = _trim(question, span, named[n].start if named else span.end)
        text = question[trimmed.start : trimmed.end]
        if own := {term: weights[term] for term in terms(text) if term in weights}:
            name = question[named[n].start : named[n].end] if named else ""
            kept.setdefault(trimmed, Phrase(trimmed.start, trimmed.end, text, name, own, _wanted_type(text)))
    return tuple(kept.values())


def _around(text: str, parts: list[Span], named: list[Span], name: Span) -> Span:
    """The stretch from the relation before the name to the end of the name's clause."""
    at = next(n for n, part in enumerate(parts) if part.start <= name.start < part.end)
    end, first = name.end, at
    clause = _first(text, parts[at]) in _RELATIVE
    if clause:
        end = _after(text, parts[at], name, 1)
    if at + 1 < len(parts) and parts[at].end == end + 1 and _first(text, parts[at + 1]) in _VERBS:
        end = _after(text, parts[at + 1], Span(parts[at + 1].start, parts[at + 1].start), _BEHIND)
    while first and not _names_one(parts[first - 1], named):
        first -= 1
        if _first(text, parts[first]) not in _VERBS | _RELATIVE:
            break
    return Span(parts[first].start, max(end, name.end))


def _after(text: str, part: Span, name: Span, count: int) -> int:
    """The end of the first `count` words after the name, without articles, within the part."""
    end = name.end
    for span in word_spans(text[name.end : part.end]):
        if count == 0:
            break
        end = name.end + span.end
        count -= fold(text[name.end + span.start : end]) not in _ARTICLES
    return end


def _names_one(part: Span, named: list[Span]) -> bool:
    return any(part.start <= name.start < part.end for name in named)


def _parts(text: str, named: list[Span]) -> list[Span]:
    """The parts of the question: cut before words that begin a phrase or a predicate, and after commas."""
    cuts = {0, len(text)}
    for span in word_spans(text):
        begins = fold(text[span.start : span.end]) in _BOUNDARIES | _VERBS
        if (begins or text[: span.start].rstrip().endswith((",", ";"))) and not any(
            name.start < span.start < name.end for name in named
        ):
            cuts.add(span.start)
    return [Span(start, end) for start, end in pairwise(sorted(cuts)) if text[start:end].strip()]


def _first(text: str, part: Span) -> str:
    """The part's first word, folded."""
    return next(iter(words(text[part.start : part.end])), "")


def _trim(text: str, span: Span, name: int) -> Span:
    """The span without surrounding punctuation, opening function words or a question's opening."""
    kept = [
        Span(span.start + word.start, span.start + word.end) for word in word_spans(text[span.start : span.end])
    ]
    found = [fold(text[word.start : word.end]) for word in kept]
    while found and found[0] in _BOUNDARIES | _VERBS and kept[0].start < name:
        kept, found = kept[1:], found[1:]
    article = _last_article(found[: sum(word.start < name for word in kept)])
    kept, found = kept[article:], found[article:]
    if not kept:
        return Span(span.start, span.start)
    start, end = kept[0].start, kept[-1].end
    start -= start > 0 and text[start - 1] in _QUOTES
    end += end < len(text) and text[end] in _QUOTES
    return Span(start, end)


def _last_article(found: list[str]) -> int:
    """The index of the article of the first part's noun; 0 if there is none."""
    head = next((n for n, word in enumerate(found) if word in _BOUNDARIES), len(found))
    return max((n for n, word in enumerate(found[:head]) if word in _ARTICLES), default=0)


def _wanted_type(phrase: str) -> AnswerType:
    """The type of name that may replace a phrase, by its first noun with a type."""
    for word in words(phrase):
        if word in _PERSONS:
            return AnswerType.PERSON
        if word in _PLACES:
            return AnswerType.PLACE
    return AnswerType.NAME


# Passages as the refiner and the selector read them: sentences with their terms and names.


# A name with more words is a sentence in capitals.
_LONGEST = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: its text, its span in the passage, its terms, and its names other than dates."""

    text: str
    span: Span
    terms: frozenset[str]
    names: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class HitText:
    """A passage: its title without brackets, the title's terms, all its terms, and its sentences."""

    title: str
    titled: frozenset[str]
    terms: frozenset[str]
    lines: tuple[Line, ...]


def read_hit(hit: Hit) -> HitText:
    """The passage of a hit without its masked parts."""
    return _read(hit.passage.title, hit.readable)


# Two rounds and a selection read the same passages.
@lru_cache(maxsize=256)
def _read(title: str, text: str) -> HitText:
    lines = tuple(_line(text, span) for span in sentences(text))
    titled = frozenset(terms(title))
    return HitText(bare(title), titled, titled.union(*(line.terms for line in lines)), lines)


def _line(text: str, span: Span) -> Line:
    line = text[span.start : span.end]
    dates = candidates(line, AnswerType.DATE)
    named = tuple(
        name
        for name in names(line)
        if not any(date.start <= name.start < date.end for date in dates)
        and len(line[name.start : name.end].split()) <= _LONGEST
    )
    return Line(line, span, frozenset(terms(line)), named)


def bare(title: str) -> str:
    """A title without its disambiguation.

    >>> bare("Emma (novel)")
    'Emma'
    """
    return title.partition(" (")[0].strip()


# Reduced questions: a question with inner phrases replaced by the answers found so far.


# The number of steps, and of reduced questions that are followed from each step.
_STEPS, _FOLLOWED = 2, 6
# The number of names tried for one phrase, and for the question as a whole.
_OF_A_PHRASE, _LED_ON = 4, 6
# Weights of the evidence for a name; they sum to 1: the share of the phrase in its passage and in its sentence, a
# word of the phrase near it, a fitting type, and a passage about the name in the phrase.
_PASSAGE, _SENTENCE, _NEAR, _TYPE, _TITLE = 0.3, 0.3, 0.15, 0.15, 0.1
# The loss for each rank of its passage and sentence, and the number of ranks that count.
_LATER, _PLACE_NOUNS, _SENTENCES = 0.01, 10, 5
# Words on either side of a name that count as near.
_NEAR_WORDS = 4
# In "Turin, Italy" the last name is the widest.
_WIDE = word_class("phrases.wide_places")


@dataclass(frozen=True, slots=True)
class Form:
    """A question reduced by a name; `score`, 0 to 1, is how likely the name fits.

    `step` counts the names that were put in. A form that is `led` has the name before the question's open words,
    where no phrase of the question is known that the name could stand for.
    """

    text: str
    score: float
    step: int = 0
    name: str = ""
    led: bool = False


def forms(question: str, hits: Sequence[Hit]) -> tuple[Form, ...]:
    """The question itself, then its reduced forms, likeliest first, without repetition."""
    found = {question: Form(question, 1.0)}
    known = frozenset(terms(question))
    followed = [found[question]]
    for _ in range(_STEPS):
        shorter = [next_form for form in followed for next_form in _reduced_forms(form, hits, known)]
        new: dict[str, Form] = {}
        for form in sorted(shorter, key=lambda candidate: -candidate.score):
            if form.text not in found:
                new.setdefault(form.text, form)
        found.update(new)
        followed = list(new.values())[:_FOLLOWED]
    return tuple(sorted(found.values(), key=lambda form: -form.score))


def _reduced_forms(form: Form, hits: Sequence[Hit], known: frozenset[str]) -> Iterator[Form]:
    """The forms with a name in place of a phrase; at the first step also those with a name beside it."""
    own = frozenset(terms(form.name))
    for phrase in phrases(form.text):
        if form.step and not own & phrase.weights.keys():
            continue  # it stood there before the last step, and was followed from there
        outside = form.text[: phrase.start], form.text[phrase.end :]
        if term_weights(" ".join(outside)):
            for score, name, _ in _best(phrase, hits, known, _OF_A_PHRASE):
                yield Form(name.join(outside), form.score * score, form.step + 1, name)
    if not form.step:
        for score, name, open_words in _best(whole(form.text), hits, known, _LED_ON):
            yield Form(" ".join((name, *open_words)), score, 1, name, led=True)


_Named = tuple[float, str, tuple[str, ...]]


def _best(phrase: Phrase, hits: Sequence[Hit], known: frozenset[str], count: int) -> list[_Named]:
    """The likeliest names for a phrase, without repetition, with their scores and the open words of the phrase."""
    best: dict[str, _Named] = {}
    for place, hit in enumerate(hits):
        for answer in _replacing_names(phrase, read_hit(hit), min(place, _PLACE_NOUNS), known):
            key = " ".join(words(answer[1]))
            if key not in best or answer[0] > best[key][0]:
                best[key] = answer
    return sorted(best.values(), key=lambda scored: -scored[0])[:count]


def _replacing_names(phrase: Phrase, passage: HitText, place: int, known: frozenset[str]) -> Iterator[_Named]:
    """The names in a passage that may replace the phrase."""
    about = frozenset(terms(phrase.name))
    if about and not about <= passage.titled and not any(phrase.name in line.text for line in passage.lines):
        return
    titled = held_terms(phrase.weights, passage.titled)
    speaks = _PASSAGE * held_share(phrase.weights, held_terms(phrase.weights, passage.terms)) - _LATER * place
    speaks += _TITLE * (bool(about) and words(passage.title) == words(phrase.name))
    new_title = bool(about) and not known >= passage.titled
    for n, line in enumerate(passage.lines):
        inside = titled | held_terms(phrase.weights, line.terms)
        if not inside:
            continue
        open_words = phrase.without(inside)
        says = speaks + _SENTENCE * held_share(phrase.weights, inside) - _LATER * min(n, _SENTENCES)
        if new_title and inside > titled:
            # The phrase may refer to the passage's own subject: Paul Gross starred in the part.
            fits = phrase.wants is not AnswerType.PLACE
            yield says + _NEAR + _TYPE * fits, passage.title, open_words
        fitting = _fitting_name_starts(line, phrase)
        for span in line.names:
            name = line.text[span.start : span.end].strip()
            if not known | passage.titled >= frozenset(terms(name)):
                near = bool(held_terms(phrase.weights, terms(_beside(line.text, span))))
                yield says + _NEAR * near + _TYPE * (span.start in fitting), name, open_words


def _fitting_name_starts(line: Line, phrase: Phrase) -> frozenset[int]:
    """The starts of the sentence's names that have the type of the phrase."""
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
