"""Renew the pictures of the server's page in the documentation, from those that `make page` took.

.venv/bin/python deploy/page_pictures.py
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parents[1]
# The pictures of tests/page that the documentation shows, and their names there.
SHOWN = {"light-asked": "page-answer", "light-source": "page-source", "run-without-sources": "page-without-sources"}
# Sharp letters at a size that a clone does not feel; chosen.
QUALITY = 60


def main() -> None:
    """Write each picture as WebP, in its own size."""
    for taken, shown in SHOWN.items():
        with Image.open(ROOT / ".make" / "page" / f"{taken}.png") as picture:
            picture.convert("RGB").save(ROOT / "docs" / "assets" / f"{shown}.webp", quality=QUALITY, method=6)


if __name__ == "__main__":
    main()
