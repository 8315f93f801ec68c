"""What the program measures of labelled claims, each beside its passages: kept in the cache, a set a file.

    ASSAY_ASKED_SETS=SETS .venv/bin/python benchmarks/claims/signals.py CHECKER [SET …]

CHECKER is what `--checker` takes: bundled, a folder, or hf:ORG/NAME@REVISION. Sets: natural (claims over written
passages that nothing was trained on), genre (those of the genre that was held out), elsewhere (true ones of these
beside passages that lack them), documentation (claims over documentations that nothing was trained on; SETS is the
folder that models/data/asked fills), public (claims over every sixth passage taken from public sets of
questions; a reader has read these passages), and those of benchmarks/check, of which the folds that taught the
checker are left out. Without SET all are measured.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import assay_models

sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "checker"))
from examples import HELD_GENRES, LABELLED, Elsewhere, documentation, keeps, public_passages, said, written_passages
from rows import ALL, DATA, passage, raw

from assay.core.stages import Checker
from assay.models.embed_local import LocalEmbedder
from assay.settings import load_settings
from assay.types import Passage
from assay.verification.negation import reports_absence
from assay.verification.verdict import Entailment, failed_names, is_copy, overlap_with_sources
from assay.verification.verifier import DeterministicVerifier
from assay.wiring.networks import open_checker_network

CACHE = Path(os.environ.get("ASSAY_BENCH_CACHE", Path(tempfile.gettempdir()) / "assay-cache")) / "claims"
NATURAL = ("natural", "genre", "documentation", "public")
ELSEWHERE = "elsewhere"
TRAIN = DATA.parent / "train"


@dataclass(frozen=True)
class Signals:
    """A labelled claim and what is measured of it.

    `label` is "supports", "contradicts", "neither", or "unsupported" where a set does not tell the last two apart;
    `overlap` is the share of the claim's terms that its passages hold. A claim that a source says word for word is
    `quoted`; else `copied` says whether it is a source sentence with a few words changed, `aligned` is what words
    and vectors say, None where nothing could be compared, `failed` are the checks that failed, `decisive` those
    that settle the claim, `withheld` those that keep it from being supported, `against` whether the first decisive
    one has a source against it, `absent` whether the claim only says that its sources do not tell something, and
    `checker` its log odds of support, the least of the sentences, and its
    probability of a contradiction.
    """

    id: str
    label: str
    kind: str
    group: str
    overlap: float
    quoted: bool
    copied: bool
    aligned: float | None
    failed: tuple[str, ...]
    decisive: tuple[str, ...]
    withheld: tuple[str, ...]
    against: bool
    absent: bool
    checker: tuple[float, float] | None

    @property
    def is_vetoed(self) -> bool:
        """Whether a check keeps the claim from being called supported, whatever a checker says."""
        return bool(self.decisive or self.withheld)

    def without(self, name: str) -> Signals:
        """The claim as it were if that check had not failed."""
        kept = ("failed", "decisive", "withheld")
        return replace(self, **{part: tuple(each for each in getattr(self, part) if each != name) for part in kept})

    def inputs(self, trees: float | None = None) -> dict[str, float]:
        """What a policy weighs of a claim that was compared; `trees` are log odds in place of those measured."""
        assert self.checker is not None
        assert self.aligned is not None
        said = Entailment("", *self.checker).inputs(self.aligned, self.overlap, self.failed)
        return said if trees is None else said | {"trees": trees, "trees x overlap": trees * self.overlap}


@dataclass(frozen=True)
class Labelled:
    """A labelled claim with its passages; `id` is its place in its set."""

    id: str
    claim: str
    label: str
    kind: str
    group: str
    passages: tuple[Passage, ...]


def labelled(name: str) -> Iterator[Labelled]:
    """The claims of a set."""
    if name == ELSEWHERE:
        yield from _elsewhere()
        return
    verdicts = {"s": "supports", "c": "contradicts", "u": "neither"}
    if name not in NATURAL:
        for at, row in enumerate(raw(name)):
            label, group = "supports" if row["supported"] else "unsupported", str(row.get("group"))
            if name not in LABELLED or keeps(group):
                yield Labelled(str(at), row["claim"], label, name, group, (passage(row["context"]),))
        return
    if name == "documentation":
        passages = documentation(Path(os.environ["ASSAY_ASKED_SETS"]))
    elif name == "public":
        passages = public_passages(TRAIN / "reader")
    else:
        passages = written_passages(TRAIN / "written", HELD_GENRES)
    number = -1
    wanted = "genre" if name == "genre" else "passage"
    for each in passages:
        for row in each.claims if each.held == wanted else ():
            number += 1
            yield Labelled(str(number), said(row), verdicts[row["verdict"]], row["type"], each.pid, (each.passage,))


def _elsewhere() -> Iterator[Labelled]:
    """A true claim of each passage of the held-out genre, beside a passage that shares its words and lacks it."""
    passages = [each for each in written_passages(TRAIN / "written", HELD_GENRES) if each.held == "genre"]
    others, draw, number = Elsewhere(passages), random.Random(0), -1
    for each in passages:
        true = [row for row in each.claims if row["verdict"] == "s"]
        for row in draw.sample(true, min(2, len(true))):
            other = others.passage(said(row), each, draw)
            if other is not None:
                number += 1
                yield Labelled(str(number), said(row), "neither", ELSEWHERE, each.pid, (other.passage,))


async def measured(some: Sequence[Labelled], checker: Checker, embedder: LocalEmbedder) -> list[Signals]:
    """The signals of some claims, each judged whole; those without a word are left out."""
    verifier, made = DeterministicVerifier(embedder, checker=checker), []
    for each in some:
        found = await verifier.measure(each.claim, each.passages)
        if found is None:
            continue
        case, wrong, said = found.case, found.decisive, found.entailment
        made.append(
            Signals(
                each.id, each.label, each.kind, each.group, overlap_with_sources(case), case.quote is not None,
                is_copy(case), found.aligned, tuple(sorted(failed_names(found.checks))),
                tuple(check.name for check in wrong), tuple(check.name for check in found.withheld),
                bool(wrong) and wrong[0].source_span is not None,
                reports_absence(each.claim), None if said is None else (said.support, said.against),
            )
        )  # fmt: skip
    return made


def kept(name: str) -> list[Signals]:
    """The signals of a set as they were measured last; FileNotFoundError where they never were."""
    with gzip.open(CACHE / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        row |= {part: tuple(row[part]) for part in ("failed", "decisive", "withheld")}
        row["checker"] = row["checker"] and tuple(row["checker"])
    return [Signals(**row) for row in rows]


def main() -> None:
    """Measure and keep."""
    opened, names = open_checker_network(load_settings({"checker": sys.argv[1]}).settings), sys.argv[2:]
    assert opened is not None, "name a checker"
    checker, names = opened.checker, names or [*NATURAL, ELSEWHERE, *ALL]
    embedder = LocalEmbedder.load(assay_models.folder())
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in names:
        found = asyncio.run(measured(list(labelled(name)), checker, embedder))
        with gzip.open(CACHE / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(asdict(each)) + "\n" for each in found)
        print(name, len(found), flush=True)


if __name__ == "__main__":
    main()
