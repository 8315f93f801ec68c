"""Models are fetched from a hub once, pinned, and refused when a file is not what was fetched."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import AssayError, DamagedStore, ProviderFailed, ProviderRefused, ProviderUnreachable, UsageError
from assay.models.hub import LOCK_FILE, HubName, PulledModels
from assay.models.hub_pull import chosen_network, pull

from .hub_server import COMMIT, Hub, serving
from .tiny_hub import classifier, hub_folder

WORDS = {"yes": (3, 0), "no": (0, 3)}
NAME = HubName("org", "check", "main")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A hub with one model, which has what models on the hub have besides."""
    place = hub_folder(tmp_path / "published", WORDS, classifier(WORDS))
    for name in ("pytorch_model.bin", "model.safetensors", "modeling.py", "onnx/model_O4.onnx", "README.md"):
        (place / name).write_bytes(b"not to be fetched")
    (place / "onnx" / "model.onnx_data").write_bytes(b"weights")
    with serving() as hub:
        hub.models["org/check"] = place
        yield hub


@pytest.fixture
def models(tmp_path: Path) -> PulledModels:
    return PulledModels(tmp_path / "data" / "models")


def test_only_what_is_read_is_fetched_and_pinned(hub: Hub, models: PulledModels) -> None:
    told: list[str] = []
    model = pull(NAME, models, endpoint=hub.url, tell=told.append)
    fetched = {"config.json", "tokenizer.json", "onnx/model.onnx", "onnx/model.onnx_data"}
    assert hub.fetched == set(model.files) == fetched
    assert (model.name, model.commit, model.network) == ("hf:org/check@main", COMMIT, "onnx/model.onnx")
    assert len(told) == 4
    assert models.all() == (model,)
    network = models.network(NAME)
    assert network.read_bytes() == (hub.models["org/check"] / "onnx" / "model.onnx").read_bytes()
    kept = {each.name for each in models.place.iterdir()}
    assert kept == {"org--check@main"}
    assert not (network.parent.parent / ".cache").exists()


def test_no_token_is_sent(hub: Hub, models: PulledModels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_canary")
    pull(NAME, models, endpoint=hub.url)
    assert hub.tokens == []


def test_a_file_that_is_not_what_the_hub_promised_is_refused(hub: Hub, models: PulledModels) -> None:
    hub.lies.add("onnx/model.onnx")
    with pytest.raises(ProviderFailed, match=r"onnx/model\.onnx of hf:org/check@main is not what the hub says"):
        pull(NAME, models, endpoint=hub.url)
    assert list(models.place.iterdir()) == []


def test_what_a_user_says_of_it_is_kept_with_it(hub: Hub, models: PulledModels) -> None:
    model = pull(NAME, models, said={"labels": ["unsupported", "supported"]}, endpoint=hub.url)
    assert json.loads((models.place / "org--check@main" / "assay.json").read_text())["labels"][1] == "supported"
    assert "assay.json" in model.files


def test_another_network_may_be_named(hub: Hub, models: PulledModels) -> None:
    model = pull(NAME, models, network="onnx/model_O4.onnx", endpoint=hub.url)
    assert model.network == "onnx/model_O4.onnx"
    assert "onnx/model.onnx" not in hub.fetched
    assert models.network(NAME).name == "model_O4.onnx"


@pytest.mark.parametrize("name", ["pytorch_model.bin", "modeling.py", "../x.onnx", "onnx/other.onnx"])
def test_nothing_else_is_fetched_whoever_asks(hub: Hub, models: PulledModels, name: str) -> None:
    with pytest.raises(UsageError, match="has no network"):
        pull(NAME, models, network=name, endpoint=hub.url)
    assert hub.fetched == set()


@pytest.mark.parametrize(
    ("files", "said", "hint"),
    [
        (
            ["pytorch_model.bin"],
            r"in ONNX, only pytorch_model\.bin, which assay does not open",
            "optimum",
        ),
        ([], "has no network in ONNX", "optimum-cli export onnx --model org/check"),
        (["a.onnx", "onnx/b.onnx"], r"several networks: a\.onnx, onnx/b\.onnx", "--file a.onnx"),
        (["deep/down/a.onnx"], "has no network in ONNX", "optimum"),
    ],
)
def test_a_model_without_a_network_that_can_be_taken_is_told(files: list[str], said: str, hint: str) -> None:
    with pytest.raises(UsageError, match=said) as raised:
        chosen_network(NAME, ["config.json", "tokenizer.json", *files], None)
    assert hint in raised.value.hint


def test_a_model_without_a_tokenizer_is_refused() -> None:
    with pytest.raises(UsageError, match=r"has no tokenizer\.json"):
        chosen_network(NAME, ["config.json", "vocab.txt", "model.onnx"], None)


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        (HubName("org", "other", "main"), ProviderRefused, "shows no model org/other"),
        (HubName("org", "check", "v9"), ProviderRefused, "has no revision v9 of org/check"),
    ],
)
def test_what_the_hub_does_not_have_is_told(
    hub: Hub, models: PulledModels, name: HubName, kind: type[AssayError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        pull(name, models, endpoint=hub.url)
    assert not models.holds(name)


def test_a_hub_that_fails_is_told(hub: Hub, models: PulledModels) -> None:
    hub.failing = True
    with pytest.raises(ProviderFailed, match="the hub refused hf:org/check@main"):
        pull(NAME, models, endpoint=hub.url)


def test_a_hub_that_is_not_there_is_told(models: PulledModels) -> None:
    with pytest.raises(ProviderUnreachable, match="the hub cannot be reached"):
        pull(NAME, models, endpoint="http://127.0.0.1:9")


def test_what_is_there_is_not_fetched_again(hub: Hub, models: PulledModels) -> None:
    pull(NAME, models, endpoint=hub.url)
    asked = len(hub.asked)
    with pytest.raises(UsageError, match="already exists") as raised:
        pull(NAME, models, endpoint=hub.url)
    assert "assay models remove hf:org/check@main" in raised.value.hint
    assert len(hub.asked) == asked


# --- what was pulled -----------------------------------------------------------------------------


@pytest.fixture
def pulled(hub: Hub, models: PulledModels) -> Path:
    """The folder of a model that was pulled."""
    pull(NAME, models, endpoint=hub.url)
    return models.place / NAME.folder


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "onnx/model.onnx", "onnx/model.onnx_data"])
def test_a_changed_file_is_refused(models: PulledModels, pulled: Path, name: str) -> None:
    with (pulled / name).open("ab") as file:
        file.write(b" ")
    with pytest.raises(DamagedStore, match=f"{name} is not what was pulled") as raised:
        models.network(NAME)
    assert "assay models remove hf:org/check@main" in raised.value.hint


