"""Average the weights of several runs that started from one another.

    python average.py OUT.safetensors A.safetensors=1 B.safetensors=2

A network that was trained further keeps more of what it knew when it is averaged with the one it started from, and
loses little of what it learnt (Wortsman et al. 2022, arXiv 2109.01903). Numbers are relative.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file


def main() -> None:
    """Read, average, write."""
    out, *named = sys.argv[1:]
    pairs = [(load_file(path), float(share)) for path, _, share in (each.rpartition("=") for each in named)]
    whole = sum(share for _, share in pairs)
    first = pairs[0][0]
    mean = {
        name: sum(weights[name] * np.float64(share / whole) for weights, share in pairs).astype(array.dtype)
        for name, array in first.items()
    }
    save_file(mean, Path(out))


if __name__ == "__main__":
    main()
