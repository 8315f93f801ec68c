"""The client against a real server: what the library returns, over HTTP."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from assay import Answer, AskOptions, Hit, Message, Outcome, Passage, Scores, open_engine
from assay.client import AsyncClient, Client
from assay.errors import ProviderRefused, UnknownCollection, UnreadableDocument, UsageError
from assay.server.api_key import Cost
from assay.server.keys import FILE_NAME, KeysFile, KeyStore
from assay.server.settings import ServerSettings
from assay.types import Action, Done, Failed, SentenceVerified, Severity, Verdict
from support.served import Served, serving, wait_for

WATER = "# Water\n\nWater boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius.\n"
QUESTION = "At how many degrees does water boil?"
BRIDGE = "The bridge was opened on 3 May 1932."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "water.md").write_text(WATER, encoding="utf-8")
    with open_engine(data_dir=folder) as engine:
        engine.add([folder / "water.md"])
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    with serving(ServerSettings(engine={"data_dir": folder})) as server:
        yield server


@pytest.fixture
def client(served: Served) -> Iterator[Client]:
    with Client(served.address) as client:
        yield client


@pytest.fixture(scope="module")
def local(folder: Path) -> Answer:
    with open_engine(data_dir=folder) as engine:
        return engine.ask(QUESTION)


def test_an_answer_is_that_of_the_library(client: Client, local: Answer):
    answer = client.ask(QUESTION)
    assert type(answer) is Answer
    assert answer.outcome is Outcome.ANSWERED
    assert (answer.text, answer.verdict, answer.claims) == (local.text, local.verdict, local.claims)
    assert (answer.sources, answer.checks, answer.citations) == (local.sources, local.checks, local.citations)
    assert answer.validate()
    assert answer.judgement.recommendation is Action.ANSWER
    assert all(check.severity in Severity for check in answer.checks)
    assert answer.answers_question == local.answers_question


def test_options_and_the_dialogue_reach_the_server(client: Client):
    dialogue = [Message("user", "Tell me of water."), Message("assistant", "What of it?")]
    answer = client.ask(QUESTION, dialogue, options=AskOptions(explain=True, citation_style="none", k=1))
    assert answer.explanation is not None
    assert answer.explanation.source_map
    assert "[1]" not in answer.text


def test_a_stream_is_that_of_the_library_and_can_be_followed_again(client: Client, local: Answer):
    events = list(client.stream(QUESTION))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    last = events[-1]
    assert isinstance(last, Done)
    assert last.answer.text == local.text
    verified = [event for event in events if isinstance(event, SentenceVerified)]
    assert verified
    assert verified[0].sentence.passage_ids == (local.sources[0].passage_id,)
    again = list(client.follow_run(last.run_id, after=len(events) - 2))
    assert [event.kind for event in again] == [event.kind for event in events[-2:]]


def test_leaving_a_stream_early_stops_the_run(folder: Path, tmp_path: Path):
    script = tmp_path / "slow.json"
    written = {"role": "writer", "reply": "Water boils at 100 degrees Celsius at sea level [1].", "pieces": 4}
    script.write_text(json.dumps([{**written, "delay": 60.0}]), encoding="utf-8")
    settings = ServerSettings(engine={"data_dir": folder, "model": f"fake:{script}", "deadline": 100})
    with serving(settings) as slow, Client(slow.address) as client:
        events = client.stream(QUESTION)
        run_id = next(events).run_id
        events.close()
        wait_for(lambda: slow.service.live.count == 0)
        last = list(client.follow_run(run_id))[-1]
    assert isinstance(last, Failed)
    assert last.error == "CancelledError"


def test_an_answer_from_passages_cites_them(client: Client):
    passage = Passage("b", "bridge", "", 0, len(BRIDGE), BRIDGE, title="Bridge", metadata={"year": 2020})
    answer = client.answer_from("When was the bridge opened?", [Hit(passage, 1.0, Scores(dense=0.8))])
    assert (answer.sources[0].passage_id, answer.sources[0].title) == ("b", "Bridge")
    last = list(client.stream("When was the bridge opened?", passages=[BRIDGE]))[-1]
    assert isinstance(last, Done)
    assert last.answer.sources[0].passage_id == "1"


def test_search_judge_check_and_fix(client: Client):
    evidence = client.search("boiling", k=1, mode="sparse", where={})
    assert [hit.passage.title for hit in evidence.hits] == ["Water"]
    assert client.judge(QUESTION).recommendation is Action.ANSWER
    assert client.judge(QUESTION, [BRIDGE]).recommendation is not Action.ANSWER
    review = client.check(BRIDGE, [BRIDGE], one_claim=True)
    assert review.verdict is Verdict.SUPPORTED
    fixed = client.fix("The bridge was opened on 3 May 1933.", [BRIDGE], drop=True)
    assert (fixed.text, fixed.verdict) == (BRIDGE, Verdict.SUPPORTED)


def test_runs_are_listed_labelled_and_reported(client: Client):
    answer = client.ask(QUESTION)
    page = client.runs(limit=1)
    assert [run.run_id for run in page.runs] == [answer.run_id]
    assert client.runs(q="boil", outcome="clarify").runs == ()
    label = client.give_feedback(answer.run_id, good=False, claim=1, note="in Fahrenheit")
    assert label in client.labels()
    assert client.decide(answer.run_id, accepted=True, note="fine").run_id == answer.run_id
    record = client.run(answer.run_id)
    assert record.events[-1].kind == "done"
    assert [(decision.accepted, decision.note) for decision in record.decisions] == [(True, "fine")]
    assert record.labels[0] == label
    assert client.report(answer.run_id).startswith("<!doctype html>")
    assert client.review_queue() == ()
    assert client.delete_run(answer.run_id).runs == 1
    assert answer.run_id not in {run.run_id for run in client.runs().runs}
    assert client.figures(bucket="hour").total.runs >= 1
    assert client.figures(since=4e9).series == ()


def test_collections_are_listed_and_deleted(client: Client, folder: Path):
    with open_engine(data_dir=folder, collection="spare") as engine:
        engine.add([folder / "water.md"])
    assert [(row.name, row.documents) for row in client.collections()] == [("default", 1), ("spare", 1)]
    client.delete_collection("spare")
    assert [row.name for row in client.collections()] == ["default"]


def test_files_and_folders_are_uploaded_followed_listed_and_deleted(client: Client, tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "ferry.md").write_text("# Ferry\n\nThe ferry costs 12 euros.\n", encoding="utf-8")
    (tmp_path / "notes" / "empty.md").write_text("", encoding="utf-8")
    (tmp_path / "bridge.txt").write_text(BRIDGE, encoding="utf-8")
    paths = [tmp_path / "notes", str(tmp_path / "bridge.txt")]
    begun = client.upload(paths, collection="new", idempotency_key="once")
    assert client.upload(paths, collection="new", idempotency_key="once").job_id == begun.job_id
    job = list(client.follow_job(begun.job_id))[-1]
    assert (job.status, job.files_done) == ("done", 3)
    states = {file.name: file.status for file in job.files}
    assert states == {"notes/empty.md": "skipped", "notes/ferry.md": "added", "bridge.txt": "added"}
    assert client.job(job.job_id) == job
    assert client.jobs(collection="new") == (job,)
    page = client.documents(collection="new", q="ferry", limit=1)
    assert (page.total, page.documents[0].title) == (1, "Ferry")
    details = client.document(page.documents[0].document_id, collection="new")
    assert (details.name, details.pages) == ("ferry.md", None)
    (found,) = client.find_in_document(details.document_id, "12 euros", collection="new")
    assert (found.line, found.end - found.start) == (3, 8)
    assert "12 euros" in client.ask("What does the ferry cost?", collection="new").text
    client.delete_document(details.document_id, collection="new")
    assert [row.name for row in client.documents(collection="new").documents] == ["bridge.txt"]
    client.delete_collection("new")


def test_a_file_that_cannot_be_read_breaks_the_upload_off(client: Client, tmp_path: Path):
    (tmp_path / "a.md").write_text("text", encoding="utf-8")
    call = client.upload.__wrapped__([tmp_path / "a.md"])  # type: ignore[attr-defined]
    (tmp_path / "a.md").unlink()
    with pytest.raises(UnreadableDocument, match=r"a\.md cannot be read"):
        client._send(call)


def test_a_run_is_decided_again_under_other_settings(client: Client):
    run_id = client.ask(QUESTION).run_id
    replayed = client.replay(run_id, {"least_passages": 200})
    actions = {change.path: (change.before, change.after) for change in replayed.difference.changed}["actions"]
    assert actions == (["ANSWER"], ["ABSTAIN"])
    assert replayed.answer.run_id == run_id
    assert replayed.settings[0].after == 200
    assert replayed.calls == ()
    with pytest.raises(UsageError, match="cannot change the setting"):
        client.replay(run_id, {"data_dir": "/"})


def test_errors_are_those_of_the_library(client: Client):
    with pytest.raises(UnknownCollection, match="there is no collection 'nope'") as caught:
        client.ask("When?", collection="nope")
    assert caught.value.hint
    with pytest.raises(UsageError, match="the option rounds is 99"):
        client.ask("When?", options=AskOptions(rounds=99))
    with pytest.raises(UsageError, match="there is nothing at"):
        client.run("../..")
    with pytest.raises(UsageError, match="there is no run"):
        list(client.follow_run("nope"))


async def test_the_async_client_does_the_same(served: Served, local: Answer):
    async with AsyncClient(served.address) as client:
        assert (await client.ask(QUESTION)).text == local.text
        async with aclosing(client.stream(QUESTION)) as events:
            kinds = [event.kind async for event in events]
        assert kinds[-1] == "done"
        assert (await client.collections())[0].name == "default"
        with pytest.raises(UnknownCollection):
            await client.search("a", collection="nope")


def test_both_clients_have_the_same_methods():
    plain, awaited = (
        {name: inspect.signature(method) for name, method in vars(kind).items() if not name.startswith("_")}
        for kind in (Client, AsyncClient)
    )
    assert str(plain.pop("close")) == str(awaited.pop("aclose"))
    assert plain.keys() == awaited.keys()
    for name in plain:
        assert plain[name].parameters == awaited[name].parameters
    assert str(plain["run"]) == "(self, /, run_id: 'str') -> 'RunRecord'"
    assert str(awaited["follow_run"]).endswith("-> 'AsyncGenerator[Event, None]'")


def test_a_key_opens_what_is_closed_without(tmp_path: Path):
    admin = KeyStore(KeysFile(tmp_path / FILE_NAME), cost=Cost(n=2, r=1, p=1)).create(name="admin", scope="admin")[
        1
    ]
    with serving(ServerSettings(engine={"data_dir": tmp_path})) as server:
        with Client(server.address, admin) as client:
            made = client.create_key("reader", expires="1d")
            assert made.key not in repr(made)
            assert [key.name for key in client.api_keys()] == ["admin", "reader"]
            with Client(server.address, made.key) as other:
                assert other.collections() == ()
                with pytest.raises(ProviderRefused, match="scope admin"):
                    other.delete_collection("default")
            assert client.revoke_key(made.key_id).state == "revoked"
        with Client(server.address, admin[:-1] + "?") as client, pytest.raises(ProviderRefused, match="unknown"):
            client.collections()
