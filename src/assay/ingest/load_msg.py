"""Messages as Outlook saves them (.msg): after [MS-OXMSG] section 2.4, properties named in [MS-OXPROPS]."""

from __future__ import annotations

from assay.errors import EmptyDocument
from assay.ingest.blocks import Blocks
from assay.ingest.compound import CompoundFile
from assay.ingest.decode import decode
from assay.ingest.load_html import HtmlLoader
from assay.types import Loaded, Location

# Label and the number of the property that holds it.
_HEADERS = (("Subject", "0037"), ("From", "0C1A"), ("To", "0E04"), ("Cc", "0E03"))
_BODY, _HTML_BODY, _LONG_NAME, _SHORT_NAME = "1000", "1013", "3707", "3704"


class MsgLoader:
    """Reads subject, people, body and the names of what is attached."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The message as text; raises EmptyDocument, UnreadableDocument."""
        file = CompoundFile(data, name)
        blocks = Blocks()
        for label, number in _HEADERS:
            value = _string(file, "", number).strip()
            blocks.add(f"{label}: {value}" if value else "", Location(section="Headers"), gap="\n")
        blocks.add(_body(file, name), Location(section="Body"))
        attached = ", ".join(filter(None, (_attachment(file, folder) for folder in _attachments(file))))
        blocks.add(f"Attached: {attached}" if attached else "", Location(section="Body"))
        if not blocks.text:
            raise EmptyDocument(f"{name}: an empty message", hint="nothing to do; the message holds no text")
        return Loaded(blocks.text, "msg", _string(file, "", "0037"), blocks.regions)


def _string(file: CompoundFile, folder: str, number: str) -> str:
    """A property that is text, in UTF-16 (001F) or in the sender's code page (001E)."""
    start = f"{folder}/" if folder else ""
    wide = file.read(f"{start}__substg1.0_{number}001F")
    text = (
        wide.decode("utf-16-le", errors="replace")
        if wide
        else decode(file.read(f"{start}__substg1.0_{number}001E")).text
    )
    return text.replace("\r\n", "\n").strip("\0")


def _body(file: CompoundFile, name: str) -> str:
    plain = _string(file, "", _BODY)
    page = file.read(f"__substg1.0_{_HTML_BODY}0102")
    if plain.strip() or not page:
        return plain
    try:
        return HtmlLoader().load(page, name).text
    except EmptyDocument:
        return ""


def _attachments(file: CompoundFile) -> list[str]:
    return sorted({path.split("/")[0] for path in file.entries if path.startswith("__attach")})


def _attachment(file: CompoundFile, folder: str) -> str:
    return _string(file, folder, _LONG_NAME) or _string(file, folder, _SHORT_NAME)
