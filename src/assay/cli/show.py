"""show: a recorded run, from its question to its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from assay.cli.options import AsJson, DataDir, Quiet, Verbose, flags, terminal_of
from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from assay.record.runs import RecordedEvent, RunRecord, RunStore

RunName = Annotated[
    str | None, typer.Argument(metavar="[RUN]", help="A run's id, how it begins, or last; none lists the latest.")
]


def register(app: typer.Typer) -> None:
    """Give the program this verb."""
    app.command()(show)


def show(
    ctx: typer.Context,
    run: RunName = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Show how an answer came about.

    The steps of the run, the claims with their sources, the checks.

    \b
    assay show          the latest runs
    assay show last
    """
    from assay.record.runs import RunStore
    from assay.settings import load_settings

    terminal = terminal_of(ctx)
    store = RunStore(load_settings(flags(data_dir=data_dir)).settings.runs_file)
    if run is None:
        _show_latest(store, as_json, terminal)
        return
    record = store.load(run)
    if as_json:
        terminal.object(record.to_dict())
    else:
        _show_run(record, terminal)


def _show_latest(store: RunStore, as_json: bool, terminal: Terminal) -> None:
    latest = store.latest()
    if as_json:
        terminal.object({"runs": [each.to_dict() for each in latest]})
        return
    for each in latest:
        terminal.line(f"{each.run_id}  {_moment(each.started)}  {each.outcome:9}  {one_line(each.question, 80)}")
    if not latest:
        terminal.note("no run is recorded yet")


def _show_run(record: RunRecord, terminal: Terminal) -> None:
    from assay.cli.answer_view import check_lines, show_answer

    console = terminal.console()
    run = record.run
    console.print(f"run {run.run_id} · {_moment(run.started)} · collection {run.collection} · {run.outcome}")
    console.print(f"question: {one_line(run.question, 500)}\n")
    console.print("steps")
    first = record.events[0].at if record.events else run.started
    for event in record.events:
        told = _told(event)
        if told:
            console.print(f"  {1000 * (event.at - first):8.1f} ms  {told}")
    answer = record.answer
    if answer is None:
        return
    console.print("\nclaims")
    for claim in answer["claims"]:
        _show_claim(claim, console)
    console.print("\nchecks")
    for line in check_lines(answer["checks"]):
        console.print("  ", line, sep="")
    console.print("\nanswer")
    show_answer(answer, _verified(answer), terminal)


def _show_claim(claim: Mapping[str, Any], console: Any) -> None:
    support = "unknown" if claim["support"] is None else f"{claim['support']:.2f}"
    console.print(f"  {claim['n']}. {claim['verdict']} (support {support}): {one_line(claim['text'], 300)}")
    for span in claim["spans"]:
        place = f"{span['passage_id'][:8]} {span['start']}-{span['end']}"
        console.print(f"     {place}: “{one_line(span['quote'], 300)}”", style="dim")
    for event in claim["history"]:
        console.print(f"     {event['state']} by {event['by']}: {one_line(event['reason'], 200)}", style="dim")


def _told(event: RecordedEvent) -> str:
    """What an event says on one line; the sentences stand in the answer already."""
    body = event.body
    match event.kind:
        case "status":
            return str(body["stage"])
        case "evidence":
            return f"found {len(body['evidence']['hits'])} passages for {one_line('; '.join(body['queries']), 120)}"
        case "judged":
            sufficiency = body["judgement"]["sufficiency"]
            known = "unknown" if sufficiency is None else f"{sufficiency:.2f}"
            return f"judged: sufficiency {known}, {body['judgement']['recommendation']}"
        case "acted":
            return f"acted: {body['step']['action']}, {one_line(body['reason'], 200)}"
        case "finding":
            return f"finding: {body['finding']['check']}: {one_line(body['finding']['message'], 200)}"
        case "sentence.withdrawn":
            return f"withdrawn: {one_line(body['sentence']['text'], 80)}: {one_line(body['reason'], 120)}"
        case "done":
            return f"done: {body['answer']['outcome']}"
        case "error":
            return f"error: {one_line(body['message'], 300)} (hint: {one_line(body['hint'], 200)})"
    return ""


def _verified(answer: Mapping[str, Any]) -> bool:
    """As `Answer.validate`, for an answer from the record."""
    return not any(
        check["severity"] == "block" and check["status"] in ("failed", "unknown") for check in answer["checks"]
    )


def _moment(seconds: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")
