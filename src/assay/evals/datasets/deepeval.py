"""Data sets of DeepEval: its goldens and test cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.evals.cases import Case, WantedQuote
from assay.evals.datasets.dataset import distinct, line_error
from assay.evals.datasets.foreign import Place, as_passages, id_of, read_objects, text_of, texts_of

QUESTION = ("input",)


def read_deepeval(path: Path, *, retrieved: bool = True) -> tuple[Case, ...]:
    """The cases of a file: a JSON list or JSON lines of goldens, in the names of Python or of its JSON export.

    The `context` is what should be cited. The `retrieval_context` are the passages to answer from, unless
    `retrieved` is False. The `actual_output` is another system's and is ignored. Raises UsageError with the place
    of a malformed golden.
    """

    def cases() -> Iterator[tuple[Place, Case]]:
        for number, (place, body) in enumerate(read_objects(path), 1):
            yield place, _case(path, place, body, number, retrieved)

    return distinct(path, cases())


def _case(path: Path, place: Place, body: Mapping[str, Any], number: int, retrieved: bool) -> Case:
    question = text_of(path, place, body, QUESTION)
    if not question:
        raise line_error(path, place, "it has no input")
    answer = text_of(path, place, body, ("expected_output", "expectedOutput"))
    found = texts_of(path, place, body, ("retrieval_context", "retrievalContext")) if retrieved else ()
    return Case(
        id=id_of(body, number),
        question=question,
        answers=(answer,) if answer else (),
        quotes=tuple(WantedQuote("", text) for text in texts_of(path, place, body, ("context",))),
        passages=as_passages(found),
    )
