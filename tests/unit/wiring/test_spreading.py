"""What is refused before Ray is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay import open_engine
from assay.errors import MissingExtra, UsageError
from assay.settings import Settings, received_settings, sent_settings
from assay.testing.fakes import WordEmbedder
from assay.wiring import reindex
from assay.wiring.spreading import open_cluster


@pytest.mark.parametrize("address", ["", "here", "http://10.0.0.1:6379", "ray://10.0.0.1:10001", "10.0.0.1:"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(UsageError, match="not the address of a Ray cluster"):
        open_cluster(address, None, Settings())


def test_offline_joins_no_other_machine() -> None:
    with pytest.raises(UsageError, match=r"offline mode refuses 10\.0\.0\.1"):
        open_cluster("10.0.0.1:6379", None, Settings(offline=True))


def test_no_workers_at_all() -> None:
    with pytest.raises(UsageError, match="0 workers"):
        open_cluster("local", 0, Settings())


def test_workers_without_a_cluster(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="workers needs a Ray cluster"):
        open_engine(data_dir=tmp_path, workers=2)
    with pytest.raises(UsageError, match="workers needs a Ray cluster"):
        reindex(data_dir=tmp_path, workers=2)


def test_objects_of_the_callers_are_not_sent(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the embedder is an object of your own"):
        open_engine(data_dir=tmp_path, embedder=WordEmbedder(), ray="local")


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "assay.wiring.cluster.connection", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match="needs the package ray") as refused:
        open_cluster("local", None, Settings())
    assert refused.value.hint == 'in the clone of assay: pip install ".[ray]"'


def test_nothing_imports_ray_or_fsspec_unasked() -> None:
    program = (
        "import sys, assay.wiring, assay.cli.documents, assay.cli.questions\n"
        "print({'ray', 'fsspec'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_secrets_stay_where_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-worker-0001")
    monkeypatch.setenv("ASSAY_STORE", "postgresql://worker:pw@db.example/assay")
    settings = Settings(
        k=5, openai_api_key="sk-of-the-driver-0001", store="postgresql://driver:pw@db.example/assay"
    )
    sent = sent_settings(settings)
    assert "sk-of" not in str(sent)
    assert "pw@" not in str(sent)
    received = received_settings(sent)
    assert received.k == 5
    assert received.openai_api_key is not None
    assert received.openai_api_key.get_secret_value() == "sk-of-the-worker-0001"


def test_a_store_of_the_workers_own_is_not_used_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_STORE", "postgresql://worker:pw@db.example/assay")
    received = received_settings(sent_settings(Settings(data_dir=tmp_path)))
    assert received.store is None
    assert received.data_dir == tmp_path
