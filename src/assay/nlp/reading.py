"""A passage and a part of a question as a reader is given them."""

from __future__ import annotations

from assay.nlp.blocks import without_markup
from assay.types import Passage, TitledText

# Between the headings of a path.
_PATH = " > "


def titled(passage: Passage) -> TitledText:
    """The passage's prose, offsets unchanged, under its title, its headings and its table's header.

    >>> from assay.types import Location
    >>> tea = Passage("p", "d", "r", 0, 14, "Boil *water*.", "Tea", Location(section="Tea > Steps"))
    >>> titled(tea)
    TitledText(title='Tea > Steps', text='Boil  water .')
    """
    names = [passage.title, *(passage.location.section or "").split(_PATH), passage.header]
    path = _PATH.join(dict.fromkeys(" ".join(name.split()) for name in names if name.strip()))
    return TitledText(path, without_markup(passage.text))


def in_context(part: str, whole: str) -> str:
    """A part of a question with the whole, from which it takes its subject: as the reader was trained to read it.

    >>> in_context("how much does it cost", "When did the museum open, and how much does it cost?")
    'how much does it cost (asked in: When did the museum open, and how much does it cost?)'
    """
    return f"{part} (asked in: {whole})"
