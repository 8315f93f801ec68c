"""A short document is not given back whole: the sentences of an answer speak of what is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import open_engine

BRIDGE = """# The Harrow Bridge

The Harrow Bridge crosses the river Tane. It was opened on 3 May 1932 by Mayor Ellen Pryce.

## Dimensions

The bridge is 412 metres long and 18 metres wide. Its main span measures 155 metres.

## Maintenance

The bridge was repainted in 1998. The repainting cost 2.4 million pounds.
Cyclists may use the bridge on weekdays only.
"""


@pytest.mark.parametrize(
    ("question", "holds", "leaves_out"),
    [
        ("When was the Harrow Bridge opened?", "3 May 1932", "metres"),
        ("How long is the Harrow Bridge?", "412 metres", "1998"),
        ("When was the bridge repainted?", "1998", "Cyclists"),
    ],
)
def test_only_what_is_asked_is_told(question: str, holds: str, leaves_out: str, tmp_path: Path):
    (tmp_path / "bridge.md").write_text(BRIDGE, encoding="utf-8")
    with open_engine(data_dir=tmp_path / "data") as engine:
        engine.add([tmp_path / "bridge.md"])
        answer = engine.ask(question)
    assert holds in answer.text
    assert leaves_out not in answer.text
