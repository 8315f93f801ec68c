"""Each loader on files that the usual libraries write."""

from __future__ import annotations

import io
import zipfile
from datetime import date
from email.message import EmailMessage
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from assay.errors import EmptyDocument, UnreadableDocument
from assay.ingest.detect import AnyLoader
from assay.ingest.load_pdf import PdfLoader
from assay.ingest.loaders import LOADERS
from assay.ingest.split import PassageSplitter
from assay.types import Document, Loaded


def load(data: bytes | str, name: str = "file") -> Loaded:
    return AnyLoader(LOADERS).load(data.encode() if isinstance(data, str) else data, name)


def saved(document: Any) -> bytes:
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def place_of(loaded: Loaded, words: str) -> str:
    """The location of the region that holds the words."""
    at = loaded.text.index(words)
    return next(str(region.location) for region in loaded.regions if region.start <= at < region.end)


# --- Word --------------------------------------------------------------------------------------


def word_document() -> Any:
    document = docx.Document()
    document.add_heading("Water", 1)
    document.add_paragraph("It boils at 100 °C.")
    document.add_heading("Ice", 2)
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Phase", "Density", "ice", "917"), strict=True):
        cell.text = text
    document.add_paragraph("After the table.")
    document.sections[0].header.paragraphs[0].text = "Chemistry notes"
    return document


def test_word_keeps_the_order_of_paragraphs_and_tables_under_their_headings() -> None:
    loaded = load(saved(word_document()))
    assert loaded.format == "docx"
    assert loaded.text == (
        "Chemistry notes\n\nWater\n\nIt boils at 100 °C.\n\nIce\n\nPhase | Density\nice | 917\n\nAfter the table."
    )
    assert place_of(loaded, "917") == "Water > Ice"
    assert loaded.title == "Water"


def test_word_keeps_links_content_controls_and_leaves_deletions_out() -> None:
    document = docx.Document()
    body = document.element.body
    w = nsdecls("w")
    for xml in (
        f"<w:p {w}><w:r><w:t>See </w:t></w:r><w:hyperlink><w:r><w:t>the page</w:t></w:r></w:hyperlink></w:p>",
        f"<w:sdt {w}><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p></w:sdtContent></w:sdt>",
        f"<w:p {w}><w:del><w:r><w:t>gone</w:t></w:r></w:del><w:r><w:t>kept</w:t></w:r></w:p>",
    ):
        body.insert(len(body) - 1, parse_xml(xml))
    assert load(saved(document)).text == "See the page\n\nIn a control.\n\nkept"


def test_word_without_text_is_empty() -> None:
    with pytest.raises(EmptyDocument, match="no text in it"):
        load(saved(docx.Document()))


# --- presentations -----------------------------------------------------------------------------


def test_presentations_give_titles_shapes_in_groups_tables_and_notes() -> None:
    deck = pptx.Presentation()
    for title in ("First", "Second"):
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = title
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "In a group"
    table = slide.shapes.add_table(1, 2, 0, 0, Inches(2), Inches(1)).table
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    slide.notes_slide.notes_text_frame.text = "Say it slowly."
    loaded = load(saved(deck))
    assert loaded.text == "First\n\nSecond\n\nIn a group\n\nleft | right\n\nNotes: Say it slowly."
    assert place_of(loaded, "slowly") == "slide 2, Second"
    assert loaded.title == "First"


