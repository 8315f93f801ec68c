"""Every fault of a provider that should rewrite a sentence: it is mended whole, or marked, and the user is told."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay import open_engine
from assay.types import Fixed, Passage, RepairKind, Verdict
from assay.wiring import open_checker
from support.provider import FAULTS, Asked, LocalProvider

TEXT = "Mount Everest is 8,849 metres tall. It was first climbed on 29 May 1953. The K2 is 8,611 metres tall."
PASSAGES = (Passage("everest", "everest", "r", 0, len(TEXT), TEXT),)
WRONG = "Elephants from Kenya climbed the mountain in pink slippers"
DRAFT = f"Mount Everest is 8,849 metres tall [1]. {WRONG} [1]."
REWRITTEN = "It was first climbed on 29 May 1953 [2]."
MENDED = "Mount Everest is 8,849 metres tall [1]. It was first climbed on 29 May 1953 [1]."
MARKED = f"Mount Everest is 8,849 metres tall [1]. {WRONG} [1]. ⚠"
SCRIPT = [
    {"role": "writer", "reply": DRAFT},
    {"role": "judge", "reply": {"reason": "It is stated.", "verdict": "yes", "missing": ""}},
]
# With these the reply is whole: what is wrong is what the service says about it.
GOOD_ENOUGH = {"usage-missing", "usage-negative", "unknown-fields", "stream-split-utf8"}
# Seconds for a draft, and how far past them a busy machine may end.
DEADLINE, GRACE = 20.0, 10.0
SLOW = {"accept-and-hang", "stream-pings", "stream-drip"}
FITTING = [fault for fault in FAULTS.values() if fault.fits(Asked("openai", "m", (), None, False))]


def honest(asked: Asked) -> str:
    """What the honest model says: the sentence that the sources have instead."""
    assert "You mend one sentence" in asked.prompt
    return REWRITTEN


@pytest.fixture(scope="module")
def provider() -> Iterator[LocalProvider]:
    with LocalProvider(honest) as running:
        yield running


@pytest.fixture(autouse=True)
def _clean(provider: LocalProvider) -> Iterator[None]:
    provider.forget()
    yield
    provider.behave()


def settings(provider: LocalProvider, fault: str = "", **others: object) -> dict[str, object]:
    place = fault if fault and FAULTS[fault].place == "address" else None
    limits = {"request_seconds": 0.2, "idle_seconds": 0.2} if fault in SLOW else {}
    return {
        "profile": "balanced",
        "repairer_model": "openai:fake",
        "openai_base_url": provider.address("openai", place),
        "openai_api_key": "sk-0123456789abcdef",
        "retry_seconds": 0.01,
        "deadline": DEADLINE,
        **limits,
        **others,
    }


def fixed(provider: LocalProvider, fault: str, times: int | None = None, **others: object) -> Fixed:
    """The draft as it is fixed while the provider commits a fault."""
    with open_checker(**settings(provider, fault, **others)) as engine:
        if fault and FAULTS[fault].place != "address":
            provider.misbehave(fault, **({} if times is None else {"times": times}))
        return engine.fix(DRAFT, PASSAGES)


def test_an_honest_model_mends_the_sentence(provider: LocalProvider):
    made = fixed(provider, "")
    assert (made.text, made.verdict, made.warnings) == (MENDED, Verdict.SUPPORTED, ())
    assert [each.kind for each in made.repairs] == [RepairKind.REWRITE]


def test_there_are_faults_to_test():
    assert len(FITTING) >= 40


@pytest.mark.parametrize("fault", [each.id for each in FITTING])
def test_no_fault_passes_in_silence(provider: LocalProvider, fault: str):
    """Either the reply is whole and good, or the sentence is marked as it was and the user is told why."""
    began = time.monotonic()
    made = fixed(provider, fault)
    assert time.monotonic() - began < DEADLINE + GRACE
    if fault in GOOD_ENOUGH:
        assert (made.text, made.verdict, made.warnings) == (MENDED, Verdict.SUPPORTED, ())
        return
    assert made.text == MARKED
    assert made.verdict is not Verdict.SUPPORTED
    assert [each.kind for each in made.repairs] == [RepairKind.HEDGE]
    (warning,) = made.warnings
    assert warning.startswith(("the repair model failed", "the reply of the repair model was not used"))
    assert len(warning.split(": ", 1)[1]) > 3


@pytest.mark.parametrize("fault", ["status-500", "status-429", "reset-after-headers", "body-truncated"])
def test_a_fault_that_happens_once_is_mended(provider: LocalProvider, fault: str):
    made = fixed(provider, fault, times=1)
    assert (made.text, made.warnings) == (MENDED, ())


def test_without_calls_the_sentence_is_marked(provider: LocalProvider):
    made = fixed(provider, "", max_calls=0)
    assert made.text == MARKED
    assert provider.requests == ()


@pytest.mark.parametrize("fault", ["status-500", "content-empty", "unknown-citations", "refusal"])
def test_an_answer_says_that_its_repair_failed(provider: LocalProvider, tmp_path: Path, fault: str):
    (tmp_path / "everest.md").write_text(TEXT, encoding="utf-8")
    script = tmp_path / "writer.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    chosen = settings(provider, fault, writer_model=f"fake:{script}", judge_model=f"fake:{script}")
    with open_engine(data_dir=tmp_path / "data", **chosen) as engine:
        engine.add([tmp_path / "everest.md"])
        provider.misbehave(fault)
        answer = engine.ask("How tall is Mount Everest?")
    assert WRONG not in answer.text
    assert any("the repair model" in each for each in answer.warnings)
