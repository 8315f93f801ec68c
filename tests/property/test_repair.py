"""Whatever is mended by whatever: nothing that passed is broken, it ends, and what did not fail stays as it is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.core.draft import compose
from assay.core.fix import fix_draft
from assay.core.policy import LADDER, is_better, next_repair
from assay.core.repair import repair_sentence
from assay.core.stages import Stages
from assay.nlp.cited_sentences import Numbered
from assay.nlp.segments import at_end, cut, joined, rewritten, with_citations_changed, with_words_changed
from assay.repair.rules import RulesRepairer, drop_claims
from assay.repair.wording import apply_edit, fit_value
from assay.testing.fakes import review_of, scripted_stages
from assay.types import (
    Candidate,
    Claim,
    Evidence,
    Hit,
    Limits,
    Passage,
    Question,
    RepairKind,
    Review,
    Sentence,
    Severity,
    Span,
    Status,
    Verdict,
)
from assay.verification.verifier import DeterministicVerifier

ASKED = Question("", "")
KINDS = st.frozensets(st.sampled_from(LADDER), min_size=1)
VERDICTS = st.sampled_from(list(Verdict))
SIGN = "⚠"


def stages(verifier, repairer, allowed_repairs: frozenset[RepairKind]) -> Stages:
    return scripted_stages(verifier=verifier, repairer=repairer, allowed_repairs=allowed_repairs)


# --- the ladder, with a verifier and a repairer that do whatever they like -----------------------------


@dataclass(frozen=True)
class Whim:
    """A repairer whose candidates, and a verifier whose verdicts, follow from a list that repeats."""

    texts: tuple[str | None, ...]
    verdicts: tuple[tuple[Verdict, ...], ...]

    async def repair(self, kind, question, evidence, sentence, review, begins):
        text = self.texts[sum(map(ord, kind.value + sentence.text)) % len(self.texts)]
        if kind is RepairKind.HEDGE:
            return Candidate(replace(sentence, hedged=True), evidence, "marked", "whim")
        if kind is RepairKind.DROP or text is None:
            return Candidate(None, evidence, "gone", "whim") if kind is RepairKind.DROP else None
        return Candidate(replace(sentence, text=text), evidence, "changed", "whim")

    async def review(self, question, evidence, draft, *, after=0):
        return self.judged(draft.text)

    def conclude(self, question, draft, review):
        return review

    async def check(self, text, passages, *, one_claim=False):
        return self.judged(text)

    def judged(self, text: str) -> Review:
        """The same for the same words, marked or not."""
        bare = text.replace(SIGN, "").strip()
        verdicts = self.verdicts[sum(map(ord, bare)) % len(self.verdicts)]
        return review_of(*((f"{n % 2}", verdict) for n, verdict in enumerate(verdicts, 1)), expected="x")


WHIMS = st.builds(
    Whim,
    st.lists(st.sampled_from([None, "A", "B", "C", "D", "E"]), min_size=1, max_size=6).map(tuple),
    st.lists(st.lists(VERDICTS, max_size=3).map(tuple), min_size=1, max_size=5).map(tuple),
)


@settings(max_examples=300, deadline=None)
@given(WHIMS, KINDS, st.integers(0, 4), st.integers(0, 4))
def test_mending_ends_within_its_limits_and_breaks_nothing(
    whim: Whim, allowed_repairs, repairs: int, asked: int
) -> None:
    before = whim.judged("A")
    on = stages(whim, whim, allowed_repairs)
    after = asyncio.run(
        repair_sentence(Sentence(1, "A"), (), ASKED, Evidence(), on, Limits(repairs=repairs), asked)
    )
    assert after.requests <= max(0, repairs - asked)
    assert len(after.versions) == len(after.repairs)
    kept = [each for each in after.repairs if each.kind not in (RepairKind.HEDGE, RepairKind.DROP)]
    assert len(kept) <= 3 * sum(len(verdicts) + 1 for verdicts in whim.verdicts)
    if after.sentence is None:
        assert after.repairs[-1].kind is RepairKind.DROP
        return
    passed = {each.text for each in before.claims if each.verdict is Verdict.SUPPORTED}
    failing = {each.text for each in after.review.claims if each.verdict is not Verdict.SUPPORTED}
    undoubted = passed - {each.text for each in before.claims if each.verdict is not Verdict.SUPPORTED}
    assert not undoubted & failing
    assert after.review.claims == before.claims or after.repairs


@settings(max_examples=200, deadline=None)
@given(WHIMS, st.sampled_from([frozenset({RepairKind.HEDGE}), frozenset(LADDER), frozenset({RepairKind.DROP})]))
def test_at_the_limit_nothing_blocked_is_shown_as_if_it_had_passed(whim: Whim, allowed_repairs) -> None:
    on = stages(whim, whim, allowed_repairs)
    after = asyncio.run(repair_sentence(Sentence(1, "A"), (), ASKED, Evidence(), on, Limits(repairs=0), 0))
    if after.sentence is not None and after.blocking_reason is not None:
        assert after.sentence.hedged


@given(st.lists(VERDICTS, max_size=4), st.lists(VERDICTS, max_size=4))
def test_better_is_never_mutual(one: list[Verdict], other: list[Verdict]) -> None:
    first, second = Whim((None,), (tuple(one),)).judged(""), Whim((None,), (tuple(other),)).judged("")
    assert not (is_better(first, second) and is_better(second, first))
    assert not is_better(first, first)


@given(st.lists(VERDICTS, max_size=4), KINDS, st.lists(st.sampled_from(LADDER)), st.integers(0, 9))
def test_no_repair_is_chosen_twice_in_vain_or_that_is_not_able(verdicts, able, tried, asked: int) -> None:
    review = Whim((None,), (tuple(verdicts),)).judged("")
    kind = next_repair(review, tried, asked, Limits(repairs=3), able)
    assert kind is None or (kind in able and kind not in tried)
    if not review.findings:
        assert kind is None


# --- rules, on sentences and sources of all sorts ------------------------------------------------------

PIECES = st.sampled_from(
    ["The mill burned", "in May 2021", "in 1931", "on 3 May 1932", "12 %", "3.5 million euros", ".", ". ", "; ",
     ", but ", "[1]", "[2, 3]", "[9]", '"quoted"', "not", "Ada Lovelace", "\n\n", "\n- ", "\n# ", "\n| a | b |\n",
     "\n```\nx\n```\n", "東京は大きい。", "`x = 1`", "an 18-year plan", "⚠", "?"]
)  # fmt: skip
# Statements that bear one another out, or differ in a value, a name or a denial.
FACTS = st.builds(
    "The mill at Graz {} in {}{}{}".format,
    st.sampled_from(["burned", "was sold", "was not sold", "cost Ada Lovelace 12 million euros", "cost 15 euros"]),
    st.sampled_from(["May 2021", "2021", "June 1931", "the summer"]),
    st.sampled_from([".", "; it was never built again by the people of the town.", "!"]),
    st.sampled_from(["", " [1]", " [2]", " [9]", " 【1】", "\n\n", "\n- "]),
)
TEXTS = st.one_of(
    st.lists(PIECES, min_size=1, max_size=14).map(" ".join), st.lists(FACTS, min_size=1, max_size=5).map(" ".join)
)
SOURCES = st.lists(TEXTS, min_size=1, max_size=3)


def passages(sources: list[str]) -> tuple[Passage, ...]:
    return tuple(Passage(f"p{n}", f"d{n}", "r", 0, len(each), each) for n, each in enumerate(sources, 1))


def said(claim: Claim) -> str:
    """What a claim says, be it a sentence or a part of one: a drop may make the one of the other."""
    return claim.text.rstrip(" .;!?,")


# All sources together bear the claim out; the one that is cited in place of [9] leaves it open.
RE_CITED = "The mill burned ;  [9] The mill burned"
BORNE_OUT_TOGETHER = [
    "The mill burned", "The mill burned The mill burned The mill burned ;  The mill burned",
    "The mill at Graz burned in May 2021; it was never built again by the people of the town. " * 2,
]  # fmt: skip


@settings(max_examples=80, deadline=None)
@example(RE_CITED, BORNE_OUT_TOGETHER, False)
@given(TEXTS.filter(str.strip), SOURCES, st.booleans())
def test_a_fixed_draft_breaks_no_claim_and_leaves_what_did_not_fail(text: str, sources, drop: bool) -> None:
    held = passages(sources)
    verifier = DeterministicVerifier()
    on = stages(verifier, RulesRepairer(verifier), frozenset(LADDER) - {RepairKind.REWRITE})
    before = asyncio.run(verifier.check(text.replace(SIGN, " "), held))
    made = asyncio.run(fix_draft(text, held, on, Limits(), drop=drop)).fixed(text, ())
    assert (made.text == text) == (not made.repairs)
    supported = [said(claim) for claim in before.claims if claim.verdict is Verdict.SUPPORTED]
    after = {said(claim): claim.verdict for claim in made.review.claims}
    never_failed = set(supported) - {said(c) for c in before.claims if c.verdict is not Verdict.SUPPORTED}
    assert all(after.get(each, Verdict.SUPPORTED) is Verdict.SUPPORTED for each in never_failed)
    failed = {
        (claim.start, claim.end) for claim in before.claims for check in before.checks
        if check.claim == claim.n and check.status is Status.FAILED and check.severity is not Severity.WARN
    } | {
        (check.answer_span.start, check.answer_span.end) for check in before.checks
        if check.claim is None and check.status is Status.FAILED and check.answer_span
    }  # fmt: skip
    for piece in cut(text, Numbered(held)):
        if not any(start < piece.start + len(piece.written) and piece.start < end for start, end in failed):
            # A heading, the head of a table and what leads in go with all that was under them.
            under = piece.level or piece.is_row or piece.written.rstrip().endswith(":")
            assert (drop and under) or piece.written.strip() in made.text
    if not drop:
        assert made.dropped == ()


@settings(max_examples=60, deadline=None)
@given(TEXTS.filter(str.strip), SOURCES)
def test_rules_give_candidates_for_the_same_sentence_on_evidence_that_was_given(text: str, sources) -> None:
    held = passages(sources)
    evidence = Evidence(tuple(Hit(each, 1.0) for each in held))
    verifier = DeterministicVerifier()
    repairer = RulesRepairer(verifier)
    before = (Sentence(1, "It rained.", ("p1",)),)
    sentence = Numbered(held).sentence(2, text)
    draft = compose((*before, sentence))

    async def candidates() -> list[Candidate | None]:
        review = await verifier.review(ASKED, evidence, draft, after=1)
        begins = draft.spans[-1].start
        return [await repairer.repair(kind, ASKED, evidence, sentence, review, begins) for kind in LADDER]

    for kind, made in zip(LADDER, asyncio.run(candidates()), strict=True):
        if made is None or made.sentence is None:
            continue
        assert made.evidence is evidence
        assert made.sentence.number == sentence.number
        assert set(made.sentence.passage_ids) <= evidence.ids
        assert made.sentence.hedged == (kind is RepairKind.HEDGE)
        if kind in (RepairKind.RE_CITE, RepairKind.HEDGE):
            assert made.sentence.text == sentence.text
        if kind is RepairKind.RE_CITE:
            assert made.sentence.unknown_marks == ()


@given(st.lists(VERDICTS, min_size=1, max_size=5), st.integers(0, 9))
def test_what_is_dropped_are_the_claims_that_failed(verdicts: list[Verdict], begins: int) -> None:
    words = [f"claim {n}" for n in range(len(verdicts))]
    text = "; ".join(words) + "."
    spans = [Span(text.index(word), text.index(word) + len(word)) for word in words]
    claims = tuple(
        Claim(n, text[s.start : s.end], begins + s.start, begins + s.end, (), verdict, None)
        for n, (s, verdict) in enumerate(zip(spans, verdicts, strict=True), 1)
    )
    made = drop_claims(Evidence(), Sentence(1, text), Review(claims, (), ()), begins)
    left = "" if made.sentence is None else made.sentence.text.lower()
    for word, verdict in zip(words, verdicts, strict=True):
        if verdict is Verdict.SUPPORTED and set(verdicts) != {Verdict.SUPPORTED}:
            assert word in left
        if verdict in (Verdict.UNSUPPORTED, Verdict.CONTRADICTED):
            assert word not in left


# --- changes in place ----------------------------------------------------------------------------------


@given(TEXTS, st.text(min_size=1, max_size=12).filter(str.strip), st.data())
def test_a_value_is_put_where_it_belongs_and_nowhere_else(text: str, expected: str, data) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    edit = fit_value(text, Span(start, end), expected)
    assert 0 <= edit.start <= start
    assert edit.end == end
    assert apply_edit(text, edit).endswith(text[end:])
    assert apply_edit(text, edit).startswith(text[: edit.start])


@given(TEXTS, TEXTS)
def test_words_that_do_not_change_are_not_changed_in_place(written: str, other: str) -> None:
    assert with_words_changed(written, written, written) == written
    assert with_words_changed(written, written, other) == other


@given(TEXTS, st.sets(st.integers(1, 9)), st.lists(st.integers(1, 9), max_size=2))
def test_marks_that_stay_stay_and_new_ones_are_there(written: str, stays: set[int], added: list[int]) -> None:
    assert with_citations_changed(written, (), lambda _n: True, ()) == written
    made = with_citations_changed(written, (), stays.__contains__, added)
    assert all(f"[{n}]" in made for n in added)
    assert len(at_end(made, SIGN)) == len(made) + len(SIGN) + 1


@given(TEXTS, st.data())
def test_pieces_joined_are_the_text_and_each_can_go(text: str, data) -> None:
    numbered = Numbered(passages(["a", "b", "c"]))
    pieces = cut(text, numbered)
    whole = joined(pieces, [piece.written for piece in pieces])
    assert whole.text == text
    for piece in pieces:
        assert rewritten(piece, piece.sentence, numbered, SIGN) == piece.written
    gone = data.draw(st.sets(st.integers(0, max(0, len(pieces) - 1))))
    left = joined(pieces, ["" if at in gone else piece.written for at, piece in enumerate(pieces)])
    for at, piece in enumerate(pieces):
        if at not in gone:
            shown, own = left.text[left.spans[at].start : left.spans[at].end].strip(), piece.written.strip()
            marks = {pieces[n].item.strip() for n in left.handed}  # of an item whose first sentence went
            assert shown == own or (shown.endswith(own) and shown.removesuffix(own).strip() in marks)
