"""Put weights that run.py wrote under the original's names again.

    python merge.py START.safetensors OUT.safetensors PART.safetensors [PART …]

START is what the run started from; what the parts lack, such as the words, is taken from it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from safetensors.numpy import load_file as load_arrays
from safetensors.numpy import save_file
from safetensors.torch import load_file

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "export"), str(HERE.parent / "reader")]
from network import Reader


def main() -> None:
    """Read, put together, write."""
    start, out, *parts = map(Path, sys.argv[1:])
    model = Reader.from_weights(load_arrays(start))
    state = dict(model.state_dict())
    for part in parts:
        state |= {name: value.float() for name, value in load_file(part).items()}
    model.load_state_dict(state)
    save_file({name: value.copy() for name, value in model.to_weights().items()}, out)


if __name__ == "__main__":
    main()
