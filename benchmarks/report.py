"""What every benchmark shares: where the data lies, how a result is kept, and the page that shows them all.

.venv/bin/python benchmarks/report.py     # writes docs/measured.md, and the numbers in README and docs/concepts
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.models.checker import OnnxChecker

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measured.md"
README = ROOT / "README.md"


def data_folder() -> Path:
    """The folder of labelled data; ends the program with a plain word where it is not there."""
    folder = Path(os.environ.get("ASSAY_BENCH_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        sys.exit(
            f"no benchmark data in {folder}: set ASSAY_BENCH_DATA to the folder that holds dev/, docs/ and scale/"
        )
    return folder


def bundled_checker() -> OnnxChecker:
    """The checker that ships."""
    import assay_models

    from assay.models.checker import OnnxChecker
    from assay.wiring.networks import BUNDLED_CHECKER

    return OnnxChecker.load(assay_models.folder(BUNDLED_CHECKER))


def write_result(claim: str, name: str, numbers: dict[str, Any]) -> Path:
    """Keep the numbers in benchmarks/<claim>/results/<name>.json, with machine and date, and print them."""
    path = ROOT / "benchmarks" / claim / "results" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    body = {
        "benchmark": f"{claim}/{name}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "revision": revision(),
        "numbers": numbers,
    }
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(numbers, indent=1, ensure_ascii=False))
    return path


def processor() -> str:
    """The processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine()
    )


def revision() -> str:
    """The commit that was measured."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"


# --- the page ------------------------------------------------------------------------------------

HEAD = """# What was measured

Every number was printed by the command next to it and is stored in that benchmark's `results/`; this page is generated
from there by `python benchmarks/report.py`. The labelled sets are not part of the repository. Fitted parts are evaluated
out of fold (5 folds by group) and with one set left out. Machines are shared and noisy, so speed is given as ratios
within one run, or as CPU time. Targets that were not reached are marked.

| what | measured | target | command |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Line:
    """One row of the page: what, in which result under which keys, and the bar ("" where there is none)."""

    what: str
    result: str
    keys: tuple[str | int, ...]
    bar: str = ""
    reached: Callable[[float], bool] = lambda value: True


def at_least(bar: float) -> Callable[[float], bool]:
    return lambda value: value >= bar


def at_most(bar: float) -> Callable[[float], bool]:
    return lambda value: value <= bar


