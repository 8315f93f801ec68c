"""eval: ask the questions of a data set, and measure the answers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from assay.cli import flags
from assay.cli.exits import Exit
from assay.cli.flags import FOR_ANSWERS, AsJson, Given, takes
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal, one_line, reason_of
from assay.errors import UsageError

if TYPE_CHECKING:
    from typer import _click

    from assay.engine import Engine
    from assay.evals.cases import Case
    from assay.evals.datasets import Dataset
    from assay.evals.reports.summary import Summary
    from assay.evals.results import CaseResult
    from assay.evals.run_folder import Evaluation
    from assay.settings import Resolved

DataSet = Annotated[
    Path,
    typer.Argument(
        metavar="DATASET",
        help="Questions: JSON lines, a ragas or DeepEval file, or a BEIR or TREC folder.",
    ),
]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Ask only the first N questions.")]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Ask with this setting, by its name; repeatable."),
]
Repeat = Annotated[int, typer.Option("--repeat", metavar="N", min=1, max=100, help="Ask each question N times.")]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", metavar="N", min=1, max=256, help="Questions to ask at once. [default: 8 with a model, else 1]"
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FOLDER",
        help="Folder for the results; an unfinished evaluation in it is resumed. "
        "[default: a new folder in the data folder]",
    ),
]
Report = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Also write a report: FILE.html or FILE.md.")
]
_SET_HINT = "give e.g. --set k=20; `assay config show` lists every setting"
# What says nothing of how questions are answered, or stands elsewhere in an evaluation.
_NOT_KEPT = frozenset({"data_dir", "collection", "profile", "record", "tape", "traces", "telemetry_texts"})
# Failed questions that the terminal names; a report has more.
_NAMED = 5
_WIDTHS = (28, 12, 8)


class EvalGroup(TyperGroup):
    """The group of `assay eval`: arguments that begin with none of its verbs are those of `run`."""

    def parse_args(self, ctx: _click.Context, args: list[str]) -> list[str]:
        """Put the verb that is meant before what was typed."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@takes(*FOR_ANSWERS)
def run_(
    terminal: Terminal,
    dataset: DataSet,
    *,
    given: Given,
    limit: Limit = None,
    changes: Changes = None,
    repeat: Repeat = 1,
    jobs: Jobs = None,
    out: Out = None,
    report: Report = None,
    ray: flags.Ray = None,
    workers: flags.Workers = None,
    as_json: AsJson = False,
) -> None:
    """Ask the questions of a data set, and measure the answers.

    `assay eval DATASET` is short for `assay eval run DATASET`. A data set contains questions and what is known
    about their answers; the rest is not measured. A question that cannot be answered because of an error counts as
    failed; the exit code is 5 if all failed. Questions with passages are answered from those, all others from the
    collection. The contexts in a ragas or DeepEval file count as such passages, unless --collection is given.

    \b
    assay eval questions.jsonl -c handbook
    assay eval questions.jsonl -c handbook --set k=20 --report k20.html
    assay eval questions.jsonl -c handbook --out run1     resumes after an interruption
    """
    from assay.evals.reports.summary import summarise

    if report is not None:
        _refuse_place(report)
    settings = with_changes(given, changes or ())
    spread = flags.spread(ray, workers)
    folder = ask_data_set(
        dataset, settings, terminal, limit=limit, repeat=repeat, jobs=jobs, out=out, spread=spread
    )
    summary = summarise(folder)
    if report is not None:
        _write(report, summary)
        terminal.note(f"the report is in {report}")
    if as_json:
        terminal.object(summary.to_dict())
    else:
        for line in summary_lines(summary):
            terminal.line(line)
    if summary.failed == summary.asked:
        raise typer.Exit(Exit.PROVIDER)


