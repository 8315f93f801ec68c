"""Average the weights of a checker and of its continuations (a "model soup", Wortsman and others 2022).

    python average.py OUT.safetensors --wheel WHEEL PART[:SHARE] …

PART is a checkpoint or the weights that train.py wrote; SHARE is 1 by default, and shares are scaled to 1. Runs
where train.py does.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from export_minilm import read_wheel
from safetensors.numpy import save_file
from train import begun


def main() -> None:
    """Read, average, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("parts", nargs="+", metavar="PART[:SHARE]")
    asked = parser.parse_args()
    encoder, _ = read_wheel(asked.wheel)
    named = [part.partition(":") for part in asked.parts]
    shares = [float(share or 1) for _, _, share in named]
    models = [begun(Path(path), encoder) for path, _, _ in named]
    states = [model.state_dict() for model in models]
    mean = {
        name: sum(share / sum(shares) * state[name] for share, state in zip(shares, states, strict=True))
        if value.is_floating_point()
        else value
        for name, value in states[0].items()
    }
    models[0].load_state_dict(mean)
    save_file({name: value.copy() for name, value in models[0].to_weights().items()}, asked.out)


if __name__ == "__main__":
    main()
