"""Runs the benchmarks, one after the other, and writes docs/measured.md from their results.

.venv/bin/python benchmarks/run_all.py            # the quick ones: make bench
.venv/bin/python benchmarks/run_all.py --proofs   # the long ones too: make proofs
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
QUICK = (
    "documents/run.py",
    "documents/views.py",
    "embedding/run.py",
    "retrieval/run.py",
    "judge/run.py",
    "check/run.py",
    "answers/run.py",
    "answers/own_docs.py",
    "fresh/run.py",
    "blocks/run.py",
    "rivals/run.py",
    "parts/run.py",
    "cells/run.py",
    "clarify/run.py",
    "contradictions/run.py",
    "quarantine/run.py",
    "ssrf/run.py",
    "failclosed/run.py",
    "speed/start.py",
    "serve/idle.py",
    "speed/ask.py",
)
LONG = (
    "answers/real.py",
    "correct/run.py",
    "outside/run.py",
    "speed/add.py",
    "speed/size.py",
    "speed/search.py",
    "kills/run.py",
    "pumps/run.py",
    "peers/run.py",
    "peers/quality.py",
    "peers/claim_checks.py",
    "stages/run.py",
    "replay/run.py",
    "model/run.py",
    "delivered/run.py",
    "planted/run.py",
    "planted/speed.py",
    "repair/run.py",
    "assess/run.py",
    "attacks/run.py",
    "judge_apart/run.py",
    "integrations/run.py",
    "serve/conformance.py",
    "serve/secret_keeping.py",
    "serve/tenants.py",
    "serve/stopping.py",
    "postgres/kills.py",
    "postgres/processes.py",
    "reuse/run.py",
    "calibration/claims.py",
    "calibration/evidence.py",
    "calibration/answers.py",
    "calibration/run.py",
    "risk/run.py",
    "audit/run.py",
    "compare/gate.py",
    "evaluate/kills.py",
    "evaluate/memory.py",
    "ablation/run.py",
    "learn/run.py",
)


def main() -> int:
    failed = []
    for name in (*QUICK, *LONG) if "--proofs" in sys.argv else QUICK:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, HERE / name], check=False).returncode != 0:
            failed.append(name)
    subprocess.run([sys.executable, HERE / "report.py"], check=True)
    for name in failed:
        print(f"failed: {name}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
