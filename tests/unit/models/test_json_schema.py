"""Schemas for strict structured outputs."""

from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from assay.models.structured import strict


class Level(StrEnum):
    YES = "yes"
    NO = "no"


class Inner(BaseModel):
    title: str = Field("x", max_length=9)
    level: Level


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    inner: list[Inner]
    other: Inner | None = None
    score: Annotated[float, Field(ge=0, le=1)] = 0.0
    kind: Literal["a"] = "a"


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Pet(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]


class Free(BaseModel):
    by_id: dict[str, int]


class Pair(BaseModel):
    pair: tuple[int, str]


class Anything(BaseModel):
    value: Any


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


def objects(schema: Any) -> list[dict[str, Any]]:
    """Every object schema in a schema."""
    if isinstance(schema, list):
        return [each for part in schema for each in objects(part)]
    if not isinstance(schema, dict):
        return []
    inner = [each for part in schema.values() for each in objects(part)]
    return [schema, *inner] if schema.get("type") == "object" else inner


def test_every_object_is_closed_and_every_property_required():
    schema = strict(Outer.model_json_schema())
    assert schema is not None
    found = objects(schema)
    assert len(found) == 2
    for each in found:
        assert each["additionalProperties"] is False
        assert each["required"] == list(each["properties"])
    # A property may be named as a keyword is.
    assert "title" in schema["$defs"]["Inner"]["properties"]
    assert "title" not in schema
    assert "maxLength" not in str(schema)
    assert schema["properties"]["score"] == {"maximum": 1, "minimum": 0, "type": "number"}


@pytest.mark.parametrize("model", [Pet, Free, Pair, Anything, Open], ids=lambda model: model.__name__)
def test_what_cannot_be_closed_is_not(model: type[BaseModel]):
    assert strict(model.model_json_schema()) is None
