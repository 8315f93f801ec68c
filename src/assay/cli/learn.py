"""learn: refit what labels can teach a collection, with figures before and after, and take it back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from assay.cli.flags import FOR_EMBEDDING, THE_COLLECTION, AsJson, Given, takes
from assay.cli.labels import By, login
from assay.cli.progress_bar import ProgressBar
from assay.cli.terminal import Terminal, one_line
from assay.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evals.learning import Learned, Lesson
    from assay.records.labels import Labels
    from assay.records.learning import Change, Learning, LearningLog, SearchTable
    from assay.settings import Settings

DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the figures; change nothing.")]
Undo = Annotated[bool, typer.Option("--undo", help="Undo the latest learning.")]
Search = Annotated[
    Path | None,
    typer.Option(
        "--search",
        metavar="DATASET",
        help="Learn what searching again is worth, by asking these questions with and without it.",
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="With --search, ask under this setting; repeatable."),
]
List = Annotated[bool, typer.Option("--list", help="List what was learned, newest last.")]


@takes(*THE_COLLECTION, *FOR_EMBEDDING, "checker")
def learn(
    terminal: Terminal,
    *,
    given: Given,
    dry_run: DryRun = False,
    undo: Undo = False,
    list_: List = False,
    search: Search = None,
    changes: Changes = None,
    by: By = None,
    as_json: AsJson = False,
) -> None:
    """Learn from the labels of a collection's recorded answers.

    Three things can be learned: the confidence of answers, the minimum score for an answer to be marked as
    answering the question, and which of the checker's verdicts are decisive. For each, the number of labels and the
    figures before and after are printed, measured on labels not used in the fit. Whatever is not measurably worse
    is used from now on; a part with too few labels is left unchanged. Labels come from `assay label`, `assay label
    --claim` and `assay review`.

    With --search, what is learned is when to search again: questions with a known answer, as `assay eval` reads
    them, are asked without a second search and with each that can be made.

    \b
    assay learn -c manual --dry-run      print the figures and change nothing
    assay learn -c manual
    assay learn -c manual --undo
    assay learn -c manual --search questions.jsonl --set model=openai:gpt-5-mini --set profile=balanced
    """
    from assay.records.labels import Labels
    from assay.settings import load_settings
    from assay.wiring.calibrated import learning_log
    from assay.wiring.recording import open_record

    if sum((dry_run, undo, list_)) > 1:
        raise UsageError("--dry-run, --undo and --list cannot be used together", hint="give one of them")
    if search is not None and (undo or list_):
        raise UsageError("--search asks questions, --undo and --list do not", hint="leave one of them out")
    if changes and search is None:
        raise UsageError("--set needs --search", hint="name the questions to ask, e.g. --search FILE.jsonl")
    settings = load_settings(given).settings
    who = (by or login()).strip() or "unknown"
    log, labels = learning_log(settings), Labels(open_record(settings, settings.collection))
    try:
        if list_:
            _list(log.all(), as_json, terminal)
        elif undo:
            _undo(log, labels, settings, who, as_json, terminal)
        elif search is not None:
            found = [_of_searching(search, given, changes or [], terminal)]
            _learn(found, settings, log, labels, who, terminal, dry_run=dry_run, as_json=as_json)
        else:
            found = [*_of_answers(settings, log, labels), *_of_claims(settings, log, labels, terminal)]
            _learn(found, settings, log, labels, who, terminal, dry_run=dry_run, as_json=as_json)
    finally:
        labels.store.close()


def _learn(
    found: Sequence[Learned],
    settings: Settings,
    log: LearningLog,
    labels: Labels,
    who: str,
    terminal: Terminal,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Print each lesson, and use from now on what was learned."""
    from assay.core.tape import SystemClock

    at = SystemClock().time()
    changes = [] if dry_run else _apply(found, settings, log, labels, at, who)
    made = log.add(changes, at=at, by=who) if changes else None
    if as_json:
        lessons = [one.lesson.to_dict() for one in found]
        terminal.object(
            {"collection": settings.collection, "lessons": lessons, "learning": made and made.to_dict()}
        )
        return
    for one in found:
        for line in _lines(one.lesson, dry_run=dry_run):
            terminal.line(line)
    if made is not None:
        terminal.note(f"learning {made.version}; to undo it: assay learn --undo -c {settings.collection}")
    elif dry_run and any(one.result is not None for one in found):
        terminal.note("dry run: nothing was changed")
    else:
        terminal.note("nothing was changed")


