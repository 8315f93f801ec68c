"""Detect a file's format by its bytes; the name only decides between kinds of plain text."""

from __future__ import annotations

import codecs
import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assay.errors import EmptyDocument, UnreadableDocument, UnsupportedDocument
from assay.ingest.lines import normalise
from assay.types import Loaded

if TYPE_CHECKING:  # its module loads numpy, which takes longer than all the rest
    from assay.core.stages import Loader

# Bytes to text: detecting the encoding, and repairing text that was decoded wrongly before.


_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is a prefix of it
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# A UTF-8 character that was read as cp1252: the letter of the lead byte, then those of the continuation bytes.
_CP1252_HIGH = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ\x81\x8d\x8f\x90\x9d\u00a0-¿"
_MOJIBAKE = re.compile(f"[Â-ß][{_CP1252_HIGH}]|[à-ï][{_CP1252_HIGH}]{{2}}|[ð-ô][{_CP1252_HIGH}]{{3}}")

# A run of UTF-16 within other text: byte pairs that mostly end in NUL.
_WIDE_RUN = re.compile(rb"(?:[\t\n\r -~]\0){4,}(?:(?:[\0-\xff][\x01-\x30]){0,3}(?:[\t\n\r -~]\0)+)*")
_EAST_ASIAN = ("shift_jis", "gb18030", "euc_kr")
_EAST_ASIAN_LETTER = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uff9f]")
_HIGH_BYTES = tuple(bytes([value]) for value in range(0x80, 0x100))


@dataclass(frozen=True, slots=True)
class Decoded:
    """Decoded text, with warnings about repairs."""

    text: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """Decode `data`; never fails, since every byte sequence is text in some encoding.

    >>> decode("naïve".encode("utf-16")).text, decode("naïve café".encode("cp1252")).text
    ('naïve', 'naïve café')
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _repair(_decode_marked(data[len(mark) :], encoding))
    wide = _wide_encoding(data)
    if wide is not None:
        text = data[: len(data) // 2 * 2].decode(wide, errors="replace")
        return _repair(Decoded(text, (f"read as {wide} without a byte order mark",)))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _repair(_not_utf8(data))
    return _repair(_not_utf8(data) if "\0" in text and _WIDE_RUN.search(data) else Decoded(text))


def _decode_marked(data: bytes, encoding: str) -> Decoded:
    """Decode the text after a byte order mark; invalid bytes are replaced."""
    try:
        return Decoded(data.decode(encoding))
    except UnicodeDecodeError:
        if encoding == "utf-8":
            return _not_utf8(data)
        return Decoded(data.decode(encoding, errors="replace"), (f"bytes that are not {encoding} were replaced",))


def _wide_encoding(data: bytes) -> str | None:
    """The variant of UTF-16 without a mark, if any: one byte of each pair is nearly constant, mostly NUL."""
    sample = data[:4096]
    if len(sample) < 8:
        return None
    quarter = len(sample) // 8 * 2
    quarters = [sample[at : at + quarter] for at in range(0, 4 * quarter, quarter)]
    if all(_is_wide(part[1::2], part[0::2]) for part in quarters):
        return "utf-16-le"
    return "utf-16-be" if all(_is_wide(part[0::2], part[1::2]) for part in quarters) else None


def _is_wide(high: bytes, low: bytes) -> bool:
    """Tell whether most high bytes are NUL and hardly any low ones."""
    return high.count(0) > 0.5 * len(high) and low.count(0) < 0.1 * len(low)


def _not_utf8(data: bytes) -> Decoded:
    """Decode text that is not valid UTF-8: in one other encoding, or as a mixture, piece by piece."""
    wide = _WIDE_RUN.search(data) is not None
    good = any(_is_utf8(line) and not line.isascii() for line in data.split(b"\n"))
    if not good and not wide:
        encoding = _guess(data)
        return Decoded(data.decode(encoding, errors="replace"), (f"read as {encoding}",))
    pieces, done = [], 0
    for run in _WIDE_RUN.finditer(data):
        pieces.append(_lines(data[done : run.start()]))
        pieces.append(run.group().decode("utf-16-le", errors="replace"))
        done = run.end()
    pieces.append(_lines(data[done:]))
    return Decoded("".join(pieces), ("mixed encodings: each line was read in its own",))


def _lines(data: bytes) -> str:
    return "\n".join(_line(line) for line in data.split(b"\n"))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _line(line: bytes) -> str:
    """Decode a line of a mixture: UTF-8, an East Asian encoding, or cp1252 for invalid bytes."""
    if _is_utf8(line):
        return line.decode("utf-8")
    for encoding in _EAST_ASIAN:
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError:
            continue
        letters = [character for character in text if not character.isascii()]
        if all(map(_EAST_ASIAN_LETTER.match, letters)) and not _is_western(line):
            return text
    return line.decode("utf-8", errors="assay-cp1252")


def _is_western(line: bytes) -> bool:
    """Tell whether the line, read as cp1252, consists of Latin words."""
    high = [character for character in line.decode("cp1252", errors="replace") if not character.isascii()]
    return sum(character.isalpha() for character in high) >= 0.8 * len(high)


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Codec error handler that reads invalid UTF-8 as cp1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", errors="replace"), error.end


codecs.register_error("assay-cp1252", _as_cp1252)


def _guess(data: bytes) -> str:
    """Guess the legacy encoding; cp1252 if there is little evidence.

    Western text has few letters above ASCII (German 2 %, French 4 %); in a longer text with many,
    statistics can tell the script.
    """
    high = sum(map(data.count, _HIGH_BYTES))
    if len(data) < 32 or high < 0.3 * len(data):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(data[: 1 << 16]).best()
    return best.encoding if best is not None else "cp1252"


def _repair(decoded: Decoded) -> Decoded:
    """Repair mojibake line by line, and turn lone carriage returns into line ends."""
    text, warnings = decoded.text, decoded.warnings
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
        warnings += ("carriage returns were made line ends",)
    if _MOJIBAKE.search(text):
        mended = "\n".join(repair_mojibake(line) for line in text.split("\n"))
        if mended != text:
            text, warnings = mended, (*warnings, "UTF-8 that had been read as cp1252 was repaired")
    return Decoded(text, warnings)


def repair_mojibake(line: str) -> str:
    """Undo the reading of UTF-8 as cp1252; lines without such damage are unchanged.

    >>> repair_mojibake("cafÃ© â€“ naÃ¯ve"), repair_mojibake("SÃO PAULO")
    ('café – naïve', 'SÃO PAULO')
    """
    if not _MOJIBAKE.search(line):
        return line
    return _MOJIBAKE.sub(lambda match: _decode_letters(match.group()), line)


def _decode_letters(letters: str) -> str:
    """Decode the letters' bytes as UTF-8; return the letters if that fails."""
    try:
        raw = b"".join(_byte(letter) for letter in letters)
        return raw.decode("utf-8")
    except UnicodeError:
        return letters


