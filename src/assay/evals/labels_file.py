"""Labels as JSON lines, read strictly: whatever is wrong is refused with its line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import UsageError
from assay.records.labels import WHOLE, Labels
from assay.records.values import RunRecord
from assay.types import EvidenceFound, Passage, Verdict

# Fewer labels than this, or fewer of either kind, fit no calibration that means anything.
FEWEST, FEWEST_OF_A_KIND = 20, 5
# How much of a wrong value is shown.
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Line:
    """One object of the file, with the number of its line."""

    number: int
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A labelled line: whether `id` is right, and its score where the line gives one."""

    number: int
    id: str
    right: bool
    score: float | None = None


def lines(path: Path) -> tuple[Line, ...]:
    """The objects of a file of JSON lines; empty lines are passed over. UsageError names the line that is none."""
    hint = "give a file of JSON lines in UTF-8"
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text", hint=hint) from error
    found = tuple(_object(path, n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
    if not found:
        raise UsageError(f"{path} is empty", hint="give one JSON object on each line")
    return found


def read_labels(path: Path) -> tuple[Labelled, ...]:
    """The labels of a file: {"id", "label": true or false, "score"?} a line.

    UsageError, naming the line, for an id that is missing or comes twice, a label that is neither true nor false,
    or a score that is no number from 0 to 1; and for labels that are too few, or all alike.
    """
    found: dict[str, Labelled] = {}
    for line in lines(path):
        one = _labelled(path, line)
        if one.id in found:
            raise line_error(path, line.number, f"the id {one.id!r} stands in line {found[one.id].number} already")
        found[one.id] = one
    return require_enough(path.name, found.values())


def require_enough(what: str, found: Iterable[Labelled]) -> tuple[Labelled, ...]:
    """The labels; UsageError, with how many there are and are needed, where they are too few to measure."""
    rows = tuple(found)
    right = sum(row.right for row in rows)
    wrong = len(rows) - right
    if len(rows) < FEWEST or min(right, wrong) < FEWEST_OF_A_KIND:
        labels = "1 label" if len(rows) == 1 else f"{len(rows)} labels"
        needed = f"at least {FEWEST} are needed, {FEWEST_OF_A_KIND} of them right and {FEWEST_OF_A_KIND} wrong"
        raise UsageError(
            f"{what}: too few to measure: {labels}, {right} right and {wrong} wrong; {needed}",
            hint="label more answers: assay label RUN --right, or --wrong",
        )
    return rows


def _object(path: Path, number: int, line: str) -> Line:
    try:
        body = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise line_error(path, number, "it is not JSON") from error
    if not isinstance(body, dict):
        raise line_error(path, number, "it is not a JSON object")
    return Line(number, body)


def _labelled(path: Path, line: Line) -> Labelled:
    key, label = line.body.get("id"), line.body.get("label")
    if not isinstance(key, str) or not key:
        raise line_error(path, line.number, "it has no id")
    if not isinstance(label, bool):
        raise line_error(path, line.number, f"its label is {shown_value(label)}; a label is true or false")
    return Labelled(line.number, key, label, score_of(path, line))


def score_of(path: Path, line: Line) -> float | None:
    """The line's score, None where it gives none; UsageError where that is no number from 0 to 1."""
    score = line.body.get("score")
    if score is None:
        return None
    if not is_score(score):
        raise line_error(path, line.number, f"its score is {shown_value(score)}; a score is a number from 0 to 1")
    return float(score)


def shown_value(value: Any) -> str:
    """A value of a file as JSON, cut where it is long.

    >>> shown_value(float("nan")), shown_value("x" * 100)[-4:]
    ('NaN', 'xxx…')
    """
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def is_score(value: Any) -> bool:
    """True if this is a number from 0 to 1.

    >>> is_score(0.5), is_score(float("nan")), is_score(True)
    (True, False, False)
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def line_error(path: Path, number: int, what: str) -> UsageError:
    """The error that names the line."""
    return UsageError(f"{path.name}, line {number}: {what}", hint="correct the line, or take it out")


# Labelled claims as JSON lines, each beside its evidence; read strictly.


# What a label may be: a verdict, or as `assay audit` has it; of a claim that is only called wrong, nobody said
# whether its evidence contradicts it.
_LABELS = {verdict.value: verdict for verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED)}


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim, what its evidence says of it, that evidence, and the number of the line that tells so."""

    number: int
    claim: str
    label: Verdict
    passages: tuple[Passage, ...]

    @property
    def group(self) -> str:
        """The evidence as one text: claims of one group have the same."""
        return "\n".join(passage.text for passage in self.passages)


def read_labelled_claims(path: Path) -> tuple[LabelledClaim, ...]:
    """The claims of a file: {"claim", "evidence": a text or a list of texts, "label"} a line.

    A label is supported, contradicted or unsupported. What `assay audit` reads is understood too: "context" is
    evidence, true is supported, false is unsupported. UsageError, naming the line, for what is none of it, and for
    a claim that comes twice beside the same evidence.
    """
    found: dict[tuple[str, str], LabelledClaim] = {}
    for line in lines(path):
        one = LabelledClaim(line.number, *_claim_and_label(path, line), _passages(path, line))
        key = " ".join(one.claim.split()), one.group
        if key in found:
            raise line_error(path, line.number, f"the claim stands in line {found[key].number} already")
        found[key] = one
    return tuple(found.values())


def recorded_claims(labels: Labels, collection: str, *, with_accepted: bool = False) -> tuple[LabelledClaim, ...]:
    """The labelled claims of the collection's recorded answers, each beside the passages that it cites or rests on.

    A claim that a person called wrong is unsupported: nobody said whether its passages contradict it. A claim
    without a passage is left out. `with_accepted`, the claims of an answer that was accepted in review are
    supported where nobody labelled them; those of a rejected one are not known.
    """
    found: list[LabelledClaim] = []
    given = labels.current()
    named = {(label.run_id, label.claim) for label in given}
    for label in given:
        record = labels.store.load(label.run_id)
        answer = record.answer
        if answer is None or record.run.collection != collection:
            continue
        numbers = [label.claim]
        if label.claim == WHOLE:
            is_accepted = bool(record.decisions) and record.decisions[-1].accepted
            every = (
                [claim["n"] for claim in answer["claims"]] if with_accepted and is_accepted and label.good else []
            )
            numbers = [n for n in every if (label.run_id, n) not in named]
        verdict = Verdict.SUPPORTED if label.good else Verdict.UNSUPPORTED
        for claim in answer["claims"]:
            passages = _passages_of(claim, record) if claim["n"] in numbers else ()
            if passages:
                found.append(LabelledClaim(label.version, claim["text"], verdict, passages))
    return tuple(found)


def _passages_of(claim: Mapping[str, Any], record: RunRecord) -> tuple[Passage, ...]:
    """The passages that a recorded claim cites or rests on."""
    shown = {*claim["citations"], *(span["passage_id"] for span in claim["spans"])}
    events = (event for event in record.events if event.kind == EvidenceFound.kind)
    hits = (hit for event in events for hit in event.body["evidence"]["hits"])
    texts = {hit["passage"]["passage_id"]: hit["passage"]["text"] for hit in hits}
    return tuple(
        Passage(passage_id, passage_id, "", 0, len(text), text)
        for passage_id, text in texts.items()
        if passage_id in shown
    )


def count_summary(claims: Sequence[LabelledClaim]) -> str:
    """Number of claims of each label, in words.

    >>> rain, snow = (LabelledClaim(n, "It rained.", Verdict.SUPPORTED, ()) for n in (1, 2))
    >>> count_summary([rain, snow])
    '2 labelled claims: 2 supported, 0 contradicted, 0 unsupported'
    """
    by_label = Counter(claim.label for claim in claims)
    parts = ", ".join(f"{by_label[label]} {name}" for name, label in _LABELS.items())
    return f"{len(claims)} labelled claims: {parts}"


def _claim_and_label(path: Path, line: Line) -> tuple[str, Verdict]:
    claim, label = line.body.get("claim"), line.body.get("label")
    if not isinstance(claim, str) or not claim.strip():
        raise line_error(path, line.number, "it has no claim")
    if isinstance(label, bool):
        return claim, Verdict.SUPPORTED if label else Verdict.UNSUPPORTED
    if not isinstance(label, str) or label not in _LABELS:
        known = ", ".join(_LABELS)
        raise line_error(
            path, line.number, f"its label is {shown_value(label)}; a label is {known}, or true or false"
        )
    return claim, _LABELS[label]


def _passages(path: Path, line: Line) -> tuple[Passage, ...]:
    given: Any = line.body.get("evidence", line.body.get("context"))
    texts = given if isinstance(given, list) else [given]
    if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise line_error(path, line.number, "it has no evidence: a text, or a list of texts")
    return tuple(Passage(str(n), str(n), "", 0, len(text), text) for n, text in enumerate(texts, 1))