def _of_answers(settings: Settings, log: LearningLog, labels: Labels) -> list[Learned]:
    """The lessons of labelled answers: the confidence, and the threshold unless somebody set it."""
    from functools import partial

    from assay.calibration.rightness import shipped_rightness
    from assay.evals.learning import labelled_answers, learn_confidence, learn_threshold
    from assay.evals.recalibrate import calibration_for, fit_answers
    from assay.records.learning import CONFIDENCE, THRESHOLD
    from assay.wiring import open_embedder
    from assay.wiring.calibrated import with_learned

    answers = labelled_answers(labels, settings.collection, open_embedder(settings).model.sha256)
    last = log.latest(CONFIDENCE)
    is_in_use = last is not None and labels.store.calibration_in_use(settings.collection).version == last.after
    found = [
        learn_confidence(
            answers,
            calibration_for(labels, settings.collection, answers[0].origin) if answers else None,
            partial(fit_answers, labels, settings.collection, answers),
            last.labels if last is not None and is_in_use else 0,
        )
    ]
    if settings.answers_from is None:
        last = log.latest(THRESHOLD)
        now = with_learned(settings).answers_from or shipped_rightness(read=True).yes
        found.append(learn_threshold(answers, now, last.labels if last is not None else 0))
    return found


def _of_claims(settings: Settings, log: LearningLog, labels: Labels, terminal: Terminal) -> list[Learned]:
    """The lesson of labelled claims; none without a checker."""
    import asyncio

    from assay.evals.labels_file import recorded_claims
    from assay.evals.learning import Learned, State, checker_labels, learn_checker
    from assay.models.caching import CachingEmbedder
    from assay.records.learning import CHECKER
    from assay.wiring import open_embedder
    from assay.wiring.networks import open_checker_in_use
    from assay.wiring.paths import policies_of

    if settings.checker == "none":
        return []
    claims = recorded_claims(labels, settings.collection, with_accepted=True)
    lesson = checker_labels(claims, 0)
    if lesson.state is State.TOO_FEW:
        return [Learned(lesson)]
    checker = open_checker_in_use(settings)
    in_use, last = policies_of(checker.model.sha256, settings).in_use(), log.latest(CHECKER)
    is_in_use = (
        last is not None
        and in_use is not None
        and (last.checker, last.after)
        == (
            checker.model.sha256,
            in_use.version,
        )
    )
    known = last.labels if last is not None and is_in_use else 0

    async def learning() -> Learned:
        embedder = open_embedder(settings)
        try:
            with ProgressBar(terminal, "claims", len(claims)) as bar:
                return await learn_checker(claims, checker, CachingEmbedder(embedder), known, bar.advance)
        finally:
            await embedder.aclose()

    try:
        return [asyncio.run(learning())]
    finally:
        checker.close()


def _of_searching(dataset: Path, given: Given, changes: list[str], terminal: Terminal) -> Learned:
    """The lesson of questions asked without a second search, and with each that can be made.

    Raises UsageError for settings that say how often or when to search again, and for the profile auto.
    """
    import json

    from assay.cli.evaluate import ask_data_set, with_changes
    from assay.core.stages import SEARCHING
    from assay.evals.learning_search import asked_twice, learn_searching
    from assay.evals.run_folder import read_cases, read_results
    from assay.judging.recommendation import Thresholds
    from assay.judging.search_utility import learned_utility, with_own
    from assay.settings import load_settings
    from assay.types import Action, Triage
    from assay.wiring.calibrated import with_learned

    asked = with_changes(given, changes)
    settings = load_settings(asked).settings
    for name in ("rounds", "search_utility"):
        if settings.was_set(name):
            raise UsageError(f"{name} is set, and --search sets it itself", hint="leave it out")
    if settings.profile == "auto":
        raise UsageError(
            "the profile auto judges some questions by rules and some by a model",
            hint="--set profile=fast, balanced or thorough",
        )
    asks = settings.model_of("judge") is not None and settings.profile != "fast"
    judge: Literal["rules", "model"] = "model" if asks else "rules"

    def ask(rounds: int, worth: Mapping[Action, float]) -> Path:
        table = {action: dict.fromkeys(Triage, gain) for action, gain in worth.items()}
        under = {**asked, "rounds": rounds, "search_utility": json.dumps({judge: table})}
        return ask_data_set(dataset, under, terminal, limit=None, repeat=1)

    once = ask(1, {})
    again = {
        action: ask(2, {**dict.fromkeys(SEARCHING, -1.0), action: 1.0})
        for action in SEARCHING
        if action is not Action.EXTERNAL or settings.outside
    }
    twice = asked_twice(
        read_cases(once),
        read_results(once),
        {action: read_results(folder) for action, folder in again.items()},
        Thresholds(correct=settings.correct, incorrect=settings.incorrect),
    )
    own = with_learned(settings).search_utility.get(judge, {})
    return learn_searching(twice, with_own(learned_utility(judge, settings.correct), own), judge)