def ask_data_set(
    dataset: Path,
    settings: Given,
    terminal: Terminal,
    *,
    limit: int | None,
    repeat: int,
    jobs: int | None = None,
    out: Path | None = None,
    spread: Given | None = None,
) -> Path:
    """Ask the questions of a data set under these settings, and return the folder of the results.

    `spread` are the options of `open_engine` for a cluster.
    """
    import asyncio

    from assay.evals.datasets import read_dataset
    from assay.settings import load_settings

    resolved = load_settings(settings)
    found = read_dataset(dataset, retrieved="collection" not in settings)
    cases = found.cases[:limit]
    folder = out or _new_folder(resolved.settings.data_dir, dataset)
    jobs = flags.at_once(jobs, settings, on_cluster=bool(spread))
    asyncio.run(_run(folder, found, cases, settings, resolved, repeat, jobs, terminal, spread or {}))
    return folder


async def _run(
    folder: Path,
    dataset: Dataset,
    cases: tuple[Case, ...],
    settings: Given,
    resolved: Resolved,
    repeat: int,
    jobs: int,
    terminal: Terminal,
    spread: Given,
) -> None:
    """Ask what the folder has no result of yet."""
    from assay.evals.evaluate import evaluate
    from assay.evals.run_folder import open_run

    async with _opened(cases, settings, spread) as engine:
        about = await _about(engine, dataset, cases, resolved, repeat)
        with open_run(folder, about, cases) as run:
            left = len(cases) * repeat - len(run.done)
            there = f"{len(run.done)} of {len(cases) * repeat} results were there" if run.done else ""
            terminal.note(f"results go to {folder}; {there or 'use it as --out to resume'}")
            with ProgressBar(terminal, "questions", left) as bar:

                def advance(result: CaseResult) -> None:
                    failed = result.outcome is None
                    bar.advance(f"{result.case}: {result.error}" if failed else result.case)

                await evaluate(engine, cases, folder=run, repeat=repeat, jobs=jobs, on_progress=advance)


def _opened(cases: tuple[Case, ...], settings: Given, spread: Given) -> Engine:
    """The engine of a collection; without one if every case brings its passages."""
    from assay.wiring import open_checker, open_engine

    if all(case.passages for case in cases) and "collection" not in settings:
        if spread:
            raise UsageError("--ray needs a collection, which its workers open", hint="name one with --collection")
        return open_checker(record=True, **settings)
    return open_engine(create=False, **spread, **settings)


async def _about(
    engine: Engine, dataset: Dataset, cases: tuple[Case, ...], resolved: Resolved, repeat: int
) -> Evaluation:
    """The evaluation as its folder keeps it."""
    from assay import __version__
    from assay.evals.run_folder import Evaluation
    from assay.settings import ROLES

    settings = resolved.settings
    asks = any(not case.passages for case in cases)
    roles = {role: name for role in ROLES if (name := settings.model_of(role)) is not None}
    return Evaluation(
        dataset=dataset.name,
        shape=dataset.shape,
        dataset_sha256=dataset.sha256,
        cases=len(cases),
        repeats=repeat,
        profile=settings.profile,
        version=__version__,
        started=time.time(),
        collection=settings.collection if asks else "",
        collection_version=await engine.aversion() if asks else None,
        settings=_kept(resolved),
        models={name: getattr(settings, name) for name in ("embedder", "reader", "checker", "reranker")} | roles,
    )


def _kept(resolved: Resolved) -> dict[str, Any]:
    """The settings that somebody set, without secrets."""
    from pydantic import SecretStr

    from assay.settings.files import shown_value
    from assay.types.value import plain

    values = {
        name: getattr(resolved.settings, name)
        for name in resolved.origins
        if name not in _NOT_KEPT and resolved.settings.was_set(name)
    }
    return {name: plain(shown_value(value)) for name, value in values.items() if not isinstance(value, SecretStr)}


