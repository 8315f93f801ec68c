"""Suites of writing, testing, repairing and rating: what is done once there is evidence."""

from __future__ import annotations

import math
from contextlib import aclosing
from dataclasses import replace

import pytest

from assay.core.stages import (
    Abstainer,
    Adviser,
    Assessor,
    Concluder,
    ConfidenceEstimator,
    Relevance,
    Repairer,
    Rules,
    Settler,
    StyleEditor,
    TextVerifier,
    Verifier,
    Weigher,
    Writer,
)
from assay.testing.contracts.given import (
    ASKED,
    EVIDENCE,
    HOSTILE,
    NOTHING,
    PARTLY,
    QUESTION,
    TEXTS,
    Contract,
    assert_share,
    assert_sound,
    assert_sound_checks,
    assert_true_span,
    draft_of,
    evidence_of,
    hostile,
    question_of,
    required,
    sentence_of,
)
from assay.testing.fakes import review_of
from assay.types import (
    Action,
    AnswerReading,
    Assessment,
    Check,
    Criterion,
    CriterionScore,
    Draft,
    Evidence,
    Finding,
    FindingKind,
    Finished,
    Gathered,
    Judgement,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Status,
    Verdict,
)

TRUE, FALSE = "The harbour bridge was opened on 3 May 1932", "The harbour bridge was opened on 3 May 1934"
HOSTILE_EVIDENCE = evidence_of(*HOSTILE.values())
EVERYTHING = pytest.mark.parametrize(
    "evidence", [EVIDENCE, NOTHING, HOSTILE_EVIDENCE], ids=["plain", "none", "hostile"]
)


def _plain(text: str) -> Draft:
    return Draft(text, tuple(passage.passage_id for passage in EVIDENCE.passages))


class WriterContract(Contract):
    """A writer numbers its sentences, cites only what it was given, quotes true, and says how it ended."""

    writer = required("writer")

    @EVERYTHING
    async def test_numbered_sentences_and_then_how_it_ended(self, writer: Writer, evidence: Evidence) -> None:
        for text in (ASKED, *HOSTILE.values()):
            *sentences, end = [part async for part in writer.write(question_of(text), evidence, ())]
            assert isinstance(end, Finished)
            for number, sentence in enumerate(sentences, 1):
                assert isinstance(sentence, Sentence)
                assert sentence.number == number
                assert sentence.text.strip()
                assert set(sentence.passage_ids) <= evidence.ids
                for quote in sentence.quotes:
                    assert quote.text in sentence.text
                    assert_true_span(quote.source, evidence.passages)

    async def test_it_may_be_left_and_asked_again(self, writer: Writer) -> None:
        async with aclosing(writer.write(QUESTION, EVIDENCE, ())) as parts:
            first = await anext(parts)
        again = [part async for part in writer.write(QUESTION, EVIDENCE, ())]
        assert again[0] == first

    async def test_advice_is_taken(self, writer: Writer) -> None:
        advice = (Finding("support", 1, Severity.BLOCK, "it is not in the passage", "say what the passage says"),)
        parts = [part async for part in writer.write(QUESTION, EVIDENCE, advice)]
        assert isinstance(parts[-1], Finished)


class AbstainerContract(Contract):
    """An abstainer always says something, the same for the same question; only a question back offers choices."""

    abstainer = required("abstainer")

    @EVERYTHING
    @pytest.mark.parametrize("action", [Action.ABSTAIN, Action.CLARIFY])
    def test_it_says_what_is_missing(self, abstainer: Abstainer, evidence: Evidence, action: Action) -> None:
        for text in (ASKED, *HOSTILE.values()):
            gathered = Gathered(action, evidence, PARTLY, ())
            said = abstainer.decline(question_of(text), gathered)
            assert said.text.strip()
            assert action is Action.CLARIFY or not said.choices
            assert len(set(said.choices)) == len(said.choices) != 1
            assert abstainer.decline(question_of(text), gathered) == said


class VerifierContract(Contract):
    """A verifier's claims are numbered and in the text, its spans true; without evidence nothing is supported."""

    verifier = required("verifier")

    @EVERYTHING
    async def test_a_review_fits_its_draft(self, verifier: Verifier, evidence: Evidence) -> None:
        for text in (f"{TRUE} [1]. {FALSE} [1].", *HOSTILE.values()):
            draft = Draft(text, tuple(passage.passage_id for passage in evidence.passages))
            reviewed = await verifier.review(QUESTION, evidence, draft)
            assert_sound(reviewed, text, evidence.passages)

    async def test_only_what_follows_is_tested_and_numbered_from_1(self, verifier: Verifier) -> None:
        draft = draft_of(TRUE, FALSE)
        later = await verifier.review(QUESTION, EVIDENCE, draft, after=1)
        assert_sound(later, draft.text, EVIDENCE.passages)
        assert all(claim.start >= draft.spans[1].start for claim in later.claims)

    async def test_an_earlier_draft_changes_nothing(self, verifier: Verifier) -> None:
        before = await verifier.review(QUESTION, EVIDENCE, draft_of(TRUE))
        await verifier.review(question_of("Who built it?"), HOSTILE_EVIDENCE, draft_of(FALSE))
        assert await verifier.review(QUESTION, EVIDENCE, draft_of(TRUE)) == before


