"""PDF files written by hand: pages of lines in Helvetica, turned and cropped as told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT, SIZE, LEADING, MARGIN = 612, 792, 12, 16, 72


@dataclass(frozen=True, slots=True)
class Page:
    """Lines from the top margin on; `extra` goes into the page's dictionary."""

    lines: Sequence[str]
    extra: str = ""
    left: int = MARGIN


def pdf_of(*pages: Page, outline: Sequence[tuple[str, int]] = ()) -> bytes:
    """The file, with its table of objects, so that no reader has to repair it; `outline`: titles and pages."""
    marks = 4 + 2 * len(pages)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R " + (b"/Outlines %d 0 R >>" % marks if outline else b">>"),
        f"<< /Type /Pages /Kids [{' '.join(f'{4 + 2 * at} 0 R' for at in range(len(pages)))}] "
        f"/Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for at, page in enumerate(pages):
        content = _content(page)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {5 + 2 * at} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> {page.extra} >>".encode()
        )
        objects.append(b"<< /Length %d >> stream\n%s\nendstream" % (len(content), content))
    if outline:
        last = marks + len(outline)
        objects.append(f"<< /First {marks + 1} 0 R /Last {last} 0 R /Count {len(outline)} >>".encode())
        for at, (title, number) in enumerate(outline, marks + 1):
            onward = f"/Next {at + 1} 0 R" if at < last else ""
            page_object = 4 + 2 * (number - 1)
            objects.append(
                f"<< /Title ({title}) /Parent {marks} 0 R /Dest [{page_object} 0 R /Fit] {onward} >>".encode()
            )
    out, places = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, start)
    return bytes(out)


def _content(page: Page) -> bytes:
    lines = [line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)") for line in page.lines]
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    top = HEIGHT - MARGIN
    return f"BT /F1 {SIZE} Tf {LEADING} TL {page.left} {top} Td {shown} ET".encode("cp1252")
