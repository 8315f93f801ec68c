"""An answer's claims: its sentences, cut where one states two things, with the sources each cites."""

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

# Where one sentence goes on to a second statement; both sides keep at least four words.
_JOINT = re.compile(r";\s+|,\s+(?=(?:but|whereas|while|although)\s)", re.IGNORECASE)
_LEAST_WORDS = 4
_WORD = re.compile(r"\S+")
_STOPS = frozenset(".!?。！？")
# Characters of one sentence, chosen. What is longer is a list or a file without full stops, and no rule was made
# for it; the longest labelled claim has some 1,600 (decision 173).
LONGEST_CLAIM = 6_000
ENDLESS = f"the sentence is longer than {LONGEST_CLAIM:,} characters: nothing this long is tested as one claim"
# A table's first row heads its columns; a cell of more words may well be a statement.
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
# A mark is a word of its sentence behind these, and before a verb where a clause begins: "[2] states that …". After
# the comma of a longer lead-in it belongs to that: "According to the handbook, [1] employees get 20 days."
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
class Stated:
    """One claim as stated; `start, end` are offsets in the answer, `numbers` the sources it cites.

    `plain` is the answer from `start` to `end` with marks as spaces, `text` the same without them and without the
    connective that opens it.
    """

    text: str
    start: int
    end: int
    numbers: tuple[int, ...]
    plain: str

    @property
    def is_endless(self) -> bool:
        """Whether it is too long to be tested as one claim."""
        return self.end - self.start > LONGEST_CLAIM


def stated(text: str, marks: Sequence[Citation], written: Sequence[Span] = ()) -> list[Stated]:
    """An answer's claims in order.

    Abstentions, courtesies, questions and their titles, headings (a table's too) and lead-ins claim nothing. A mark
    belongs to the sentence that it stands in or behind; HTML is cut at its blocks. `written` are the places of the
    sentences as their writer told them: a mark then belongs to all of what was written as one.

    >>> from assay.nlp.citations import citations
    >>> text = "It is 5 km long. [1] I don't have information on its depth."
    >>> [(claim.text, claim.numbers) for claim in stated(text, citations(text))]
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
    owned = _owners(blanked, spans, marks, written)
    found: list[Stated] = []
    for at, span in enumerate(spans):
        if claims_nothing(blanked[span.start : span.end]) or (not owned[at] and _heads_a_table(blanked, span)):
            continue
        numbers = tuple(dict.fromkeys(number for mark in owned[at] for number in mark.numbers))
        for part in _parts(blanked, span):
            found.append(_claim(text, blanked, part, numbers, owned[at]))
    return found


def whole(text: str, marks: Sequence[Citation]) -> list[Stated]:
    """The text as one claim, citing what its marks say; none where it holds no word."""
    blanked = without_marks(text, marks)
    numbers = tuple(dict.fromkeys(number for mark in marks for number in mark.numbers))
    return [_claim(text, blanked, Span(0, len(text)), numbers, marks)] if terms(blanked, stop_words=True) else []


def says_only_yes_or_no(sentence: str) -> bool:
    """Whether a sentence is a bare yes or no, whose ground is what can be tested.

    >>> says_only_yes_or_no("Yes."), says_only_yes_or_no("Yes, it rained.")
    (True, False)
    """
    return sentence.strip().rstrip(".!,。").casefold() in _YES_OR_NO


def _between_marks(text: str, blanked: str, marks: Sequence[Citation]) -> list[Span]:
    """The text cut behind each mark that follows a finished sentence: `It is. [1] and so on` are two."""
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
    """Whether a sentence states nothing that a source could bear out.

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
    """Whether a sentence is a table's first row, and holds nothing but a few words in each cell."""
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
    """Whether a sentence says that there is no answer; that is honest, not a claim.

    >>> abstains("I don't have information about the price."), abstains("There is no evidence that it rained.")
    (True, False)
    """
    return _ABSTAINS.search(sentence) is not None


def _without_list_mark(text: str, span: Span) -> Span:
    match = _LIST_MARK.match(text, span.start, span.end)
    return Span(match.end(), span.end) if match and match.end() < span.end else span


def _owners(
    text: str, spans: Sequence[Span], marks: Sequence[Citation], written: Sequence[Span]
) -> list[list[Citation]]:
    """Each sentence's marks: those in it or behind it, of all that was written as one, or the one it speaks of."""
    pieces = written or spans
    owned: list[list[Citation]] = [[] for _ in pieces]
    at = 0
    for mark in marks:
        while at + 1 < len(pieces) and (
            pieces[at + 1].start <= mark.start or _is_subject(text, mark, pieces[at + 1].start)
        ):
            at += 1
        if pieces:
            owned[at].append(mark)
    if not written:
        return owned
    starts = [piece.start for piece in written]
    return [owned[bisect_right(starts, span.start) - 1] for span in spans]


def _is_subject(text: str, mark: Citation, start: int) -> bool:
    """Whether a mark stands right before what it does: "[2] states that …"."""
    return mark.end <= start and not text[mark.end : start].strip() and _VERB.match(text, start) is not None


