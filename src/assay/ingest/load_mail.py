"""Messages as mail programs save them (.eml)."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage

from assay.errors import EmptyDocument
from assay.ingest.blocks import Blocks
from assay.ingest.decode import decode
from assay.ingest.load_html import HtmlLoader
from assay.text.written import date_of
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
