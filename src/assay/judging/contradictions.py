"""Contradictions: passages that give different values for the same attribute of the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from assay.core.stages import Checker, Pair, Reader
from assay.judging.ambiguity import asks_back, unnamed_things
from assay.judging.contradicting_values import NAMED, PassageValues, Value, values_given
from assay.judging.contradiction_terms import AskedAttribute, Shape, asked_attribute
from assay.judging.query_terms import content_terms
from assay.judging.reader_judge import MOST_PASSAGES
from assay.nlp.blocks import titled
from assay.nlp.dates import Date, dates, relation
from assay.nlp.negation import is_hedge, negations, opposites_of
from assay.nlp.quantities import Quantity, agree, may_agree, quantities
from assay.nlp.sentences import sentences
from assay.nlp.tokens import fold, stem, terms, word_spans, words
from assay.types import (
    Action,
    AnswerType,
    Aspect,
    Contradiction,
    Evidence,
    Hit,
    Judgement,
    Passage,
    PassageReading,
    Question,
    Reading,
    Span,
)

# Passages that answer a yes-or-no question differently.


LONGEST = 4000
MOST_WORDS = 8
# Any sentence on the topic would match a question with fewer content words.
_LEAST_TERMS = 2


def yes_and_no(question: Question, evidence: Evidence) -> Contradiction | None:
    """The contradiction between sentences that contain every content word of the question, or its opposite.

    The better supported answer comes first, of equals the newer. None for other questions, and where the passages
    agree.
    """
    wanted = content_terms(question.standalone)
    if question.answer_type is not AnswerType.YES_NO or len(wanted) < _LEAST_TERMS:
        return None
    said: dict[bool, list[tuple[str, Hit]]] = {True: [], False: []}
    for hit in evidence.hits:
        found = list(_answers(wanted, hit))
        if len({polarity for polarity, _ in found}) == 1:
            said[found[0][0]].append((found[0][1], hit))
    if not said[True] or not said[False]:
        return None
    readings = sorted(map(_reading, said.values()), key=_polarity_support, reverse=True)
    return Contradiction(question.standalone, tuple(readings))


def _answers(wanted: Sequence[str], hit: Hit) -> Iterator[tuple[bool, str]]:
    """For each sentence that settles the question: whether it says yes, and the words that say so."""
    text = hit.readable[:LONGEST]
    titled = frozenset(terms(hit.passage.title))
    for span in sentences(text):
        sentence = text[span.start : span.end]
        held = titled | frozenset(terms(sentence))
        turned = [term for term in wanted if term not in held]
        if any(opposites_of(term).isdisjoint(held) for term in turned) or any(map(is_hedge, words(sentence))):
            continue
        against = [negation for negation in negations(sentence) if _reaches(sentence, negation.scope, wanted)]
        yield (
            (len(turned) + len(against)) % 2 == 0,
            _words(sentence, wanted, [negation.start for negation in against]),
        )


def _reaches(sentence: str, scope: Span, wanted: Sequence[str]) -> bool:
    """True if the scope of a negation contains a word of the question."""
    return not frozenset(wanted).isdisjoint(terms(sentence[scope.start : scope.end]))


def _words(sentence: str, wanted: Sequence[str], negated: Sequence[int]) -> str:
    """The window of at most eight words with most of the question and its negation."""
    spans = list(word_spans(sentence))
    telling = [
        3 * (span.start in negated) + (stem(fold(sentence[span.start : span.end])) in wanted) for span in spans
    ]
    first = max(range(len(spans)), key=lambda at: (sum(telling[at : at + MOST_WORDS]), -at))
    chosen = spans[first : first + MOST_WORDS]
    return sentence[chosen[0].start : chosen[-1].end]


def _polarity_support(reading: Reading) -> tuple[int, str]:
    return len(reading.passage_ids), reading.date or ""


def _reading(said: Sequence[tuple[str, Hit]]) -> Reading:
    """A reading in the words of its first passage, with all passages that contain these words."""
    value = said[0][0]
    holding = [hit for _, hit in said if value in hit.passage.text] or [said[0][1]]
    date = max((day for hit in holding if (day := hit.passage.origin.date)), default=None)
    return Reading(value, tuple(hit.passage.passage_id for hit in holding), date)


# Equality of values: compatible dates, equal numbers, shortened names.


def same(shape: Shape, one: str, other: str) -> bool:
    """True if two values of a shape are the same.

    >>> same(Shape.DATE, "1898", "13 August 1898"), same(Shape.NUMBER, "3,559 people", "3559")
    (True, True)
    >>> same(Shape.PERSON, "J. Smith", "John Smith"), same(Shape.PERSON, "Ann Smith", "John Smith")
    (True, False)
    """
    if shape is Shape.DATE:
        return _same_date(one, other)
    if shape is Shape.NUMBER or (shape is Shape.NAME and _measure(one) and _measure(other)):
        return _same_number(one, other)
    read = words if shape is Shape.PERSON else terms
    left, right = read(one) or words(one), read(other) or words(other)
    if not left or not right:
        return one == other
    if set(left) <= set(right) or set(right) <= set(left):
        return True
    return shape is Shape.PERSON and left[-1] == right[-1] and _initial(left[0], right[0])


def _same_date(one: str, other: str) -> bool:
    """True if one date lies within the other; values that are not dates are compared as text."""
    first, second = dates(one), dates(other)
    if not first or not second:
        return one == other
    return relation(first[0], second[0]) in ("same", "within", "contains")


def _measure(value: str) -> bool:
    """True if a value begins with a number and its unit."""
    found = quantities(value)
    return bool(found) and bool(found[0].dimension) and found[0].start == 0


def _same_number(one: str, other: str) -> bool:
    """True if the numbers are equal: converted to one unit if their units are of one kind, else as written."""
    first, second = quantities(one), quantities(other)
    if not first or not second:
        return one == other
    if first[0].dimension == second[0].dimension:
        return agree(first[0], second[0]) or may_agree(first[0], second[0])
    return first[0].written == second[0].written


def _initial(one: str, other: str) -> bool:
    """True if one first name is the initial of the other."""
    short, long = sorted((one, other), key=len)
    return len(short) == 1 and long.startswith(short)


# A contradiction needs two values of strength FIRM; then any value of the lower strength is a reading as well.
# Set on the development halves of ramdocs, rgb-en and hotpot100: benchmarks/contradictions.
FIRM, LOOSE = 0.7, 0.4
# The least share of the thing's words, weighted by rarity, in a passage that joins a contradiction.
HALF_NAMED = 0.3
# A passage's second value is a reading too if it is this strong, and about as strong as the first.
SECOND, AS_FIRM = 0.6, 0.95
# The weight of a value that only joins.
JOINS = 0.7
MOST_READINGS = 5


@dataclass(frozen=True, slots=True)
class _GivenValue:
    """A value and its passage; `begins` if it can begin a contradiction."""

    value: Value
    hit: Hit
    begins: bool = True

    @property
    def weight(self) -> float:
        return self.value.strength if self.begins else JOINS * self.value.strength


def contradictions(question: Question, evidence: Evidence) -> tuple[Contradiction, ...]:
    """At most one contradiction between the passages, with its readings, best supported first.

    What is masked is not read.
    """
    if polar := yes_and_no(question, evidence):
        return (polar,)
    asked = asked_attribute(question)
    if asked is None:
        return ()
    groups = _groups(asked, [given_value for hit in evidence.hits for given_value in _passage_values(asked, hit)])
    firm = [group for group in groups if any(member.begins and member.value.strength >= FIRM for member in group)]
    if len(firm) < 2:
        return ()
    groups.sort(key=_support_of, reverse=True)
    return (Contradiction(_aspect(question), tuple(map(_reading_of, groups[:MOST_READINGS]))),)


def _passage_values(asked: AskedAttribute, hit: Hit) -> Iterator[_GivenValue]:
    """The strongest value of a passage, and a second, different one if it is about as strong."""
    found: PassageValues = values_given(asked, hit.passage.title, hit.readable)
    if not found.values or (found.about < HALF_NAMED and found.values[0].strength < FIRM):
        return
    first, *others = found.values
    named = found.about >= NAMED or first.strength >= FIRM
    if first.strength >= (LOOSE if named else SECOND):
        yield _GivenValue(first, hit, begins=named)
    least = max(SECOND, AS_FIRM * first.strength)
    for other in others if named else ():
        if other.strength < least:
            return
        if not same(asked.shape, first.text, other.text):
            yield _GivenValue(other, hit, begins=False)
            return


def _groups(asked: AskedAttribute, said: Sequence[_GivenValue]) -> list[list[_GivenValue]]:
    """The values grouped by equality; groups that can begin a contradiction come first."""
    groups: list[list[_GivenValue]] = []
    for given_value in sorted(said, key=lambda one: not one.begins):
        for group in groups:
            if any(same(asked.shape, given_value.value.text, other.value.text) for other in group):
                group.append(given_value)
                break
        else:
            groups.append([given_value])
    return groups


def _support_of(group: Sequence[_GivenValue]) -> tuple[float, bool, str]:
    """The sort key of a group's support: weight, then first-hand sources, then the newer date."""
    hits = [member.hit for member in group]
    first_hand = any(hit.passage.origin.trust != "open" for hit in hits)
    return round(sum(member.weight for member in group), 1), first_hand, latest_date(hits) or ""


