"""Running jobs, kept in files and in Postgres.

Progress, one at a time, errors of files and of the collection, stops, and other processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from assay.errors import StoreError, StoreFull, UsageError
from assay.ingest.files import id_of
from assay.ingest.walk import SourceOf, portable_source, source_of
from assay.server import intake
from assay.server.intake import JobRunner
from assay.server.jobs import ClaimedJob
from assay.server.uploads import StagedFile
from assay.types import DocumentRecord, FileReport, Job
from support.server_stores import FORMS, Form, PostgresForm, form_of


@dataclass
class Collection:
    """Takes in what is scripted: files of these words are stored, others fail or raise as their words say."""

    source_of: SourceOf
    stored: dict[str, str] = field(default_factory=dict)
    running: int = 0
    most_running: int = 0
    proceed: asyncio.Event = field(default_factory=asyncio.Event)
    before_file: Callable[[Path], None] = lambda _path: None

    async def amirror(self, paths: Sequence[Path | str]) -> AsyncIterator[FileReport]:
        self.running += 1
        self.most_running = max(self.running, self.most_running)
        try:
            for path in map(Path, paths):
                await self.proceed.wait()
                self.before_file(path)
                yield self._report(path)
            yield FileReport("elsewhere", "pruned", "its file is gone", 0, "old")
        finally:
            self.running -= 1

    async def adocuments(self) -> tuple[DocumentRecord, ...]:
        return tuple(DocumentRecord(id_of(source), source, "", "text", "", "", 1) for source in self.stored)

    def _report(self, path: Path) -> FileReport:
        words, source = path.read_text(), self.source_of(path)
        if words == "raise":
            raise StoreFull("no room left", hint="free some disk space")
        if words == "break":
            raise KeyError("a bug")
        if words == "damaged":
            return FileReport(str(path), "failed", "damaged", hint="save it again")
        self.stored[source] = words
        return FileReport(str(path), "added", None, len(words.split()), id_of(source))


class Place:
    """A tenant with its jobs, uploads and scripted collections."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.uploads = form.uploads()
        self.store = form.jobs(lease=0.4)
        self.source_of = portable_source(form.folder) if isinstance(form, PostgresForm) else source_of
        self.collections: dict[str, Collection] = {}
        self.tasks: list[asyncio.Task[None]] = []

    def collection(self, name: str = "default", *, proceeds: bool = True) -> Collection:
        collection = self.collections.setdefault(name, Collection(self.source_of))
        if proceeds:
            collection.proceed.set()
        return collection

    @asynccontextmanager
    async def open(self, name: str) -> AsyncIterator[Collection]:
        if name not in self.collections:
            raise StoreError(f"{name} cannot be opened", hint="try again")
        yield self.collections[name]

    def runner(self, places: int = 2) -> JobRunner:
        return JobRunner(self.store, self.uploads, self.open, asyncio.Semaphore(places), lease=0.4)

    def start(self, runner: JobRunner) -> asyncio.Task[None]:
        self.tasks.append(asyncio.create_task(runner.run()))
        return self.tasks[-1]

    async def staged(self, **words_of: str) -> list[StagedFile]:
        async def chunks(words: str) -> AsyncIterator[bytes]:
            yield words.encode()

        return [await self.uploads.receive(name, chunks(words), 1000) for name, words in words_of.items()]

    def has_file(self, name: str) -> bool:
        try:
            return bool(self.uploads.read(self.uploads.source("default", name)))
        except FileNotFoundError:
            return False


@pytest.fixture(params=FORMS)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    with form_of(request.param, tmp_path / "data") as form:
        place = Place(form)
        yield place
        for task in place.tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def ended(runner: JobRunner, job: Job) -> Job:
    async with asyncio.timeout(20):
        async for snapshot in runner.snapshots(job.job_id):
            job = snapshot
    assert job.ended
    return job


