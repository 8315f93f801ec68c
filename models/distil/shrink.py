"""Write weights in int8, a scale a row, in parts that can travel; and read them again.

    python shrink.py WEIGHTS.safetensors OUT_FOLDER [MOST_BYTES]
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

SCALES = ":scales"


def shrunk(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """Matrices as int8 with a scale for each row; the others in float16."""
    made = {}
    for name, value in weights.items():
        if value.dtype.is_floating_point and value.dim() == 2:
            scales = value.float().abs().amax(1, keepdim=True).clamp(min=1e-12) / 127
            made[name] = (value.float() / scales).round().to(torch.int8)
            made[name + SCALES] = scales.half()
        elif value.dtype.is_floating_point:
            made[name] = value.half()
    return made


def read(paths: list[Path]) -> dict[str, Tensor]:
    """The weights of all parts in float32."""
    found = {name: value for path in paths for name, value in load_file(path).items()}
    return {
        name: value.float() * found[name + SCALES].float() if name + SCALES in found else value.float()
        for name, value in found.items()
        if not name.endswith(SCALES)
    }


def main() -> None:
    """Read, shrink, write."""
    source, out, most = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2**40
    out.mkdir(parents=True, exist_ok=True)
    parts: list[dict[str, Tensor]] = [{}]
    size = 0
    for name, value in shrunk(load_file(source)).items():
        large = value.numel() * value.element_size()
        if size + large > most:
            parts.append({})
            size = 0
        parts[-1][name] = value.contiguous()
        size += large
    for number, part in enumerate(parts):
        save_file(part, out / f"{source.stem}.{number}.safetensors")


if __name__ == "__main__":
    main()
