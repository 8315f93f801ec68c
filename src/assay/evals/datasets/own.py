"""Our own shape of a data set: JSON lines, one case a line, read strictly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.evals.cases import Case, WantedQuote
from assay.evals.datasets.dataset import distinct, line_error
from assay.evals.json_lines import numbered_lines, parse_object, to_line
from assay.types import Message, Origin, Passage

if TYPE_CHECKING:
    from pydantic import TypeAdapter

COLUMNS = frozenset(field.name for field in fields(Case))
# What a passage of a line may have instead of the fields of `Passage`.
_SHORT = frozenset({"id", "text", "title", "source", "date"})
_NESTED = {
    "history": frozenset(field.name for field in fields(Message)),
    "quotes": frozenset(field.name for field in fields(WantedQuote)),
}
# What a message says of the values of a column.
_WANTED = {
    "history": 'a list of {"role": "user" or "assistant", "text"}',
    "answers": "a list of texts",
    "patterns": "a list of regular expressions",
    "nuggets": "a list of facts, each a list of its wordings",
    "relevant": "an object: a document or passage, and its gain above 0",
    "quotes": 'a list of {"document", "quote"?, "page"?}',
    "answerability": "full, half or none",
    "missing": "a list of texts",
    "conflicting": "true or false",
    "passages": 'a list of texts or {"id", "text", "title"?, "source"?, "date"?}',
    "slices": "an object of texts",
    "synthetic": "true or false",
}


def read_own(path: Path) -> tuple[Case, ...]:
    """The cases of a file. UsageError names the line that is malformed, has an unknown column or an id twice."""

    def cases() -> Iterable[tuple[int, Case]]:
        for number, line in numbered_lines(path):
            try:
                yield number, parse_case(line)
            except ValueError as error:
                raise line_error(path, number, str(error)) from error

    return distinct(path, cases())


def parse_case(line: str) -> Case:
    """The case of one line; raises ValueError with what is wrong.

    >>> parse_case('{"id": "a", "question": "How high is it?", "answers": ["8 m"]}').answers
    ('8 m',)
    >>> parse_case('{"id": "a", "question": "How high is it?", "answer": "8 m"}')
    Traceback (most recent call last):
    ...
    ValueError: there is no column 'answer'; the columns are answerability, answers, conflicting, ...
    """
    body = parse_object(line)
    _refuse_unknown(body)
    if "passages" in body:
        body["passages"] = _passages(body["passages"])
        line = json.dumps(body)
    from pydantic import ValidationError

    try:
        case = _adapter().validate_json(line, strict=True)
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:  # nested deeper than pydantic reads
            raise ValueError(first["msg"]) from error
        name = str(first["loc"][0])
        raise ValueError(f"{name!r} is not {_WANTED.get(name, 'a text')}") from error
    _refuse_values(case)
    return case


def write_cases(path: Path, cases: Iterable[Case]) -> int:
    """Write the cases to a new file in this shape; returns how many. Raises OSError."""
    count = 0
    with path.open("w", encoding="ascii", newline="\n") as file:
        for case in cases:
            file.write(to_line(case) + "\n")
            count += 1
    return count


def _refuse_unknown(body: Mapping[str, Any]) -> None:
    """Raise ValueError for a column that no case has, and for a case without an id or a question."""
    unknown = next((name for name in body if name not in COLUMNS), None)
    if unknown is not None:
        raise ValueError(f"there is no column {unknown[:60]!r}; the columns are {', '.join(sorted(COLUMNS))}")
    for name in ("id", "question"):
        value = body.get(name)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{name!r} is not a text")
        if value is None or not value.strip():
            raise ValueError(f"it has no {name}")
    for name, known in _NESTED.items():
        entries = body.get(name, ())
        for entry in entries if isinstance(entries, list) else ():
            wrong = next((key for key in entry if key not in known), None) if isinstance(entry, dict) else None
            if wrong is not None:
                raise ValueError(f"{name!r} has no field {wrong!r}; it is {_WANTED[name]}")


def _refuse_values(case: Case) -> None:
    """Raise ValueError for a gain that is not above 0, an empty text to look for, or a pattern that is none."""
    low = next((name for name, gain in case.relevant.items() if not (name and 0 < gain < float("inf"))), None)
    if low is not None:
        raise ValueError(f"the gain of {low!r} is not above 0; leave out what is not relevant")
    if not all(text.strip() for text in case.answers):
        raise ValueError("one of its answers is empty")
    if not all(nugget and all(wording.strip() for wording in nugget) for nugget in case.nuggets):
        raise ValueError("one of its nuggets has no wording")
    if any(quote.page is not None and quote.page < 1 for quote in case.quotes):
        raise ValueError("pages count from 1")
    for pattern in case.patterns:
        _compile(pattern)
    ids = [passage.passage_id for passage in case.passages]
    if len(set(ids)) < len(ids):
        raise ValueError("two of its passages have one id")


def _compile(pattern: str) -> None:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(f"the pattern {pattern!r} is no regular expression of RE2") from error


def _passages(value: Any) -> list[Any]:
    """The passages as the fields of `Passage`: a text or a short object is a passage with offsets of its own."""
    if not isinstance(value, list):
        raise ValueError(f"'passages' is not {_WANTED['passages']}")  # noqa: TRY004 - the line is added to it
    return [_passage_fields(entry, number) for number, entry in enumerate(value, 1)]


def _passage_fields(entry: Any, number: int) -> Any:
    body = {"text": entry} if isinstance(entry, str) else entry
    if isinstance(body, dict) and "passage_id" in body:
        known = {field.name for field in fields(Passage)}
        if not body.keys() <= known:
            raise ValueError(f"a passage has no field {next(iter(body.keys() - known))!r}")
        return body
    if not isinstance(body, dict) or not isinstance(body.get("text"), str) or not body.keys() <= _SHORT:
        raise ValueError(f"'passages' is not {_WANTED['passages']}")
    texts = {name: body.get(name, "") for name in ("title", "source", "date")}
    key = str(body.get("id", number))
    if not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(f"'passages' is not {_WANTED['passages']}")
    return json.loads(to_line(given_passage(key, body["text"], texts["title"], texts["source"], texts["date"])))


def given_passage(key: str, text: str, title: str = "", source: str = "", date: str = "") -> Passage:
    """A passage outside any collection; its offsets count in its own text."""
    origin = Origin(date=date) if date else Origin()
    return Passage(key, key, "", 0, len(text), text, title, source=source, origin=origin)


@cache
def _adapter() -> TypeAdapter[Case]:
    from pydantic import TypeAdapter

    return TypeAdapter(Case)
