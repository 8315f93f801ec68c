"""Documents as people write, export and save them: CSV, Word without styles, saved pages, reStructuredText."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt

from assay.ingest.detect import AnyLoader
from assay.ingest.load_text import TextLoader, delimiter_of
from assay.ingest.loaders import LOADERS
from assay.ingest.split import PassageSplitter
from assay.nlp.blocks import BlockKind, passage_blocks
from assay.types import Document, Passage


def text_of(data: bytes | str, name: str) -> str:
    return AnyLoader(LOADERS).load(data.encode() if isinstance(data, str) else data, name).text


def passage_of(data: bytes | str, name: str) -> Passage:
    loaded = AnyLoader(LOADERS).load(data.encode() if isinstance(data, str) else data, name)
    document = Document(name, loaded.text, "", name, loaded.format, "", regions=loaded.regions)
    [passage] = PassageSplitter(lambda text: len(text.split())).split(document)
    return passage


def blocks_of(data: bytes | str, name: str) -> list[tuple[str, str]]:
    passage = passage_of(data, name)
    return [(block.kind.value, passage.text[block.start : block.end]) for block in passage_blocks(passage)]


# --- tables ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("Produkt;Preis;Lager\nSchraube M4;0,12;4000\n", ";"),
        ("Name, Vorname;Alter\nBerg, Anna;30\nAdler, Tom;28\n", ";"),  # a comma in each row, too
        ("Name\tGehalt\nBerg, Anna\t4.200,50\nAdler, Tom\t3.150,00\n", "\t"),
        ('name,note\nAnn,"one; two; three"\nBob,"four; five; six"\n', ","),  # the others stand in quotes
        ("id,tags\n1,a;b\n2,c;d\n", ","),
        ("code|label|price\nA|Tea, green|3,50\nB|Tea, black|2,80\n", "|"),
        ("Konto;DE1\nZeitraum;März\n\nTag;Wer;Betrag\n1.3.;Ulm;-4,30\n2.3.;Bonn;9,95\n", ";"),
        ('a;b\n"x\ny";1,5\n"z";2,5\n', ";"),  # a cell of two lines
        ("only one column\nof words\n", ","),
    ],
)
def test_the_delimiter_is_the_one_that_cuts_the_rows(text: str, delimiter: str) -> None:
    assert delimiter_of(text) == delimiter


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("sep=;\r\nProdukt;Preis\r\nMutter;0,08\r\n", "Produkt | Preis\nProdukt: Mutter; Preis: 0,08"),
        (
            "Konto:;Ulm GmbH\n\nTag;Wer;Betrag\n4.3.;Stadtwerke;-214,30\n",
            "Konto: Ulm GmbH\n\nTag | Wer | Betrag\nTag: 4.3.; Wer: Stadtwerke; Betrag: -214,30",
        ),
        (
            "Fleet 2024\nPlate,Model,Driver\nW-1,Kangoo,Lara\n",
            "Fleet 2024\nPlate | Model | Driver\nPlate: W-1; Model: Kangoo; Driver: Lara",
        ),
    ],
)
def test_what_an_export_writes_above_its_table_names_no_columns(data: str, text: str) -> None:
    assert text_of(data, "x.csv") == text


def test_each_record_in_json_is_a_block_of_rows() -> None:
    ticket = {
        "id": 7,
        "title": "Full disk",
        "comments": [{"by": "Ben", "text": "Cleared."}, {"by": "Yuki", "text": "Ok."}],
    }
    assert blocks_of(json.dumps(ticket), "x.json") == [
        ("table", "id: 7\ntitle: Full disk"),
        ("table", "comments.by: Ben\ncomments.text: Cleared."),
        ("table", "comments.by: Yuki\ncomments.text: Ok."),
    ]


# --- Word --------------------------------------------------------------------------------------


def word(write: Callable[[Any], None]) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    write(document)
    document.save(out)
    return out.getvalue()


def bold(document: Any, text: str, size: float | None = None) -> Any:
    paragraph = document.add_paragraph()
    run = paragraph.add_run(text)
    run.bold = True
    run.font.size = Pt(size) if size else None
    return paragraph


def numbered(paragraph: Any, depth: int) -> None:
    numbering = OxmlElement("w:numPr")
    for name, value in (("w:ilvl", depth), ("w:numId", 1)):
        element = OxmlElement(name)
        element.set(qn("w:val"), str(value))
        numbering.append(element)
    paragraph._p.get_or_add_pPr().append(numbering)


def manual(document: Any) -> None:
    bold(document, "Clean room", 20)
    document.add_paragraph("For building 7.")
    bold(document, "Entering")
    document.add_paragraph("Before you enter:")
    for text in ("put on shoe covers", "wash your hands"):
        document.add_paragraph(text, style="List Number")
    mixed = bold(document, "Warning:")
    mixed.add_run(" keep the door shut")
    bold(document, "It is never open.")
    document.add_paragraph("– and never")
    document.add_paragraph("• at night")
    bold(document, "3. Waste")
    for text, depth in (("glass", 0), ("white glass", 1), ("paper", 0)):
        numbered(document.add_paragraph(text), depth)


def test_short_bold_paragraphs_of_word_are_headings_and_lists_nest() -> None:
    passage = passage_of(word(manual), "x.docx")
    found = passage_blocks(passage)
    assert [(block.title, block.path) for block in found if block.kind is BlockKind.HEADING] == [
        ("Clean room", ()),
        ("Entering", ("Clean room",)),
        ("3. Waste", ("Clean room",)),
    ]
    steps, typed, waste = (block for block in found if block.kind is BlockKind.LIST)
    assert (len(steps.items), steps.path[-1]) == (2, "Entering")
    assert passage.text[typed.start : typed.end] == "- and never\n- at night"
    assert passage.text[waste.start : waste.end] == "- glass\n  - white glass\n- paper"


def test_bold_says_nothing_where_nearly_all_is_bold_and_in_items_of_a_list() -> None:
    def write(document: Any) -> None:
        for text in ("Opening hours", "Monday to Friday", "Closed in May"):
            bold(document, text)

    assert [kind for kind, _ in blocks_of(word(write), "x.docx")] == ["paragraph"] * 3

    def listed(document: Any) -> None:
        document.add_paragraph("We need:")
        for text in ("rice", "oil"):
            numbered(bold(document, text), 0)
        document.add_paragraph("Order on Mondays.")
        document.add_paragraph("Or call.")

    assert ("list", "- rice") in blocks_of(word(listed), "x.docx")


# --- web pages ---------------------------------------------------------------------------------


def page(body: str) -> str:
    return f"<html><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('<div class="cc-window consent">We use cookies.</div><h1>A</h1><p>It is.</p>', "A\n\nIt is."),
        ('<div><a href="/a">Log in</a> | <a href="/b">Help</a></div><h1>A</h1><p>It is.</p>', "A\n\nIt is."),
        ('<h1>A</h1><p>It is.</p><div id="footer">Made by hand</div>', "A\n\nIt is."),
        ('<h1>A</h1><p>It is.</p><div class="panel-footer">Open in May.</div>', "A\n\nIt is.\n\nOpen in May."),
        ('<h1>A</h1><p>Level -2<sup><a href="#f1">1</a></sup>, 5 m<sup>2</sup>.</p>', "A\n\nLevel -2, 5 m2."),
        ('<h1>A<a class="headerlink" href="#a">¶</a></h1><p>Shut. <a href="#r1">↩</a></p>', "A\n\nShut."),
        (
            "<h1>A</h1><p>Dear {{ user.name }}, it is.</p><pre>{{ kept }}</pre>",
            "A\n\nDear , it is.\n\n```\n{{ kept }}\n```",
        ),
        ('<h1>A</h1><p>It <img alt="A map" src="m.png">is.</p>', "A\n\nIt is."),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ol><li><p>a</p><p>more</p></li><li>c</li></ol>", "1. a\n\n   more\n2. c"),
        ("<ul><li>a</li></ul><ul><li>b</li></ul><ol><li>c</li></ol>", "- a\n\n+ b\n\n1. c"),
        ("<ol><li>a</li></ol><ol start=2><li>b</li></ol>", "1. a\n2. b"),
        (
            "<ol start=10><li>a<ul><li>b<ol type=i><li>c</li></ol></li></ul></li><li value=20>d</li></ol>",
            "10. a\n    - b\n      - i. c\n20. d",
        ),
    ],
)
def test_saved_pages_without_what_stands_around_their_content(body: str, text: str) -> None:
    assert text_of(page(body), "x.html") == text


def test_a_table_of_a_page_is_a_table_under_its_heading() -> None:
    rows = "<tr><th>Room</th><th>Seats</th></tr><tr><th>Oak</th><td>12</td></tr>"
    found = blocks_of(page(f"<h1>Rooms</h1><p>See below.</p><table>{rows}</table>"), "x.html")
    assert found == [("heading", "Rooms"), ("paragraph", "See below."), ("table", "Room | Seats\nOak | 12")]


def test_a_signature_of_a_mail_makes_no_heading() -> None:
    head = "From: a@b.example\nTo: c@d.example\nSubject: Offer\n\n"
    mail = f"{head}It costs 5 euros.\n\nRegards\nClara\n-- \nPrint Ltd\n"
    assert [kind for kind, _ in blocks_of(mail, "x.eml")] == ["table", "paragraph", "paragraph", "paragraph"]


# --- reStructuredText --------------------------------------------------------------------------

MANUAL = """
=======
Bakery
=======

