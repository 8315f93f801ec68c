"""The record of jobs, in files and in Postgres: idempotency, leases, and what a caller is told of a job."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assay.errors import DamagedStore, StoreError, UsageError
from assay.server.jobs import ClaimedJob, SqliteJobs
from assay.server.stores import JobQueue
from assay.server.uploads import StagedFile
from assay.types import FileReport, Job, JobFile
from support.server_stores import FORMS, Form, form_of


class Clock:
    """Seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Form]:
    with form_of(request.param, tmp_path) as form:
        yield form


@pytest.fixture
def store(form: Form, clock: Clock) -> JobQueue:
    return form.jobs(10.0, clock)


def staged(*names: str, sha256: str = "0" * 64, size: int = 100) -> list[StagedFile]:
    return [StagedFile(name, f"token-{name}", sha256, size) for name in names]


def claimed_by(store: JobQueue, owner: str = "first") -> ClaimedJob:
    claimed = store.claim(owner)
    assert claimed is not None
    return claimed


def stored(store: JobQueue, job_id: str) -> Job:
    job = store.job(job_id)
    assert job is not None
    return job


def added(name: str, passages: int = 1) -> FileReport:
    return FileReport(name, "added", None, passages, f"id-of-{name}")


def test_nothing_is_there_before_the_first_job(store: JobQueue) -> None:
    assert store.job("x") is None
    assert store.jobs("default") == ()
    assert store.staged_tokens() == frozenset()
    assert not store.claimable()
    assert store.claim("first") is None


def test_a_job_tells_of_each_file(store: JobQueue) -> None:
    job = store.create("default", staged("a.md", "b.pdf", "c.md", "d.md")).job
    assert (job.status, job.files_done, job.files_total) == ("queued", 0, 4)
    claimed = claimed_by(store)
    assert [file.name for file in claimed.files] == ["a.md", "b.pdf", "c.md", "d.md"]
    reports = [
        added("a.md", 3),
        FileReport("b.pdf", "failed", "encrypted", hint="remove the password"),
        FileReport("c.md", "skipped", "zero bytes", hint="nothing to do"),
    ]
    assert all(store.record(claimed, number, report) for number, report in enumerate(reports, 1))
    now = stored(store, job.job_id)
    assert (now.status, now.files_done, now.passages) == ("running", 3, 3)
    assert now.files == (
        JobFile("a.md", "added", None, None, "id-of-a.md", 3),
        JobFile("b.pdf", "failed", "encrypted", "remove the password"),
        JobFile("c.md", "skipped", "zero bytes", "nothing to do"),
        JobFile("d.md", "waiting"),
    )
    assert store.record(claimed, 4, FileReport("d.md", "unchanged", None, 2, "d"))
    assert store.finish(claimed)
    assert (stored(store, job.job_id).status, stored(store, job.job_id).passages) == ("done", 5)
    assert stored(store, job.job_id).to_dict()["files"][0]["status"] == "added"


def test_the_time_left_goes_by_the_sizes_of_the_files_done(store: JobQueue, clock: Clock) -> None:
    files = [*staged("a.md", size=5_904), *staged("b.md", size=25_904)]
    job_id = store.create("default", files).job.job_id
    assert stored(store, job_id).seconds_left is None
    claimed = claimed_by(store)
    clock.now += 2.0
    assert stored(store, job_id).seconds_left is None
    store.record(claimed, 1, added("a.md"))
    assert stored(store, job_id).seconds_left == 6.0
    clock.now += 4.0
    assert stored(store, job_id).seconds_left == 2.0
    clock.now += 4.0
    assert stored(store, job_id).seconds_left is None
    store.record(claimed, 2, added("b.md"))
    assert stored(store, job_id).seconds_left == 0.0
    store.finish(claimed)
    assert stored(store, job_id).seconds_left is None


def test_the_same_key_with_the_same_files_is_the_same_job(store: JobQueue) -> None:
    first = store.create("default", staged("a.md", "b.md"), "key-1")
    again = store.create("default", staged("a.md", "b.md"), "key-1")
    other = store.create("default", staged("a.md", "b.md"), "key-2")
    assert (first.new, again.new, other.new) == (True, False, True)
    assert first.job.job_id == again.job.job_id != other.job.job_id
    assert len(store.jobs("default")) == 2


