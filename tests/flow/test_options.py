"""AskOptions of one question: each has an effect or is refused, and the engine stays as it was."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from assay import AskOptions, Passage, SearchSettings, open_engine
from assay.engine import Engine
from assay.errors import BudgetSpent, UsageError
from assay.records.figures import summed
from assay.records.runs import RunStore
from assay.types import Action, Done, Message, Outcome, QuestionKind, Status, Tries
from assay.wiring.replay import replay

LINES = [
    {"id": "hr", "text": "The notice period is three months.", "folder": "hr", "year": 2024},
    {"id": "it", "text": "The notice period is two weeks.", "folder": "it", "year": 2023},
    {"id": "tea", "text": "Green tea is brewed at 80 degrees Celsius.", "folder": "kitchen", "year": 2024},
]
QUESTION = "How long is the notice period?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, LINES)), encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([tmp_path / "lines.jsonl"])
    return tmp_path


@pytest.fixture
def engine(folder: Path):
    with open_engine(data_dir=folder / "data") as opened:
        yield opened


Scripted = Callable[..., str]


@pytest.fixture
def scripted(folder: Path) -> Scripted:
    def model(*rules: Mapping[str, Any], name: str = "script") -> str:
        (folder / f"{name}.json").write_text(json.dumps(rules), encoding="utf-8")
        return f"fake:{folder / name}.json"

    return model


WRITER = {"role": "writer", "reply": "The notice period is three months [1]."}


def test_only_passages_with_the_metadata_are_found(engine: Engine):
    for value, words in (("hr", "three months"), ("it", "two weeks")):
        options = AskOptions(where={"folder": value})
        answer = engine.ask(QUESTION, options=options)
        assert words in answer.text
        assert {source.document_id for source in answer.sources} == {value}
        assert {each.document_id for each in engine.search(QUESTION, options=options).passages} == {value}
        assert {each.document_id for each in engine.gather(QUESTION, options=options).evidence.passages} == {value}
    assert engine.ask(QUESTION, options=AskOptions(where={"folder": "none"})).outcome is Outcome.ABSTAINED
    assert len(engine.search(QUESTION).passages) == len(LINES)


def test_an_engine_can_be_held_to_metadata_as_a_whole(folder: Path):
    with open_engine(data_dir=folder / "data", where={"year": 2024}) as engine:
        assert {each.document_id for each in engine.search(QUESTION).passages} == {"hr", "tea"}
        narrowed = engine.search(QUESTION, options=AskOptions(where={"folder": "it"}))
    assert {each.document_id for each in narrowed.passages} == {"it"}


def test_k_and_mode_are_those_of_the_search(engine: Engine):
    found = engine.search(QUESTION, options=AskOptions(k=1, mode="sparse"))
    assert (len(found.hits), found.settings.mode.value, found.settings.k) == (1, "sparse", 1)
    assert engine.search(QUESTION).settings == SearchSettings()


def test_a_model_named_for_one_question_writes_it_and_is_opened_once(engine: Engine, scripted: Scripted):
    model = scripted(WRITER)
    options = AskOptions(model=model, detail=2, system_prompt="Be brief.", reply_tokens=64, writer_temperature=0.4)
    answer = engine.ask(QUESTION, options=options)
    assert answer.models.writer.startswith("fake:")
    assert "temperature 0.4" in answer.models.writer
    assert answer.usage.calls == 1
    Path(model.removeprefix("fake:")).unlink()  # it is open by now, and is not opened again
    assert engine.ask(QUESTION, options=options).models.writer == answer.models.writer
    assert engine.ask(QUESTION).models.writer == "extractive"


def test_the_limits_are_those_of_the_options(engine: Engine, scripted: Scripted):
    model = scripted(WRITER)
    with pytest.raises(BudgetSpent, match="0 model calls are used up"):
        engine.ask(QUESTION, options=AskOptions(model=model, max_calls=0))


def test_money_is_limited_only_where_a_price_is_known(folder: Path):
    nowhere = open_engine(data_dir=folder / "data", openai_base_url="http://127.0.0.1:9/v1")
    with nowhere as engine, pytest.raises(UsageError, match="the option max_cost cannot be kept"):
        engine.ask(QUESTION, options=AskOptions(model="openai:mine", max_cost=0.01))


def test_the_profile_brings_its_own_limits(engine: Engine, scripted: Scripted):
    judged = {"role": "judge", "reply": {"reason": "It is there.", "verdict": "yes", "missing": ""}}
    options = AskOptions(profile="balanced", model=scripted(judged, WRITER))
    assert engine.ask(QUESTION, options=options).profile == "balanced"
    auto = AskOptions(profile="auto", importance="low", model=options.model)
    answer = engine.ask(QUESTION, options=auto)
    assert (answer.profile, bool(answer.profile_reason)) == ("fast", True)
    with pytest.raises(UsageError, match="needs a judge") as raised:
        engine.ask(QUESTION, options=AskOptions(profile="balanced"))
    assert raised.value.hint


def test_the_last_messages_alone_count(engine: Engine):
    history = [Message("user", "Tell me of the notice period."), Message("assistant", "It is three months.")]
    heard = engine.gather("How long is it?", history)
    unheard = engine.gather("How long is it?", history, options=AskOptions(history_messages=0))
    assert "notice period" in heard.path[0].queries[0]
    assert "notice period" not in unheard.path[0].queries[0]


def test_criteria_and_the_quality_threshold(engine: Engine):
    answer = engine.ask(QUESTION, options=AskOptions(criteria=["relevance"], quality=1.0, floor=1.0))
    assert answer.assessment is not None
    assert [each.criterion.value for each in answer.assessment.scores] == ["relevance"]
    assert (answer.assessment.bar, answer.assessment.floor) == (1.0, 1.0)


def test_the_kind_of_question_changes_how_it_is_answered(engine: Engine):
    where = {"folder": "hr"}
    assert engine.ask(QUESTION, options=AskOptions(where=where)).text.startswith("**")
    how_to = AskOptions(where=where, kind=QuestionKind.HOW_TO)
    assert not engine.ask(QUESTION, options=how_to).text.startswith("**")


@pytest.mark.parametrize(("style", "mark"), [("none", ""), ("named", " [source 1]"), ("footnote", " [^1]")])
def test_the_text_has_its_marks_in_the_style_and_its_offsets_are_true(engine: Engine, style: str, mark: str):
    where = {"folder": "hr"}
    numbered = engine.ask(QUESTION, options=AskOptions(where=where))
    answer = engine.ask(QUESTION, options=AskOptions(where=where, citation_style=style))
    assert answer.text.partition("\n\n")[0] == numbered.text.replace(" [1]", mark)
    assert [answer.text[each.start : each.end] for each in answer.claims] == [each.text for each in answer.claims]
    assert [answer.text[each.start : each.end] for each in answer.citations] == ([mark.strip()] if mark else [])
    assert answer.sources == numbered.sources
    assert all(claim.citations for claim in answer.claims)
    assert {each.name for each in answer.checks if each.status is Status.PASSED} == {
        each.name for each in numbered.checks if each.status is Status.PASSED
    }


def test_an_explanation_has_the_prompt_and_what_stands_on_what(engine: Engine, folder: Path, scripted: Scripted):
    where = {"folder": "hr"}
    quoted = engine.ask(QUESTION, options=AskOptions(where=where, explain=True, citation_style="none"))
    assert quoted.explanation is not None
    assert quoted.explanation.prompt is None
    for entry in quoted.explanation.source_map:
        assert quoted.text[entry.start : entry.end] == entry.text
        assert entry.sources == (1,)
        assert all(span.passage_id == quoted.sources[0].passage_id for span in entry.spans)
    options = AskOptions(where=where, explain=True, model=scripted(WRITER))
    written = engine.ask(QUESTION, options=options)
    assert written.explanation is not None
    assert written.explanation.prompt is not None
    assert written.explanation.prompt.passages == (written.sources[0].passage_id,)
    assert "The notice period is three months." in written.explanation.prompt.messages[-1].text
    assert json.loads(json.dumps(written.to_dict()))["explanation"]["source_map"][0]["sources"] == [1]
    assert replay(written.run_id, data_dir=folder / "data") == written
    assert "explanation" not in engine.ask(QUESTION).to_dict()


def test_the_tries_of_models_are_figures(engine: Engine, folder: Path, scripted: Scripted):
    engine.ask(QUESTION, options=AskOptions(model=scripted(WRITER)))
    store = RunStore(folder / "data" / "runs.sqlite")
    found = summed(run.figures for run in store.figures())
    store.close()
    assert (found.tries, found.first_try_share, found.mean_tries) == (Tries(1, 1, 1), 1.0, 1.0)
    assert summed([]).mean_tries is None


def test_a_run_with_options_is_replayed(engine: Engine, folder: Path, scripted: Scripted):
    options = AskOptions(
        where={"folder": "hr"}, citation_style="none", model=scripted(WRITER), detail=2, kind="factual"
    )
    answer = engine.ask(QUESTION, options=options)
    assert "[1]" not in answer.text
    assert replay(answer.run_id, data_dir=folder / "data") == answer


def test_many_questions_share_options(engine: Engine):
    answers = engine.ask_many([QUESTION, QUESTION], options=AskOptions(where={"folder": "it"}))
    assert all("two weeks" in each.text for each in answers)
    (error,) = engine.ask_many([QUESTION], options=AskOptions(k=0))
    assert isinstance(error, UsageError)


async def test_a_stream_takes_options_and_raises_for_one_that_it_cannot_heed(folder: Path):
    async with open_engine(data_dir=folder / "data") as engine:
        options = AskOptions(where={"folder": "it"}, citation_style="none")
        events = [event async for event in engine.stream(QUESTION, options=options)]
        assert isinstance(events[-1], Done)
        assert "two weeks" in events[-1].answer.text
        with pytest.raises(UsageError, match="detail changes nothing"):
            _ = [event async for event in engine.stream(QUESTION, options=AskOptions(detail=3))]


async def test_a_stream_that_cannot_begin_raises_why(folder: Path):
    async with open_engine(data_dir=folder / "data", max_risk=0.001) as engine:
        with pytest.raises(UsageError, match="cannot be promised"):
            _ = [event async for event in engine.stream(QUESTION)]


# --- what is refused -----------------------------------------------------------------------------

PASSAGE = Passage("p", "p", "", 0, 4, "text")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (AskOptions(k=0), "the option k: must be greater than or equal to 1"),
        (AskOptions(detail=11), "the option detail"),
        (AskOptions(deadline=-1), "the option deadline"),
        (AskOptions(k="3"), "the option k is str, not a number"),  # type: ignore[arg-type]
        (AskOptions(k=True), "the option k is bool, not a number"),
        (AskOptions(kind="poem"), "the option kind"),
        (AskOptions(mode="psychic"), "the option mode"),
        (AskOptions(citation_style="loud"), "the option citation_style"),
        (AskOptions(criteria=["beauty"]), "the option criteria"),
        (AskOptions(where={"a": [1]}), "the option where"),  # type: ignore[dict-item]
        (AskOptions(model="nobody:x"), "names no model"),
        (AskOptions(detail=3), "detail changes nothing: no model writes"),
        (AskOptions(expertise="expert"), "expertise changes nothing"),
        (AskOptions(writer_temperature=1.0), "writer_temperature changes nothing"),
        (AskOptions(reply_tokens=64), "reply_tokens changes nothing"),
        (AskOptions(system_prompt="Be brief."), "system_prompt changes nothing"),
        (AskOptions(importance="high"), "importance changes nothing: only the profile auto"),
        ({"k": 3}, "options are dict"),
    ],
)
def test_an_option_out_of_bounds_or_without_effect_is_refused(engine: Engine, options: Any, said: str):
    with pytest.raises(UsageError) as raised:
        engine.ask(QUESTION, options=options)
    assert said in str(raised.value)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("ask", "options"),
    [
        (lambda engine, options: engine.search(QUESTION, options=options), AskOptions(profile="fast")),
        (lambda engine, options: engine.gather(QUESTION, options=options), AskOptions(detail=3)),
        (lambda engine, options: engine.judge(QUESTION, [PASSAGE], options=options), AskOptions(k=3)),
        (lambda engine, options: engine.judge(QUESTION, options=options), AskOptions(citation_style="none")),
        (lambda engine, options: engine.answer_from(QUESTION, [PASSAGE], options=options), AskOptions(k=3)),
        (lambda engine, options: engine.search(QUESTION, SearchSettings(), options=options), AskOptions(k=3)),
    ],
)
def test_an_option_of_another_verb_is_refused(
    engine: Engine, ask: Callable[[Engine, AskOptions], Any], options: AskOptions
):
    with pytest.raises(UsageError) as raised:
        ask(engine, options)
    assert raised.value.hint


def test_what_an_engine_without_assessment_or_models_cannot_heed_is_refused(folder: Path, scripted: Scripted):
    unassessed = open_engine(data_dir=folder / "data", reflection=False)
    with unassessed as engine, pytest.raises(UsageError, match="quality changes nothing"):
        engine.ask(QUESTION, options=AskOptions(quality=0.5))
    without_models = open_engine(data_dir=folder / "data", models=False)
    with without_models as engine, pytest.raises(UsageError, match="opens no models"):
        engine.ask(QUESTION, options=AskOptions(model=scripted(WRITER)))


def test_a_model_for_one_question_leaves_the_engines_verifier_in_place(folder: Path, scripted: Scripted):
    verifier = scripted({"role": "verifier", "reply": {"claims": []}}, name="verifier")
    writer, other = scripted(WRITER, name="writer"), scripted(WRITER, name="other")
    with open_engine(
        data_dir=folder / "data", model=writer, writer_model=writer, verifier_model=verifier
    ) as engine:
        answer = engine.ask(QUESTION, options=AskOptions(model=other))
    assert "other" in answer.models.writer
    assert "verifier" in answer.models.verifier


def test_an_unclear_question_is_asked_back_only_on_request(engine: Engine):
    options = AskOptions(ask_back=True)
    back, plain = engine.ask("When was it opened?", options=options), engine.ask("When was it opened?")
    assert (back.outcome, back.text[-1]) == (Outcome.CLARIFY, "?")
    assert (plain.outcome, plain.text[-1]) == (Outcome.ABSTAINED, ".")
    assert not any("unclear" in said for said in (*plain.warnings, plain.judgement.reason))
    assert plain.judgement.ambiguity == back.judgement.ambiguity
    assert engine.gather("When was it opened?").action is Action.ABSTAIN
