"""A search for evidence of what a sentence claims and the evidence at hand does not bear out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from assay.core.stages import Retriever, TextVerifier
from assay.nlp.names import Name, names
from assay.nlp.tokens import terms, words
from assay.types import (
    Candidate,
    Claim,
    Evidence,
    Hit,
    Passage,
    Question,
    RepairKind,
    Review,
    Sentence,
    Verdict,
)

# Whether a passage that was found for a claim is about what the question asks of.


# Where a question names nothing, a passage on its subject holds at least this share of its words.
_SHARE = 0.5


def on_subject(passage: Passage, claim: Claim, question: Question, evidence: Evidence) -> bool:
    """Whether the passage names what the question names, or what a passage at hand says of that.

    The second holds where the claim names something itself, the passage has all those names, and a passage at hand
    that is on the question's subject has one of them: of Maria Keller, who built the bridge that was asked for.

    >>> from assay.types import Hit
    >>> def passage(text): return Passage(text[:5], "d", "r", 0, len(text), text)
    >>> asked = Question("Who built the Harbour Bridge?", "Who built the Harbour Bridge?")
    >>> def held(claim, text): return on_subject(passage(text), Claim(1, claim, 0, 1, (), "unknown", None), asked,
    ...     Evidence((Hit(passage("Maria Keller built the Harbour Bridge."), 1.0),)))
    >>> held("It opened in 1932.", "The Harbour Bridge opened in 1932.")
    True
    >>> held("It opened in 1932.", "The Mira tunnel opened in 1932.")
    False
    >>> held("So Maria Keller was born in Linz.", "Maria Keller was born in Linz.")
    True
    """
    if _names_subject(passage, question):
        return True
    wanted = _named(claim.text)
    at_hand = [_words(each) for each in evidence.passages if _names_subject(each, question)]
    found = _words(passage)
    known = any(set(name.words) <= held for name in wanted for held in at_hand)
    return known and all(set(name.words) <= found for name in wanted)


def query_for(claim: Claim, question: Question, longest: int) -> str:
    """What to search for: the claim, behind what the question names where the claim names nothing.

    >>> asked = Question("Who built the Harbour Bridge?", "Who built the Harbour Bridge?")
    >>> query_for(Claim(1, "It opened in 1932.", 0, 18, (), "unknown", None), asked, 400)
    'Harbour Bridge It opened in 1932.'
    """
    asked = question.standalone
    named = [] if _named(claim.text) else [asked[each.start : each.end] for each in _named(asked)]
    return " ".join((*named, claim.text))[:longest]


def _names_subject(passage: Passage, question: Question) -> bool:
    """Whether the passage has a name of the question, all of its words; without names, half of its words."""
    held, asked = _words(passage), _named(question.standalone)
    if asked:
        return any(set(name.words) <= held for name in asked)
    wanted = set(terms(question.standalone))
    there = set(terms(f"{passage.title}\n{passage.text}"))
    return len(wanted & there) >= _SHARE * len(wanted)


def _named(text: str) -> list[Name]:
    """The names of a text; a capitalised first word may be none."""
    return [name for name in names(text) if not name.opens]


def _words(passage: Passage) -> set[str]:
    section = passage.location.section or ""
    return {
        word.removesuffix("'s").removesuffix("’s") for word in words(f"{passage.title}\n{section}\n{passage.text}")
    }


# A search for more words than a long sentence has finds nothing better.
_LONGEST_QUERY = 400
# Of what a search brings, the passages that share the most words with the claim are tested.
_MOST_TESTED = 8


@dataclass(frozen=True, slots=True)
class SearchRepairer:
    """Searches for each claim that is not borne out, and cites what bears it; the rest of what is found is left.

    What is found must be on the question's subject, whatever it bears out. A claim that the passages at hand speak
    against is not searched: sources that disagree are to be told, not chosen from.

    `searches` are asked in order, by the names that the claim's history gives them, until one brings a passage that
    the `verifier` finds to bear the claim out. What a search masks as instructions is not read; what it notes, such
    as a service that is down, `tell` is told.
    """

    searches: Mapping[str, Retriever]
    verifier: TextVerifier
    tell: Callable[[str], None]

    async def repair(
        self,
        kind: RepairKind,
        question: Question,
        evidence: Evidence,
        sentence: Sentence,
        review: Review,
        begins: int,
    ) -> Candidate | None:
        """The sentence citing what was found, None where nothing was; raises what the searches raise."""
        found: dict[str, list[Hit]] = {}
        for claim in review.claims:
            if claim.verdict in (Verdict.UNSUPPORTED, Verdict.UNKNOWN):
                by, hit = await self._search(claim, question, evidence)
                if hit is not None:
                    found.setdefault(by, []).append(hit)
        if not found:
            return None
        hits = tuple(hit for each in found.values() for hit in each)
        merged = replace(evidence.merge(Evidence(hits)), contradictions=evidence.contradictions)
        ids = (*_still_cited(sentence, evidence, review), *(hit.passage.passage_id for hit in hits))
        mended = replace(sentence, passage_ids=tuple(dict.fromkeys(ids)), unknown_marks=())
        titles = dict.fromkeys(hit.passage.title or hit.passage.passage_id for hit in hits)
        return Candidate(mended, merged, f"found in {' and '.join(titles)}", " and ".join(found))

    async def _search(self, claim: Claim, question: Question, evidence: Evidence) -> tuple[str, Hit | None]:
        """Which search found a passage that bears the claim out, and that passage."""
        if Verdict.CONTRADICTED in await self._verdicts(claim, evidence.passages):
            return "", None
        for name, retriever in self.searches.items():
            brought = (await retriever.retrieve((query_for(claim, question, _LONGEST_QUERY),))).readable
            for note in brought.notes:
                self.tell(note)
            for hit in _likeliest(claim, question, brought, evidence):
                if await self._verdicts(claim, (hit.passage,)) == {Verdict.SUPPORTED}:
                    return name, hit
        return "", None

    async def _verdicts(self, claim: Claim, passages: tuple[Passage, ...]) -> set[Verdict]:
        """What passages say of a claim."""
        review = await self.verifier.check(claim.text, passages, one_claim=True)
        return {each.verdict for each in review.claims}


def _likeliest(claim: Claim, question: Question, brought: Evidence, evidence: Evidence) -> list[Hit]:
    """The new hits on the question's subject that share the most words with the claim."""
    wanted = set(terms(claim.text))
    new = [hit for hit in brought.hits if hit.passage.passage_id not in evidence.ids]
    fitting = [hit for hit in new if on_subject(hit.passage, claim, question, evidence)]
    return sorted(fitting, key=lambda hit: -len(wanted.intersection(terms(hit.passage.text))))[:_MOST_TESTED]


def _still_cited(sentence: Sentence, evidence: Evidence, review: Review) -> tuple[str, ...]:
    """What the sentence cites and another of its claims stands on."""
    borne = {each for claim in review.claims if claim.verdict is Verdict.SUPPORTED for each in claim.citations}
    return tuple(each for each in sentence.passage_ids if each in evidence.ids and each in borne)