def _reading_of(group: Sequence[_GivenValue]) -> Reading:
    """A group as a reading: the value that most of its passages contain word for word, the strongest of these."""

    def holding(text: str) -> dict[str, Hit]:
        return {member.hit.passage.passage_id: member.hit for member in group if text in member.hit.readable}

    best = max(group, key=lambda member: (len(holding(member.value.text)), member.weight)).value.text
    hits = holding(best)
    return Reading(best, tuple(hits), latest_date(hits.values()))


def latest_date(hits: Iterable[Hit]) -> str | None:
    """The latest date of the passages; None if none has a date."""
    return max((date for hit in hits if (date := hit.passage.origin.date)), default=None)


def _aspect(question: Question) -> str:
    """The text of the aspect in dispute: the only aspect, else the whole question."""
    return question.aspects[0] if len(question.aspects) == 1 else question.standalone


# What a checker and a reader make of them.


# The least probability that the sentences of two values contradict each other, the lower of both directions, and
# that of a further reading; the least log odds that their passages answer: chosen on ramdocs (docs/decisions/235).
# For answers with yes and no there is no labelled set.
VALUES_OPPOSED, ALSO_OPPOSED, ANSWERS_OPPOSED, CONFIRMED_ODDS = 0.06, 0.03, 0.6, -3.0


