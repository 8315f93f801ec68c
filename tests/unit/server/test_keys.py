"""API keys, in a file and in Postgres.

They are shown once, stored as hashes, hashed once a process, and ended within a second everywhere.
"""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assay.errors import DamagedStore, StoreError, UsageError
from assay.postgres.address import Address
from assay.postgres.database import TenantRows
from assay.postgres.isolation import SERVER
from assay.server.api_key import SCRYPT, Cost, expiry, scrypt_hash
from assay.server.keys import FRESH, USED_EVERY, KeyRecords, KeysFile, KeyStore
from assay.server.postgres_store import PostgresStore
from assay.settings import load_settings
from support.postgres import opened as opened_database
from support.postgres import shared_address
from support.server_stores import FORMS, form_of

CHEAP = Cost(n=2, r=1, p=1)
HOUR = 3600.0


@dataclass
class Clock:
    """A clock that a test moves; both of a store's clocks read it."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Hasher:
    """Counts the hashes that are made."""

    costs: list[Cost] = field(default_factory=list)

    def __call__(self, text: str, salt: bytes, cost: Cost) -> bytes:
        self.costs.append(cost)
        return scrypt_hash(text, salt, cost)


@pytest.fixture
def time() -> Clock:
    return Clock()


@pytest.fixture
def hasher() -> Hasher:
    return Hasher()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "keys.sqlite"


Open = Callable[[], KeyStore]


@pytest.fixture
def opened(path: Path, time: Clock, hasher: Hasher) -> Open:
    """Opens the file anew, as another process would."""
    return lambda: KeyStore(KeysFile(path), cost=CHEAP, hasher=hasher, now=time, monotonic=time)


@pytest.fixture
def store(opened: Open) -> KeyStore:
    return opened()


class CountedKeys:
    """Stored keys, with the number of times that they were asked for."""

    def __init__(self, keys: KeyRecords) -> None:
        self._keys = keys
        self.asked = 0

    def __getattr__(self, name: str) -> Any:
        self.asked += 1
        return getattr(self._keys, name)


@pytest.fixture(params=FORMS)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CountedKeys]:
    with form_of(request.param, tmp_path / "kept") as form:
        yield CountedKeys(form.keys())


@pytest.fixture
def anywhere(stored: CountedKeys, time: Clock, hasher: Hasher) -> Open:
    """Opens the keys anew, wherever they are, as another process would."""
    return lambda: KeyStore(stored, cost=CHEAP, hasher=hasher, now=time, monotonic=time)  # type: ignore[arg-type]


@pytest.fixture
def keys(anywhere: Open) -> KeyStore:
    return anywhere()


def change(path: Path, statement: str) -> None:
    """Change the file behind the store's back."""
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(statement)


def row(path: Path, query: str) -> tuple[object, ...]:
    with closing(sqlite3.connect(path)) as file:
        return file.execute(query).fetchone()


def test_a_key_is_known_by_the_text_that_was_shown_once(store: KeyStore, opened: Open, path: Path):
    key, text = store.create(name="laptop", tenant="acme", scope="write")
    assert text.startswith(f"assay_{key.key_id}_")
    assert len(key.key_id) == 8
    found = opened().verify(text)
    assert found is not None
    assert (found.key_id, found.tenant, found.name, found.scopes) == (
        key.key_id,
        "acme",
        "laptop",
        ("read", "write"),
    )
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert text.rpartition("_")[2].encode() not in stored


def test_a_key_is_found_by_everybody_who_shares_where_it_is_stored(anywhere: Open, time: Clock):
    key, text = anywhere().create(name="laptop", tenant="acme", scope="write", expires=time.now + HOUR)
    found = anywhere().verify(text)
    assert found == key
    assert anywhere().list() == (replace(key, used=time.now),)


