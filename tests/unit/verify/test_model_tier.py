"""What a verifier model's reply is worth: whatever it leaves out, repeats or makes up supports nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from assay.errors import BudgetSpent, DeadlinePassed, ProviderUnreachable
from assay.models.structured import StructuredModel
from assay.testing.scripted_model import ScriptedModel
from assay.types import Check, Claim, Passage, Review, Status, Verdict
from assay.verify.agreed import Vote, agreed
from assay.verify.model_tier import ModelTier
from assay.verify.review import DeterministicVerifier
from assay.verify.tier import Asked, Ruling
from assay.verify.voting import VotingVerifier

SOURCE = (
    "The old mill stood by the river for two centuries. It burned down in the winter of 1901. Nobody rebuilt it."
)
CLAIM = "Fire destroyed the ancient mill beside the river."
FENCE = "5eed" * 8
Reply = Mapping[str, Any] | str | Exception


def passage(text: str = SOURCE, name: str = "p1") -> Passage:
    return Passage(name, name, "r1", 50, 50 + len(text), text)


def part(verdict: str = "supported", *sentences: int, text: str = CLAIM) -> dict[str, Any]:
    return {"text": text, "verdict": verdict, "sentences": list(sentences)}


def says(*parts: dict[str, Any], number: int = 1) -> dict[str, Any]:
    return {"claims": [{"number": number, "parts": list(parts)}]}


def tier(*replies: Reply, room: int = 6000) -> ModelTier:
    return ModelTier(StructuredModel(ScriptedModel(*replies)), room, lambda: FENCE)


async def reviewed(*tiers: ModelTier, text: str = CLAIM) -> Review:
    return await VotingVerifier(DeterministicVerifier(), tiers).check(text, (passage(),))


async def ruled(reply: Reply, claim: str = CLAIM, *passages: Passage, room: int = 6000) -> Ruling:
    one = Asked(Claim(1, claim, 0, len(claim), (), Verdict.UNKNOWN, 0.5), passages or (passage(),))
    [found] = await tier(reply, room=room).rule([one])
    return found


def named(review: Review, name: str) -> list[Check]:
    return [check for check in review.checks if check.name == name]


async def test_the_prompt_numbers_sentences_and_claims_between_fences() -> None:
    model = ScriptedModel(says(part("supported", 1, 2)))
    await VotingVerifier(DeterministicVerifier(), (ModelTier(StructuredModel(model), fence=lambda: FENCE),)).check(
        CLAIM, (passage(),)
    )
    [request] = model.requests
    assert request.role == "verifier"
    assert request.messages[1].text == (
        f"<sentences {FENCE}>\n1. The old mill stood by the river for two centuries.\n"
        "2. It burned down in the winter of 1901.\n3. Nobody rebuilt it.\n"
        f"</sentences {FENCE}>\n<claims {FENCE}>\n1. {CLAIM}\n</claims {FENCE}>"
    )


async def test_a_supported_claim_goes_by_the_sentences_named() -> None:
    review = await reviewed(tier(says(part("supported", 1, 2))))
    [claim] = review.claims
    assert claim.verdict is Verdict.SUPPORTED
    assert claim.spans[0].quote == SOURCE[claim.spans[0].start - 50 : claim.spans[0].end - 50]
    assert [event.by for event in claim.history][-2:] == ["fake:scripted", "vote"]
    assert [check.status for check in named(review, "support")] == [Status.PASSED]


async def test_the_worst_part_rules() -> None:
    first, second = "Fire destroyed the ancient mill", "it stood beside the river"
    ruling = await ruled(says(part("supported", 2, text=first), part("unsupported", text=second)))
    assert ruling.verdict is Verdict.UNSUPPORTED


BROKEN: dict[str, Reply] = {
    "a sentence never given": says(part("supported", 9)),
    "one never given beside one given": says(part("supported", 1, 9)),
    "supported by nothing": says(part("supported")),
    "contradicted by nothing": says(part("contradicted")),
    "no claim at all": {"claims": []},
    "no part": says(),
    "another claim": says(part("supported", 1), number=2),
    "an extra claim": {"claims": [{"number": n, "parts": [part("supported", 1)]} for n in (1, 7)]},
    "the claim twice": {"claims": [*says(part("supported", 1))["claims"], *says(part("unsupported"))["claims"]]},
    "only a small part of it": says(part("supported", 1, text="river")),
    "a sentence that shares no word": says(part("supported", 3)),
    "out of reach": ProviderUnreachable("no route", hint="look at the network"),
    "no budget": BudgetSpent("all calls are spent", hint="allow more"),
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
async def test_a_broken_reply_leaves_the_claim_unknown_with_its_cause(broken: str) -> None:
    ruling = await ruled(BROKEN[broken])
    assert ruling.verdict is Verdict.UNKNOWN
    assert ruling.reason


@pytest.mark.parametrize("broken", BROKEN)
async def test_a_broken_reply_passes_nothing_and_says_so(broken: str) -> None:
    review = await reviewed(tier(BROKEN[broken]))
    assert all(claim.verdict is not Verdict.SUPPORTED for claim in review.claims)
    [check] = named(review, "verifier")
    assert check.status is Status.UNKNOWN
    assert check.cause
    assert any(finding.check == "verifier" for finding in review.findings)


@pytest.mark.parametrize("text", ["", "UNSUPPORTED", "{", '{"claims": 1}', "null", '{"claims": [{"number": 1}]}'])
async def test_a_reply_that_is_twice_not_as_asked_is_unknown(text: str) -> None:
    one = Asked(Claim(1, CLAIM, 0, len(CLAIM), (), Verdict.UNKNOWN, 0.5), (passage(),))
    [ruling] = await tier(text, text).rule([one])
    assert ruling.verdict is Verdict.UNKNOWN


async def test_one_claim_left_out_costs_the_others_nothing() -> None:
    asked = [Asked(Claim(n, CLAIM, 0, len(CLAIM), (), Verdict.UNKNOWN, 0.5), (passage(),)) for n in (1, 2)]
    first, second = await tier(says(part("supported", 2, 1))).rule(asked)
    assert (first.verdict, second.verdict) == (Verdict.SUPPORTED, Verdict.UNKNOWN)


async def test_nothing_is_unsupported_by_passages_that_were_not_shown() -> None:
    long = passage("Another matter altogether. " * 400, "p2")
    ruling = await ruled(says(part("unsupported")), CLAIM, passage(), long, room=200)
    assert (ruling.verdict, ruling.reason) == (Verdict.UNKNOWN, "1 passage did not fit the model's prompt")


async def test_a_claim_stands_only_on_the_passages_that_it_cites() -> None:
    cited = Claim(1, CLAIM, 0, len(CLAIM), ("p1",), Verdict.UNKNOWN, 0.5)
    other = passage("The mill by the river burned.", "p2")
    asked = [Asked(cited, (passage(),)), Asked(cited, (passage(), other))]
    reply = {"claims": [each for n in (1, 2) for each in says(part("supported", 4), number=n)["claims"]]}
    first, second = await tier(reply).rule(asked)
    assert (first.verdict, second.verdict) == (Verdict.UNKNOWN, Verdict.SUPPORTED)


async def test_the_deadline_ends_it_all() -> None:
    with pytest.raises(DeadlinePassed):
        await ruled(DeadlinePassed("too late", hint="allow more time"))


@pytest.mark.parametrize("text", ["It burned down in the winter of 1901.", "It burned down in the winter of 1907."])
async def test_no_model_is_asked_what_a_quote_or_a_fact_has_settled(text: str) -> None:
    before = await DeterministicVerifier().check(text, (passage(),))
    assert await reviewed(tier(), text=text) == before  # a scripted model without replies would raise


async def test_two_verifiers_that_disagree_settle_nothing_and_are_named() -> None:
    review = await reviewed(tier(says(part("supported", 1, 2))), tier(says(part("unsupported"))))
    [claim] = review.claims
    assert claim.verdict is Verdict.UNKNOWN
    [check] = named(review, "agreement")
    assert check.status is Status.FAILED
    assert "fake:scripted: supported; fake:scripted: unsupported" in (check.cause or "")


VERDICTS = tuple(Verdict)


@pytest.mark.parametrize("first", VERDICTS)
@pytest.mark.parametrize("second", VERDICTS)
@pytest.mark.parametrize("alone", VERDICTS)
def test_support_needs_every_voice(first: Verdict, second: Verdict, alone: Verdict) -> None:
    votes = [Vote("a", Ruling(first, "")), Vote("b", Ruling(second, ""))]
    supported = agreed(alone, votes) is Verdict.SUPPORTED
    unanimous = {first, second} == {Verdict.SUPPORTED} and alone in (Verdict.SUPPORTED, Verdict.UNKNOWN)
    assert supported == unanimous


def test_votes_count_alike_in_any_order() -> None:
    rulings: Sequence[Verdict] = (Verdict.SUPPORTED, Verdict.UNKNOWN, Verdict.CONTRADICTED)
    votes = [Vote(str(n), Ruling(each, "")) for n, each in enumerate(rulings)]
    assert agreed(Verdict.UNKNOWN, votes) is agreed(Verdict.UNKNOWN, votes[::-1])


async def test_agreement_takes_two() -> None:
    lease = passage("The landlord may terminate the lease if the rent is more than 60 days overdue.")
    claim = "The tenant may terminate the lease if the rent is more than 60 days overdue."
    before = await DeterministicVerifier().check(claim, (lease,))
    review = await VotingVerifier(DeterministicVerifier(), (tier("no JSON", "no JSON"),)).check(claim, (lease,))
    [agreement], [support] = named(review, "agreement"), named(review, "support")
    assert (agreement.status, agreement.cause) == (Status.UNKNOWN, "no one could say")
    assert support.status is Status.UNKNOWN
    assert [support] == named(before, "support")


async def test_a_voter_that_is_alone_is_named() -> None:
    review = await reviewed(tier(says(part("supported", 1, 2))), tier("no JSON", "no JSON"))
    [agreement] = named(review, "agreement")
    assert (agreement.status, agreement.cause) == (Status.UNKNOWN, "only fake:scripted could say")
    assert named(review, "support")[0].status is not Status.PASSED


async def test_what_a_vote_settles_has_the_votes_cause() -> None:
    review = await reviewed(tier(says(part("unsupported"))))
    [support] = named(review, "support")
    assert support.status is Status.FAILED
    assert "all who could say agree" not in (support.cause or "")