JUDGE, CHECK, ANSWERS = "judge/results/judge", "check/results/check", "answers/results/wiki-mix"
READER = "answers/results/reader"
REAL, ROBUST, OWN = "answers/results/real", "answers/results/robust", "answers/results/own_docs"
BLIND, FRESH = "fresh/results/first-corrected", "fresh/results/ninth"
BEFORE_BLOCKS, BLOCKS = "blocks/results/before", "blocks/results/run"
SETS, LEFT, KILLS = "retrieval/results/six-sets", "retrieval/results/choose", "kills/results/run"
EXACT, GRAPH = "speed/results/search-50000", "speed/results/search-198515"
GOLD, CONFLICTS, ASKED = "correct/results/wiki-mix", "contradictions/results/ramdocs", "clarify/results/mtrag-un"
WORTH = "correct/results/worth"
MOVED, CHOOSING, MASKED = "outside/results/moved", "outside/results/choosing", "quarantine/results/attacks"
SHIPPED, FOLDED, LINKED = "as shipped", "out of fold", "2 rounds over linked search"
HOME, WEB = "over the whole collection", "answers outside"
ATTACKS, ADDRESSED = "attacks/results/attacks", "attacks/results/addressed"
PLANTED, SPEED_OF_CHECKS = "planted/results/planted", "planted/results/speed"
REPAIR, MARKING, DROPPING = "repair/results/repair", "copied, marking", "copied, dropping"
CLOSED, PIECES = "failclosed/results/failclosed", "integrations/results/integrations"
PEERS, MODEL, REPLAY = "peers/results/peers", "model/results/fast", "replay/results/replay"
HUNDRED, DELIVERED = "model/results/fast-100", "delivered/results/fast"
SURE, SURE_EVIDENCE = "calibration/results/claims", "calibration/results/evidence"
KEPT, KEPT_EVIDENCE, KEPT_FOUND = "risk/results/claims", "risk/results/evidence", "risk/results/searched"
NATURAL, REPLIES = "claims/results/claims", "replies/results/rules"
COST = "claims/results/cost"
RIVALS = "rivals/results/after"
CELLS, PAIRS, RANGES = "cells/results/cells", "cells/results/pairs", "cells/results/ranges"
PARTS, BEFORE_PARTS = "parts/results/after", "parts/results/before"
VERIFIED, LABELLED, FIX = "replies/results/verifier", "claims/results/labelled", "fix/results/fix"
ABLATION, LEARNING = "ablation/results/run", "learn/results/run"
ARITHMETIC, APART = "claims/results/arithmetic", "judge_apart/results/apart"
GATE, RUN_ONCE = "compare/results/gate", "one run each, 300 questions"
BESIDE, CHECKED = "peers/results/quality", "peers/results/claim_checks"
EVAL_KILLS, EVAL_MEMORY = "evaluate/results/kills", "evaluate/results/memory"
WITHIN, ELSEWHERE = "within, out of fold", ("kept out", "shown as calibrated in those domains")
LINES = (
    Line("retrieval, six sets: mean nDCG@10 of hybrid above the better single search", SETS, ("mean_gain",), "≥ .045", at_least(0.045)),
    Line("the same, weights chosen with that set left out", LEFT, ("mean_gain_left_out",)),
    Line("judge, eight sets: mean AUROC out of fold", JUDGE, ("sets", "mean", "out of fold"), "≥ overlap + .04", at_least(0.7303)),
    Line("the same, one set left out", JUDGE, ("sets", "mean", "leaving it out")),
    Line("the same, word overlap", JUDGE, ("sets", "mean", "all passages")),
    Line("the same, the seed's formula", JUDGE, ("sets", "mean", "seed")),
    Line("answer or refuse on wiki-mix: AUROC out of fold", JUDGE, ("wiki-mix", "auroc out of fold"), "≥ .80", at_least(0.8)),
    Line("the same, the top cosine alone", JUDGE, ("wiki-mix", "auroc of the best cosine")),
    Line("check, eight summedits sets: mean AUROC out of fold", CHECK, ("means", "summedits, vectors, out of fold"), "≥ .60", at_least(0.6)),
    Line("the same, one set left out", CHECK, ("means", "summedits, vectors, set left out")),
    Line("the same, all eight left out", CHECK, ("means", "summedits, vectors, all eight left out")),
    Line("the same, word overlap", CHECK, ("means", "summedits, overlap")),
    Line("check, six other sets: mean AUROC out of fold", CHECK, ("means", "six others, vectors, out of fold"), "≥ overlap + .05", at_least(0.726)),
    Line("the same, one set left out", CHECK, ("means", "six others, vectors, set left out")),
    Line("the same, word overlap", CHECK, ("means", "six others, overlap")),
    Line("answers without a model, wiki-mix: gold shown, macro, 60 % of unanswerable refused", ANSWERS, ("as shipped", "gold shown", "macro"), "≥ .60", at_least(0.6)),
    Line("the same, above the first 80 words of the top passage", ANSWERS, ("as shipped", "above it"), "≥ .08", at_least(0.08)),
    Line("the same, words of an answer with its marks", ANSWERS, ("as shipped", "words with marks"), "≤ 60", at_most(60)),
    Line("natural questions over real documents, no model: gold shown within 100 words (how-to, list: 180)", REAL, ("total", "answerable", "gold shown"), "≥ .75", at_least(0.75)),
    Line("the same, first 80 words of the top passage", REAL, ("total", "answerable", "first 80 words of the top passage")),
    Line("the same: wrong and marked ✓, of the answers shown", REAL, ("total", "answerable", "wrong and marked, of those shown"), "≤ .05", at_most(0.05)),
    Line("the same: the wanted block shown", REAL, ("total", "answerable", "block shown"), "≥ .65", at_least(0.65)),
    Line("the same: not answerable, marked ✓", REAL, ("total", "not answerable", "marked"), "≤ .03", at_most(0.03)),
    Line("the same: half answerable, partial with the missing part named", REAL, ("total", "half answerable", "partial, missing named"), "≥ .70", at_least(0.7)),
    Line("the same: likely right, AUROC", REAL, ("total", "likely right", "auroc"), "≥ .75", at_least(0.75)),
    Line("the same: likely right, ECE", REAL, ("total", "likely right", "ece"), "≤ .10", at_most(0.1)),
    Line("150 blind questions over eight fresh sets of documents, first reading: gold shown", BLIND, ("total", "answerable", "gold shown"), "≥ .75", at_least(0.75)),
    Line("the same: wrong and marked ✓, of the answers shown", BLIND, ("total", "answerable", "wrong and marked, of those shown"), "≤ .05", at_most(0.05)),
    Line("the same: not answerable, marked ✓", BLIND, ("total", "not answerable", "marked"), "≤ .03", at_most(0.03)),
    Line("the same: likely right, AUROC", BLIND, ("total", "likely right", "auroc"), "≥ .75", at_least(0.75)),
    Line("the same: likely right, ECE", BLIND, ("total", "likely right", "ece"), "≤ .10", at_most(0.1)),
    Line("the same, ninth reading, after other documents were read: gold shown", FRESH, ("total", "answerable", "gold shown"), "≥ .75", at_least(0.75)),
    Line("the same: first 80 words of the top passage", FRESH, ("total", "answerable", "first 80 words of the top passage")),
    Line("the same: wrong and marked ✓, of the answers shown", FRESH, ("total", "answerable", "wrong and marked, of those shown"), "≤ .05", at_most(0.05)),
    Line("the same: not answerable, marked ✓", FRESH, ("total", "not answerable", "marked"), "≤ .03", at_most(0.03)),
    Line("the same: half answerable, partial with the missing part named", FRESH, ("total", "half answerable", "partial, missing named"), "≥ .70", at_least(0.7)),
    Line("the same: likely right, AUROC", FRESH, ("total", "likely right", "auroc"), "≥ .75", at_least(0.75)),
    Line("the same: likely right, ECE", FRESH, ("total", "likely right", "ece"), "≤ .10", at_most(0.1)),
    Line("83 questions over 17 manuals in HTML and PDF, block by block: wanted block shown, before (of 83)", BEFORE_BLOCKS, ("total", "wanted block shown")),
    Line("the same, now (of 83)", BLOCKS, ("total", "wanted block shown")),
    Line("the same: answers with rows of navigation or contents, before", BEFORE_BLOCKS, ("total", "navigation or contents shown")),
    Line("the same, now", BLOCKS, ("total", "navigation or contents shown")),
    Line("the reader alone, SQuAD 2.0's dev set: F1, best threshold", READER, ("squad2_dev", "f1, best")),
    Line("the same: exact match", READER, ("squad2_dev", "exact, best")),
    Line("the same, written questions held out: does the passage answer, AUROC", READER, ("written, held out", "auroc")),
    Line("right answers that stay right when the question is misspelt", ROBUST, ("typo", "stay right"), "≥ .85", at_least(0.85)),
    Line("the same, reworded", ROBUST, ("reworded", "stay right"), "≥ .85", at_least(0.85)),
    Line("newcomers' questions over these docs that end as they should, of 60", OWN, ("as wanted",), "≥ 48", at_least(48)),
    Line("questions over things alike, of which only another's fact is told (11, second set): marked ✓", RIVALS, ("second set, told of another", "wrong ✓"), "0", at_most(0)),
    Line("the same, answerable (12): right and marked ✓", RIVALS, ("second set, answerable", "right ✓")),
    Line("questions in two parts, one not answered (90, second set): the other shown, the missing one named", PARTS, ("second set, half", "right"), "≥ 63", at_least(63)),
    Line("the same, each part judged beside the whole question, as before", BEFORE_PARTS, ("second set, half", "right")),
    Line("the same: marked ✓ with no word on the missing part", PARTS, ("second set, half", "missing part not named ✓"), "0", at_most(0)),
    Line("the same, as before", BEFORE_PARTS, ("second set, half", "missing part not named ✓")),
    Line("cells of tables looked up by rule (97 of 191 questions): right", CELLS, ("right, of the cells found with a value",), "≥ .95", at_least(0.95)),
    Line("questions over tables of two columns, in other words (60 with an answer): the cell shown and marked ✓", PAIRS, ("right and marked",)),
    Line("the same, of all 106: something else marked ✓", PAIRS, ("wrong and marked",), "0", at_most(0)),
    Line("questions over tables of ranges (126 that a cell answers): the cell shown and marked ✓", RANGES, ("right and marked",)),
    Line("the same, of all 144: something else marked ✓", RANGES, ("wrong and marked",), "0", at_most(0)),
    Line("questions in two parts, both answered (90): both shown and marked ✓", PARTS, ("second set, both", "right ✓")),
    Line("questions whose fact the document tells of another thing only (30): marked ✓", PARTS, ("second set, other", "wrong ✓"), "0", at_most(0)),
    Line("a second search without a model, hotpot100: share of gold passages at 10 above one hybrid search", GOLD, ("hotpot100", LINKED, "gain"), "≥ .08", at_least(0.08)),
    Line("the same, musique100", GOLD, ("musique100", LINKED, "gain"), "≥ .08", at_least(0.08)),
    Line("a corrective round beyond its searches, musique100, CPU ms, 95th percentile", GOLD, ("musique100", "CPU ms of a round beyond its searches", "95th percentile"), "≤ 100", at_most(100)),
    Line("a second search without a model: right ends more than without it, first judgement ambiguous", WORTH, ("rules", "gains", "REFINE", "ambiguous")),
    Line("the same, outside (half of the answers there)", WORTH, ("rules", "gains", "EXTERNAL", "ambiguous")),
    Line("answers moved to a web: share still answered, worth of searching learned out of fold", MOVED, (FOLDED, "share still answered"), "≥ .80", at_least(0.8)),
    Line("the same: share of the answers that showed the gold and still do", MOVED, (FOLDED, "share still shown")),
    Line("the same: unanswerable questions refused, more than before", MOVED, (FOLDED, "more of them refused"), "≥ 0", at_least(0)),
    Line("the same: mean rounds", MOVED, (FOLDED, "mean rounds"), "≤ 2", at_most(2)),
    Line("choosing searches by gain and cost, answers outside: share of rounds fewer than a fixed loop of three", CHOOSING, (WEB, FOLDED, "fewer rounds"), "≥ .20", at_least(0.2)),
    Line("the same: right ends more than the fixed loop's, share of the questions", CHOOSING, (WEB, FOLDED, "difference in right"), "≥ 0", at_least(0)),
    Line("choosing over the whole collection: share of rounds fewer than a fixed loop of three", CHOOSING, (HOME, FOLDED, "fewer rounds"), "≥ .20", at_least(0.2)),
    Line("the same: right ends more than the fixed loop's, share of the questions", CHOOSING, (HOME, FOLDED, "difference in right"), "≥ 0", at_least(0)),
    Line("ramdocs: rows with conflicting answers flagged", CONFLICTS, ("flagged",), "≥ .70", at_least(0.7)),
    Line("the same: all right answers among the readings", CONFLICTS, ("all right answers among the readings",), "≥ .50", at_least(0.5)),
    Line("the same: precision of the readings", CONFLICTS, ("reading precision",), "≥ .50", at_least(0.5)),
    Line("the same: rows flagged whose passages give one answer by their labels", CONFLICTS, ("rows whose passages give one answer", "flagged"), "≤ .15", at_most(0.15)),
    Line("the same: rows with one answer and no wrong one", CONFLICTS, ("rows with one answer and no wrong one", "flagged"), "≤ .15", at_most(0.15)),
    Line("sufficient rows of rgb-en flagged", CONFLICTS, ("sufficient rows of", "rgb-en", "flagged"), "≤ .15", at_most(0.15)),
    Line("sufficient rows of hotpot100 flagged", CONFLICTS, ("sufficient rows of", "hotpot100", "flagged"), "≤ .15", at_most(0.15)),
    Line("mtrag-un: asking back, underspecified against answerable, AUROC out of fold", ASKED, ("auroc out of fold",), "≥ .70", at_least(0.7)),
    Line("the same: answerable rows asked back", ASKED, ("at the threshold, out of fold", "answerable"), "≤ .10", at_most(0.1)),
    Line("planted instructions: benign controls masked", MASKED, ("strings", "notinject benign_trigger_words", "masked"), "≤ .05", at_most(0.05)),
    Line("forbidden links and names of which any reached a listener", "ssrf/results/links", ("forbidden_connections",), "0", at_most(0)),
    Line("documents read as expected, of 77", "documents/results/documents", ("as_expected",), "77", at_least(77)),
    Line("embedding: least cosine of int8 to float, 1,313 texts", "embedding/results/embedding", ("cosine_to_float", "least"), "≥ .97", at_least(0.97)),
    Line("embedding: SciFact nDCG@10, dense only", "embedding/results/embedding", ("scifact_ndcg_at_10",)),
    Line("documents lost in 300 kill -9", KILLS, ("lost",), "0", at_most(0)),
    Line("documents held in part after them", KILLS, ("partial",), "0", at_most(0)),
    Line("longest opening after a kill, seconds", KILLS, ("longest_opening_seconds",), "≤ 1", at_most(1)),
    Line("changes of another process missed, 100 interleavings", KILLS, ("missed",), "0", at_most(0)),
    Line("search over its bare parts, 50,000 passages, exact, median", EXACT, ("ratio", "p50"), "≤ 2.5", at_most(2.5)),
    Line("the same, 198,515 passages, HNSW", GRAPH, ("ratio", "p50"), "≤ 2.5", at_most(2.5)),
    Line("passages of that run with vectors of their own (the others have slightly moved copies)", GRAPH, ("own_vectors",)),
    Line("a fast ask beyond its search, CPU ms, median", "speed/results/ask", ("beyond_search_cpu_ms_p50",), "≤ 150", at_most(150)),
    Line("the same, 95th percentile", "speed/results/ask", ("beyond_search_cpu_ms_p95",), "≤ 50", at_most(50)),
    Line("adding one .jsonl of 20,000 passages, share of the bare embedding speed", "speed/results/add", ("jsonl_share_of_bare",), "≥ .75", at_least(0.75)),
    Line("adding 2,000 files, share of the bare embedding speed", "speed/results/add", ("files_share_of_bare",), "≥ .50", at_least(0.5)),
    Line("`assay --help`, seconds", "speed/results/start", ("help_seconds",), "≤ .3", at_most(0.3)),
    Line("`import assay`, seconds", "speed/results/start", ("import_seconds",), "≤ .1", at_most(0.1)),
    Line("`assay serve` without a collection: resident memory, MB", "serve/results/idle", ("resident_megabytes",), "≤ 150", at_most(150)),
    Line("its replies of status 500 or above, of thousands that Schemathesis asked for", "serve/results/conformance", ("server_errors",), "0", at_most(0)),
    Line("its replies that are not as /openapi.json describes", "serve/results/conformance", ("unlike_description",), "0", at_most(0)),
    Line("own time of a question over that of a LangChain program on its workload, embeddings from the same service", PEERS, ("assay_over_seed", "own_time"), "≤ 1", at_most(1)),
    Line("the same: questions per second, 64 at once, 50 ms a model call", PEERS, ("assay_over_seed", "questions_per_second"), "≥ 1", at_least(1)),
    Line("own time over that program's with the bundled embedding model in the process", PEERS, ("assay-bundled_over_seed", "own_time")),
    Line("the same: questions per second", PEERS, ("assay-bundled_over_seed", "questions_per_second")),
    Line("longest stall of the caller's event loop under that load, ms", PEERS, ("longest_stall_ms", "assay"), "≤ 50", at_most(50)),
    Line("SmolLM2-135M on 60 questions of wiki-mix: answered", MODEL, ("answered",), "≥ 40", at_least(40)),
    Line("the same: answers that were quoted instead, since nothing it wrote passed", MODEL, ("quoted instead",)),
    Line("the same: share of the delivered sentences without a mark", MODEL, ("share of them unmarked",), "≥ .5", at_least(0.5)),
    Line("the same: gold shown", MODEL, ("gold shown", "cited")),
    Line("the same: more often than by the raw model", MODEL, ("gold shown, cited above the raw model",), "≥ 0", at_least(0)),
    Line("the same: by what the model wrote alone", MODEL, ("gold shown by what the model wrote",)),
    Line("gold shown by the raw model, of 60", MODEL, ("gold shown", "raw model")),
    Line("gold shown without a model, of 60", MODEL, ("gold shown", "without a model")),
    Line("SmolLM2-135M on 100 questions: gold shown more often than in its raw drafts", HUNDRED, ("gold shown, cited above the raw model",), "≥ 0", at_least(0)),
    Line("the same: unsupported sentences delivered unmarked, by a script, over those in its raw drafts", DELIVERED, ("by script", "delivered, share of the raw drafts'"), "≤ .10", at_most(0.1)),
    Line("the same, by 100 sentences labelled by hand", DELIVERED, ("by hand", "delivered, share of the raw drafts'"), "≤ .10", at_most(0.1)),
    Line("the same, all delivered sentences that are no copies labelled", DELIVERED, ("by hand", "delivered in words of its own", "share of the raw drafts'"), "≤ .10", at_most(0.1)),
    Line("delivered unmarked in words of its own: sentences", DELIVERED, ("by hand", "delivered in words of its own", "sentences")),
    Line("of these unsupported, by hand", DELIVERED, ("by hand", "delivered in words of its own", "unsupported")),
    Line("errors planted into copied sentences, found without a model", PLANTED, ("copied", "all errors", "found"), "≥ .97", at_least(0.97)),
    Line("clean copied sentences flagged", PLANTED, ("copied", "clean", "flagged"), "≤ .02", at_most(0.02)),
    Line("clean reworded sentences flagged (others are unknown)", PLANTED, ("reworded", "clean", "flagged"), "≤ .10", at_most(0.10)),
    Line("reworded: wrong numbers found", PLANTED, ("reworded", "number", "found"), "≥ .75", at_least(0.75)),
    Line("reworded: wrong dates found", PLANTED, ("reworded", "date", "found"), "≥ .75", at_least(0.75)),
    Line("reworded: wrong names found", PLANTED, ("reworded", "name", "found"), "≥ .55", at_least(0.55)),
    Line("reworded: negations found", PLANTED, ("reworded", "negation", "found"), "≥ .55", at_least(0.55)),
    Line("reworded: additions found", PLANTED, ("reworded", "addition", "found")),
    Line("copied, after repair: errors found that are left unmarked", REPAIR, (MARKING, "of those found, left unmarked"), "≤ .05", at_most(0.05)),
    Line("copied, after repair: planted numbers and names corrected", REPAIR, (MARKING, "planted numbers and names corrected"), "≥ .5", at_least(0.5)),
    Line("copied, after repair with dropping: sentences dropped", REPAIR, (DROPPING, "sentences dropped"), "≤ .2", at_most(0.2)),
    Line("copied, after repair: clean claims broken", REPAIR, (MARKING, "clean claims broken"), "0", at_most(0)),
    Line("copied, after repair: clean sentences untouched", REPAIR, (MARKING, "clean sentences untouched"), "≥ .95", at_least(0.95)),
    Line("reworded, after repair: planted numbers and names corrected", REPAIR, ("reworded, marking", "planted numbers and names corrected"), "≥ .5", at_least(0.5)),
    Line("reworded, after repair: clean sentences untouched", REPAIR, ("reworded, marking", "clean sentences untouched"), "≥ .95", at_least(0.95)),
    Line("a text of one short string repeated, 224 strings: CPU time of its worst verb over that of prose of its length", "pumps/results/pumps", ("worst ratio",), "≤ 4", at_most(4)),
    Line("checking a sentence against 10 passages, CPU ms", SPEED_OF_CHECKS, ("CPU ms a sentence, ten passages", "mean"), "≤ 6", at_most(6)),
    Line("reading the marks of 100 kB, CPU ms", SPEED_OF_CHECKS, ("CPU ms of 100 kB of marks",), "≤ 50", at_most(50)),
    Line("21 faults of a verifier: silent passes", CLOSED, ("silent passes", "assay"), "0", at_most(0)),
    Line("the same faults, searching the reply for a word", CLOSED, ("silent passes", "search for a word")),
    Line("the same faults, falling back to a score", CLOSED, ("silent passes", "evaluation with a fallback")),
    Line("200 recorded runs: replays with the same bytes and no network", REPLAY, ("same_bytes",), "200", at_least(200)),
    Line("100,000 passages: disk, MiB", "speed/results/size", ("disk_mib",), "≤ 600 MB", at_most(572)),
    Line("100,000 passages: memory of an ask, MiB", "speed/results/size", ("ask_peak_mib",), "≤ 700 MB", at_most(667)),
    Line("100,000 passages: a cold `assay ask`, seconds", "speed/results/size", ("cold_ask_seconds",), "≤ 3", at_most(3)),
    Line("planted instructions, a model that obeys all it sees in every role: requests, calls of tools", ATTACKS, ("requests, and calls of tools or programs",), "0", at_most(0)),
    Line("the same: new links in 186 answers, depth thorough", ATTACKS, ("thorough", "new links in the answer"), "0", at_most(0)),
    Line("the same: verdicts changed, depth fast (no model judges)", ATTACKS, ("fast", "verdicts lowered"), "0", at_most(0)),
    Line("the same: verdicts lowered, depth balanced", ATTACKS, ("balanced", "verdicts lowered"), "0", at_most(0)),
    Line("the same: verdicts raised, depth balanced", ATTACKS, ("balanced", "verdicts raised"), "0", at_most(0)),
    Line("the same: verdicts lowered, depth thorough", ATTACKS, ("thorough", "verdicts lowered"), "0", at_most(0)),
    Line("the same: verdicts raised, depth thorough", ATTACKS, ("thorough", "verdicts raised"), "0", at_most(0)),
    Line("the same: mean share of an answer's words changed, depth balanced", ATTACKS, ("balanced", "mean share of words changed")),
    Line("sentences that order an answer (20, written here), fast: the ordered answer first and marked ✓", ADDRESSED, ("planted", "planted ✓"), "0", at_most(0)),
    Line("orders in manuals and the like (20, written here): right and marked ✓, 17 before the check", ADDRESSED, ("benign", "right ✓"), "≥ 17", at_least(17)),
    Line("calibration of sufficiency: ECE within the fitted domains, out of fold", SURE_EVIDENCE, (WITHIN, "ece"), "≤ .05", at_most(0.05)),
    Line("the same: ECE on kept-out domains of which .6 are shown as calibrated", SURE_EVIDENCE, (*ELSEWHERE, "ece"), "≤ .10", at_most(0.1)),
    Line("the same: rows there", SURE_EVIDENCE, (*ELSEWHERE, "n"), "≥ 1,000", at_least(1000)),
    Line("calibration of a claim's support: ECE within the fitted domains, out of fold", SURE, (WITHIN, "ece"), "≤ .05", at_most(0.05)),
    Line("the same: ECE on kept-out domains of which .6 are shown as calibrated", SURE, (*ELSEWHERE, "ece"), "≤ .10", at_most(0.1)),
    Line("the same: rows there", SURE, (*ELSEWHERE, "n"), "≥ 1,000", at_least(1000)),
    Line("calibration of whole answers: ECE within the fitted domains, out of fold", "calibration/results/answers", (WITHIN, "ece")),
    Line("the same: Brier score", "calibration/results/answers", (WITHIN, "brier")),
    Line("the same: ECE on four kept-out sets, of what is shown as calibrated", "calibration/results/answers", ("kept out", "all that is shown as calibrated", "ece")),
    Line("the gate of `compare`, 300 questions, no noise: regressions of 3 points caught", GATE, (RUN_ONCE, "0.0%", "3 points"), "1", at_least(1)),
    Line("the same, where two runs of a version differ on 1 % of the questions", GATE, (RUN_ONCE, "1.0%", "3 points"), "≥ .99", at_least(0.99)),
    Line("the same, each version run three times", GATE, ("repeats", "1.0%", "3 runs each", "3 points"), "≥ .99", at_least(0.99)),
    Line("the same, where they differ on 5 %, each version run nine times", GATE, ("repeats", "5.0%", "9 runs each", "3 points"), "≥ .99", at_least(0.99)),
    Line("the same: unchanged pairs that fail, where two runs differ on 5 %", GATE, (RUN_ONCE, "5.0%", "0 points"), "≤ .05", at_most(0.05)),
    *(
        Line(f"a risk of {risk} over {what}: splits of 100 in which it was exceeded", result, (risk, "broken"), "≤ 16", at_most(16))
        for what, result in (("given evidence", KEPT_EVIDENCE), ("found evidence", KEPT_FOUND), ("claims", KEPT))
        for risk in ("0.05", "0.10", "0.20")
    ),
    *(
        Line(f"a risk of 0.20 over {what}: share shown, of an oracle threshold's", result, ("0.20", "of the oracle's"), "≥ .5", at_least(0.5))
        for what, result in (("given evidence", KEPT_EVIDENCE), ("found evidence", KEPT_FOUND), ("claims", KEPT))
    ),
    *(
        Line(f"claims as models write them, over {what}: {figure.lower() if figure[0] != 'A' else figure}", NATURAL, (part, figure), bar, reached)
        for what, part in (("passages held out", "natural"), ("a genre held out", "genre"), ("documentations held out", "documentation"), ("stories, recipes, papers and encyclopaedias held out", "public"))
        for figure, bar, reached in (
            ("AUROC", "≥ .85", at_least(0.85)),
            ("AUROC of paraphrases against falsehoods", "≥ .78", at_least(0.78)),
            ("false called supported", "≤ .03", at_most(0.03)),
            ("true flagged", "≤ .06", at_most(0.06)),
            ("paraphrases supported", "≥ .35", at_least(0.35)),
            ("contradicted that are contradicted", "≥ .9", at_least(0.9)),
        )
    ),
    *(
        Line(f"good replies of models: {figure}", REPLIES, ("good", figure), bar, reached)
        for figure, bar, reached in (("unchanged", "≥ .85", at_least(0.85)), ("failed", "≤ .05", at_most(0.05)), ("supported", "", at_least(0)))
    ),
    Line("bad sentences of replies: caught", REPLIES, ("bad", "failed"), "≥ .45", at_least(0.45)),
    Line("bad sentences of replies: passed", REPLIES, ("bad", "supported"), "≤ .04", at_most(0.04)),
    Line("with a scripted verifier that is right of 95 % of the claims: good sentences unchanged and supported", VERIFIED, ("good", "unchanged and supported"), "≥ .95", at_least(0.95)),
    Line("the same: bad sentences caught", VERIFIED, ("bad", "failed"), "≥ .9", at_least(0.9)),
    Line("the same: calls a question", VERIFIED, ("calls a question",), "≤ 2", at_most(2)),
    Line("a claim of a draft of six against ten passages, CPU ms, with the checker", COST, ("with the checker", "CPU ms a claim, mean"), "≤ 30", at_most(30)),
    Line("the same, without it", COST, ("without", "CPU ms a claim, mean"), "≤ 3", at_most(3)),
    Line("memory of the checker, MiB", COST, ("memory of the checker, MiB",), "≤ 120 MB", at_most(114)),
    Line("labelled claims, folds that taught nothing: AUROC of support, six support sets", LABELLED, ("mean of the six support sets",), "≥ .78", at_least(0.78)),
    Line("the same: seven sets of edited summaries", LABELLED, ("mean of the edited summaries",), "≥ .71", at_least(0.71)),
    Line("drafts in words of their own, fixed: wrong values corrected rightly", FIX, ("wrong", "corrected rightly"), "≥ .25", at_least(0.25)),
    Line("the same: wrong values corrected wrongly", FIX, ("wrong", "corrected wrongly"), "0", at_most(0)),
    Line("the same: true sentences marked", FIX, ("true", "marked"), "≤ .03", at_most(0.03)),
    Line("numbers and dates in no source that arithmetic excuses: claims that are true", ARITHMETIC, ("written, odd", "excused", "share")),
    Line("decorative citations planted into supported claims: named", ABLATION, ("all planted", "planted, found of those tested")),
    Line("true citations of claims with two: called decorative", ABLATION, ("all true", "true, called decorative of those tested")),
    Line("natural questions that nothing was fitted on: ECE of the confidence as shipped", LEARNING, ("as they are", "20 labels", "ECE before")),
    Line("the same, learned from 20 labels", LEARNING, ("as they are", "20 labels", "ECE after")),
    Line("half of the right answers called wrong: ECE as shipped", LEARNING, ("harder", "20 labels", "ECE before")),
    Line("the same, learned from 20 labels", LEARNING, ("harder", "20 labels", "ECE after")),
    *(
        Line(f"planted texts that a judge obeys, judged apart, {depth}: verdicts {what}", APART, (depth, "planted", "fixed", f"apart: {what}"), bar, reached)
        for depth in ("balanced", "thorough")
        for what, bar, reached in (("raised", "0", at_most(0)), ("lowered", "≤ 5", at_most(5)))
    ),
    Line("gold shown beside LangChain and LlamaIndex with a cutoff, no model: times the best of them", BESIDE, ("all", "gold shown, beside the best with a cutoff", "ratio"), "≥ 1.2", at_least(1.2)),
    Line("the same, beside the best of them without one, whatever it shows wrong", BESIDE, ("all", "gold shown, beside the best of all", "ratio")),
    Line("the same: wrong answers shown, of all questions", BESIDE, ("all", "assay", "wrong shown")),
    Line("claims of a model over sources, thresholds fitted on another half: AUROC", CHECKED, ("natural", "assay", "AUROC")),
    Line("the same, the nearest sentence", CHECKED, ("natural", "nearest sentence", "AUROC")),
    Line("the same, word overlap", CHECKED, ("natural", "word overlap", "AUROC")),
    Line("`assay eval` killed at 20 random moments and resumed: evaluations that differ", EVAL_KILLS, ("evaluations that differ",), "0", at_most(0)),
    Line("`assay eval` of 10,000 cases: memory at most, MB, with the engine's networks", EVAL_MEMORY, ("megabytes at most",), "≤ 500", at_most(500)),
    Line("the same: share of the time of 60 real questions that is not the engine's", EVAL_MEMORY, ("share of time outside the engine",), "≤ .05", at_most(0.05)),
)  # fmt: skip


