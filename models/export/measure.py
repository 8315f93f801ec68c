"""Print how close the int8 model is to the float model, how much a batch changes a vector, and the speed.

    python measure.py TEXTS.jsonl [TEXTS.jsonl ...]      each line an object with "text"

Needs what `run.sh` wrote to `build/`. Reads at most 500 lines of each file, in an order drawn with a fixed
seed, and five texts that are hard for a quantized model: next to nothing.
"""

import json
import os
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

HERE = Path(__file__).parent
FLOAT = HERE / "build" / "float"
INT8 = HERE.parent / "src" / "assay_models" / "minilm_l6_v2_int8"
MAX_TOKENS, TOKENS_IN_A_BATCH, LINES_OF_A_FILE = 256, 512, 500
HARD = ["", "a", "Yes.", "!!", "42"]


def texts(files: Sequence[str]) -> list[str]:
    found = list(HARD)
    for file in files:
        with open(file, encoding="utf-8") as lines:
            read = [json.loads(line)["text"] for line in lines]
        found += random.Random(0).sample(read, min(len(read), LINES_OF_A_FILE))
    return found


def opened(folder: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])


def run(session: onnxruntime.InferenceSession, rows: Sequence[list[int]]) -> NDArray[np.float32]:
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    mask = np.zeros_like(ids)
    for number, row in enumerate(rows):
        ids[number, : len(row)], mask[number, : len(row)] = row, 1
    return session.run(None, {"input_ids": ids, "attention_mask": mask})[0]


def embedded(session: onnxruntime.InferenceSession, rows: Sequence[list[int]]) -> NDArray[np.float32]:
    order = sorted(range(len(rows)), key=lambda number: len(rows[number]))
    vectors = np.zeros((len(rows), 384), np.float32)
    batch: list[int] = []
    for number in order:
        if batch and (len(batch) + 1) * len(rows[number]) > TOKENS_IN_A_BATCH:
            vectors[batch] = run(session, [rows[n] for n in batch])
            batch = []
        batch.append(number)
    vectors[batch] = run(session, [rows[n] for n in batch])
    return vectors


def processor_seconds(sessions: Sequence[onnxruntime.InferenceSession], rows: Sequence[list[int]]) -> list[float]:
    """The best of three for each session, taken in turns; processor time, so that other work counts less."""
    best = [float("inf")] * len(sessions)
    for _ in range(3):
        for number, session in enumerate(sessions):
            begun = time.process_time()
            embedded(session, rows)
            best[number] = min(best[number], time.process_time() - begun)
    return best


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    tokenizer = Tokenizer.from_file(str(INT8 / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    rows = [encoding.ids for encoding in tokenizer.encode_batch(texts(sys.argv[1:]))]
    exact, small = opened(FLOAT), opened(INT8)
    vectors = embedded(small, rows)
    cosines = (vectors * embedded(exact, rows)).sum(axis=1)
    alone = np.concatenate([run(small, [row]) for row in rows])
    print(f"{len(rows)} texts, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print(f"cosine to float: least {cosines.min():.4f}, 5th percentile {np.percentile(cosines, 5):.4f}, mean {cosines.mean():.4f}")
    print(f"cosine alone to in a batch: least {(alone * vectors).sum(axis=1).min():.7f}")
    medium = [row for row in rows if 80 <= len(row) <= 160][:256]
    for name, seconds in zip(("float32", "int8"), processor_seconds((exact, small), medium), strict=True):
        print(f"{name}: {sum(map(len, medium)) / seconds:.0f} tokens, {len(medium) / seconds:.0f} texts a processor-second")


if __name__ == "__main__":
    main()
