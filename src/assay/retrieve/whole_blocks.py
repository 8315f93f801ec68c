"""Passages that end inside a list, a table, code or a paragraph go on to its end: what is quoted is whole."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace

from assay.nlp.blocks import blocks
from assay.stages import Index, Retriever
from assay.types import Document, Evidence, Hit, Passage, Place

# How far a passage may go on, in code points: about as many tokens as leave it one window of a reader.
MOST = 800
# Documents of which the text is kept between questions.
_KEPT = 32


@dataclass(frozen=True, slots=True)
class WholeBlocksRetriever:
    """Lengthens another retriever's passages to the end of the block that they are cut in, where that is near.

    A paragraph that ends in a colon goes on to the end of what it leads to. A lengthened passage is a true stretch
    of its document, under an id of its own; scores stay those of the passage that was found.
    """

    inner: Retriever
    index: Index
    _documents: OrderedDict[tuple[str, str], Document | None] = field(
        default_factory=OrderedDict, repr=False, compare=False
    )

    async def retrieve(self, queries: tuple[str, ...]) -> Evidence:
        """The passages of `inner`, whole blocks at their ends."""
        evidence = await self.inner.retrieve(queries)
        return replace(evidence, hits=tuple([await self._lengthened(hit) for hit in evidence.hits]))

    async def _lengthened(self, hit: Hit) -> Hit:
        passage = hit.passage
        document = await self._document(passage)
        if document is None:
            return hit
        end = passage.start + whole_end(document.text[passage.start : passage.end + MOST], len(passage.text))
        return replace(hit, passage=_until(end, passage, document)) if end > passage.end else hit

    async def _document(self, passage: Passage) -> Document | None:
        """The passage's document as it is stored; None where it was changed or removed since."""
        key = passage.document_id, passage.revision
        if key not in self._documents:
            found = await self.index.document(passage.document_id)
            same = found is not None and found.revision == passage.revision
            self._documents[key] = found if same else None
            while len(self._documents) > _KEPT:
                self._documents.popitem(last=False)
        return self._documents.get(key)


def whole_end(text: str, cut: int) -> int:
    r"""Where the block ends in which `text` is cut at `cut`; `cut` itself where no block is cut, or none ends.

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
    # A block that runs to the end of what was read may go on behind it.
    return end if cut < end < len(text) or (cut < end == len(text) < cut + MOST) else cut


def _until(end: int, passage: Passage, document: Document) -> Passage:
    """The passage going on to another end, with the places of what is added."""
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
