"""The one list of loaders: a new format is one file and one line here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # its module loads numpy, which takes longer than all the rest
    from assay.core.stages import Loader

# The module and the class of each format's loader.
PLACES = {
    "csv": ("assay.ingest.load_text", "CsvLoader"),
    "docx": ("assay.ingest.load_docx", "DocxLoader"),
    "epub": ("assay.ingest.load_epub", "EpubLoader"),
    "html": ("assay.ingest.load_html", "HtmlLoader"),
    "json": ("assay.ingest.load_text", "JsonLoader"),
    "mail": ("assay.ingest.load_mail", "MailLoader"),
    "markdown": ("assay.ingest.load_text", "MarkdownLoader"),
    "msg": ("assay.ingest.load_mail", "MsgLoader"),
    "pdf": ("assay.ingest.load_pdf", "PdfLoader"),
    "ppt": ("assay.ingest.load_ppt", "PptLoader"),
    "pptx": ("assay.ingest.load_pptx", "PptxLoader"),
    "rst": ("assay.ingest.load_rst", "RstLoader"),
    "text": ("assay.ingest.load_text", "TextLoader"),
    "xlsx": ("assay.ingest.load_xlsx", "XlsxLoader"),
}


class _Loaders(Mapping[str, "Loader"]):
    """The loaders by format, each imported when it is first asked for: most collections hold one or two formats."""

    def __getitem__(self, format_name: str) -> Loader:
        module, name = PLACES[format_name]
        loader: Loader = getattr(import_module(module), name)()
        return loader

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)


LOADERS = _Loaders()
