"""What is deleted is off the disk, and what is never recorded never was on it."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.budget import Meter
from assay.core.tape import Tape
from assay.records.kept_answers import KeptRow
from assay.records.labels import Labels
from assay.records.recorder import outline
from assay.records.report import report
from assay.records.rows import TABLES, TABLES_OF_RUNS
from assay.records.runs import RunStore
from assay.records.values import WHOLE
from assay.testing.contracts.given import EVIDENCE
from assay.testing.contracts.records import IDS, answer_of, record
from assay.types import (
    Check,
    Claim,
    Contradiction,
    Decision,
    Done,
    EvidenceFound,
    Finding,
    FindingMade,
    Repair,
    RepairKind,
    Sentence,
    SentenceProvisional,
    SentenceRevised,
    SentenceVerified,
    Severity,
    SourceSpan,
    Span,
    Status,
    Verdict,
)

CANARY = "canary-7f3a91"


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "runs.sqlite", "notes")


def fill(store: RunStore, run_id: str) -> None:
    """Record a run that has the canary in every part."""
    text = f"The {CANARY} was opened. " * 200
    tape = Tape()
    tape.record("model", CANARY, CANARY.encode() * 500)
    store.keep_tape(run_id, {"history": [CANARY]}, tape)
    store.measure(run_id, Meter())
    store.keep_answer(run_id, KeptRow(CANARY, CANARY, CANARY, text))
    finding = Finding("dates", 1, Severity.BLOCK, f"the source says {CANARY}", CANARY)
    done = Done(answer=replace(answer_of(run_id, text, document_id=CANARY), findings=(finding,)))
    record(store, run_id, done, question=f"What is {CANARY}?")
    Labels(store).add(run_id, WHOLE, good=True, at=5.0, by=CANARY, note=CANARY)
    Labels(store).decide(run_id, Decision(5.0, CANARY, True, CANARY))


def on_disk(folder: Path) -> bool:
    return any(CANARY.encode() in file.read_bytes() for file in folder.iterdir())


def test_every_table_is_known_to_the_deletion(store: RunStore, tmp_path: Path):
    fill(store, IDS[0])
    with sqlite3.connect(tmp_path / "runs.sqlite") as file:
        tables = {name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        of_runs = {table for table in tables if _has_run_id(file, table)}
        assert all(file.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in of_runs)  # noqa: S608
    assert tables == set(TABLES)
    assert of_runs == set(TABLES_OF_RUNS)


def _has_run_id(file: sqlite3.Connection, table: str) -> bool:
    return "run_id" in {row[1] for row in file.execute(f"PRAGMA table_info({table})")}


@pytest.mark.parametrize("all_of_them", [False, True])
def test_no_byte_of_a_deleted_run_is_left_on_the_disk(store: RunStore, tmp_path: Path, all_of_them: bool):
    record(store, IDS[0])
    fill(store, IDS[1])
    assert on_disk(tmp_path)
    deleted = store.delete_all() if all_of_them else store.delete([IDS[1]])
    assert deleted.wiped
    assert not on_disk(tmp_path)
    store.close()
    assert not on_disk(tmp_path)


def test_a_reader_in_another_process_keeps_the_log_and_the_deletion_says_so(store: RunStore, tmp_path: Path):
    store.file.patience = 0.01
    fill(store, IDS[0])
    reader = sqlite3.connect(tmp_path / "runs.sqlite")
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM runs").fetchone()
    with sqlite3.connect(tmp_path / "runs.sqlite") as other:
        other.execute("INSERT INTO runs VALUES ('x', '', '', 1.0, 'error')")
    assert not store.delete([IDS[0]]).wiped
    reader.close()
    assert store.delete([]).wiped
    assert not on_disk(tmp_path)


def test_what_was_recorded_still_cannot_be_changed_nor_by_deleting_and_adding(store: RunStore, tmp_path: Path):
    fill(store, IDS[0])
    with sqlite3.connect(tmp_path / "runs.sqlite") as file:
        for table in ("runs", "events", "labels", "decisions"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                file.execute(f"UPDATE {table} SET run_id = 'x'")  # noqa: S608


# --- outlines --------------------------------------------------------------------------------------------


def full_of_texts(run_id: str) -> tuple[object, ...]:
    """Events of a run with the canary wherever a text can stand."""
    text = f"It says {CANARY}."
    passage = replace(EVIDENCE.hits[0].passage, text=text, title=CANARY, metadata={CANARY: CANARY})
    evidence = replace(EVIDENCE, hits=(replace(EVIDENCE.hits[0], passage=passage),), notes=(CANARY,))
    span = SourceSpan("p1", 0, len(text), text)
    sentence = Sentence(1, text, ("p1",), (CANARY,))
    finding = Finding("dates", 1, Severity.BLOCK, CANARY, CANARY)
    answer = answer_of(run_id, text)
    answer = replace(
        answer,
        claims=(replace(answer.claims[0], spans=(span,)),),
        dropped=(Claim(1, CANARY, 0, 1, (), Verdict.CONTRADICTED, 0.1),),
        checks=(Check("dates", Status.FAILED, Severity.BLOCK, 1, CANARY, Span(0, 1), span, expected=CANARY),),
        findings=(finding,),
        repairs=(Repair(RepairKind.DROP, CANARY, CANARY, CANARY),),
        warnings=(CANARY,),
        invalid_citations=(CANARY,),
        judgement=replace(
            answer.judgement,
            reason=CANARY,
            missing=(CANARY,),
            contradictions=(Contradiction(CANARY, (span, span)),),
        ),
    )
    return (
        EvidenceFound(queries=(CANARY,), evidence=evidence),
        SentenceProvisional(sentence=sentence),
        SentenceRevised(sentence=sentence, before=CANARY, reason=CANARY),
        SentenceVerified(sentence=sentence),
        FindingMade(finding=finding),
        Done(answer=answer),
    )


def test_an_outline_says_what_was_decided_and_holds_no_text(tmp_path: Path):
    store = RunStore(tmp_path / "runs.sqlite", "notes", texts=False)
    tape = Tape()
    tape.record("model", CANARY, CANARY.encode())
    store.keep_tape(IDS[0], {"history": [CANARY]}, tape)
    record(store, IDS[0], *full_of_texts(IDS[0]))
    assert not on_disk(tmp_path)
    found = store.load("last")
    assert found.answer is not None
    assert found.answer["claims"][0]["verdict"] == "supported"
    assert found.answer["checks"][0]["name"] == "dates"
    assert found.answer["sources"][0]["document_id"] == "d1"
    assert found.answer["text"] == found.answer["sources"][0]["quote"] == ""
    assert [event.kind for event in found.events][-1] == "done"
    (figures,) = store.figures()
    assert figures.figures is not None
    assert figures.figures.repairs == {"dropped": 1}
    assert store.waiting()[0].findings == ("dates",)
    assert Labels(store).add(IDS[0], 1, good=True, at=1.0, by="ann").claim == 1
    assert "dates" in report(found.to_dict())
    store.close()
    assert not on_disk(tmp_path)


def test_an_outline_of_anything_has_no_text_but_names_of_decisions():
    body = {"n": 1, "new_field": "text", "list": ["a", 1, None], "deep": [{"kind": "x", "more": ["b"]}], "ok": True}
    assert outline(json.loads(json.dumps(body))) == {
        "n": 1,
        "new_field": "",
        "list": [1, None],
        "deep": [{"kind": "x", "more": []}],
        "ok": True,
    }