def _byte(letter: str) -> bytes:
    """The cp1252 byte of a letter; the five undefined bytes stand for themselves."""
    return bytes([ord(letter)]) if "\x80" <= letter <= "\x9f" else letter.encode("cp1252")


_HEAD = 1 << 14
_ZIPS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ARCHIVES = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf\x27\x1c", b"Rar!", b"\x28\xb5\x2f\xfd", b"\x1f\x9d")
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF", b"\0\0\1\0")
_PROGRAMS = (b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"\0asm", b"SQLite format 3\0")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# A directory entry (UTF-16) that only one kind of OLE file has.
_OLE_KINDS = (
    ("EncryptedPackage", "encrypted office file"),
    ("__substg1.0_", "msg"),
    ("PowerPoint Document", "ppt"),
    ("WordDocument", "old Word document (.doc)"),
    ("Workbook", "old spreadsheet (.xls)"),
    ("Book", "old spreadsheet (.xls)"),
)
# The atomic group keeps one comment from swallowing the next, which would take exponential time.
_HTML = re.compile(
    r"(?>\s*(?:<!--.*?-->|<\?xml[^>]*>))*\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_HTML_TAGS = re.compile(
    r"</?(?:div|p|span|table|tr|td|h[1-6]|a|li|ul|br|title|meta|article|section)\b", re.IGNORECASE
)
_MAIL = re.compile(
    r"(?:From|To|Subject|Date|Received|Return-Path|MIME-Version|Message-ID|Delivered-To):", re.IGNORECASE
)
_MAIL_LINE = re.compile(r"[!-9;-~]+:|[ \t]")
_MARKDOWN_HEADING = re.compile(r"^#{1,6} \S", re.MULTILINE)
_MARKDOWN_MARK = re.compile(r"^(?:```|~~~|[*-] |\d+\. |> )|\]\(", re.MULTILINE)
_PDF = re.compile(rb"^[^\S\n]*(?:\xef\xbb\xbf)?%PDF-", re.M)
_TEXT_KINDS = frozenset({"text", "markdown", "html", "json", "mail", "csv", "rst"})
# Names that promise a binary format, and those that promise text.
_NAMED = re.compile(r"\.(?:pdf|docx|pptx?|xlsx|epub|msg)$", re.IGNORECASE)
_READ = re.compile(r"\.(?:html?|md|markdown|rst|txt|text|csv|tsv|jsonl?|ndjson|eml)$", re.IGNORECASE)
_MARKDOWN_NAMES = (".md", ".markdown", ".mdown", ".mkd", ".mdx")