def with_changes(given: Given, changes: list[str] | tuple[()], flag: str = "--set") -> Given:
    """The flags with the settings of `flag`. Raises UsageError for one that is malformed, secret or set twice."""
    settings = dict(given)
    for change in changes:
        name, equals, value = change.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name:
            raise UsageError(f"{flag} {one_line(change, 60)}: expected KEY=VALUE", hint=_SET_HINT)
        if name in flags.WITHOUT_FLAG:
            raise UsageError(f"{flag} cannot set {name}: others could read it", hint="set it in the environment")
        if name in settings:
            raise UsageError(f"{name} is set twice", hint="leave out one of the two")
        settings[name] = value
    return settings


def _new_folder(data_dir: Path, dataset: Path) -> Path:
    """A folder of a new name in the data folder."""
    moment = time.strftime("%Y%m%d-%H%M%S")
    name = f"{dataset.resolve().stem}-{moment}"
    places = (data_dir / "evaluations" / f"{name}{end}" for end in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(place for place in places if not place.exists())


def _refuse_place(report: Path) -> None:
    """Raise UsageError where no report can be written, or another file would be lost."""
    from assay.evals.run_folder import Evaluation

    if report.suffix.lower() not in (".html", ".htm", ".md"):
        raise UsageError(
            f"{report} is neither .html nor .md", hint="give --report a name with one of these endings"
        )
    if report.is_dir() or not report.absolute().parent.is_dir():
        raise UsageError(f"{report} cannot be written: there is no such folder", hint="choose another place")
    if report.exists() and Evaluation.schema not in report.read_text(encoding="utf-8", errors="replace")[:2000]:
        raise UsageError(f"{report} already exists, and is not a report", hint="choose another name")


def _write(report: Path, summary: Summary) -> None:
    from assay.evals.reports.markdown import markdown
    from assay.evals.reports.page import report_page

    text = markdown(summary) if report.suffix.lower() == ".md" else report_page(summary)
    try:
        report.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(
            f"{report} cannot be written: {reason_of(error)}", hint="choose another place; the results are kept"
        ) from error


def summary_lines(summary: Summary) -> list[str]:
    """The summary as lines for a terminal."""
    from assay.evals.reports.summary import (
        ARROWS,
        LEGEND,
        headline,
        judge_text,
        measured,
        not_measured,
        state,
        value_text,
    )

    lines = [one_line(headline(summary)), state(summary), ""]
    for group, metrics in measured(summary).items():
        lines.append(_row(group, "value", "n"))
        lines += [
            _row(f"  {metric.name} {ARROWS[metric.better]}", value_text(metric.value, metric.unit), str(metric.n))
            for metric in metrics
        ]
    lines += [f"{LEGEND}; n counts questions", *_slice_lines(summary)]
    lines += filter(None, (judge_text(summary),))
    for failure in summary.failures[:_NAMED]:
        lines.append(f"failed: {one_line(failure.case, 40)}: {failure.error}: {one_line(failure.message, 200)}")
    if summary.failed > _NAMED:
        lines.append(f"… and {summary.failed - _NAMED:,} more (--report FILE lists them)")
    lines += [f"not measured: {', '.join(names)}: {cause}" for cause, names in not_measured(summary).items()]
    return lines


def _row(name: str, value: str, n: str) -> str:
    return f"{name:{_WIDTHS[0]}}{value:>{_WIDTHS[1]}}{n:>{_WIDTHS[2]}}"


def _slice_lines(summary: Summary) -> list[str]:
    """A table of the slices by the headline metrics."""
    from assay.evals.reports.summary import HEADLINES, value_text

    names = [name for name in HEADLINES if any(name in part.metrics for part in summary.slices)]
    if not names:
        return []
    head = f"{'slice':{_WIDTHS[0]}}{'n':>6}" + "".join(f"{name:>14}" for name in names)
    return [
        "",
        head,
        *(
            f"{one_line(f'{part.name}: {part.value}', _WIDTHS[0] - 1):{_WIDTHS[0]}}{part.cases:>6}"
            + "".join(f"{value_text(part.metrics.get(name), ''):>14}" for name in names)
            for part in summary.slices
        ),
        "",
    ]


VERBS = (run_,)
