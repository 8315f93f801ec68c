"""Data sets of BEIR: a folder with queries and judgements of relevance (Thakur et al. 2021, arXiv 2104.08663)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from assay.errors import UsageError
from assay.evals.cases import Case
from assay.evals.datasets.dataset import distinct, line_error
from assay.evals.json_lines import numbered_lines, parse_object

_HEADER = "query-id"


def beir_files(folder: Path) -> tuple[Path, ...]:
    """The files of the set: its queries, then its judgements; `qrels/test.tsv` alone where there is one.

    Raises UsageError where there are no judgements.
    """
    parts = sorted((folder / "qrels").glob("*.tsv"))
    test = [part for part in parts if part.stem == "test"]
    whole = [path for path in (folder / "qrels.tsv",) if path.is_file()]
    judgements = test or parts or whole
    if not judgements:
        raise UsageError(
            f"{folder} has queries.jsonl and no judgements", hint="add qrels.tsv, or qrels/test.tsv beside it"
        )
    return (folder / "queries.jsonl", *judgements)


def read_beir(folder: Path) -> tuple[Case, ...]:
    """The queries that have a relevant document, in their order; the corpus is what the collection should hold.

    The test judgements are used where there are any, else all. Raises UsageError with file and line.
    """
    queries, *judgements = beir_files(folder)
    gains: dict[str, dict[str, float]] = defaultdict(dict)
    for path in judgements:
        for query, document, gain in _judged(path):
            if gain > 0:
                gains[query][document] = gain

    def cases() -> Iterator[tuple[int, Case]]:
        for number, line in numbered_lines(queries):
            try:
                body = parse_object(line)
            except ValueError as error:
                raise line_error(queries, number, str(error)) from error
            key, text = body.get("_id", body.get("id")), body.get("text")
            if not isinstance(key, str | int) or not isinstance(text, str) or not text.strip():
                raise line_error(queries, number, "it has no _id, or no text")
            if str(key) in gains:
                yield number, Case(str(key), text, relevant=gains[str(key)])

    return distinct(queries, cases())


def _judged(path: Path) -> Iterator[tuple[str, str, float]]:
    """Query, document and gain of each line: three columns, or four as in TREC, between tabs."""
    for number, line in numbered_lines(path):
        columns = line.split("\t")
        if number == 1 and columns[0] == _HEADER:
            continue
        try:
            query, document, gain = columns[0], columns[-2], float(columns[-1])
        except (IndexError, ValueError) as error:
            raise line_error(path, number, "it is not a query, a document and a number between tabs") from error
        yield query, document, gain
