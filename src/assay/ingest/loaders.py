"""The one list of loaders: a new format is one file and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.ingest.load_docx import DocxLoader
from assay.ingest.load_epub import EpubLoader
from assay.ingest.load_html import HtmlLoader
from assay.ingest.load_mail import MailLoader, MsgLoader
from assay.ingest.load_pdf import PdfLoader
from assay.ingest.load_ppt import PptLoader
from assay.ingest.load_pptx import PptxLoader
from assay.ingest.load_rst import RstLoader
from assay.ingest.load_text import CsvLoader, JsonLoader, MarkdownLoader, TextLoader
from assay.ingest.load_xlsx import XlsxLoader

if TYPE_CHECKING:  # its module loads numpy, which takes longer than all the rest
    from assay.core.stages import Loader

LOADERS: dict[str, Loader] = {
    "csv": CsvLoader(),
    "docx": DocxLoader(),
    "epub": EpubLoader(),
    "html": HtmlLoader(),
    "json": JsonLoader(),
    "mail": MailLoader(),
    "markdown": MarkdownLoader(),
    "msg": MsgLoader(),
    "pdf": PdfLoader(),
    "ppt": PptLoader(),
    "pptx": PptxLoader(),
    "rst": RstLoader(),
    "text": TextLoader(),
    "xlsx": XlsxLoader(),
}
