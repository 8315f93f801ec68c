"""PDF: the text layer, page by page, its lines joined to paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from assay.errors import EmptyDocument, UnreadableDocument
from assay.ingest.outline import Blocks, Outline
from assay.ingest.pdf_accents import with_accents, with_letters
from assay.ingest.pdf_edges import without_edges
from assay.ingest.pdf_outline import Entry, Stretch, outline_of, stretches, without_contents
from assay.nlp.publication_date import date_of
from assay.types import Loaded, Location, Metadata

_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD in fpdfview.h
_MOST_PAGES = 20_000
# pdfium writes a hyphen that a line break made as U+FFFE (older versions as U+0002).
# Lengths are bounded, so that a run of letters and hyphens takes linear time.
_BROKEN_WORD = re.compile(r"([^\W_]{1,40}(?:-[^\W_]{1,40}){0,4})(?:[\ufffe\x02\xad]\n?|-\n)([^\W_]*)")
_COMPOUND = re.compile(r"(?<![^\W_])[^\W_]{1,40}-[^\W_]{1,40}")
_LIST_MARK = re.compile(r"\s*(?:[-*•●○▪‣–—]|\(?[0-9]{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d+\])\s")
# Bullets, those of the fonts Symbol and Wingdings too, which have no other characters.
_BULLET = re.compile(r"[•●○▪‣◦■\uf0a7\uf0a8\uf0b7\uf0d8\uf0fc\uf076]\s+(?=\S)")
_PLACEHOLDER_TITLE = re.compile(
    r"^(?:untitled|microsoft \w+ - .*|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|pages|rtf|pdf)|title|slide \d+|\W*)$",
    re.IGNORECASE,
)
# A line that reaches this share of the page's long lines was broken by the margin, not by its author.
_FULL_LINE = 0.75
# Characters of the first page that are measured, those among them where a title may begin, and by how much its
# letters must be larger than most.
_MEASURED = 3000
_TITLE_SEARCHED = 600
_STANDS_OUT = 1.2
_HINT = "save it again with the program that made it, or print it to a new PDF"


class PdfLoader:
    """Reads the text layer with pdfium."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The pages' text; raises EmptyDocument for a scan, UnreadableDocument for a damaged or locked file."""
        document = _open(data, name)
        if len(document) > _MOST_PAGES:
            raise UnreadableDocument(f"{name}: has {len(document)} pages", hint="split the file")
        blocks = Blocks()
        unread: list[int] = []
        pages = list(_pages(document, unread))
        compounds = frozenset().union(*(compounds_of(text) for _, text in pages))
        marks = outline_of(document)
        on_page: dict[int, list[Entry]] = {}
        for entry in marks:
            on_page.setdefault(entry.page, []).append(entry)
        outline, last = Outline(), ""
        read = without_edges({number: _lines(text) for number, text in pages})
        for number, lines in without_contents(read, marks).items():
            for part in stretches(lines, on_page.get(number, ())):
                last = _add(blocks, part, number, outline, compounds, last)
        if not any(character.isalnum() for character in blocks.text):
            if unread:
                raise UnreadableDocument(f"{name}: none of its pages can be read", hint=_HINT)
            raise EmptyDocument(f"{name}: no text layer (a scan?)", hint="run OCR over it first, e.g. ocrmypdf")
        warnings = (f"pages that could not be read: {', '.join(map(str, unread[:20]))}",) if unread else ()
        return Loaded(blocks.text, "pdf", _title(document), blocks.regions, _date(document), warnings)


def _open(data: bytes, name: str) -> Any:
    """The document; raises UnreadableDocument."""
    from pypdfium2 import PdfDocument, PdfiumError

    try:
        return PdfDocument(data)
    except PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            hint = "remove its password first, e.g. with qpdf --decrypt"
            raise UnreadableDocument(f"{name}: encrypted, it needs a password", hint=hint) from error
        raise UnreadableDocument(f"{name}: damaged or cut off ({error})", hint=_HINT) from error


def _pages(document: Any, unread: list[int]) -> Iterator[tuple[int, str]]:
    """Each page's number and text; `unread` collects the numbers of broken ones."""
    from pypdfium2 import PdfiumError

    for index in range(len(document)):
        try:
            page = document[index]
            text_page = page.get_textpage()
            text = with_letters(with_accents(text_page, text_page.get_text_range()))
            text_page.close()
            page.close()
        except PdfiumError:
            unread.append(index + 1)
            continue
        yield index + 1, text


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _add(blocks: Blocks, part: Stretch, page: int, outline: Outline, compounds: frozenset[str], last: str) -> str:
    """Add a stretch of a page; returns the text it made, which is `last` to the next one: "" for a heading."""
    text = joined("\n".join(part.lines), compounds).strip()
    if part.level and text:
        words = " ".join(text.split())
        outline.enter(part.level, words)
        blocks.add(words, Location(page=page, section=outline.section), "heading")
        return ""
    blocks.add(text, Location(page=page, section=outline.section), gap=_page_joint(last, text))
    return text or last


