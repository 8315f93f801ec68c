"""A recorded run as people read it: the steps with their times, the claims with their sources, the checks."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from assay.cli.answer_view import check_lines, indented, score_told, show_answer
from assay.cli.terminal import Terminal, one_line

if TYPE_CHECKING:
    from assay.record.runs import RunRecord, RunSummary

Json = Mapping[str, Any]


def run_line(run: RunSummary) -> str:
    """One run in the list of runs."""
    return f"{run.run_id}  {moment(run.started)}  {run.outcome:9}  {one_line(run.question, 80)}"


def show_run(record: RunRecord, terminal: Terminal) -> None:
    """Print the run from its question to its answer."""
    console = terminal.console()
    run = record.run
    console.print(f"run {run.run_id} · {moment(run.started)} · collection {run.collection} · {run.outcome}")
    console.print(f"question: {one_line(run.question, 500)}\n")
    console.print("steps")
    first = record.events[0].at if record.events else run.started
    for event in record.events:
        text = told(event.kind, event.body)
        if text:
            console.print(f"  {1000 * (event.at - first):8.1f} ms  {text}")
    answer = record.answer
    if answer is None:
        return
    if answer["claims"]:
        console.print("\nclaims")
        for claim in answer["claims"]:
            _show_claim(claim, console)
    if answer.get("dropped"):  # records of earlier versions have none
        console.print("\ndropped claims")
        for claim in answer["dropped"]:
            _show_claim(claim, console)
    if answer["repairs"]:
        console.print("\nrepairs")
        for repair in answer["repairs"]:
            _show_repair(repair, console)
    if answer["checks"]:
        console.print("\nchecks")
        for line in check_lines(answer["checks"]):
            console.print("  ", line, sep="")
    _show_assessment(answer.get("assessment"), console)
    console.print("\nanswer")
    show_answer(answer, _verified(answer), terminal)


def _show_claim(claim: Json, console: Any) -> None:
    support = "unknown" if claim["support"] is None else f"{claim['support']:.2f}"
    console.print(f"  {claim['n']}. {claim['verdict']} (support {support}): {one_line(claim['text'], 300)}")
    for span in claim["spans"]:
        place = f"{span['passage_id'][:8]} {span['start']}-{span['end']}"
        indented(console, f"{place}: “{one_line(span['quote'], 300)}”", 5)
    for event in claim["history"]:
        reason = f": {one_line(event['reason'], 200)}" if event["reason"] else ""
        indented(console, f"{event['state']} by {event['by']}{reason}", 5)


def _show_repair(repair: Json, console: Any) -> None:
    console.print(f"  {repair['kind']}: {one_line(repair['reason'], 200)}")
    indented(console, f"- {_on_one_line(repair['before'])}", 5)
    if repair["after"]:
        indented(console, f"+ {_on_one_line(repair['after'])}", 5)


def _on_one_line(text: str) -> str:
    """A text on one line; its paragraph breaks are shown, since a repair may change nothing else."""
    return one_line(text.replace("\n\n", " ¶ "), 300)


def _show_assessment(assessment: Json | None, console: Any) -> None:
    if not assessment:
        return
    console.print("\nassessment")
    bar = assessment.get("bar")  # records of earlier versions have none
    asked = "" if bar is None else f", {bar:.3f} was asked"
    console.print(f"  {score_told({'criterion': 'overall', 'score': assessment['overall']})}{asked}")
    for score in assessment["scores"]:
        reasons = f": {one_line('; '.join(score['reasons']), 200)}" if score["reasons"] else ""
        console.print(f"  {score_told(score)}{reasons}")


def told(kind: str, body: Json) -> str:
    """What an event says on one line; the sentences stand in the answer already."""
    match kind:
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
            return f"finding: {body['finding']['check']}: {one_line(body['finding']['message'])}"
        case "sentence.revised":
            return f"mended: {one_line(body['sentence']['text'], 80)}: {one_line(body['reason'], 120)}"
        case "sentence.withdrawn":
            return f"withdrawn: {one_line(body['sentence']['text'], 80)}: {one_line(body['reason'])}"
        case "done":
            return f"done: {body['answer']['outcome']}"
        case "error":
            return f"error: {one_line(body['message'])} (hint: {one_line(body['hint'])})"
    return ""


def _verified(answer: Json) -> bool:
    """As `Answer.validate`, for an answer from the record."""
    return not any(
        check["severity"] == "block" and check["status"] in ("failed", "unknown") for check in answer["checks"]
    )


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")