def detect(data: bytes, name: str) -> str:
    """The format's name: a key of the loaders, or a description of an unsupported format.

    >>> detect(b"%PDF-1.7 ...", "x.txt"), detect(b'{"a": 1}', "x"), detect(b"# Tea", "tea.md")
    ('pdf', 'json', 'markdown')
    >>> detect(b'Files begin with "%PDF-1.7".', "pdf.md"), detect(b"junk\\n%PDF-1.7", "x")
    ('markdown', 'pdf')
    """
    if data.startswith(_OLE):
        return next((kind for mark, kind in _OLE_KINDS if mark.encode("utf-16-le") in data), "old office file")
    if _is_pdf(data):
        return "pdf"
    if data.startswith(_ZIPS):
        return _zip_format(data, name)
    if data.startswith(b"{\\rtf"):
        return "rich text (.rtf)"
    for marks, kind in ((_ARCHIVES, "compressed archive"), (_PICTURES, "picture"), (_PROGRAMS, "binary file")):
        if data.startswith(marks) and not _is_text(data):
            return kind
    return _text_format(data, name) if _is_text(data) else "binary file"


def is_plain(data: bytes, name: str) -> bool:
    """Tell whether the bytes are plain text, which only this package's own code will parse.

    >>> is_plain(b"# Tea", "tea.md"), is_plain(b"<html>", "tea.txt")
    (True, False)
    """
    return (
        not data.startswith((*_ZIPS, _OLE, b"{\\rtf", *_ARCHIVES, *_PICTURES, *_PROGRAMS))
        and not _is_pdf(data)
        and _is_text(data)
        and _text_format(data, name) in ("text", "markdown")
    )


def _is_pdf(data: bytes) -> bool:
    """Tell whether the file is a PDF: other bytes may precede the mark, and a text may mention it."""
    return _PDF.search(data[:1024]) is not None or (b"%PDF-" in data[:1024] and not _is_text(data))


