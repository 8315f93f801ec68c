"""Claims with a grader beside the checks: what it is asked, what its word counts, and what it is not asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from assay.calibration import Joining, log_odds, sigmoid
from assay.stages import Pair
from assay.testing.fakes import ScriptedGrader, WordEmbedder
from assay.types import Claim, Passage, Status, Verdict
from assay.verify.graded import by_claim, graded, pairs_of
from assay.verify.ground import ground_of
from assay.verify.judged import LEFT_BY_FAILURE, by_support
from assay.verify.reading import Reading, read
from assay.verify.review import DeterministicVerifier
from assay.verify.sources import sources_of
from assay.verify.window import WORDS, window

SOURCE = "Two brothers founded the company in Ulm in 1921. It makes wooden boats. Sales rose by 12 % in 2020."
NEAR = "The brothers make boats in Ulm."
WRONG = "Sales rose by 15 % in 2020."
TWO = "The company makes boats. It was founded in Ulm."
LINE = Joining({"trees": 0.7, "left": 2.0, "whole": 0.5, "least": 0.3, "mean": 0.2}, -0.1)


def passage(text: str = SOURCE) -> Passage:
    return Passage("p", "d", "r", 0, len(text), text)


def reading(claim: str, source: str = SOURCE) -> Reading:
    return read(claim, ground_of(sources_of([passage(source)])))


def scripted(
    odds: Mapping[str, float], line: Joining = LINE, languages: tuple[str, ...] = ("en",)
) -> ScriptedGrader:
    """A grader of claims beside the whole source: its sentences all fit in a window."""
    return ScriptedGrader({Pair(text, SOURCE): each for text, each in odds.items()}, {"claims": line}, languages)


async def claims(
    text: str,
    grader: ScriptedGrader | None = None,
    source: str = SOURCE,
    *,
    skip: frozenset[str] = frozenset(),
    one_claim: bool = False,
    embedder: WordEmbedder | None = None,
) -> tuple[Claim, ...]:
    verifier = DeterministicVerifier(embedder, skip, grader=grader)
    return (await verifier.check(text, (passage(source),), one_claim=one_claim)).claims


@pytest.mark.parametrize("embedder", [None, WordEmbedder()])
async def test_a_claims_support_is_what_the_joining_says(embedder: WordEmbedder | None) -> None:
    [plain] = await claims(NEAR, embedder=embedder)
    [claim] = await claims(NEAR, scripted({NEAR: 3.0}), embedder=embedder)
    assert plain.support is not None
    # Nothing failed, so that the logarithm of what is left is 0; one sentence is the least and the mean, too.
    assert claim.support == pytest.approx(sigmoid(-0.1 + 0.7 * log_odds(plain.support) + 3.0))
    assert (plain.verdict, claim.verdict) == (Verdict.UNKNOWN, Verdict.SUPPORTED)


async def test_what_failed_checks_leave_is_joined_apart_from_words_and_vectors() -> None:
    [plain] = await claims(WRONG)
    [claim] = await claims(WRONG, scripted({WRONG: -2.0}))
    assert plain.support is not None
    odds = -0.1 + 0.7 * log_odds(plain.support / LEFT_BY_FAILURE) + 2.0 * math.log(LEFT_BY_FAILURE) - 2.0
    assert claim.support == pytest.approx(sigmoid(odds))
    assert claim.support < plain.support


async def test_no_grader_talks_a_contradiction_away() -> None:
    [plain] = await claims(WRONG)
    [claim] = await claims(WRONG, scripted({WRONG: 50.0}))
    assert claim.support == plain.support
    assert claim.verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize("odds", [-6.0, 0.2, 6.0])
async def test_the_history_says_what_the_grader_says_by_itself(odds: float) -> None:
    [claim] = await claims(NEAR, scripted({NEAR: odds}))
    [event] = [each for each in claim.history if each.by == "scripted-grader"]
    verdict, reason = by_support(sigmoid(odds))
    assert (event.state, event.reason) == (verdict.value, reason)
    assert [each.by for each in claim.history] == ["writer", "alignment", "scripted-grader", "deterministic"]


async def test_support_alone_is_no_fact_in_the_history() -> None:
    text = "It holds potassium and much sugar."
    [claim] = await claims(text, scripted({text: -6.0}))
    assert claim.verdict is Verdict.UNSUPPORTED
    assert [each.by for each in claim.history] == ["writer", "alignment", "scripted-grader", "deterministic"]


async def test_the_support_check_goes_by_the_joined_support() -> None:
    verifier = DeterministicVerifier(grader=scripted({NEAR: 3.0}))
    review = await verifier.check(NEAR, (passage(),))
    assert [each.status for each in review.checks if each.name == "support"] == [Status.PASSED]


async def test_a_quote_is_not_asked_about() -> None:
    grader = scripted({})
    assert await claims("It makes wooden boats.", grader) == await claims("It makes wooden boats.")
    assert grader.asked == []


async def test_beside_a_quote_only_what_is_compared_is_asked_about() -> None:
    grader = scripted({NEAR: 3.0})
    quoted, near = await claims(f"It makes wooden boats. {NEAR}", grader)
    assert grader.asked == [Pair(NEAR, SOURCE)]
    assert (quoted.support, quoted.history[-1].by) == (1.0, "quote")
    assert "scripted-grader" in [each.by for each in near.history]


async def test_what_a_source_says_but_for_how_a_date_is_written_needs_no_grader() -> None:
    source, text = "The bridge was opened on 3 May 1932.", "The bridge was opened on May 3, 1932."
    grader = ScriptedGrader({Pair(text, source): -50.0}, {"claims": LINE})
    [claim] = await claims(text, grader, source)
    assert (claim.support, claim.verdict) == (1.0, Verdict.SUPPORTED)
    assert [each.by for each in claim.history] == ["writer", "alignment", "deterministic"]


async def test_a_language_that_the_grader_does_not_read_is_not_asked_about() -> None:
    german = "Die Firma baut in Ulm mit den Brüdern Boote für das Wasser."
    grader = scripted({NEAR: 3.0})
    assert await claims(german, grader) == await claims(german)
    assert grader.asked == []
    both = await claims(f"{german} {NEAR}", grader)
    assert grader.asked == [Pair(NEAR, SOURCE)]
    assert ["scripted-grader" in [each.by for each in claim.history] for claim in both] == [False, True]


async def test_a_language_that_the_grader_reads_is_asked_about() -> None:
    german = "Die Firma baut in Ulm mit den Brüdern Boote für das Wasser."
    grader = scripted({german: 0.0}, languages=("de",))
    await claims(german, grader)
    assert grader.asked == [Pair(german, SOURCE)]
    with_english = scripted({}, languages=("de",))
    await claims(NEAR, with_english)
    assert with_english.asked == []


@pytest.mark.parametrize(("read_as", "odds"), [("whole", 2.0), ("least", -3.0), ("mean", -1.0)])
async def test_a_claim_of_several_sentences_is_graded_whole_and_by_sentence(read_as: str, odds: float) -> None:
    line = Joining(dict.fromkeys(LINE.weights, 0.0) | {read_as: 1.0}, 0.0)
    grader = scripted({TWO: 2.0, "The company makes boats.": 1.0, "It was founded in Ulm.": -3.0}, line)
    [claim] = await claims(TWO, grader, one_claim=True)
    assert [each.claim for each in grader.asked] == [TWO, "The company makes boats.", "It was founded in Ulm."]
    assert claim.support == pytest.approx(sigmoid(odds))
    [event] = [each for each in claim.history if each.by == "scripted-grader"]
    assert event.reason == by_support(sigmoid(2.0))[1]


async def test_each_claim_has_the_scores_of_its_own_pairs() -> None:
    texts = {NEAR: 4.0, WRONG: -4.0, "The brothers sell boats of wood.": 1.0}
    line = Joining(dict.fromkeys(LINE.weights, 0.0) | {"whole": 1.0}, 0.0)
    found = await claims(" ".join(texts), scripted(texts, line))
    assert [each.support for each in found] == [pytest.approx(sigmoid(odds)) for odds in texts.values()]


async def test_where_support_is_not_tested_nothing_is_asked() -> None:
    grader, embedder = scripted({}), _Unasked()
    verifier = DeterministicVerifier(embedder, frozenset({"support"}), grader=grader)
    review = await verifier.check(NEAR, (passage(),))
    assert (grader.asked, embedder.asked) == ([], [])
    assert [each.status for each in review.checks if each.name == "support"] == [Status.SKIPPED]


async def test_no_grader_bears_out_a_sentence_that_breaks_off() -> None:
    text = "The company is."
    [claim] = await claims(text, scripted({text: 9.0}))
    assert (claim.support, claim.verdict) == (None, Verdict.UNKNOWN)
    assert "scripted-grader" not in [each.by for each in claim.history]


async def test_without_passages_nothing_is_asked() -> None:
    grader = scripted({})
    review = await DeterministicVerifier(grader=grader).check(NEAR, ())
    assert (grader.asked, review.claims[0].support) == ([], None)


def test_of_a_claim_of_many_sentences_thirty_two_are_read_one_by_one() -> None:
    found = pairs_of(reading(" ".join(f"Boat {n} was sold in Ulm." for n in range(1, 41))))
    assert len(found) == 33
    assert [each.claim for each in found[1:3]] == ["Boat 1 was sold in Ulm.", "Boat 2 was sold in Ulm."]


def test_one_sentence_is_one_pair() -> None:
    assert pairs_of(reading(NEAR)) == (Pair(NEAR, SOURCE),)


def test_a_window_keeps_what_bears_the_claim_out_and_fits() -> None:
    filler = [f"Nobody in village {n} ever asked for a loan from the old bank." for n in range(40)]
    source = " ".join([*filler[:20], "The brothers build boats in Ulm.", *filler[20:]])
    found = window(reading("Boats are built in Ulm by brothers.", source))
    assert "The brothers build boats in Ulm." in found
    assert len(found.split()) <= WORDS
    kept = [source.index(sentence) for sentence in found.replace(". ", ".\n").splitlines()]
    assert kept == sorted(kept)


def test_a_sentence_longer_than_a_window_is_cut() -> None:
    source = "The brothers build boats in Ulm " + "and again " * 80 + "for the river."
    found = window(reading("Boats are built in Ulm.", source))
    assert found == " ".join(source.split()[:WORDS])


def test_scores_are_told_apart_by_claim() -> None:
    pairs = {3: [Pair("a", "s")], 7: [Pair("b", "s"), Pair("b1", "s"), Pair("b2", "s")], 8: [Pair("c", "s")]}
    found = by_claim("g", pairs, np.array([1.0, 2.0, -1.0, 5.0, 4.0], np.float32))
    assert found.keys() == {3, 7, 8}
    assert found[8] == graded("g", np.array([4.0], np.float32))
    assert (found[3].whole, found[3].least, found[3].mean) == (1.0, 1.0, 1.0)
    assert (found[7].whole, found[7].least, found[7].mean) == (2.0, -1.0, 2.0)


def test_what_checks_leave_of_nothing_is_still_a_number() -> None:
    line = Joining({"left": 1.0}, 0.0)
    said = graded("g", np.array([0.0], np.float32))
    assert said.joined(line, 0.5, 0.0) == 0.0
    assert said.joined(line, 1.0, 0.04) == pytest.approx(0.04)
    assert said.joined(line, 1.0, 0.05) == pytest.approx(sigmoid(math.log(0.05)))


@dataclass(frozen=True)
class _Unasked(WordEmbedder):
    """An embedder that keeps what it was asked for."""

    asked: list[str] = field(default_factory=list)

    async def embed(self, texts):  # type: ignore[no-untyped-def]
        self.asked.extend(texts)
        return await super().embed(texts)
