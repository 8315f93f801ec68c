"""What every framework's program does: the same questions and drafts through its pieces and through the engine.

It runs in the framework's own environment, and prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Protocol

from assay import Engine, SearchSettings, open_engine
from assay.errors import AssayError, MissingExtra
from assay.integrations.passages import search_masked, status_of
from assay.types import Action, Passage

SEARCH = SearchSettings(k=5)
PIECES = ("langchain", "llama_index", "haystack")


@dataclass(frozen=True)
class Case:
    """A question, a sentence that answers it as its passage has it, and the same with one number changed."""

    question: str
    clean: str
    wrong: str
    right_number: str


@dataclass(frozen=True)
class Seen:
    """What came of a question with a draft: the passages found, whether they suffice, and how the draft fared.

    `status` is passed, failed or unknown, None where a gate let nothing through; `fixed` None where no piece fixes.
    """

    passage_ids: tuple[str, ...]
    sufficient: bool
    status: str | None
    verdicts: tuple[str, ...]
    fixed: str | None


class Flow(Protocol):
    """A framework's own composition of the pieces; `drafts` are what its model is scripted to answer."""

    def run(self, question: str, draft: str) -> Seen:
        """Retrieve, judge, answer with the draft, check and fix."""

    async def arun(self, question: str, draft: str) -> Seen:
        """As `run`."""

    def unknowns(self) -> list[str | None]:
        """The status of what cannot be tested: no documents, a document without text, an answer without claims."""


@dataclass(frozen=True)
class Direct:
    """The engine without a framework, in the same form.

    `titled` says whether the framework hands titles on to the check, `gated` whether nothing is answered where the
    passages do not suffice, `fixes` whether the framework has a piece for that.
    """

    engine: Engine
    titled: bool = True
    gated: bool = False
    fixes: bool = True

    def run(self, question: str, draft: str) -> Seen:
        """As a flow does."""
        passages = search_masked(self.engine, question, SEARCH).passages
        ids = tuple(passage.passage_id for passage in passages)
        enough = self.engine.judge(question, passages).recommendation is Action.ANSWER
        if self.gated and not enough:
            return Seen((), False, None, (), None)
        given = passages if self.titled else tuple(map(untitled, passages))
        review = self.engine.check(draft, given)
        fixed = self.engine.fix(draft, given).text if self.fixes else None
        verdicts = tuple(claim.verdict.value for claim in review.claims)
        return Seen(ids, enough, status_of(review).value, verdicts, fixed)


def untitled(passage: Passage) -> Passage:
    """The passage as its text alone."""
    return Passage(passage.passage_id, passage.passage_id, "", 0, len(passage.text), passage.text)


def main(
    package: str, own: str, flow_over: Callable[[Engine], Flow], direct_over: Callable[[Engine], Direct]
) -> None:
    """Run everything with no network at all, and print what came of it."""
    wanted: list[str] = []
    sys.addaudithook(lambda event, arguments: _refuse(event, arguments, wanted))
    folder = Path(sys.argv[1])
    cases = [Case(**json.loads(line)) for line in (folder / "cases.jsonl").read_text("utf-8").splitlines()]
    with open_engine(data_dir=folder / f"data-{own}") as engine:
        engine.add([folder / "documents"])
        numbers = {
            "version": metadata.version(package),
            **_measured(cases, flow_over(engine), direct_over(engine)),
            "unknown_stays_unknown": flow_over(engine).unknowns(),
            "network_wanted": wanted,
        }
    numbers["closed_engine_raises"] = _raises(flow_over(engine), cases[0])
    numbers["other_pieces_name_their_command"] = [_command(piece) for piece in PIECES if piece != own]
    print(json.dumps(numbers))


def _measured(cases: list[Case], flow: Flow, direct: Direct) -> dict[str, Any]:
    """How often the framework says what the engine says, and what of the planted errors it shows."""
    drafts = [(case, draft) for case in cases for draft in (case.clean, case.wrong)]
    plain = [direct.run(case.question, draft) for case, draft in drafts]
    seen = [flow.run(case.question, draft) for case, draft in drafts]
    waited = asyncio.run(_all(flow, drafts))
    clean, wrong = seen[::2], seen[1::2]
    corrected = [case.right_number in (each.fixed or "") for case, each in zip(cases, wrong, strict=True)]
    return {
        "drafts": len(drafts),
        "same_as_engine": sum(one == other for one, other in zip(seen, plain, strict=True)),
        "same_when_awaited": sum(one == other for one, other in zip(waited, plain, strict=True)),
        "sufficient": sum(each.sufficient for each in clean),
        "clean_drafts": _counted(clean),
        "wrong_drafts": _counted(wrong),
        **({"wrong_drafts_corrected": sum(corrected)} if direct.fixes else {}),
    }


async def _all(flow: Flow, drafts: list[tuple[Case, str]]) -> list[Seen]:
    return list(await asyncio.gather(*(flow.arun(case.question, draft) for case, draft in drafts)))


def _counted(seen: list[Seen]) -> dict[str, int]:
    states = [each.status or "not answered" for each in seen]
    return {state: states.count(state) for state in ("passed", "failed", "unknown", "not answered")}


def _raises(flow: Flow, case: Case) -> str | None:
    """What the pieces raise over an engine that is closed."""
    try:
        flow.run(case.question, case.clean)
    except AssayError as error:
        return type(error).__name__
    except Exception as error:  # noqa: BLE001 - Haystack wraps what a component raises
        return type(error.__cause__).__name__
    return None


def _command(piece: str) -> str | None:
    try:
        import_module(f"assay.integrations.{piece}")
    except MissingExtra as error:
        return error.hint
    return None


def _refuse(event: str, arguments: tuple[Any, ...], wanted: list[str]) -> None:
    if event in ("socket.connect", "socket.getaddrinfo"):
        wanted.append(f"{event} {arguments[-1] if event == 'socket.connect' else arguments[0]}")
        raise OSError("there is no network in this program")
