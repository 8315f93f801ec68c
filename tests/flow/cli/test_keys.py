"""keys: made and shown once, listed without their secret, revoked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.server.keys import FILE_NAME, KeysFile, KeyStore

from .conftest import Cli, call


@pytest.fixture
def keys(tmp_path: Path) -> Cli:
    return lambda verb, *rest, stdin=b"": call("keys", verb, "--data-dir", tmp_path, *rest, stdin=stdin)


def test_a_key_is_printed_once_and_opens_the_data_folder_s_server(keys: Cli, tmp_path: Path):
    made = keys("create", "--name", "laptop", "--tenant", "acme", "--scope", "write")
    assert made.code == 0, made
    text = made.out.strip()
    assert "not shown again" in made.err
    found = KeyStore(KeysFile(tmp_path / FILE_NAME)).verify(text)
    assert found is not None
    assert (found.name, found.tenant, found.scope, found.expires) == ("laptop", "acme", "write", None)
    listed = keys("list")
    assert listed.out.startswith(f"{found.key_id}  active   acme  write  laptop  used ")
    assert text.rpartition("_")[2] not in listed.out


def test_json_has_everything_but_the_secret(keys: Cli):
    made = keys("create", "--name", "laptop", "--expires", "90d", "--json").object
    assert made.pop("key").startswith(f"assay_{made['key_id']}_")
    assert (made["tenant"], made["scope"], made["state"], made["used"]) == ("default", "read", "active", None)
    assert made["expires"] == pytest.approx(made["created"] + 90 * 86400, abs=60)
    assert keys("list", "--json").object == {"keys": [made]}
    assert keys("list", "--tenant", "acme", "--json").object == {"keys": []}


def test_a_revoked_key_stays_on_the_list(keys: Cli):
    made = keys("create", "--name", "laptop", "--json").object
    assert keys("revoke", made["key_id"]).err == f"revoked {made['key_id']} (laptop)\n"
    assert keys("revoke", made["key_id"], "--json").object["state"] == "revoked"
    assert f"{made['key_id']}  revoked" in keys("list").out


def test_what_cannot_be_done_is_told_with_a_hint(keys: Cli):
    assert "there are no keys" in keys("list").err
    assert "the tenant 'acme' has no keys" in keys("list", "--tenant", "acme").err
    for call_, told in (
        (("revoke", "zzzzzzzz"), "there is no key 'zzzzzzzz'"),
        (("create", "--name", "x", "--tenant", "../x"), "cannot be the name of a tenant"),
        (("create", "--name", "x", "--expires", "soon"), "not a time at which a key could expire"),
        (("create", "--name", "x", "--scope", "root"), "invalid value for '--scope'"),
        (("create",), "missing option '--name'"),
    ):
        refused = keys(*call_)
        assert refused.code == 2
        assert told in refused.err
        assert "\nhint: " in refused.err
    assert keys("list", "--json").object == {"keys": []}
