"""Plots as SVG, drawn as a tree of elements: reliability, risk over coverage, latencies."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from assay.records.report import element

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
    """What was right, over the stated probability; calibrated probabilities lie on the diagonal."""
    return plot(points, "stated probability", "share right", line=False, diagonal=True)


def risk_coverage_plot(points: Points) -> Element:
    """What is wrong of what is answered, over the share that is answered."""
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
