"""The claims of an answer: its sentences, cut where one makes two statements, with the sources they cite."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from assay.nlp.alignment import Alignment
from assay.nlp.analysis import Place
from assay.nlp.citations import HEDGE_MARK, without_marks
from assay.nlp.cues import apart_from_questions, asks, heads_questions, is_courtesy, without_connective
from assay.nlp.markup import strip_tags
from assay.nlp.sentences import sentences
from assay.nlp.sources import SourceIndex
from assay.nlp.tokens import terms
from assay.types import Check, Citation, FindingKind, Passage, Severity, SourceSpan, Span, Status

# Joints of two statements in a sentence, each of at least four words.
_JOINT = re.compile(r";\s+|,\s+(?=(?:but|whereas|while|although)\s)", re.IGNORECASE)
_LEAST_WORDS = 4
_WORD = re.compile(r"\S+")
_STOPS = frozenset(".!?。！？")
# Characters of one claim; chosen. A longer sentence is a list or a file without full stops; the longest labelled
# claim has some 1,600 (decision 173).
LONGEST_CLAIM = 6_000
TOO_LONG = f"the sentence is longer than {LONGEST_CLAIM:,} characters: nothing this long is tested as one claim"
# Words of a cell in the heading row of a table; chosen: a longer cell may be a statement.
_MOST_HEADING_WORDS = 4
_ABSTAINS = re.compile(
    r"""\b(?:i|we)\s(?:do\snot|don['’]t|did\snot|didn['’]t|cannot|can['’]t|could\snot|couldn['’]t|am\snot\sable|was\snot\sable)
        \s(?:have|find|know|see|answer|determine|tell|provide|say)\b
      | \b(?:there\sis|there['’]s)\s(?:no|not\senough|insufficient)\s(?:information|evidence|mention|data)\b
        (?!\sthat\b)
      | \b(?:the\s|these\s|my\s)?(?:provided\s|given\s|available\s|retrieved\s)?
        (?:sources?|documents?|passages?|context|evidence|texts?)\s
        (?:do(?:es)?\snot|don['’]t|doesn['’]t|did\snot|didn['’]t|cannot)\s
        (?:say|mention|state|contain|provide|specify|give|answer|include|tell|cover|address)\b
      | \b(?:not\senough|insufficient|no\srelevant)\s(?:information|evidence)\b
      | \b(?:is|are)\snot\s(?:mentioned|stated|specified|given|covered|available)\sin\sthe\b
      | 没有(?:相关|足够)?(?:信息|资料)|無法回答|无法回答|情報がありません
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BEFORE_STOP = re.compile(r"\s([.,;:!?])(?=\s|\Z)")
_YES_OR_NO = frozenset("yes no ja nein oui non sí 是 不是".split())
# A mark is a word of its sentence behind one of these, and before a verb at the start of a clause: "[2] states that
# …". After the comma of a longer lead-in it belongs to the lead-in: "According to the handbook, [1] employees get".
_BEFORE_A_SOURCE = re.compile(r"\b(?:according to|as per|per|see|in|from|by|of|to|with|as)\s*\Z", re.IGNORECASE)
_CLAUSE_BEGINS = re.compile(r"(?:\A\W*(?:\w+,\s*)?|\b(?:that|but|while|whereas)\s+)\Z", re.IGNORECASE)
_VERB = re.compile(
    r"\s*(?!(?:is|was|has|its|this|his|us|as|thus|plus|perhaps|sometimes|always|besides)\b)[a-z]{2,}s\b"
)
_THE_SOURCE, _THE_SOURCES = "the source", "the sources"
_ONE_MORE = re.compile(rf"\b{_THE_SOURCE}s?(?:,| and| or)+\s*\Z", re.IGNORECASE)
_HEADING = re.compile(r"\s*#{1,6}\s")
_LIST_MARK = re.compile(r"(?:[-*•+]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A claim of an answer; `start, end` are offsets in it, `numbers` the sources that the claim cites.

    `plain` is the answer from `start` to `end` with marks blanked out, `text` the same without marks and without an
    opening connective.
    """

    text: str
    start: int
    end: int
    numbers: tuple[int, ...]
    plain: str

    @property
    def is_too_long(self) -> bool:
        """Tell whether the claim is too long to be tested."""
        return self.end - self.start > LONGEST_CLAIM


def split_claims(text: str, marks: Sequence[Citation], written: Sequence[Span] = ()) -> list[StatedClaim]:
    """The claims of an answer in order.

    Abstentions, courtesies, questions and their titles, headings (a table's too) and lead-ins claim nothing. A mark
    belongs to the sentence that it stands in or behind; HTML is cut at its blocks. `written` are the places of the
    sentences as their writer gave them: a mark then belongs to all claims of such a sentence.

    >>> from assay.nlp.citations import citations
    >>> text = "It is 5 km long. [1] I don't have information on its depth."
    >>> [(claim.text, claim.numbers) for claim in split_claims(text, citations(text))]
    [('It is 5 km long.', (1,))]
    """
    html = strip_tags(without_marks(text, marks).replace(HEDGE_MARK, " "))
    blanked = html.text
    pieces = html.parts(written or _between_marks(text, blanked, marks))
    spans = [
        _without_list_mark(blanked, span)
        for piece in pieces
        for sentence in _sentences_in(blanked, piece)
        for span in apart_from_questions(blanked, sentence)
    ]
    found: list[StatedClaim] = []
    for span, own in zip(spans, _marks_by_sentence(blanked, spans, marks, written), strict=True):
        if claims_nothing(blanked[span.start : span.end]) or (not own and _heads_a_table(blanked, span)):
            continue
        numbers = tuple(dict.fromkeys(number for mark in own for number in mark.numbers))
        found += [_claim(text, blanked, part, numbers, own) for part in _parts(blanked, span)]
    return found


def as_one_claim(text: str, marks: Sequence[Citation]) -> list[StatedClaim]:
    """The text as a single claim with all its citations; none where it holds no word."""
    blanked = without_marks(text, marks)
    numbers = tuple(dict.fromkeys(number for mark in marks for number in mark.numbers))
    return [_claim(text, blanked, Span(0, len(text)), numbers, marks)] if terms(blanked, stop_words=True) else []


def says_only_yes_or_no(sentence: str) -> bool:
    """Tell whether a sentence is a bare yes or no.

    >>> says_only_yes_or_no("Yes."), says_only_yes_or_no("Yes, it rained.")
    (True, False)
    """
    return sentence.strip().rstrip(".!,。").casefold() in _YES_OR_NO


def _between_marks(text: str, blanked: str, marks: Sequence[Citation]) -> list[Span]:
    """The text cut behind each mark that follows a full stop: `It is. [1] and so on` makes two."""
    cuts, at, last = [], 0, ""
    for mark in marks:
        last = blanked[at : mark.start].rstrip()[-1:] or last
        at = mark.end
        if last in _STOPS:
            cuts.append(mark.end)
    edges = [0, *(cut for cut in cuts if not text.startswith("[", cut)), len(text)]
    return [Span(start, end) for start, end in pairwise(edges)]


def _sentences_in(text: str, piece: Span) -> list[Span]:
    return [
        Span(piece.start + span.start, piece.start + span.end)
        for span in sentences(text[piece.start : piece.end], lowered=True)
    ]


def claims_nothing(sentence: str) -> bool:
    """Tell whether a sentence makes no statement that a source could support.

    >>> [claims_nothing(s) for s in ("The sources do not say when.", "Which one?", "It rained.", "In short:")]
    [True, True, False, True]
    """
    bare = sentence.strip()
    if (
        not terms(bare, stop_words=True)
        or says_only_yes_or_no(bare)
        or bare.endswith((":", "："))
        or asks(bare)
        or heads_questions(bare)
        or _HEADING.match(bare)
    ):
        return True
    return abstains(bare) or is_courtesy(bare)


def _heads_a_table(text: str, span: Span) -> bool:
    """Tell whether a sentence is the heading row of a table, with a few words in each cell."""
    row = text[span.start : span.end].strip()
    line = max(0, text.rfind("\n", 0, span.start))
    before = text[text.rfind("\n", 0, line) + 1 : line]
    return (
        row.startswith("|")
        and row.endswith("|")
        and not any(one.isdigit() for one in row)
        and all(len(cell.split()) <= _MOST_HEADING_WORDS for cell in row.split("|"))
        and not before.lstrip().startswith("|")
    )


def abstains(sentence: str) -> bool:
    """Tell whether a sentence says that there is no answer.

    >>> abstains("I don't have information about the price."), abstains("There is no evidence that it rained.")
    (True, False)
    """
    return _ABSTAINS.search(sentence) is not None


def _without_list_mark(text: str, span: Span) -> Span:
    match = _LIST_MARK.match(text, span.start, span.end)
    return Span(match.end(), span.end) if match and match.end() < span.end else span


def _marks_by_sentence(
    text: str, spans: Sequence[Span], marks: Sequence[Citation], written: Sequence[Span]
) -> list[list[Citation]]:
    """The marks of each sentence: those in or behind it, and one that is its subject."""
    pieces = written or spans
    by_piece: list[list[Citation]] = [[] for _ in pieces]
    at = 0
    for mark in marks:
        while at + 1 < len(pieces) and (
            pieces[at + 1].start <= mark.start or _is_subject(text, mark, pieces[at + 1].start)
        ):
            at += 1
        if pieces:
            by_piece[at].append(mark)
    if not written:
        return by_piece
    starts = [piece.start for piece in written]
    return [by_piece[bisect_right(starts, span.start) - 1] for span in spans]


def _is_subject(text: str, mark: Citation, start: int) -> bool:
    """Tell whether a mark is the subject of the sentence behind it: "[2] states that …"."""
    return mark.end <= start and not text[mark.end : start].strip() and _VERB.match(text, start) is not None


def _parts(text: str, span: Span) -> list[Span]:
    """The sentence cut at its joints, where both sides are long enough."""
    cuts, start = [], span.start
    for joint in _JOINT.finditer(text, span.start, span.end):
        if _is_long_enough(text, start, joint.start()) and _is_long_enough(text, joint.end(), span.end):
            cuts.append(Span(start, joint.start()))
            start = joint.end()
    return [*cuts, Span(start, span.end)]


def _is_long_enough(text: str, start: int, end: int) -> bool:
    """Tell whether a stretch has enough words for a statement."""
    return sum(1 for _ in islice(_WORD.finditer(text, start, end), _LEAST_WORDS)) == _LEAST_WORDS


def _claim(text: str, blanked: str, part: Span, numbers: tuple[int, ...], marks: Sequence[Citation]) -> StatedClaim:
    """The claim of a stretch of the answer, without its marks."""
    plain = blanked[part.start : part.end]
    worded = _with_sources_named(blanked, part, marks)
    own = plain if worded == text[part.start : part.end] else _BEFORE_STOP.sub(r"\1", " ".join(worded.split()))
    return StatedClaim(without_connective(own), part.start, part.end, numbers, plain)


def _with_sources_named(blanked: str, part: Span, marks: Sequence[Citation]) -> str:
    """The stretch with "the source" for each mark that is a word of its sentence, and without the other marks.

    A mark right before the stretch may be its subject.
    """
    words, at = "", part.start
    for mark in marks:
        if mark.end > part.end or blanked[mark.end : part.start].strip():
            continue
        words += blanked[at : max(at, mark.start)]
        at = max(at, mark.end)
        named = _THE_SOURCE if len(mark.numbers) == 1 else _THE_SOURCES
        if _ONE_MORE.search(words):
            words = _ONE_MORE.sub(_THE_SOURCES, words)
        elif _BEFORE_A_SOURCE.search(words):
            words += named
        elif _CLAUSE_BEGINS.search(words) and _VERB.match(blanked, at):
            words += named if words.strip() else f"{named.capitalize()} "
        else:
            words += " " * (at - max(part.start, mark.start))
    return words + blanked[at : part.end]


# Claims aligned with their sources, and results of checks.

# Values of one claim that are compared; chosen: a claim with more is a table. A check reports the rest.
MOST_COMPARED = 100


def align(n: int, claim: StatedClaim, sources: SourceIndex) -> Alignment:
    """The alignment of claim `n`, from 1, with its sources."""
    return Alignment(claim.text, claim.plain, sources, n, claim.start)


@dataclass(frozen=True, slots=True)
class Task:
    """A text to review: source n is `numbered[n - 1]`, None where that passage no longer exists.

    `cites` says that every claim should cite a source.
    """

    text: str
    marks: tuple[Citation, ...]
    claims: tuple[StatedClaim, ...]
    numbered: tuple[Passage | None, ...]
    passages: tuple[Passage, ...]
    cites: bool

    def has(self, number: int) -> bool:
        """Tell whether there is, or was, a source of that number."""
        return 1 <= number <= len(self.numbered)

    def cited(self, claim: StatedClaim) -> tuple[Passage, ...]:
        """The existing passages that a claim cites."""
        found = [self.numbered[number - 1] for number in claim.numbers if self.has(number)]
        return tuple(passage for passage in found if passage is not None)

    def scope(self, claim: StatedClaim) -> tuple[Passage, ...]:
        """The passages that a claim is tested on: those it cites, or all where it cites none."""
        return self.cited(claim) or self.passages


@dataclass(frozen=True, slots=True)
class Case:
    """A claim, `n` from 1, with the passages it cites and those it is tested on, `scope`.

    `quote` is where a source says the claim word for word; only without one is there an `alignment`. `untested` is
    the reason why the claim is not tested, "" where it is.
    """

    n: int
    claim: StatedClaim
    cited: tuple[Passage, ...]
    scope: tuple[Passage, ...]
    quote: SourceSpan | None = None
    alignment: Alignment | None = None
    untested: str = ""

    @property
    def compared(self) -> Alignment | None:
        """The alignment, None where the claim or its sources have no words."""
        return self.alignment if self.alignment and self.alignment.is_readable else None

    @property
    def parts(self) -> tuple[Alignment, ...]:
        """The alignments of the claim's sentences."""
        return self.alignment.parts if self.alignment else ()

    @property
    def spans(self) -> tuple[SourceSpan, ...]:
        """The places of the claim in its sources: its quote, else the two sentences that hold most of it."""
        if self.quote is not None:
            return (self.quote,)
        return tuple(near.sentence.span for near in self.alignment.nearest[:2]) if self.alignment else ()


def cases_of(task: Task, quotes: Sequence[SourceSpan | None], first: int = 1) -> tuple[Case, ...]:
    """The task's claims, numbered from `first`, with quotes and sources; shared sources are indexed once."""
    cases, indexes = [], dict[tuple[int, ...], SourceIndex]()
    for n, (claim, quote) in enumerate(zip(task.claims, quotes, strict=True), first):
        cited, scope = task.cited(claim), task.scope(claim)
        if claim.is_too_long:
            cases.append(Case(n, claim, cited, scope, untested=TOO_LONG))
        elif quote is not None:
            cases.append(Case(n, claim, cited, scope, quote))
        else:
            sources = indexes.setdefault(tuple(map(id, scope)), SourceIndex(scope))
            cases.append(Case(n, claim, cited, scope, alignment=align(n, claim, sources)))
    return tuple(cases)


def untested_cases(task: Task, cause: str, first: int) -> tuple[Case, ...]:
    """The task's claims, numbered from `first`, as untested."""
    return tuple(
        Case(n, claim, task.cited(claim), task.scope(claim), untested=cause)
        for n, claim in enumerate(task.claims, first)
    )


def result(
    claim: Alignment,
    name: str,
    status: Status,
    severity: Severity,
    cause: str | None,
    part: Place,
    source: SourceSpan | None = None,
    kind: FindingKind | None = None,
    expected: str | None = None,
) -> Check:
    """The result of a check of one part of the claim; the part's offsets count in the claim's plain text."""
    place = Span(claim.start + part.start, claim.start + part.end)
    return Check(name, status, severity, claim.n, cause, place, source, kind, expected)


def failure(
    claim: Alignment,
    name: str,
    cause: str,
    part: Place,
    kind: FindingKind,
    source: SourceSpan | None = None,
    expected: str | None = None,
) -> Check:
    """A failed check of one part of the claim."""
    return result(claim, name, Status.FAILED, Severity.BLOCK, cause, part, source, kind, expected)


def uncompared(claim: Alignment, name: str, found: Sequence[Place]) -> list[Check]:
    """An open check where some of the parts found were not compared."""
    if len(found) <= MOST_COMPARED:
        return []
    cause = f"only {MOST_COMPARED} of {len(found)} {name} in one claim were compared"
    return [result(claim, name, Status.UNKNOWN, Severity.BLOCK, cause, found[MOST_COMPARED])]
