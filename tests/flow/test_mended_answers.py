"""Answers of a whole engine whose writer gets things wrong: mended, told of, and the same when replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import open_engine, replay
from assay.types import Answer, RepairKind, SentenceRevised, SentenceWithdrawn, Verdict

DOCUMENTS = {
    "bridge.md": "# The Harbour Bridge\n\nThe Harbour Bridge was opened on 3 May 1932. Maria Keller built it for "
    "4 million pounds.\n",
    "paint.md": "# Red paint\n\nThe Harbour Bridge was painted by John Smith in 1950. The coat is 5.2 mm thick.\n",
    "tunnel.md": "# The Mira tunnel\n\nThe Mira tunnel was dug by Ada Kern in 1960. Its length is 5.2 km.\n",
}
WRITTEN = (
    "The Harbour Bridge was opened on 3 May 1933 [1]. Maria Keller built it for 4 million pounds [7]. "
    "The Harbour Bridge was painted by John Smith in 1950 [1]. The Mira tunnel was dug by Ada Kern in 1960 [1]."
)
MENDED = (
    "The Harbour Bridge was opened on 3 May 1932. [1] Maria Keller built it for 4 million pounds. [1] "
    "The Harbour Bridge was painted by John Smith in 1950. [2]"
)
JUDGE = {"role": "judge", "reply": {"reason": "It is stated.", "verdict": "yes", "missing": ""}}
KINDS = [RepairKind.CORRECT, RepairKind.RE_CITE, RepairKind.FETCH]


def asked(tmp_path: Path, *rules: dict[str, object], **settings: object) -> Answer:
    """The answer of a writer who says what is `WRITTEN`; one passage is found, so that the tunnel's is not."""
    for name, text in DOCUMENTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"role": "writer", "reply": WRITTEN}, JUDGE, *rules]), encoding="utf-8")
    chosen = {"data_dir": tmp_path / "data", "model": f"fake:{script}", "k": 1, **settings}
    with open_engine(**chosen) as engine:
        engine.add([tmp_path / name for name in DOCUMENTS])
        return engine.ask("When was the Harbour Bridge opened?")


def test_what_is_wrong_is_corrected_re_cited_fetched_or_dropped(tmp_path: Path):
    """The tunnel stands in a document as well, and is dropped: nobody asked for it."""
    answer = asked(tmp_path)
    assert answer.text == MENDED
    assert answer.verdict is Verdict.SUPPORTED
    assert [each.kind for each in answer.repairs] == [*KINDS, RepairKind.DROP]
    assert [claim.text for claim in answer.dropped] == ["The Mira tunnel was dug by Ada Kern in 1960."]
    assert [source.title for source in answer.sources] == ["The Harbour Bridge", "Red paint"]
    assert answer.invalid_citations == ()
    revised = [each for each in answer.trace if isinstance(each, SentenceRevised)]
    assert revised[0].before == "The Harbour Bridge was opened on 3 May 1933. [1]"
    assert len([each for each in answer.trace if isinstance(each, SentenceWithdrawn)]) == 1


def test_what_nothing_mends_is_marked_where_that_is_asked_for(tmp_path: Path):
    answer = asked(tmp_path, unsupported="mark")
    assert answer.text == f"{MENDED} The Mira tunnel was dug by Ada Kern in 1960. [1] ⚠"
    assert answer.dropped == ()
    assert not answer.validate()


@pytest.mark.parametrize(
    ("reply", "text"), [("Maria Keller built it [1].", " Maria Keller built it. [1]"), ("NONE", "")]
)
def test_a_model_may_word_a_sentence_anew(tmp_path: Path, reply: str, text: str):
    rule = {"role": "repairer", "contains": "tunnel was dug", "reply": reply}
    answer = asked(tmp_path, rule, {"role": "repairer", "reply": "NONE"}, profile="balanced", k=2)
    assert answer.text == MENDED + text


def test_a_mended_answer_is_the_same_when_it_is_replayed(tmp_path: Path):
    answer = asked(tmp_path)
    again = replay(answer.run_id, data_dir=tmp_path / "data")
    assert again.to_dict() == answer.to_dict()


def test_no_search_is_made_where_no_repair_may_ask(tmp_path: Path):
    answer = asked(tmp_path, repairs=0)
    assert RepairKind.FETCH not in [each.kind for each in answer.repairs]
    assert "painted" not in answer.text