async def test_a_job_takes_its_files_in_and_tells_of_each_step(place: Place) -> None:
    collection, runner = place.collection(), place.runner()
    job = await runner.submit("default", await place.staged(a="one two", b="three", c="damaged"))
    assert job.status == "queued"
    place.start(runner)
    snapshots = [snapshot async for snapshot in runner.snapshots(job.job_id)]
    assert [(file.status, file.passages) for file in snapshots[-1].files] == [
        ("added", 2),
        ("added", 1),
        ("failed", 0),
    ]
    assert snapshots[-1].files[2].hint == "save it again"
    assert snapshots[-1].status == "done"
    done = [snapshot.files_done for snapshot in snapshots]
    assert done == sorted(done)
    assert all(before != after for before, after in pairwise(snapshots))
    assert sorted(collection.stored.values()) == ["one two", "three"]
    assert place.form.staged() == 0
    assert set(collection.stored) == {place.uploads.source("default", name) for name in ("a", "b")}
    assert (place.has_file("a"), place.has_file("c")) == (True, False)


async def test_a_refused_file_is_deleted_unless_an_earlier_one_stands_in_the_collection(place: Place) -> None:
    place.collection()
    runner = place.runner()
    place.start(runner)
    await ended(runner, await runner.submit("default", await place.staged(old="words")))
    await ended(runner, await runner.submit("default", await place.staged(old="damaged", new="damaged")))
    assert place.has_file("old")
    assert not place.has_file("new")


async def test_jobs_of_one_collection_follow_one_another_and_of_several_run_together(place: Place) -> None:
    tea, coffee = place.collection("tea", proceeds=False), place.collection("coffee", proceeds=False)
    runner = place.runner()
    jobs = [
        await runner.submit(collection, await place.staged(**{name: "words"}))
        for collection, name in (("tea", "a"), ("tea", "b"), ("coffee", "c"))
    ]
    place.start(runner)
    while not (tea.running and coffee.running):
        await asyncio.sleep(0.01)
    tea.proceed.set()
    coffee.proceed.set()
    for job in jobs:
        assert (await ended(runner, job)).status == "done"
    assert tea.most_running == coffee.most_running == 1


async def test_no_more_jobs_run_at_once_than_there_are_places(place: Place) -> None:
    tea, coffee = place.collection("tea", proceeds=False), place.collection("coffee", proceeds=False)
    runner = place.runner(places=1)
    first = await runner.submit("tea", await place.staged(a="words"))
    second = await runner.submit("coffee", await place.staged(b="words"))
    place.start(runner)
    while not tea.running:
        await asyncio.sleep(0.01)
    coffee.proceed.set()
    await asyncio.sleep(0.1)
    assert not coffee.stored
    tea.proceed.set()
    await ended(runner, first)
    await ended(runner, second)
    assert coffee.stored


@pytest.mark.parametrize(
    ("words", "reason", "hint"),
    [
        ("raise", "no room left", "free some disk space"),
        ("break", "an error in assay itself (KeyError)", "see the server's log"),
    ],
)
async def test_an_error_fails_its_job_and_the_next_one_runs(
    place: Place, words: str, reason: str, hint: str
) -> None:
    place.collection()
    runner = place.runner()
    place.start(runner)
    job = await ended(runner, await runner.submit("default", await place.staged(a="words", b=words)))
    assert (job.status, job.reason, job.hint) == ("failed", reason, hint)
    assert [file.status for file in job.files] == ["added", "failed"]
    assert (await ended(runner, await runner.submit("default", await place.staged(c="words")))).status == "done"


async def test_a_collection_that_cannot_be_opened_fails_the_job(place: Place) -> None:
    runner = place.runner()
    place.start(runner)
    job = await ended(runner, await runner.submit("missing", await place.staged(a="words")))
    assert (job.status, job.reason) == ("failed", "missing cannot be opened")


async def test_a_repeated_upload_is_the_same_job_and_leaves_nothing_in_staging(place: Place) -> None:
    place.collection()
    runner = place.runner()
    first = await runner.submit("default", await place.staged(a="words"), "key-1")
    again = await runner.submit("default", await place.staged(a="words"), "key-1")
    assert first.job_id == again.job_id
    assert place.form.staged() == 1
    with pytest.raises(UsageError, match="other files"):
        await runner.submit("default", await place.staged(a="other words"), "key-1")
    with pytest.raises(UsageError, match="cannot be the name of a collection"):
        await runner.submit("../x", await place.staged(a="other words"))
    assert place.form.staged() == 1
    place.start(runner)
    assert (await ended(runner, first)).status == "done"