def test_a_fresh_key_asks_for_nothing_stored_and_only_for_a_second(
    stored: CountedKeys, keys: KeyStore, time: Clock
):
    _, text = keys.create(name="laptop")
    assert keys.fresh(text) is None
    keys.verify(text)
    asked = stored.asked
    time.now += FRESH - 0.01
    assert keys.fresh(text) is not None
    assert stored.asked == asked
    time.now += 0.01
    assert keys.fresh(text) is None
    assert keys.verify(text) is not None
    assert stored.asked > asked


def test_any_is_true_for_good_once_anybody_made_a_key(anywhere: Open, keys: KeyStore, time: Clock):
    assert not keys.any()
    key, _ = anywhere().create(name="laptop")
    assert keys.fresh_any() is False
    time.now += FRESH
    assert keys.any()
    anywhere().revoke(key.key_id)
    assert anywhere().any()


def test_keys_in_a_database_are_shown_to_no_tenant_and_only_revoked(tmp_path: Path):
    address = Address.read(shared_address())
    store = KeyStore(PostgresStore(address, tmp_path).keys(), cost=CHEAP)
    with opened_database(shared_address()):
        key, text = store.create(name="laptop", tenant="acme")
        assert store.verify(text) is not None
        for tenant in ("acme", "default", ""):
            seen = TenantRows(address, tenant).read(
                lambda connection: connection.execute("SELECT count(*) FROM assay.keys").fetchone()
            )
            assert seen == (0,)
        own = TenantRows(address, SERVER)
        stored = own.read(
            lambda connection: connection.execute(
                "SELECT k::text FROM assay.keys k WHERE key_id = %s", (key.key_id,)
            ).fetchone()
        )
        assert stored is not None
        assert text.rpartition("_")[2] not in stored[0]
        for change in ("DELETE FROM assay.keys", "UPDATE assay.keys SET scope = 'admin'"):
            with pytest.raises(StoreError, match="may not do this"):
                own.write(lambda connection, change=change: connection.execute(change.encode()).rowcount)
        with pytest.raises(UsageError, match="tenant"):
            load_settings({"tenant": SERVER})


def test_the_file_and_its_folder_are_the_owner_s_only(store: KeyStore, path: Path):
    store.create(name="laptop")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_two_keys_share_neither_salt_nor_hash(store: KeyStore, path: Path):
    store.create(name="one")
    store.create(name="two")
    assert row(path, "SELECT count(DISTINCT salt), count(DISTINCT hash) FROM keys") == (2, 2)


def test_the_shipped_cost_is_stored_with_the_key(path: Path):
    _, text = KeyStore(KeysFile(path)).create(name="laptop")
    assert row(path, "SELECT n, r, p FROM keys") == (SCRYPT.n, SCRYPT.r, SCRYPT.p)
    assert KeyStore(KeysFile(path), cost=CHEAP).verify(text) is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-1] + ("a" if text[-1] != "a" else "b"),
        lambda text: text + "a",
        lambda text: text[:-1],
        lambda text: text.replace("assay_", "assai_"),
        lambda text: text.upper(),
        lambda text: f" {text}",
        lambda text: f"{text}\n",
        lambda text: f"{text[:-1]}\ud800",
        lambda text: "",
        lambda text: "assay_00000000_" + "a" * 43,
    ],
)
def test_any_other_text_is_no_key(keys: KeyStore, change: Callable[[str], str]):
    _, text = keys.create(name="laptop")
    assert keys.verify(change(text)) is None
    assert keys.verify(text) is not None


def test_an_unknown_id_is_hashed_at_the_same_cost_as_a_wrong_secret(keys: KeyStore, hasher: Hasher):
    key, _ = keys.create(name="laptop")
    hasher.costs.clear()
    keys.verify(f"assay_{key.key_id}_{'a' * 43}")
    keys.verify(f"assay_{'0' * 8}_{'a' * 43}")
    assert hasher.costs == [CHEAP, CHEAP]


