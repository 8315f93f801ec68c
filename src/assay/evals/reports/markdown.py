"""An evaluation as Markdown, for a comment or a wiki."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

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

# What Markdown or HTML would read as markup.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown(summary: Summary) -> str:
    """The summary as a document of Markdown; texts of data sets and documents are escaped."""
    return "\n".join(_lines(summary)) + "\n"


def escaped(text: str) -> str:
    r"""The text on one line, with a backslash before whatever could be markup.

    >>> escaped("a | b\n<i>")
    'a \\| b \\<i\\>'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _lines(summary: Summary) -> Iterator[str]:
    about = summary.evaluation
    yield f"<!-- {Evaluation.schema} -->"
    yield f"# Evaluation of {escaped(about.dataset)}"
    yield ""
    yield f"{escaped(headline(summary))}. {escaped(state(summary))}. assay {about.version}."
    settings = ", ".join(f"{name} = {value}" for name, value in about.settings.items())
    if settings:
        yield f"Settings: {escaped(settings)}."
    yield ""
    yield f"{LEGEND}; n counts cases."
    for group, metrics in measured(summary).items():
        yield ""
        rows = (
            (
                f"{escaped(metric.name)} {ARROWS[metric.better]}",
                value_text(metric.value, metric.unit),
                str(metric.n),
            )
            for metric in metrics
        )
        yield from _table((group, "value", "n"), rows)
    if note := judge_text(summary):
        yield from ("", f"{escaped(note)}.")
    yield from _slices(summary)
    yield from _lists(summary)


def _slices(summary: Summary) -> Iterator[str]:
    if not summary.slices:
        return
    names = [name for name in HEADLINES if any(name in part.metrics for part in summary.slices)]
    yield from ("", "## Slices", "")
    rows = (
        (
            f"{escaped(part.name)}: {escaped(part.value)}",
            str(part.cases),
            *(value_text(part.metrics.get(name), "") for name in names),
        )
        for part in summary.slices
    )
    yield from _table(("slice", "n", *(escaped(name) for name in names)), rows)


def _lists(summary: Summary) -> Iterator[str]:
    if summary.failures:
        yield from ("", "## Failed", "")
        rows = ((escaped(one.case), escaped(one.error), escaped(one.message)) for one in summary.failures)
        yield from _table(("case", "error", "what it says"), rows)
    if summary.wrong:
        yield from ("", "## Not right", "")
        found = (
            (escaped(one.case), escaped(one.question), escaped(one.expected), escaped(one.text))
            for one in summary.wrong
        )
        yield from _table(("case", "question", "expected", "answer"), found)
    causes = not_measured(summary)
    if causes:
        yield from ("", "## Not measured", "")
        yield from (f"- {escaped(', '.join(names))}: {escaped(cause)}" for cause, names in causes.items())


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
