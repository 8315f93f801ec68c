"""Model weights as files: ask for a folder by name, load it with what you like."""

from pathlib import Path

__all__ = ["folder"]

_FOLDERS = {
    "minilm-l6-v2-int8": "minilm_l6_v2_int8",
    "minilm-l6-checker-int8": "minilm_l6_checker_int8",
    "minilm-l6-reader-int8": "minilm_l6_reader_int8",
}


def folder(name: str = "minilm-l6-v2-int8") -> Path:
    """The folder that holds a model: `model.onnx`, `tokenizer.json`, `manifest.json`, `CARD.md`.

    >>> sorted(path.name for path in folder().iterdir())
    ['CARD.md', 'manifest.json', 'model.onnx', 'tokenizer.json']

    Raises `LookupError`, listing the known names, when `name` is none of them.
    """
    if name not in _FOLDERS:
        raise LookupError(f"assay-models has no model {name!r}; it has {', '.join(sorted(_FOLDERS))}")
    return Path(__file__).parent / _FOLDERS[name]