def _zip_format(data: bytes, name: str) -> str:
    """Detect a zip file's format by its members; raises UnreadableDocument if it is truncated."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = frozenset(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        hint = "save it again with the program that made it"
        raise UnreadableDocument(f"{name}: damaged or cut off (bad zip: {error})", hint=hint) from error
    for folder, kind in (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx")):
        if any(member.startswith(folder) for member in names):
            return kind
    if "META-INF/container.xml" in names or name.lower().endswith(".epub"):
        return "epub"
    if "mimetype" in names and "content.xml" in names:
        return "OpenDocument file"
    return "compressed archive"


def _is_text(data: bytes) -> bool:
    """Tell whether the decoded bytes contain hardly any control characters."""
    head = data[:_HEAD]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    text = decode(head).text
    controls = sum(1 for character in text if character < " " and character not in "\t\n\r\f\x1b\0\x07\x08")
    return controls <= 0.02 * len(text) and text.count("\0") + text.count("\ufffd") <= 0.2 * len(text)


def _text_format(data: bytes, name: str) -> str:
    """Detect the kind of text."""
    head = decode(data[:_HEAD]).text.lstrip("\ufeff")
    lower = name.lower()
    if _HTML.match(head[:4096]):
        return "html"
    # Many Markdown files begin with an HTML banner, so trust their names.
    if not lower.endswith(_MARKDOWN_NAMES) and _begins_with_tags(head):
        return "html"
    if head.lstrip()[:1] in ("{", "[") and _is_json(data, lower):
        return "json"
    if _is_mail(head):
        return "mail"
    if lower.endswith(_MARKDOWN_NAMES):
        return "markdown"
    if lower.endswith((".rst", ".rest")):
        return "rst"
    if lower.endswith((".csv", ".tsv", ".tab")) or _is_csv(
        head if len(data) <= _HEAD else head.rpartition("\n")[0]
    ):
        return "csv"
    plain = lower.endswith((".txt", ".text")) or "." not in name
    return "markdown" if plain and _is_markdown(head) else "text"


def _begins_with_tags(head: str) -> bool:
    """Tell whether the text begins with a tag and contains several tags of pages."""
    return head.lstrip().startswith("<") and len(_HTML_TAGS.findall(head)) >= 4


def _is_json(data: bytes, name: str) -> bool:
    """Tell whether the text, or each of its first lines, is JSON; a JSON file name is trusted."""
    if name.endswith((".json", ".jsonl", ".ndjson")):
        return True
    text = decode(data).text
    try:
        json.loads(text)
    except ValueError:
        lines = [line for line in text[:_HEAD].splitlines()[:5] if line.strip()]
        return len(lines) > 1 and all(map(_is_json_object, lines[:-1]))
    except RecursionError:
        return True
    return True


def _is_json_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _is_mail(head: str) -> bool:
    """Tell whether the text begins with mail headers: at least three lines, two of them well known."""
    lines = head.split("\n\n")[0].replace("\r", "").split("\n")
    known = sum(bool(_MAIL.match(line)) for line in lines)
    return known >= 2 and len(lines) >= 3 and all(_MAIL_LINE.match(line) for line in lines if line)


def _is_csv(head: str) -> bool:
    """Tell whether nearly all lines have the same number of one delimiter; at least two if it is a comma."""
    lines = [line for line in head.splitlines() if line.strip()][:50]
    if len(lines) < 3:
        return False
    for delimiter, least in (("\t", 1), (";", 1), ("|", 2), (",", 2)):
        counts = [line.count(delimiter) for line in lines]
        common = max(set(counts), key=counts.count)
        short = sum(map(len, lines)) / len(lines) / (common + 1) < 60
        if common >= least and counts.count(common) >= 0.9 * len(counts) and short and lines[0][0] != "|":
            return True
    return False


def _is_markdown(head: str) -> bool:
    """Tell whether the text has headings and other Markdown marks; a lone # line is a comment in many languages."""
    return len(_MARKDOWN_HEADING.findall(head)) >= 2 and len(_MARKDOWN_MARK.findall(head)) >= 2


class AnyLoader:
    """Loader of every format: picks a loader by `detect` and normalises the text."""

    def __init__(self, loaders: Mapping[str, Loader]) -> None:
        self._loaders = loaders

    def load(self, data: bytes, name: str) -> Loaded:
        """Load the text; raises EmptyDocument, UnsupportedDocument, UnreadableDocument."""
        if not data:
            raise EmptyDocument(f"{name}: zero bytes", hint="nothing to do; the file is empty")
        kind = detect(data, name)
        if kind == "encrypted office file":
            raise UnreadableDocument(f"{name}: encrypted, it needs a password", hint="save it without a password")
        loader = self._loaders.get(kind)
        promised = _NAMED.search(name)
        if loader is None and (promised or _READ.search(name)):
            ending = name[name.rindex(".") :]
            problem = f"{name}: no {ending} file, it is {_article(kind)}; it may be damaged"
            raise UnreadableDocument(problem, hint="save it again with the program that made it")
        if loader is None:
            hint = "save it as PDF, .docx, .pptx, .xlsx, HTML or text"
            raise UnsupportedDocument(f"{name}: {_article(kind)}, a format that is not read", hint=hint)
        loaded = normalise(loader.load(data, name))
        if not loaded.text.strip():
            raise EmptyDocument(f"{name}: only white space", hint="nothing to do; the file holds no text")
        if promised and kind in _TEXT_KINDS:
            return replace(loaded, warnings=(*loaded.warnings, f"no {promised.group()} file, read as {kind}"))
        return loaded

    def close(self) -> None:
        """Nothing to release."""


def _article(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiouAEIO" else f"a {kind}"
