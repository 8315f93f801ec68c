"""Gather what the documentation site is built from: the pages of docs/, and those that are made of other files.

    python deploy/site_source.py .make/docs/source

Made here: the home page (README), the pages of CONTRIBUTING, SECURITY and CHANGELOG, the list of decisions, and
llms.txt and llms-full.txt, which tell language models what there is (https://llmstxt.org).
"""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CONFIGURATION = ROOT / "zensical.toml"
# Files of the repository that are pages of the site, with the page that each becomes.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
}
DECISIONS = "decisions/index.md"
_DECISIONS = """Each record says what was decided and why, what else was tried, and what it measured.
A newer record says so where it replaces an older one."""
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
_COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def write_source(folder: Path) -> None:
    """Fill the folder; what it held before is removed."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for file, page in PAGES.items():
        write(folder / page, page_of(file))
    write(folder / DECISIONS, decisions())
    sections = list(sections_of(navigation()))
    write(folder / "llms.txt", llms(sections, folder))
    write(folder / "llms-full.txt", "\n\n".join(read(folder / page).strip() for _, page in sections) + "\n")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def page_of(file: str) -> str:
    """The text of a file at the root as a page: links lead to pages, and a link to no page is its text alone."""
    above = "../" * PAGES[file].count("/")

    def linked(match: re.Match[str]) -> str:
        image, text, target, anchor = match.groups("")
        if target.startswith("docs/"):
            target = target.removeprefix("docs/")
        elif target in PAGES:
            target = PAGES[target]
        elif target and ":" not in target:
            return text
        else:
            return match.group()
        return f"{image}[{text}]({above}{target}{anchor})"

    return _LINK.sub(linked, _COMMENT.sub("", read(ROOT / file)))


def decisions() -> str:
    """The list of all decision records, by number."""
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    lines = (f"- [{title(read(record))}]({record.name})" for record in records)
    return f"# Decisions\n\n{_DECISIONS}\n\n{chr(10).join(lines)}\n"


def title(text: str) -> str:
    """The first heading of a page.

    >>> title("# Read an answer\\n\\nAn answer has three parts.")
    'Read an answer'
    """
    return text.split("\n", 1)[0].removeprefix("# ").strip()


def navigation() -> list[Any]:
    """The `nav` of the site's configuration: paths, and mappings from a title to a path or to a list of these."""
    with CONFIGURATION.open("rb") as file:
        found: list[Any] = tomllib.load(file)["project"]["nav"]
    return found


def sections_of(entries: list[Any], section: str = "") -> Iterator[tuple[str, str]]:
    """Each page of a navigation in its order, with the titles of the sections that it stands in.

    >>> list(sections_of(["a.md", {"How to": [{"Ask": ["b.md"]}]}]))
    [('', 'a.md'), ('How to: Ask', 'b.md')]
    """
    for entry in entries:
        if isinstance(entry, str):
            yield section, entry
            continue
        for name, below in entry.items():
            if isinstance(below, str):
                yield section, below
            else:
                yield from sections_of(below, f"{section}: {name}" if section else name)


def llms(sections: list[tuple[str, str]], folder: Path) -> str:
    """The index for language models: each page's title, address and first sentence, by section."""
    grouped: dict[str, list[str]] = {}
    for section, page in sections:
        text = read(folder / page)
        address = page.removesuffix("index.md").removesuffix(".md") or "."
        line = f"- [{title(text)}]({address}{'' if address.endswith(('/', '.')) else '/'}): {summary(text)}"
        grouped.setdefault(section or "Start", []).append(line)
    project: Mapping[str, str] = tomllib.loads(read(CONFIGURATION))["project"]
    head = f"# {project['site_name']}\n\n> {project['site_description']}\n"
    return head + "".join(f"\n## {name}\n\n{chr(10).join(lines)}\n" for name, lines in grouped.items())


def summary(text: str) -> str:
    """The first sentence below a page's heading, in one line and without links.

    >>> summary("# Serve\\n\\n`assay serve` answers over [HTTP](http.md): to people,\\nto programs. More.")
    '`assay serve` answers over HTTP: to people, to programs.'
    """
    paragraphs = _FENCE.sub("", text.partition("\n")[2]).strip().split("\n\n")
    prose = next((each for each in paragraphs if each[:1].isalnum() or each[:1] in "`*["), "")
    plain = _LINK.sub(lambda match: match.group(2), " ".join(prose.split()))
    return re.split(r"(?<=[.:])\s(?=[A-Z`])", plain, maxsplit=1)[0]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python deploy/site_source.py FOLDER")
    write_source(Path(sys.argv[1]))
