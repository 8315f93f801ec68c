"""Suite of the record of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from assay.calibration.shipped import shipped
from assay.core.budget import Meter
from assay.core.tape import Tape, TapeEntry
from assay.errors import DamagedStore, UsageError
from assay.records.kept_answers import KeptRow, written
from assay.records.labels import Labels
from assay.records.run_records import RunRecords
from assay.records.values import WHOLE, RunQuery
from assay.testing.contracts.given import ASKED, TEXTS, Contract, hostile, passage, required
from assay.types import (
    Action,
    Answer,
    Claim,
    Confidence,
    Decision,
    Done,
    Event,
    Evidence,
    EvidenceFound,
    Failed,
    Finding,
    Hit,
    Judgement,
    KeptAnswer,
    Location,
    ModelsUsed,
    Outcome,
    RunSummary,
    Sentence,
    Severity,
    Source,
    StatusChanged,
    Usage,
    Verdict,
)

OpenRecords = Callable[[str], RunRecords]
# Ids in the order in which the runs begin, no one the beginning of another.
IDS = ("01J0000000000000000000000A", "01J0000000000000000000000B", "01J0000000000000000000000C")
_FINDING = Finding("dates", 1, Severity.BLOCK, "the source says 1932", "use the source's date")


def answer_of(run_id: str, text: str = TEXTS[0], document_id: str = "d1") -> Answer:
    """An answer with one claim, which cites the document."""
    claim = Claim(1, text, 0, len(text), ("p1",), Verdict.SUPPORTED, 0.9)
    source = Source(1, "p1", document_id, "Harbour Bridge", Location(), 0, len(text), text, "0" * 64)
    return Answer(
        run_id=run_id,
        question=ASKED,
        outcome=Outcome.ANSWERED,
        text=f"{text} [1]",
        verdict=Verdict.SUPPORTED,
        claims=(claim,),
        sources=(source,),
        citations=(),
        invalid_citations=(),
        judgement=Judgement(0.9, Action.ANSWER, "it is there"),
        checks=(),
        findings=(),
        repairs=(),
        drafts=1,
        iterations=1,
        searches=1,
        confidence=Confidence(None, 0.9, "very_high"),
        warnings=(),
        models=ModelsUsed("extractive", "fast", "rules"),
        usage=Usage(),
        profile="fast",
        mode_used="fast",
        ms=1.5,
    )


def kept_answer(run_id: str) -> KeptAnswer:
    """The answer of a run as it may be given again."""
    return KeptAnswer(ASKED, 3, ("0" * 64,), {"p1": "0" * 64}, (Sentence(1, TEXTS[0], ("p1",)),), answer_of(run_id))


def kept_row(run_id: str) -> KeptRow:
    """The same as it is stored."""
    return KeptRow("key", "form", "meaning", written(kept_answer(run_id)))


def record(records: RunRecords, run_id: str, *events: Event, question: str = ASKED) -> None:
    """Record a run of these events; without any, of one that ends with an answer."""
    records.open(run_id, question)
    for seq, event in enumerate(events or (Done(answer=answer_of(run_id)),), 1):
        records.receive(run_id, replace(event, seq=seq, at=10.0 + seq))


def failed(message: str = "the disk is full") -> Failed:
    """The end of a run that failed."""
    return Failed(error="StoreError", message=message, hint="free some space")


class RunRecordsContract(Contract):
    """A record gives back what was recorded, only adds, and leaves nothing of what it deletes.

    The fixture `open_records` opens the record of one and the same tenant, for runs of the collection that it is
    called with, as another process would.
    """

    open_records = required("open_records")

    @pytest.fixture
    def records(self, open_records: OpenRecords) -> Iterator[RunRecords]:
        """The record for runs of the collection "notes"."""
        opened = open_records("notes")
        yield opened
        opened.close()

    # --- runs ------------------------------------------------------------------------------------

    def test_before_the_first_run_there_is_nothing(self, records: RunRecords) -> None:
        empty = (records.find(RunQuery()).runs, records.figures(), records.labels(), records.waiting())
        assert not any(empty)
        assert not any((records.runs_with_document("d1"), records.calibrations("notes"), records.recorded(IDS)))
        assert records.calibration_in_use("notes").version == 0
        assert records.delete(IDS).runs == records.delete_all().runs == 0
        with pytest.raises(UsageError):
            records.load("last")

    def test_a_run_is_read_back_as_it_was_once_it_ended(
        self, records: RunRecords, open_records: OpenRecords
    ) -> None:
        records.open(IDS[0], ASKED)
        records.receive(IDS[0], StatusChanged(seq=1, at=11.0, stage="understand"))
        assert records.find(RunQuery()).runs == ()
        records.receive(IDS[0], Done(seq=2, at=12.0, answer=answer_of(IDS[0])))
        for reader in (records, open_records("other")):
            found = reader.load(IDS[0])
            assert (found.run.run_id, found.run.collection, found.run.question) == (IDS[0], "notes", ASKED)
            assert (found.run.outcome, found.answer) == ("answered", answer_of(IDS[0]).to_dict())
            assert [(event.seq, event.at, event.kind) for event in found.events] == [
                (1, 11.0, "status"),
                (2, 12.0, "done"),
            ]

    def test_runs_at_the_same_time_stay_apart(self, records: RunRecords) -> None:
        for run_id in IDS[:2]:
            records.open(run_id, run_id)
        records.receive(IDS[1], failed())
        records.receive(IDS[0], Done(seq=1, answer=answer_of(IDS[0])))
        assert records.load(IDS[0]).run.question == IDS[0]
        assert (records.load(IDS[1]).run.outcome, records.load(IDS[1]).answer) == ("error", None)

    @hostile
    def test_any_question_is_recorded_and_found(self, records: RunRecords, text: str) -> None:
        record(records, IDS[0], failed(text), question=text)
        stored = records.load(IDS[0]).run.question
        assert stored == text.encode(errors="replace").decode()
        assert [run.run_id for run in records.find(RunQuery(text=text.upper())).runs] == [IDS[0]]
        assert records.find(RunQuery(text=f"{text}?")).runs == ()

    def test_a_run_is_named_by_the_beginning_of_its_id(self, records: RunRecords) -> None:
        for run_id in (IDS[0], "01K" + IDS[1][3:]):
            record(records, run_id)
        assert records.load("01k").run.run_id.startswith("01K")
        assert records.load("last").run.run_id == records.find(RunQuery(limit=1)).runs[0].run_id
        for name in ("", "01", "02", "%", "' OR 1=1 --", "\ud800"):
            with pytest.raises(UsageError):
                records.load(name)

    def test_runs_are_found_by_what_the_query_says(self, records: RunRecords, open_records: OpenRecords) -> None:
        record(records, IDS[0], question="How long is the Bridge?")
        record(open_records("other"), IDS[1], failed(), question="How OLD?")
        record(records, IDS[2], question="ÄNDERUNG")
        Labels(records).add(IDS[2], WHOLE, good=True, at=5.0, by="ann")
        Labels(records).add(IDS[0], 1, good=True, at=5.0, by="ann")

        def found(**words: object) -> list[str]:
            return sorted(run.run_id for run in records.find(RunQuery(**words)).runs)  # type: ignore[arg-type]

        assert found() == sorted(IDS)
        assert found(collection="other") == found(outcome="error") == [IDS[1]]
        assert found(collection="") == []
        assert found(text="bridge") == found(text="LONG") == [IDS[0]]
        assert found(text="änderung") == found(labelled=True) == [IDS[2]]
        assert found(collection="notes", text="how") == [IDS[0]]
        starts = [run.started for run in records.find(RunQuery()).runs]
        assert found(since=max(starts) + 1) == found(until=min(starts)) == []
        assert found(since=min(starts), until=max(starts) + 1) == sorted(IDS)

    def test_pages_have_each_run_once_newest_first(self, records: RunRecords) -> None:
        for n in range(7):
            record(records, f"01J{n:023d}")
        listed: list[RunSummary] = []
        query = RunQuery(limit=3)
        while True:
            page = records.find(query)
            listed += page.runs
            if page.next is None:
                break
            assert len(page.runs) == 3
            query = replace(query, before=page.next)
        assert listed == sorted(listed, key=lambda run: (run.started, run.run_id), reverse=True)
        assert len({run.run_id for run in listed}) == 7

    def test_a_page_goes_on_where_its_last_run_was_deleted(self, records: RunRecords) -> None:
        for run_id in IDS:
            record(records, run_id)
        page = records.find(RunQuery(limit=1))
        assert page.next is not None
        records.delete([page.runs[0].run_id])
        rest = records.find(RunQuery(before=page.next)).runs
        assert {run.run_id for run in rest} == {*IDS} - {page.runs[0].run_id}

    # --- kept answers ----------------------------------------------------------------------------

    def test_a_kept_answer_is_found_by_its_key_and_by_either_form(
        self, records: RunRecords, open_records: OpenRecords
    ) -> None:
        records.keep_answer(IDS[0], kept_row(IDS[0]))
        assert records.kept_answers("key", "form", "meaning") == ()  # its run has not ended
        record(records, IDS[0])
        (found,) = records.kept_answers("key", "form", "meaning")
        assert found == kept_answer(IDS[0])
        assert records.kept_answers("key", "other", "meaning") == (found,)
        for asked in (("other", "form", "meaning"), ("key", "other", None), ("key", "other", "other")):
            assert records.kept_answers(*asked) == ()
        assert open_records("other").kept_answers("key", "form") == ()

    def test_the_newest_kept_answer_comes_first_and_goes_with_its_run(self, records: RunRecords) -> None:
        for run_id in IDS[:2]:
            records.keep_answer(run_id, kept_row(run_id))
            record(records, run_id)
        assert [kept.answer.run_id for kept in records.kept_answers("key", "form")] == [IDS[1], IDS[0]]
        records.delete([IDS[1]])
        assert [kept.answer.run_id for kept in records.kept_answers("key", "form")] == [IDS[0]]

    def test_a_run_that_fails_keeps_nothing_and_a_body_of_another_version_is_left_out(
        self, records: RunRecords
    ) -> None:
        records.keep_answer(IDS[0], kept_row(IDS[0]))
        record(records, IDS[0], failed())
        records.keep_answer(IDS[1], replace(kept_row(IDS[1]), body='{"answer": 1}'))
        record(records, IDS[1])
        assert records.kept_answers("key", "form") == ()

    # --- tapes and figures -----------------------------------------------------------------------

    def test_a_tape_is_read_back_in_its_order(self, records: RunRecords) -> None:
        tape, about = Tape(), {"profile": "fast", "history": [{"text": "\u0000 Ja \U0001f600 \ud800"}]}
        entries = [TapeEntry("clock", "", b""), TapeEntry("embed", "0" * 64, bytes(range(256)))]
        for entry in (*entries, entries[0]):
            tape.record(entry.port, entry.key, entry.body)
        records.keep_tape(IDS[0], about, tape)
        record(records, IDS[0])
        found = records.recording("last")
        assert (found.run.run_id, found.about, found.cut) == (IDS[0], about, False)
        assert found.entries == (*entries, entries[0])

    def test_a_run_without_a_tape_says_so(self, records: RunRecords) -> None:
        record(records, IDS[0])
        with pytest.raises(UsageError):
            records.recording(IDS[0])

    def test_figures_stand_with_each_run_and_none_with_a_failed_one(
        self, records: RunRecords, open_records: OpenRecords
    ) -> None:
        meter = Meter()
        meter.asked("verifier", Usage(calls=2))
        records.measure(IDS[0], meter)
        record(records, IDS[0])
        record(open_records("other"), IDS[1], failed())
        (run,) = records.figures(collection="notes")
        assert run.started == records.load(IDS[0]).run.started
        assert run.figures is not None
        assert run.figures.costs is not None
        assert run.figures.costs["verifier"].usage.calls == 2
        assert (run.figures.outcome, run.figures.verdict, run.figures.confidence) == ("answered", "supported", 0.9)
        assert [run.figures for run in records.figures(collection="other")] == [None]
        assert len(records.figures()) == 2
        assert records.figures(since=run.started + 3600) == ()

    # --- what people say -------------------------------------------------------------------------

    def test_labels_are_added_and_the_last_one_holds(self, records: RunRecords) -> None:
        labels = Labels(records)
        for run_id in IDS[:2]:
            record(records, run_id)
        for run_id, claim, good in ((IDS[0], WHOLE, True), (IDS[1], 1, True), (IDS[0], WHOLE, False)):
            labels.add(run_id, claim, good=good, at=5.0, by="ann", note="\ud800 why")
        assert [(label.run_id, label.claim, label.good) for label in records.labels()] == [
            (IDS[0], WHOLE, True),
            (IDS[1], 1, True),
            (IDS[0], WHOLE, False),
        ]
        assert [label.good for label in records.labels(IDS[0])] == [True, False]
        assert [(label.run_id, label.good) for label in labels.current()] == [(IDS[1], True), (IDS[0], False)]
        assert {label.note for label in records.labels()} == {"? why"}
        with pytest.raises(UsageError):
            labels.add(IDS[0], 7, good=True, at=5.0, by="ann")

    def test_an_answer_with_findings_left_waits_until_somebody_decides(self, records: RunRecords) -> None:
        labels = Labels(records)
        record(records, IDS[0], Done(answer=replace(answer_of(IDS[0]), findings=(_FINDING,))))
        record(records, IDS[1])
        (waits,) = records.waiting()
        assert (waits.run.run_id, waits.findings) == (IDS[0], ("dates: the source says 1932",))
        decisions = (Decision(5.0, "ann", False, "the old date"), Decision(6.0, "bob", True))
        for decision in decisions:
            labels.decide(IDS[0], decision)
        assert records.waiting() == ()
        assert records.load(IDS[0]).decisions == decisions
        assert [(label.good, label.by) for label in records.labels()] == [(False, "ann"), (True, "bob")]

    def test_a_calibration_is_used_until_another_is_chosen(self, records: RunRecords) -> None:
        labels, fit = Labels(records), replace(shipped()["answers"], data="two labels")
        made = labels.store.add_calibration("notes", fit, at=1.0, by="ann")
        assert records.calibration_in_use("notes").fit == records.fit(made.version) == fit
        assert records.calibration_in_use("other").fit is None
        labels.use("notes", 0, at=2.0, by="ann")
        assert records.calibration_in_use("notes").version == 0
        assert records.calibrations("notes") == (made,)
        with pytest.raises(UsageError):
            labels.use("notes", made.version + 1, at=3.0, by="ann")
        with pytest.raises(DamagedStore):
            records.fit(made.version + 1)

    # --- deletion --------------------------------------------------------------------------------

    def _fill(self, records: RunRecords, run_id: str) -> None:
        """Record a run with all that a record can hold of one."""
        tape = Tape()
        tape.record("clock", "", b"1.5")
        records.keep_tape(run_id, {}, tape)
        records.measure(run_id, Meter())
        record(records, run_id, Done(answer=replace(answer_of(run_id), findings=(_FINDING,))))
        Labels(records).add(run_id, WHOLE, good=True, at=5.0, by="ann")
        records.add_decision(run_id, Decision(5.0, "ann", True), is_label=True)

    def test_nothing_is_left_of_a_deleted_run_and_all_of_the_others(
        self, records: RunRecords, open_records: OpenRecords
    ) -> None:
        for run_id in IDS:
            self._fill(records, run_id)
        before = records.load(IDS[0]), records.recording(IDS[0]), records.labels(IDS[0])
        assert records.delete([IDS[1], IDS[2], IDS[1], "01JZ", IDS[1][:-1]]).runs == 2
        for reader in (records, open_records("notes")):
            assert [run.run_id for run in reader.find(RunQuery()).runs] == [IDS[0]]
            assert len(reader.figures()) == len(reader.runs_with_document("d1")) == 1
            assert {label.run_id for label in reader.labels()} == {IDS[0]}
            assert (reader.load(IDS[0]), reader.recording(IDS[0]), reader.labels(IDS[0])) == before
            with pytest.raises(UsageError):
                reader.load(IDS[1])
        assert records.recorded([IDS[0], IDS[1], IDS[0][:-1], "\ud800"]) == {IDS[0]}
        record(records, IDS[1])
        assert not any((records.load(IDS[1]).decisions, records.labels(IDS[1])))

    def test_everything_can_be_deleted(self, records: RunRecords) -> None:
        self._fill(records, IDS[0])
        records.add_calibration("notes", shipped()["answers"], at=1.0, by="ann")
        assert records.delete_all().runs == 1
        assert not any((records.find(RunQuery()).runs, records.labels(), records.calibrations("notes")))
        assert records.calibration_in_use("notes").version == 0

    def test_the_runs_that_found_or_cite_a_document_are_known(self, records: RunRecords) -> None:
        name = 'Ü "1"\\'
        other = replace(passage(1, TEXTS[0]), document_id=name)
        found = EvidenceFound(queries=(ASKED,), evidence=Evidence((Hit(other, 1.0),)))
        record(records, IDS[0], found, failed())
        record(records, IDS[1], Done(answer=answer_of(IDS[1], document_id=name)))
        quoted = f'a text that says "document_id": "{name}" and {name}'
        record(records, IDS[2], failed(quoted), question=quoted)
        assert sorted(records.runs_with_document(name)) == sorted(IDS[:2])
        assert records.runs_with_document("Ü") == ()

    def test_closing_it_twice_is_harmless(self, records: RunRecords) -> None:
        record(records, IDS[0])
        records.close()
        records.close()
        assert records.load(IDS[0]).run.run_id == IDS[0]
