"""A second search for questions of two steps, by names that the best passages mention and the question does not.

"Where was the maker of Brand X born?" finds the passage on Brand X; only that passage names the maker.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.core.stages import Embedder, Index, Retriever
from assay.nlp.answer_types import names as names_in
from assay.nlp.blocks import BlockKind, blocks
from assay.nlp.names import names as names_asked
from assay.nlp.sentences import sentences
from assay.nlp.tokens import terms, words
from assay.types import Document, Evidence, Found, Hit, Passage, Place, Scores, SearchMode

# Passages, and their sentences nearest the question, in which names are searched: chosen.
_PASSAGES, _SENTENCES = 5, 3
# Words of names in the second search, passages it ranks, and the weight of a cosine there: chosen.
_MOST_WORDS, _DEPTH, _COSINE = 24, 24, 0.5


@dataclass(frozen=True, slots=True)
class LinkedRetriever:
    """Replaces the last `places` passages of another retriever by those that its best passages lead to.

    The second search is by the words of the question and the new names; its passages are ordered by that score,
    scaled to its best, plus half their cosine to the question. If nothing new is named or found, the evidence is
    unchanged, as it is for a question without a name: such a question takes one step as a rule, and what was found
    for it in the last places answers more often than what the best passages name (docs/decisions/225).
    """

    inner: Retriever
    index: Index
    embedder: Embedder
    places: int = 3

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The passages of `inner`, the last ones replaced by what the best lead to."""
        evidence = await self.inner.retrieve(queries)
        by_vector_only = evidence.settings is not None and evidence.settings.mode is SearchMode.DENSE
        named = any(not name.opens for query in queries[:1] for name in names_asked(query))
        if by_vector_only or not named or len(evidence.hits) <= self.places:
            return evidence
        names = new_names(queries[0], evidence.hits)
        if not names:
            return evidence
        where = evidence.settings.where if evidence.settings else {}
        found = await self.index.sparse(" ".join([*names, *_distinct(words(queries[0]))]), _DEPTH, where)
        added = await self._hits(
            queries[0], [result for result in found if result.passage_id not in evidence.ids], evidence
        )
        return Evidence(
            without_last(queries[0], evidence.hits, len(added)) + added, evidence.settings, evidence.version
        )

    async def _hits(self, question: str, found: Sequence[Found], evidence: Evidence) -> tuple[Hit, ...]:
        """The best results, with the score of the evidence's last hit, so that they stay last."""
        ids = [result.passage_id for result in found]
        try:
            vectors = await self.index.vectors(ids)
        except KeyError:  # another process has just removed one
            return ()
        vector = (await self.embedder.embed([self.embedder.model.as_question(question)]))[0]
        cosines = [float(cosine) for cosine in vectors @ vector]
        most = max((result.score for result in found), default=1.0)
        best = sorted(
            zip(found, cosines, strict=True), key=lambda pair: -(pair[0].score / most + _COSINE * pair[1])
        )[: self.places]
        passages = {
            passage.passage_id: passage
            for passage in await self.index.passages([result.passage_id for result, _ in best])
        }
        return tuple(
            Hit(passages[result.passage_id], evidence.hits[-1].score, Scores(cosine, result.score))
            for result, cosine in best
            if result.passage_id in passages
        )


def without_last(question: str, hits: Sequence[Hit], fewer: int) -> tuple[Hit, ...]:
    """The hits without the last `fewer`; hits whose title the question names are removed last."""
    asked = set(terms(question))
    named = [bool(hit.passage.title) and asked.issuperset(terms(hit.passage.title)) for hit in hits]
    leaving = sorted(range(len(hits)), key=lambda place: (named[place], -place))[:fewer]
    return tuple(hit for place, hit in enumerate(hits) if place not in leaving)


def new_names(question: str, hits: Sequence[Hit]) -> list[str]:
    """The words of names in the sentences nearest the question, without the question's own.

    >>> from assay.types import Passage
    >>> passage = Passage("p", "d", "r", 0, 60, "Brand X was founded by Ann Lee. It sells tea.", title="Brand X")
    >>> new_names("Where was the founder of Brand X born?", [Hit(passage, 1.0)])
    ['ann', 'lee']
    """
    asked = set(terms(question))
    nearest = sorted(_sentences(hits), key=lambda sentence: -len(asked & sentence[1]))[:_SENTENCES]
    named = [word for text, _ in nearest for span in names_in(text) for word in words(text[span.start : span.end])]
    return [word for word in _distinct(named) if not asked.issuperset(terms(word))][:_MOST_WORDS]


def _distinct(given: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(given))


def _sentences(hits: Sequence[Hit]) -> list[tuple[str, set[str]]]:
    """The sentences of the first passages, each with its terms and those of the title."""
    found: list[tuple[str, set[str]]] = []
    for hit in hits[:_PASSAGES]:
        text, title = hit.passage.text, set(terms(hit.passage.title))
        quoted = [text[span.start : span.end] for span in sentences(text)]
        found.extend((sentence, title.union(terms(sentence))) for sentence in quoted)
    return found


