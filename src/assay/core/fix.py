"""Fix anyone's draft by its sources: change or mark what failed, and nothing else by a byte."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.draft import DraftState, RepairedSentence
from assay.core.repair import repair_sentence
from assay.core.stages import Stages, TextVerifier
from assay.errors import UsageError
from assay.nlp.citations import HEDGE_MARK
from assay.nlp.cited_sentences import Numbered
from assay.nlp.markup import Role, blanked
from assay.nlp.segments import Joined, Segment, at_end, cut, joined, rewritten
from assay.types import (
    Claim,
    Draft,
    Evidence,
    Fixed,
    Hit,
    Limits,
    Passage,
    Question,
    Repair,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Status,
    Verdict,
)

# Chosen: so many sentences of a draft are repaired, or one for so many of its characters; prose has one in 100. The
# others are marked if they fail: a draft of more wrong sentences is a list of scraps (decision 173).
MOST_REPAIRED, CHARACTERS_A_REPAIR = 100, 30
_NO_QUESTION = Question("", "")
# Put before a table row, so that it is not tested as the head of its table.
_HEAD = (Sentence(1, "|---|"),)
_EMPTIED = "no claim of the draft could be kept: what is left of it claims nothing"
_UNDONE = "its repair left a claim unsupported that was supported"


@dataclass(frozen=True, slots=True)
class _Change:
    """The changes of a piece: its text after each of the `repairs`, empty if it was taken out.

    `after` is the repaired sentence, None if the repair was undone. `unsafe` says that a repair would have broken
    HTML tags, so that the piece is marked instead.
    """

    repairs: tuple[Repair, ...]
    texts: tuple[str, ...]
    after: RepairedSentence | None = None
    unsafe: bool = False


_Changes = Mapping[int, _Change]


async def fix_draft(
    text: str, passages: tuple[Passage, ...], stages: Stages, limits: Limits, *, drop: bool = False
) -> DraftState:
    """Repair every sentence of a draft that failed a check; `[n]` in it, or an id, names `passages[n - 1]`.

    What no repair fixes is marked with ⚠, or taken out if `drop`. A sentence that is only unknown stays, except for
    a value that the sources surely give otherwise. A draft that cites nothing gets no citation marks. Nothing is
    searched: the given sources are the measure. A change after which a claim of the draft no longer passes that
    passed before is undone, and its sentence marked instead. Raises UsageError for an empty draft, no passages, or
    two passages with the same id.
    """
    _refuse_nothing(text, passages)
    allowed = stages.allowed_repairs - {RepairKind.FETCH, RepairKind.DROP}
    stages = replace(stages, allowed_repairs=allowed | {RepairKind.DROP} if drop else allowed)
    evidence = Evidence(tuple(Hit(passage, 0.0) for passage in passages))
    pieces = await asyncio.to_thread(cut, text, Numbered(passages, by_id=True))  # a megabyte takes a while
    before = await _review(pieces, joined(pieces, _texts(pieces, {})), passages, stages)
    repaired = await _repair_pieces(pieces, before, evidence, stages, limits)
    while True:
        changes = repaired | dict(_left_over(pieces, repaired, before))
        now = joined(pieces, _texts(pieces, changes))
        review = before if now.text == text else await _review(pieces, now, passages, stages)
        broken = _broken(pieces, before, now, review)
        cause = _nearest_undoable(broken[0], repaired) if broken else None
        unmarked = _unmarked(pieces, changes, now, review) if cause is None else {}
        if cause is not None:
            repaired[cause] = _with_hedge_mark(pieces[cause], _UNDONE)
        elif unmarked:
            repaired |= {at: _with_hedge_mark(pieces[at], why, changes.get(at)) for at, why in unmarked.items()}
        else:
            fixed = DraftState(
                evidence,
                given_text=now.text,
                review=replace(review, claims=tuple(_with_repair_history(now, changes, review.claims))),
                repairs=tuple(repair for at in sorted(changes) for repair in _repairs_at(at, pieces, changes, now)),
                dropped=tuple(_dropped(pieces, changes, before)),
                notes=(*_notes(changes), *_unsafe(changes)),
            )
            return replace(fixed, notes=(*fixed.notes, _EMPTIED)) if is_emptied(fixed) else fixed


def is_emptied(fixed: DraftState | Fixed) -> bool:
    """True if claims were taken out and none is left: the rest of such a draft was never tested."""
    return bool(fixed.dropped) and not fixed.review.claims


def _refuse_nothing(text: str, passages: Sequence[Passage]) -> None:
    if not text.strip():
        raise UsageError("the draft to fix is empty", hint="give the text of an answer")
    if not passages:
        raise UsageError("there are no sources to fix the draft with", hint="give the passages that it is based on")
    if len({passage.passage_id for passage in passages}) < len(passages):
        raise UsageError("two passages have the same id", hint="give each passage its own id")


async def _review(pieces: Sequence[Segment], now: Joined, passages: tuple[Passage, ...], stages: Stages) -> Review:
    """The review of the text with its markup blanked out; offsets are unchanged."""
    spans = zip(pieces, now.spans, strict=True)
    markup = [span for piece, span in spans if piece.role is Role.MARKUP]
    return await stages.text_verifier.check(blanked(now.text, markup), passages)


async def _repair_pieces(
    pieces: Sequence[Segment], before: Review, evidence: Evidence, stages: Stages, limits: Limits
) -> dict[int, _Change]:
    """Repair each piece that failed; the changes by the number of the piece."""
    cites = bool(before.citations)
    if not cites:
        allowed = stages.allowed_repairs - {RepairKind.RE_CITE}
        stages = replace(stages, allowed_repairs=allowed, verifier=_UncitedVerifier(stages.text_verifier))
    numbered = Numbered(evidence.passages if cites else (), by_id=True)
    blocked = _failing(pieces, before, (Severity.BLOCK,))
    failing = _failing(pieces, before, (Severity.BLOCK, Severity.REPAIR))
    most = max(MOST_REPAIRED, sum(len(piece.written) for piece in pieces) // CHARACTERS_A_REPAIR)
    changes: dict[int, _Change] = {}
    requests = 0
    for at in sorted(failing | _unsettled(pieces, before))[:most]:
        piece = pieces[at]
        allowed = stages.allowed_repairs
        if at not in blocked:  # only a citation is missing, or only a value may be wrong
            allowed &= {RepairKind.RE_CITE if at in failing else RepairKind.CORRECT}
        head = _HEAD if piece.is_row else ()
        after = await repair_sentence(
            piece.sentence, head, _NO_QUESTION, evidence, replace(stages, allowed_repairs=allowed), limits, requests
        )
        requests += after.requests
        change = _change(piece, after, numbered)
        if change.texts and change.texts[-1] != piece.written:
            changes[at] = change
    return changes


def _change(piece: Segment, after: RepairedSentence, numbered: Numbered) -> _Change:
    """Carry the repairs of a sentence over to its piece of the draft."""
    texts = tuple(
        "" if version is None else rewritten(piece, version, numbered, HEDGE_MARK) for version in after.versions
    )
    steps = zip(after.repairs, (piece.written, *texts), texts, strict=False)
    repairs = tuple(replace(repair, before=old.strip(), after=new.strip()) for repair, old, new in steps)
    if texts and not piece.keeps_tags(texts[-1]):
        return replace(_with_hedge_mark(piece, after.repairs[-1].reason), unsafe=True)
    return _Change(repairs, texts, after)


def _failing(pieces: Sequence[Segment], review: Review, grave: Container[Severity]) -> set[int]:
    """The pieces with a failed check of such severity; fixed pieces and heads of tables are left out."""
    claims = {claim.n: claim for claim in review.claims}
    starts, ends = [], []
    for check in review.checks:
        if check.status is Status.FAILED and check.severity in grave:
            span = claims.get(check.claim or 0) or check.answer_span
            starts += [span.start] if span else []
            ends += [span.end - 1] if span else []
    piece_starts = [piece.start for piece in pieces]
    # A claim may take several pieces: a quote without a full stop, a bold title.
    places = zip(_pieces_of(starts, piece_starts), _pieces_of(ends, piece_starts), strict=True)
    found = {at for first, last in places for at in range(first, last + 1)}
    return {at for at in found if not pieces[at].stays and not _heads_a_table(pieces, at)}


def _unsettled(pieces: Sequence[Segment], review: Review) -> set[int]:
    """The pieces that hold the whole of an unknown claim."""
    piece_starts = [piece.start for piece in pieces]
    open_claims = [claim for claim in review.claims if claim.verdict is Verdict.UNKNOWN]
    firsts = _pieces_of((claim.start for claim in open_claims), piece_starts)
    lasts = _pieces_of((claim.end - 1 for claim in open_claims), piece_starts)
    found = {first for first, last in zip(firsts, lasts, strict=True) if first == last}
    return {at for at in found if not pieces[at].stays and not _heads_a_table(pieces, at)}


def _heads_a_table(pieces: Sequence[Segment], at: int) -> bool:
    return pieces[at].is_rule or (at + 1 < len(pieces) and pieces[at + 1].is_rule)


def _pieces_of(places: Iterable[int], starts: Sequence[int]) -> list[int]:
    """The number of the piece that holds each place of the text."""
    return [max(0, bisect_right(starts, place) - 1) for place in places]


def _texts(pieces: Sequence[Segment], changes: _Changes) -> list[str]:
    return [changes[at].texts[-1] if at in changes else piece.written for at, piece in enumerate(pieces)]


def _left_over(pieces: Sequence[Segment], changes: _Changes, before: Review) -> Iterator[tuple[int, _Change]]:
    """Removals of pieces that served only removed ones: headings, heads of tables, lead-ins of lists."""
    removed = {at for at, change in changes.items() if not change.texts[-1]}
    with_claims = set(_pieces_of((claim.start for claim in before.claims), [piece.start for piece in pieces]))
    for at in reversed(range(len(pieces))):
        under, why = _under(pieces, at)
        claims = at in with_claims and not pieces[at].level  # a piece with a claim of its own stays
        if under and not claims and all(n in removed for n in under):
            removed.add(at)
            repair = Repair(RepairKind.DROP, pieces[at].written.strip(), "", why)
            yield at, _Change((repair,), ("",))


def _under(pieces: Sequence[Segment], at: int) -> tuple[range, str]:
    """The pieces that this one only introduces, and the reason to remove it with them; empty for most pieces."""
    piece, end = pieces[at], len(pieces)
    if piece.level:
        end = next((n for n in range(at + 1, end) if 0 < pieces[n].level <= piece.level), end)
        return range(at + 1, end), "nothing is left under this heading"
    if piece.is_rule or _heads_a_table(pieces, at):
        end = next((n for n in range(at + 1, end) if not pieces[n].is_row), end)
        return range(at + 1, end), "no row of this table is left"
    if piece.written.rstrip().endswith((":", "：")) and not _states(piece):
        end = next((n for n in range(at + 1, end) if not pieces[n].item), end)
        return range(at + 1, end), "nothing is left of what this leads in"
    return range(0), ""


def _states(piece: Segment) -> bool:
    """True if a lead-in states something, untested by any check: it cites, or has a number."""
    text = piece.sentence.text.removeprefix(piece.item)
    return bool(piece.sentence.passage_ids) or any(char.isdigit() for char in text)


def _unmarked(pieces: Sequence[Segment], changes: _Changes, now: Joined, review: Review) -> dict[int, str]:
    """The unmarked pieces with a failing claim, and the cause."""
    starts = [span.start for span in now.spans]
    causes = _failures(review)
    found: dict[int, str] = {}
    for claim in review.claims:
        if claim.n not in causes:
            continue
        first, last = _pieces_of((claim.start, claim.end - 1), starts)
        left = [at for at in range(first, last + 1) if not pieces[at].stays and not _is_removed(changes, at)]
        marked = HEDGE_MARK in now.text[now.spans[first].start : now.spans[last].end]
        if left and not marked and not _heads_a_table(pieces, left[-1]):
            found[left[-1]] = causes[claim.n]
    return found


def _failures(review: Review) -> dict[int, str]:
    """The cause of the first blocking failure of each claim, by claim number."""
    found: dict[int, str] = {}
    for check in review.checks:
        if check.claim is not None and check.status is Status.FAILED and check.severity is Severity.BLOCK:
            found.setdefault(check.claim, check.cause or check.name)
    return found


def _is_removed(changes: _Changes, at: int) -> bool:
    return at in changes and not changes[at].texts[-1]


def _broken(pieces: Sequence[Segment], before: Review, now: Joined, after: Review) -> list[int]:
    """The pieces with a claim that passed before and does not now, in the same words; unknown is not passed."""
    passed = _by_piece(before, [piece.start for piece in pieces], (Verdict.SUPPORTED,))
    failing = _by_piece(after, [span.start for span in now.spans], set(Verdict) - {Verdict.SUPPORTED})
    return sorted(at for at, texts in failing.items() if texts & passed.get(at, set()))


def _by_piece(review: Review, starts: Sequence[int], verdicts: Container[Verdict]) -> dict[int, set[str]]:
    """The texts of the claims with one of these verdicts, by piece."""
    claims = [claim for claim in review.claims if claim.verdict in verdicts]
    found: dict[int, set[str]] = {}
    for at, claim in zip(_pieces_of((claim.start for claim in claims), starts), claims, strict=True):
        found.setdefault(at, set()).add(claim.text)
    return found


def _nearest_undoable(at: int, changes: _Changes) -> int | None:
    """The undoable change nearest to a piece; None if there is none."""
    return min((n for n, change in changes.items() if change.after), key=lambda n: abs(n - at), default=None)


def _with_hedge_mark(piece: Segment, why: str, before: _Change | None = None) -> _Change:
    """The piece, as it was or as repairs left it, with a hedge mark."""
    written = piece.written if before is None else before.texts[-1]
    if HEDGE_MARK in written:
        return _Change((), (written,))
    marked = at_end(written, HEDGE_MARK)
    repair = Repair(RepairKind.HEDGE, written.strip(), marked.strip(), why)
    past = before or _Change((), ())
    return _Change((*past.repairs, repair), (*past.texts, marked), past.after)


def _notes(changes: _Changes) -> tuple[str, ...]:
    """The notes on repairs that could not be made, each once."""
    return tuple(dict.fromkeys(note for change in changes.values() if change.after for note in change.after.notes))


def _unsafe(changes: _Changes) -> tuple[str, ...]:
    """The warning that counts sentences marked because a change would have broken HTML."""
    count = sum(change.unsafe for change in changes.values())
    if not count:
        return ()
    sentences, others = ("1 sentence was", "it") if count == 1 else (f"{count} sentences were", "them")
    return (f"{sentences} marked and not changed: the HTML tags in {others} would have lost their other half",)


def _repairs_at(at: int, pieces: Sequence[Segment], changes: _Changes, now: Joined) -> tuple[Repair, ...]:
    """The repairs of a piece; a list mark that moved on to the next piece was not taken out."""
    repairs = changes[at].repairs
    if at not in now.handed or not repairs:
        return repairs
    *others, last = repairs
    return (*others, replace(last, before=last.before.removeprefix(pieces[at].item.lstrip())))


def _with_repair_history(now: Joined, changes: _Changes, claims: Sequence[Claim]) -> Iterator[Claim]:
    """The claims, with the history of repairs for those in changed sentences."""
    at_of = _pieces_of((claim.start for claim in claims), [span.start for span in now.spans])
    for at, claim in zip(at_of, claims, strict=True):
        after = changes[at].after if at in changes else None
        known = {claim.text: claim.history for claim in after.review.claims} if after else {}
        yield replace(claim, history=known.get(claim.text, claim.history))


def _dropped(pieces: Sequence[Segment], changes: _Changes, before: Review) -> Iterator[Claim]:
    """The claims taken out, at their places in the draft."""
    at_of = _pieces_of((claim.start for claim in before.claims), [piece.start for piece in pieces])
    known = {(at, claim.text): claim for at, claim in zip(at_of, before.claims, strict=True)}
    for at in sorted(changes):
        after = changes[at].after
        for claim in after.dropped if after else ():
            stood = known.get((at, claim.text))
            yield claim if stood is None else replace(stood, history=claim.history)


@dataclass(frozen=True, slots=True)
class _UncitedVerifier:
    """Verifier for a draft that cites nothing: tests against all passages and misses no mark."""

    inner: TextVerifier

    async def review(self, question: Question, evidence: Evidence, draft: Draft, *, after: int = 0) -> Review:
        """Every claim of a draft of one sentence."""
        return await self.inner.check(draft.text, evidence.passages)
