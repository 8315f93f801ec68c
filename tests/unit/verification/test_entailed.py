"""Claims with a checker beside the rules: what it is asked, what its word counts, and what it is not asked."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from assay.calibration import ClaimPolicy, log_odds, sigmoid
from assay.core.stages import Pair
from assay.nlp.windows import evidence
from assay.testing.fakes import ScriptedChecker, WordEmbedder
from assay.types import Claim, Passage, Status, Verdict
from assay.verification.verdict import entailments, pairs_of
from assay.verification.verifier import DeterministicVerifier

SOURCE = "Two brothers founded the company in Ulm in 1921. It makes wooden boats. Sales rose by 12 % in 2020."
NEAR = "The brothers make boats in Ulm."
FREE = "Vessels of timber are what this firm turns out."
WRONG = "Sales rose by 15 % in 2020."
TWO = "The company makes boats. It was founded in Ulm."
POLICY = ClaimPolicy({"trees": 0.7, "checker": 1.0, "failed numbers": -2.0}, -0.1, 0.8, 0.1, 0.8)
ALONE = ClaimPolicy({"checker": 1.0}, 0.0, 0.8, 0.1, 0.8)
BY = "scripted-checker"


def passage(text: str = SOURCE, title: str = "", name: str = "p") -> Passage:
    return Passage(name, "d", "r", 0, len(text), text, title)


def scripted(script: dict[str, tuple[float, float]], policy: ClaimPolicy | None = POLICY) -> ScriptedChecker:
    return ScriptedChecker(script, policy)


async def claims(
    text: str, checker: ScriptedChecker | None = None, source: str = SOURCE, *, one_claim: bool = False
) -> tuple[Claim, ...]:
    verifier = DeterministicVerifier(checker=checker)
    return (await verifier.check(text, (passage(source),), one_claim=one_claim)).claims


async def test_a_claims_support_is_what_the_policy_says() -> None:
    [plain] = await claims(NEAR)
    [claim] = await claims(NEAR, scripted({NEAR: (0.9, 0.02)}))
    assert plain.support is not None
    assert claim.support == pytest.approx(sigmoid(-0.1 + 0.7 * log_odds(plain.support) + log_odds(0.9)), abs=1e-6)
    assert (plain.verdict, claim.verdict) == (Verdict.UNKNOWN, Verdict.SUPPORTED)


async def test_a_free_paraphrase_is_supported_where_the_checker_says_so() -> None:
    [plain] = await claims(FREE)
    [claim] = await claims(FREE, scripted({FREE: (0.99, 0.0)}, ALONE))
    assert plain.verdict is not Verdict.SUPPORTED
    assert claim.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("said", [(0.99, 0.0), (0.0, 0.99)])
@pytest.mark.parametrize("text", [NEAR, FREE, WRONG])
async def test_a_checker_without_a_policy_settles_nothing(text: str, said: tuple[float, float]) -> None:
    [plain] = await claims(text)
    [claim] = await claims(text, scripted({text: said}, None))
    assert (claim.verdict, claim.support) == (plain.verdict, plain.support)
    untold = f"; {BY} is not fitted: run assay calibrate --claims CLAIMS.jsonl --checker NAME"
    told = untold if claim.verdict is Verdict.UNKNOWN else ""
    assert claim.history[-1].reason == plain.history[-1].reason + told


async def test_what_a_checker_without_a_policy_says_stands_in_the_history() -> None:
    [claim] = await claims(FREE, scripted({FREE: (0.99, 0.0)}, None))
    [heard] = [each for each in claim.history if each.by == BY]
    assert heard.state == "supported"
    assert heard.reason.startswith("supports 0.99, contradicts 0.00; that settles nothing: not fitted: run assay")


async def test_what_the_checker_contradicts_is_contradicted() -> None:
    [claim] = await claims(FREE, scripted({FREE: (0.05, 0.9)}))
    assert claim.verdict is Verdict.CONTRADICTED
    assert claim.history[-1].reason == "support 0.00, supports 0.05, contradicts 0.90: not supported"


async def test_a_value_that_fails_beside_a_free_wording_leaves_the_claim_unknown() -> None:
    text = "Last year the firm sold 12 of every 100 vessels more."
    [plain] = await claims(text)
    assert plain.verdict in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)
    verifier = DeterministicVerifier(checker=scripted({text: (0.99, 0.0)}, ALONE))
    review = await verifier.check(text, (passage(),))
    # What has a value that no source has is never called supported.
    assert review.claims[0].verdict is Verdict.UNKNOWN
    assert not [each for each in review.checks if each.status is Status.FAILED]
    [doubted] = await claims(text, scripted({text: (0.05, 0.0)}, ALONE))
    assert doubted.verdict is Verdict.UNSUPPORTED
    assert "no source of this claim says '12'" in doubted.history[-1].reason


async def test_a_value_more_exact_than_the_sources_leaves_the_claim_unknown() -> None:
    text = "On 3 May 1921 the firm was set up by a pair of brothers."
    [claim] = await claims(text, scripted({text: (0.99, 0.0)}, ALONE))
    assert claim.verdict is Verdict.UNKNOWN
    assert "1921" in claim.history[-1].reason


async def test_a_question_of_the_source_states_nothing() -> None:
    [claim] = await claims(
        "It rained.", scripted({"It rained.": (0.2, 0.0)}, ALONE), "Did it? It rained? Nobody knows."
    )
    assert claim.verdict is not Verdict.SUPPORTED


async def test_a_check_that_fails_in_a_copy_settles_the_claim() -> None:
    [claim] = await claims(WRONG, scripted({WRONG: (0.99, 0.0)}, ALONE))
    assert claim.verdict is Verdict.CONTRADICTED


async def test_words_between_quotation_marks_must_stand_in_the_source() -> None:
    text = "The firm calls itself “a house of the finest vessels”."
    [claim] = await claims(text, scripted({text: (0.99, 0.0)}, ALONE))
    assert claim.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ((0.81, 0.0), Verdict.SUPPORTED),
        ((0.79, 0.2), Verdict.UNKNOWN),
        ((0.11, 0.85), Verdict.UNKNOWN),
        ((0.09, 0.85), Verdict.CONTRADICTED),
        ((0.09, 0.75), Verdict.UNSUPPORTED),
    ],
)
async def test_the_bars_of_the_policy_settle_a_claim(said: tuple[float, float], verdict: Verdict) -> None:
    [claim] = await claims(FREE, scripted({FREE: said}, ALONE))
    assert claim.verdict is verdict


async def test_the_history_says_what_the_checker_says_by_itself() -> None:
    [claim] = await claims(NEAR, scripted({NEAR: (0.5, 0.25)}))
    assert [each.by for each in claim.history] == ["writer", "alignment", BY, "deterministic"]
    [event] = [each for each in claim.history if each.by == BY]
    assert event.reason == "supports 0.50, contradicts 0.25"


async def test_a_quote_is_not_put_to_the_checker() -> None:
    checker = scripted({})
    assert await claims("It makes wooden boats.", checker) == await claims("It makes wooden boats.")
    assert checker.asked == []


async def test_what_a_source_says_but_for_how_a_date_is_written_needs_no_checker() -> None:
    source, text = "The bridge was opened on 3 May 1932.", "The bridge was opened on May 3, 1932."
    [claim] = await claims(text, scripted({text: (0.0, 1.0)}), source)
    assert (claim.support, claim.verdict) == (1.0, Verdict.SUPPORTED)


async def test_a_language_that_the_checker_does_not_read_is_not_put_to_it() -> None:
    german = "Die Firma baut in Ulm mit den Brüdern Boote für das Wasser."
    checker = scripted({NEAR: (0.9, 0.0)})
    assert await claims(german, checker) == await claims(german)
    assert checker.asked == []


async def test_a_claim_of_several_sentences_is_read_by_sentence_and_goes_by_the_least() -> None:
    script = {"The company makes boats.": (0.8, 0.1), "It was founded in Ulm.": (0.2, 0.3)}
    checker = scripted(script, ALONE)
    [claim] = await claims(TWO, checker, one_claim=True)
    assert [each.claim for each in checker.asked] == list(script)
    assert claim.support == pytest.approx(0.2, abs=1e-6)
    assert claim.history[2].reason == "supports 0.20, contradicts 0.30"


async def test_each_claim_has_what_was_said_of_its_own_pairs() -> None:
    texts = {NEAR: (0.9, 0.0), "The brothers sell boats of wood.": (0.3, 0.0)}
    checker = scripted(texts, ALONE)
    found = await claims(" ".join(texts), checker)
    assert [each.support for each in found] == [pytest.approx(yes, abs=1e-6) for yes, _ in texts.values()]


async def test_where_support_is_not_tested_nothing_is_asked() -> None:
    checker, embedder = scripted({}), _Unasked()
    verifier = DeterministicVerifier(embedder, frozenset({"support"}), checker=checker)
    review = await verifier.check(NEAR, (passage(),))
    assert (checker.asked, embedder.asked) == ([], [])
    assert [each.status for each in review.checks if each.name == "support"] == [Status.SKIPPED]


async def test_no_checker_bears_out_a_sentence_that_breaks_off() -> None:
    text = "The company is."
    [claim] = await claims(text, scripted({text: (1.0, 0.0)}))
    assert (claim.support, claim.verdict) == (None, Verdict.UNKNOWN)


async def test_without_passages_nothing_is_asked() -> None:
    checker = scripted({})
    review = await DeterministicVerifier(checker=checker).check(NEAR, ())
    assert (checker.asked, review.claims[0].support) == ([], None)


async def test_a_claim_too_long_to_be_read_whole_is_not_put_to_the_checker() -> None:
    long = "The brothers make boats in Ulm " + "and in many other towns of the region " * 12 + "every year."
    checker = scripted({})
    await claims(long, checker)
    assert checker.asked == []


def test_a_claim_of_more_than_thirty_two_sentences_is_not_read() -> None:
    text = " ".join(f"Boat {n} was sold." for n in range(1, 33))
    assert [each.claim for each in pairs_of(text, (passage(),))] == [f"Boat {n} was sold." for n in range(1, 33)]
    assert pairs_of(f"{text} Boat 33 was sold.", (passage(),)) == ()


def test_markup_of_the_claim_and_of_the_source_is_left_out() -> None:
    (pair,) = pairs_of("Set **k** with `--k 5`.", (passage("Use `--k` to set *k*."),))
    assert pair == Pair("Set k with --k 5.", "Use  --k  to set  k .")


def test_a_source_stands_under_its_title_once() -> None:
    assert evidence(NEAR, (passage(title="Boats of Ulm"),)) == f"Boats of Ulm\n{SOURCE}"
    headed = f"Boats of Ulm\n\n{SOURCE}"
    assert evidence(NEAR, (passage(headed, "Boats of Ulm"),)) == headed


def test_of_several_sources_those_are_read_that_hold_the_claim_together() -> None:
    other, apart = passage("Nobody asked for loans.", name="q"), passage("The firm moved to Bonn.", name="r")
    assert evidence(NEAR, (other, passage())) == SOURCE
    assert evidence("The brothers moved from Ulm to Bonn.", (apart, other, passage())) == f"{SOURCE}\n{apart.text}"


def test_what_is_read_fits_and_keeps_what_bears_the_claim_out() -> None:
    filler = [f"Nobody in village {n} ever asked for a loan from the old bank." for n in range(60)]
    source = " ".join([*filler[:30], "The brothers build boats in Ulm.", *filler[30:]])
    found = evidence("Boats are built in Ulm by brothers.", (passage(source),))
    assert "The brothers build boats in Ulm." in found
    assert len(found.split()) < 200


def test_verdicts_are_told_apart_by_claim() -> None:
    pairs = {3: [Pair("a", "s")], 7: [Pair("b", "s"), Pair("b1", "s"), Pair("b2", "s")], 8: []}
    said = np.array([(0.9, 0.1, 0), (0.5, 0.1, 0.4), (0.7, 0.1, 0.2), (0.2, 0.6, 0.2)], np.float32)
    found = entailments("g", pairs, said)
    assert found.keys() == {3, 7}
    assert (found[3].by, found[3].against) == ("g", pytest.approx(0.1))
    assert found[3].support == pytest.approx(log_odds(0.9), abs=1e-6)
    assert (found[7].support, found[7].against) == (pytest.approx(log_odds(0.2), abs=1e-6), pytest.approx(0.6))


@dataclass(frozen=True)
class _Unasked(WordEmbedder):
    """An embedder that keeps what it was asked for."""

    asked: list[str] = field(default_factory=list)

    async def embed(self, texts):  # type: ignore[no-untyped-def]
        self.asked.extend(texts)
        return await super().embed(texts)


async def test_claims_are_weighed_together_by_the_checker_alone_and_by_their_least_sentence() -> None:
    german = "Die Firma baut in Ulm mit den Brüdern Boote für das Wasser."
    script = {NEAR: (0.9, 0.0), "The company makes boats.": (0.8, 0.1), "It was founded in Ulm.": (0.2, 0.3)}
    checker = scripted(script)
    said = await DeterministicVerifier(checker=checker).weigh([NEAR, TWO, german], (passage(),))
    assert said == (pytest.approx(log_odds(0.9), abs=1e-4), pytest.approx(log_odds(0.2), abs=1e-4), None)
    assert await DeterministicVerifier().weigh([NEAR], (passage(),)) == (None,)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("All of the boats have a warranty of 24 months.", "All of the boats have a warranty of two years."),
        ("Each boat holds 1,200 grams of glue.", "Each boat holds 1.2 kg of glue."),
        ("Staff build 3 boats a month.", "Staff build 3 boats a month."),
    ],
)
async def test_the_checker_reads_values_as_the_source_writes_them(text: str, asked: str) -> None:
    source = (
        "All boats have a warranty of two years. Each boat holds 1.2 kg of glue. Staff of the firm build boats."
    )
    checker = scripted({asked: (0.95, 0.01)}, ALONE)
    await claims(text, checker, source)
    assert {pair.claim for pair in checker.asked} == {asked}