# Passages that begin or end inside a block are extended to its beginning and end, so that quotes are complete.


# Most code points by which a passage is extended in each direction, so that readers take little more time: chosen.
MOST = 800
# Documents whose text is cached between questions: chosen.
_CACHED = 32


@dataclass(frozen=True, slots=True)
class WholeBlocksRetriever:
    """Extends another retriever's passages to the ends of the blocks in which they were cut, if those are near.

    A paragraph that ends in a colon is extended to the end of what it leads to. No passage is extended to the
    beginning of a table, since rows have headers of their own. An extended passage is a true span of its document
    with an id of its own, and keeps the scores of the passage found.
    """

    inner: Retriever
    index: Index
    _documents: OrderedDict[tuple[str, str], Document | None] = field(
        default_factory=OrderedDict, repr=False, compare=False
    )

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The passages of `inner`, each beginning and ending with a complete block."""
        evidence = await self.inner.retrieve(queries)
        return replace(evidence, hits=tuple([await self._extend(hit) for hit in evidence.hits]))

    async def _extend(self, hit: Hit) -> Hit:
        passage = hit.passage
        document = await self._document(passage)
        if document is None:
            return hit
        end = passage.start + whole_end(document.text[passage.start : passage.end + MOST], len(passage.text))
        if end > passage.end:
            passage = _until(end, passage, document)
        first = max(0, passage.start - MOST)
        start = first + whole_start(document.text[first : passage.end], passage.start - first, is_whole=not first)
        if start < passage.start and _is_one_place(document, start, passage.start):
            passage = _from(start, passage, document)
        return replace(hit, passage=passage)

    async def _document(self, passage: Passage) -> Document | None:
        """The passage's document as stored; None if it has changed or gone."""
        key = passage.document_id, passage.revision
        if key not in self._documents:
            found = await self.index.document(passage.document_id)
            same = found is not None and found.revision == passage.revision
            self._documents[key] = found if same else None
            while len(self._documents) > _CACHED:
                self._documents.popitem(last=False)
        return self._documents.get(key)


def whole_end(text: str, cut: int) -> int:
    r"""The end of the block of `text` that `cut` falls into; `cut` if it falls into none, or the block has no end.

    >>> whole_end("You need:\n\n- water\n- leaves\n\nEnjoy.", 20)
    27
    >>> whole_end("Boil it.\n\nEnjoy.", 10)
    10
    """
    found = blocks(text)
    last = next((at for at in reversed(range(len(found))) if found[at].start < cut), None)
    if last is None:
        return cut
    if found[last].leads and found[last].end <= cut and last + 1 < len(found):
        last += 1
    end = found[last].end
    # A block that reaches the end of the text read may continue beyond it.
    return end if cut < end < len(text) or (cut < end == len(text) < cut + MOST) else cut


def whole_start(text: str, cut: int, *, is_whole: bool) -> int:
    r"""The beginning of the block of `text` that `cut` falls into; `cut` if it falls into none, or into a table.

    Unless the text `is_whole`, it may begin within a block: what stands before its first empty line is not read.

    >>> whole_start("Enjoy.\n\nYou need water. It boils.", 24, is_whole=True)
    8
    >>> whole_start("Water boils. It is hot.", 13, is_whole=False)
    13
    """
    begin = 0 if is_whole else text.find("\n\n", 0, cut) + 2
    if begin == 1:
        return cut
    found = next((block for block in blocks(text[begin:]) if block.end > cut - begin), None)
    if found is None or found.start >= cut - begin or found.kind is BlockKind.TABLE:
        return cut
    return begin + found.start


def _is_one_place(document: Document, start: int, end: int) -> bool:
    """Tell whether two offsets are in the same section and on the same page, and no table lies between them."""
    tables = (region for region in document.regions if region.kind == "table")
    between = any(table.start < end and start < table.end for table in tables)
    return not between and document.location_at(start) == document.location_at(end)


def _from(start: int, passage: Passage, document: Document) -> Passage:
    """The passage extended to another beginning, on the same page and in the same section."""
    return replace(
        passage,
        passage_id=Passage.id_for(passage.document_id, passage.revision, start, passage.end),
        start=start,
        text=document.text[start : passage.end],
        line=document.line_at(start),
    )


def _until(end: int, passage: Passage, document: Document) -> Passage:
    """The passage extended to another end, with the places of the added text."""
    added = tuple(
        Place(region.start, region.location) for region in document.regions if passage.end <= region.start < end
    )
    first = (Place(passage.start, passage.location),) if added and not passage.places else ()
    return replace(
        passage,
        passage_id=Passage.id_for(passage.document_id, passage.revision, passage.start, end),
        end=end,
        text=document.text[passage.start : end],
        places=(*passage.places, *first, *added),
    )
