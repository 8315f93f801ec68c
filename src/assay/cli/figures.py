"""figures: what checks and repairs did over the recorded runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from assay.cli.flags import THE_COLLECTION, AsJson, Given, takes
from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from assay.records.series import Every
    from assay.types import Figures, FiguresRow, RunningMean, Spike

Since = Annotated[
    datetime | None,
    typer.Option(
        "--since",
        formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"],
        metavar="DATE",
        help="Only runs since this day, e.g. 2026-01-31.",
    ),
]


By = Annotated[Literal["hour", "day"] | None, typer.Option("--by", help="Print a row for each hour or day.")]


@takes(*THE_COLLECTION)
def figures(
    terminal: Terminal,
    *,
    given: Given,
    since: Since = None,
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Summarise the recorded runs.

    Prints what the checks found, what the repairs did, and the cost in time and money. With --by, a row is printed
    for each hour or day (UTC), and values that differ markedly from earlier ones are pointed out. Without
    --collection, runs of all collections are counted.

    \b
    assay figures
    assay figures --since 2026-01-31 --json
    assay figures --by day
    """
    from assay.records.figures import summed
    from assay.records.series import series, spikes
    from assay.settings import load_settings
    from assay.types import plain
    from assay.wiring.recording import opened_record

    with opened_record(load_settings(given).settings) as records:
        runs = records.figures(seconds_of(since), given.get("collection"))
    found = summed(run.figures for run in runs)
    rows = () if by is None else series(runs, by)
    unusual = spikes(rows)
    if as_json:
        over_time = {"series": plain(rows), "spikes": plain(unusual)}
        terminal.object({**found.to_dict(), **({} if by is None else over_time)})
        return
    if not found.runs:
        terminal.note("no runs are recorded yet" if since is None else "no runs are recorded since then")
        return
    for line in lines(found) if by is None else row_lines(rows, unusual, by):
        terminal.line(line)


def row_lines(rows: Sequence[FiguresRow], unusual: Sequence[Spike], by: Every) -> Iterator[str]:
    """A table of the rows, then the unusual values."""
    head = ("runs", "errors", "declined", "reflected", "cited", "confid.", "ms p50", "ms p95", "tokens", "dollars")
    yield f"{by:17}" + "".join(f"{name:>10}" for name in head)
    for row in rows:
        shares = (row.failed_share, row.abstained_share, row.reflection_rate, row.citation_validity)
        cells = [str(row.runs), *("" if share is None else f"{100 * share:.1f} %" for share in shares)]
        numbers = [(row.confidence, ".2f"), (row.ms_p50, ".0f"), (row.ms_p95, ".0f")]
        numbers += [(row.tokens, ".0f"), (row.cost, ".4f")]
        cells += ["" if value is None else format(value, form) for value, form in numbers]
        yield f"{_start(row.start, by):17}" + "".join(f"{cell:>10}" for cell in cells).rstrip()
    if unusual:
        yield ""
    for spike in unusual:
        yield (
            f"{spike.kind} {_start(spike.start, by)}: {spike.name} is {spike.value:.4g}, usually {spike.usual:.4g}"
        )


def _start(seconds: float, by: Every) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d" if by == "day" else "%Y-%m-%d %H:%M")


def seconds_of(since: datetime | None) -> float:
    """The day as Unix seconds; a day out of the clock's range counts as 0 or infinity."""
    try:
        return since.astimezone().timestamp() if since else 0.0
    except (ValueError, OverflowError, OSError):  # the first and the last year that a date can have
        return 0.0 if since is None or since.year < 1970 else float("inf")