async def confirmed(
    question: Question,
    evidence: Evidence,
    found: Sequence[Contradiction],
    checker: Checker,
    reader: Reader | None = None,
) -> tuple[Contradiction, ...]:
    """The contradictions that a checker confirms, each with the readings that contradict another one.

    They must stand in different documents, of which each gives one reading, and in passages that a `reader` does
    not rule out. A question of several parts has none: its parts ask for different values. Raises what they raise.
    """
    if len(question.aspects) > 1:
        return ()
    kept = [await _opposed(question, evidence, contradiction, checker, reader) for contradiction in found]
    return tuple(contradiction for contradiction in kept if contradiction is not None)


async def _opposed(
    question: Question, evidence: Evidence, found: Contradiction, checker: Checker, reader: Reader | None
) -> Contradiction | None:
    """The contradiction with the readings that oppose another; None where no two do."""
    readings = await _answering(question, evidence, found.readings, reader)
    said = [_sentence_of(reading, evidence) for reading in readings]
    pairs = [Pair(one, other) for one, other in permutations(said, 2)]
    against = dict(zip(pairs, (await checker.check(pairs))[:, 1].tolist(), strict=True)) if pairs else {}
    documents = {hit.passage.passage_id: hit.passage.document_id for hit in evidence.hits}
    told_in = [{documents[passage_id] for passage_id in reading.passage_ids} for reading in readings]
    opposed = {
        (one, other): min(against[Pair(said[one], said[other])], against[Pair(said[other], said[one])])
        for one, other in combinations(range(len(readings)), 2)
        if told_in[one].isdisjoint(told_in[other])
    }
    is_polar = question.answer_type is AnswerType.YES_NO
    first, further = (ANSWERS_OPPOSED,) * 2 if is_polar else (VALUES_OPPOSED, ALSO_OPPOSED)
    if max(opposed.values(), default=0.0) < first:
        return None
    kept: list[int] = []
    for at in sorted({at for pair, odds in opposed.items() if odds >= further for at in pair}):
        if not told_in[at] <= set().union(*(told_in[before] for before in kept)):
            kept.append(at)
    return replace(found, readings=tuple(readings[at] for at in kept)) if len(kept) > 1 else None


