"""An answer as a whole: its rules, its assessment, edits of its style, and writing it again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from assay.core import pipeline
from assay.core.finalise import Ask
from assay.core.stages import Stages
from assay.errors import ProviderFailed
from assay.testing.fakes import (
    ScriptedAssessor,
    ScriptedJudge,
    ScriptedRepairer,
    ScriptedRetriever,
    ScriptedRules,
    ScriptedVerifier,
    ScriptedWriter,
    scripted_stages,
)
from assay.types import (
    Action,
    Answer,
    Assessment,
    Check,
    Claim,
    Criterion,
    CriterionScore,
    Edit,
    Evidence,
    Finding,
    Finished,
    Hit,
    Judgement,
    Limits,
    Passage,
    Repair,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Status,
    Verdict,
)

QUESTION = "How hot is boiling water?"
PASSAGE = Passage("p1", "d1", "0" * 64, 0, 26, "Water boils at 100 degrees.", title="Water")
SHORT, LONG = "It boils at 100 degrees. [1]", "As everyone knows, it boils at 100 degrees. [1]"
BY_MODEL = (CriterionScore(Criterion.RELEVANCE, 0.6, by="scripted"),)
GOOD, WEAK = Assessment(BY_MODEL, 0.9, True, "hash"), Assessment(BY_MODEL, 0.6, False, "hash")
KEPT = (Check("rule:short", Status.PASSED, Severity.REPAIR),)
BROKEN = (Check("rule:short", Status.FAILED, Severity.REPAIR, None, "too long"),)


def sentence(text: str) -> Sentence:
    return Sentence(1, text.removesuffix(" [1]"), ("p1",))


def borne_out(text: str, verdict: Verdict = Verdict.SUPPORTED) -> Review:
    claim = Claim(1, text.removesuffix(" [1]"), 0, len(text) - 4, ("p1",), verdict, 0.9)
    return Review((claim,), (), ())


@dataclass
class Drafting:
    """Writes one draft after another, an error where it stands for one; `heard` is the advice for each."""

    drafts: list[str | Exception]
    heard: list[tuple[Finding, ...]] = field(default_factory=list)

    async def write(self, question, evidence, advice):
        self.heard.append(advice)
        draft = self.drafts.pop(0)
        if isinstance(draft, Exception):
            raise draft
        yield sentence(draft)
        yield Finished("stop")


ALL = frozenset({RepairKind.EDIT, RepairKind.REGENERATE})


def stages(writer, rules=None, assessor=None, allowed_repairs=ALL, reviews=None) -> Stages:
    suffices = Judgement(sufficiency=0.9, recommendation=Action.ANSWER, reason="covered", mode_used="fast")
    return scripted_stages(
        retriever=ScriptedRetriever({(QUESTION,): Evidence((Hit(PASSAGE, 1.0),))}),
        judge=ScriptedJudge({frozenset({"p1"}): suffices}),
        writer=writer,
        fallback_writer=ScriptedWriter({}),
        verifier=ScriptedVerifier(reviews or {SHORT: borne_out(SHORT), LONG: borne_out(LONG)}),
        rules=rules,
        assessor=assessor,
        allowed_actions=frozenset({Action.ANSWER}),
        allowed_repairs=allowed_repairs,
    )


async def answered(on: Stages, limits: Limits = Limits(repairs=2), *, streamed: bool = False) -> Answer:
    return await pipeline.answer(
        Ask(QUESTION, (), "run", "balanced", streamed=streamed), on, limits, lambda _event: None
    )


async def test_an_answer_that_keeps_the_rules_is_written_once():
    writer = Drafting([SHORT])
    answer = await answered(stages(writer, ScriptedRules({SHORT: KEPT}), ScriptedAssessor({SHORT: GOOD})))
    assert (answer.text, answer.drafts, answer.assessment) == (SHORT, 1, GOOD)
    assert KEPT[0] in answer.checks


async def test_a_broken_structure_is_written_again_with_the_advice():
    writer = Drafting([LONG, SHORT])
    answer = await answered(stages(writer, ScriptedRules({LONG: BROKEN, SHORT: KEPT})))
    assert (answer.text, answer.drafts) == (SHORT, 2)
    assert [each.message for each in writer.heard[1]] == ["too long"]
    assert [(each.kind, each.before, each.after) for each in answer.repairs] == [
        (RepairKind.REGENERATE, LONG, SHORT)
    ]
    assert [(claim.text, claim.history[-1].state) for claim in answer.dropped] == [
        (LONG.removesuffix(" [1]"), "dropped")
    ]


async def test_a_weak_assessment_is_advised_on():
    writer = Drafting([LONG, SHORT])
    answer = await answered(stages(writer, assessor=ScriptedAssessor({LONG: WEAK, SHORT: GOOD})))
    assert answer.assessment == GOOD
    assert [each.advice for each in writer.heard[1]] == ["say more"]


async def test_the_best_draft_is_kept_not_the_last():
    writer = Drafting([LONG, SHORT])
    reviews = {LONG: borne_out(LONG), SHORT: borne_out(SHORT, Verdict.UNKNOWN)}
    on = stages(writer, assessor=ScriptedAssessor({LONG: WEAK, SHORT: GOOD}), reviews=reviews)
    answer = await answered(on)
    assert (answer.text, answer.drafts, answer.repairs) == (LONG, 2, ())


@pytest.mark.parametrize(
    ("limits", "streamed", "allowed_repairs", "why"),
    [
        (Limits(repairs=0), False, ALL, "the limit of 1 draft is reached"),
        (Limits(repairs=2), True, ALL, "its sentences were shown already"),
        (Limits(repairs=2), False, frozenset({RepairKind.EDIT}), "this profile writes one draft"),
        (Limits(repairs=2), False, frozenset(), None),
    ],
)
async def test_an_answer_that_cannot_be_written_again_says_why_unless_it_is_quoted(
    limits, streamed, allowed_repairs, why
):
    on = stages(Drafting([LONG]), ScriptedRules({LONG: BROKEN}), allowed_repairs=allowed_repairs)
    answer = await answered(on, limits, streamed=streamed)
    assert (answer.text, answer.drafts, answer.iterations) == (LONG, 1, 1)
    assert any(finding.check == "rule:short" for finding in answer.findings)
    assert answer.warnings == (() if why is None else (f"the answer was not written again: {why}",))


async def test_repairs_of_sentences_take_nothing_from_the_drafts_for_structure():
    failing = borne_out(LONG, Verdict.UNSUPPORTED)
    wrong = Check("support", Status.FAILED, Severity.BLOCK, 1, "not in the source")
    finding = Finding("support", 1, Severity.BLOCK, "not in the source", "")
    reviews = {LONG: replace(failing, checks=(wrong,), findings=(finding,)), SHORT: borne_out(SHORT)}
    writer = Drafting([LONG, SHORT])
    repairer = ScriptedRepairer({(RepairKind.REWRITE, LONG.removesuffix(" [1]")): None})
    on = stages(
        writer,
        ScriptedRules({LONG: BROKEN, SHORT: KEPT}),
        allowed_repairs=ALL | {RepairKind.REWRITE},
        reviews=reviews,
    )
    answer = await answered(replace(on, repairer=repairer, fallback_writer=writer), Limits(repairs=1))
    assert repairer.asked == [RepairKind.REWRITE]
    assert (answer.text, answer.drafts, answer.iterations) == (SHORT, 2, 2)


async def test_a_structure_that_no_draft_keeps_says_when_the_drafts_are_used_up():
    rules = ScriptedRules({LONG: (*BROKEN, *BROKEN), SHORT: BROKEN})
    answer = await answered(stages(Drafting([LONG, SHORT]), rules), Limits(repairs=1))
    assert (answer.text, answer.drafts) == (SHORT, 2)
    assert answer.warnings == ("the answer was not written again: the limit of 2 drafts is reached",)


async def test_a_model_that_fails_the_second_time_does_not_cost_the_first_answer():
    down = ProviderFailed("the service answered 500", hint="ask again")
    answer = await answered(stages(Drafting([LONG, down]), ScriptedRules({LONG: BROKEN})))
    assert answer.text == LONG
    assert answer.warnings == ("the answer was not written again: the service answered 500",)


async def test_style_is_edited_and_the_sentence_tested_again():

    edited = "It boils at 100 degrees. [1]"
    rules = ScriptedRules({LONG: BROKEN, edited: KEPT}, {LONG: (Edit(0, 20, "I", "no filler"),)})
    answer = await answered(stages(Drafting([LONG]), rules), Limits(repairs=0))
    assert answer.text == edited
    assert [each.kind for each in answer.repairs] == [RepairKind.EDIT]
    assert [each.state for each in answer.claims[0].history] == ["edited"]


async def test_an_edit_that_breaks_a_claim_is_not_kept():
    edited = "It boils at 100 degrees. [1]"
    rules = ScriptedRules({LONG: BROKEN, edited: KEPT}, {LONG: (Edit(0, 20, "I", "no filler"),)})
    reviews = {LONG: borne_out(LONG), edited: borne_out(edited, Verdict.UNSUPPORTED)}
    answer = await answered(stages(Drafting([LONG]), rules, reviews=reviews), Limits(repairs=0))
    assert (answer.text, answer.repairs) == (LONG, ())


@dataclass(frozen=True, slots=True)
class EditsByRule(ScriptedRules):
    """The scripted edits, of those rules alone whose checks failed: their reason is the name of the check."""

    def edits(self, question, text, checks):
        names = {each.name for each in checks if each.status is Status.FAILED}
        return tuple(each for each in self.changes.get(text, ()) if each.reason in names)


@pytest.mark.parametrize("harmless", ["rule:a", "rule:b"])
async def test_of_the_edits_of_two_rules_only_those_that_break_a_claim_are_taken_back(harmless: str):
    filler, degrees = Edit(0, 20, "I", "rule:a"), Edit(35, 42, "grades", "rule:b")
    both, first, second = ("It boils at 100 grades. [1]", SHORT, LONG.replace("degrees", "grades"))
    kept, broken = (first, second) if harmless == "rule:a" else (second, first)

    def told(*failed: str) -> tuple[Check, ...]:
        known = ("rule:a", "rule:b")
        return tuple(Check(n, Status.FAILED if n in failed else Status.PASSED, Severity.REPAIR) for n in known)

    changes = {LONG: (filler, degrees), first: (Edit(16, 23, "grades", "rule:b"),), second: (filler,)}
    checks = {LONG: told("rule:a", "rule:b"), first: told("rule:b"), second: told("rule:a"), both: told()}
    reviews = {LONG: borne_out(LONG), kept: borne_out(kept)}
    reviews |= {text: borne_out(text, Verdict.UNSUPPORTED) for text in (broken, both)}
    on = stages(Drafting([LONG]), EditsByRule(checks, changes), reviews=reviews)
    answer = await answered(on, Limits(repairs=0))
    assert answer.text == kept
    assert [(each.kind, each.reason) for each in answer.repairs] == [(RepairKind.EDIT, harmless)]


async def test_an_estimate_by_rules_is_no_reason_to_write_again():
    weak = Assessment((CriterionScore(Criterion.RELEVANCE, 0.4, by="rules"),), 0.4, False, "hash")
    answer = await answered(stages(Drafting([LONG]), assessor=ScriptedAssessor({LONG: weak})))
    assert (answer.drafts, answer.assessment) == (1, weak)


async def test_a_break_between_two_sentences_is_a_repair():
    @dataclass
    class TwoSentences:
        async def write(self, question, evidence, advice):
            yield sentence(SHORT)
            yield Sentence(2, "Ask more!", ())
            yield Finished("stop")

    both, apart = f"{SHORT} Ask more!", f"{SHORT}\n\nAsk more!"
    rules = ScriptedRules({both: BROKEN, apart: KEPT}, {both: (Edit(28, 29, "\n\n", "too long"),)})
    reviews = {SHORT: borne_out(SHORT), both: Review((), (), ()), apart: borne_out(SHORT)}
    answer = await answered(stages(TwoSentences(), rules, reviews=reviews), Limits(repairs=0))
    assert answer.text == apart
    assert answer.repairs == (Repair(RepairKind.EDIT, "Ask more!", "\n\nAsk more!", "too long"),)


async def test_an_edit_may_take_a_sentence_out():
    @dataclass
    class TwoSentences:
        async def write(self, question, evidence, advice):
            yield sentence(SHORT)
            yield Sentence(2, "Ask more!", ())
            yield Finished("stop")

    both = f"{SHORT} Ask more!"
    rules = ScriptedRules({both: BROKEN, SHORT: KEPT}, {both: (Edit(29, 38, "", "no such section"),)})
    reviews = {SHORT: borne_out(SHORT), both: Review((), (), ())}
    answer = await answered(stages(TwoSentences(), rules, reviews=reviews), Limits(repairs=0))
    assert answer.text == SHORT
    assert [(each.kind, each.before, each.after) for each in answer.repairs] == [(RepairKind.EDIT, "Ask more!", "")]