@pytest.mark.parametrize(
    ("collection", "files"),
    [
        ("default", staged("a.md", sha256="1" * 64)),
        ("default", staged("b.md")),
        ("default", staged("a.md", "b.md")),
        ("other", staged("a.md")),
    ],
)
def test_the_same_key_with_other_files_is_refused(
    store: JobQueue, collection: str, files: list[StagedFile]
) -> None:
    store.create("default", staged("a.md"), "key-1")
    with pytest.raises(UsageError, match="used for other files"):
        store.create(collection, files, "key-1")
    assert len(store.jobs("default")) == 1


@pytest.mark.parametrize(
    ("files", "key", "message"),
    [
        ([], None, "no files"),
        (staged("a.md", "b.md", "a.md"), None, "two files have the name 'a.md'"),
        (staged("a.md"), "", "0 characters"),
        (staged("a.md"), "k" * 256, "256 characters"),
    ],
)
def test_an_upload_that_makes_no_sense_is_refused(
    store: JobQueue, files: list[StagedFile], key: str | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        store.create("default", files, key)
    assert caught.value.hint
    assert store.jobs("default") == ()


def test_one_job_of_a_collection_runs_at_a_time_oldest_first(store: JobQueue, clock: Clock) -> None:
    ids = []
    for collection in ("tea", "tea", "coffee"):
        clock.now += 1
        ids.append(store.create(collection, staged("a.md")).job.job_id)
    first, second = claimed_by(store, "first"), claimed_by(store, "second")
    assert [first.job_id, second.job_id] == [ids[0], ids[2]]
    assert store.claim("third") is None
    assert not store.claimable()
    store.finish(first)
    assert store.claimable()
    assert claimed_by(store, "third").job_id == ids[1]


def test_a_lease_that_is_renewed_is_not_lost(store: JobQueue, clock: Clock) -> None:
    store.create("default", staged("a.md"))
    claimed = claimed_by(store)
    for _ in range(5):
        clock.now += 9
        assert store.beat(claimed)
        assert store.claim("other") is None


def test_a_job_whose_lease_ran_out_goes_on_elsewhere_and_its_first_owner_writes_nothing_more(
    store: JobQueue, clock: Clock
) -> None:
    job_id = store.create("default", staged("a.md", "b.md")).job.job_id
    first = claimed_by(store, "first")
    assert store.record(first, 1, added("a.md"))
    clock.now += 10.5
    second = claimed_by(store, "second")
    assert [file.name for file in second.files] == ["b.md"]
    assert not store.beat(first)
    assert not store.record(first, 2, FileReport("b.md", "failed", "too late"))
    assert not store.finish(first, "too late", "none")
    store.release_all("first")
    assert stored(store, job_id).status == "running"
    assert store.record(second, 2, added("b.md"))
    assert store.finish(second)
    assert [file.status for file in stored(store, job_id).files] == ["added", "added"]


def test_a_job_that_is_begun_again_and_again_fails_with_its_waiting_files(store: JobQueue, clock: Clock) -> None:
    job_id = store.create("default", staged("a.md", "b.md")).job.job_id
    store.record(claimed_by(store), 1, added("a.md"))
    for _ in range(2):
        clock.now += 11
        claimed_by(store)
    clock.now += 11
    assert store.claim("again") is None
    job = stored(store, job_id)
    assert job.status == "failed"
    assert job.reason is not None
    assert "stopped several times" in job.reason
    assert job.hint
    assert [(file.status, file.reason) for file in job.files] == [("added", None), ("failed", job.reason)]


def test_a_released_job_counts_as_never_begun(store: JobQueue) -> None:
    job_id = store.create("default", staged("a.md")).job.job_id
    for _ in range(10):
        claimed_by(store)
        store.release_all("first")
    assert stored(store, job_id).status == "queued"


def test_a_job_that_is_put_back_is_claimed_again_and_its_former_owner_writes_nothing(store: JobQueue) -> None:
    job_id = store.create("default", staged("a.md", "b.md")).job.job_id
    first = claimed_by(store, "first")
    assert store.record(first, 1, added("a.md"))
    assert store.release(first)
    assert not store.release(first)
    assert not store.record(first, 2, added("b.md"))
    assert stored(store, job_id).status == "queued"
    second = claimed_by(store, "second")
    assert [file.name for file in second.files] == ["b.md"]
    assert not store.release(first)
    assert store.finish(second)


def test_of_many_who_claim_at_once_each_job_has_one_and_a_collection_one_at_a_time(
    form: Form, store: JobQueue, clock: Clock
) -> None:
    for number in range(12):
        clock.now += 1
        store.create(f"c{number % 4}", staged("a.md"))
    with ThreadPoolExecutor(8) as threads:
        stores = [form.jobs(10.0, clock) for _ in range(8)]
        claimed = list(threads.map(lambda at: stores[at % 8].claim(f"owner {at}"), range(24)))
    found = [one for one in claimed if one is not None]
    assert len(found) == len({one.job_id for one in found}) == 4
    assert {one.collection for one in found} == {"c0", "c1", "c2", "c3"}


@pytest.mark.parametrize("moment", [1, 2, 3])
def test_whoever_claims_while_another_is_claiming_begins_no_second_job_of_the_collection(
    tmp_path: Path, clock: Clock, moment: int
) -> None:
    """The second claim is made in the middle of the first, at each look of that one at its clock."""
    with form_of("postgres", tmp_path) as form:
        second, found, looks = form.jobs(10.0, clock), [], 0

        def look() -> float:
            nonlocal looks
            looks += 1
            if looks == moment:
                found.append(second.claim("second"))
            return clock()

        for _ in range(2):
            clock.now += 1
            second.create("tea", staged("a.md"))
        found.append(form.jobs(10.0, look).claim("first"))
        assert looks >= 3 or moment == 1
        assert [one.collection for one in found if one is not None] == ["tea"]
        assert second.claim("third") is None


def test_of_many_who_create_with_the_same_key_at_once_one_does(form: Form, store: JobQueue) -> None:
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(lambda _: form.jobs().create("default", staged("a.md"), "key-1"), range(16)))
    assert sum(one.new for one in made) == 1
    assert len({one.job.job_id for one in made}) == 1
    assert len(store.jobs("default")) == 1