:Author: Jo Finch
:Version: 1.3

.. contents::

.. _dough:

Dough
=====

Feed it *twice* a day, see :ref:`the ovens <ovens>` and `tea <https://t.example>`_ [#n]_.

.. note::
   Use warm water.

.. image:: a.png
   :alt: A picture

Run::

   proof --hours 12

Before you leave:

#. Switch off the mixers,
   all of them.
#. Lock the doors.

   - front
   - back

crumb
   What is left.

========  =====
Bread     Time
========  =====
Baguette  22
========  =====

+-----+-----+
| A   | B   |
+=====+=====+
| one | two |
|     | too |
+-----+-----+

.. list-table:: Prices
   :header-rows: 1

   * - Item
     - Price
   * - Roll
     - 0.60

.. a comment
   that goes on

.. [#n] In winter it takes an hour.
"""


def test_a_manual_in_rst_is_read_without_its_signs() -> None:
    loaded = AnyLoader(LOADERS).load(MANUAL.encode(), "x.rst")
    assert (loaded.format, loaded.title) == ("rst", "Bakery")
    assert loaded.text.split("\n\n") == [
        "Bakery",
        "Author: Jo Finch\nVersion: 1.3",
        "Dough",
        "Feed it twice a day, see the ovens and tea.",
        "Use warm water.",
        "Run:",
        "```\nproof --hours 12\n```",
        "Before you leave:",
        "1. Switch off the mixers, all of them.\n2. Lock the doors.",
        "   - front\n   - back",
        "* crumb: What is left.",
        "Bread | Time\nBaguette | 22",
        "A | B\none | two too",
        "Prices",
        "Item | Price\nRoll | 0.60",
        "In winter it takes an hour.",
    ]
    assert str(loaded.regions[-1].location) == "Bakery > Dough"


def test_rst_of_any_depth_is_read() -> None:
    deep = "\n\n".join(" " * depth + f"- item {depth}" for depth in range(300))
    assert text_of(deep, "x.rst").count("item") == 300


def test_short_lines_over_prose_are_headings_of_a_plain_text() -> None:
    text = (
        "LIBRARY RULES\n\nOpening hours\nThe library is open from nine to six on weekdays.\n\n"
        "Loans\n\nBooks are lent for four weeks, and once more if nobody waits.\n"
    )
    loaded = TextLoader().load(text.encode(), "rules.txt")
    heads = [text[region.start : region.end].strip() for region in loaded.regions if region.kind == "heading"]
    assert (loaded.title, heads) == ("LIBRARY RULES", ["LIBRARY RULES", "Opening hours", "Loans"])
    assert loaded.regions[-1].location.section == "LIBRARY RULES > Loans"


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ben\nThank you.\n\nYours\nAda Holt\n",
        "Rent: 900\nHeat: 80\n\nSum: 980\nPaid by Ada on the third of May, as she says.\n",
        "The tower was built by Ada Holt.\n\nIt is open.\n\nBen lives there and keeps the keys of the house.\n",
        "Milk\n\nBread\n\nTea\n",
    ],
)
def test_letters_lists_and_sentences_have_no_headings(text: str) -> None:
    assert TextLoader().load(text.encode(), "note.txt").regions == ()
