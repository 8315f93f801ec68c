"""What is longer than any real sentence takes no time, and is unknown."""

from __future__ import annotations

from assay.types import Passage, Severity, Status, Verdict
from assay.verification.claims import LONGEST_CLAIM, TOO_LONG
from assay.verification.negation import MOST_DENIED
from assay.verification.verifier import CHARACTERS_A_CLAIM, MOST_CLAIMS, TOO_DENSE, DeterministicVerifier


async def test_a_sentence_longer_than_any_real_one_is_unknown_at_once_and_what_stands_beside_it_is_tested():
    passage = Passage("p", "d", "r", 0, 30, "It rained in Ulm on Wednesday.")
    endless = "and it " * (LONGEST_CLAIM // 7 + 1) + "snowed [1]."
    review = await DeterministicVerifier().check(f"It rained in Ulm on Wednesday [1]. So {endless}", (passage,))
    assert [claim.verdict for claim in review.claims] == [Verdict.SUPPORTED, Verdict.UNKNOWN]
    (told,) = [each for each in review.checks if each.claim == 2 and each.name == "support"]
    assert (told.status, told.severity, told.cause) == (Status.UNKNOWN, Severity.BLOCK, TOO_LONG)
    assert review.claims[1].support is None


async def test_nor_is_one_that_a_source_says_word_for_word_and_a_shorter_one_is_tested():
    endless, long = "rain " * (LONGEST_CLAIM // 5 + 1), "rain " * (LONGEST_CLAIM // 5)
    passage = Passage("p", "d", "r", 0, len(endless), endless)
    review = await DeterministicVerifier().check(endless, (passage,), one_claim=True)
    assert [claim.verdict for claim in review.claims] == [Verdict.UNKNOWN]
    review = await DeterministicVerifier().check(long, (passage,), one_claim=True)
    assert [claim.verdict for claim in review.claims] == [Verdict.SUPPORTED]


async def test_marks_cut_where_a_sentence_before_them_has_ended_however_many_they_are():
    passage = Passage("p", "d", "r", 0, 10, "It rained.")
    review = await DeterministicVerifier().check("It rained. [1] [1] and it snowed [1] in Ulm.", (passage,))
    assert [claim.text for claim in review.claims] == ["It rained.", "and it snowed in Ulm."]


async def test_a_text_of_more_claims_than_it_has_room_for_is_tested_up_to_there_and_unknown_beyond():
    passage = Passage("p", "d", "r", 0, 10, "It rained.")
    review = await DeterministicVerifier().check("It rained.\n\n" * (2 * MOST_CLAIMS), (passage,))
    assert len(review.claims) == 2 * MOST_CLAIMS
    tested = max(MOST_CLAIMS, len("It rained.\n\n") * 2 * MOST_CLAIMS // CHARACTERS_A_CLAIM)
    assert {claim.verdict for claim in review.claims[:tested]} == {Verdict.SUPPORTED}
    assert {claim.verdict for claim in review.claims[tested:]} == {Verdict.UNKNOWN}
    causes = {each.cause for each in review.checks if each.claim == tested + 1 and each.name == "support"}
    assert causes == {TOO_DENSE}


async def test_a_claim_of_more_denials_than_are_compared_says_that_they_are_not():
    passage = Passage("p", "d", "r", 0, 17, "It rained in Ulm.")
    denied = "It did not rain " + "and not snow " * MOST_DENIED + "in Ulm."
    review = await DeterministicVerifier().check(denied, (passage,))
    (told,) = [each for each in review.checks if each.name == "negation"]
    assert told.status is Status.UNKNOWN
    assert f"more than {MOST_DENIED}" in (told.cause or "")
    assert review.claims[0].verdict is not Verdict.SUPPORTED
