"""A checker's folder without weights of its own: the reader's stand-in (models/reader/tiny.py) under a policy."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

TINY_READER = Path(__file__).parent / "tiny_reader"
POLICY = {
    "weights": {"trees": 0.5, "checker": 1.0},
    "shift": 0.0,
    "supported": 0.8,
    "unsupported": 0.1,
    "contradicted": 0.85,
}


def tiny_checker(parent: Path) -> Path:
    """The folder, in `parent`."""
    folder = Path(shutil.copytree(TINY_READER, parent / "checker"))
    path = folder / "manifest.json"
    said = json.loads(path.read_text()) | {"schema": "assay-checker/1", "id": "tiny-checker", "policy": POLICY}
    path.write_text(json.dumps(said))
    return folder
