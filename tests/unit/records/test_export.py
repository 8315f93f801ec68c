"""Rows of recorded runs under the names of other programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.records.export import export_rows
from assay.records.labels import Labels
from assay.records.runs import RunStore
from assay.records.values import WHOLE, RunQuery
from assay.testing.contracts.given import ASKED, EVIDENCE, TEXTS
from assay.testing.contracts.records import IDS, answer_of, failed, record
from assay.types import Done, Evidence, EvidenceFound, Outcome


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    store = RunStore(tmp_path / "runs.sqlite", "notes")
    first = EvidenceFound(queries=(ASKED,), evidence=Evidence(EVIDENCE.hits[:1]))
    last = EvidenceFound(queries=("more",), evidence=EVIDENCE)
    record(store, IDS[0], first, last, Done(answer=answer_of(IDS[0])))
    record(store, IDS[1], failed())
    record(store, IDS[2], Done(answer=replace(answer_of(IDS[2]), outcome=Outcome.ABSTAINED)))
    yield store
    store.close()


def test_assays_own_rows_have_every_run_with_its_current_labels(store: RunStore):
    for good in (True, False):
        Labels(store).add(IDS[0], WHOLE, good=good, at=5.0, by="ann")
    rows = {row["run"]["run_id"]: row for row in export_rows(store, RunQuery(limit=2), "assay")}
    assert set(rows) == set(IDS)
    assert rows[IDS[0]]["events"][-1]["body"]["answer"] == answer_of(IDS[0]).to_dict()
    assert [label["good"] for label in rows[IDS[0]]["labels"]] == [False]
    assert rows[IDS[1]]["events"][-1]["kind"] == "error"


@pytest.mark.parametrize("good", [True, False, None])
def test_ragas_and_deepeval_get_answers_with_all_that_was_found_and_what_was_found_right(
    store: RunStore, good: bool | None
):
    if good is not None:
        Labels(store).add(IDS[0], WHOLE, good=good, at=5.0, by="ann")
    expected = f"{TEXTS[0]} [1]" if good else None
    assert list(export_rows(store, RunQuery(), "ragas")) == [
        {
            "user_input": ASKED,
            "response": f"{TEXTS[0]} [1]",
            "retrieved_contexts": list(TEXTS),
            "retrieved_context_ids": ["p1", "p2", "p3"],
            "reference": expected,
        }
    ]
    assert list(export_rows(store, RunQuery(), "deepeval")) == [
        {
            "input": ASKED,
            "actual_output": f"{TEXTS[0]} [1]",
            "expected_output": expected,
            "retrieval_context": list(TEXTS),
            "token_cost": 0.0,
            "completion_time": 0.0015,
        }
    ]


def test_a_draft_from_elsewhere_is_no_answer_to_a_question(store: RunStore):
    record(store, "01K0", Done(answer=replace(answer_of("01K0"), question="")))
    assert len(list(export_rows(store, RunQuery(), "ragas"))) == 1
    assert len(list(export_rows(store, RunQuery(), "assay"))) == 4


def test_only_the_runs_of_the_query_are_exported(store: RunStore):
    Labels(store).add(IDS[0], WHOLE, good=False, at=5.0, by="ann")
    assert [row["run"]["run_id"] for row in export_rows(store, RunQuery(labelled=True), "assay")] == [IDS[0]]
    assert list(export_rows(store, RunQuery(collection="other"), "assay")) == []
