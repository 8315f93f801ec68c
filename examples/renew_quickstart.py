"""Write what `make try` prints into the quick start, and a picture of its first answers beside it.

    .venv/bin/python examples/renew_quickstart.py [--check]

With --check, only compare, and show the difference. The picture is an SVG that asks no other host for a font; what
stands in it is what the commands printed, wrapped to the width of a terminal.
"""

from __future__ import annotations

import difflib
import html
import io
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "quickstart.md"
PICTURE = ROOT / "docs" / "assets" / "terminal.svg"
_BLOCK = re.compile(r"(<!-- make try -->\n```text\n).*?(```\n<!-- end of make try -->)", re.DOTALL)
# The commands that the picture shows.
_PICTURED = ("$ assay add", '$ assay ask "Who', '$ assay ask "Does')
_COLUMNS = 92

# The id of a run, which differs each time.
_RUN = re.compile(r"\b[0-9A-HJKMNP-TV-Z]{26}\b")
_LINE = re.compile(r"<text [^>]*>(.*?)</text>", re.DOTALL)
# Rich's own format loads its fonts from another host.
_FORMAT = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>A terminal: five pages are added, one question is answered with its source, one is refused</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; white-space: pre }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def printed() -> str:
    """What `make try` prints, with colours.

    Run ids are replaced by RUN, and paths are relative.
    """
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.run(
        [sys.executable, "examples/try.py"],
        cwd=ROOT,
        env={**environment, "FORCE_COLOR": "1", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    text = done.stdout.strip().replace(f"{ROOT}{os.sep}", "")
    return "\n".join(_RUN.sub("RUN", line.rstrip()) for line in text.splitlines()) + "\n"


def plain(text: str) -> str:
    """The text without its colours."""
    return "\n".join(Text.from_ansi(line).plain.rstrip() for line in text.splitlines()) + "\n"


def pictured(text: str) -> str:
    """The commands of the picture with what they print."""
    commands = re.split(r"\n(?=\$ assay )", text)
    return "\n".join(command.strip() + "\n" for command in commands if command.startswith(_PICTURED))


def picture(text: str) -> str:
    """An SVG of a terminal that shows the text."""
    console = Console(file=io.StringIO(), record=True, width=_COLUMNS, force_terminal=True, highlight=False)
    for line in text.rstrip().splitlines():
        console.print(Text.from_ansi(line, style="bold" if line.startswith("$ ") else ""))
    return console.export_svg(title="", code_format=_FORMAT, unique_id="terminal")


def words_of(svg: str) -> list[str]:
    """The words that a picture shows, in their order."""
    return html.unescape(" ".join(_LINE.findall(svg))).split()


def main() -> int:
    text = printed()
    shown = PAGE.read_text(encoding="utf-8")
    renewed = _BLOCK.sub(lambda match: match.group(1) + plain(text) + match.group(2), shown)
    if "--check" not in sys.argv:
        PAGE.write_text(renewed, encoding="utf-8")
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_text(picture(pictured(text)), encoding="utf-8")
        return 0
    drawn = words_of(PICTURE.read_text(encoding="utf-8"))
    differences = [
        *difflib.unified_diff(shown.splitlines(), renewed.splitlines(), "quickstart.md", "make try", lineterm=""),
        *difflib.unified_diff(drawn, plain(pictured(text)).split(), "terminal.svg", "make try", lineterm=""),
    ]
    print("\n".join(differences))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
