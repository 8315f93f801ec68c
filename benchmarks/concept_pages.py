"""The tables of docs/concepts that come from results: what each stage earns, and assay beside other tools.

`python benchmarks/report.py` writes them between the two comments of each page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from report import ROOT, kept, where

STAGES = ROOT / "docs" / "concepts" / "what-each-stage-earns.md"
BESIDE = ROOT / "docs" / "concepts" / "beside-other-tools.md"
STAGES_RESULT, QUALITY_RESULT, CLAIMS_RESULT = (
    "stages/results/run",
    "peers/results/quality",
    "peers/results/claim_checks",
)
_FIGURES = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end of figures -->)", re.DOTALL)
# The figures of the stages by their table, and whether more is better.
ASKED = {"right shown": True, "wrong shown": False, "wrong marked ✓": False, "good refused": False}
DRAFTED = {"good kept": True, "bad passed": False, "corrected rightly": True}
GROUPS = {
    "all": "Both sets over other documents",
    "documentations": "Documentations of other projects",
    "wiki-mix": "Encyclopaedia passages",
    "own docs": "The documentation of assay",
}
SHOWN = {
    "gold shown": ".0%",
    "gold shown early": ".0%",
    "wrong shown": ".0%",
    "wrong marked ✓": ".0%",
    "answerable refused": ".0%",
    "not answerable refused": ".0%",
    "words shown": ".0f",
    "CPU ms": ".0f",
}
CHECKED = (
    "AUROC",
    "true called supported",
    "false called supported",
    "true flagged",
    "false flagged",
    "strict: true called supported",
    "strict: false called supported",
)


# --- what each stage earns -----------------------------------------------------------------------


def verdict(stage: Mapping[str, Any], better: Mapping[str, bool]) -> str:
    """What a stage's intervals say: gain, loss, both, or no gain shown.

    >>> fewer_wrong = {"wrong shown": {"low": -0.2, "high": -0.1}, "right shown": {"low": -0.1, "high": 0.1}}
    >>> verdict(fewer_wrong, {"wrong shown": False, "right shown": True})
    'gain: wrong shown'
    """
    gains, losses = [], []
    for what, more_is_better in better.items():
        found = stage[what]
        if found is None or found["low"] <= 0 <= found["high"]:
            continue
        (gains if (found["low"] > 0) is more_is_better else losses).append(what)
    said = [f"{word}: {', '.join(names)}" for word, names in (("gain", gains), ("price", losses)) if names]
    return "; ".join(said) if gains else "**no gain shown**" + "".join(f"; {one}" for one in said)


def stage_table(stages: Mapping[str, Any], better: Mapping[str, bool]) -> str:
    """A row a stage: by how many points each figure is higher with it, and what that says."""
    head = f"| stage | {' | '.join(better)} | CPU ms | says |\n|{'---|' * (len(better) + 3)}\n"
    return head + "".join(
        f"| {name} | {' | '.join(points(stage[what]) for what in better)} "
        f"| {milliseconds(stage['CPU ms'])} | {verdict(stage, better)} |\n"
        for name, stage in stages.items()
    )


def points(found: Mapping[str, float] | None) -> str:
    """A difference of shares in points, with its interval.

    >>> points({"difference": 0.125, "low": 0.05, "high": 0.2}), points(None)
    ('+12.5 (+5.0 to +20.0)', '')
    """
    if found is None:
        return ""
    if found["difference"] == found["low"] == found["high"] == 0:
        return "0"
    middle, low, high = (f"{100 * found[name]:+.1f}" for name in ("difference", "low", "high"))
    return f"{middle} ({low} to {high})"


def milliseconds(found: Mapping[str, float]) -> str:
    """A difference of CPU time, with its interval.

    >>> milliseconds({"difference": 12.5, "low": 10.0, "high": 15.0})
    '+12 (+10 to +15)'
    """
    middle, low, high = (f"{found[name]:+.0f}" for name in ("difference", "low", "high"))
    return f"{middle} ({low} to {high})"


def stages_figures() -> str:
    """The tables of the stages, and what is off in each."""
    body = kept(STAGES_RESULT)
    if body is None:
        return "Not measured yet.\n"
    asked, drafted = body["numbers"]["questions"], body["numbers"]["drafts"]
    one = next(iter(asked.values()))
    counts = f"{one['wrong shown']['n']} questions, {one['right shown']['n']} of them answerable"
    base = ", ".join(f"{what} {100 * one[what]['with']:.0f} %" for what in ASKED)
    off = "".join(f"| {name} | {stage['off']} |\n" for name, stage in asked.items())
    drafts = next(iter(drafted.values()))["good kept"]["n"] if drafted else 0
    return (
        f"Measured: {where(body)}. {counts}. As shipped: {base}, "
        f"{one['CPU ms']['with']:.0f} ms of CPU a question.\n\n"
        f"{stage_table(asked, ASKED)}\n"
        f"The same on {drafts} drafts with marked errors, where these stages have most to do:\n\n"
        f"{stage_table(drafted, DRAFTED)}\n"
        f"What is left out:\n\n| stage | off means |\n|---|---|\n{off}"
    )


# --- beside other tools --------------------------------------------------------------------------


def quality_figures() -> str:
    """The tables of what each program shows, and of how assay stands beside the best of the others."""
    body = kept(QUALITY_RESULT)
    if body is None:
        return "Not measured yet.\n"
    numbers = body["numbers"]
    versions = ", ".join(f"{name} {version}" for name, version in numbers["versions"].items())
    tables = []
    for group, title in GROUPS.items():
        programs = {name: row for name, row in numbers[group].items() if "questions" in row}
        # Only assay marks answers.
        unmarked = {name: dict(row) for name, row in programs.items() if name != "assay"}
        for row in unmarked.values():
            del row["wrong marked ✓"]
        first = next(iter(programs.values()))
        rows = table(programs | unmarked, SHOWN, "program")
        ratios = "".join(
            f"- {name}: {row['ratio']:.2f} times that of {row['best peer']}; difference {points(row)} points\n"
            for name, row in numbers[group].items()
            if "ratio" in row
        )
        counts = f"{first['questions']} questions, {first['answerable']} of them answerable."
        tables.append(f"### {title}\n{counts}\n\n{rows}\n{ratios}")
    return f"Measured: {where(body)}; {versions}.\n\n" + "\n".join(tables)


def claims_figures() -> str:
    """The table of claim checking."""
    body = kept(CLAIMS_RESULT)
    if body is None:
        return "Not measured yet.\n"
    numbers = body["numbers"]
    natural, others = numbers["natural"], [found for found in numbers.values() if "claims" in found][1:]
    counts = [sum(found[what] for found in others) for what in ("claims", "true")]
    titles = {
        "natural": f"Natural claims: {natural['claims']}, {natural['true']} of them true",
        "mean of the six others": f"Mean of six other sets: {counts[0]} claims in all, {counts[1]} of them true",
    }
    tables = [
        f"{title}:\n\n{table(systems_of(numbers[name]), dict.fromkeys(CHECKED, '.2f'), 'method')}"
        for name, title in titles.items()
    ]
    return f"Measured: {where(body)}.\n\n" + "\n".join(tables)


def systems_of(found: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The figures of each method in a set."""
    return {system: row for system, row in found.items() if isinstance(row, dict)}


def table(rows: Mapping[str, Mapping[str, float]], columns: Mapping[str, str], first: str) -> str:
    """A Markdown table of numbers in their forms; a number that a row lacks is left empty."""
    head = f"| {first} | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}\n"
    return head + "".join(
        f"| {name} | {' | '.join(shown(row, what, form) for what, form in columns.items())} |\n"
        for name, row in rows.items()
    )


def shown(row: Mapping[str, float], what: str, form: str) -> str:
    """A number of a row in its form, "" where the row lacks it."""
    return f"{row[what]:{form}}".replace("%", " %") if what in row else ""


PAGES: Sequence[Path] = (STAGES, BESIDE)
FIGURES: Mapping[str, Callable[[], str]] = {
    "stages": stages_figures,
    "quality": quality_figures,
    "claims": claims_figures,
}


def with_figures(page: Path) -> str:
    """The page with its figures as they are now."""
    return _FIGURES.sub(
        lambda match: match.group(1) + FIGURES[match.group(2)]() + match.group(3), page.read_text(encoding="utf-8")
    )


def write() -> None:
    """Write the figures into their pages."""
    for page in PAGES:
        page.write_text(with_figures(page), encoding="utf-8")
