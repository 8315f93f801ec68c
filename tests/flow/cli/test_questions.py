"""search, ask, show, judge, check: their objects, their exit codes, and what people read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Cli, call

BOIL = "At how many degrees does water boil?"
ANSWER_KEYS = (
    "schema run_id question outcome text verdict claims sources citations invalid_citations judgement checks "
    "findings repairs drafts iterations confidence warnings models usage profile mode_used ms first_verified_ms "
    "profile_reason dropped assessment searches choices answers_question named_warnings"
).split()


def test_ask_answers_with_its_source_and_exits_with_0(facts: Cli):
    asked = facts("ask", BOIL)
    assert asked.code == 0, asked
    text, heading, verdict = asked.out.strip().split("\n\n")
    # The block is quoted whole and once, with its file, line and title below.
    assert text.endswith("Water boils at 100 degrees Celsius at sea level. It freezes at 0 degrees Celsius. [1]")
    assert re.fullmatch(r"\[1\] .*/water\.md:3 · Water", heading)
    assert verdict.startswith("✓ answers the question · quoted exactly · ")
    assert verdict.endswith("% likely to be right")


def test_without_a_reader_sentences_are_quoted_and_verified(facts: Cli):
    asked = facts("ask", BOIL, "--reader", "none")
    assert asked.code == 0, asked
    assert asked.out.startswith("Water boils at 100 degrees Celsius at sea level. [1]")
    assert "\n✓ verified · quoted exactly · confidence " in asked.out
    assert facts("ask", BOIL, "--reader", "none", "--json").object["answers_question"] is None


def test_a_folder_without_a_reader_is_refused(facts: Cli, tmp_path: Path):
    refused = facts("ask", BOIL, "--reader", tmp_path)
    assert refused.code == 2, refused
    assert "\nhint: " in refused.err


def test_ask_json_is_the_answer_object(facts: Cli):
    answer = facts("ask", BOIL, "--json").object
    assert list(answer) == ANSWER_KEYS
    assert answer["schema"] == "assay/1"
    source = answer["sources"][0]
    assert source["number"] == 1
    assert source["quote"]


def test_a_collection_without_documents_names_the_next_step(empty: Cli, tmp_path: Path):
    (tmp_path / "only.txt").write_text("Water boils at 100 degrees.")
    assert empty("add", tmp_path / "only.txt").code == 0
    assert empty("rm", "only", "--yes").code == 0
    asked, searched = empty("ask", BOIL), empty("search", BOIL, "--json")
    assert (asked.code, searched.code) == (3, 0)
    assert searched.object["hits"] == []
    for each in (asked, searched):
        assert "has no documents\nhint: assay add PATH -c " in each.err


def test_ask_what_is_not_there_declines_with_3(facts: Cli):
    asked = facts("ask", "Who won the chess tournament in Reykjavik?")
    assert asked.code == 3
    assert "– no answer" in asked.out
    assert facts("ask", "Who won the chess tournament in Reykjavik?", "--json").object["outcome"] == "abstained"


def test_ask_from_standard_input(facts: Cli):
    assert "100 degrees" in facts("ask", "-", stdin=BOIL.encode()).out


def test_ask_jsonl_streams_answer_objects_with_their_ids(facts: Cli):
    lines = [
        {"id": 1, "question": BOIL},
        {"id": 2, "question": ""},
        {"id": 3},
        {
            "id": 4,
            "question": "And when was it opened?",
            "history": [{"role": "user", "text": "The Harbour Bridge?"}],
        },
    ]
    asked = facts("ask", "--jsonl", stdin="\n".join(map(json.dumps, lines)).encode())
    assert asked.code == 0
    first, second, third, fourth = asked.objects
    assert [each["id"] for each in asked.objects] == [1, 2, 3, 4]
    assert first["schema"] == "assay/1"
    assert "100 degrees" in first["text"]
    assert second["error"]
    assert third["error"]
    assert fourth["schema"] == "assay/1"


def test_ask_knows_the_dialogue(facts: Cli, tmp_path: Path):
    (tmp_path / "before.json").write_text('[{"role": "user", "text": "Tell me about the Harbour Bridge."}]')
    asked = facts("ask", "When was it opened?", "--history", tmp_path / "before.json", "--json")
    assert "1932" in asked.object["text"]
    (tmp_path / "before.json").write_text("{")
    assert facts("ask", BOIL, "--history", tmp_path / "before.json").code == 2


def test_what_a_document_holds_never_acts_on_the_terminal(facts: Cli):
    for verb in ("ask", "search"):
        shown = facts(verb, "What is the secret colour of the flag?")
        assert "crimson" in shown.out
        assert "\x1b" not in shown.out + shown.err
        assert "\x07" not in shown.out + shown.err


def test_verbose_tells_the_steps_on_standard_error(facts: Cli):
    asked = facts("ask", BOIL, "-v", "--json")
    assert asked.object
    assert "judged: sufficiency" in asked.err


def test_search_json_is_the_object_of_the_pipe(facts: Cli):
    found = facts("search", BOIL, "--json", "-k", "2")
    assert found.code == 0
    assert set(found.object) == {"id", "hits", "ms"}
    assert len(found.object["hits"]) == 2
    hit = found.object["hits"][0]
    assert set(hit) == {"document_id", "passage_id", "score", "scores", "text", "start", "end"}
    assert set(hit["scores"]) == {"dense", "sparse"}
    assert len(hit["text"]) == hit["end"] - hit["start"]


@pytest.mark.parametrize(("mode", "raw"), [("dense", "dense"), ("sparse", "sparse")])
def test_search_by_one_mode_has_its_score_only(facts: Cli, mode: str, raw: str):
    scores = facts("search", "water", "--mode", mode, "--json").object["hits"][0]["scores"]
    assert {name for name, value in scores.items() if value is not None} == {raw}


def test_search_jsonl_takes_k_from_the_line(facts: Cli):
    lines = b'{"id": "a", "query": "water", "k": 1}\n{"id": "b", "query": "water"}\nnonsense\n'
    found = facts("search", "--jsonl", "-k", "3", stdin=lines)
    assert found.code == 0
    assert [len(each["hits"]) for each in found.objects[:2]] == [1, 3]
    assert "error" in found.objects[2]


@pytest.mark.parametrize(
    "question",
    [
        '"',
        "*",
        "NEAR(a b)",
        "title:water",
        "a AND",
        "' OR 1=1 --",
        "%s {} {{7*7}}",
        "\x00\x01",
        "–",
        "日本語",
        "a" * 5000,
    ],
)
def test_no_question_is_query_syntax(facts: Cli, question: str):
    assert facts("search", question, "--json").code == 0
    assert facts("ask", question, "--json").code in (0, 3, 4)


def test_search_keeps_to_metadata(empty: Cli, tmp_path: Path):
    lines = [{"id": str(year), "text": f"The report of {year}.", "year": year} for year in (2023, 2024)]
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    empty("add", tmp_path / "lines.jsonl")
    found = empty("search", "report", "--where", "year=2024", "--json").object["hits"]
    assert [hit["document_id"] for hit in found] == ["2024"]
    assert empty("search", "report", "--where", "year").code == 2


def test_show_tells_the_run_and_lists_the_latest(empty: Cli, sources: Path):
    nothing = empty("show")
    assert (nothing.code, nothing.out) == (0, "")
    assert empty("show", "last").code == 2
    empty("add", sources)
    answer = empty("ask", BOIL, "--json").object
    assert answer["run_id"] in empty("show").out
    shown = empty("show", answer["run_id"][:20].lower())
    assert shown.code == 0
    for part in ("steps", "claims", "checks", "judged: sufficiency", "100 degrees"):
        assert part in shown.out
    record = empty("show", "last", "--json").object
    assert record["events"][-1]["body"]["answer"] == answer
    assert empty("show", "ZZZZ").code == 2


def test_judge_weighs_passages_of_ones_own(tmp_path: Path):
    lines = [
        {"id": 1, "query": BOIL, "passages": [{"id": "p", "text": "Water boils at 100 degrees Celsius."}]},
        {"id": 2, "query": BOIL, "passages": [{"id": "p", "text": "Cats sleep most of the day."}]},
        {"id": 3, "query": BOIL, "passages": []},
        {"id": 4, "query": "", "passages": []},
        {"id": 5, "query": BOIL},
    ]
    judged = call("judge", "--jsonl", stdin="\n".join(map(json.dumps, lines)).encode())
    assert judged.code == 0, judged
    good, bad, none, empty, missing = judged.objects
    assert set(good) == {
        *(
            "id",
            "sufficiency",
            "recommendation",
            "quality",
            "coverage",
            "relevance",
            "aspects",
            "missing",
            "issues",
        ),
        *("mode_used", "ms", "contradictions", "ambiguity"),
    }
    assert good["sufficiency"] > bad["sufficiency"]
    assert set(good["relevance"]) == {"p"}
    assert none["recommendation"] != "ANSWER"
    assert "error" in empty
    assert "error" in missing
    assert list(tmp_path.rglob("*.sqlite")) == []


def test_judge_of_the_collection_says_what_suffices(facts: Cli):
    assert facts("judge", BOIL).code == 0
    poor = facts("judge", "Who won the chess tournament in Reykjavik?", "--json")
    assert poor.code == 3
    assert poor.object["recommendation"] != "ANSWER"


def test_check_tests_claims_of_anyone():
    context = "The bridge was opened on 3 May 1932."
    lines = [
        {"id": 1, "claim": "The bridge was opened on 3 May 1932.", "context": context},
        {"id": 2, "answer": "The bridge was opened on 3 May 1952.", "passages": [{"id": "p", "text": context}]},
        {"id": 3, "claim": "The bridge was opened."},
    ]
    checked = call("check", "--jsonl", stdin="\n".join(map(json.dumps, lines)).encode())
    assert checked.code == 0, checked
    right, wrong, missing = checked.objects
    assert set(right) == {"id", "support", "verdict", "claims", "checks", "ms"}
    assert (right["id"], right["verdict"]) == (1, "supported")
    assert wrong["verdict"] in ("contradicted", "unsupported")
    assert wrong["support"] < right["support"]
    assert missing["error"]


def test_check_of_files_exits_by_what_it_finds(tmp_path: Path):
    (tmp_path / "source.txt").write_text("The bridge was opened on 3 May 1932.")
    (tmp_path / "answer.txt").write_text("The bridge was opened on 3 May 1952.")
    checked = call("check", tmp_path / "answer.txt", "--context", tmp_path / "source.txt")
    assert checked.code == 4, checked
    assert "1952" in checked.out
    assert call("check", "-", "--context", tmp_path / "source.txt", "--json", stdin=b"It was opened in May.").out
    assert call("check").code == 2
    assert call("check", tmp_path / "none.txt", "--context", tmp_path / "source.txt").code == 2


def test_check_without_sources_looks_into_the_collection(facts: Cli, tmp_path: Path):
    (tmp_path / "answer.txt").write_text("Water boils at 100 degrees Celsius at sea level.")
    assert facts("check", tmp_path / "answer.txt", "--json").object["verdict"] == "supported"
    assert call("check", tmp_path / "answer.txt", "--data-dir", tmp_path / "none").code == 6


PARAPHRASE = "Whoever rents a flat has to announce it three months before moving out."
RENT = "Tenants move out with a notice period of three months."


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_check_asks_the_verifier_model_what_rules_leave_open(
    empty: Cli, scripted: Callable[..., str], tmp_path: Path, way: str
):
    part = {"text": PARAPHRASE, "verdict": "contradicted", "sentences": [1]}
    model = scripted({"role": "verifier", "reply": {"claims": [{"number": 1, "parts": [part]}]}})
    flags = ("--verifier-model", model, "--max-calls", "2")

    def verdict(profile: str) -> str:
        if way == "pipe":
            line = json.dumps({"claim": PARAPHRASE, "context": RENT}).encode()
            return empty("check", "--jsonl", "--profile", profile, *flags, stdin=line).object["verdict"]
        (tmp_path / "rent.txt").write_text(RENT)
        given = ("-", "--context", tmp_path / "rent.txt", "--json", "--profile", profile)
        return empty("check", *given, *flags, stdin=PARAPHRASE.encode()).object["verdict"]

    assert verdict("fast") == verdict("balanced") == "contradicted"


def test_check_opens_no_model_but_the_verifier(empty: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_MODEL", f"fake:{tmp_path / 'none.json'}")
    line = json.dumps({"claim": "It rained.", "context": "It rained."}).encode()
    assert empty("check", "--jsonl", stdin=line).object["verdict"] == "supported"
    assert empty("check", "--jsonl", "--verifier-model", f"fake:{tmp_path / 'none.json'}", stdin=line).code == 2


def test_judge_recommends_only_what_can_be_done_here(facts: Cli):
    judged = facts("judge", "Who is the president of Peru?")
    assert judged.code == 3, judged
    assert judged.out.startswith("ABSTAIN · ")
    assert "no outside source is configured" in judged.out
    assert "hint: `assay ask --outside wikipedia`" in judged.err


def test_a_text_is_checked_as_it_is_given(facts: Cli):
    checked = facts("check", "The notice period is three months.")
    assert checked.code == 0, checked
    assert checked.out.startswith("1. supported: The notice period is three months.")


OWN = [
    {"id": "a", "text": "The ferry costs 12 euros.", "title": "Ferry", "score": 3.5, "scores": {"dense": 0.8}},
    {"id": "b", "text": "The bus is free.", "metadata": {"date": "2024-05-01"}},
]


def test_an_answer_from_passages_of_ones_own(empty: Cli, tmp_path: Path):
    for name, text in (("lines", "\n".join(map(json.dumps, OWN))), ("list", json.dumps(OWN, indent=2))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        told = empty("ask", "What does the ferry cost?", "--passages", tmp_path / name, "--json")
        assert told.code == 0
        assert "12 euros" in told.object["text"]
        assert [source["passage_id"] for source in told.object["sources"]] == ["a"]
    piped = empty("ask", "What does the ferry cost?", "--passages", "-", stdin=text.encode())
    assert "12 euros" in piped.out
    assert "What does the ferry cost?" in empty("show", "last").out


@pytest.mark.parametrize(
    ("text", "flags", "said"),
    [
        ("nonsense", (), "line 1 of the passages is not JSON"),
        ('{"id": "a"}', (), "'passages' must be"),
        ('{"text": "x", "scores": {"dense": 2}}', (), "'dense' must be a number from -1 to 1"),
        ('{"text": "x", "scores": [1]}', (), "'scores' must be"),
        ('{"text": "x", "score": "high"}', (), "'score' must be a number"),
        ('{"text": "x"}', ("-k", "3"), "the option k has no effect here"),
        ('{"text": "x"}', ("--where", "a=1"), "the option where has no effect here"),
        ('{"text": "x"}', ("--rounds", "2"), "there is no collection"),
    ],
)
def test_passages_that_cannot_be_used_are_refused(
    empty: Cli, tmp_path: Path, text: str, flags: tuple[str, ...], said: str
):
    (tmp_path / "found.jsonl").write_text(text, encoding="utf-8")
    told = empty("ask", "What is it?", "--passages", tmp_path / "found.jsonl", *flags)
    assert told.code == (6 if said == "there is no collection" else 2)
    assert said in told.err
    assert "hint" in told.err
    assert empty("ask", "What is it?", "--passages", tmp_path / "nowhere").code == 2
    assert empty("ask", "--jsonl", "--passages", tmp_path / "found.jsonl").code == 2
    assert empty("ask", "-", "--passages", "-").code == 2


def test_lines_with_passages_need_no_collection(empty: Cli):
    lines = [{"id": 1, "question": "What does the ferry cost?", "passages": OWN}, {"id": 2, "question": "Who?"}]
    told = empty("ask", "--jsonl", stdin="\n".join(map(json.dumps, lines)).encode())
    answered, missing = told.objects
    assert "12 euros" in answered["text"]
    assert "there is no collection" in missing["error"]
    assert told.code == 6
    assert empty("ask", "--jsonl", stdin=json.dumps(lines[0]).encode()).code == 0


def test_lines_bring_their_own_options(facts: Cli):
    lines = [
        {"id": 1, "question": "At how many degrees does water boil?", "options": {"citation_style": "none"}},
        {"id": 2, "question": "At how many degrees does water boil?"},
        {"id": 3, "question": "At how many degrees does water boil?", "options": {"profil": "fast"}},
        {"id": 4, "question": "At how many degrees does water boil?", "options": [1]},
        {"id": 5, "question": "At how many degrees does water boil?", "options": {"where": {"format": "none"}}},
    ]
    told = facts("ask", "--jsonl", stdin="\n".join(map(json.dumps, lines)).encode()).objects
    assert "[1]" not in told[0]["text"]
    assert told[0]["text"] == told[1]["text"].replace(" [1]", "")
    assert told[2]["error"] == "there is no option 'profil'"
    assert told[2]["hint"] == "did you mean 'profile'?"
    assert "not an object" in told[3]["error"]
    assert told[4]["outcome"] == "abstained"
    judged = facts("judge", "--jsonl", stdin=json.dumps({**lines[0], "passages": ["x"]}).encode()).objects
    assert "the option citation_style has no effect here" in judged[0]["error"]
    searched = {"query": "water", "k": 1, "options": {"mode": "sparse"}}
    found = facts("search", "--jsonl", stdin=json.dumps(searched).encode()).objects
    assert [hit["scores"]["dense"] for hit in found[0]["hits"]] == [None]


def test_marks_may_be_left_out(facts: Cli):
    question = ("At how many degrees does water boil?", "--citation-style", "none")
    assert "[1]" not in facts("ask", *question).out.partition("\n")[0]
    told = facts("ask", *question, "--json").object
    assert ("[1]" in told["text"], told["citations"], len(told["sources"])) == (False, [], 1)


def test_asking_and_judging_keep_to_metadata(empty: Cli, tmp_path: Path):
    lines = [
        {"id": str(year), "text": f"The report of {year} costs {year} euros.", "year": year}
        for year in (2023, 2024)
    ]
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)))
    empty("add", tmp_path / "lines.jsonl")
    only = ("--where", "year=2024")
    told = empty("ask", "What does the report cost?", *only, "--json").object
    assert {source["document_id"] for source in told["sources"]} == {"2024"}
    assert len(empty("judge", "What does the report cost?", *only, "--json").object["relevance"]) == 1
    assert "2024" in empty("chat", *only, stdin=b"What does the report cost?\n").out


def test_metadata_that_no_passage_has_is_named(empty: Cli, tmp_path: Path):
    (tmp_path / "lines.jsonl").write_text('{"id": "a", "text": "The report costs 9 euros.", "year": 2024}')
    empty("add", tmp_path / "lines.jsonl")
    for verb in ("ask", "search"):
        found = empty(verb, "What does the report cost?", "--where", "year=1999")
        assert "warning: no passage found has year=1999" in found.err
        assert "no passage found" not in empty(verb, "What does the report cost?", "--where", "year=2024").err


def test_a_refusal_names_its_nearest_file_as_seen_from_here(
    empty: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("tea.md").write_text("# Tea\n\nGreen tea is brewed at 80 degrees Celsius.\n")
    empty("add", "tea.md")
    question = "Who won the chess tournament in Reykjavik?"
    line = json.dumps({"question": question})
    for found in (empty("ask", question, "--json"), empty("ask", "--jsonl", stdin=line.encode())):
        assert found.object["text"].endswith("(tea.md).")
        assert str(tmp_path) not in found.object["text"]