def lines(found: Figures) -> list[str]:
    """The figures as lines for people."""
    told = [
        ("runs", f"{found.runs}, of them {found.delivered} with an answer and {found.failed} with an error"),
        ("reflection rate", f"{_share(found.reflection_rate)} ({found.reflected} of {found.delivered} delivered)"),
        ("reflections", f"{found.reflections} in all"),
        ("iterations", f"{_number(found.iterations)} drafts per answer on average"),
        (
            "net improvement",
            f"{found.net_improvement:+d}: {found.improved} claims fixed, {found.regressed} made worse",
        ),
        ("repairs", ", ".join(f"{count} {kind}" for kind, count in found.repairs.items()) or "none"),
        ("quality", _mean(found.quality, "not assessed")),
        (
            "citation validity",
            f"{_share(found.citation_validity)} ({found.citations - found.invalid_citations} of {found.citations})",
        ),
        ("cost", _mean(found.costs, "of unknown price", " US dollars a run")),
        ("time", _mean(found.ms, "not measured", " ms a run", places=0)),
        *_tries_lines(found),
        *_reuse_lines(found),
    ]
    return [f"{name:18} {value}" for name, value in told] + _check_lines(found)


def _tries_lines(found: Figures) -> list[tuple[str, str]]:
    """The attempts per model reply; empty if no model replied."""
    if not found.tries.replies:
        return []
    first = f"{_share(found.first_try_share)} of {found.tries.replies} replies at the first try"
    return [("model replies", f"{first}, {_number(found.mean_tries)} tries on average")]


def _reuse_lines(found: Figures) -> list[tuple[str, str]]:
    """Lines on how often a kept answer was given again; empty if none was looked for."""
    if not found.lookups:
        return []
    saved = f"{found.saved_calls} model call{'' if found.saved_calls == 1 else 's'} saved"
    return [("kept answers", f"{_share(found.reuse_share)} of {found.lookups} looked for were served, {saved}")]


def _check_lines(found: Figures) -> list[str]:
    """A table of check results and times, then the use of models by checks."""
    if not found.checks:
        return []
    head = f"{'check':18} {'passed':>8} {'failed':>8} {'unknown':>8} {'skipped':>8} {'ms':>10}"
    rows = [_check_line(name, found) for name in sorted({*found.checks, *found.check_costs})]
    return ["", head, *rows, *_model_lines(found), "", *_explained(found)]


def _check_line(name: str, found: Figures) -> str:
    """The row of a check; work that several checks share has no results."""
    counts, cost = found.checks.get(name), found.check_costs.get(name)
    ends = [""] * 4 if counts is None else [counts.passed, counts.failed, counts.unknown, counts.skipped]
    ms = "" if cost is None else f"{cost.ms:.1f}"
    return " ".join((f"{one_line(name, 18):18}", *(f"{end:>8}" for end in ends), f"{ms:>10}")).rstrip()


def _model_lines(found: Figures) -> list[str]:
    """The model calls, tokens and cost of checks."""
    asked = {name: cost for name, cost in found.check_costs.items() if cost.usage.calls or cost.kept}
    if not asked:
        return []
    head = f"{'asks a model':18} {'calls':>8} {'tokens':>8} {'dollars':>10} {'kept':>8}"
    rows = (
        f"{one_line(name, 18):18} {cost.usage.calls:>8} {_or_unknown(cost.usage.total_tokens, 'd'):>8} "
        f"{_or_unknown(cost.usage.cost, '.4f'):>10} {cost.kept:>8}"
        for name, cost in asked.items()
    )
    return ["", head, *rows]


def _or_unknown(value: float | None, form: str) -> str:
    return "unknown" if value is None else format(value, form)


def _explained(found: Figures) -> list[str]:
    """A legend of the times."""
    if not found.measured:
        return ["no check was timed in these runs"]
    of = f"{found.measured} of {found.delivered} delivered"
    return [f"ms: in all, in {of}; reading: what the checks of a claim share; rules: what those of rules share"]


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"


def _mean(value: RunningMean, without: str, unit: str = "", places: int = 2) -> str:
    """A mean with its deviation, its count, and the number of runs without a value."""
    left = f"{value.unjudged} {without}"
    if value.mean is None:
        return f"unknown ({left})"
    spread = "" if value.deviation is None else f" ± {value.deviation:.{places}f}"
    return f"{value.mean:.{places}f}{spread}{unit} (of {value.count}; {left})"


VERBS = (figures,)