def page() -> str:
    """The page: one row a line, then when and where each result was measured."""
    files = {line.result: ROOT / "benchmarks" / f"{line.result}.json" for line in LINES}
    bodies = {result: json.loads(file.read_text()) for result, file in files.items() if file.is_file()}
    rows = "".join(row(line, bodies.get(line.result)) for line in LINES)
    measured = "".join(f"- `{name}.json`: {where(body)}\n" for name, body in bodies.items())
    return f"{HEAD}{rows}\n## When and where\n{measured}"


def row(line: Line, body: dict[str, Any] | None) -> str:
    """A line with its number; a number that misses its bar says so, and one that nobody measured misses it."""
    value: Any = None if body is None else number(body, line.keys)
    shown = "not measured" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3f}"
    reached = not line.bar if value is None else line.reached(value)
    missed = "" if reached else " (**not reached**)"
    claim, _, name = line.result.partition("/results/")
    command = f"speed/{name.partition('-')[0]}.py" if claim == "speed" else f"{claim}/run.py"
    others = {"choose": "retrieval/choose.py", "worth": "correct/learn.py", "addressed": "attacks/addressed.py"}
    command = others.get(name, command)
    own = f"{claim}/{name}.py"
    if (
        claim in ("answers", "claims", "compare", "evaluate", "peers", "planted", "serve")
        and (ROOT / "benchmarks" / own).exists()
    ):
        command = own
    return f"| {line.what} | {shown}{missed} | {line.bar} | `benchmarks/{command}` |\n"


