"""Recorded runs as rows for other programs: assay's own, and under the column names of ragas and DeepEval. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from assay.records.figures import DELIVERED
from assay.records.labels import Labels
from assay.records.run_records import RunRecords
from assay.records.values import WHOLE, RunQuery, RunRecord
from assay.types import EvidenceFound, Label, plain

Format = Literal["assay", "ragas", "deepeval"]


def export_rows(records: RunRecords, query: RunQuery, form: Format) -> Iterator[dict[str, Any]]:
    """The rows of the runs that a query names, newest first, read page by page; its limit is that of a page.

    Those of ragas and DeepEval are answers to questions: refusals, errors and drafts from elsewhere are left out.
    """
    current: dict[str, list[Label]] = {}
    for label in Labels(records).current():
        current.setdefault(label.run_id, []).append(label)
    before: str | None = query.before
    while before is not None:
        page = records.find(replace(query, before=before))
        for run in page.runs:
            row = row_of(records.load(run.run_id), current.get(run.run_id, ()), form)
            if row is not None:
                yield row
        before = page.next


def row_of(record: RunRecord, labels: Sequence[Label], form: Format) -> dict[str, Any] | None:
    """The row of a run with its current labels, None if the format has none for it."""
    if form == "assay":
        return {**record.to_dict(), "labels": plain(labels)}
    answer = record.answer
    if answer is None or answer["outcome"] not in DELIVERED or not answer["question"]:
        return None
    passages = _passages(record)
    texts = [passage["text"] for passage in passages]
    # The answer itself is what is expected, where a person found it right.
    is_right = any(label.claim == WHOLE and label.good for label in labels)
    reference = answer["text"] if is_right else None
    if form == "ragas":
        # The fields of ragas.dataset_schema.SingleTurnSample (ragas 0.3).
        return {
            "user_input": answer["question"],
            "response": answer["text"],
            "retrieved_contexts": texts,
            "retrieved_context_ids": [passage["passage_id"] for passage in passages],
            "reference": reference,
        }
    # The parameters of deepeval.test_case.LLMTestCase (DeepEval 3).
    return {
        "input": answer["question"],
        "actual_output": answer["text"],
        "expected_output": reference,
        "retrieval_context": texts,
        "token_cost": answer["usage"]["cost"],
        "completion_time": answer["ms"] / 1000,
    }


def _passages(record: RunRecord) -> list[Mapping[str, Any]]:
    """The passages that the answer could stand on: those of the last search."""
    found = [event.body for event in record.events if event.kind == EvidenceFound.kind]
    return [hit["passage"] for hit in found[-1]["evidence"]["hits"]] if found else []
