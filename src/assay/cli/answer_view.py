"""An answer as people read it: the text, its numbered sources with their quotes, one line that says what passed.

It is shown from the answer object, so that an answer of today and one from the record look the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Json = Mapping[str, Any]

# What each state of a check looks like.
MARKS = {"passed": "✓", "failed": "✗", "unknown": "?", "skipped": "–"}
STYLES = {"passed": "green", "failed": "red", "unknown": "yellow", "skipped": "dim"}
# Longer quotes are cut on the terminal only; `--json` has them whole.
QUOTE_WIDTH = 300


def show_answer(answer: Json, verified: bool, terminal: Terminal) -> None:
    """Print the answer, its sources, what did not pass, and the verdict."""
    console = terminal.console()
    console.print(_flowing(answer["text"]))
    for source in answer["sources"]:
        console.print()
        console.print(_heading(source))
        for quote in quotes(source, answer["claims"]):
            indented(console, f"“{quote}”", 4)
    console.print()
    for line in _open_points(answer):
        console.print(line)
    console.print(verdict_line(answer, verified))
    for warning in answer["warnings"]:
        terminal.note(f"warning: {warning}")


def indented(console: Console, text: str, columns: int) -> None:
    """Print the text dimmed and set in, every line of it; where nothing breaks lines, the one line."""
    from rich.padding import Padding
    from rich.text import Text

    if console.soft_wrap:
        console.print(" " * columns + text, style="dim")
    else:
        console.print(Padding(Text(text, "dim"), (0, 0, 0, columns), expand=False))


def verdict_line(answer: Json, verified: bool) -> Text:
    """The one line: mark, verdict, claims, what is missing, and how far to trust it."""
    if answer["outcome"] in ("abstained", "clarify"):
        what = "no answer" if answer["outcome"] == "abstained" else "the question is unclear"
        sufficiency = answer["judgement"]["sufficiency"]
        measured = (
            "evidence not measured" if sufficiency is None else f"sufficiency of the evidence {sufficiency:.2f}"
        )
        return marked("skipped", " · ".join([what, *_missing(answer), measured]))
    confidence = answer["confidence"]
    calibrated = "" if confidence["calibrated"] else " (uncalibrated)"
    level = f"confidence {confidence['level'].replace('_', ' ')}{calibrated}"
    status, what = _standing(answer["checks"], verified)
    parts = ["partial answer"] if answer["outcome"] == "partial" else []
    return marked(status, " · ".join([what, *parts, _quoting(answer["claims"]), *_missing(answer), level]))


def quotes(source: Json, claims: Sequence[Json]) -> list[str]:
    """What the claims quote from a source; where they quote nothing, how the source begins."""
    spans = [span for claim in claims for span in claim["spans"] if span["passage_id"] == source["passage_id"]]
    found = dict.fromkeys(span["quote"] for span in sorted(spans, key=lambda span: span["start"]))
    return [one_line(quote, QUOTE_WIDTH) for quote in found or [source["quote"]]]


def location(place: Json, title: str) -> str:
    """Page, slide, sheet, row and section, as a reader would say it; the section without the document's title.

    >>> location({"page": 3, "slide": None, "sheet": None, "row": None, "section": "Rates > Fees"}, "Rates")
    'page 3, Fees'
    """
    parts = [f"{name} {place[name]}" for name in ("page", "slide", "sheet", "row") if place[name] is not None]
    section = "" if place["section"] in (None, title) else place["section"].removeprefix(f"{title} > ")
    return one_line(", ".join([*parts, *([section] if section else [])]), 80)


def marked(status: str, text: str) -> Text:
    """The text behind the mark of a check's status."""
    from rich.text import Text

    return Text.assemble((MARKS[status], STYLES[status]), " ", text)


def check_lines(checks: Sequence[Json]) -> Iterator[Text]:
    """Each check with its mark, and why it did not pass."""
    for check in checks:
        claim = f", claim {check['claim']}" if check["claim"] is not None else ""
        cause = f": {one_line(check['cause'], QUOTE_WIDTH)}" if check["cause"] else ""
        yield marked(check["status"], f"{check['name']}{claim}{cause}")


def _heading(source: Json) -> str:
    title = one_line(source["title"], 80) or source["document_id"]
    where = location(source["location"], source["title"])
    return f"[{source['number']}] {title}{' · ' + where if where else ''}"


def _flowing(text: str) -> str:
    """The text with the line breaks of its sources taken out; blank lines stay."""
    return "\n\n".join(one_line(paragraph) for paragraph in text.split("\n\n"))


def _open_points(answer: Json) -> Iterator[Text]:
    open_checks = [each for each in answer["checks"] if each["status"] in ("failed", "unknown")]
    yield from check_lines([each for each in open_checks if each["severity"] != "warn"])


def _standing(checks: Sequence[Json], verified: bool) -> tuple[str, str]:
    if verified:
        return "passed", "verified"
    failed = any(each["severity"] == "block" and each["status"] == "failed" for each in checks)
    return ("failed" if failed else "unknown"), "not verified"


def _quoting(claims: Sequence[Json]) -> str:
    quoting = sum(claim["verdict"] == "supported" and bool(claim["spans"]) for claim in claims)
    verb = "quotes its source" if len(claims) == 1 else "quote their source"
    return f"{quoting} of {len(claims)} claim{'' if len(claims) == 1 else 's'} {verb}"


def _missing(answer: Json) -> list[str]:
    missing = answer["judgement"]["missing"]
    return [f"missing: {one_line('; '.join(missing), 120)}"] if missing else []