def _title(document: Any) -> str:
    """The title in the file's properties, unless a program put a placeholder there; else the largest words.

    The largest words of the first page count where they stand out and are as long as a title.
    """
    title = str(document.get_metadata_dict().get("Title") or "").strip()
    if title and not _PLACEHOLDER_TITLE.match(title):
        return title
    return largest_words(document)


def _date(document: Any) -> Metadata:
    """The date when the file was made, else changed, by its properties: "D:20210503101500Z"."""
    properties = document.get_metadata_dict()
    for name, key in (("created", "CreationDate"), ("modified", "ModDate")):
        day = date_of(str(properties.get(key) or "").strip().removeprefix("D:")[:8])
        if day is not None:
            return {name: day}
    return {}


def largest_words(document: Any) -> str:
    """The first run of the first page's largest letters; "" where they do not stand out."""
    from pypdfium2 import PdfiumError
    from pypdfium2.raw import FPDFText_GetFontSize

    try:
        text_page = document[0].get_textpage()
        count = min(text_page.count_chars(), _MEASURED)
        text = text_page.get_text_range(0, count, errors="ignore") if count else ""
        sizes = [round(FPDFText_GetFontSize(text_page, place), 1) for place in range(count)]
    except PdfiumError:
        return ""
    if len(text) != count:
        return ""
    letters = [size for size, character in zip(sizes, text, strict=True) if character.isalpha()]
    first = [size for size, character in zip(sizes, text[:_TITLE_SEARCHED], strict=False) if character.isalpha()]
    if not first or max(first) < _STANDS_OUT * sorted(letters)[len(letters) // 2]:
        return ""
    start = next(place for place in range(count) if sizes[place] == max(first) and text[place].isalnum())
    end = start
    while end < count and (text[end].isspace() or sizes[end] >= max(first) * 0.98):
        end += 1
    title = " ".join(joined(text[start:end]).split())
    return title if 8 <= len(title) <= 200 else ""


def joined(text: str, compounds: frozenset[str] = frozenset()) -> str:
    """A page's lines as paragraphs: lines that the margin broke are joined, hyphens that it made go out.

    Bullets become "-".

    `compounds` are words that keep their hyphen where a line ends in the midst of them.

    >>> joined("A line that is bro-\\r\\nken by the margin and\\r\\ngoes on here.\\r\\n\\r\\nNext.")
    'A line that is broken by the margin and goes on here.\\n\\nNext.'
    """
    text = "\n".join(_lines(text))
    text = _BROKEN_WORD.sub(lambda match: _whole_word(match.group(1), match.group(2), compounds), text)
    lines = [line.strip() for line in text.split("\n")]
    # The mark of a list item to Markdown, as which a passage is read.
    lines = ["- " + line[match.end() :] if (match := _BULLET.match(line)) else line for line in lines]
    full = _FULL_LINE * _long_line(lines)
    pieces: list[str] = []
    last = ""
    for line in lines:
        if last and line:
            pieces.append(_joint(last, line, full))
        elif line and pieces:
            pieces.append("\n\n")
        pieces.append(line)
        last = line
    return "".join(pieces)


def compounds_of(text: str) -> frozenset[str]:
    """The words with a hyphen within a line of the text, in lower case.

    >>> sorted(compounds_of("Fine-tuning beats pre-\\ntraining."))
    ['fine-tuning']
    """
    return frozenset(word.lower() for word in _COMPOUND.findall(text))


def _whole_word(left: str, right: str, compounds: frozenset[str]) -> str:
    """A word that a line's end parted: its hyphen stays in compounds, before capitals and before digits."""
    real = "-" in left or not right[:1].islower() or f"{left}-{right}".lower() in compounds
    return f"{left}-{right}" if real else left + right


def _long_line(lines: list[str]) -> int:
    """The length that nine of ten lines do not pass."""
    lengths = sorted(len(line) for line in lines if line)
    return lengths[min(len(lengths) - 1, len(lengths) * 9 // 10)] if lengths else 0


def _joint(last: str, line: str, full: float) -> str:
    """The text between two lines: nothing, a space, a line end or an empty line."""
    if _LIST_MARK.match(line):
        return "\n"
    continues = (line[0].islower() or last[-1] in ",;") and len(last) >= max(20.0, full / 2)
    if len(last) >= full > 20 or continues:
        return "" if _is_wide(last[-1]) and _is_wide(line[0]) else " "
    return "\n\n" if last[-1] in ".!?:。" else "\n"


def _page_joint(last: str, page: str) -> str:
    """The text between two pages: a space where a sentence goes on, else an empty line.

    >>> _page_joint("Ships are told", "six hours before."), _page_joint("Page 3", "six hours"), _page_joint("", "a")
    (' ', '\\n\\n', '\\n\\n')
    """
    goes_on = last[-1:].isalpha() or last[-1:] in (",", ";")
    return " " if last and goes_on and page[:1].islower() else "\n\n"


def _is_wide(character: str) -> bool:
    """Tell whether the character belongs to a script without spaces between words."""
    return "\u2e80" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef"
