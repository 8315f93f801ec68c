"""When a text was written: what its head, its metadata and its name say, and what says nothing of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.nlp.publication_date import date_in, date_in_name, date_of, date_stated


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("# Guide\n\nDate: 2010\n\nText.", "2010"),
        ("---\ntitle: Fees\ndate: 2021-05-03\n---\nText.", "2021-05-03"),
        ("**Last updated:** 3 May 2021\n", "2021-05-03"),
        ("Last updated on May 3, 2021 at 10:15 UTC.", "2021-05-03"),
        ("Publication date: May 2021", "2021-05"),
        ("Memo\n\nAlton, 3 May 2021\n\nDear all,", "2021-05-03"),
        # Not the text's own:
        ("The bridge was opened on 3 May 1932.", None),
        ("Published accounts of 2019 show a loss.", None),
        ("Date palms were planted in 1932.", None),
        ("Date: 1998-2003", None),
        ("1932\n\nThe year of the bridge.", None),
        ("Date: soon", None),
        ("\n" * 40 + "Date: 2010", None),
    ],
)
def test_a_texts_head_gives_its_date_or_none(text: str, day: str | None):
    assert date_stated(text) == day


@pytest.mark.parametrize(
    ("metadata", "day"),
    [
        ({"date": "2021-05-03T10:00:00Z"}, "2021-05-03"),
        ({"Publication-Date": "May 2021"}, "2021-05"),
        ({"year": 2020}, "2020"),
        ({"modified": "2021-05-03", "created": "2019-01-01"}, "2021-05-03"),
        ({"published": "2018", "modified": "2021-05-03"}, "2018"),
        ({"date": True}, None),
        ({"created": 1620036000}, None),
        ({"year": 20.5, "date": "soon"}, None),
        ({"author": "2021-05-03"}, None),
        ({}, None),
    ],
)
def test_metadata_gives_a_date_by_its_surest_name(metadata: dict[str, object], day: str | None):
    assert date_in(metadata) == day


def test_a_files_name_gives_a_whole_day_or_a_month():
    assert date_in_name("2021-05 minutes.md") == "2021-05"
    assert date_in_name("a_20210503.txt") == "2021-05-03"
    assert date_in_name("model-2021-13-40.txt") is None
    assert date_in_name("call 0049 20210503123.txt") is None


@given(st.text(max_size=80))
def test_any_text_is_a_date_or_none(text: str):
    day = date_of(text)
    assert day is None or date_of(day) == day


@given(st.text(alphabet="Date: 0123456789-/.\nMay(),", max_size=200))
def test_what_is_found_is_iso_8601(text: str):
    for day in (date_stated(text), date_in_name(text), date_in({"date": text})):
        assert day is None or (re.fullmatch(r"\d{4}(-\d\d){0,2}", day) and date_of(day) == day)
