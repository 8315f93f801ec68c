"""Messages as mail programs save them (.eml)."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage

from assay.errors import EmptyDocument
from assay.ingest.compound import CompoundFile
from assay.ingest.detect import decode
from assay.ingest.load_html import HtmlLoader
from assay.ingest.outline import Blocks
from assay.nlp.publication_date import date_of
from assay.types import Loaded, Location

_HEADERS = ("Subject", "From", "To", "Cc", "Date")


class MailLoader:
    """Reads the headers that people see, the body, and the names of what is attached."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The message as text; raises EmptyDocument."""
        message = message_from_bytes(data, policy=policy.default)
        blocks = Blocks()
        for header in _HEADERS:
            value = str(message.get(header, "")).strip()
            blocks.add(f"{header}: {value}" if value else "", Location(section="Headers"), gap="\n")
        blocks.add(_body(message, name), Location(section="Body"))
        attached = [part.get_filename() for part in message.iter_attachments() if part.get_filename()]
        blocks.add(f"Attached: {', '.join(map(str, attached))}" if attached else "", Location(section="Body"))
        if not blocks.text:
            raise EmptyDocument(f"{name}: an empty message", hint="nothing to do; the message holds no text")
        day = date_of(str(message.get("Date", "")))
        metadata = {} if day is None else {"date": day}
        return Loaded(blocks.text, "mail", str(message.get("Subject", "")), blocks.regions, metadata)


def _body(message: EmailMessage, name: str) -> str:
    """The text of the message, taken from its plain part before its HTML part."""
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset() or ""
    try:
        text = data.decode(charset)
    except (LookupError, UnicodeDecodeError):
        text = decode(data).text
    if part.get_content_type() != "text/html":
        return text
    try:
        return HtmlLoader().load(text.encode("utf-8", errors="replace"), name).text
    except EmptyDocument:
        return ""


# Messages as Outlook saves them (.msg): after [MS-OXMSG] section 2.4, properties named in [MS-OXPROPS].


# Label and the number of the property that holds it.
_MSG_HEADERS = (("Subject", "0037"), ("From", "0C1A"), ("To", "0E04"), ("Cc", "0E03"))
_BODY, _HTML_BODY, _LONG_NAME, _SHORT_NAME = "1000", "1013", "3707", "3704"


class MsgLoader:
    """Reads subject, people, body and the names of what is attached."""

    def load(self, data: bytes, name: str) -> Loaded:
        """The message as text; raises EmptyDocument, UnreadableDocument."""
        file = CompoundFile(data, name)
        blocks = Blocks()
        for label, number in _MSG_HEADERS:
            value = _string(file, "", number).strip()
            blocks.add(f"{label}: {value}" if value else "", Location(section="Headers"), gap="\n")
        blocks.add(_msg_body(file, name), Location(section="Body"))
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


def _msg_body(file: CompoundFile, name: str) -> str:
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
