"""The options that several verbs share, each defined once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from assay.cli.terminal import Terminal
from assay.errors import UsageError


class Profile(StrEnum):
    """How deep to look."""

    FAST = "fast"
    BALANCED = "balanced"
    THOROUGH = "thorough"


class SearchMode(StrEnum):
    """How a search runs."""

    HYBRID = "hybrid"
    DENSE = "dense"
    SPARSE = "sparse"


class Weights(StrEnum):
    """Which weights the judge scores with."""

    FITTED = "fitted"
    SEED = "seed"


class Fusion(StrEnum):
    """How a hybrid search joins its two lists."""

    SCALED = "scaled"
    RRF = "rrf"


def terminal_of(ctx: typer.Context) -> Terminal:
    """The terminal of this call."""
    found = ctx.find_root().obj
    assert isinstance(found, Terminal)  # noqa: S101 - `assay.cli.app.run` puts it there
    return found


def _quieten(ctx: typer.Context, value: bool) -> bool:
    terminal_of(ctx).quiet |= value
    return value


def _explain(ctx: typer.Context, value: bool) -> bool:
    terminal_of(ctx).verbose |= value
    return value


DataDir = Annotated[
    Path | None, typer.Option("--data-dir", metavar="FOLDER", help="Folder of the collections and runs.")
]
Collection = Annotated[
    str | None, typer.Option("--collection", "-c", metavar="NAME", help="Which collection. [default: default]")
]
Embedder = Annotated[
    str | None,
    typer.Option("--embedder", metavar="WHICH", help="bundled, a folder with an ONNX model, or openai:MODEL."),
]
JudgeProfile = Annotated[Profile | None, typer.Option("--profile", help="How deep to look. [default: fast]")]
JudgeWeights = Annotated[Weights | None, typer.Option("--weights", help="Which weights the judge scores with.")]
Count = Annotated[int | None, typer.Option("--k", "-k", metavar="N", help="How many passages. [default: 8]")]
Mode = Annotated[SearchMode | None, typer.Option("--mode", help="How to search. [default: hybrid]")]
FusionOption = Annotated[Fusion | None, typer.Option("--fusion", help="How hybrid search joins its two lists.")]
Mmr = Annotated[
    float | None,
    typer.Option("--mmr", metavar="0-1", help="Vary the passages; 1 is relevance only. [default: off]"),
]
Deadline = Annotated[
    float | None, typer.Option("--deadline", metavar="SECONDS", help="Time for one question. [default: 10]")
]
Correct = Annotated[
    float | None,
    typer.Option("--correct", metavar="0-1", help="Evidence judged at least this suffices. [default: 0.7]"),
]
Incorrect = Annotated[
    float | None,
    typer.Option("--incorrect", metavar="0-1", help="Evidence judged below this is of no use. [default: 0.3]"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsJsonLines = Annotated[
    bool, typer.Option("--jsonl", help="Read JSON lines from standard input; print an object for each.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=_quieten, expose_value=True, help="Print results and errors only.")
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", callback=_explain, help="Tell more; show the traceback of a bug.")
]


def one_format(as_json: bool, as_json_lines: bool) -> None:
    """Refuse both machine formats at once."""
    if as_json and as_json_lines:
        raise UsageError("--json and --jsonl exclude one another", hint="use --jsonl for many, --json for one")


def flags(**given: Any) -> dict[str, Any]:
    """The options that were given, as settings: those left out are None and fall away.

    >>> flags(k=5, mode=SearchMode.DENSE, mmr=None)
    {'k': 5, 'mode': 'dense'}
    """
    return {
        name: value.value if isinstance(value, StrEnum) else value
        for name, value in given.items()
        if value is not None
    }