def test_a_key_is_hashed_once_a_process(keys: KeyStore, anywhere: Open, hasher: Hasher, time: Clock):
    _, text = keys.create(name="laptop")
    other = anywhere()
    hasher.costs.clear()
    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(other.verify, [text] * 32))
    time.now += HOUR
    assert other.verify(text) is not None
    assert len(hasher.costs) == 1


def test_wrong_secrets_are_not_remembered(keys: KeyStore, hasher: Hasher):
    key, _ = keys.create(name="laptop")
    hasher.costs.clear()
    wrong = f"assay_{key.key_id}_{'a' * 43}"
    assert keys.verify(wrong) is keys.verify(wrong) is None
    assert len(hasher.costs) == 2
    assert not keys.remembers(wrong)


def test_memory_holds_the_latest_keys_only(path: Path):
    store = KeyStore(KeysFile(path), cost=CHEAP, remembered=2)
    texts = [store.create(name="laptop")[1] for _ in range(3)]
    assert all(store.verify(text) for text in texts)
    assert not store.remembers(texts[0])
    assert store.remembers(texts[1])
    assert store.verify(texts[0]) is not None


def test_a_fresh_key_reads_no_file_and_only_for_a_second(store: KeyStore, path: Path, time: Clock):
    _, text = store.create(name="laptop")
    assert store.fresh(text) is None
    store.verify(text)
    path.write_bytes(b"no database" * 1000)
    time.now += FRESH - 0.01
    assert store.fresh(text) is not None
    time.now += 0.01
    assert store.fresh(text) is None
    with pytest.raises(StoreError):
        store.verify(text)


def test_what_another_process_revokes_ends_here(keys: KeyStore, anywhere: Open, hasher: Hasher, time: Clock):
    key, text = keys.create(name="laptop")
    other = anywhere()
    assert other.verify(text) is not None
    assert keys.revoke(key.key_id).revoked == time.now
    time.now += FRESH
    assert other.fresh(text) is None
    hasher.costs.clear()
    assert other.verify(text) is None
    assert not hasher.costs
    assert not other.remembers(text)
    assert other.verify(text) is None


def test_a_key_expires_on_time_even_while_fresh(keys: KeyStore, time: Clock):
    _, text = keys.create(name="laptop", expires=time.now + 0.5)
    assert keys.verify(text) is not None
    time.now += 0.5
    assert keys.fresh(text) is None
    assert keys.verify(text) is None


def test_a_row_that_was_exchanged_is_another_key(store: KeyStore, path: Path, time: Clock):
    _, text = store.create(name="laptop")
    store.verify(text)
    change(path, "UPDATE keys SET hash = zeroblob(32)")
    assert store.verify(text) is None


def test_a_revoked_key_stays_revoked_since_the_first_time(keys: KeyStore, time: Clock):
    key, _ = keys.create(name="laptop")
    first = keys.revoke(key.key_id)
    time.now += HOUR
    assert keys.revoke(key.key_id) == first
    assert [each.state_at(time.now) for each in keys.list()] == ["revoked"]


def test_a_tenant_sees_and_revokes_its_own_keys_only(keys: KeyStore):
    ours, _ = keys.create(name="ours", tenant="acme")
    other, text = keys.create(name="other", tenant="umbrella")
    assert keys.list("acme") == (ours,)
    assert set(keys.list()) == {ours, other}
    with pytest.raises(UsageError, match=f"there is no key '{other.key_id}'"):
        keys.revoke(other.key_id, tenant="acme")
    with pytest.raises(UsageError, match="there is no key 'zzzzzzzz'"):
        keys.revoke("zzzzzzzz")
    assert keys.verify(text) is not None


def test_the_last_use_is_written_at_most_once_a_minute(keys: KeyStore, anywhere: Open, time: Clock):
    _, text = keys.create(name="laptop")

    def used_after(seconds: float) -> float | None:
        time.now += seconds
        anywhere().verify(text)
        return keys.list()[0].used

    first = used_after(0)
    assert first == time.now
    assert used_after(USED_EVERY - 1) == first
    assert used_after(1) == time.now


