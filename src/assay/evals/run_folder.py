"""The folder of an evaluation: what was asked under which settings, the cases, and a result a line.

`evaluation.json` says what was evaluated, `cases.jsonl` has the cases in our own shape, `results.jsonl` a result a
line in the order in which they came. A folder needs nothing else to be read, resumed or compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Self

from assay.errors import AssayError, DamagedStore, StoreError, StoreFull, UsageError
from assay.evals.cases import Case
from assay.evals.datasets.own import parse_case, write_cases
from assay.evals.json_lines import drop_torn_line, lock_for_adding, numbered_lines, to_line
from assay.evals.results import CaseResult
from assay.types import Value

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_ABOUT, _CASES, _RESULTS = "evaluation.json", "cases.jsonl", "results.jsonl"
# What a message calls the fields of an evaluation where their names do not say it.
_CALLED = {
    "cases": "a number of questions of",
    "repeats": "--repeat",
    "profile": "the profile",
    "version": "assay",
    "collection": "the collection",
    "collection_version": "a collection of version",
    "settings": "the settings",
    "models": "the models",
    "shape": "a data set of the shape",
}
_RUN_AGAIN = "run `assay eval` again into another folder"


@dataclass(frozen=True, slots=True)
class Evaluation(Value):
    """An evaluation: a data set by name, shape and the SHA-256 of its bytes, and the settings.

    `cases` counts the cases and `repeats` how often each is asked. `settings` are those that were set, by name,
    secrets masked; `models` name who embeds, reads, checks and writes. `collection` is "" where every case brings
    its passages; `collection_version` is that of the collection at the start. `started` is Unix seconds.
    """

    schema: ClassVar[str] = "assay-eval/1"

    dataset: str
    shape: str
    dataset_sha256: str
    cases: int
    repeats: int
    profile: str
    version: str
    started: float
    collection: str = ""
    collection_version: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as JSON types, `schema` first."""
        return {"schema": self.schema, **Value.to_dict(self)}


class RunFolder:
    """An evaluation that results are added to; close it, or use it as a context manager.

    `evaluation` is what it was begun as, and `done` are the cases and repeats that have a result already.
    """

    def __init__(
        self, path: Path, evaluation: Evaluation, done: frozenset[tuple[str, int]], file: BinaryIO
    ) -> None:
        self.path = path
        self.evaluation = evaluation
        self.done = done
        self._file = file

    def append(self, result: CaseResult) -> None:
        """Add a result for good, as far as the process goes: it is there after a kill. Raises StoreError."""
        line = to_line(result).encode("ascii") + b"\n"
        try:
            while line:  # what is not buffered may be written in part
                line = line[self._file.write(line) :]
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """Release the file; calling it twice is harmless."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_run(folder: Path, evaluation: Evaluation, cases: Sequence[Case]) -> RunFolder:
    """Begin an evaluation in a new or empty folder, or resume the one that the folder holds.

    A last line that was cut off by a kill is dropped. UsageError where the folder holds something else, or an
    evaluation of another data set, of a data set that changed, under other settings, or on another version of
    the collection or of assay; and where another process adds to it.
    """
    try:
        if (folder / _ABOUT).exists():
            begun = read_evaluation(folder)
            _refuse_other(folder, begun, evaluation)
        else:
            begun = _begin(folder, evaluation, cases)
        # Not buffered: a result is with the system once it is written, whatever becomes of the process.
        file = (folder / _RESULTS).open("ab", buffering=0)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        lock_for_adding(folder, file)
        drop_torn_line(folder / _RESULTS)
        done = frozenset((result.case, result.repeat) for result in read_results(folder))
    except OSError as error:
        file.close()
        raise _unwritable(folder, error) from error
    except AssayError:
        file.close()
        raise
    return RunFolder(folder, begun, done, file)


def read_evaluation(folder: Path) -> Evaluation:
    """Read the folder's evaluation. Raises UsageError where it holds none, or one of another version."""
    path = folder / _ABOUT
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{folder} contains no evaluation", hint="give the folder of an `assay eval`, as --out named it"
        ) from error
    except ValueError as error:
        raise DamagedStore(f"{path} is damaged: {error}", hint=_RUN_AGAIN) from error
    if not isinstance(body, dict) or body.get("schema") != Evaluation.schema:
        raise UsageError(f"{path} is not of the schema {Evaluation.schema}", hint=_RUN_AGAIN)
    known = {field.name for field in fields(Evaluation)}
    try:
        return Evaluation(**{name: value for name, value in body.items() if name in known})
    except TypeError as error:
        raise DamagedStore(f"{path} is damaged: {error}", hint=_RUN_AGAIN) from error


