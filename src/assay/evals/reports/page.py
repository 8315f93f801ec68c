"""An evaluation as one page of HTML that loads nothing and runs nothing, with its plots as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from xml.etree.ElementTree import Element

from assay.evals.reports.summary import (
    ARROWS,
    HEADLINES,
    LEGEND,
    Summary,
    headline,
    judge_text,
    measured,
    not_measured,
    state,
    value_text,
)
from assay.evals.run_folder import Evaluation
from assay.records.report import STYLE, Part, element, page, table

# The page's own style; the mark says which program's report the file is.
_STYLE = f"""/* {Evaluation.schema} */
{STYLE}
table {{ table-layout: fixed; }} td {{ overflow-wrap: anywhere; }}
.plots {{ display: flex; flex-wrap: wrap; gap: 1.5rem; }} .plots figure {{ margin: 0; flex: 1 1 17rem; }}
svg {{ width: 100%; height: auto; font: 10px system-ui, sans-serif; }}
svg text {{ fill: currentColor; }} .middle {{ text-anchor: middle; }} .end {{ text-anchor: end; }}
.axis, .guide, .series {{ fill: none; stroke: currentColor; }} .axis {{ stroke-width: 1; }}
.guide {{ stroke-dasharray: 4 4; opacity: .5; }} .series {{ stroke: #2a6fbb; stroke-width: 2; }}
.point {{ fill: #2a6fbb; }} figcaption {{ color: var(--quiet); font-size: .85rem; }}
"""


def report_page(summary: Summary) -> str:
    """The page of a summary; texts of data sets, documents and models are always shown as text."""
    about = summary.evaluation
    return page(f"assay: evaluation of {about.dataset}", _STYLE, *_parts(summary))


def _parts(summary: Summary) -> Iterator[Part]:
    yield element("h1", f"Evaluation of {summary.evaluation.dataset}")
    yield element("p", f"{headline(summary)}.")
    yield element("p", f"{state(summary)}.", kind=f"verdict {'failed' if summary.failed else 'passed'}")
    yield element("p", f"{LEGEND}; n counts cases.", kind="quiet")
    yield from _plots(summary)
    for group, metrics in measured(summary).items():
        yield element("h2", group)
        yield table(
            ("metric", "value", "n"),
            (
                (f"{metric.name} {ARROWS[metric.better]}", value_text(metric.value, metric.unit), str(metric.n))
                for metric in metrics
            ),
        )
        if group == "groundedness":
            yield element("p", f"{judge_text(summary)}.", kind="quiet")
    yield from _slices(summary)
    yield from _failures(summary)
    yield from _wrong(summary)
    yield from _causes(summary)
    yield from _foot(summary)


def _plots(summary: Summary) -> Iterator[Part]:
    """The plots of what was measured."""
    drawn = []
    if curve := summary.metric("ece").curve:
        drawn.append((reliability_plot(curve), "Reliability: calibrated probabilities lie on the diagonal."))
    if curve := summary.metric("aurc").curve:
        drawn.append((risk_coverage_plot(curve), "Risk over coverage, the best evidence first."))
    if times := summary.metric("latency_p50").per_case:
        drawn.append((latency_plot(list(times.values())), "Time to the whole answer."))
    if drawn:
        figures = (element("figure", plot, element("figcaption", text)) for plot, text in drawn)
        yield element("div", *figures, kind="plots")


def _slices(summary: Summary) -> Iterator[Part]:
    if not summary.slices:
        return
    names = [name for name in HEADLINES if any(name in part.metrics for part in summary.slices)]
    yield element("h2", "slices")
    yield table(
        ("slice", "n", *names),
        (
            (
                f"{part.name}: {part.value}",
                str(part.cases),
                *(value_text(part.metrics.get(name), "") for name in names),
            )
            for part in summary.slices
        ),
    )


def _failures(summary: Summary) -> Iterator[Part]:
    if summary.failures:
        yield element("h2", "failed")
        yield _listed(len(summary.failures), summary.failed)
        yield table(
            ("case", "error", "what it says"), ((one.case, one.error, one.message) for one in summary.failures)
        )


def _wrong(summary: Summary) -> Iterator[Part]:
    if summary.wrong:
        yield element("h2", "not right")
        yield table(
            ("case", "question", "expected", "answer"),
            (
                (one.case, one.question, one.expected, element("span", one.text, title=f"run {one.run_id}"))
                for one in summary.wrong
            ),
        )


def _listed(shown: int, of: int) -> Part:
    return element("p", f"The first {shown} of {of}; the folder has all.", kind="quiet") if shown < of else None


def _causes(summary: Summary) -> Iterator[Part]:
    causes = not_measured(summary)
    if causes:
        yield element("h2", "not measured")
        yield table(("metrics", "cause"), ((", ".join(names), cause) for cause, names in causes.items()))


def _foot(summary: Summary) -> Iterator[Part]:
    about = summary.evaluation
    started = datetime.fromtimestamp(about.started, UTC).strftime("%Y-%m-%d %H:%M UTC")
    rows = [
        ("data set", f"{about.dataset} ({about.shape}), SHA-256 {about.dataset_sha256}"),
        ("started", started),
        ("assay", about.version),
        ("collection", f"{about.collection or '–'}, version {about.collection_version}"),
        *((name, value) for name, value in about.models.items()),
        *((f"setting {name}", str(value)) for name, value in about.settings.items()),
        ("folder", summary.folder),
    ]
    yield element("h2", "how it was made")
    yield table(("what", "value"), rows)


Points = Sequence[tuple[float, float]]
# The size of a plot in pixels, and the room around it for the axes and their numbers.
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _BELOW, _ABOVE = 320, 240, 46, 24, 40, 10
_TICKS = 5


def plot(
    points: Points, across: str, up: str, *, most: float = 1.0, line: bool = True, diagonal: bool = False
) -> Element:
    """A plot of points from 0 to `most` across and 0 to 1 up; `across` and `up` name the axes.

    With `diagonal`, the line on which both are the same is drawn too.
    """
    marks = [_place(x / most if most else 0.0, y) for x, y in points]
    parts = [*_axes(across, up, most)]
    if diagonal:
        parts.append(_line([_place(0, 0), _place(1, 1)], "guide"))
    if line:
        parts.append(_line(marks, "series"))
    else:
        parts += [element("circle", cx=_px(x), cy=_px(y), r="4", kind="point") for x, y in marks]
    return element(
        "svg", element("title", f"{up} by {across}"), *parts, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img"
    )


def reliability_plot(points: Points) -> Element:
    """Share of right answers over the stated probability; calibrated probabilities lie on the diagonal."""
    return plot(points, "stated probability", "share right", line=False, diagonal=True)


def risk_coverage_plot(points: Points) -> Element:
    """Share of wrong answers over the share that is answered."""
    return plot(points, "share answered", "share wrong of these")


def latency_plot(times: Sequence[float]) -> Element:
    """The share of the questions answered within a time, in milliseconds."""
    ordered = sorted(times)
    points = [(ms, (n + 1) / len(ordered)) for n, ms in enumerate(ordered)]
    step = max(1, len(points) // 300)
    kept = [*points[::step], points[-1]]
    return plot([(kept[0][0], 0.0), *kept], "milliseconds", "share answered within", most=max(ordered))


def _place(x: float, y: float) -> tuple[float, float]:
    """The pixel of a point in the unit square."""
    return _LEFT + x * (_WIDTH - _LEFT - _RIGHT), _ABOVE + (1 - y) * (_HEIGHT - _BELOW - _ABOVE)


def _px(value: float) -> str:
    return f"{value:.1f}"


def _line(places: Points, kind: str) -> Element:
    return element("polyline", points=" ".join(f"{_px(x)},{_px(y)}" for x, y in places), kind=kind)


def _axes(across: str, up: str, most: float) -> list[Element]:
    corner, right, top = _place(0, 0), _place(1, 0), _place(0, 1)
    parts = [_line([top, corner, right], "axis")]
    for n in range(_TICKS + 1):
        share = n / _TICKS
        x, y = _place(share, 0)
        parts.append(element("text", _tick(share * most), x=_px(x), y=_px(y + 14), kind="tick middle"))
        x, y = _place(0, share)
        parts.append(element("text", _tick(share), x=_px(x - 5), y=_px(y + 3), kind="tick end"))
    middle = (_LEFT + _WIDTH) / 2
    parts.append(element("text", across, x=_px(middle), y=_px(_HEIGHT - 6), kind="name middle"))
    at = f"rotate(-90 12 {_px(_HEIGHT / 2)})"
    parts.append(element("text", up, x="12", y=_px(_HEIGHT / 2), transform=at, kind="name middle"))
    return parts


def _tick(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:g}" if value in (0, 1) else f"{value:.1f}"