async def test_an_upload_whose_client_vanished_while_it_was_acknowledged_is_whole(place: Place) -> None:
    place.collection()
    runner = place.runner()
    submitting = asyncio.create_task(runner.submit("default", await place.staged(a="words")))
    await asyncio.sleep(0)
    submitting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await submitting
    while not place.store.jobs("default"):
        await asyncio.sleep(0.01)
    place.start(runner)
    assert (await ended(runner, place.store.jobs("default")[0])).status == "done"


async def test_a_stopped_runner_leaves_its_jobs_queued_and_the_next_one_goes_on(place: Place) -> None:
    collection = place.collection()
    runner = place.runner()
    job = await runner.submit("default", await place.staged(a="one", b="two", c="three"))

    def stop_at_the_second(path: Path) -> None:
        if path.name == "b":
            task.cancel()

    collection.before_file = stop_at_the_second
    task = place.start(runner)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert collection.running == 0
    stopped = place.store.job(job.job_id)
    assert stopped is not None
    assert stopped.status == "queued"
    assert stopped.files[2].status == "waiting"
    collection.before_file = lambda _path: None
    runner = place.runner()
    place.start(runner)
    assert [file.status for file in (await ended(runner, job)).files] == ["added"] * 3


async def test_a_job_whose_owner_was_killed_is_taken_over(place: Place) -> None:
    place.collection()
    runner = place.runner()
    job = await runner.submit("default", await place.staged(a="one", b="two"))
    assert place.store.claim("a killed process") is not None
    place.start(runner)
    assert (await ended(runner, job)).status == "done"


async def test_a_runner_that_lost_its_lease_stops_the_work(place: Place) -> None:
    collection = place.collection(proceeds=False)
    runner = place.runner()
    job = await runner.submit("default", await place.staged(a="one"))
    place.start(runner)
    while not collection.running:
        await asyncio.sleep(0.01)
    place.store.remove_collection("default")
    while collection.running:
        await asyncio.sleep(0.01)
    assert [snapshot async for snapshot in runner.snapshots(job.job_id)] == []
    assert not collection.stored


async def test_a_job_of_another_process_can_be_watched(place: Place) -> None:
    place.collection()
    runner, other = place.runner(), place.runner()
    job = await runner.submit("default", await place.staged(a="one"))
    place.start(other)
    assert (await ended(runner, job)).status == "done"


async def test_what_was_left_in_staging_long_ago_is_swept_and_what_waits_is_not(place: Place) -> None:
    collection = place.collection(proceeds=False)
    runner = place.runner()
    taken = await place.staged(a="one")
    await runner.submit("default", taken)
    place.form.age(taken[0].token)
    [abandoned] = await place.staged(abandoned="half")
    place.form.age(abandoned.token)
    job = place.store.jobs("default")[0]
    place.start(runner)
    while not collection.running:
        await asyncio.sleep(0.01)
    assert place.form.staged() == 0
    collection.proceed.set()
    assert (await ended(runner, job)).files[0].status == "added"


async def test_a_job_whose_database_was_away_goes_on_when_it_is_back(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "_LOOK_EVERY", 0.01)
    collection = place.collection()
    runner = place.runner()
    away = [True] * 5  # more often than a job may be begun that kills its server

    def fail(path: Path) -> None:
        if path.name == "b" and away:
            away.pop()
            raise StoreError("the connection broke", hint="try again", retryable=True)

    collection.before_file = fail
    release, refused = place.store.release, [True] * 3

    def release_later(claimed: ClaimedJob) -> bool:
        if refused:
            refused.pop()
            raise StoreError("the connection broke", hint="try again", retryable=True)
        return release(claimed)

    monkeypatch.setattr(place.store, "release", release_later)
    place.start(runner)
    job = await ended(runner, await runner.submit("default", await place.staged(a="one", b="two")))
    assert (job.status, away, refused) == ("done", [], [])
    assert [file.status for file in job.files] == ["added", "added"]
