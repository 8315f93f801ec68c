"""How the steps of a pattern grow with the length of a text, told from the pattern alone.

`re` tries a match from every place of a text, and each try backtracks. The steps of that are the paths through the
pattern's automaton, with a state before it that reads anything, since a try begins anywhere. Their number grows
faster than the text only where one word can be read in two ways between the same states (Weber and Seidl 1991; for
patterns: Weideman et al. 2016, Wuestholz et al. 2017):

- *restart*: some word leads from the start into a loop, and round that loop: each of n tries reads to the end;
- *two loops*: some word leads round one loop, from it to another, and round that: n ways to share a stretch;
- *within a loop*: some word leads round a loop in two ways: 2^n ways.

A loop that may end the match at each of its places is none of these: the try that enters it succeeds. Where the
automaton is not exact, it has too many paths rather than too few: a long look-around and a back reference always
hold, and what stands in an atomic group is read as if it were in none. Word boundaries, look-arounds of one
character and a repeat of one class that gives nothing back (`\\w*+`) are exact. A repeat of a limited number of
times counts as no loop: what it costs at each place is its limit.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

# A repeat of at most so many times is written out.
LONG = 3
# Steps of one search through products of states, past which a pattern counts as not shown.
MOST = 200_000
# Characters that the classes of `re` tell apart, beside those that a pattern names.
SAMPLE = "aZ_09é²٣的\u0301 \n\t\r\x1c\u00a0.-,:;()[]|'\"#*\u2019😀"
START = 0  # the state before a match; it reads anything


@dataclass(frozen=True)
class Growth:
    """Why a pattern may take more than linear time, with a word that shows it."""

    kind: str
    pump: str


def growths(pattern: str, flags: int = 0, *, anchored: bool = False, whole: bool = False) -> Iterator[Growth]:
    r"""The ways in which a pattern's time may grow faster than a text; none where it is shown that there are none.

    `anchored` patterns are tried at one place only, `whole` ones must match to the end. A way is looked for when it
    is asked for.

    >>> list(growths(r"\w+")), list(growths(r"\b\w+:")), [each.kind for each in growths(r"\w+:")]
    ([], [], ['restart'])
    >>> [each.kind for each in growths(r"\A\s*\w*\s*x")], list(growths(r"\A\s*+\w*\s*+x"))
    (['two loops'], [])
    """
    automaton = Automaton(pattern, flags, whole=whole)
    if not anchored:
        yield from automaton.restarts()
    yield from automaton.two_loops()
    yield from automaton.within_loops()


class NotShown(Exception):
    """The pattern is too large for the search."""


@dataclass
class Edges:
    """Ways on that read nothing: where to, and under which last and next characters (bits)."""

    out: dict[int, list[tuple[int, int, int]]] = field(default_factory=lambda: defaultdict(list))


class Automaton:
    """A pattern as positions that read one character each."""

    def __init__(self, pattern: str, flags: int, *, whole: bool) -> None:
        tree = parser.parse(pattern, flags)
        self.folded = bool(tree.state.flags & re.IGNORECASE)
        self.dotall = bool(tree.state.flags & re.DOTALL)
        self.multiline = bool(tree.state.flags & re.MULTILINE)
        self._classes: dict[Any, int] = {}
        self.letters = self._letters(tree)
        self.every = (1 << len(self.letters)) - 1
        self.edge = 1 << len(self.letters)  # before the first character, behind the last one
        self.any = self.every | self.edge
        self.words = self._bits(lambda each: re.match(r"\w", each) is not None)
        self.empty = Edges()
        self.nodes = 0
        self.steps = 0
        self._moved: dict[tuple[int, int, bool], dict[int, list[int]]] = {}
        self.bounded: set[tuple[int, int]] = set()  # ways back that a repeat takes a limited number of times
        self.reads: list[tuple[int, int, int]] = []  # node, class, node
        begin, end = self._node(), self._node()
        accept = self._node()
        self._seq(tree, begin, end)
        self.empty.out[end].append((self.any, self.edge if whole else self.any, accept))
        self.begin, self.accept = begin, accept

    # --- from the tree to nodes --------------------------------------------------------------------

    def _node(self) -> int:
        self.nodes += 1
        return self.nodes - 1

    def _letters(self, tree: Any) -> str:
        """One character of each set that the pattern's classes tell apart."""
        classes = {(kind, repr(value)): (kind, value) for kind, value in _classes(tree)}.values()
        told = set(SAMPLE)
        for kind, value in classes:
            told.update(_named(kind, value))
        told |= {other for each in told for other in (each.lower(), each.upper()) if len(other) == 1}
        by_kind: dict[tuple[bool, ...], str] = {}
        for each in sorted(told):
            signature = (*(self._holds(kind, value, each) for kind, value in classes), each == "\n", _is_word(each))
            by_kind.setdefault(signature, each)
        return "".join(by_kind.values())

    def _bits(self, holds: Any) -> int:
        return sum(1 << at for at, each in enumerate(self.letters) if holds(each))

    def _class(self, kind: Any, value: Any) -> int:
        key = (kind, repr(value))
        if key not in self._classes:
            self._classes[key] = self._bits(lambda each: self._holds(kind, value, each))
        return self._classes[key]

    def _holds(self, kind: Any, value: Any, letter: str) -> bool:
        cases = {letter}
        if self.folded:
            cases |= {each for each in (letter.lower(), letter.upper(), letter.swapcase()) if len(each) == 1}
        if kind is ops.ANY:
            return self.dotall or letter != "\n"
        if kind is ops.LITERAL:
            return any(ord(each) == value for each in cases)
        if kind is ops.NOT_LITERAL:
            return all(ord(each) != value for each in cases)
        inverted = value[0][0] is ops.NEGATE
        return inverted != any(_item_holds(item, each) for item in value[inverted:] for each in cases)

    def _seq(self, items: Iterable[Any], begin: int, end: int) -> None:
        at = begin
        for kind, value in items:
            after = self._node()
            self._one(kind, value, at, after)
            at = after
        self._go(at, end)

    def _go(self, begin: int, end: int, before: int | None = None, behind: int | None = None) -> None:
        pair = (self.any if before is None else before, self.any if behind is None else behind)
        self.empty.out[begin].append((*pair, end))

    def _one(self, kind: Any, value: Any, begin: int, end: int) -> None:
        if kind in _READS:
            self.reads.append((begin, self._class(kind, value), end))
        elif kind is ops.BRANCH:
            for each in value[1]:
                self._seq(each, begin, end)
        elif kind is ops.SUBPATTERN:
            self._seq(value[3], begin, end)
        elif kind is ops.ATOMIC_GROUP:
            self._seq(value, begin, end)
        elif kind in _REPEATS:
            self._repeat(kind, *value, begin, end)
        elif kind is ops.AT:
            self._place(value, begin, end)
        elif kind in (ops.ASSERT, ops.ASSERT_NOT):
            self._look(kind is ops.ASSERT, *value, begin, end)
        elif kind is ops.GROUPREF:
            self.reads.append((begin, self.every, begin))
            self._go(begin, end)
        elif kind is ops.GROUPREF_EXISTS:
            for each in (value[1], value[2] or ()):
                self._seq(each, begin, end)
        else:
            raise NotImplementedError(kind)

    def _repeat(self, kind: Any, least: int, most: Any, body: Any, begin: int, end: int) -> None:
        at, single = begin, self._single(body)
        for _ in range(min(least, LONG)):
            after = self._node()
            self._seq(body, at, after)
            at = after
        if most is not ops.MAXREPEAT and most <= LONG:
            for _ in range(most - least):
                after = self._node()
                self._go(at, end)
                self._seq(body, at, after)
                at = after
            self._go(at, end)
            return
        endless = most is ops.MAXREPEAT
        first, last = self._node(), self._node()
        self._go(at, first)
        self._seq(body, first, last)
        self._go(last, first)
        if not endless:
            self.bounded.add((last, first))
        held = self.any & ~single if endless and kind is ops.POSSESSIVE_REPEAT and single is not None else None
        self._go(at, end, behind=held)
        self._go(last, end, behind=held)

    def _single(self, body: Any) -> int | None:
        """The class of a body that reads one character; None of others."""
        items = list(body)
        while len(items) == 1 and items[0][0] is ops.SUBPATTERN:
            items = list(items[0][1][3])
        if len(items) == 1 and items[0][0] in _READS:
            return self._class(*items[0])
        if len(items) == 1 and items[0][0] is ops.BRANCH:
            singles = [self._single(each) for each in items[0][1][1]]
            return None if None in singles else _union(each for each in singles if each is not None)
        return None

    def _place(self, place: Any, begin: int, end: int) -> None:
        words, others, line = self.words, self.any & ~self.words, self._bits(lambda each: each == "\n") | self.edge
        if place in (ops.AT_BOUNDARY, ops.AT_UNI_BOUNDARY):
            self._go(begin, end, words, others)
            self._go(begin, end, others, words)
        elif place in (ops.AT_NON_BOUNDARY, ops.AT_UNI_NON_BOUNDARY):
            self._go(begin, end, words, words)
            self._go(begin, end, others, others)
        elif place is ops.AT_BEGINNING:
            self._go(begin, end, before=line if self.multiline else self.edge)
        elif place is ops.AT_BEGINNING_STRING:
            self._go(begin, end, before=self.edge)
        elif place is ops.AT_END:
            self._go(begin, end, behind=line)
        elif place is ops.AT_END_STRING:
            self._go(begin, end, behind=self.edge)
        else:
            raise NotImplementedError(place)

    def _look(self, wanted: bool, direction: int, body: Any, begin: int, end: int) -> None:
        """A look around: of one character it is a condition; a longer one ahead is read, and leads nowhere."""
        single = self._single(body)
        if single is not None:
            held = single if wanted else self.any & ~single
            self._go(begin, end, **({"behind": held} if direction > 0 else {"before": held}))
            return
        self._go(begin, end)
        if direction > 0:
            ahead = self._node()
            self._go(begin, ahead)
            self._seq(body, ahead, self._node())

    # --- positions -----------------------------------------------------------------------------------

    @cached_property
    def classes(self) -> list[int]:
        """What each position reads; the first is the start."""
        return [self.every, *(read for _, read, _ in self.reads)]

    @cached_property
    def follow(self) -> list[list[tuple[int, int, int, bool]]]:
        """From each position: last and next characters under which another one reads next, one entry a way.

        Told beside it is whether the way goes round a repeat of a limited number of times.
        """
        reading = defaultdict(list)
        for at, (node, _, _) in enumerate(self.reads, 1):
            reading[node].append(at)
        starts = [self.begin, *(node for _, _, node in self.reads)]
        return [list(self._ways(start, reading)) for start in starts]

    def _ways(self, node: int, reading: dict[int, list[int]]) -> Iterator[tuple[int, int, int, bool]]:
        for at, before, behind, limited in self._closure(node):
            for position in reading.get(at, ()):
                if behind & self.classes[position]:
                    yield before, behind & self.classes[position], position, limited

    def _closure(self, node: int) -> Iterator[tuple[int, int, int, bool]]:
        """The nodes that are reached without reading, once a way."""
        stack = [(node, self.any, self.any, False, frozenset((node,)))]
        steps = 0
        while stack:
            at, before, behind, limited, passed = stack.pop()
            steps += 1
            if steps > MOST // 10:
                raise NotShown
            yield at, before, behind, limited
            for first, then, to in self.empty.out.get(at, ()):
                last, following, back = before & first, behind & then, limited or (at, to) in self.bounded
                if not (last and following):
                    continue
                if to in passed:  # round a loop whose body may be empty: a second way to the same place
                    yield to, last, following, back
                else:
                    stack.append((to, last, following, back, passed | {to}))

    @cached_property
    def safe(self) -> set[int]:
        """The positions at which the match may end whatever follows."""
        starts = [self.begin, *(node for _, _, node in self.reads)]
        return {
            at
            for at, node in enumerate(starts)
            if any(
                end == self.accept and before == behind == self.any
                for end, before, behind, _ in self._closure(node)
            )
        }

    @cached_property
    def loops(self) -> list[set[int]]:
        """Sets of positions that lead to one another, without those at which the match may end."""
        graph = {at: {to for _, _, to, limited in ways if not limited and to not in self.safe}
                 for at, ways in enumerate(self.follow) if at and at not in self.safe}  # fmt: skip
        return [each for each in _components(graph) if len(each) > 1 or next(iter(each)) in graph[next(iter(each))]]

    @cached_property
    def kinds(self) -> list[int]:
        """The characters in sets that no condition on the last character tells apart; the edge is none of them."""
        told = {before for ways in self.follow for before, _, _, _ in ways}
        by_kind: dict[tuple[bool, ...], int] = defaultdict(int)
        for letter in self._bits_of(self.every):
            by_kind[tuple(bool(before & letter) for before in sorted(told))] |= letter
        return list(by_kind.values())

    def _kind(self, letter: int) -> int:
        return next(at for at, kind in enumerate(self.kinds) if kind & letter)

    def _moves(self, kind: int, at: int, *, loop: bool) -> dict[int, list[int]]:
        """For each character the positions that read it next, once a way; a loop's without limited repeats."""
        key = (kind, at, loop)
        if key not in self._moved:
            last = self.kinds[kind] & -self.kinds[kind]
            found: dict[int, list[int]] = defaultdict(list)
            for before, behind, to, limited in self.follow[at]:
                if before & last and not (loop and limited):
                    for letter in self._bits_of(behind & self.every):
                        found[letter].append(to)
            if at == START:
                for letter in self._bits_of(self.every):
                    found[letter].append(START)
            self._moved[key] = dict(found)
        return self._moved[key]

    # --- ambiguity -----------------------------------------------------------------------------------

    def _bits_of(self, mask: int) -> Iterator[int]:
        return (1 << at for at in range(len(self.letters)) if mask >> at & 1)

    def restarts(self) -> Iterator[Growth]:
        """A word from the start into a loop and round it; one for the pattern."""
        for loop in self.loops:
            for at in loop:
                for last in self._kinds_of(self.classes[at]):
                    pump = self._search((last, START, at), (last, at, at), (None, loop))
                    if pump is not None:
                        yield Growth("restart", pump)
                        return

    def two_loops(self) -> Iterator[Growth]:
        """A word round one loop, from it into another one, and round that; one for the pattern."""
        for first in self.loops:
            for second in self.loops:
                for p in first:
                    for q in second - {p}:
                        for last in self._kinds_of(self.classes[p] & self.classes[q]):
                            pump = self._search((last, p, p, q), (last, p, q, q), (first, None, second))
                            if pump is not None:
                                yield Growth("two loops", pump)
                                return

    def within_loops(self) -> Iterator[Growth]:
        """A word round a loop in two ways; one for the pattern."""
        for loop in self.loops:
            for at in loop:
                for last in self._kinds_of(self.classes[at]):
                    pump = self._forked(last, at, loop)
                    if pump is not None:
                        yield Growth("within a loop", pump)
                        return

    def _kinds_of(self, letters: int) -> set[int]:
        return {self._kind(letter) for letter in self._bits_of(letters)}

    def _search(self, begin: tuple[int, ...], goal: tuple[int, ...], within: tuple[Any, ...]) -> str | None:
        """A word that leads from some positions to others, each track within its loop (None: anywhere)."""
        queue, words = deque([begin]), {begin: ""}
        while queue:
            here = queue.popleft()
            kind, *tracks = here
            moves = [self._moves(kind, at, loop=held is not None) for at, held in zip(tracks, within, strict=True)]
            for letter in min(moves, key=len):
                choices = [
                    {to for to in move.get(letter, ()) if held is None or to in held}
                    for move, held in zip(moves, within, strict=True)
                ]
                if not all(choices):
                    continue
                last = self._kind(letter)
                for reached in product(*choices):
                    self.steps += 1
                    if self.steps > MOST:
                        raise NotShown
                    after = (last, *reached)
                    if after == goal:
                        return words[here] + self._letter(letter)
                    if after not in words:
                        words[after] = words[here] + self._letter(letter)
                        queue.append(after)
        return None

    def _forked(self, last: int, at: int, loop: set[int]) -> str | None:
        """A word round a loop in two ways; a way is told by its positions and by how it went between them."""
        begin = (last, at, at, False)
        queue, words = deque([begin]), {begin: ""}
        while queue:
            here = queue.popleft()
            kind, one, other, forked = here
            ways, others = self._moves(kind, one, loop=True), self._moves(kind, other, loop=True)
            for letter in ways.keys() & others.keys():
                after_kind = self._kind(letter)
                for (m, to), (n, or_to) in product(enumerate(ways[letter]), enumerate(others[letter])):
                    self.steps += 1
                    if self.steps > MOST:
                        raise NotShown
                    after = (after_kind, to, or_to, forked or one != other or m != n)
                    if to not in loop or or_to not in loop:
                        continue
                    if after == (last, at, at, True):
                        return words[here] + self._letter(letter)
                    if after not in words:
                        words[after] = words[here] + self._letter(letter)
                        queue.append(after)
        return None

    def _letter(self, bit: int) -> str:
        return self.letters[bit.bit_length() - 1]


