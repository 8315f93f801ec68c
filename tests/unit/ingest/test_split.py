"""Where passages begin and end, and what each keeps of its surroundings: places, lines, the header of a table."""

from __future__ import annotations

import pytest

from assay.ingest.load_html import HtmlLoader
from assay.ingest.load_text import CsvLoader, MarkdownLoader
from assay.ingest.split import PassageSplitter
from assay.types import Document, Loaded, Location, Passage, Place, Region

ROWS = [f"| Person{n} | {n} |" for n in range(80)]
TABLE = "\n".join(["# Leave", "", "Each person's days:", "", "| Name | Days |", "|------|-----:|", *ROWS, ""])


def split(loaded: Loaded, size: int = 40) -> tuple[Passage, ...]:
    """The passages of what was read; a token is a word."""
    document = Document("d", loaded.text, "Title", "/d", loaded.format, "", loaded.regions)
    return PassageSplitter(lambda text: len(text.split()), size=size, limit=size * 5 // 4).split(document)


def test_an_offset_has_the_page_that_it_stands_on() -> None:
    regions = (Region(0, 10, Location(page=1)), Region(12, 22, Location(page=2)), Region(22, 30, Location(page=2)))
    (passage,) = split(Loaded("It rained.\n\nIt snowed. It froze.", "pdf", regions=regions))
    assert passage.places == (Place(0, Location(page=1)), Place(12, Location(page=2)))
    assert [passage.location_at(at).page for at in (0, 11, 12, 25)] == [1, 1, 2, 2]
    assert passage.location == Location(page=1)
    assert passage.line is None


def test_what_stands_before_the_first_region_has_no_location() -> None:
    (passage,) = split(Loaded("Preface. It rained.", "pdf", regions=(Region(9, 19, Location(page=1)),)))
    assert [passage.location_at(at).page for at in (0, 9)] == [None, 1]


def test_one_location_throughout_needs_no_places() -> None:
    (passage,) = split(Loaded("It rained.", "pdf", regions=(Region(0, 10, Location(page=4)),)))
    assert passage.places == ()
    assert passage.location_at(5).page == 4


def test_the_line_of_a_quote_is_that_of_the_file() -> None:
    loaded = MarkdownLoader().load(TABLE.encode(), "leave.md")
    lines = loaded.text.split("\n")
    for passage in split(loaded):
        at = passage.start + passage.text.rfind("| Person")
        assert lines[(passage.line_at(at) or 0) - 1].startswith("| Person")
        assert loaded.text.startswith(lines[(passage.line_at(at) or 0) - 1], at)


def test_a_row_of_a_markdown_table_keeps_its_header() -> None:
    loaded = MarkdownLoader().load(TABLE.encode(), "leave.md")
    first, *later = split(loaded)
    assert "".join(passage.text for passage in (first, *later)) == TABLE.strip()
    assert "Each person's days:\n\n| Name | Days |\n|------|-----:|\n| Person0 |" in first.text
    assert first.header == ""
    assert {passage.header for passage in later} == {"| Name | Days |"}
    assert all(passage.text.startswith("| Person") and passage.text.endswith("|\n") for passage in later[:-1])
    assert later[0].searched.startswith("| Name | Days |\n| Person")


def test_rows_and_their_header_fit_the_model_together() -> None:
    header = "| " + " | ".join(f"column {n}" for n in range(20)) + " |"
    table = "\n".join([header, "|" + "---|" * 20, *("| " + " | ".join("abcdefghij") + " |" for _ in range(20))])
    passages = split(MarkdownLoader().load(table.encode(), "wide.md"), size=80)
    assert len(passages) > 2
    assert all(passage.header and header.startswith(passage.header) for passage in passages[1:])
    assert all(len(passage.searched.split()) < 100 for passage in passages[1:])


def test_two_tables_of_a_page_have_each_its_own_header() -> None:
    def table(name: str) -> str:
        rows = "".join(f"<tr><td>{name} {n}<td>{n}" for n in range(30))
        return f"<table><tr><th>{name}<th>Count{rows}</table>"

    passages = split(HtmlLoader().load(f"<p>Stock.</p>{table('Lamp')}{table('Chair')}".encode(), "stock.html"))
    for passage in passages:
        first_line = passage.text.split("\n")[0]
        if passage.header:
            assert first_line.startswith(passage.header.split(" | ")[0])
        else:
            assert not first_line[-1].isdigit()


@pytest.mark.parametrize("rows", [2, 300])
def test_each_row_of_a_csv_file_names_its_columns_and_is_whole(rows: int) -> None:
    data = "Name,Days\n" + "".join(f"Person{n},{n}\n" for n in range(rows))
    passages = split(CsvLoader().load(data.encode(), "leave.csv"))
    assert passages[0].text.startswith("Name | Days\nName: Person0; Days: 0")
    for passage in passages[1:]:
        assert passage.header == ""
        assert all(line.startswith("Name: ") and "; Days: " in line for line in passage.text.strip().split("\n"))
        row = int(passage.text.split("; Days: ")[0].removeprefix("Name: Person")) + 2
        assert passage.location_at(passage.start).row == row


def test_a_line_that_leads_to_a_list_stays_with_its_first_item() -> None:
    items = "\n".join(f"- item {n} of the list that follows it" for n in range(10))
    for filler in range(1, 60):
        text = f"{'Word ' * filler}ends here.\n\nDo this:\n\n{items}\n"
        for passage in split(MarkdownLoader().load(text.encode(), "steps.md"), size=30):
            assert not passage.text.rstrip().endswith("Do this:")


def test_empty_cells_keep_the_columns_apart() -> None:
    page = b"<table><tr><th>Name<th>Leave<th>Days<tr><td>Ann<td><td>12</table>"
    assert HtmlLoader().load(page, "x.html").text == "Name | Leave | Days\nAnn |  | 12"


def test_years_may_name_columns() -> None:
    assert CsvLoader().load(b"City,2019,2020\nUlm,126000,127000\n", "x.csv").text == (
        "City | 2019 | 2020\nCity: Ulm; 2019: 126000; 2020: 127000"
    )