async def _answering(
    question: Question, evidence: Evidence, readings: Sequence[Reading], reader: Reader | None
) -> list[Reading]:
    """The readings with a passage that a reader does not rule out; all in a language that it does not read."""
    if reader is None or question.language not in reader.model.languages:
        return list(readings)
    hits = {hit.passage.passage_id: hit for hit in evidence.hits}
    texts = [titled(hits[passage_id].passage) for reading in readings for passage_id in reading.passage_ids]
    odds = iter([read.answerable for read in await reader.read(question.standalone, texts)])
    best = [max(next(odds) for _ in reading.passage_ids) for reading in readings]
    return [reading for reading, most in zip(readings, best, strict=True) if most >= CONFIRMED_ODDS]


def _sentence_of(reading: Reading, evidence: Evidence) -> str:
    """The sentence of its first passage that says a reading; the reading itself where none does."""
    text = next(hit.readable for hit in evidence.hits if hit.passage.passage_id == reading.passage_ids[0])
    at = text.find(reading.value)
    spans = (span for span in sentences(text) if span.start <= at < span.end)
    return next((text[span.start : span.end] for span in spans), reading.value)


# Values that a reader takes for the answer in passages of several documents.


# The least log odds that a passage answers, and that its place does, and the least probability of contradiction:
# chosen on ramdocs, of whose conflicting rows .706 are flagged with them and .696 with the odds 1 and 0; of five
# sets with one answer as many are (benchmarks/contradictions/run.py).
READ_ODDS, READ_SPAN, READ_OPPOSED = 0.0, -6.0, 0.3


@dataclass(frozen=True, slots=True)
class _ReadValue:
    """A date or quantity that a reader takes for the answer, with its words, its sentence and its passage."""

    measure: Date | Quantity
    text: str
    sentence: str
    passage: Passage

    def differs(self, other: _ReadValue) -> bool:
        """Tell whether both are of one kind, and not the same."""
        one, two = self.measure, other.measure
        if isinstance(one, Date) and isinstance(two, Date):
            return relation(one, two) == "different"
        if isinstance(one, Quantity) and isinstance(two, Quantity) and one.dimension == two.dimension:
            return not agree(one, two) and not agree(two, one)
        return False


async def read_contradictions(
    question: Question, evidence: Evidence, reader: Reader, checker: Checker
) -> tuple[Contradiction, ...]:
    """At most one contradiction: dates or quantities of two documents that a reader takes for the answer.

    Their sentences contradict each other by the checker. Raises what reader and checker raise.
    """
    if len(question.aspects) > 1 or question.language not in reader.model.languages:
        return ()
    hits = evidence.hits[:MOST_PASSAGES]
    readings = await reader.read(question.standalone, [titled(hit.passage) for hit in hits])
    found = [
        value
        for hit, reading in zip(hits, readings, strict=True)
        if reading.answerable >= READ_ODDS and (value := _read_value(hit, reading)) is not None
    ]
    for one, other in combinations(found, 2):
        if one.passage.document_id == other.passage.document_id or not one.differs(other):
            continue
        pairs = [Pair(one.sentence, other.sentence), Pair(other.sentence, one.sentence)]
        if (await checker.check(pairs))[:, 1].min() >= READ_OPPOSED:
            said = tuple(
                Reading(value.text, (value.passage.passage_id,), value.passage.origin.date)
                for value in (one, other)
            )
            return (Contradiction(_aspect(question), said),)
    return ()


