"""Find rules that contradict one another: no answer could keep them all.

Every kind of question and every language that the rules distinguish is examined by itself, with all topics present.
What is found is a contradiction, but not every one is found: patterns and Python checks are tried on wordings only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import inf

from assay.rules.kinds.layout import counted
from assay.rules.layout import has_phrase, is_same_phrase
from assay.rules.rule import Broken, Demand, Interval, Rule, RuleSet, blanked
from assay.types import Evidence, Question, QuestionKind

# Contradictions among bounds on one answer: its words, sentences, paragraphs and points.


_INTERVALS: dict[str, Callable[[Demand], Interval]] = {
    "words": lambda demand: demand.words,
    "sentences": lambda demand: demand.sentences,
    "characters": lambda demand: demand.characters,
    "paragraphs": lambda demand: demand.paragraphs,
    "points": lambda demand: demand.points,
    "citations": lambda demand: demand.citations,
}
_ADDED: dict[str, Callable[[Demand], int]] = {
    "words": lambda demand: demand.added_words,
    "sentences": lambda demand: demand.added_sentences,
    "paragraphs": lambda demand: demand.added_paragraphs,
    "points": lambda demand: demand.added_points,
}
# The least that an answer has without any rule: one sentence of one word.
_LEAST = {"words": 1, "sentences": 1, "paragraphs": 1, "points": 0}
# The least of the first implies at least this much of the second.
_NEEDS: tuple[tuple[str, str, Callable[[int], int]], ...] = (
    ("sentences", "words", lambda n: n),
    ("paragraphs", "sentences", lambda n: n),
    ("paragraphs", "words", lambda n: n),
    ("words", "characters", lambda n: 2 * n - 1),
    ("sentences", "characters", lambda n: 2 * n - 1),
    ("points", "words", lambda n: n),
    ("points", "sentences", lambda n: n),
)


@dataclass(frozen=True, slots=True)
class Clash:
    """The ids of rules that cannot all be kept in answers of more than `over_words` words, and why."""

    rules: tuple[str, ...]
    reason: str
    over_words: int = 0


@dataclass(frozen=True, slots=True)
class _Bound:
    """One bound, and the rules that it comes from."""

    value: int
    rules: tuple[str, ...]


Demands = Sequence[tuple[str, Demand]]


def clashes(demands: Demands) -> Iterator[Clash]:
    """The contradictions among the demands, by the ids of their rules."""
    short = [(rule, demand) for rule, demand in demands if not demand.over_words]
    found = list(dict.fromkeys(_clashes(short)))
    yield from found
    high = _highest(short, "words")
    for over in sorted({demand.over_words for _, demand in demands if demand.over_words}):
        if high is not None and high.value <= over:
            continue  # no answer is that long
        longer = [(rule, demand) for rule, demand in demands if demand.over_words <= over]
        least = Demand(words=Interval(over + 1))
        for clash in dict.fromkeys(_clashes([*longer, ("", least)])):
            rules = tuple(rule for rule in clash.rules if rule)
            if not any(set(known.rules) <= set(rules) for known in found):
                found.append(Clash(rules, clash.reason, over))
                yield found[-1]


def _clashes(demands: Demands) -> Iterator[Clash]:
    for what in _INTERVALS:
        most = _highest(demands, what)
        if most is None:
            continue
        for least in (_lowest(demands, what), *_needed(demands, what), _sum(demands, what)):
            if least is not None and least.value > most.value:
                yield Clash(
                    (*least.rules, *most.rules), f"at least {counted(least.value, what)}, at most {most.value}"
                )
                break
    yield from _too_little_room(demands)


def _lowest(demands: Demands, what: str) -> _Bound | None:
    """The highest of the lower bounds."""
    bounds = [_Bound(_INTERVALS[what](demand).low, (rule,)) for rule, demand in demands]
    return max(bounds, key=lambda bound: bound.value, default=None)


def _highest(demands: Demands, what: str) -> _Bound | None:
    """The lowest of the upper bounds."""
    highs = ((rule, _INTERVALS[what](demand).high) for rule, demand in demands)
    bounds = [_Bound(high, (rule,)) for rule, high in highs if high is not None]
    return min(bounds, key=lambda bound: bound.value, default=None)


def _needed(demands: Demands, what: str) -> Iterator[_Bound]:
    """The bounds that the least of other measures implies for this one."""
    for other, wanted, least in _NEEDS:
        if wanted != what:
            continue
        for bound in (_lowest(demands, other), _sum(demands, other) if other in _ADDED else None):
            if bound is not None and bound.value > 0:
                yield replace(bound, value=least(bound.value))


def _sum(demands: Demands, what: str) -> _Bound | None:
    """The size of the answer with all that rules add to it."""
    if what not in _ADDED:
        return None
    added = [(rule, _addition(demand, what, demands), demand) for rule, demand in demands]
    rules = tuple(rule for rule, count, _ in added if count)
    most: dict[object, int] = {}
    for rule, count, demand in added:  # two rules that ask for the same section, or for points, add it once
        points = "points" if demand.points != Interval() else rule
        same = tuple(text.casefold() for text in demand.texts) or (points,)
        most[same] = max(most.get(same, 0), count)
    return _Bound(_LEAST[what] + sum(most.values()), rules) if rules else None


def _addition(demand: Demand, what: str, demands: Demands) -> int:
    """The size that a rule adds to the answer; of points in lists only those that no section holds."""
    count = _ADDED[what](demand)
    if demand.points == Interval():
        return count
    sections = [other.section_points for _, other in demands]
    if what == "paragraphs":
        room = sum(inf if section.high is None else section.high for section in sections)
        return 0 if room >= demand.points.low else count
    return max(0, count - sum(section.low for section in sections))


def _too_little_room(demands: Demands) -> Iterator[Clash]:
    """More words than the paragraphs may hold, without lists to hold them."""
    words, paragraphs = _lowest(demands, "words"), _highest(demands, "paragraphs")
    points = _highest(demands, "points")
    sizes = [_Bound(demand.longest, (rule,)) for rule, demand in demands if demand.longest is not None]
    if words is None or paragraphs is None or points is None or points.value > 0 or not sizes:
        return
    longest = min(sizes, key=lambda bound: bound.value)
    room = paragraphs.value * longest.value
    if words.value > room:
        rules = dict.fromkeys((*words.rules, *paragraphs.rules, *longest.rules, *points.rules))
        yield Clash(tuple(rules), f"at least {words.value} words, and room for {room} in paragraphs without lists")


# A language that no rule names.
_ANOTHER = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Rules that cannot all be kept: their ids, in the file's order, where each begins, and why.

    `where` says for which questions, empty for all. It holds for answers of more than `over_words` words.
    """

    rules: tuple[str, ...]
    lines: tuple[int, ...]
    reason: str
    where: str = ""
    over_words: int = 0

    @property
    def line(self) -> int:
        """The line of the rule that came last."""
        return self.lines[-1]

    def __str__(self) -> str:
        """The contradiction in words.

        >>> str(Conflict(("a", "b"), (1, 5), "at least 9 words, at most 3"))
        "the rules 'a' (line 1) and 'b' (line 5) contradict one another: at least 9 words, at most 3"
        """
        named = [f"{rule!r} (line {line})" for rule, line in zip(self.rules, self.lines, strict=True)]
        where = f" {self.where}" if self.where else ""
        longer = f", in answers of more than {self.over_words} words" if self.over_words else ""
        why = f"{where}: {self.reason}{longer}"
        if len(named) == 1:
            return f"the rule {named[0]} contradicts itself{why}"
        return f"the rules {', '.join(named[:-1])} and {named[-1]} contradict one another{why}"


