"""Ask for one row of a long table, in every format that has tables: is the row among the first three passages?"""

from __future__ import annotations

import io
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import docx
import openpyxl

import assay

HERE = Path(__file__).parent
FIRST = "Nora Ivo Ada Bram Clara Dan Elsa Felix Gil Hugo Ines Jonas Kira Leo Mara Nils Olga Pavel Ros Tim".split()
LAST = "Keller Meyer Adler Brandt Conti Duarte Egger Fabre Gruber Horvat Ilic Jansen Kovac Lehmann Moreau".split()
TOWNS = (
    "Alba Brenn Corda Dunmore Elver Farrow Glint Harrow Isham Jorvik Kelso Lorn Marsh Norden Orsay Perth".split()
)
PARTS = "hinge bolt bracket washer spring valve gasket rotor sleeve bearing flange nozzle".split()
METALS = "brass steel zinc copper nickel bronze tin".split()
TOP = 3


@dataclass(frozen=True, slots=True)
class Table:
    """A table as one file, and the questions on it with words that the row of the answer holds."""

    name: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]]
    asked: list[tuple[str, tuple[str, ...]]]
    write: Callable[[Table], bytes]


def as_csv(table: Table) -> bytes:
    """Commas between cells."""
    return "\n".join(",".join(row) for row in (table.header, *table.rows)).encode()


def as_markdown(table: Table) -> bytes:
    """A pipe table under a heading."""
    rows = ("| " + " | ".join(row) + " |" for row in table.rows)
    rule = "|" + "---|" * len(table.header)
    return "\n".join((f"# {table.name}\n", "| " + " | ".join(table.header) + " |", rule, *rows)).encode()


def as_html(table: Table) -> bytes:
    """A page with nothing but the table."""
    head = "".join(f"<th>{cell}</th>" for cell in table.header)
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in table.rows)
    page = f"<title>{table.name}</title><h1>{table.name}</h1><table><thead><tr>{head}</tr></thead>{rows}</table>"
    return page.encode()


def as_docx(table: Table) -> bytes:
    """A Word table under a heading."""
    document = docx.Document()
    document.add_heading(table.name, 1)
    grid = document.add_table(len(table.rows) + 1, len(table.header))
    cells = (cell for row in (table.header, *table.rows) for cell in row)
    for cell, text in zip(grid._cells, cells, strict=True):
        cell.text = text
    return saved(document)


def as_xlsx(table: Table) -> bytes:
    """One sheet."""
    book = openpyxl.Workbook()
    book.active.title = table.name
    for row in (table.header, *table.rows):
        book.active.append([int(cell) if cell.isdigit() else cell for cell in row])
    return saved(book)


def saved(document: Any) -> bytes:
    """The bytes of a document of python-docx or openpyxl."""
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def tables() -> list[tuple[str, Table]]:
    """The tables with their file names."""
    small = Table("days", ("Name", "Days"), [("Ann", "12"), ("Bob", "9")], [], as_csv)
    small.asked.append(("How many days does Bob have?", ("Bob", "9")))
    staff = [(f"{first} {last}", str(7 + n)) for n, (first, last) in enumerate((f, s) for s in LAST for f in FIRST)]
    wanted = (5, 77, 151, 222, 299)
    leave = Table("leave", ("Employee", "Leave left"), staff, [], as_csv)
    leave.asked.extend((f"How much leave does {staff[n][0]} have left?", staff[n]) for n in wanted)
    stock = [
        (f"{metal} {part}", str(100 + 3 * n))
        for n, (metal, part) in enumerate((m, p) for p in PARTS for m in METALS)
    ]
    stocked = Table("Stock", ("Item", "Pieces on the shelf"), stock, [], as_xlsx)
    stocked.asked.extend((f"How many pieces of the {stock[n][0]} are on the shelf?", stock[n]) for n in (3, 40, 80))
    found = [("Table of stations.md", stations("Stations", "Elevation in metres", "Station", as_markdown))]
    found.append(("tolls.html", stations("Tolls", "Toll in crowns", "Gate", as_html)))
    found.append(("wells.docx", stations("Wells", "Depth in feet", "Well", as_docx)))
    return [("days.csv", small), ("leave.csv", leave), ("stock.xlsx", stocked), *found]


def stations(name: str, measured: str, kind: str, write: Callable[[Table], bytes]) -> Table:
    """80 rows of places with a number each."""
    rows = [
        (f"{town} {side}", str(1000 + 7 * n + len(name)))
        for n, (town, side) in enumerate(
            (t, s) for t in TOWNS for s in ("North", "South", "East", "West", "Centre")
        )
    ]
    table = Table(name, (kind, measured), rows, [], write)
    what, unit = measured.split(" in ")
    table.asked.extend(
        (f"What is the {what.lower()} of the {kind.lower()} {rows[n][0]} in {unit}?", rows[n])
        for n in (2, 41, 63, 79)
    )
    return table


def main() -> int:
    """Print the table, write results/tables.json, return 0 when every row is found with its header."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "files"
        files.mkdir()
        for name, table in tables():
            (files / name).write_bytes(table.write(table))
        with assay.open_engine(data_dir=Path(folder) / "data", models=False) as engine:
            engine.add([files])
            for name, table in tables():
                rows += [asked(engine, name, table, question, cells) for question, cells in table.asked]
    for row in rows:
        print("{file:22} rank {rank!s:>4}  header {header!s:5}  {question}".format(**row))
    good = sum(row["rank"] is not None and row["rank"] <= TOP and row["header"] for row in rows)
    print(f"{good} of {len(rows)} rows are among the first {TOP} passages, with the names of their columns")
    write(rows, good)
    return 0 if good == len(rows) else 1


def asked(engine: assay.Engine, name: str, table: Table, question: str, cells: tuple[str, ...]) -> dict[str, Any]:
    """The rank of the first passage of this file with a line that holds the row's cells."""
    rank, header = None, False
    for place, passage in enumerate(engine.search(question).passages, 1):
        lines = passage.text.splitlines() if Path(passage.source).name == name else []
        if any(all(cell in line for cell in cells) for line in lines):
            rank, header = place, all(column in passage.searched for column in table.header)
            break
    return {"file": name, "question": question, "rank": rank, "header": header}


def write(rows: list[dict[str, Any]], good: int) -> None:
    """The numbers with what they were measured on."""
    revision = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    result = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": revision.stdout.strip(),
        "machine": {"python": platform.python_version(), "cpus": os.cpu_count(), "system": platform.system()},
        "questions": len(rows),
        "among_the_first_3_with_header": good,
        "rows": rows,
    }
    target = HERE / "results" / "tables.json"
    target.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