def _parts(text: str, span: Span) -> list[Span]:
    """The sentence cut at its joints, where both sides are long enough to be statements."""
    cuts, start = [], span.start
    for joint in _JOINT.finditer(text, span.start, span.end):
        if _says_enough(text, start, joint.start()) and _says_enough(text, joint.end(), span.end):
            cuts.append(Span(start, joint.start()))
            start = joint.end()
    return [*cuts, Span(start, span.end)]


def _says_enough(text: str, start: int, end: int) -> bool:
    """Whether a stretch has words enough for a statement; no more of them is looked at."""
    return sum(1 for _ in islice(_WORD.finditer(text, start, end), _LEAST_WORDS)) == _LEAST_WORDS


def _claim(text: str, blanked: str, part: Span, numbers: tuple[int, ...], marks: Sequence[Citation]) -> Stated:
    """The claim of a stretch: the answer's own words, those around the marks where some stand inside."""
    plain = blanked[part.start : part.end]
    worded = _with_sources_named(blanked, part, marks)
    own = plain if worded == text[part.start : part.end] else _BEFORE_STOP.sub(r"\1", " ".join(worded.split()))
    return Stated(without_connective(own), part.start, part.end, numbers, plain)


def _with_sources_named(blanked: str, part: Span, marks: Sequence[Citation]) -> str:
    """The stretch with "the source" for each mark without which its sentence would lack a word.

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


# A claim beside its sources, and the checks of its parts.


# A claim of more numbers than this is a table; the rest of them is not compared, and a check says so.
MOST_COMPARED = 100


def align(n: int, claim: Stated, sources: SourceIndex) -> Alignment:
    """The claim, `n` from 1, beside its sources."""
    return Alignment(claim.text, claim.plain, sources, n, claim.start)


@dataclass(frozen=True, slots=True)
class Task:
    """A text to review: source n is `numbered[n - 1]`, None where that passage is gone.

    `cites` says that every claim should cite a source.
    """

    text: str
    marks: tuple[Citation, ...]
    claims: tuple[Stated, ...]
    numbered: tuple[Passage | None, ...]
    passages: tuple[Passage, ...]
    cites: bool

    def has(self, number: int) -> bool:
        """Whether a source of that number was given, be it gone or not."""
        return 1 <= number <= len(self.numbered)

    def cited(self, claim: Stated) -> tuple[Passage, ...]:
        """The passages that a claim cites and that exist."""
        found = [self.numbered[number - 1] for number in claim.numbers if self.has(number)]
        return tuple(passage for passage in found if passage is not None)

    def scope(self, claim: Stated) -> tuple[Passage, ...]:
        """The passages that a claim stands on: those it cites, or all where it cites none."""
        return self.cited(claim) or self.passages


@dataclass(frozen=True, slots=True)
class Case:
    """One claim, `n` from 1, with its sources: those it cites, or all where it cites none.

    `quote` is where a source says the claim word for word; only where none does is it set beside its sources, as
    `alignment`. `untested` says why it is neither looked up nor compared, "" where it is.
    """

    n: int
    claim: Stated
    cited: tuple[Passage, ...]
    scope: tuple[Passage, ...]
    quote: SourceSpan | None = None
    alignment: Alignment | None = None
    untested: str = ""

    @property
    def compared(self) -> Alignment | None:
        """The claim beside its sources, None where one of the two has no word to compare."""
        return self.alignment if self.alignment and self.alignment.is_readable else None

    @property
    def parts(self) -> tuple[Alignment, ...]:
        """The claim's sentences, each beside the same sources."""
        return self.alignment.parts if self.alignment else ()

    @property
    def spans(self) -> tuple[SourceSpan, ...]:
        """Where the claim's sources say it: its quote, else the two sentences that hold most of it."""
        if self.quote is not None:
            return (self.quote,)
        return tuple(near.sentence.span for near in self.alignment.nearest[:2]) if self.alignment else ()


def cases_of(task: Task, quotes: Sequence[SourceSpan | None], first: int = 1) -> tuple[Case, ...]:
    """The task's claims, numbered from `first`, with their quotes and sources; shared sources are indexed once."""
    cases, indexes = [], dict[tuple[int, ...], SourceIndex]()
    for n, (claim, quote) in enumerate(zip(task.claims, quotes, strict=True), first):
        cited, scope = task.cited(claim), task.scope(claim)
        if claim.is_endless:
            cases.append(Case(n, claim, cited, scope, untested=ENDLESS))
        elif quote is not None:
            cases.append(Case(n, claim, cited, scope, quote))
        else:
            sources = indexes.setdefault(tuple(map(id, scope)), SourceIndex(scope))
            cases.append(Case(n, claim, cited, scope, alignment=align(n, claim, sources)))
    return tuple(cases)


def untested_cases(task: Task, cause: str, first: int) -> tuple[Case, ...]:
    """The task's claims, numbered from `first`, none of which is tested."""
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
    """The result of a check of one part of the claim, whose place counts in the claim's plain text."""
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
    """An open check where some of many parts were not compared."""
    if len(found) <= MOST_COMPARED:
        return []
    cause = f"of {len(found)} {name} in one claim only {MOST_COMPARED} were compared"
    return [result(claim, name, Status.UNKNOWN, Severity.BLOCK, cause, found[MOST_COMPARED])]