def test_charts_are_tables_and_lists_have_numbers_on_slides() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["May", "June"]
    data.add_series("Tea", (0.25, 0.5))
    data.add_series("Milk", (0.75, 0.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, Inches(3), Inches(3), data)
    frame = slide.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame
    for paragraph, text in ((frame.paragraphs[0], "Boil"), (frame.add_paragraph(), "Pour")):
        paragraph.text = text
        properties = paragraph._p.get_or_add_pPr()
        properties.append(parse_xml(f'<a:buAutoNum {nsdecls("a")} type="arabicPeriod" startAt="3"/>'))
    assert load(saved(deck)).text == "| Tea | Milk\nMay | 25.0% | 75.0%\nJune | 50.0% | 50.0%\n\n3. Boil\n4. Pour"


def test_a_presentation_without_slides_is_empty() -> None:
    with pytest.raises(EmptyDocument, match="no slides"):
        load(saved(pptx.Presentation()))


# --- spreadsheets ------------------------------------------------------------------------------


def test_spreadsheets_name_each_value_and_show_dates_and_percentages() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Sales"
    sheet.append(["Day", "Item", "Share"])
    sheet.append([date(2024, 4, 5), "Lamp", 0.155])
    sheet["C2"].number_format = "0.0%"
    other = book.create_sheet("Notes")
    other["B3"] = "only a remark"
    loaded = load(saved(book))
    assert loaded.text == (
        "Sales\n\nDay | Item | Share\nDay: 2024-04-05; Item: Lamp; Share: 15.5%\n\nNotes\n\nonly a remark"
    )
    assert place_of(loaded, "Lamp") == "sheet Sales, row 2"
    assert place_of(loaded, "remark") == "sheet Notes, row 3"


def test_spreadsheets_begin_a_table_anew_behind_a_gap() -> None:
    book = openpyxl.Workbook()
    for cell, value in {"A1": "a", "B1": "b", "A2": 1, "B2": 2, "A5": "c", "B5": "d", "A6": 3, "B6": 4}.items():
        book.active[cell] = value
    assert load(saved(book)).text == "Sheet\n\na | b\na: 1; b: 2\n\nc | d\nc: 3; d: 4"


def test_what_stands_above_a_table_leads_its_rows_and_amounts_have_their_currency() -> None:
    book = openpyxl.Workbook()
    for row in (["Price list"], ["net, in EUR"], ["Item", "Price"], ["Tea", 3.5], ["Milk", -2]):
        book.active.append(row)
    for cell in ("B4", "B5"):
        book.active[cell].number_format = '#,##0.00\\ "€"'
    loaded = load(saved(book))
    assert loaded.text.split("\n")[2:] == [
        "Price list",
        "net, in EUR",
        "Item | Price",
        "Item: Tea; Price: 3.50 €",
        "Item: Milk; Price: -2.00 €",
    ]
    assert place_of(loaded, "Milk") == "sheet Sheet, row 5, Price list > net, in EUR"


def test_merged_cells_name_the_columns_and_rows_that_they_span() -> None:
    book = openpyxl.Workbook()
    rows = (
        ["City", "2024", "", "2025", ""],
        ["", "North", "South", "North", "South"],
        ["Ulm", 1, 2, 3, 4],
        ["", 5],
    )
    for row in rows:
        book.active.append(row)
    for cells in ("A1:A2", "B1:C1", "D1:E1", "A3:A4"):
        book.active.merge_cells(cells)
    assert load(saved(book)).text.split("\n")[-2:] == [
        "City: Ulm; 2024 North: 1; 2024 South: 2; 2025 North: 3; 2025 South: 4",
        "City: Ulm; 2024 North: 5",
    ]


def test_an_empty_spreadsheet_is_empty() -> None:
    with pytest.raises(EmptyDocument):
        load(saved(openpyxl.Workbook()))


# --- tables as text ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("a,b,c\n1,2,3\n4,5,6\n", "a | b | c\na: 1; b: 2; c: 3\na: 4; b: 5; c: 6"),
        ("a\tb\n1\t2\n3\t4\n", "a | b\na: 1; b: 2\na: 3; b: 4"),
        ("nom;prix\ncafé;3,50 €\n".encode("cp1252").decode("latin-1"), None),
        ("id,id,,text\n1,2,3,hello\n", "id | id | text\nid: 1; id (2): 2; column 3: 3; text: hello"),
        ("a,b\n1,2,3\n4\n", "a | b\na: 1; b: 2; 3\na: 4"),
        ('a,b\n"never,closed\n', "a | b\na: never,closed"),
        ("1,2\n3,4\n", "1 | 2\n3 | 4"),
    ],
)
def test_rows_become_lines_that_name_their_columns(data: str, text: str | None) -> None:
    if text is None:
        assert load(data.encode("latin-1"), "x.csv").text == "nom | prix\nnom: café; prix: 3,50 €"
    else:
        assert load(data, "x.csv").text == text


