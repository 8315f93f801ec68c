"""A comparison for people: as tables on the terminal, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.cli.difference_view import value_text
from assay.cli.terminal import MOST, Terminal, first_of_each, one_line
from assay.evals.reports.markdown import escaped
from assay.evals.reports.summary import value_text as metric_text

if TYPE_CHECKING:
    from assay.evals.compare import CaseChange, Comparison, LeftOut, MetricChange, SliceChange
    from assay.evals.gate import Gate, Requirement, Ruling

# Cases that are named: those that lost most under a failed requirement, and those left out for one reason. And how
# much of a slice's name is shown. All chosen.
_LOST, _LEFT_OUT, _SHORT = 5, 20, 60


@dataclass(frozen=True, slots=True)
class _Table:
    """A heading, the heads of the columns, and the rows; the first column is text, the others are set right."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def show_comparison(found: Comparison, terminal: Terminal) -> None:
    """Print the comparison: what differs, the tables, the gate, and last the one line that sums it up."""
    for line in (*_about(found), ""):
        terminal.line(line)
    for table in _tables(found):
        for line in (*_aligned(table), ""):
            terminal.line(line)
    for line in (*_notes(found), *_gate_lines(found)):
        terminal.line(line)
    terminal.line(summary(found))


def markdown(found: Comparison) -> str:
    """The comparison as Markdown, the one line that sums it up first."""
    lines = [f"<!-- {found.schema} -->", "# Comparison", "", f"**{escaped(summary(found))}**", ""]
    lines += [f"- {escaped(line)}" for line in _about(found)]
    for table in _tables(found):
        lines += ["", f"## {escaped(table.title)}", "", *_markdown_rows(table)]
    notes = [f"- {escaped(line.strip())}" for line in (*_notes(found), *_gate_lines(found))]
    return "\n".join([*lines, *(["", "## Notes", "", *notes] if notes else [])]) + "\n"


def summary(found: Comparison) -> str:
    """The comparison in one line: what the gate says, and which metrics changed beyond chance."""
    changed = [
        f"{effect}: {', '.join(names)}"
        for effect in ("worse", "better", "changed")
        if (names := found.named(effect))
    ]
    if not changed and (found.gate is None or found.gate.passed):
        changed = ["no metric differs beyond chance"]
    return "; ".join([*([_gate_word(found.gate)] if found.gate else []), *changed])


def _gate_word(gate: Gate) -> str:
    kept = sum(ruling.status == "passed" for ruling in gate.rulings)
    names = dict.fromkeys(ruling.requirement.metric for ruling in gate.rulings if ruling.status != "passed")
    verdict = "passed" if gate.passed else f"FAILED on {', '.join(names)}"
    return f"gate {verdict} ({kept} of {len(gate.rulings)} kept)"


def _about(found: Comparison) -> Iterator[str]:
    """Lines on what was compared."""
    yield f"A: {one_line(found.first)}"
    yield f"B: {one_line(found.second)}"
    for change in found.settings:
        yield f"{change.path}: {value_text(change.before)} in A, {value_text(change.after)} in B"
    if not found.settings:
        yield "both are set up alike"
    left_out = f"; left out: {len(found.left_out):,}" if found.left_out else ""
    yield f"cases compared: {found.cases:,}{left_out}"
    moves = [f"{move.first} → {move.second}: {move.n:,}" for move in found.outcomes if move.first != move.second]
    yield f"outcomes that differ: {', '.join(moves) or 'none'}"


def _tables(found: Comparison) -> Iterator[_Table]:
    """The metrics, and their slices."""
    shown = [metric for metric in found.metrics if metric.first is not None and metric.second is not None]
    yield _Table(
        "Metrics",
        ("", "pairs", "A", "B", "change", "95 % interval", "p", "effect"),
        tuple(_metric_row(metric) for metric in shown),
    )
    gated = {ruling.requirement.metric for ruling in found.gate.rulings} if found.gate else set()
    # Slices of what did not move, or is no share and nobody asked about, would bury the others.
    parted = [metric for metric in shown if metric.effect != "same" and (metric.name in gated or not metric.unit)]
    for key in dict.fromkeys(part.key for metric in parted for part in metric.slices):
        rows = [_slice_row(metric, part) for metric in parted for part in metric.slices if part.key == key]
        if len(rows) > MOST:
            rows[MOST:] = [(f"… and {len(rows) - MOST:,} more (--json has all)", *[""] * 5)]
        yield _Table(f"By {one_line(key)}", ("", "pairs", "A", "B", "change", "95 % interval"), tuple(rows))


def _metric_row(metric: MetricChange) -> tuple[str, ...]:
    if metric.effect == "same":
        value = metric_text(metric.first, metric.unit)
        return (metric.name, f"{metric.n:,}", value, value, "", "", "", "same")
    if metric.p is None:
        return (metric.name, "", *_figures(metric, metric.unit), "", "")
    return (metric.name, f"{metric.n:,}", *_figures(metric, metric.unit), _p(metric.p), metric.effect)


