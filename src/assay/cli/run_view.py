"""A run for people: a recorded one step by step, one in progress, and the answer at its end."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from assay.cli import objects
from assay.cli.answer_view import (
    SHORT_ID,
    bold,
    describe_calibration,
    describe_confidence,
    describe_repair,
    first_check_lines,
    print_indented,
    reflow,
    show_answer,
)
from assay.cli.evidence_view import OF_A_QUESTION, format_score
from assay.cli.flags import Given
from assay.cli.terminal import Terminal, first_of_each, one_line
from assay.core.rendering import rendered
from assay.nlp.citations import HEDGE_MARK
from assay.nlp.controls import visible
from assay.settings import load_settings
from assay.types import Answer, Event, Sentence, SentenceVerified, SentenceWithdrawn, StatusChanged

if TYPE_CHECKING:
    from assay.records.values import RunRecord
    from assay.types import RunSummary

Json = Mapping[str, Any]
_IS_HASH = re.compile(r"[0-9a-f]{16,}")


def run_line(run: RunSummary) -> str:
    """One run in the list of runs."""
    return f"{run.run_id}  {moment(run.started)}  {run.outcome:9}  {one_line(run.question, 80)}"


def show_run(record: RunRecord, terminal: Terminal) -> None:
    """Print the run from its question to its answer."""
    console = terminal.console()
    run = record.run
    place = f" · collection {run.collection}" if run.collection else ""
    console.print(f"run {run.run_id} · {moment(run.started)}{place} · {run.outcome}")
    given = record.answer is not None and not record.answer["question"]  # a draft that answers none; its name tells
    console.print(f"{'' if given else 'question: '}{one_line(run.question, 500)}\n")
    console.print("steps")
    first = record.events[0].at if record.events else run.started
    for event in record.events:
        text = event_line(event.kind, event.body)
        if text:
            console.print(f"  {1000 * (event.at - first):8.1f} ms  {text}")
    answer = record.answer
    if answer is None:
        return
    if answer["claims"]:
        console.print("\nclaims")
        _show_claims(answer["claims"], console)
    if answer.get("dropped"):  # records of earlier versions have none
        console.print("\ndropped claims")
        _show_claims(answer["dropped"], console)
    if answer["repairs"]:
        console.print("\nrepairs")
        repairs = first_of_each(answer["repairs"], lambda repair: str(repair["kind"]))
        for repair in repairs.first:
            _show_repair(repair, console)
        for line in repairs.left_out():
            console.print("  ", line, sep="")
    if answer["checks"]:
        console.print("\nchecks")
        for check in first_check_lines(answer["checks"]):
            console.print("  ", check, sep="")
    _show_assessment(answer.get("assessment"), console, asked=not given)
    if (calibration := describe_calibration(answer["confidence"])) and answer["claims"]:
        console.print(f"\nconfidence\n  {describe_confidence(answer['confidence'])} ({calibration})")
    console.print("\nanswer")
    show_answer(answer, _verified(answer), terminal)


def _show_claims(claims: Sequence[Json], console: Any) -> None:
    """Print the first claims of each verdict, then the number of further ones."""
    shown = first_of_each(claims, lambda claim: str(claim["verdict"]))
    for claim in shown.first:
        _show_claim(claim, console)
    for line in shown.left_out():
        console.print("  ", line, sep="")


def _show_claim(claim: Json, console: Any) -> None:
    support = "unknown" if claim["support"] is None else f"{claim['support']:.2f}"
    console.print(f"  {claim['n']}. {claim_status(claim)} (support {support}): {one_line(claim['text'], 300)}")
    for span in claim["spans"]:
        place = f"{_short_id(span['passage_id'])} {span['start']}-{span['end']}"
        print_indented(console, f"{place}: “{one_line(span['quote'], 300)}”", 5)
    for event in claim["history"]:
        reason = f": {one_line(event['reason'], 200)}" if event["reason"] else ""
        print_indented(console, f"{describe_repair(event['state'])} by {event['by']}{reason}", 5)


def claim_status(claim: Json) -> str:
    """The status of a claim: quoted exactly, supported, failed or untested.

    >>> claim_status({"verdict": "supported", "history": [{"by": "quote"}]})
    'quoted exactly'
    >>> claim_status({"verdict": "contradicted", "history": []})
    'failed: contradicted'
    """
    if claim["verdict"] == "supported":
        return "quoted exactly" if any(event["by"] == "quote" for event in claim["history"]) else "supported"
    return "untested" if claim["verdict"] == "unknown" else f"failed: {claim['verdict']}"


def _short_id(passage_id: str) -> str:
    """The short id of a passage; the full name of a source given by the caller."""
    return passage_id[:SHORT_ID] if _IS_HASH.fullmatch(passage_id) else one_line(passage_id, 200)


def _show_repair(repair: Json, console: Any) -> None:
    console.print(f"  {describe_repair(repair['kind'])}: {one_line(repair['reason'], 200)}")
    print_indented(console, f"- {_with_paragraph_signs(repair['before'])}", 5)
    if repair["after"]:
        print_indented(console, f"+ {_with_paragraph_signs(repair['after'])}", 5)


def _with_paragraph_signs(text: str) -> str:
    """A text on one line with ¶ for paragraph breaks, which may be all that a repair changes."""
    return one_line(text.replace("\n\n", " ¶ "), 300)


def _show_assessment(assessment: Json | None, console: Any, *, asked: bool) -> None:
    if not assessment:
        return
    console.print("\nassessment")
    bar, floor = assessment.get("bar"), assessment.get("floor")  # records of earlier versions have none
    wanted = "" if bar is None else f", at least {bar:.3f} needed"
    wanted += "" if floor is None else f", {floor:.3f} in each criterion"
    console.print(f"  {format_score({'criterion': 'overall', 'score': assessment['overall']})}{wanted}")
    for score in assessment["scores"]:
        console.print(f"  {format_score(score)}{_format_reasons(score, asked)}")


def _format_reasons(score: Json, asked: bool) -> str:
    """The reasons of a score, or that the criterion needs a question."""
    if not asked and score["score"] is None and score["criterion"] in OF_A_QUESTION:
        return ": no question was given to assess it by (--question)"
    reasons = "; ".join(score["reasons"]).removeprefix("unknown: ")
    return f": {one_line(reasons, 200)}" if reasons else ""


def event_line(kind: str, body: Json) -> str:
    """An event on one line; empty for events of sentences that the answer shows."""
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
            return f"revised: {one_line(body['sentence']['text'], 80)}: {one_line(body['reason'], 120)}"
        case "sentence.withdrawn":
            return f"withdrawn: {one_line(body['sentence']['text'], 80)}: {one_line(body['reason'])}"
        case "done":
            return f"done: {body['answer']['outcome']}"
        case "error":
            return f"error: {one_line(body['message'])} (hint: {one_line(body['hint'])})"
    return ""


def _verified(answer: Json) -> bool:
    """`Answer.validate` for a recorded answer."""
    return not any(
        check["severity"] == "block" and check["status"] in ("failed", "unknown") for check in answer["checks"]
    )


def moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(sep=" ", timespec="seconds")


# --- a run in progress ------------------------------------------------------------------------------------


# A sentence that starts a paragraph begins with this.
_PARAGRAPH = "\n\n"


@dataclass(slots=True)
class Progress:
    """Prints each sentence once it is verified, a marked one with its neighbours, and with -v every event.

    A passage's number is its place in order of first citation, as it will be in the answer.
    """

    terminal: Terminal
    sentences: bool = False
    printed: int = 0
    dropped: int = 0
    _numbers: dict[str, int] = field(default_factory=dict)
    _waiting: list[Sentence] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        """Print what the event changes."""
        if self.terminal.verbose:
            self.terminal.detail(event_line(event.kind, event.to_dict()) or event.kind)
        if self.sentences:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        match event:
            case StatusChanged(stage="write"):  # a new draft replaces one of which nothing passed
                self._waiting, self._numbers, self.dropped = [], {}, 0
            case SentenceVerified(sentence=sentence):
                self._waiting.append(sentence)
                self._print()
            case SentenceWithdrawn(sentence=sentence) if sentence.hedged:
                self._waiting.append(sentence)
                if self.printed:
                    self._print()
            case SentenceWithdrawn():
                self.dropped += 1

    def _print(self) -> None:
        for sentence in self._waiting:
            if self.printed and sentence.text.startswith(_PARAGRAPH):
                self.terminal.line("")
            self.terminal.line(self._marked(sentence))
            self.printed += 1
        self._waiting = []

    def _marked(self, sentence: Sentence) -> str:
        for passage_id in sentence.passage_ids:
            self._numbers.setdefault(passage_id, len(self._numbers) + 1)
        marks = [f"[{self._numbers[passage_id]}]" for passage_id in sentence.passage_ids]
        hedge = [HEDGE_MARK] if sentence.hedged else []
        return " ".join([visible(bold(reflow(sentence.text.strip())).plain), *marks, *hedge])


# --- a finished answer ------------------------------------------------------------------------------------


def tell(
    answer: Answer,
    given: Given,
    as_json: bool,
    terminal: Terminal,
    *,
    with_ids: bool = False,
    progress: Progress | None = None,
) -> None:
    """Print the answer as JSON or for people.

    What `progress` printed, with its numbers, is not printed again.
    """
    if as_json:
        terminal.object(objects.answer_object(answer))
        return
    settings = load_settings(given).settings
    if progress is not None and progress.printed:
        listed = rendered(answer, references=settings.references).removeprefix(answer.text)
        text = f"{_left_out(progress.dropped)}{listed}".strip()
        if listed and not progress.dropped:
            terminal.line("")
    else:
        text = rendered(answer, settings.citation_style, settings.references)
    show_answer(answer.to_dict(), answer.validate(), terminal, text=text, with_ids=with_ids)


def _left_out(sentences: int) -> str:
    """A note that sentences were dropped, empty where none was."""
    if not sentences:
        return ""
    many = f"{sentences} sentences were" if sentences > 1 else "1 sentence was"
    return f"({many} dropped as unsupported; `assay show last` says why)"
