"""The exit codes of answers, errors and everything else."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from assay import errors

if TYPE_CHECKING:
    from assay.types import Answer, Judgement, Review


class Exit(IntEnum):
    """The program's exit codes."""

    OK = 0
    BUG = 1
    USAGE = 2
    DECLINED = 3
    NOT_VERIFIED = 4
    PROVIDER = 5
    STORE = 6
    GATE = 7
    INPUTS_FAILED = 8
    INTERRUPTED = 130
    OUTPUT_CLOSED = 141


# Shown by --help; `\b` keeps the lines as they are.
HELP = """\b
Exit codes:
  0    answered and verified; with --jsonl, every line got an object
  1    a bug in assay
  2    wrong usage; nothing was done
  3    no answer: it is not in the documents, or the question is unclear
  4    a partial answer, or a blocking check failed or could not be run
  5    a provider is unreachable or refused, or the time ran out before there was an answer
  6    the collection cannot be used
  7    a `compare` gate failed
  8    some files could not be added
  130  stopped by Ctrl-C
  141  the output was closed, as by `| head`"""

# The first matching class counts.
_OF_ERROR: tuple[tuple[type[errors.AssayError], Exit], ...] = (
    (errors.UsageError, Exit.USAGE),
    (errors.DocumentError, Exit.INPUTS_FAILED),
    (errors.StoreError, Exit.STORE),
    (errors.ProviderError, Exit.PROVIDER),
    (errors.BudgetSpent, Exit.PROVIDER),
)


def of_error(error: errors.AssayError) -> Exit:
    """The exit code of an error.

    >>> of_error(errors.StoreFull("no room", hint="free some")).value
    6
    """
    return next((code for kind, code in _OF_ERROR if isinstance(error, kind)), Exit.BUG)


def of_answer(answer: Answer) -> Exit:
    """0 only for a complete answer that passed every blocking check."""
    if answer.outcome in ("abstained", "clarify"):
        return Exit.DECLINED
    verified = answer.outcome == "answered" and answer.validate()
    return Exit.OK if verified else Exit.NOT_VERIFIED


def of_judgement(judgement: Judgement) -> Exit:
    """0 where the evidence suffices."""
    return Exit.OK if judgement.recommendation == "ANSWER" else Exit.DECLINED


def of_review(review: Review) -> Exit:
    """0 where no check that matters failed or is unknown."""
    open_checks = [
        check for check in review.checks if check.severity != "warn" and check.status in ("failed", "unknown")
    ]
    return Exit.NOT_VERIFIED if open_checks else Exit.OK