def _slice_row(metric: MetricChange, part: SliceChange) -> tuple[str, ...]:
    name = f"{metric.name}, {one_line(part.value, _SHORT)}"
    figures = ("n too few", "", "", "") if part.first is None else _figures(part, metric.unit)
    return (name, f"{part.n:,}", *figures)


def _figures(change: MetricChange | SliceChange, unit: str) -> tuple[str, str, str, str]:
    """Both values, the difference and its interval."""
    interval = ""
    if change.low is not None and change.high is not None:
        interval = f"{_signed(change.low, unit)} to {_signed(change.high, unit)}"
    return (
        metric_text(change.first, unit),
        metric_text(change.second, unit),
        _signed(change.difference, unit),
        interval,
    )


def _signed(value: float | None, unit: str) -> str:
    """A change with its sign."""
    return "" if value is None else f"{'-' if value < 0 else '+'}{metric_text(abs(value), unit)}"


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.0005 else "<.001"


def _notes(found: Comparison) -> Iterator[str]:
    """Notes on what the tables do not show."""
    moved = sum(metric.p is not None and metric.effect != "same" for metric in found.metrics)
    if moved:
        yield (
            f"p is two-sided; the effect goes by p corrected for {moved} metrics (Holm), at .05; unclear: chance "
            "alone may make such a difference"
        )
    unpaired = [(metric.name, metric.unpaired) for metric in found.metrics if metric.unpaired]
    for count in dict.fromkeys(count for _, count in unpaired):
        names = ", ".join(name for name, own in unpaired if own == count)
        yield f"on one side only, and left out: {count:,} cases of {names}"
    missing = [metric for metric in found.metrics if metric.first is None or metric.second is None]
    for cause in dict.fromkeys(metric.cause for metric in missing):
        names = ", ".join(metric.name for metric in missing if metric.cause == cause)
        yield f"not compared: {names}: {cause}"
    yield from _left_out_lines(found.left_out)


def _left_out_lines(left_out: Sequence[LeftOut]) -> Iterator[str]:
    """The cases that were left out, by reason."""
    reasons = dict.fromkeys(one.why for one in left_out)
    for why in reasons:
        cases = [one.case for one in left_out if one.why == why]
        shown = first_of_each(cases, lambda _case: "cases", _LEFT_OUT)
        more = f" and {sum(shown.more.values()):,} more (--json has all)" if shown.more else ""
        yield f"left out, {one_line(why)}: {', '.join(map(one_line, shown.first))}{more}"


def _gate_lines(found: Comparison) -> Iterator[str]:
    """The rulings; of a requirement that failed also the cases that lost most."""
    if found.gate is None:
        return
    metrics = {metric.name: metric for metric in found.metrics}
    for ruling in found.gate.rulings:
        metric = metrics[ruling.requirement.metric]
        yield f"{ruling.status}: {ruling.requirement}: {_ruling_text(ruling, metric)}"
        if ruling.status == "failed" and metric.lost:
            lost = (_case_text(case, metric.unit) for case in metric.lost[:_LOST])
            yield f"  worst: {', '.join(lost)}"


def _case_text(case: CaseChange, unit: str) -> str:
    return f"{one_line(case.case)} ({metric_text(case.first, unit)} → {metric_text(case.second, unit)})"


def _ruling_text(ruling: Ruling, metric: MetricChange) -> str:
    """The reason for the ruling on a requirement, with the figures."""
    requirement = ruling.requirement
    if ruling.change is None or ruling.limit is None or ruling.adjusted is None:
        return ruling.why
    if ruling.change <= 0:
        moved = f"it did not {requirement.direction}"
    else:
        verb = {"fall": "fell", "rise": "rose"}[requirement.direction]
        moved = f"it {verb} by {_amount(ruling.change, requirement, metric)}"
    if ruling.change > ruling.limit:
        moved += f", p {_p(ruling.adjusted)}: {ruling.why}"
    if ruling.status == "passed" and ruling.smallest is not None and ruling.smallest > ruling.limit:
        smallest = _amount(ruling.smallest, requirement, metric)
        if smallest != _amount(ruling.limit, requirement, metric):
            moved += f"; a change below {smallest} cannot be told from chance here"
    return moved


def _amount(value: float, requirement: Requirement, metric: MetricChange) -> str:
    """A change in the unit of the requirement."""
    if requirement.unit == "points":
        return f"{100 * value:.1f} points"
    if requirement.unit == "%" and metric.first:
        return f"{100 * value / abs(metric.first):.1f} %"
    return metric_text(value, metric.unit)


def _aligned(table: _Table) -> Iterator[str]:
    """The table in columns, the first set left and the others right."""
    rows = [table.heads, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.heads))]
    yield table.title
    for row in rows:
        cells = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        yield "  ".join(cells).rstrip()


def _markdown_rows(table: _Table) -> Iterator[str]:
    yield f"| {' | '.join(table.heads)} |"
    yield f"|{'---|' * len(table.heads)}"
    for row in table.rows:
        yield f"| {' | '.join(map(escaped, row))} |"
