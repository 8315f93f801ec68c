"""Lists of Word styles, terms with their definitions, and tables of web pages whose cells go over several rows."""

from __future__ import annotations

import io
import zipfile

import pytest

from assay.ingest.lines import normalise
from assay.ingest.load_docx import DocxLoader
from assay.ingest.load_html import HtmlLoader
from assay.ingest.split import PassageSplitter
from assay.nlp.blocks import BlockKind, passage_blocks
from assay.types import Document, Passage

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
STYLES = """<w:style w:styleId="LB"><w:name w:val="List Bullet"/></w:style>
<w:style w:styleId="N"><w:name w:val="Steps"/><w:pPr><w:numPr><w:numId w:val="9"/></w:numPr></w:pPr></w:style>
<w:style w:styleId="N2"><w:name w:val="Own"/><w:basedOn w:val="N"/></w:style>
<w:style w:styleId="H"><w:name w:val="heading 1"/></w:style>"""


def word(*paragraphs: tuple[str, str]) -> bytes:
    """A Word file of paragraphs, each with its style."""
    return packed(
        "".join(
            f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
            for style, text in paragraphs
        )
    )


def packed(body: str, pages: int = 0) -> bytes:
    """A Word file with this body; its properties count the pages."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as file:
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{OFFICE}/officeDocument" '
            'Target="word/document.xml"/>'
            f'<Relationship Id="r2" Type="{OFFICE}/extended-properties" Target="app.xml"/></Relationships>',
        )
        file.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{OFFICE}/styles" Target="styles.xml"/>'
            f'<Relationship Id="r2" Type="{OFFICE}/numbering" Target="numbering.xml"/></Relationships>',
        )
        file.writestr("app.xml", f"<Properties><Pages>{pages}</Pages></Properties>")
        file.writestr("word/styles.xml", f"<w:styles {W}>{STYLES}</w:styles>")
        file.writestr("word/numbering.xml", NUMBERING)
        file.writestr("word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>")
    return written.getvalue()


@pytest.mark.parametrize("style", ["LB", "N", "N2"])
def test_paragraphs_in_the_style_of_a_list_are_its_items(style: str) -> None:
    given = word(("P", "The kitchen needs:"), (style, "rice"), (style, "oil"), ("P", "Order on Mondays."))
    assert DocxLoader().load(given, "x.docx").text == "The kitchen needs:\n- rice\n- oil\n\nOrder on Mondays."


def level(place: int, form: str, text: str) -> str:
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
    )


NUMBERING = f"""<w:numbering {W}>
<w:abstractNum w:abstractNumId="0">{level(0, "decimal", "%1.")}{level(1, "lowerLetter", "%2)")}</w:abstractNum>
<w:abstractNum w:abstractNumId="1">{level(0, "decimal", "%1")}{level(1, "decimal", "%1.%2")}</w:abstractNum>
<w:num w:numId="5"><w:abstractNumId w:val="0"/></w:num>
<w:num w:numId="6"><w:abstractNumId w:val="0"/>
<w:lvlOverride w:ilvl="0"><w:startOverride w:val="3"/></w:lvlOverride></w:num>
<w:num w:numId="7"><w:abstractNumId w:val="1"/></w:num></w:numbering>"""


def test_word_numbers_its_steps_and_headings() -> None:
    def listed(number: int, at: int, text: str, style: str = "P") -> str:
        properties = f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr>'
        return f'<w:p><w:pPr><w:pStyle w:val="{style}"/>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'

    steps = [listed(5, 0, "Boil."), listed(5, 1, "Tap"), listed(5, 1, "Well"), listed(5, 0, "Pour.")]
    body = [
        listed(7, 0, "Tea", "H"),
        listed(7, 1, "Water"),
        *steps,
        listed(6, 0, "Wait."),
        listed(7, 0, "Milk", "H"),
    ]
    assert DocxLoader().load(packed("".join(body)), "x.docx").text == (
        "1 Tea\n- 1.1 Water\n1. Boil.\n   - a) Tap\n   - b) Well\n2. Pour.\n3. Wait.\n\n2 Milk"
    )


@pytest.mark.parametrize(("counted", "pages"), [(3, [1, 2, 3]), (4, [None])])
def test_word_names_its_pages_where_all_of_them_are_marked(counted: int, pages: list[int | None]) -> None:
    new = "<w:lastRenderedPageBreak/>"
    body = (
        f"<w:p><w:r><w:t>One goes </w:t>{new}<w:t>on.</w:t></w:r></w:p><w:p><w:r>{new}<w:t>Two.</w:t></w:r></w:p>"
    )
    loaded = DocxLoader().load(packed(body, counted), "x.docx")
    assert loaded.text == "One goes on.\n\nTwo."
    assert [region.location.page for region in loaded.regions] == pages


def table(*rows: str) -> str:
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def cell(text: str, merged: str = "") -> str:
    return f"<w:tc><w:tcPr>{merged}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"


def test_merged_cells_of_word_name_the_columns_and_rows_that_they_span() -> None:
    begins, goes_on, wide = '<w:vMerge w:val="restart"/>', "<w:vMerge/>", '<w:gridSpan w:val="2"/>'
    body = table(
        cell("Class", begins) + cell("Fee", wide),
        cell("", goes_on) + cell("Member") + cell("Guest"),
        cell("Yoga", begins) + cell("8") + cell("12"),
        cell("", goes_on) + cell("9") + cell("13"),
    )
    assert DocxLoader().load(packed(body), "x.docx").text == (
        "Class | Fee Member | Fee Guest\nYoga | 8 | 12\nYoga | 9 | 13"
    )


def html(body: str) -> str:
    return HtmlLoader().load(f"<body>{body}</body>".encode(), "x.html").text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<dl><dt>A</dt><dd>to 16</dd><dt>B:</dt><dd>above</dd></dl><p>End.</p>", "* A: to 16\n* B: above\n\nEnd."),
        ("<dl><dt>A</dt><dt>B</dt><dd><p>one</p><p>two</p></dd></dl>", "* A, B: one\n\n  two"),
        ("<dl><dt>A</dt><dd></dd></dl><p>End.</p>", "A\n\nEnd."),
    ],
)
def test_a_term_stays_with_its_definition(written: str, read: str) -> None:
    assert html(written) == read


HEAD = "<tr><th rowspan=2>Class</th><th colspan=2>Fee</th></tr><tr><th>Member</th><th>Guest</th></tr>"


@pytest.mark.parametrize(
    ("rows", "read"),
    [
        (
            f"<caption>Fees</caption>{HEAD}<tr><td>Yoga</td><td>8</td><td>12</td></tr>",
            "Fees\n\nClass | Fee Member | Fee Guest\nYoga | 8 | 12",
        ),
        (
            "<tr><th>City</th><th>Day</th></tr><tr><td rowspan=2>Ulm</td><td>Mon</td></tr><tr><td>Tue</td></tr>",
            "City | Day\nUlm | Mon\nUlm | Tue",
        ),
        (
            "<tr><th colspan=2>Tea</th></tr><tr><th>Kind</th><td>green</td></tr><tr><td colspan=2>All.</td></tr>",
            "Tea\nKind | green\nAll.",
        ),
        ("<tr><td colspan=x rowspan=99999>a</td><td>b</td></tr>", "a | b"),
    ],
)
def test_cells_over_several_rows_stand_in_each(rows: str, read: str) -> None:
    assert html(f"<table>{rows}</table>") == read


def passage_of(data: bytes, name: str) -> Passage:
    loader = DocxLoader() if name.endswith("docx") else HtmlLoader()
    loaded = normalise(loader.load(data, name))
    document = Document(name, loaded.text, "", name, loaded.format, "", regions=loaded.regions)
    [passage] = PassageSplitter(lambda text: len(text.split())).split(document)
    return passage


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"<h1>Net</h1><p>It is up.</p><h2>Printer</h2><ol><li>Plug in.</li></ol>", "x.html"),
        (word(("H", "Net"), ("P", "It is up."), ("H", "Printer"), ("LB", "Plug in.")), "x.docx"),
    ],
)
def test_headings_part_the_blocks_of_pages_and_word_files(data: bytes, name: str) -> None:
    found = passage_blocks(passage_of(data, name))
    assert [block.kind for block in found] == [
        BlockKind.HEADING,
        BlockKind.PARAGRAPH,
        BlockKind.HEADING,
        BlockKind.LIST,
    ]
    assert found[3].path[-1] == "Printer"