_READS = (ops.LITERAL, ops.NOT_LITERAL, ops.ANY, ops.IN)
_REPEATS = (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT)


def _is_word(letter: str) -> bool:
    return re.match(r"\w", letter) is not None


def _union(masks: Iterable[int]) -> int:
    whole = 0
    for each in masks:
        whole |= each
    return whole


def _item_holds(item: tuple[Any, Any], letter: str) -> bool:
    """Whether one item of a class holds a character."""
    kind, value = item
    if kind is ops.LITERAL:
        return ord(letter) == value
    if kind is ops.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    return re.match(_CATEGORIES[value], letter) is not None


_CATEGORIES = {
    ops.CATEGORY_DIGIT: r"\d",
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_WORD: r"\w",
    ops.CATEGORY_NOT_WORD: r"\W",
}


def _classes(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every class that a tree reads."""
    for kind, value in node:
        if kind in _READS:
            yield kind, value
        elif kind is ops.BRANCH:
            for each in value[1]:
                yield from _classes(each)
        elif kind is ops.SUBPATTERN:
            yield from _classes(value[3])
        elif kind is ops.ATOMIC_GROUP:
            yield from _classes(value)
        elif kind in _REPEATS:
            yield from _classes(value[2])
        elif kind in (ops.ASSERT, ops.ASSERT_NOT):
            yield from _classes(value[1])
        elif kind is ops.GROUPREF_EXISTS:
            yield from _classes(value[1])
            yield from _classes(value[2] or ())


def _named(kind: Any, value: Any) -> Iterator[str]:
    """The characters that a class names, and those beside its ends."""
    if kind in (ops.LITERAL, ops.NOT_LITERAL):
        yield chr(value)
    elif kind is ops.IN:
        for item, held in value:
            if item is ops.LITERAL:
                yield chr(held)
            elif item is ops.RANGE:
                ends = (held[0] - 1, held[0], held[1], held[1] + 1)
                yield from (chr(each) for each in ends if 0 <= each <= 0x10FFFF)


def _components(graph: dict[int, set[int]]) -> list[set[int]]:
    """The sets of nodes that lead to one another (Tarjan 1972, without recursion)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    held: list[int] = []
    on: set[int] = set()
    found: list[set[int]] = []
    for root in graph:
        work = [(root, iter(()))] if root not in index else []
        while work:
            node, rest = work.pop()
            if node not in index:
                index[node] = low[node] = len(index)
                held.append(node)
                on.add(node)
                rest = iter(graph[node])
            for to in rest:
                if to not in index:
                    work += [(node, rest), (to, iter(()))]
                    break
                if to in on:
                    low[node] = min(low[node], low[to], index[to])
            else:
                if low[node] == index[node]:
                    component = set()
                    while True:
                        last = held.pop()
                        on.discard(last)
                        component.add(last)
                        if last == node:
                            break
                    found.append(component)
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return found
