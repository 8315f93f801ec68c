"""Values from JSON by the types of their fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.client.reader import read
from assay.errors import ProviderFailed
from assay.types import (
    Acted,
    Action,
    Evidence,
    Fixed,
    Judgement,
    Passage,
    Review,
    Span,
    Step,
    Value,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Everything(Value):
    """One field of every form that the values of the library have."""

    text: str
    number: int
    share: float
    truth: bool
    action: Action
    size: Literal["small", 2]
    span: Span | None
    pair: tuple[int, str]
    names: tuple[str, ...]
    ids: frozenset[str]
    counts: Mapping[str, int]
    scalars: Mapping[str, str | int | float | bool]
    anything: Any
    note: str = ""


WHOLE: dict[str, Any] = {
    "text": "a", "number": 1, "share": 0.5, "truth": True, "action": "ANSWER", "size": "small",
    "span": {"start": 0, "end": 1}, "pair": [1, "b"], "names": ["c"], "ids": ["d"], "counts": {"e": 2},
    "scalars": {"f": True, "g": 1, "h": 0.5, "i": "j"}, "anything": {"k": [None]},
}  # fmt: skip


def test_every_form_is_read():
    value = read(Everything, {**WHOLE, "colour": "red"})
    assert value.action is Action.ANSWER
    assert value.span == Span(0, 1)
    assert (value.pair, value.names, value.ids) == ((1, "b"), ("c",), frozenset({"d"}))
    assert value.to_dict() == {**WHOLE, "note": ""}
    assert [type(scalar) for scalar in value.scalars.values()] == [bool, int, float, str]


@pytest.mark.parametrize(
    ("field", "wrong", "words"),
    [
        ("text", 1, "reply.text is 1 and not str"),
        ("number", 1.0, "reply.number is 1.0 and not int"),
        ("number", True, "reply.number is True and not int"),
        ("share", "x", "reply.share is 'x' and not float"),
        ("truth", 1, "reply.truth is 1 and not bool"),
        ("action", "SLEEP", "reply.action is 'SLEEP' and not one of ANSWER, REFINE"),
        ("size", True, "reply.size is True and not one of small, 2"),
        ("span", {"start": 0}, "lacks reply.span.end"),
        ("span", [], "reply.span is [] and not an object"),
        ("pair", [1], "reply.pair is [1] and not a list of 2"),
        ("names", ["c", 3], "reply.names[1] is 3 and not str"),
        ("names", "cd", "reply.names is 'cd' and not a list"),
        ("counts", {"e": None}, "reply.counts.e is None and not int"),
        ("scalars", {"f": []}, "reply.scalars.f is [] and not bool"),
        ("text", ["x" * 99], "x… and not str"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(field: str, wrong: object, words: str):
    with pytest.raises(ProviderFailed) as caught:
        read(Everything, {**WHOLE, field: wrong})
    assert words in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("field", WHOLE)
def test_a_field_without_a_default_must_be_there(field: str):
    with pytest.raises(ProviderFailed, match=f"lacks thing.{field}"):
        read(Everything, {name: value for name, value in WHOLE.items() if name != field}, "thing")


def test_whole_numbers_are_floats_where_floats_are_wanted():
    assert isinstance(read(Everything, {**WHOLE, "share": 1}).share, float)


@settings(max_examples=20)
@given(st.data())
def test_what_the_library_writes_is_read_back(data: st.DataObject):
    kind = data.draw(st.sampled_from([Judgement, Evidence, Review, Fixed, Passage, Acted, Step]))
    value = data.draw(st.from_type(kind))
    again = read(kind, json.loads(json.dumps(value.to_dict())))
    assert json.dumps(again.to_dict()) == json.dumps(value.to_dict())
    assert type(again) is kind


def test_enums_of_nested_values_are_members():
    review = {"claims": [], "checks": [], "findings": []}
    fixed = {"before": "a", "text": "b", "repairs": [], "dropped": [], "verdict": "supported", "review": review}
    assert read(Fixed, fixed).verdict is Verdict.SUPPORTED
