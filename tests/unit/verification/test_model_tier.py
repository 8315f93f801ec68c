"""What a verifier model's reply is worth: whatever it leaves out, repeats or makes up supports nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.calibration import ClaimPolicy
from assay.core.draft import compose
from assay.core.finalise import disagreements
from assay.errors import BudgetSpent, DeadlinePassed, ProviderUnreachable
from assay.models.structured import StructuredModel
from assay.testing.fakes import ScriptedChecker, ScriptedModel
from assay.types import (
    Check,
    Claim,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Review,
    Sentence,
    Severity,
    Status,
    Verdict,
)
from assay.verification.model_verifier import ClaimRequest, ModelTier, ModelVerifier, Ruling, combine_verdicts
from assay.verification.verifier import DeterministicVerifier

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


async def reviewed(one: ModelTier, text: str = CLAIM) -> Review:
    return await ModelVerifier(DeterministicVerifier(), one).check(text, (passage(),))


async def ruled(reply: Reply, claim: str = CLAIM, *passages: Passage, room: int = 6000) -> Ruling:
    one = ClaimRequest(Claim(1, claim, 0, len(claim), (), Verdict.UNKNOWN, 0.5), passages or (passage(),))
    [found] = await tier(reply, room=room).rule([one])
    return found


def named(review: Review, name: str) -> list[Check]:
    return [check for check in review.checks if check.name == name]


async def test_the_prompt_numbers_sentences_and_claims_between_fences() -> None:
    model = ScriptedModel(says(part("supported", 1, 2)))
    await reviewed(ModelTier(StructuredModel(model), fence=lambda: FENCE))
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
    "the claim twice": {"claims": [*says(part("supported", 1))["claims"], *says(part("unsupported"))["claims"]]},
    "only a small part of it": says(part("supported", 1, text="river")),
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
    one = ClaimRequest(Claim(1, CLAIM, 0, len(CLAIM), (), Verdict.UNKNOWN, 0.5), (passage(),))
    [ruling] = await tier(text, text).rule([one])
    assert ruling.verdict is Verdict.UNKNOWN


async def test_one_claim_left_out_costs_the_others_nothing() -> None:
    asked = [ClaimRequest(Claim(n, CLAIM, 0, len(CLAIM), (), Verdict.UNKNOWN, 0.5), (passage(),)) for n in (1, 2)]
    first, second = await tier(says(part("supported", 2, 1))).rule(asked)
    assert (first.verdict, second.verdict) == (Verdict.SUPPORTED, Verdict.UNKNOWN)


async def test_nothing_is_unsupported_by_passages_that_were_not_shown() -> None:
    long = passage("Another matter altogether. " * 400, "p2")
    ruling = await ruled(says(part("unsupported")), CLAIM, passage(), long, room=200)
    assert (ruling.verdict, ruling.reason) == (Verdict.UNKNOWN, "1 passage did not fit the model's prompt")


async def test_a_claim_stands_only_on_the_passages_that_it_cites() -> None:
    cited = Claim(1, CLAIM, 0, len(CLAIM), ("p1",), Verdict.UNKNOWN, 0.5)
    other = passage("The mill by the river burned.", "p2")
    asked = [ClaimRequest(cited, (passage(),)), ClaimRequest(cited, (passage(), other))]
    reply = {"claims": [each for n in (1, 2) for each in says(part("supported", 4), number=n)["claims"]]}
    first, second = await tier(reply).rule(asked)
    assert (first.verdict, second.verdict) == (Verdict.UNKNOWN, Verdict.SUPPORTED)


async def test_a_claim_names_the_sentences_that_it_may_go_by() -> None:
    cited = Claim(1, CLAIM, 0, len(CLAIM), ("p2",), Verdict.UNKNOWN, 0.5)
    other = passage("The mill by the river burned. It was old.", "p2")
    model = ScriptedModel(says(part("supported", 4)))
    await ModelTier(StructuredModel(model)).rule(
        [ClaimRequest(cited, (other,)), ClaimRequest(cited, (passage(), other))]
    )
    text = model.requests[0].messages[1].text
    assert f"\n1. [1-2] {CLAIM}\n2. {CLAIM}\n" in text


async def test_what_a_claim_says_is_not_told_needs_no_sentence_where_all_were_shown() -> None:
    denying = "The sources do not say who set the mill on fire."
    absent = part("absent", text=denying)
    assert (await ruled(says(absent), denying)).verdict is Verdict.SUPPORTED
    assert (await ruled(says(part("absent")))).verdict is Verdict.UNKNOWN  # it denies nothing
    long = passage("Another matter altogether. " * 400, "p2")
    assert (await ruled(says(absent), denying, passage(), long, room=200)).verdict is Verdict.UNKNOWN


async def test_the_deadline_ends_it_all() -> None:
    with pytest.raises(DeadlinePassed):
        await ruled(DeadlinePassed("too late", hint="allow more time"))


@pytest.mark.parametrize("text", ["It burned down in the winter of 1901.", "It burned down in the winter of 1907."])
async def test_no_model_is_asked_what_a_quote_or_a_fact_has_settled(text: str) -> None:
    before = await DeterministicVerifier().check(text, (passage(),))
    assert await reviewed(tier(), text=text) == before  # a scripted model without replies would raise


def leading(*claims: str) -> tuple[Draft, Evidence]:
    """A draft of these sentences, and evidence for it."""
    sentences = tuple(Sentence(n, each, ("p1",)) for n, each in enumerate(claims, 1))
    return compose(sentences), Evidence((Hit(passage(), 1.0),))


async def test_all_open_claims_of_a_draft_are_asked_about_in_one_call_and_reviews_ask_nobody() -> None:
    second = "Since a winter fire the mill has never been built up again."
    asked = ScriptedModel(
        {
            "claims": [
                *says(part("supported", 1, 2))["claims"],
                {"number": 2, "parts": [part("contradicted", 3, text=second)]},
            ]
        }
    )
    verifier = ModelVerifier(DeterministicVerifier(), ModelTier(StructuredModel(asked), fence=lambda: FENCE))
    draft, evidence = leading(CLAIM, second)
    question = Question("What became of the mill?", "What became of the mill?")
    await verifier.settle(question, evidence, draft)
    [request] = asked.requests
    assert f"1. {CLAIM}\n2. {second}" in request.messages[1].text
    one, _ = leading(CLAIM)
    first = await verifier.review(question, evidence, one)
    both = await verifier.review(question, evidence, draft, after=1)
    assert [claim.verdict for claim in (*first.claims, *both.claims)] == [Verdict.SUPPORTED, Verdict.CONTRADICTED]
    other, _ = leading("The building near the stream was lost to flames.")
    changed = await verifier.review(question, evidence, other)
    assert changed == await DeterministicVerifier().review(question, evidence, other)


@pytest.mark.parametrize("first", Verdict)
@pytest.mark.parametrize("said", Verdict)
def test_nothing_is_supported_that_a_source_speaks_against_or_that_a_model_does_not_support(
    first: Verdict, said: Verdict
) -> None:
    verdict = combine_verdicts(first, said)
    assert (verdict is Verdict.SUPPORTED) == (said is Verdict.SUPPORTED and first is not Verdict.CONTRADICTED)
    if Verdict.UNKNOWN in (first, said) and first is not Verdict.SUPPORTED:
        assert verdict in (first, said)


@pytest.mark.parametrize("said", ["supported", "unsupported"])
async def test_both_sides_are_named_where_they_do_not_agree(said: str) -> None:
    claim = "Along the river grey elephants were eating young trees."
    before = await DeterministicVerifier().check(claim, (passage(),))
    assert before.claims[0].verdict is Verdict.UNSUPPORTED
    sentences = [1] if said == "supported" else []
    review = await reviewed(tier(says(part(said, *sentences, text=claim))), claim)
    [agreement] = named(review, "agreement")
    assert review.claims[0].verdict is Verdict(said)
    if said == "supported":
        assert agreement.status is Status.FAILED
        assert agreement.cause == "the tests without a model: unsupported; fake:scripted: supported"
    else:
        assert (agreement.status, agreement.cause) == (Status.PASSED, None)


async def test_a_ruling_on_a_claim_never_given_costs_the_others_nothing() -> None:
    reply: Reply = {"claims": [{"number": n, "parts": [part("supported", 1)]} for n in (1, 7)]}
    assert (await ruled(reply)).verdict is Verdict.SUPPORTED
    assert (await ruled({"claims": [{"number": 7, "parts": [part("supported", 1)]}]})).verdict is Verdict.UNKNOWN


async def test_a_sentence_need_share_no_word_with_what_follows_from_it() -> None:
    source, claim = "It leaves Halden at 7:15 and reaches Sund at 8:40.", "Crossing takes 85 minutes."
    given = Passage("p", "d", "r", 0, len(source), source)
    ruling = await ruled(says(part("supported", 1, text=claim)), claim, given)
    assert (ruling.verdict, [span.quote for span in ruling.spans]) == (Verdict.SUPPORTED, [source])


@pytest.mark.parametrize(("said", "tells"), [((0.02, 0.96), True), ((0.3, 0.3), False), ((0.96, 0.02), False)])
async def test_a_checker_that_says_otherwise_is_named_though_it_settles_nothing(
    said: tuple[float, float], tells: bool
) -> None:
    claim = "Along the river grey elephants were eating young trees."
    policy = ClaimPolicy({"checker": 0.1}, 0.0, 0.9, 0.1, 0.99)
    verifier = DeterministicVerifier(checker=ScriptedChecker({claim: said}, policy))
    assert (await verifier.check(claim, (passage(),))).claims[0].verdict is Verdict.UNKNOWN
    made = ModelVerifier(verifier, tier(says(part("supported", 1, text=claim))))
    review = await made.check(claim, (passage(),))
    assert review.claims[0].verdict is Verdict.SUPPORTED
    found = named(review, "agreement")
    assert [each.status for each in found] == ([Status.FAILED] if tells else [])
    assert all("scripted-checker: contradicted" in (each.cause or "") for each in found)
    assert len(disagreements(review)) == tells


async def test_what_a_ruling_settles_has_its_cause() -> None:
    review = await reviewed(tier(says(part("unsupported"))))
    [support] = named(review, "support")
    assert support.status is Status.FAILED
    assert "no sentence says" in (support.cause or "")


async def test_a_model_overrules_a_check_that_compares_no_value() -> None:
    claim = "It burned down in the winter of 1901 with all its grain."
    before = await DeterministicVerifier().check(claim, (passage(),))
    assert before.claims[0].verdict is Verdict.UNSUPPORTED
    assert [each.status for each in named(before, "additions")] == [Status.FAILED]
    review = await reviewed(tier(says(part("supported", 2, text=claim))), claim)
    assert review.claims[0].verdict is Verdict.SUPPORTED
    [doubt], [agreement] = named(review, "additions"), named(review, "agreement")
    assert (doubt.status, doubt.severity) == (Status.UNKNOWN, Severity.WARN)
    assert (doubt.cause or "").endswith("fake:scripted: supported")
    assert agreement.cause == "the tests without a model: unsupported; fake:scripted: supported"


async def test_a_check_holds_where_the_model_could_not_say() -> None:
    claim = "It burned down in the winter of 1901 with all its grain."
    review = await reviewed(tier({"claims": []}), claim)
    assert review.claims[0].verdict is Verdict.UNSUPPORTED
    assert [each.status for each in named(review, "additions")] == [Status.FAILED]
