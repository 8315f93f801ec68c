"""A search for evidence of claims that the evidence so far does not support."""

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

# The test that a passage found for a claim is about the subject of the question.

# A passage on the subject of a question without names holds at least this share of its words; chosen.
_SHARE = 0.5


def on_subject(passage: Passage, claim: Claim, question: Question, evidence: Evidence) -> bool:
    """True if the passage names what the question names, or something that the evidence links to it.

    The evidence links a name of the claim where one of its passages on the subject has that name: Maria Keller, who
    built the bridge that was asked about. The new passage must then have all names of the claim.

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
    claim_names = _named(claim.text)
    on_topic = [_words(one) for one in evidence.passages if _names_subject(one, question)]
    held = _words(passage)
    is_linked = any(set(name.words) <= known for name in claim_names for known in on_topic)
    return is_linked and all(set(name.words) <= held for name in claim_names)


def query_for(claim: Claim, question: Question, longest: int) -> str:
    """The search query: the claim, behind the names of the question where the claim names nothing.

    >>> asked = Question("Who built the Harbour Bridge?", "Who built the Harbour Bridge?")
    >>> query_for(Claim(1, "It opened in 1932.", 0, 18, (), "unknown", None), asked, 400)
    'Harbour Bridge It opened in 1932.'
    """
    asked = question.standalone
    added = [] if _named(claim.text) else [asked[name.start : name.end] for name in _named(asked)]
    return " ".join((*added, claim.text))[:longest]


def _names_subject(passage: Passage, question: Question) -> bool:
    """True if the passage has a full name of the question; without names, half of the question's words."""
    held, asked = _words(passage), _named(question.standalone)
    if asked:
        return any(set(name.words) <= held for name in asked)
    wanted = set(terms(question.standalone))
    found = set(terms(f"{passage.title}\n{passage.text}"))
    return len(wanted & found) >= _SHARE * len(wanted)


def _named(text: str) -> list[Name]:
    """The names of a text, without a capitalised first word, which may be no name."""
    return [name for name in names(text) if not name.opens]


def _words(passage: Passage) -> set[str]:
    section = passage.location.section or ""
    return {
        word.removesuffix("'s").removesuffix("’s") for word in words(f"{passage.title}\n{section}\n{passage.text}")
    }


# Characters of a query; chosen: more words than a long sentence has find nothing better.
_LONGEST_QUERY = 400
# Passages found by a search that are tested, those that share most words with the claim first; chosen.
_MOST_TESTED = 8


@dataclass(frozen=True, slots=True)
class SearchRepairer:
    """Searches for each unsupported or unknown claim, and cites the passage found that supports it.

    The passage must be on the subject of the question. A claim that the evidence contradicts is not searched:
    sources that disagree are reported, not chosen from.

    `searches` are asked in order, under the names that the claim's history gives them, until one finds a passage
    that the `verifier` finds to support the claim. Text that a search masks as instructions is not read; notes of a
    search, such as a service that is down, go to `tell`.
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
        """The sentence citing what was found; None where nothing was. Raises what the searches raise."""
        found: dict[str, list[Hit]] = {}
        for claim in review.claims:
            if claim.verdict in (Verdict.UNSUPPORTED, Verdict.UNKNOWN):
                name, hit = await self._search(claim, question, evidence)
                if hit is not None:
                    found.setdefault(name, []).append(hit)
        if not found:
            return None
        hits = tuple(hit for of_search in found.values() for hit in of_search)
        merged = replace(evidence.merge(Evidence(hits)), contradictions=evidence.contradictions)
        ids = (*_still_cited(sentence, evidence, review), *(hit.passage.passage_id for hit in hits))
        repaired = replace(sentence, passage_ids=tuple(dict.fromkeys(ids)), unknown_marks=())
        titles = dict.fromkeys(hit.passage.title or hit.passage.passage_id for hit in hits)
        return Candidate(repaired, merged, f"found in {' and '.join(titles)}", " and ".join(found))

    async def _search(self, claim: Claim, question: Question, evidence: Evidence) -> tuple[str, Hit | None]:
        """The name of the search that found a supporting passage, and that passage."""
        if Verdict.CONTRADICTED in await self._verdicts(claim, evidence.passages):
            return "", None
        for name, retriever in self.searches.items():
            result = (await retriever.retrieve((query_for(claim, question, _LONGEST_QUERY),))).readable
            for note in result.notes:
                self.tell(note)
            for hit in _likeliest(claim, question, result, evidence):
                if await self._verdicts(claim, (hit.passage,)) == {Verdict.SUPPORTED}:
                    return name, hit
        return "", None

    async def _verdicts(self, claim: Claim, passages: tuple[Passage, ...]) -> set[Verdict]:
        """The verdicts of passages on a claim."""
        review = await self.verifier.check(claim.text, passages, one_claim=True)
        return {tested.verdict for tested in review.claims}


def _likeliest(claim: Claim, question: Question, result: Evidence, evidence: Evidence) -> list[Hit]:
    """The new hits on the question's subject that share the most words with the claim."""
    wanted = set(terms(claim.text))
    new = [hit for hit in result.hits if hit.passage.passage_id not in evidence.ids]
    relevant = [hit for hit in new if on_subject(hit.passage, claim, question, evidence)]
    return sorted(relevant, key=lambda hit: -len(wanted.intersection(terms(hit.passage.text))))[:_MOST_TESTED]


def _still_cited(sentence: Sentence, evidence: Evidence, review: Review) -> tuple[str, ...]:
    """The sentence's citations on which another of its claims rests."""
    supported = (claim for claim in review.claims if claim.verdict is Verdict.SUPPORTED)
    needed = {passage_id for claim in supported for passage_id in claim.citations}
    return tuple(one for one in sentence.passage_ids if one in evidence.ids and one in needed)