def conflicts(rules: RuleSet) -> tuple[Conflict, ...]:
    """Every contradiction, each once, in the order of the file."""
    languages = sorted({code for rule in rules.rules for code in rule.when.languages | rule.params.languages})
    everywhere = list(product(QuestionKind, (*languages, _ANOTHER)))
    places: dict[Clash, list[tuple[QuestionKind, str]]] = {}
    for kind, language in everywhere:
        active = [rule for rule in rules.rules if rule.when.asked_of(kind, language)]
        for clash in dict.fromkeys(_in(active, kind, language)):
            places.setdefault(clash, []).append((kind, language))
    found = [_conflict(rules, clash, where, len(everywhere)) for clash, where in places.items()]
    return tuple(sorted(found, key=lambda conflict: (conflict.lines, conflict.reason)))


def _in(active: Sequence[Rule], kind: QuestionKind, language: str) -> Iterator[Clash]:
    """The contradictions among rules that apply to the same answers."""
    yield from clashes([(rule.id, rule.params.demand(language)) for rule in active])
    yield from _languages(active, language)
    question = Question("", "", kind=kind, language=language)
    for rule in active:
        yield from _required_and_forbidden(rule, active, question)
        yield from _swapped_for_forbidden(rule, active, question)
    yield from _swapped_twice(active)