def number(body: dict[str, Any], keys: tuple[str | int, ...]) -> Any:
    """The number of a result that stands under these keys."""
    value: Any = body.get("numbers", body)
    for key in keys:
        value = value[key]
    return value


def where(body: dict[str, Any]) -> str:
    """Date, revision and machine of one result."""
    machine = body["machine"] if isinstance(body["machine"], str) else ", ".join(map(str, body["machine"].values()))
    return ", ".join(
        each for each in ((body.get("date") or body["at"])[:10], body.get("revision", "")[:7], machine) if each
    )


# --- the numbers in README -------------------------------------------------------------------------

_NUMBERS = re.compile(r"(<!-- numbers -->\n).*?(<!-- end of numbers -->)", re.DOTALL)


@dataclass(frozen=True)
class Comparison:
    """A row of README's table: assay's number, and that of what a reader would pick instead, of one result."""

    what: str
    instead: str
    result: str
    ours: tuple[str | int, ...]
    theirs: tuple[str | int, ...]
    form: str


COMPARISONS = (
    Comparison(
        "Natural questions over real documents, no language model: the expected answer is shown",
        "the first 80 words of the top passage",
        REAL,
        ("total", "answerable", "gold shown"),
        ("total", "answerable", "first 80 words of the top passage"),
        ".0%",
    ),
    Comparison(
        "Statements about a source, six labelled sets: telling supported from unsupported ones, AUROC",
        "the share of words they have in common",
        CHECK,
        ("means", "six others, vectors, out of fold"),
        ("means", "six others, overlap"),
        ".2f",
    ),
    Comparison(
        "Simulated faults of the verifying model (cut off, empty, malformed, …) that slip through, of 21",
        "searching its reply for a word",
        CLOSED,
        ("silent passes", "assay"),
        ("silent passes", "search for a word"),
        "d",
    ),
)