def _apply(
    found: Sequence[Learned], settings: Settings, log: LearningLog, labels: Labels, at: float, who: str
) -> list[Change]:
    """Use what was learned from now on; returns what was changed."""
    from assay.calibration import ClaimPolicy
    from assay.calibration.fit import Fit
    from assay.calibration.shipped import weights_behind
    from assay.records.learning import Change
    from assay.records.policies import OWN
    from assay.wiring.networks import open_checker_in_use
    from assay.wiring.paths import policies_of

    changes = []
    for one in found:
        part, latest = one.lesson.part, one.lesson.latest
        match one.result:
            case Fit() as fit:
                before = labels.store.calibration_in_use(settings.collection).version
                version = labels.store.add_calibration(settings.collection, fit, at=at, by=who).version
                changes.append(Change(part, before, version, latest))
            case ClaimPolicy() as policy:
                checker = open_checker_in_use(settings)
                checker.close()
                policies = policies_of(checker.model.sha256, settings)
                in_use, weights = policies.in_use(), weights_behind("claims")
                told = one.lesson.labels
                version = policies.keep(
                    policy, data=told, weights=weights, reached=one.reached, at=at, by=who
                ).version
                own = OWN if in_use is None else in_use.version
                changes.append(Change(part, own, version, latest, checker.model.sha256))
            case float() as threshold:
                changes.append(Change(part, log.threshold(), threshold, latest))
            case Mapping() as table:
                known = log.search_utility()
                changes.append(Change(part, known or None, {**known, **table}, latest))
    return changes


def _undo(
    log: LearningLog, labels: Labels, settings: Settings, who: str, as_json: bool, terminal: Terminal
) -> None:
    """Put every part of the last learning back, but for what was changed since by `assay calibrate`."""
    from assay.core.tape import SystemClock
    from assay.records.learning import CHECKER, CONFIDENCE
    from assay.wiring.paths import policies_of

    at = SystemClock().time()
    undone = log.undo(at=at, by=who)
    for change in undone.changes:
        before = 0 if isinstance(change.before, Mapping) else int(change.before or 0)
        is_changed_since = False
        if change.part == CONFIDENCE:
            is_changed_since = labels.store.calibration_in_use(settings.collection).version != change.after
            if not is_changed_since:
                labels.use(settings.collection, before, at=at, by=who)
        elif change.part == CHECKER:
            policies = policies_of(change.checker, settings)
            in_use = policies.in_use()
            is_changed_since = in_use is None or in_use.version != change.after
            if not is_changed_since:
                policies.use(before, at=at, by=who)
        if is_changed_since:
            terminal.note(f"{change.part} is left unchanged: assay calibrate has changed it since")
        elif not as_json:
            terminal.line(
                f"{change.part}: {_described(change.after)} is undone, {_described(change.before)} applies"
            )
    if as_json:
        terminal.object({"undone": undone.version, "changes": [change.to_dict() for change in undone.changes]})


def _list(learned: Sequence[Learning], as_json: bool, terminal: Terminal) -> None:
    from assay.cli.run_view import moment

    if as_json:
        terminal.object({"learned": [one.to_dict() for one in learned]})
        return
    for one in learned:
        changes = ", ".join(
            f"{change.part} {_described(change.before)} → {_described(change.after)}" for change in one.changes
        )
        undone = ", taken back" if one.is_undone else ""
        terminal.line(f"{one.version}  {moment(one.at)}  {changes}, by {one_line(one.by, 80)}{undone}")
    if not learned:
        terminal.note("nothing has been learned yet")


def _lines(lesson: Lesson, *, dry_run: bool) -> Iterator[str]:
    """A part in words: its state, its labels, and its figures before and after."""
    from assay.evals.learning import State
    from assay.records.learning import SEARCH

    reason = f" ({one_line(lesson.reason, 200)})" if lesson.reason else ""
    state = "would be learned" if dry_run and lesson.state is State.LEARNED else lesson.state.value
    yield f"{lesson.part}: {state}{reason}"
    yield f"    {lesson.labels} (needed: {lesson.needed})"
    for name, figures in (("before", lesson.before), ("after", lesson.after)):
        if figures:
            yield f"    {name:6}  " + ", ".join(f"{key} {value:g}" for key, value in figures.items())
    if lesson.gain is not None:
        effect = "worse" if lesson.gain < 0 else "better"
        given = "questions" if lesson.part == SEARCH else "labels"
        yield (
            f"    {effect} by {abs(lesson.gain):.3f} in {lesson.gain_of}, on {given} that the fit did not see "
            f"(95% interval of what it gains: {lesson.low:.3f} to {lesson.high:.3f})"
        )


def _described(value: float | SearchTable | None) -> str:
    """A version, a threshold or a table, None for what holds without learning.

    >>> _described(None), _described(2), _described(0.75), _described({"rules": {"REFINE": {"ambiguous": 0.1}}})
    ('the default', '2', '0.75', 'REFINE ambiguous 0.1 (rules)')
    """
    if isinstance(value, Mapping):
        rows = [(judge, action, row) for judge, actions in value.items() for action, row in actions.items()]
        return ", ".join(
            f"{action} {name} {number:g} ({judge})" for judge, action, row in rows for name, number in row.items()
        )
    return "the default" if value is None else f"{value:g}"


VERBS = (learn,)