class ConcluderContract(Contract):
    """A concluder adds checks of the whole draft to a review, and changes nothing in it."""

    concluder = required("concluder")

    @EVERYTHING
    def test_it_only_adds_checks(self, concluder: Concluder, evidence: Evidence) -> None:
        for text in (f"{TRUE} [1].", *HOSTILE.values()):
            draft = Draft(text, tuple(passage.passage_id for passage in evidence.passages))
            verdict = Verdict.SUPPORTED if evidence.passages else Verdict.UNKNOWN
            reviewed = review_of((text, verdict)) if text.strip() else Review((), (), ())
            concluded = concluder.conclude(QUESTION, draft, reviewed)
            assert_sound(concluded, text, evidence.passages)
            assert concluded.claims == reviewed.claims
            assert concluded.checks[: len(reviewed.checks)] == reviewed.checks


class TextVerifierContract(Contract):
    """A text verifier's claims are numbered and in the text, its spans true."""

    text_verifier = required("text_verifier")

    @EVERYTHING
    @pytest.mark.parametrize("one_claim", [False, True])
    async def test_a_review_fits_its_text(
        self, text_verifier: TextVerifier, evidence: Evidence, one_claim: bool
    ) -> None:
        for text in (f"{TRUE}. {FALSE}.", *HOSTILE.values()):
            reviewed = await text_verifier.check(text, evidence.passages, one_claim=one_claim)
            assert_sound(reviewed, text, evidence.passages)
            assert len(reviewed.claims) <= 1 or not one_claim


class WeigherContract(Contract):
    """A weigher gives the log odds of each claim, in order, or None."""

    weigher = required("weigher")

    @EVERYTHING
    @pytest.mark.parametrize("claims", [(), (TRUE, FALSE), tuple(HOSTILE.values())], ids=["none", "two", "hostile"])
    async def test_one_number_a_claim(self, weigher: Weigher, evidence: Evidence, claims: tuple[str, ...]) -> None:
        found = await weigher.weigh(claims, evidence.passages)
        assert len(found) == len(claims)
        assert all(odds is None or math.isfinite(odds) for odds in found)


class SettlerContract(Contract):
    """A settler asks about any draft and raises nothing, whether or not anybody could say."""

    settler = required("settler")

    @EVERYTHING
    async def test_any_draft_is_ruled_on(self, settler: Settler, evidence: Evidence) -> None:
        for text in (f"{TRUE} [1]. It is loved [1].", *HOSTILE.values()):
            draft = Draft(text, tuple(passage.passage_id for passage in evidence.passages))
            await settler.settle(QUESTION, evidence, draft)


class AssessorContract(Contract):
    """An assessor scores each criterion once, in shares, quoting the answer; what it cannot score is unknown."""

    assessor = required("assessor")

    @EVERYTHING
    async def test_each_criterion_once_and_no_default(self, assessor: Assessor, evidence: Evidence) -> None:
        for text in (f"{TRUE} [1].", *HOSTILE.values()):
            review = review_of((text, Verdict.SUPPORTED)) if text.strip() else Review((), (), ())
            found = await assessor.assess(QUESTION, evidence, _plain(text), review)
            assert len({score.criterion for score in found.scores}) == len(found.scores)
            for score in found.scores:
                assert_share(score.score)
                assert score.score is not None or score.reasons
                assert all(quote in text for quote in score.quotes)
            assert_share(found.overall)
            if any(score.score is None for score in found.scores):
                assert (found.overall, found.passed) == (None, None)


class AdviserContract(Contract):
    """An adviser keeps the findings, and adds advice only to an answer that did not pass."""

    adviser = required("adviser")

    @pytest.mark.parametrize("passed", [True, False, None])
    @pytest.mark.parametrize("score", [0.2, 1.0, None])
    def test_its_advice_follows_the_findings(
        self, adviser: Adviser, passed: bool | None, score: float | None
    ) -> None:
        finding = Finding("support", 1, Severity.BLOCK, "it is not in the passage", "leave it out")
        weakest = Criterion.ACCURACY if score == 0.2 else None
        scores = (CriterionScore(Criterion.ACCURACY, score),)
        advised = adviser.advise(Assessment(scores, score, passed, "0" * 64, weakest), (finding,))
        assert advised[0] == finding
        assert all(finding.advice for finding in advised)
        assert passed is not True or advised == (finding,)


