"""Changes made in place: marks, white space and markup stay."""

from __future__ import annotations

import pytest

from assay.nlp.cited_sentences import Numbered
from assay.nlp.segments import at_end, cut, joined, rewritten, with_citations_changed, with_words_changed
from assay.types import Passage, Sentence

PASSAGES = tuple(Passage(f"p{n}", f"d{n}", "r", 0, 1, "x", title=f"Title {n}") for n in range(1, 4))
NUMBERED = Numbered(PASSAGES)
SIGN = "⚠"


@pytest.mark.parametrize(
    ("written", "before", "after", "expected"),
    [
        ("It cost 5 [1].", "It cost 5.", "It cost 4.", "It cost 4 [1]."),
        ("It [1] cost **5** euros.", "It cost **5** euros.", "It cost **4** euros.", "It [1] cost **4** euros."),
        ("\n- It cost 5.  \n", "\n- It cost 5.", "\n- It cost 4.", "\n- It cost 4.  \n"),
        ("It rained [1]; it snowed.", "It rained; it snowed.", "It rained.", "It rained [1]."),
        ("Rained [1].", "Rained.", "It rained.", "It Rained [1]."),
        ("It was [1] sold.", "It was sold.", "It was not sold.", "It was not [1] sold."),
        ("雨が5回 [1]。", "雨が5回。", "雨が4回。", "雨が4回 [1]。"),
    ],
)
def test_words_change_around_marks(written, before, after, expected):
    made = with_words_changed(written, before, after)
    assert made == expected or made.casefold() == expected.casefold()


def test_words_that_stand_otherwise_as_written_are_not_changed_in_place():
    assert with_words_changed("According to [1], it cost 5.", "It cost 5.", "He cost 5.") is None


@pytest.mark.parametrize(
    ("written", "stays", "added", "expected"),
    [
        ("It rained [1].", {1}, [], "It rained [1]."),
        ("It rained 【1】.", {1}, [2], "It rained 【1】 [2]."),
        ("It rained [1].", set(), [2], "It rained [2]."),
        ("It rained [1].", set(), [], "It rained."),
        ("It rained. [1]", set(), [2, 3], "It rained. [2] [3]"),
        ("It rained [1, 9] today.", {1}, [], "It rained [1] today."),
        ("It rained [1], [9] and [2].", {1, 2}, [], "It rained [1] [2]."),
        ("It rained ([1]) [9].", {1}, [], "It rained [1]."),
        ("Rain [1], hail [9], snow [2].", {1}, [3], "Rain [1] [3], hail, snow."),
        ("It rained.\n", set(), [2], "It rained. [2]\n"),
        ("| a | b |\n", set(), [2], "| a | b [2] |\n"),
        ("It rained.", set(), [], "It rained."),
    ],
)
def test_numbers_change_where_they_stand(written, stays, added, expected):
    assert with_citations_changed(written, NUMBERED.titles, stays.__contains__, added) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("It rained. [1]", "It rained. [1] ⚠"),
        ("\n\n- It rained.\n", "\n\n- It rained. ⚠\n"),
        ("| a | b |", "| a | b ⚠ |"),
        ("a | b", "a | b ⚠"),
    ],
)
def test_a_sign_stands_behind_the_words(written, expected):
    assert at_end(written, SIGN) == expected


