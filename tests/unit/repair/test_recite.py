"""Citations: pointed at what bears a sentence out, and never at what bears nothing."""

from __future__ import annotations

import pytest

from assay.repair.rules import RulesRepairer
from assay.types import (
    Check,
    Claim,
    Evidence,
    FindingKind,
    Hit,
    Passage,
    Question,
    RepairKind,
    Review,
    Sentence,
    Severity,
    SourceSpan,
    Status,
    Verdict,
)
from assay.verification.verifier import DeterministicVerifier

QUESTION = Question("What is known of them?", "What is known of them?")


def passage(passage_id: str, text: str) -> Passage:
    return Passage(passage_id, f"d-{passage_id}", "r", 0, len(text), text)


async def repair_citations(case, evidence: Evidence):
    repairer = RulesRepairer(DeterministicVerifier())
    return await repairer.repair(RepairKind.RE_CITE, QUESTION, evidence, case.sentence, case.review, case.begins)


async def test_a_citation_to_the_wrong_passage_is_pointed_at_the_right_one(reviewed, evidence):
    made = await repair_citations(await reviewed("The tunnel was not closed in 1950.", "bridge"), evidence)
    assert made.sentence == Sentence(2, "The tunnel was not closed in 1950.", ("tunnel",))
    assert (made.evidence, made.reason, made.by) == (evidence, "Tunnel says it", "rules")


async def test_a_source_without_a_title_is_named_as_a_mark(reviewed):
    evidence = Evidence((Hit(passage("1", "The bridge cost 4 million dollars."), 1.0),))
    case = await reviewed("The bridge cost 4 million dollars.")
    assert (await repair_citations(case, evidence)).reason == "[1] says it"


async def test_a_sentence_without_a_citation_gets_one(reviewed, evidence):
    made = await repair_citations(await reviewed("It cost 4 million dollars."), evidence)
    assert made.sentence.passage_ids == ("bridge",)


async def test_marks_that_stand_for_nothing_go(reviewed, evidence):
    made = await repair_citations(
        await reviewed("It cost 4 million dollars.", "bridge", unknown=("[7]", "[8]")), evidence
    )
    assert made.sentence == Sentence(2, "It cost 4 million dollars.", ("bridge",))
    assert made.reason == "[7], [8] refer to no source"


async def test_two_claims_cite_what_bears_each_of_them(reviewed, evidence):
    case = await reviewed("It cost 4 million dollars; the tunnel was not closed in 1950.", "bridge")
    made = await repair_citations(case, evidence)
    assert made.sentence.passage_ids == ("bridge", "tunnel")


async def test_nothing_is_cited_that_bears_nothing(reviewed, evidence):
    case = await reviewed("Purple elephants live in Kenya.", unknown=("[9]",))
    made = await repair_citations(case, evidence)
    assert (made.sentence.passage_ids, made.sentence.unknown_marks) == ((), ())


async def test_what_is_cited_as_it_should_be_is_left(reviewed, evidence):
    assert await repair_citations(await reviewed("It cost 4 million dollars.", "bridge"), evidence) is None


async def test_what_its_own_source_contradicts_is_not_pointed_elsewhere(reviewed, evidence):
    assert await repair_citations(await reviewed("It cost 5 million dollars.", "bridge"), evidence) is None


async def test_an_uncited_error_cites_the_source_that_tells_what_is_right(reviewed, evidence):
    made = await repair_citations(await reviewed("The bridge was opened on 3 May 1933 by the mayor."), evidence)
    assert made.sentence.passage_ids == ("bridge",)


async def test_the_passage_that_a_check_names_is_taken_at_its_word(evidence):
    sentence = Sentence(1, "It is so.", ("bridge",))
    claim = Claim(1, "It is so.", 0, 9, ("bridge",), Verdict.UNSUPPORTED, 0.1)
    named = SourceSpan("tunnel", 0, 10, "The tunnel")
    check = Check("sources", Status.FAILED, Severity.BLOCK, 1, "elsewhere", None, named, FindingKind.WRONG_PASSAGE)
    asks_nobody = RulesRepairer(verifier=None)  # type: ignore[arg-type]
    made = await asks_nobody.repair(
        RepairKind.RE_CITE, QUESTION, evidence, sentence, Review((claim,), (check,), ()), 0
    )
    assert made.sentence.passage_ids == ("tunnel",)


PARTS = Evidence(tuple(Hit(passage(name, f"{name} words"), 1.0) for name in ("born", "danube", "built")))


def whole(verdict: Verdict, *saying: str) -> Review:
    spans = tuple(SourceSpan(each, 0, 1, "x") for each in saying)
    return Review((Claim(1, "It is so.", 0, 9, (), verdict, None, spans),), (), ())


class Bearing:
    """Finds a claim borne out by these sets of passages; `saying` are those whose sentences hold most of it."""

    def __init__(self, *sets: set[str], saying: tuple[str, ...] = ("born", "built")) -> None:
        self.sets, self.saying = sets, saying

    async def check(self, text, passages, *, one_claim=False):
        ids = {each.passage_id for each in passages}
        verdict = Verdict.SUPPORTED if ids in self.sets else Verdict.UNKNOWN
        return whole(verdict, *(each for each in self.saying if each in ids))


async def recited_by(verifier: Bearing, *cited: str):
    sentence = Sentence(1, "It is so.", cited)
    claim = Claim(1, "It is so.", 0, 9, cited, Verdict.UNSUPPORTED, 0.1)
    repairer = RulesRepairer(verifier)  # type: ignore[arg-type]
    return await repairer.repair(RepairKind.RE_CITE, QUESTION, PARTS, sentence, Review((claim,), (), ()), 0)


ALL, PAIR = {"born", "danube", "built"}, {"born", "built"}


@pytest.mark.parametrize("cited", [(), ("born",), ("built",), ("danube",)])
@pytest.mark.parametrize("saying", [("born", "built"), ("danube", "built", "born")])
async def test_what_two_passages_bear_out_only_together_cites_both(cited, saying):
    made = await recited_by(Bearing(ALL, PAIR, saying=saying), *cited)
    assert made.sentence.passage_ids == ("born", "built")


async def test_what_only_all_that_there_is_bears_out_cites_nothing():
    assert await recited_by(Bearing(ALL)) is None


async def test_a_passage_that_says_nothing_of_it_is_not_cited_beside_one_that_does():
    """It may lift the claim's score all the same."""
    assert await recited_by(Bearing(ALL, PAIR, saying=("born",))) is None