def test_a_cell_may_be_larger_than_the_csv_module_allows_by_default() -> None:
    loaded = load("id,text\n1," + "word " * 50_000 + "\n", "x.csv")
    assert len(loaded.text) > 200_000
    assert place_of(loaded, "word word") == "row 2"


# --- HTML --------------------------------------------------------------------------------------

PAGE = """<!doctype html><html><head><title>Tea - The Site</title><script>var x = 1;</script></head><body>
<nav><a href="/">Home</a></nav><header><a>The Site</a></header>
<main><h1>Tea</h1><p>Green tea<br>has <b>2&nbsp;%</b> caffeine.</p>
<!-- a comment -->and more<h2>Making it</h2><ul><li>Boil <i>water</i></li><li>Wait</li></ul>
<table><tr><th>Kind</th><th>Minutes</th></tr><tr><td>green</td><td>2</td></tr></table>
<div style="display: none">hidden</div><pre>a  b
c</pre></main><footer>© The Site</footer></body></html>"""


def test_a_page_gives_its_main_content_in_order() -> None:
    loaded = load(PAGE)
    assert loaded.title == "Tea"
    assert loaded.text == (
        "Tea\n\nGreen tea\nhas 2\u00a0% caffeine.\n\nand more\n\nMaking it\n\n- Boil water\n- Wait\n\n"
        "Kind | Minutes\ngreen | 2\n\n```\na  b\nc\n```"
    )
    assert place_of(loaded, "green |") == "Tea > Making it"


def test_a_page_of_scripts_is_empty() -> None:
    with pytest.raises(EmptyDocument, match="no visible text"):
        load("<html><head><script>" + "var a = 1;" * 1000 + "</script></head><body></body></html>")


def test_a_page_may_declare_its_encoding() -> None:
    page = '<html><head><meta charset="windows-1251"></head><body><p>Привет, мир, как дела?</p></body></html>'
    assert load(page.encode("cp1251")).text == "Привет, мир, как дела?"


def test_what_follows_the_first_end_of_the_page_is_not_lost() -> None:
    assert load("<html><body><p>one</p></body></html>" * 3).text.count("one") == 3


# --- books, mail, JSON -------------------------------------------------------------------------


def book(spine: str = '<itemref idref="b"/><itemref idref="a"/>') -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="in/p.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "in/p.opf",
            '<package xmlns:dc="d"><metadata><dc:title>The Book</dc:title></metadata><manifest>'
            '<item id="a" href="one%20page.xhtml"/><item id="b" href="two.xhtml"/>'
            '<item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
            f"<spine>{spine}</spine></package>",
        )
        archive.writestr("in/one page.xhtml", "<html><body><h1>Last</h1><p>The end.</p></body></html>")
        archive.writestr("in/two.xhtml", "<html><body><p>The beginning.</p></body></html>")
        archive.writestr(
            "in/toc.ncx",
            "<ncx><navMap><navPoint><navLabel><text>Chapter One</text></navLabel>"
            '<content src="two.xhtml#x"/></navPoint></navMap></ncx>',
        )
    return out.getvalue()


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    loaded = load(book())
    assert (loaded.title, loaded.text) == ("The Book", "The beginning.\n\nLast\n\nThe end.")
    assert place_of(loaded, "beginning") == "Chapter One"
    assert place_of(loaded, "end.") == "Last"


def test_a_book_without_a_list_of_parts_is_unreadable() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x.xhtml", "<p>x</p>")
    with pytest.raises(UnreadableDocument, match="META-INF"):
        load(out.getvalue(), "x.epub")


def test_mail_gives_its_headers_body_and_attachments() -> None:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Plan für Q4", "a@example.com", "b@example.com"
    message.set_content("The plan is ready.\n")
    message.add_alternative("<p>The plan is <b>ready</b>.</p>", subtype="html")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="plan.pdf")
    loaded = load(message.as_bytes())
    assert loaded.format == "mail"
    assert loaded.title == "Plan für Q4"
    assert loaded.text.endswith("The plan is ready.\n\nAttached: plan.pdf")