@pytest.mark.parametrize("name", ["model.onnx", "assay.json", "1_Pooling/config.json"])
def test_a_file_that_was_not_pulled_is_refused(models: PulledModels, pulled: Path, name: str) -> None:
    (pulled / name).parent.mkdir(exist_ok=True)
    (pulled / name).write_text("{}")
    with pytest.raises(DamagedStore, match=f"{name} is not what was pulled"):
        models.network(NAME)


def test_a_missing_file_is_refused(models: PulledModels, pulled: Path) -> None:
    (pulled / "config.json").unlink()
    with pytest.raises(DamagedStore, match=r"config\.json is missing"):
        models.network(NAME)


def test_a_policy_of_ones_own_may_lie_beside_it(models: PulledModels, pulled: Path) -> None:
    (pulled / "claim_policy.json").write_text("{}")
    assert models.network(NAME).is_file()


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"schema": "assay-lock/1"}', '{"schema": "assay-lock/1", "name": "hf:a/b@c"}']
)
def test_a_lock_that_cannot_be_read_is_refused(models: PulledModels, pulled: Path, text: str) -> None:
    (pulled / LOCK_FILE).write_text(text)
    with pytest.raises(DamagedStore, match="cannot be used"):
        models.network(NAME)
    with pytest.raises(DamagedStore, match="cannot be used"):
        models.all()


def test_a_lock_of_another_model_is_refused(models: PulledModels, pulled: Path) -> None:
    pulled.rename(models.place / "org--other@main")
    with pytest.raises(DamagedStore, match="it is of another model"):
        models.network(HubName("org", "other", "main"))


def test_a_removed_model_is_gone(models: PulledModels, pulled: Path) -> None:
    models.remove(NAME)
    assert not pulled.exists()
    assert models.all() == ()
    for call in (models.network, models.remove):
        with pytest.raises(UsageError, match="hf:org/check@main was not pulled"):
            call(NAME)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hf:",
        "hf:org/name",
        "hf:name@main",
        "org/name@main",
        "hf:../x@main",
        "hf:a/b@..",
        "hf:a/b/c@d",
        "hf:a/b@c\n",
    ],
)
def test_what_names_no_model_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="names no model of the hub"):
        HubName.read(text)


def test_without_the_package_the_extra_is_named() -> None:
    program = """
import sys
sys.modules["huggingface_hub"] = None
from assay.errors import MissingExtra
try:
    import assay.models.hub_pull
except MissingExtra as error:
    print(error.hint)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == 'in the clone of assay: pip install ".[hub]"\n'
