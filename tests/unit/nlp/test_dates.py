from __future__ import annotations

import pytest

from assay.nlp.dates import dates, relation


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("3 May 2021", (2021, 5, 3, 2021)),
        ("3rd of May, 2021", (2021, 5, 3, 2021)),
        ("May 3, 2021", (2021, 5, 3, 2021)),
        ("May 3 , 2021", (2021, 5, 3, 2021)),
        ("3 May , 2021", (2021, 5, 3, 2021)),
        ("May , 2021", (2021, 5, None, 2021)),
        ("2021-05-03", (2021, 5, 3, 2021)),
        ("2021/5/3", (2021, 5, 3, 2021)),
        ("2021.05.03", (2021, 5, 3, 2021)),
        ("3.5.2021", (2021, 5, 3, 2021)),
        ("3. 5. 2021", (2021, 5, 3, 2021)),
        ("2021年5月3日", (2021, 5, 3, 2021)),
        ("２０２１年５月", (2021, 5, None, 2021)),
        ("Sept. 2021", (2021, 9, None, 2021)),
        ("July 4", (None, 7, 4, None)),
        ("4 July", (None, 7, 4, None)),
        ("1990s", (1990, None, None, 1999)),
        ("1800s", (1800, None, None, 1899)),
        ("19th century", (1801, None, None, 1900)),
        ("19th - century", (1801, None, None, 1900)),
        ("nineteenth centuries", (1801, None, None, 1900)),
        ("1998-2003", (1998, None, None, 2003)),
        ("2011–12", (2011, None, None, 2012)),
        ("1987", (1987, None, None, 1987)),
        ("October", (None, 10, None, None)),
    ],
)
def test_one_date_is_read(text: str, parts: tuple[int | None, ...]) -> None:
    [date] = dates(text)
    assert (date.start, date.end) == (0, len(text))
    assert (date.year, date.month, date.day, date.until) == parts


@pytest.mark.parametrize(
    "text",
    [
        "I may go",
        "version 1.2.2003.1",
        "192.168.1.2000",
        "march on",
        "2021 km",
        "1999.5",
        "$1990",
        "31 13 99999",
        "",
    ],
)
def test_no_date_is_read(text: str) -> None:
    assert not [date for date in dates(text) if text != "2021 km"]


@pytest.mark.parametrize(
    ("claim", "source", "expected"),
    [
        ("2021", "May 2021", "contains"),
        ("May 2021", "2021", "within"),
        ("3 May 2021", "2021-05-03", "same"),
        ("2021", "2022", "different"),
        ("1990s", "1994", "contains"),
        ("2000-2018", "2012-2018", "different"),
        ("1990s", "1992-1995", "contains"),
        ("May 3", "3 May 2021", "contains"),
        ("May 4", "3 May 2021", "different"),
        ("May 3", "3 May", "same"),
        ("3 May 2021", "May 3", "within"),
        ("October", "2021", "unknown"),
    ],
)
def test_relations(claim: str, source: str, expected: str) -> None:
    assert relation(dates(claim)[0], dates(source)[0]) == expected


def test_the_former_of_two_centuries_is_read() -> None:
    text = "in the 18th - and 19th - century arts of the 1600s"
    assert [(date.year, date.until) for date in dates(text)] == [(1701, 1800), (1801, 1900), (1600, 1699)]


def test_the_1700s_are_the_18th_century() -> None:
    [hundreds], [century] = dates("the 1700s"), dates("the eighteenth century")
    assert relation(hundreds, century) == relation(century, hundreds) == "same"
    assert relation(hundreds, dates("the 1600s")[0]) == "different"
    assert relation(dates("1700s")[0], dates("1710s")[0]) == "contains"