def read_cases(folder: Path) -> Iterator[Case]:
    """The cases of the folder's evaluation, in order. Raises DamagedStore for a line that is none."""
    path = folder / _CASES
    for number, line in numbered_lines(path):
        try:
            yield parse_case(line)
        except ValueError as error:
            raise DamagedStore(f"{path}, line {number}: {error}", hint=_RUN_AGAIN) from error


def read_results(folder: Path) -> Iterator[CaseResult]:
    """The results of the folder's evaluation in the order in which they came, without a last line that was cut off.

    Raises DamagedStore for any other line that is no result.
    """
    path = folder / _RESULTS
    if not path.exists():
        return
    from pydantic import ValidationError

    adapter = _adapter()
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                yield adapter.validate_json(line)
            except ValidationError as error:
                raise DamagedStore(f"{path}, line {number}: it is not a result", hint=_RUN_AGAIN) from error


def _begin(folder: Path, evaluation: Evaluation, cases: Sequence[Case]) -> Evaluation:
    """Write what is evaluated: the cases first, so that a folder with the head has all of them."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    strangers = [path.name for path in folder.iterdir() if not path.name.startswith((_CASES, _ABOUT))]
    if strangers:
        raise UsageError(
            f"{folder} holds other files, such as {strangers[0]}",
            hint="give a new folder, or that of an evaluation",
        )
    write_cases(folder / _CASES, cases)
    draft = folder / f"{_ABOUT}.draft"
    draft.write_text(json.dumps(evaluation.to_dict(), indent=2) + "\n", encoding="utf-8")
    draft.replace(folder / _ABOUT)
    return evaluation


def _refuse_other(folder: Path, begun: Evaluation, now: Evaluation) -> None:
    """Raise UsageError unless both are the same but for their start and the data set's name."""
    if begun.dataset_sha256 != now.dataset_sha256:
        renamed = begun.dataset != now.dataset
        changed = f"it asks {begun.dataset}" if renamed else f"{now.dataset} has changed since it was begun"
        raise UsageError(f"{folder} cannot be resumed: {changed}", hint="give --out a new folder")
    same = replace(begun, started=now.started, dataset=now.dataset)
    names = (field.name for field in fields(Evaluation))
    before, after = same.to_dict(), now.to_dict()
    wrong = next((name for name in names if before[name] != after[name]), None)
    if wrong is not None:
        raise UsageError(
            f"{folder} cannot be resumed: it was begun with {_CALLED.get(wrong, wrong)} {_shown(before[wrong])}, "
            f"not {_shown(after[wrong])}",
            hint="give the same as when it was begun, or give --out a new folder",
        )


def _shown(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unwritable(folder: Path, error: OSError) -> StoreError:
    import errno

    if error.errno == errno.ENOSPC:
        return StoreFull(f"no room left to write {folder}", hint="free some space and give the same --out again")
    return StoreError(
        f"{folder} cannot be written: {error.strerror}", hint="check its permissions, or give another --out"
    )


@cache
def _adapter() -> TypeAdapter[CaseResult]:
    from pydantic import TypeAdapter

    return TypeAdapter(CaseResult)