class RepairerContract(Contract):
    """A repairer offers a sentence on evidence that holds what it cites, with a reason, or nothing."""

    repairer = required("repairer")

    @EVERYTHING
    @pytest.mark.parametrize("kind", RepairKind)
    async def test_a_candidate_stands_on_its_evidence(
        self, repairer: Repairer, evidence: Evidence, kind: RepairKind
    ) -> None:
        sentences = [f"{FALSE}.", *(text for text in HOSTILE.values() if text.strip() and evidence is EVIDENCE)]
        for text in sentences:
            found = review_of((text, Verdict.CONTRADICTED))
            at = Span(text.find("1934"), text.find("1934") + 4) if "1934" in text else None
            wrong = Check("dates", Status.FAILED, Severity.BLOCK, 1, "it was 1932", at, kind=FindingKind.WRONG_DATE)
            review = found.with_checks((replace(wrong, expected="1932"),), ())
            sentence = Sentence(1, text, tuple(passage.passage_id for passage in evidence.passages[:1]))
            candidate = await repairer.repair(kind, QUESTION, evidence, sentence, review, 0)
            if candidate is None:
                continue
            assert candidate.reason
            assert candidate.by
            assert evidence.ids <= candidate.evidence.ids
            if candidate.sentence is not None:
                assert candidate.sentence.text.strip()
                assert set(candidate.sentence.passage_ids) <= candidate.evidence.ids


class RulesContract(Contract):
    """Rules check inside the text, and find only what a check found."""

    rules = required("rules")

    async def test_checks_lie_in_the_text(self, rules: Rules) -> None:
        for text in (f"{TRUE} [1].", "\n\n".join(TEXTS), *HOSTILE.values()):
            checks, findings = await rules.examine(QUESTION, EVIDENCE, text)
            assert_sound_checks(checks, text, EVIDENCE.passages)
            assert await rules.examine(QUESTION, EVIDENCE, text) == (checks, findings)
            names = {check.name for check in checks}
            assert all(finding.check in names and finding.message for finding in findings)


class StyleEditorContract(Contract):
    """An editor edits what the checks of its rules found, inside the text and without overlap."""

    editor = required("editor")
    rules = required("rules")

    async def test_edits_lie_in_the_text_in_order(self, editor: StyleEditor, rules: Rules) -> None:
        for text in (f"{TRUE} [1].", "\n\n".join(TEXTS), *HOSTILE.values()):
            checks, _ = await rules.examine(QUESTION, EVIDENCE, text)
            places = [place for edit in editor.edits(QUESTION, text, checks) for place in (edit.start, edit.end)]
            assert places == sorted(places)
            assert all(0 <= place <= len(text) for place in places)

    def test_without_checks_there_is_nothing_to_edit(self, editor: StyleEditor) -> None:
        assert editor.edits(QUESTION, TRUE, ()) == ()


class ConfidenceEstimatorContract(Contract):
    """A confidence is a share; where it is no probability it says why."""

    JUDGEMENTS = (
        PARTLY,
        Judgement(None, Action.ABSTAIN, "nothing was found"),
        Judgement(1.0, Action.ANSWER, "full"),
    )
    REVIEWS = (
        Review((), (), ()),
        review_of((TRUE, Verdict.SUPPORTED)),
        review_of((TRUE, Verdict.SUPPORTED), (FALSE, Verdict.CONTRADICTED)),
        review_of((TRUE, Verdict.UNKNOWN)),
    )

    estimator = required("estimator")

    @pytest.mark.parametrize("judgement", JUDGEMENTS)
    @pytest.mark.parametrize("review", REVIEWS)
    @pytest.mark.parametrize("reading", [None, AnswerReading(2.0, 1.0, 1.0), AnswerReading(-9.0, 0.0, 0.0, -3.0)])
    def test_a_share_and_why_it_is_no_probability(
        self, estimator: ConfidenceEstimator, judgement: Judgement, review: Review, reading: AnswerReading | None
    ) -> None:
        found = estimator.rate(judgement, review, reading)
        assert_share(found.score)
        assert_share(found.value)
        assert found.value is not None or found.cause
        assert found.answers is None or found.reading is not None
        assert reading is not None or found.reading is None
        assert estimator.rate(judgement, review, reading) == found


class RelevanceContract(Contract):
    """Relevance reads any finished answer, or says None."""

    relevance = required("relevance")

    @hostile
    async def test_any_answer_is_read(self, relevance: Relevance, text: str) -> None:
        for asked in (ASKED, *HOSTILE.values()):
            for answer in (TRUE, text):
                found = await relevance.read(question_of(asked), (sentence_of(answer),), answer, EVIDENCE.passages)
                assert found is None or math.isfinite(found.odds)
                for share in (found.held, found.rarest) if found else ():
                    assert_share(share)

    async def test_an_answer_without_sentences_or_sources_is_read(self, relevance: Relevance) -> None:
        found = await relevance.read(QUESTION, (), "", ())
        assert found is None or math.isfinite(found.odds)