def test_a_file_that_cannot_be_written_locks_nobody_out(store: KeyStore, opened: Open, path: Path):
    _, text = store.create(name="laptop")
    change(path, "CREATE TRIGGER full BEFORE UPDATE ON keys BEGIN SELECT RAISE(ABORT, 'disk full'); END")
    assert opened().verify(text) is not None
    assert store.list()[0].used is None


def test_any_is_false_only_until_a_key_is_made_anywhere(store: KeyStore, opened: Open, path: Path, time: Clock):
    assert store.fresh_any() is None
    assert not store.any()
    assert store.fresh_any() is False
    assert not path.exists()
    key, _ = opened().create(name="laptop")
    time.now += FRESH
    assert store.fresh_any() is None
    assert store.any()
    assert store.fresh_any() is True
    store.revoke(key.key_id)
    assert opened().any()


def test_a_file_that_another_process_has_just_begun_has_no_keys(store: KeyStore, path: Path):
    path.parent.mkdir()
    path.touch()
    assert not store.any()
    assert store.list() == ()
    assert store.verify("assay_00000000_" + "a" * 43) is None
    assert store.create(name="laptop")


@pytest.mark.parametrize("tenant", ["", "A", "-a", "a_b", "../a", "a" * 33, "a\n", "ä", "a/b", "tenants.x"])
def test_a_tenant_is_a_plain_small_name(store: KeyStore, tenant: str):
    with pytest.raises(UsageError, match="cannot be the name of a tenant"):
        store.create(name="laptop", tenant=tenant)
    assert not store.any()


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "\x1b[31m", "x\u202ey", "n" * 101])
def test_a_name_is_one_printable_line(store: KeyStore, name: str):
    with pytest.raises(UsageError, match="cannot be the name of a key"):
        store.create(name=name)


def test_a_key_cannot_be_made_expired(store: KeyStore, time: Clock):
    with pytest.raises(UsageError, match="expired already"):
        store.create(name="laptop", expires=time.now)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1h", 3600),
        ("90d", 90 * 86400),
        ("2w", 14 * 86400),
        ("1970-01-02", 86400),
        ("1970-01-01T01:00+00:30", 1800),
    ],
)
def test_when_a_key_ends(text: str, seconds: float):
    assert expiry(text, now=0.0) == seconds


@pytest.mark.parametrize("text", ["", "0d", "d", "-1d", "1y", "10000d", "tomorrow", "2027-13-01", "90 d", "1e3d"])
def test_what_is_no_time_at_which_a_key_could_end(text: str):
    with pytest.raises(UsageError, match="not a time at which"):
        expiry(text, now=0.0)


def test_a_time_that_has_passed_is_refused():
    with pytest.raises(UsageError, match="has passed"):
        expiry("1999-12-31", now=1_800_000_000.0)


def test_a_damaged_file_and_one_of_a_newer_assay_are_told(store: KeyStore, opened: Open, path: Path):
    store.create(name="laptop")
    change(path, "PRAGMA user_version = 99")
    for call in (opened().any, store.list, lambda: store.create(name="laptop")):
        with pytest.raises(StoreError, match="newer assay"):
            call()
    path.write_bytes(b"no database" * 1000)
    damaged = opened()
    for _ in range(2):
        with pytest.raises(DamagedStore, match="is damaged"):
            damaged.any()


def test_a_scope_that_does_not_exist_cannot_be_stored(store: KeyStore, path: Path):
    store.create(name="laptop")
    with pytest.raises(sqlite3.IntegrityError, match="CHECK constraint"):
        change(path, "UPDATE keys SET scope = 'root'")


def test_keys_cannot_be_deleted(store: KeyStore, path: Path):
    store.create(name="laptop")
    with pytest.raises(sqlite3.IntegrityError, match="only revoked"):
        change(path, "DELETE FROM keys")
