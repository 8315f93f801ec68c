"""Sources are taken apart once, and what is kept of them has an end."""

from __future__ import annotations

from assay.types import Passage
from assay.verification.claims import SourceReader


def _passage(name: str, text: str = "It is red.") -> Passage:
    return Passage(name, name, "", 0, len(text), text)


def test_what_was_read_is_known():
    reader, passages = SourceReader(), (_passage("a"), _passage("b"))
    assert reader.read(passages) is reader.read(passages)


def test_each_pair_of_ten_passages_is_known():
    reader, ten = SourceReader(), [_passage(str(n)) for n in range(10)]
    pairs = [(one, other) for one in ten for other in ten if one is not other]
    first = [reader.read(pair) for pair in pairs]
    assert all(reader.read(pair) is found for pair, found in zip(pairs, first, strict=True))


def test_long_sources_are_let_go_the_oldest_first():
    reader = SourceReader(most_characters=25)
    names = [(_passage(name, f"{name} is red."),) for name in "abc"]
    a, _b, c = (reader.read(each) for each in names)
    assert reader.read(names[2]) is c
    assert reader.read(names[0]) is not a


def test_the_same_id_with_another_text_is_read_anew():
    reader = SourceReader()
    assert reader.read((_passage("a"),)) is not reader.read((_passage("a", "It is blue."),))
