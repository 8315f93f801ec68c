"""What frameworks hand over becomes passages: each with its number, an id of its own and true places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.integrations.passages import FrameworkDocument, passages_of, required_field, text_of
from assay.types import Passage

anything = st.one_of(st.none(), st.booleans(), st.integers(-3, 40), st.floats(), st.text(max_size=5))
metadata = st.dictionaries(
    st.sampled_from(["start", "end", "title", "document_id", "date", "created", "score"]), anything, max_size=6
)
documents = st.lists(
    st.builds(
        FrameworkDocument,
        text=st.one_of(st.none(), st.text(max_size=30)),
        id=st.one_of(st.none(), st.sampled_from(["a", "b", "a#2", "a#3", "2", ""])),
        metadata=metadata,
    ),
    max_size=6,
)


def of(text: str | None, id: str | None = None, **metadata: object) -> Passage:
    (passage,) = passages_of([FrameworkDocument(text, id, metadata)])
    return passage


@given(documents)
def test_each_document_is_one_passage_with_an_id_of_its_own_and_the_length_of_its_text(
    given: list[FrameworkDocument],
):
    passages = passages_of(given)
    assert [passage.text for passage in passages] == [each.text or "" for each in given]
    assert len({passage.passage_id for passage in passages}) == len(passages)
    assert all(passage.end - passage.start == len(passage.text) for passage in passages)
    assert all(passage.start >= 0 and passage.document_id for passage in passages)


def test_what_assay_found_has_its_place_and_document_again():
    passage = of("It rains.", "p", start=100, end=109, document_id="d", title="Rain", date="2020-05-03")
    assert (passage.passage_id, passage.document_id, passage.title) == ("p", "d", "Rain")
    assert (passage.start, passage.end, passage.origin.date) == (100, 109, "2020-05-03")


@pytest.mark.parametrize("places", [{"start": 100, "end": 140}, {"start": 100}, {"start": "100", "end": "109"}])
def test_places_of_another_text_are_not_taken(places: dict[str, object]):
    passage = of("It rains.", **places)
    assert (passage.start, passage.end) == (0, 9)


def test_a_document_without_text_keeps_its_number():
    image, rain = passages_of([FrameworkDocument(None, None, {}), FrameworkDocument("It rains.", None, {})])
    assert (image.passage_id, image.text) == ("1", "")
    assert (rain.passage_id, rain.document_id) == ("2", "2")


def test_the_same_document_twice_is_two_passages():
    assert [each.passage_id for each in passages_of([FrameworkDocument("It rains.", "a", {})] * 3)] == [
        "a",
        "a#2",
        "a#3",
    ]


@pytest.mark.parametrize("fields", [{}, {"documents": None}])
def test_a_missing_field_is_named(fields: dict[str, object]):
    with pytest.raises(UsageError, match="'documents'"):
        required_field(fields, "documents")


def test_an_empty_list_of_documents_is_not_missing():
    assert required_field({"documents": []}, "documents") == []


class Message:
    """As chat models return it."""

    def __init__(self, text: object) -> None:
        self.text = text


def test_the_text_of_a_message():
    assert text_of(Message("It rains.")) == "It rains."


@pytest.mark.parametrize("value", [None, 3, ["It rains."], Message(None), Message(lambda: "It rains.")])
def test_what_holds_no_text_is_refused(value: object):
    with pytest.raises(UsageError, match="there is no text"):
        text_of(value)
