"""The loop with scripted stages: what it does with each judgement and each draft."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.core import pipeline
from assay.core.finalise import Ask
from assay.core.stages import Stages, Writer
from assay.errors import UnusableReply
from assay.testing.fakes import (
    ScriptedJudge,
    ScriptedRepairer,
    ScriptedRetriever,
    ScriptedVerifier,
    ScriptedWriter,
    Unscripted,
    scripted_stages,
)
from assay.types import (
    Action,
    Answer,
    Candidate,
    Check,
    Claim,
    Event,
    Evidence,
    Finding,
    Finished,
    Hit,
    Judgement,
    Limits,
    Outcome,
    Passage,
    RepairKind,
    Review,
    Sentence,
    SentenceVerified,
    SentenceWithdrawn,
    Severity,
    Status,
    Triage,
    Verdict,
)

QUESTION = "At how many degrees does water boil?"
PASSAGE = Passage("p1", "d1", "0" * 64, 0, 26, "Water boils at 100 degrees.", title="Water")
SUFFICES = Judgement(sufficiency=0.9, recommendation=Action.ANSWER, reason="covered", mode_used="fast")
TEXT = "Water boils at 100 degrees. [1]"
SUPPORTED = Claim(1, "Water boils at 100 degrees.", 0, 27, ("p1",), Verdict.SUPPORTED, 1.0)
PASSED = Review((SUPPORTED,), (Check("quote", Status.PASSED, Severity.BLOCK, claim=1),), ())


def stages(
    judgement: Judgement = SUFFICES,
    review: Review = PASSED,
    ending: str = "stop",
    fallback_writer: ScriptedWriter | None = None,
) -> Stages:
    writer = ScriptedWriter({QUESTION: (Sentence(1, "Water boils at 100 degrees.", ("p1",)), Finished(ending))})
    evidence = Evidence((Hit(PASSAGE, 1.0),))
    return scripted_stages(
        retriever=ScriptedRetriever({(QUESTION,): evidence}),
        judge=ScriptedJudge({frozenset({"p1"}): judgement}),
        writer=writer,
        fallback_writer=fallback_writer or writer,
        verifier=ScriptedVerifier({TEXT: review}),
        allowed_actions=frozenset({Action.ANSWER, Action.ABSTAIN}),
    )


async def run(on: Stages, question: str = QUESTION):
    events: list[Event] = []
    answer = await pipeline.answer(Ask(question, (), "run", "fast"), on, Limits(), events.append)
    return answer, events


async def test_sufficient_evidence_becomes_a_cited_answer():
    answer, events = await run(stages())
    assert (answer.outcome, answer.text, answer.verdict) == (Outcome.ANSWERED, TEXT, Verdict.SUPPORTED)
    assert answer.sources[0].quote == PASSAGE.text
    assert answer.validate()
    assert any(isinstance(event, SentenceVerified) for event in events)


@pytest.mark.parametrize("recommended", [Action.REFINE, Action.EXTERNAL, Action.CLARIFY, Action.ABSTAIN])
async def test_what_cannot_be_carried_out_ends_as_an_honest_refusal(recommended: Action):
    answer, _ = await run(stages(replace(SUFFICES, recommendation=recommended, sufficiency=0.1)))
    assert (answer.outcome, answer.text, answer.drafts) == (Outcome.ABSTAINED, "not in the documents", 0)


async def test_a_refusal_of_passages_that_seemed_to_suffice_says_that_they_do_not():
    silent = ScriptedWriter({QUESTION: (Finished("stop"),)})
    answer, _ = await run(replace(stages(), writer=silent, fallback_writer=silent))
    assert (answer.outcome, answer.judgement.recommendation) == (Outcome.ABSTAINED, Action.ANSWER)
    assert answer.judgement.reason.endswith("but none of them answers it")


HALF = replace(SUFFICES, sufficiency=0.4, recommendation=Action.ABSTAIN, triage=Triage.AMBIGUOUS)
WRITER = stages().writer


async def closest_writer(
    judgement: Judgement, shows: ScriptedWriter | None = WRITER, writer: Writer = WRITER
) -> Answer:
    """What is answered where `shows` writes the closest passages, and whatever can be recommended can be done."""
    on = replace(
        stages(judgement),
        closest_writer=shows,
        writer=writer,
        allowed_actions=frozenset({Action.ANSWER, Action.CLARIFY, Action.ABSTAIN}),
    )
    return (await run(on))[0]


@pytest.mark.parametrize(
    ("recommended", "triage", "relevance"),
    [
        (Action.ABSTAIN, Triage.AMBIGUOUS, {}),
        (Action.ABSTAIN, Triage.AMBIGUOUS, {"p1": 0.59}),
        (Action.ABSTAIN, Triage.INCORRECT, {"p1": 0.6}),
        (Action.ABSTAIN, Triage.INCORRECT, {"p0": 0.1, "p1": 0.6}),
        (Action.CLARIFY, Triage.AMBIGUOUS, {"p1": 0.6}),
        (Action.CLARIFY, Triage.INCORRECT, {"p1": 0.6}),
        (Action.CLARIFY, Triage.AMBIGUOUS, {"p1": 0.59}),
    ],
)
async def test_near_passages_are_shown_where_they_may_answer_and_are_not_known_to(
    recommended: Action, triage: Triage, relevance: dict[str, float]
):
    judged = replace(HALF, recommendation=recommended, triage=triage, relevance=relevance)
    # Only `closest` may write it.
    answer = await closest_writer(judged, writer=ScriptedWriter({}))
    assert (answer.outcome, answer.text, answer.judgement) == (Outcome.ANSWERED, TEXT, judged)


@pytest.mark.parametrize(
    ("recommended", "triage", "relevance", "outcome"),
    [
        (Action.ABSTAIN, Triage.INCORRECT, {"p1": 0.59}, Outcome.ABSTAINED),
        (Action.ABSTAIN, Triage.INCORRECT, {}, Outcome.ABSTAINED),
        (Action.ABSTAIN, None, {"p1": 0.9}, Outcome.ABSTAINED),
        (Action.CLARIFY, Triage.INCORRECT, {"p1": 0.59}, Outcome.CLARIFY),
        (Action.CLARIFY, None, {"p1": 0.9}, Outcome.CLARIFY),
    ],
)
async def test_nothing_is_shown_that_is_not_near_or_was_not_told_apart(
    recommended: Action, triage: Triage | None, relevance: dict[str, float], outcome: Outcome
):
    judged = replace(HALF, recommendation=recommended, triage=triage, relevance=relevance)
    answer = await closest_writer(judged)
    assert (answer.outcome, answer.text, answer.drafts) == (outcome, "not in the documents", 0)


@pytest.mark.parametrize(
    ("near", "ambiguity", "outcome"),
    [(0.6, 0.85, Outcome.ANSWERED), (0.59, 0.85, Outcome.CLARIFY), (0.59, 0.84, Outcome.ANSWERED)],
)
async def test_what_is_plainly_unclear_is_asked_back_but_for_what_is_near(
    near: float, ambiguity: float, outcome: Outcome
):
    judged = replace(HALF, recommendation=Action.CLARIFY, relevance={"p1": near}, ambiguity=ambiguity)
    assert (await closest_writer(judged)).outcome is outcome


async def test_an_answer_to_an_unclear_question_says_so():
    judged = replace(HALF, recommendation=Action.CLARIFY, reason='it is not clear what "it" refers to')
    assert 'it is not clear what "it" refers to' in (await closest_writer(judged)).warnings


@pytest.mark.parametrize("recommended", [Action.ABSTAIN, Action.CLARIFY])
async def test_where_nobody_shows_the_closest_passages_the_question_is_declined(recommended: Action):
    answer = await closest_writer(replace(HALF, recommendation=recommended, relevance={"p1": 0.9}), shows=None)
    assert (answer.text, answer.drafts) == ("not in the documents", 0)


async def test_missing_aspects_make_the_answer_partial():
    answer, _ = await run(stages(replace(SUFFICES, missing=("at which pressure",))))
    assert answer.outcome is Outcome.PARTIAL


@pytest.mark.parametrize("ending", ["thinking", "incomplete", "blocked", "empty"])
async def test_a_draft_without_its_ending_is_an_error_and_no_answer(ending: str):
    with pytest.raises(UnusableReply) as caught:
        await run(stages(ending=ending))
    assert caught.value.finish == ending


@pytest.mark.parametrize("status", [Status.FAILED, Status.UNKNOWN])
async def test_a_blocking_check_that_did_not_pass_is_not_validated(status: Status):
    check = Check("numbers", status, Severity.BLOCK, claim=1, cause="100 against 90")
    finding = Finding("numbers", 1, Severity.BLOCK, "100 against 90", "use the number of the source")
    contradicted = replace(SUPPORTED, verdict=Verdict.CONTRADICTED, support=0.0)
    answer, events = await run(stages(review=Review((contradicted,), (check,), (finding,))))
    assert not answer.validate()
    assert answer.verdict is Verdict.CONTRADICTED
    assert any(isinstance(event, SentenceWithdrawn) for event in events)
    assert not any(isinstance(event, SentenceVerified) for event in events)


async def test_every_sentence_has_exactly_one_end():
    _, events = await run(stages())
    ends = [event for event in events if isinstance(event, SentenceVerified | SentenceWithdrawn)]
    assert [event.sentence.number for event in ends] == [1]


async def test_the_fakes_refuse_what_nobody_scripted():
    with pytest.raises(Unscripted):
        await run(stages(), "What else?")


WRONG = "Water boils at 90 degrees. [1]"
BLOCKED = Check("numbers", Status.FAILED, Severity.BLOCK, claim=1, cause="90 against 100")
FAILED = Review(
    (replace(SUPPORTED, text="Water boils at 90 degrees.", verdict=Verdict.CONTRADICTED),),
    (BLOCKED,),
    (Finding("numbers", 1, Severity.BLOCK, "90 against 100", "use the number of the source"),),
)


async def test_where_nothing_written_passes_the_sources_are_quoted_and_that_is_said():
    wrong = (Sentence(1, "Water boils at 90 degrees.", ("p1",)), Finished("stop"))
    right = (Sentence(1, "Water boils at 100 degrees.", ("p1",)), Finished("stop"))
    on = replace(
        stages(),
        writer=ScriptedWriter({QUESTION: wrong}),
        fallback_writer=ScriptedWriter({QUESTION: right}),
        verifier=ScriptedVerifier({WRONG: FAILED, TEXT: PASSED}),
    )
    answer, events = await run(on)
    assert (answer.text, answer.drafts, answer.validate()) == (TEXT, 2, True)
    assert "the one sentence that scripted wrote did not pass its tests" in answer.warnings[0]
    ends = [(type(event), event.sentence.number) for event in events if hasattr(event, "sentence")][1::2]
    assert ends == [(SentenceWithdrawn, 1), (SentenceVerified, 2)]
    (lost,) = answer.dropped
    assert (lost.text, lost.verdict) == ("Water boils at 90 degrees.", Verdict.CONTRADICTED)
    assert [(event.state, event.reason) for event in lost.history] == [
        ("dropped", "it did not pass: the sources are quoted instead")
    ]
    assert [(each.kind, each.before, each.after) for each in answer.repairs] == [
        (RepairKind.REGENERATE, WRONG, TEXT)
    ]


async def test_what_repairs_dropped_stays_on_record_where_the_sources_are_quoted_instead():
    wrong = (Sentence(1, "Water boils at 90 degrees.", ("p1",)), Finished("stop"))
    right = (Sentence(1, "Water boils at 100 degrees.", ("p1",)), Finished("stop"))
    gone = Candidate(None, Evidence((Hit(PASSAGE, 1.0),)), "90 against 100", "rules")
    on = replace(
        stages(),
        writer=ScriptedWriter({QUESTION: wrong}),
        fallback_writer=ScriptedWriter({QUESTION: right}),
        verifier=ScriptedVerifier({WRONG: FAILED, TEXT: PASSED}),
        repairer=ScriptedRepairer({(RepairKind.DROP, "Water boils at 90 degrees."): gone}),
        allowed_repairs=frozenset({RepairKind.DROP}),
    )
    answer, _ = await run(on)
    assert answer.text == TEXT
    assert [(claim.text, claim.history[-1].reason) for claim in answer.dropped] == [
        ("Water boils at 90 degrees.", "90 against 100")
    ]
    assert [each.kind for each in answer.repairs] == [RepairKind.DROP, RepairKind.REGENERATE]


@pytest.mark.parametrize(
    ("written", "reviews"),
    [
        (("At how many degrees does it boil?",), {}),
        (("The answer is:",), {}),
        (("The answer is this:", "Water boils at 90 degrees."), {f"The answer is this: [1] {WRONG}": FAILED}),
    ],
)
async def test_questions_and_lead_ins_do_not_keep_a_draft_that_says_nothing(
    written: tuple[str, ...], reviews: dict[str, Review]
):
    draft = (*(Sentence(n, text, ("p1",)) for n, text in enumerate(written, 1)), Finished("stop"))
    right = (Sentence(1, "Water boils at 100 degrees.", ("p1",)), Finished("stop"))
    nothing = Review((), (), ())
    on = replace(
        stages(),
        writer=ScriptedWriter({QUESTION: draft}),
        fallback_writer=ScriptedWriter({QUESTION: right}),
        verifier=ScriptedVerifier({f"{written[0]} [1]": nothing, **reviews, TEXT: PASSED}),
    )
    answer, _ = await run(on)
    assert (answer.text, answer.drafts) == (TEXT, 2)


async def test_a_draft_that_says_that_there_is_no_answer_stays():
    draft = (Sentence(1, "The sources do not say when.", ("p1",)), Finished("stop"))
    on = replace(
        stages(fallback_writer=ScriptedWriter({})),
        writer=ScriptedWriter({QUESTION: draft}),
        verifier=ScriptedVerifier({"The sources do not say when. [1]": Review((), (), ())}),
    )
    answer, _ = await run(on)
    assert answer.text == "The sources do not say when. [1]"


async def test_a_failed_draft_stays_where_the_sources_say_no_better():
    wrong = ScriptedWriter({QUESTION: (Sentence(1, "Water boils at 90 degrees.", ("p1",)), Finished("stop"))})
    nothing = ScriptedWriter({QUESTION: (Finished("stop"),)})
    on = replace(stages(fallback_writer=nothing), writer=wrong, verifier=ScriptedVerifier({WRONG: FAILED}))
    answer, _ = await run(on)
    assert (answer.text, answer.validate()) == (WRONG, False)