def test_a_failed_job_says_why_as_do_its_files(store: JobQueue) -> None:
    job_id = store.create("default", staged("a.md", "b.md")).job.job_id
    claimed = claimed_by(store)
    store.record(claimed, 1, added("a.md"))
    store.finish(claimed, "no room left", "free some disk space")
    job = stored(store, job_id)
    assert (job.status, job.reason, job.hint) == ("failed", "no room left", "free some disk space")
    assert job.files[0].status == "added"
    assert job.files[1] == JobFile("b.md", "failed", "no room left", "free some disk space")


def test_tokens_are_taken_while_their_files_wait(store: JobQueue) -> None:
    store.create("default", staged("a.md", "b.md"))
    store.record(claimed_by(store), 1, added("a.md"))
    assert store.staged_tokens() == {"token-b.md"}


def test_the_jobs_of_a_removed_collection_are_gone(store: JobQueue) -> None:
    store.create("tea", staged("a.md", "b.md"))
    kept = store.create("coffee", staged("c.md")).job
    running = claimed_by(store)
    store.record(running, 1, added("a.md"))
    assert store.remove_collection("tea") == ("token-b.md",)
    assert not store.record(running, 2, added("b.md"))
    assert (store.jobs("tea"), store.jobs("coffee")) == ((), (kept,))
    assert store.staged_tokens() == {"token-c.md"}


def test_old_ended_jobs_are_forgotten_with_their_keys(store: JobQueue, clock: Clock) -> None:
    store.create("default", staged("a.md"), "key-1")
    store.finish(claimed_by(store))
    waiting = store.create("default", staged("b.md")).job
    clock.now += 31 * 86_400
    new = store.create("default", staged("c.md"), "key-1").job
    assert [job.job_id for job in store.jobs("default")] == [new.job_id, waiting.job_id]


def test_the_latest_jobs_come_first(store: JobQueue, clock: Clock) -> None:
    ids = []
    for number in range(4):
        clock.now += 1
        ids.append(store.create("default", staged(f"{number}.md")).job.job_id)
    assert [job.job_id for job in store.jobs("default", 3)] == ids[:0:-1]


def test_the_file_is_private_and_an_unusable_one_is_an_error_without_its_path(tmp_path: Path, clock: Clock) -> None:
    store = SqliteJobs(tmp_path / "jobs.sqlite", clock=clock)
    assert store.jobs("default") == ()
    assert not (tmp_path / "jobs.sqlite").exists()
    store.create("default", staged("a.md"))
    path = tmp_path / "jobs.sqlite"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(StoreError, match="written by a newer assay"):
        store.jobs("default")
    for left in tmp_path.glob("jobs.sqlite*"):
        left.unlink()
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(DamagedStore) as caught:
        store.create("default", staged("a.md"))
    assert str(tmp_path) not in str(caught.value) + caught.value.hint