def _read_value(hit: Hit, reading: PassageReading) -> _ReadValue | None:
    """The one date or quantity at the reader's best place, one with a unit before others; None for masked text."""
    span = next(iter(reading.spans), None)
    if span is None or span.score < READ_SPAN:
        return None
    if any(masked.start < span.end and span.start < masked.end for masked in hit.masked):
        return None
    text = titled(hit.passage).text
    line = next((place for place in sentences(text) if place.start <= span.start < place.end), None)
    if line is None:
        return None
    told, start, end = text[line.start : line.end], span.start - line.start, span.end - line.start
    meant: list[Date | Quantity] = [date for date in dates(told) if date.start < end and start < date.end]
    counted = [one for one in quantities(told) if one.start < end and start < one.end]
    meant = meant or [one for one in counted if one.dimension] or list(counted)
    words_of = " ".join(text[span.start : span.end].split())
    return _ReadValue(meant[0], words_of, " ".join(told.split()), hit.passage) if len(meant) == 1 else None


# The effect of contradictions on a judgement.


# A source's name in an issue line is cut after this many characters (chosen).
_LONGEST_NAME = 60


def with_contradictions(
    question: Question, evidence: Evidence, judged: Judgement, found: Sequence[Contradiction]
) -> Judgement:
    """The judgement with contradictions: the aspect becomes conflicting, and an issue names both sides.

    None may stand in it yet.
    """
    if not found:
        return judged
    passages = {passage.passage_id: passage for passage in evidence.passages}
    judged = replace(
        judged,
        contradictions=tuple(found),
        aspects=tuple(_with_conflict(aspect, found) for aspect in judged.aspects),
        issues=(*judged.issues, *(describe(contradiction, passages) for contradiction in found)),
    )
    # Only the user can decide between the readings: another search would find more of them.
    open_to_all = judged.recommendation is not Action.ANSWER and bool(unnamed_things(question))
    return asks_back(question, judged) if open_to_all else judged


def describe(contradiction: Contradiction, passages: Mapping[str, Passage]) -> str:
    """The contradiction in words: each reading with its first source.

    >>> readings = (Reading("1898", ("a",), "2010"), Reading("1901", ("b",)))
    >>> one, other = (Passage(key, key, "", 0, 0, "", title) for key, title in (("a", "Guide"), ("b", "Atlas")))
    >>> describe(Contradiction("when it opened", readings), {"a": one, "b": other})
    'sources disagree: Guide says 1898 (2010), Atlas says 1901'
    """
    return "sources disagree: " + ", ".join(
        _describe_reading(reading, passages) for reading in contradiction.readings
    )


def _describe_reading(reading: Reading, passages: Mapping[str, Passage]) -> str:
    first = reading.passage_ids[0]
    name = " ".join(passages[first].title.split())[:_LONGEST_NAME].strip() or f"passage {first}"
    return f"{name} says {reading.value}" + (f" ({reading.date})" if reading.date else "")


def _with_conflict(aspect: Aspect, found: Sequence[Contradiction]) -> Aspect:
    """The aspect, marked as conflicting with the passages of all sides if a contradiction is about it."""
    here = [contradiction for contradiction in found if contradiction.aspect == aspect.text]
    if not here:
        return aspect
    ids = (key for contradiction in here for reading in contradiction.readings for key in reading.passage_ids)
    return Aspect(aspect.text, "conflicting", tuple(dict.fromkeys(ids)))
