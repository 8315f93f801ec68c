"""Every error assay raises on purpose, one small tree.

::

    AssayError                 something went wrong; .hint says what to do next
    ├── UsageError             the call itself is off: an empty question, an unknown setting
    │   ├── MissingExtra       an optional dependency is not installed; the hint names the command
    │   ├── EgressRefused      the rules for what leaves this machine forbid it; nothing was sent
    │   ├── RuleFileError      a file of output rules that cannot be used; .problems has each with its line
    │   └── UploadTooLarge     an uploaded file is larger than the server takes
    ├── DocumentError          one document could not be taken in
    │   ├── EmptyDocument      nothing to read: no bytes, only white space, no text layer
    │   ├── UnsupportedDocument  a format assay does not read
    │   └── UnreadableDocument damaged, encrypted, or beyond the limits of the sandbox
    ├── StoreError             the collection on disk
    │   ├── UnknownCollection  there is no collection of that name
    │   ├── ModelMismatch      the collection was embedded by another model
    │   ├── DamagedStore       a file of the collection is not what was written
    │   ├── StoreFull          no room left on the disk
    │   └── Diverged           a replay asked for something that its recording does not hold
    ├── ProviderError          a model or embedding service
    │   ├── ProviderUnreachable  no connection, or no answer in time
    │   │   └── CircuitOpen    it failed so often in a row that it is left alone for a while
    │   ├── ProviderRefused    it answered no: a bad key, a missing model, a refused request
    │   │   └── PromptTooLong  the prompt does not fit the model's context window
    │   └── ProviderFailed     it broke while answering
    │       └── UnusableReply  it answered: cut off, empty, refused, blocked, or not as asked
    └── BudgetSpent            the question's calls, tokens, money or seconds are used up
        └── DeadlinePassed     the seconds are used up
"""

from __future__ import annotations

from collections.abc import Iterator


class AssayError(Exception):
    """A failure and its cause; `hint` says what to do next, `retryable` whether the same call may work later.

    >>> error = UsageError("the question is empty", hint="ask something")
    >>> str(error), error.hint, error.retryable
    ('the question is empty', 'ask something', False)
    """

    def __init__(self, message: str, *, hint: str, retryable: bool = False) -> None:
        super().__init__(message)
        self.hint = hint
        self.retryable = retryable


class UsageError(AssayError):
    """The call itself is off."""


class MissingExtra(UsageError):
    """An optional dependency is not installed."""


class EgressRefused(UsageError):
    """The rules for what leaves this machine forbid it: an address, a domain, or all of it. Nothing was sent."""


class RuleFileError(UsageError):
    """A file of output rules cannot be read, or its rules contradict one another.

    `problems` are all that is wrong with it, each as `FILE:LINE: what`; none where it could not be read at all.
    """

    def __init__(self, message: str, *, hint: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint=hint)
        self.problems = problems


class UploadTooLarge(UsageError):
    """An uploaded file is larger than the server takes; nothing of it was stored."""


class DocumentError(AssayError):
    """One document could not be taken in; the others are not touched by it."""


class EmptyDocument(DocumentError):
    """There is nothing to read in the document."""


class UnsupportedDocument(DocumentError):
    """The document is of a format that assay does not read."""


class UnreadableDocument(DocumentError):
    """The document is damaged, encrypted, or beyond the limits of the sandbox."""


class StoreError(AssayError):
    """The collection on disk could not be read or written."""


class UnknownCollection(StoreError):
    """There is no collection of that name."""


class ModelMismatch(StoreError):
    """The collection was embedded by another model than the one in use."""


class DamagedStore(StoreError):
    """A file of the collection is not what was written."""


class StoreFull(StoreError):
    """There is no room left on the disk."""


class Diverged(StoreError):
    """A replay asked for something that its recording does not hold.

    In a replay under other settings, `step` counts the calls from 1, `call` names what would be called and
    `request` what it would be asked; else they are 0 and empty.
    """

    def __init__(self, message: str, *, hint: str, step: int = 0, call: str = "", request: str = "") -> None:
        super().__init__(message, hint=hint)
        self.step = step
        self.call = call
        self.request = request


class ProviderError(AssayError):
    """A model or embedding service did not do its part.

    `retry_after` is how many seconds the service asked to be left alone, None where it did not say.
    """

    def __init__(
        self, message: str, *, hint: str, retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message, hint=hint, retryable=retryable)
        self.retry_after = retry_after


class ProviderUnreachable(ProviderError):
    """No connection to the service, or no answer in time."""


class CircuitOpen(ProviderUnreachable):
    """The service failed so often in a row that it is left alone for a while."""


class ProviderRefused(ProviderError):
    """The service answered no."""


class PromptTooLong(ProviderRefused):
    """The prompt does not fit the model's context window."""


class ProviderFailed(ProviderError):
    """The service broke while answering, or its answer makes no sense."""


class UnusableReply(ProviderFailed):
    """The model answered, and the answer is cut off, empty, refused, blocked or not as asked.

    `finish` is how the reply ended.
    """

    def __init__(self, message: str, *, hint: str, finish: str = "other") -> None:
        super().__init__(message, hint=hint)
        self.finish = finish


# The ends of a reply other than by itself: what happened, and what to do next.
_ENDINGS = {
    "length": (
        "the reply was cut off at its length limit",
        "ask for less detail, allow the writer more with --reply-tokens, or use another model",
    ),
    "thinking": (
        "the reply limit was used up before the first word: a model that thinks first spends it on thinking",
        "allow more with --thinking-tokens (on a server of your own with --context-tokens too), or set "
        "--reasoning-effort low",
    ),
    "empty": ("the model answered nothing", "try again, or use another model"),
    "refused": ("the model refused to answer", "rephrase the question, or use another model"),
    "blocked": (
        "the provider's content filter blocked the reply",
        "rephrase the question, or use another provider",
    ),
    "tool": ("the model called a tool instead of answering", "use a model that answers in text"),
    "incomplete": ("the reply broke off without an ending", "try again; the service may be overloaded"),
    "other": ("the reply ended for a reason that assay does not know", "use another model or service"),
}


def unusable(finish: str) -> UnusableReply:
    """The error for a reply that ended in any way but by itself.

    >>> unusable("length").finish
    'length'
    """
    what, hint = _ENDINGS[finish]
    return UnusableReply(what, hint=hint, finish=finish)


class BudgetSpent(AssayError):
    """The question's calls, tokens, money or seconds are used up."""


class DeadlinePassed(BudgetSpent):
    """The question's seconds are used up."""


# Seconds for one question that a small model in a file can need on two processors (measured with 135 M parameters).
SLOW = 60.0


def too_late(seconds: float, *, uses_file: bool = False) -> DeadlinePassed:
    """The error for a question whose seconds were used up; `uses_file` says that a model in a file was used.

    >>> str(too_late(30))
    'the question was not answered within 30 s'
    """
    return DeadlinePassed(
        f"the question was not answered within {seconds:g} s",
        hint="allow more time with --deadline SECONDS"
        + (f"; a model in a file can need {SLOW:g} s on a small machine" if uses_file else ""),
        retryable=True,
    )


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from, outermost first."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__