def _languages(active: Sequence[Rule], language: str) -> Iterator[Clash]:
    """Rules that want the same answer in two languages."""
    wanted = [(rule.id, rule.params.demand(language).language) for rule in active]
    named = [(rule, code) for rule, code in wanted if code is not None]
    for at, (one, first) in enumerate(named):
        for other, second in named[at + 1 :]:
            if first != second and {first, second} != {"question", language}:
                yield Clash((one, other), f"one wants {_in_words(first)}, the other {_in_words(second)}")


def _in_words(language: str) -> str:
    return "the question's language" if language == "question" else f"the language {language!r}"


def _required_and_forbidden(rule: Rule, active: Sequence[Rule], question: Question) -> Iterator[Clash]:
    """A rule whose every wording some other rule forbids."""
    texts = rule.params.demand(question.language).texts
    if not texts:
        return
    against = [next((other for other in active if _forbids(other, text, question)), None) for text in texts]
    blamed = tuple(dict.fromkeys(other.id for other in against if other is not None))
    if all(other is not None for other in against):
        wording = " or ".join(repr(text) for text in texts)
        yield Clash((rule.id, *blamed), f"one wants {wording} in the answer, which the other forbids")
        return
    heading = rule.params.demand(question.language).heading
    for other in active:
        if heading and rule.instruct and other.instruct and _leaves_nothing(other, heading, question):
            yield Clash(
                (rule.id, other.id), f'one has the writer write the heading "{heading}", the other none of it'
            )


def _leaves_nothing(rule: Rule, heading: str, question: Question) -> bool:
    """True if a rule forbids every word of a heading; its check exempts headings, but its instruction does not."""
    if not rule.params.forbids:
        return False
    broken = rule.broken(rule.subject(question, Evidence(), heading))
    spans = [place.span for place in broken if isinstance(place, Broken) and place.span is not None]
    return bool(spans) and not any(map(str.isalnum, blanked(heading, spans)))


def _swapped_for_forbidden(rule: Rule, active: Sequence[Rule], question: Question) -> Iterator[Clash]:
    """A replacement of one rule that some rule forbids."""
    for swap in rule.params.swaps():
        for other in active:
            if _forbids(other, swap.replacement, question):
                reason = f'"{swap.replacement}" is to be written for "{swap.term}", and is itself not to be used'
                yield Clash(tuple(dict.fromkeys((rule.id, other.id))), reason)


def _swapped_twice(active: Sequence[Rule]) -> Iterator[Clash]:
    """One wording that two rules replace by different ones."""
    swaps = [(rule.id, swap) for rule in active for swap in rule.params.swaps()]
    for at, (one, first) in enumerate(swaps):
        for other, second in swaps[at + 1 :]:
            differ = not is_same_phrase(first.replacement, second.replacement, case=True)
            if differ and is_same_phrase(first.term, second.term):
                reason = f'"{first.term}" is to become "{first.replacement}", and "{second.replacement}"'
                yield Clash(tuple(dict.fromkeys((one, other))), reason)


def _forbids(rule: Rule, text: str, question: Question) -> bool:
    """True if a rule forbids this wording outside of quotations, code and other sentences."""
    if not rule.params.forbids:
        return False
    topics = rule.when.topics
    if topics and not has_phrase(text, topics):
        text = f"{text}\n\n{topics[0]}"
    broken = rule.broken(rule.subject(question, Evidence(), text))
    return any(isinstance(place, Broken) for place in broken)


def _conflict(
    rules: RuleSet, clash: Clash, places: Sequence[tuple[QuestionKind, str]], everywhere: int
) -> Conflict:
    """A clash with its rules in the order of the file, and the questions that it holds for."""
    blamed = [rule for rule in rules.rules if rule.id in clash.rules]
    where = "" if len(places) == everywhere else _where(places)
    ids, lines = tuple(rule.id for rule in blamed), tuple(rule.line for rule in blamed)
    return Conflict(ids, lines, clash.reason, where, clash.over_words)


def _where(places: Sequence[tuple[QuestionKind, str]]) -> str:
    """The kinds and languages of a contradiction, in words."""
    kinds = sorted({kind for kind, _ in places})
    languages = sorted({language for _, language in places})
    of = f"for {', '.join(kinds)} questions" if len(kinds) < len(QuestionKind) else ""
    spoken = f"in {', '.join(language or 'any other language' for language in languages)}"
    return " ".join(part for part in (of, spoken if languages != [_ANOTHER] else "") if part)