def test_lines_that_are_no_json_are_left_out_with_a_warning() -> None:
    loaded = load('{"a": 1}\n{"b": \nnull\n{"c": 3}\n', "x.json")
    assert loaded.text == "a: 1\n\nc: 3"
    assert loaded.warnings == ("1 line left out: no JSON",)


def test_text_under_the_name_of_another_format_is_read_with_a_warning() -> None:
    assert load("<html><body><p>Not found.</p></body></html>", "rent.PDF").warnings == (
        "no .PDF file, read as html",
    )
    assert load("It rained.", "rent.txt").warnings == ()


def test_json_lines_without_texts_are_records_of_one_document() -> None:
    loaded = load('{"city": "Ulm", "tags": ["a", "b"]}\n{"city": "Bonn", "open": true}\n')
    assert loaded.format == "json"
    assert loaded.text == "city: Ulm\ntags: a\ntags: b\n\ncity: Bonn\nopen: true"
    assert place_of(loaded, "Bonn") == "row 2"


def test_a_lone_surrogate_goes_out() -> None:
    assert load('{"text": "broken \\ud800 surrogate"}').text == "text: broken  surrogate"


# --- PDF ---------------------------------------------------------------------------------------


def pdf(*pages: str) -> bytes:
    """A PDF with one line of text a line, in the standard font Helvetica."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for page in pages:
        lines = (f"{line} TJ" if line.startswith("[") else f"({line}) Tj" for line in page.split("\n"))
        shown = "".join(f"0 -14 Td {line} " for line in lines)
        stream = f"BT /F1 11 Tf 50 780 Td {shown}ET" if page else ""
        objects.append(f"<< /Length {len(stream)} >> stream\n{stream}\nendstream")
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    body = "".join(f"{number} 0 obj\n{each}\nendobj\n" for number, each in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer << /Root 1 0 R >>\n%%EOF".encode("latin-1")


def test_pdf_pages_are_regions_and_broken_lines_are_joined() -> None:
    first = (
        "The margin broke this rather long line of text right be-\nfore its end, and the next line goes on with it."
    )
    loaded = load(pdf(first, "Second page."))
    assert loaded.text == first.replace("be-\nfore", "before") + "\n\nSecond page."
    assert place_of(loaded, "Second") == "page 2"


def test_a_sentence_goes_on_over_the_end_of_a_page() -> None:
    loaded = PdfLoader().load(pdf("Masters tell the harbour", "six hours before they come.", "Next."), "x.pdf")
    assert loaded.text == "Masters tell the harbour six hours before they come.\n\nNext."
    assert [(region.location.page, loaded.text[region.start : region.end]) for region in loaded.regions] == [
        (1, "Masters tell the harbour"),
        (2, "six hours before they come."),
        (3, "Next."),
    ]
    document = Document("x.pdf", loaded.text, "", "x.pdf", "pdf", "", regions=loaded.regions)
    found = PassageSplitter(lambda text: len(text.split()), size=6, limit=12).split(document)
    assert found[0].text.startswith("Masters tell the harbour six hours before they come.")


def test_accents_of_a_pdf_stand_on_the_letters_that_they_are_drawn_over() -> None:
    # As TeX draws them: beside the letter in the file, moved over it on the page.
    over_o = "[(Sch) -112 (\\310) 445 (opf, a quote: \\301a\\301, 5 \\303 2)]"
    over_u = "[(fur alle) 2611 (\\310) -2278 ( Tage)]"
    assert load(pdf(f"{over_o}\n{over_u}")).text == "Sch\u00f6pf, a quote: `a`, 5 \u02c6 2 f\u00fcr alle Tage"


def test_bullets_of_a_pdf_are_those_of_a_list() -> None:
    assert load(pdf("You need:\n\\267 water\n\\267 leaves\nand a cup.")).text == (
        "You need:\n- water\n- leaves\nand a cup."
    )


def test_a_pdf_without_text_says_that_it_may_be_a_scan() -> None:
    with pytest.raises(EmptyDocument, match="no text layer"):
        load(pdf("", ""))
