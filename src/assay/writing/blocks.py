"""The part of a passage shown around an answer: whole blocks, or whole parts of them, within a word limit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from assay.nlp.blocks import Block, BlockKind, passage_blocks, readable, unit
from assay.nlp.rivals import Rival
from assay.nlp.sentences import sentences
from assay.nlp.tokens import terms, words
from assay.types import AnswerType, Passage, Question, QuestionKind, Quote, Span
from assay.writing.features import points_back

# The most words of an answer with a fact, an explanation, and a list or steps; and of one block of the first two
# (benchmarks/answers/choose.py).
FACT_WORDS, PROSE_WORDS, LIST_WORDS = 100, 100, 180
FACT_BLOCK, PROSE_BLOCK = 45, 90
# A block may exceed its limit by this factor before it is cut (chosen): a whole block reads better.
SLACK = 1.25
# Words of a run, and the share of runs of a copy: chosen, so that one changed value makes no copy of a sentence.
_RUN, _COPIED = 4, 0.9
# The most words of a sentence that replies to the question above it, and of a question: chosen.
_LONGEST_REPLY, _LONGEST_QUESTION = 12, 40
_LISTS = frozenset({AnswerType.LIST, AnswerType.PROCEDURE})
_PROSE = frozenset({AnswerType.REASON, AnswerType.DEFINITION, AnswerType.OTHER, AnswerType.YES_NO})
_EXPLAINED = frozenset({QuestionKind.COMPARATIVE, QuestionKind.INTERPRETIVE})
_AUXILIARY = (
    r"(?:is|are|was|were|have|has|had|do|does|did|must|can|could|will|would|should|shall|may|might|if|to|about)\b"
)
_PLURAL = r"(?:\w+(?<![siua])s|people|children|men|women|criteria)\b"
_NO_AUXILIARY = rf"(?!{_AUXILIARY})"
# "What rules must I keep?", "which files count"; elsewhere a word in -s may be a verb ("which rule says").
_SEVERAL = re.compile(
    r"\b(?:what|who)\s(?:are|were)\b"
    rf"|\b(?:what|which)\s(?:{_NO_AUXILIARY}\w+\s){{0,2}}{_NO_AUXILIARY}{_PLURAL}\s{_AUXILIARY}"
    rf"|\bwhich\s{_NO_AUXILIARY}{_PLURAL}",
    re.IGNORECASE,
)
# Answer types that one item of a list can satisfy.
_SINGLE = frozenset({AnswerType.PERSON, AnswerType.PLACE, AnswerType.DATE, AnswerType.NUMBER, AnswerType.YES_NO})


@dataclass(frozen=True, slots=True)
class Shown:
    """Stretches of one passage shown together, in order; offsets in the passage's text."""

    parts: tuple[Span, ...]
    passage: Passage

    @property
    def text(self) -> str:
        """The text of the stretches, each on its own lines."""
        return "\n".join(self.passage.text[part.start : part.end] for part in self.parts)

    @property
    def readable(self) -> str:
        """The text without markup that readers do not see, with "…" where prose is left out between stretches."""
        quotes = self.quotes
        ends = [quote.source.end - self.passage.start for quote in quotes]
        starts = [quote.source.start - self.passage.start for quote in quotes[1:]]
        gaps = [_gap(self.passage, end, start) for end, start in zip(ends, starts, strict=False)]
        return "".join(chain.from_iterable(zip((quote.text for quote in quotes), [*gaps, ""], strict=True)))

    @property
    def words(self) -> int:
        """The number of words."""
        return len(self.text.split())

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The stretches as quotes, without empty ones."""
        found = ((part, readable(self.passage, part.start, part.end)) for part in self.parts)
        return tuple(Quote(said, self.passage.span_of(part.start, part.end)) for part, said in found if said)


def _gap(passage: Passage, end: int, start: int) -> str:
    """The characters between two stretches that are shown together: a sign where prose is left out."""
    if not any(map(str.isalnum, passage.text[end:start])):
        return "\n"
    prose = [block for block in passage_blocks(passage) if block.kind is BlockKind.PARAGRAPH]
    is_prose = (any(block.start <= at < block.end for block in prose) for at in (end - 1, start))
    return " …\n" if all(is_prose) else "\n"


@dataclass(frozen=True, slots=True)
class Room:
    """The most words of an answer, of one block, and of one list with its lead-in."""

    answer: int
    block: int
    listed: int


def room_for(question: Question) -> Room:
    """The room for an answer to the question.

    >>> room_for(Question("How do I brew tea?", "How do I brew tea?", kind=QuestionKind.HOW_TO)).answer
    180
    """
    if question.kind is QuestionKind.HOW_TO or question.answer_type in _LISTS:
        return Room(LIST_WORDS, LIST_WORDS, LIST_WORDS)
    several = asks_for_several(question)
    if question.answer_type in _PROSE or question.kind in _EXPLAINED:
        return Room(PROSE_WORDS, PROSE_BLOCK, LIST_WORDS if several else PROSE_BLOCK)
    return Room(FACT_WORDS, FACT_BLOCK, LIST_WORDS if several else FACT_BLOCK)


def asks_for_several(question: Question) -> bool:
    """True if the question asks for a list, or in English for something in the plural.

    >>> asked = ("Which rules must I keep?", "What benefits does the firm offer?", "What happens in May?")
    >>> [asks_for_several(Question(text, text)) for text in asked]
    [True, True, False]
    """
    return question.answer_type is AnswerType.LIST or _SEVERAL.search(question.standalone) is not None


def shown_around(passage: Passage, span: Span, room: Room) -> Shown | None:
    """The blocks around an answer's span, shortened if they are long.

    None if nothing around it can be quoted: markup alone, a heading without what follows it, or a question whose
    answer begins the next passage.
    """
    text = passage.text
    found = unit(passage_blocks(passage), span.start, span.end)
    if not found or _is_question_at_end(text, found):
        return None
    most_words = room.listed if any(block.kind is BlockKind.LIST for block in found) else room.block
    whole = Shown(_join_parts([part for block in found for part in _whole_block(text, block)], text), passage)
    if whole.words <= SLACK * most_words:
        return whole
    parts: list[Span] = []
    left = most_words
    for before, block in zip((None, *found), found, strict=False):
        taken = _shorten_block(text, block, span, left)
        if before is not None and before.title.endswith(("?", "？")) and block.kind is BlockKind.PARAGRAPH:
            taken = _with_reply(text, block, taken)
        parts += taken
        left -= sum(_words(text, part) for part in taken)
    return Shown(_join_parts(parts, text), passage) if parts else None


def _is_question_at_end(text: str, found: Sequence[Block]) -> bool:
    """Tell whether a question stands alone at the end of a text."""
    (first, *others), last = found, text[found[-1].end :].strip()
    asked = text[first.start : first.end].rstrip("*_ ")
    return not others and not last and asked.endswith(("?", "？")) and len(asked.split()) <= _LONGEST_QUESTION


def _whole_block(text: str, block: Block) -> list[Span]:
    """The span of a block, after that of a term that stands above it."""
    above = block.header is not None and block.header.start < block.start
    return [*([block.header] if block.header and above else []), _without_marks(text, block)]


def _without_marks(text: str, block: Block) -> Span:
    """The span of a block; of a heading without the marks before its words."""
    start = block.start
    while block.kind is BlockKind.HEADING and start < block.end and text[start] in "# \t":
        start += 1
    return Span(start, block.end)


def exclude_rivals(shown: Shown, rivals_found: Mapping[str, Sequence[Rival]]) -> Shown | None:
    """The shown stretches without those on rivals, such as other items of a list; None if nothing is left.

    >>> passage = Passage("p", "d", "r", 0, 25, "- Oslo: 8:00\\n- Rome: 9:00")
    >>> rivals_found = {"p": (Rival(Span(0, 12), ("rome",), ("oslo",), ("rome",), 0),)}
    >>> exclude_rivals(Shown((Span(0, 25),), passage), rivals_found).text
    '- Rome: 9:00'
    """
    text, parts = shown.passage.text, list(shown.parts)
    for rival in rivals_found.get(shown.passage.passage_id, ()):
        before = [Span(part.start, min(part.end, rival.span.start)) for part in parts]
        behind = [Span(max(part.start, rival.span.end), part.end) for part in parts]
        pieces = [piece for piece in chain(before, behind) if text[piece.start : piece.end].strip()]
        parts = sorted((_strip_blanks(text, piece) for piece in pieces), key=lambda part: part.start)
    return Shown(tuple(parts), shown.passage) if parts else None


def extend_block(shown: Shown, most_words: int) -> Shown:
    """Extend by neighbours under the same heading, after and before by turns, up to `most_words`.

    Steps and what a list leaves out stand beside the block that the reader points at.
    """
    text, first, last = shown.passage.text, shown.parts[0].start, shown.parts[-1].end
    found = _units_under_one_heading(passage_blocks(shown.passage), first)
    behind = [block for block in found if block.start >= last]
    before = _with_beginnings(text, [block for block in found if block.end <= first])
    parts, room, fits = list(shown.parts), most_words - shown.words, True
    sides = (before, behind) if text[first].islower() else (behind, before)
    while fits:
        fits = False
        for neighbours in sides:
            if neighbours and _words(text, neighbours[0]) <= room:
                room -= _words(text, neighbours[0])
                parts.append(neighbours.pop(0))
                fits = True
    return Shown(_join_parts(parts, text), shown.passage)


def with_opening(question: Question, shown: Shown) -> Shown:
    """Extend to the heading and the first sentence of the section, if the heading asks what the question does.

    Under such a heading the first sentence says yes or no as a rule, and the others say when and why. Elsewhere,
    and for questions that are not answered by yes or no, nothing is added.

    >>> text = "# Can I brew tea cold?\\n\\nYes.\\n\\nIt takes eight hours."
    >>> passage = Passage("p", "d", "r", 0, len(text), text, line=1)
    >>> asked = Question("Can tea be brewed cold?", "Can tea be brewed cold?", answer_type=AnswerType.YES_NO)
    >>> with_opening(asked, Shown((Span(30, 51),), passage)).text
    'Can I brew tea cold?\\n\\nYes.\\n\\nIt takes eight hours.'
    """
    text, start = shown.passage.text, shown.parts[0].start
    above = [block for block in passage_blocks(shown.passage) if block.start < start]
    at = next((at for at in reversed(range(len(above))) if above[at].kind is BlockKind.HEADING), None)
    if question.answer_type is not AnswerType.YES_NO or at is None or at + 1 == len(above):
        return shown
    heading, opening = above[at], above[at + 1]
    named, asked = set(terms(heading.title)), set(terms(question.standalone))
    if not heading.title.endswith(("?", "？")) or not named or 2 * len(named & asked) < len(named):
        return shown
    first = sentences(text[opening.start : opening.end])[:1]
    added = [Span(opening.start + sentence.start, opening.start + sentence.end) for sentence in first]
    return Shown(_join_parts([_without_marks(text, heading), *added, *shown.parts], text), shown.passage)


def remainder_notes(question: Question, shown: Sequence[Shown]) -> list[str]:
    """A note after each part shown on how many more items its lists have; empty if one fact is asked for.

    One item that is shown alone is what was wanted, unless several or steps are asked for.

    >>> text = "- a tent\\n- a rope\\n- a lamp"
    >>> part = Shown((Span(0, 17),), Passage("p", "d", "r", 0, len(text), text))
    >>> remainder_notes(Question("What to pack?", "What to pack?"), [part])
    ['\\n\\n(This list has 1 more item in the source.)']
    """
    wants_several = asks_for_several(question) or question.kind is QuestionKind.HOW_TO
    if question.answer_type in _SINGLE and not wants_several:
        return [""] * len(shown)
    least = 1 if wants_several or question.answer_type in _LISTS else 2
    return [
        f"\n\n(This list has {count:,} more item{'' if count == 1 else 's'} in the source.)"
        if count and seen >= least
        else ""
        for seen, count in items_left_out(shown)
    ]


def overlap(shown: Shown, other: Shown) -> float:
    """The share of a block that stands in another one: passages of a document overlap, and documents copy others.

    Of one document its characters count; another document holds all of it or nothing, by its runs of four words.

    >>> near = Passage("p", "d", "r", 0, 9, "One. Two."), Passage("q", "d", "r", 5, 16, "Two. Three.")
    >>> overlap(Shown((Span(0, 4),), near[1]), Shown((Span(0, 9),), near[0]))
    1.0
    """
    passage, there = shown.passage, other.passage
    if (passage.document_id, passage.revision) != (there.document_id, there.revision):
        runs = _runs(shown.readable)
        return float(bool(runs) and len(runs & _runs(other.readable)) >= _COPIED * len(runs))
    moved = there.start - passage.start
    common = sum(
        max(0, min(part.end, held.end + moved) - max(part.start, held.start + moved))
        for part in shown.parts
        for held in other.parts
    )
    return common / max(1, sum(part.end - part.start for part in shown.parts))


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """The runs of four words of a text, without case and punctuation."""
    found = words(text)
    return frozenset(zip(*(found[at:] for at in range(_RUN)), strict=False))


def items_left_out(shown: Sequence[Shown]) -> list[tuple[int, int]]:
    """For each part, how many items of its lists are shown, and how many by no part; counted at a list's last part.

    >>> text = "- a tent\\n- a rope\\n- a lamp\\n- a map"
    >>> passage = Passage("p", "d", "r", 0, len(text), text)
    >>> items_left_out([Shown((Span(0, 8),), passage), Shown((Span(18, 26),), passage)])
    [(0, 0), (2, 2)]
    """
    counts = [(0, 0)] * len(shown)
    for passage in {shown_block.passage.passage_id: shown_block.passage for shown_block in shown}.values():
        parts = [
            (at, part)
            for at, shown_block in enumerate(shown)
            if shown_block.passage.passage_id == passage.passage_id
            for part in shown_block.parts
        ]
        for block in passage_blocks(passage):
            if block.kind is not BlockKind.LIST:
                continue
            touched = [(at, item) for item in block.items for at, part in parts if _overlaps(part, item)]
            if touched:
                last, seen = max(at for at, _ in touched), len({item for _, item in touched})
                counts[last] = (counts[last][0] + seen, counts[last][1] + len(block.items) - seen)
    return counts


def list_around(passage: Passage, span: Span) -> Span | None:
    """The span of the items of the list that a stretch is in or leads to; None without one.

    >>> text = "You need:\\n\\n- water\\n- leaves\\n\\nEnjoy."
    >>> list_around(Passage("p", "d", "r", 0, len(text), text), Span(0, 9))
    Span(start=11, end=27)
    """
    listed = (
        block for block in unit(passage_blocks(passage), span.start, span.end) if block.kind is BlockKind.LIST
    )
    return next((Span(block.start, block.end) for block in listed), None)


def in_code(passage: Passage, span: Span) -> bool:
    """True if a stretch of the passage overlaps a block of code."""
    return any(
        block.kind is BlockKind.CODE and _overlaps(Span(block.start, block.end), span)
        for block in passage_blocks(passage)
    )


def _units_under_one_heading(found: Sequence[Block], place: int) -> list[Span]:
    """The blocks between the headings around a place; lead-ins are grouped with what they lead to."""
    held: list[Span] = []
    for block in found:
        if block.kind is BlockKind.HEADING:
            if block.start > place:
                break
            held = []
        elif block.kind is not BlockKind.MARKUP and (not held or block.start >= held[-1].end):
            held.append(Span(block.start, unit(found, block.start, block.end)[-1].end))
    return held


def _with_beginnings(text: str, held: Sequence[Span]) -> list[Span]:
    """The stretches from the last to the first, each that begins in lower case together with the one before it."""
    joined: list[Span] = []
    for one in held:
        goes_on = bool(joined) and text[one.start].islower()
        joined.append(Span(joined.pop().start, one.end) if goes_on else one)
    return joined[::-1]


def _shorten_block(text: str, block: Block, span: Span, room: int) -> list[Span]:
    """The parts of a block around the span, about `room` words; parts that overlap the span always stay."""
    if _words(text, Span(block.start, block.end)) <= room:
        return _whole_block(text, block)
    match block.kind:
        case BlockKind.LIST | BlockKind.TABLE if block.items:
            kept = _around(text, block.items, span, room)
            return [*([block.header] if block.header else []), *kept]
        case BlockKind.CODE | BlockKind.HEADING:
            return [_without_marks(text, block)]
        case _:
            term = [block.header] if block.header else []
            start = max(block.start, *(part.end for part in term)) if term else block.start
            found = [
                Span(start + sentence.start, start + sentence.end)
                for sentence in sentences(text[start : block.end])
            ]
            # Of a lead-in outside the answer the end is shown, next to what it leads to.
            inside = span if _overlaps(Span(block.start, block.end), span) else Span(block.end - 1, block.end)
            return [*term, *_around(text, found, _with_antecedent(text, found, inside, room), room)]


def _with_antecedent(text: str, found: Sequence[Span], span: Span, room: int) -> Span:
    """The span, with the sentence before its first one if that points back to it and both fit."""
    touched = [at for at, sentence in enumerate(found) if _overlaps(sentence, span)]
    if not touched or not touched[0]:
        return span
    before, first = found[touched[0] - 1], found[touched[0]]
    words = _words(text, Span(before.start, found[touched[-1]].end))
    if words > SLACK * room or not points_back(text[first.start : first.end]):
        return span
    return Span(before.start, max(span.end, first.end))


def _with_reply(text: str, block: Block, taken: list[Span]) -> list[Span]:
    """The parts with the first sentence below a question, if it is short: it says yes or no."""
    first = next(iter(sentences(text[block.start : block.end])), None)
    reply = None if first is None else Span(block.start + first.start, block.start + first.end)
    if reply is None or not taken or taken[0].start <= reply.start or _words(text, reply) > _LONGEST_REPLY:
        return taken
    return [reply, *taken]


def _around(text: str, parts: Sequence[Span], span: Span, room: int) -> list[Span]:
    """The parts that overlap the span, then those after and before them by turns while they fit."""
    touched = [at for at, part in enumerate(parts) if _overlaps(part, span)]
    if not touched:
        touched = [min(range(len(parts)), key=lambda at: abs(parts[at].start - span.start))] if parts else []
    if not touched:
        return []
    first, last = touched[0], touched[-1]
    used = sum(_words(text, part) for part in parts[first : last + 1])
    grown = True
    while grown:
        grown = False
        if last + 1 < len(parts) and used + _words(text, parts[last + 1]) <= room:
            last, grown = last + 1, True
            used += _words(text, parts[last])
        if first and used + _words(text, parts[first - 1]) <= room:
            first, grown = first - 1, True
            used += _words(text, parts[first])
    return list(parts[first : last + 1])


def _join_parts(parts: Sequence[Span], text: str) -> tuple[Span, ...]:
    """The parts in order, with parts joined if only white space separates them."""
    joined: list[Span] = []
    for part in sorted(parts, key=lambda part: part.start):
        if joined and not text[joined[-1].end : part.start].strip():
            joined[-1] = Span(joined[-1].start, max(part.end, joined[-1].end))
        else:
            joined.append(part)
    return tuple(joined)


def _strip_blanks(text: str, part: Span) -> Span:
    """The stretch without leading blank lines and trailing blanks; an indent stays."""
    said = text[part.start : part.end]
    start = part.start + len(said) - len(said.lstrip())
    return Span(text.rfind("\n", part.start, start) + 1 or part.start, part.start + len(said.rstrip()))


def _overlaps(part: Span, span: Span) -> bool:
    return part.start < max(span.end, span.start + 1) and span.start < part.end


def _words(text: str, part: Span) -> int:
    return len(text[part.start : part.end].split())