def test_a_paragraph_keeps_its_break_where_its_first_sentence_is_dropped(tmp_path: Path):
    (tmp_path / "bridge.md").write_text(DOCUMENTS["bridge.md"], encoding="utf-8")
    script = tmp_path / "script.json"
    reply = (
        "The Harbour Bridge was opened on 3 May 1932 [1].\n\n"
        "Elephants live in Kenya [1]. Maria Keller built it for 4 million pounds [1]."
    )
    script.write_text(json.dumps([{"role": "writer", "reply": reply}]), encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data", model=f"fake:{script}") as engine:
        engine.add([tmp_path / "bridge.md"])
        answer = engine.ask("When was the Harbour Bridge opened?")
    first, second = answer.text.split("\n\n")
    assert (first, second) == (
        "The Harbour Bridge was opened on 3 May 1932. [1]",
        "Maria Keller built it for 4 million pounds. [1]",
    )


def test_what_the_verifier_could_not_test_is_kept_and_says_that_it_failed(tmp_path: Path):
    (tmp_path / "rent.md").write_text("# Rent\n\nTenants move out with a notice period of three months.\n")
    written = "Whoever rents a flat has to announce it three months before moving out [1]."
    rules = [
        {"role": "writer", "reply": written},
        {"role": "repairer", "reply": "NONE"},
        {"role": "verifier", "error": {"kind": "failed", "message": "out of memory"}},
        JUDGE,
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps(rules), encoding="utf-8")
    model = f"fake:{script}"
    chosen = {"data_dir": tmp_path / "data", "model": model, "verifier_model": model, "profile": "balanced"}
    with open_engine(**chosen) as engine:
        engine.add([tmp_path / "rent.md"])
        answer = engine.ask("How long is the notice period of tenants?")
    assert answer.text == f"{written.removesuffix(' [1].')}. [1] ⚠"
    (told,) = [each.cause or "" for each in answer.checks if each.name == "verifier"]
    assert "the model failed: " in told
    assert "out of memory" in told


RENT = (
    "# Rent\n\nTenants move out with a notice period of three months. The deposit is two monthly rents. "
    "Pets need the owner's consent.\n"
)
SAID = (
    "Whoever rents a flat has to announce it three months before moving out",
    "What is paid as a security at the beginning comes to twice the rent of a month",
    "Nobody may keep pets unless the landlord has agreed to that",
)


def test_the_verifier_model_is_asked_once_about_all_that_a_draft_leaves_open(tmp_path: Path):
    (tmp_path / "rent.md").write_text(RENT)
    claims = [
        {"number": n, "parts": [{"text": f"{said}.", "verdict": "supported", "sentences": [n + 1]}]}
        for n, said in enumerate(SAID, 1)
    ]
    rules = [
        {"role": "writer", "reply": " ".join(f"{said} [1]." for said in SAID), "pieces": 5},
        {"role": "verifier", "reply": {"claims": claims}},
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps(rules), encoding="utf-8")
    model = f"fake:{script}"
    chosen = {"data_dir": tmp_path / "data", "model": model, "verifier_model": model, "checker": "none"}
    with open_engine(**chosen) as engine:
        engine.add([tmp_path / "rent.md"])
        answer = engine.ask("How long is the notice period of tenants, what is the deposit, and are pets allowed?")
    assert answer.usage.calls == 2
    assert [claim.verdict for claim in answer.claims] == [Verdict.SUPPORTED] * 3
    assert "⚠" not in answer.text


def test_a_call_is_kept_for_the_verifier_model(tmp_path: Path):
    (tmp_path / "rent.md").write_text(RENT)
    part = {"text": f"{SAID[0]}.", "verdict": "supported", "sentences": [2]}
    rules = [
        {"role": "writer", "reply": f"{SAID[0]} [1]."},
        {"role": "verifier", "reply": {"claims": [{"number": 1, "parts": [part]}]}},
        JUDGE,
    ]
    script = tmp_path / "script.json"
    script.write_text(json.dumps(rules), encoding="utf-8")
    model = f"fake:{script}"
    chosen = {"data_dir": tmp_path / "data", "model": model, "verifier_model": model, "checker": "none"}
    with open_engine(**chosen, profile="thorough", max_calls=2) as engine:
        engine.add([tmp_path / "rent.md"])
        answer = engine.ask("How long is the notice period of tenants?")
    assert [claim.verdict for claim in answer.claims] == [Verdict.SUPPORTED]
    assert answer.usage.calls == 2