def numbers() -> str:
    """README's table of comparisons, and below it the wrong answers, those of them with a ✓, and the missed targets."""
    bodies = {line.result: result for line in LINES if (result := kept(line.result)) is not None}
    rows = "".join(compared(each, bodies[each.result]) for each in COMPARISONS)
    shown = bodies[REAL]
    marked, wrong, both = (
        percent(number(shown, ("total", "answerable", f"{share}, of those shown")), form)
        for share, form in (("marked", ".0%"), ("wrong", ".0%"), ("wrong and marked", ".1%"))
    )
    bars = [line for line in LINES if line.bar]
    missed = sum("**not reached**" in row(line, bodies.get(line.result)) for line in bars)
    return (
        f"| measured | assay | instead |\n|---|---|---|\n{rows}\n"
        f"Of the answers that assay showed in the first row, {marked} carry a ✓; {wrong} are wrong, and {both} are wrong "
        f"and carry a ✓.\n{missed} of {len(bars)} targets were missed. "
        "[What was measured](docs/measured.md) lists them all, each with its command.\n"
    )


def kept(result: str) -> dict[str, Any] | None:
    """A result as it was kept; None where there is none."""
    file = ROOT / "benchmarks" / f"{result}.json"
    found: dict[str, Any] | None = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
    return found


def compared(comparison: Comparison, body: dict[str, Any]) -> str:
    """A row of the table, with the day of its measurement."""
    both = (comparison.ours, comparison.theirs)
    ours, theirs = (percent(number(body, keys), comparison.form) for keys in both)
    return f"| {comparison.what} ({body['date']}) | **{ours}** | {theirs}, by {comparison.instead} |\n"


def percent(value: float, form: str) -> str:
    """A number in its form, with a space before the per cent sign.

    >>> percent(0.753, ".0%"), percent(17, "d")
    ('75 %', '17')
    """
    return f"{value:{form}}".replace("%", " %")


def readme() -> str:
    """README with its numbers as they are now."""
    return _NUMBERS.sub(
        lambda match: match.group(1) + numbers() + match.group(2), README.read_text(encoding="utf-8")
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    README.write_text(readme(), encoding="utf-8")
    import concept_pages  # it needs this module's functions

    concept_pages.write()