def changed(draft: str, **changes) -> str:
    """The draft with its last sentence changed."""
    *_, last = cut(draft, NUMBERED)
    sentence = Sentence(
        last.sentence.number,
        changes.get("text", last.sentence.text),
        changes.get("ids", last.sentence.passage_ids),
        changes.get("unknown", last.sentence.unknown_marks),
        changes.get("hedged", False),
    )
    return draft[: last.start] + rewritten(last, sentence, NUMBERED, SIGN)


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("It cost 5 [Source: Title 2].", {"text": "It cost 4."}, "It cost 4 [Source: Title 2]."),
        ("It cost 5 [1][7].", {"unknown": ()}, "It cost 5 [1]."),
        ("It cost 5 [7].", {"unknown": (), "ids": ("p2",)}, "It cost 5 [2]."),
        ("It cost 5 [1].", {"ids": ("p1", "p3")}, "It cost 5 [1] [3]."),
        ("It cost 5 [1].", {"hedged": True}, "It cost 5 [1]. ⚠"),
        ("It cost 5 [1]. ⚠", {"hedged": True}, "It cost 5 [1]. ⚠"),
        ("According to [1], it cost 5.", {"text": "It cost 4."}, "According to [1], it cost 4."),
        ("According to [9], it cost 5.", {"unknown": (), "ids": ("p2",)}, "According to [2], it cost 5."),
        ("According to [9], it cost 5.", {"unknown": ()}, "It cost 5."),
        ("Yes.\n\n- It cost 5 [9].\n", {"text": "\n\n- It cost 4.", "ids": ("p1",), "unknown": ()},
         "Yes.\n\n- It cost 4 [1].\n"),
        ("Yes.\n\n- It cost 5.\n", {"text": "\n\n- Frogs are cheap.", "ids": ("p1",)},
         "Yes.\n\n- Frogs are cheap. [1]\n"),
        ("| it | 5 [9] |", {"unknown": (), "ids": ("p1",)}, "| it | 5 [1] |"),
        ("It cost 5 [9].", {"text": "It cost 4."}, "It cost 4 [9]."),
        ("It cost 5.", {"ids": ("gone",)}, "It cost 5."),
    ],
)  # fmt: skip
def test_a_piece_changes_as_its_sentence_does(text, changes, expected):
    assert changed(text, **changes) == expected


MARKDOWN = """# Rain

It rained. [1] It snowed!

| a | b |
|---|---|
| 1 | 2 [2] |

```python
x = a[1]
# no heading
```

1. One
2. Two [3]
"""


@pytest.mark.parametrize("text", [MARKDOWN, "x", " \n ", "\ufeffA. B.\r\nC.", "東京。大阪。", "a" * 10_000])
def test_what_is_cut_and_joined_is_the_text(text):
    pieces = cut(text, NUMBERED)
    whole = joined(pieces, [piece.written for piece in pieces])
    assert whole.text == text
    assert [span.start for span in whole.spans] == [piece.start for piece in pieces]


@pytest.mark.parametrize(
    ("text", "gone", "expected"),
    [
        ("Rain. Hail. Snow.\n", {0}, "Hail. Snow.\n"),
        ("Rain. Hail. Snow.\n", {1}, "Rain. Snow.\n"),
        ("Rain. Hail. Snow.\n", {2}, "Rain. Hail.\n"),
        ("Rain. Hail. Snow.\n", {0, 1, 2}, "\n"),
        ("Rain.\n\nHail. Snow.", {1}, "Rain.\n\nSnow."),
        ("Rain.\n\nHail. Snow.\n\nIce.", {1, 2}, "Rain.\n\nIce."),
        ("Rain.\n\n- Hail\n- Snow\n- Ice\n", {2}, "Rain.\n\n- Hail\n- Ice\n"),
        ("Rain.\n\n- Hail\n- Snow\n", {1}, "Rain.\n\n- Snow\n"),
    ],
)
def test_what_is_gone_leaves_its_place_to_the_next(text, gone, expected):
    pieces = cut(text, NUMBERED)
    assert joined(pieces, ["" if at in gone else each.written for at, each in enumerate(pieces)]).text == expected


def test_pieces_know_what_they_are():
    pieces = cut(MARKDOWN, NUMBERED)
    assert [piece.level for piece in pieces if piece.level] == [1]
    assert [piece.written.strip()[:3] for piece in pieces if piece.stays] == ["```"]
    assert [piece.written.strip() for piece in pieces if piece.is_rule] == ["|---|---|"]
