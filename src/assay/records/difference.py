"""The difference of two ends of runs: what was decided and said otherwise. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from assay.nlp.citations import citations
from assay.nlp.cited_sentences import without_marks
from assay.nlp.sentences import sentences
from assay.records.values import RunRecord
from assay.types import (
    Acted,
    Answer,
    Change,
    CheckChange,
    ClaimChange,
    Difference,
    Failed,
    SentenceChange,
    Span,
    Value,
)

Json = Mapping[str, Any]
# Numbers that are no further apart are the same (chosen): vectors differ a little by what they are computed with.
_ROUNDING = 1e-3
# The parts of two answer objects that are compared. Times and ids always differ.
_COMPARED = (
    *("outcome", "verdict", "text", "answers_question", "profile", "mode_used"),
    *("judgement.sufficiency", "judgement.quality", "judgement.recommendation", "judgement.reason"),
    *("confidence.score", "confidence.level", "confidence.value", "assessment.overall"),
    *("drafts", "searches", "models.writer", "models.judge", "models.verifier"),
    *("usage.calls", "usage.total_tokens", "usage.cost", "warnings"),
)


@dataclass(frozen=True, slots=True)
class RunEnd(Value):
    """The end of a run: its answer object, None after an error, and the actions on the way there, in order."""

    answer: Json | None
    actions: tuple[str, ...] = ()
    error: str = ""

    @classmethod
    def of_record(cls, record: RunRecord) -> RunEnd:
        """The end of a recorded run."""
        last = record.events[-1]
        return cls(
            record.answer,
            tuple(event.body["step"]["action"] for event in record.events if event.kind == Acted.kind),
            f"{last.body['error']}: {last.body['message']}" if last.kind == Failed.kind else "",
        )

    @classmethod
    def of_answer(cls, answer: Answer) -> RunEnd:
        """The end of a run that gave this answer, which has its trace."""
        acted = (event for event in answer.trace if isinstance(event, Acted))
        return cls(answer.to_dict(), tuple(event.step.action.value for event in acted))


def difference(before: RunEnd, after: RunEnd) -> Difference:
    """The difference between two ends of runs.

    >>> difference(RunEnd(None, error="late"), RunEnd(None, error="late")).is_empty
    True
    >>> difference(RunEnd(None, ("ANSWER",)), RunEnd(None, ("ABSTAIN",))).changed
    (Change(path='actions', before=['ANSWER'], after=['ABSTAIN']),)
    """
    one, other = before.answer or {}, after.answer or {}
    pairs = [(path, _at(one, path), _at(other, path)) for path in _COMPARED]
    pairs.append(("sources", _source_ids(one), _source_ids(other)))
    pairs.append(("actions", list(before.actions), list(after.actions)))
    pairs.append(("error", before.error, after.error))
    return Difference(
        tuple(Change(path, was, now) for path, was, now in pairs if _differs(was, now)),
        _sentence_rows(one.get("text", ""), other.get("text", "")),
        _claim_changes(one.get("claims", ()), other.get("claims", ())),
        _check_changes(one, other),
    )


def _differs(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) > _ROUNDING
    return bool(one != other)


def _at(answer: Json, path: str) -> Any:
    """The value at a place, None if there is none."""
    found: Any = answer
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _source_ids(answer: Json) -> list[str]:
    return [source["passage_id"] for source in answer.get("sources", ())]


def _sentence_rows(before: str, after: str) -> tuple[SentenceChange, ...]:
    rows: list[SentenceChange] = []
    one, other = _sentences(before), _sentences(after)
    for kind, start, end, other_start, other_end in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        was, now = one[start:end], other[other_start:other_end]
        state: Literal["same", "changed"] = "same" if kind == "equal" else "changed"
        paired = min(len(was), len(now))
        rows += [SentenceChange(state, *pair) for pair in zip(was, now, strict=False)]
        rows += [SentenceChange("removed", text, None) for text in was[paired:]]
        rows += [SentenceChange("added", None, text) for text in now[paired:]]
    return tuple(rows)


def _sentences(text: str) -> list[str]:
    """The sentences without their marks, which name other numbers from answer to answer."""
    plain = without_marks(text, [Span(mark.start, mark.end) for mark in citations(text)])
    return [" ".join(plain[span.start : span.end].split()) for span in sentences(plain)]


def _claim_changes(before: Sequence[Json], after: Sequence[Json]) -> tuple[ClaimChange, ...]:
    """The claims whose verdicts differ; a claim is known by its text, and by its turn among equal ones."""
    one, other = _by_text(before), _by_text(after)
    changes = []
    for key in dict.fromkeys([*one, *other]):
        was, now = one.get(key), other.get(key)
        if was is None or now is None or was["verdict"] != now["verdict"]:
            parts = (_part(claim, name) for name in ("n", "verdict", "support") for claim in (was, now))
            changes.append(ClaimChange(key[0], *parts))
    return tuple(changes)


def _part(claim: Json | None, name: str) -> Any:
    return None if claim is None else claim[name]


def _by_text(claims: Iterable[Json]) -> dict[tuple[str, int], Json]:
    turns: defaultdict[str, int] = defaultdict(int)
    found = {}
    for claim in claims:
        text = " ".join(claim["text"].split())
        turns[text] += 1
        found[text, turns[text]] = claim
    return found


def _check_changes(before: Json, after: Json) -> tuple[CheckChange, ...]:
    one, other = _statuses(before), _statuses(after)
    keys = dict.fromkeys([*one, *other])
    pairs = ((key, tuple(sorted(one.get(key, ()))), tuple(sorted(other.get(key, ())))) for key in keys)
    return tuple(CheckChange(*key, was, now) for key, was, now in pairs if was != now)


def _statuses(answer: Json) -> dict[tuple[str, str], list[str]]:
    """The statuses of the checks, by name and the text of their claim."""
    texts = {claim["n"]: " ".join(claim["text"].split()) for claim in answer.get("claims", ())}
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for check in answer.get("checks", ()):
        found[check["name"], texts.get(check["claim"], "")].append(check["status"])
    return found
