"""Bytes to text: which encoding they are in, and the repair of text that was decoded wrongly before."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What a UTF-8 multi-byte character looks like once it was read as cp1252: a lead byte's letter, then
# continuation bytes' letters.
_CP1252_HIGH = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ\x81\x8d\x8f\x90\x9d\u00a0-¿"
_MOJIBAKE = re.compile(f"[Â-ß][{_CP1252_HIGH}]|[à-ï][{_CP1252_HIGH}]{{2}}|[ð-ô][{_CP1252_HIGH}]{{3}}")

# A run of UTF-16 within other text: pairs of which most have a NUL as their second byte.
_WIDE_RUN = re.compile(rb"(?:[\t\n\r -~]\0){4,}(?:(?:[\0-\xff][\x01-\x30]){0,3}(?:[\t\n\r -~]\0)+)*")
_EAST_ASIAN = ("shift_jis", "gb18030", "euc_kr")
_EAST_ASIAN_LETTER = re.compile("[\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uff9f]")
_HIGH_BYTES = tuple(bytes([value]) for value in range(0x80, 0x100))


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text, and what had to be repaired to read it."""

    text: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """The text of `data`; never fails, since every byte sequence is text in some encoding.

    >>> decode("naïve".encode("utf-16")).text, decode("naïve café".encode("cp1252")).text
    ('naïve', 'naïve café')
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _repaired(_marked(data[len(mark) :], encoding))
    wide = _wide_encoding(data)
    if wide is not None:
        text = data[: len(data) // 2 * 2].decode(wide, errors="replace")
        return _repaired(Decoded(text, (f"read as {wide} without a byte order mark",)))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _repaired(_not_utf8(data))
    return _repaired(_not_utf8(data) if "\0" in text and _WIDE_RUN.search(data) else Decoded(text))


def _marked(data: bytes, encoding: str) -> Decoded:
    """The text behind a byte order mark; bytes that break the promised encoding are replaced."""
    try:
        return Decoded(data.decode(encoding))
    except UnicodeDecodeError:
        if encoding == "utf-8":
            return _not_utf8(data)
        return Decoded(data.decode(encoding, errors="replace"), (f"bytes that are not {encoding} were replaced",))


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 without a mark: text of few scripts has one byte of each pair almost constant, mostly NUL."""
    sample = data[:4096]
    if len(sample) < 8:
        return None
    quarter = len(sample) // 8 * 2
    quarters = [sample[at : at + quarter] for at in range(0, 4 * quarter, quarter)]
    if all(_is_wide(part[1::2], part[0::2]) for part in quarters):
        return "utf-16-le"
    return "utf-16-be" if all(_is_wide(part[0::2], part[1::2]) for part in quarters) else None


def _is_wide(high: bytes, low: bytes) -> bool:
    """Whether most of the high bytes of pairs are NUL, and hardly any low one."""
    return high.count(0) > 0.5 * len(high) and low.count(0) < 0.1 * len(low)


def _not_utf8(data: bytes) -> Decoded:
    """Text that is not all UTF-8: one other encoding as a whole, or a mixture read piece by piece."""
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
    """One line of a mixture: UTF-8, or an East Asian encoding, or cp1252 for the bytes that are no UTF-8."""
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
    """Whether the line is words of Latin letters once it is read as cp1252."""
    high = [character for character in line.decode("cp1252", errors="replace") if not character.isascii()]
    return sum(character.isalpha() for character in high) >= 0.8 * len(high)


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """A codec error handler: the bytes that are no UTF-8, read as cp1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return bad.decode("cp1252", errors="replace"), error.end


codecs.register_error("assay-cp1252", _as_cp1252)


def _guess(data: bytes) -> str:
    """The likeliest legacy encoding of the bytes; cp1252 where little tells.

    Western text has few letters above ASCII (German 2 %, French 4 %); where they are many in
    a text of some length, statistics can tell one script from another.
    """
    high = sum(map(data.count, _HIGH_BYTES))
    if len(data) < 32 or high < 0.3 * len(data):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(data[: 1 << 16]).best()
    return best.encoding if best is not None else "cp1252"


def _repaired(decoded: Decoded) -> Decoded:
    """The same with mojibake mended line by line, and lone carriage returns made line ends."""
    text, warnings = decoded.text, decoded.warnings
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
        warnings += ("carriage returns were made line ends",)
    if _MOJIBAKE.search(text):
        mended = "\n".join(mend(line) for line in text.split("\n"))
        if mended != text:
            text, warnings = mended, (*warnings, "UTF-8 that had been read as cp1252 was repaired")
    return Decoded(text, warnings)


def mend(line: str) -> str:
    """The line as it was before UTF-8 was read as cp1252; unchanged where that is not what happened.

    >>> mend("cafÃ© â€“ naÃ¯ve"), mend("SÃO PAULO")
    ('café – naïve', 'SÃO PAULO')
    """
    if not _MOJIBAKE.search(line):
        return line
    return _MOJIBAKE.sub(lambda match: _reread(match.group()), line)


def _reread(letters: str) -> str:
    """The character that the letters' bytes are in UTF-8; the letters themselves where they are none."""
    try:
        raw = b"".join(_byte(letter) for letter in letters)
        return raw.decode("utf-8")
    except UnicodeError:
        return letters


def _byte(letter: str) -> bytes:
    """The cp1252 byte of a letter; the five bytes that cp1252 leaves open stand for themselves."""
    return bytes([ord(letter)]) if "\x80" <= letter <= "\x9f" else letter.encode("cp1252")
