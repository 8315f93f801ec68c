"""A short document is not given back whole: an answer begins with what is asked."""

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


OPENED = "The Harrow Bridge crosses the river Tane. It was opened on 3 May 1932 by Mayor Ellen Pryce."
LONG = "The bridge is 412 metres long and 18 metres wide. Its main span measures 155 metres."
REPAINTED = """The bridge was repainted in 1998. The repainting cost 2.4 million pounds.
Cyclists may use the bridge on weekdays only."""


def answered(question: str, folder: Path, **settings: str) -> str:
    (folder / "bridge.md").write_text(BRIDGE, encoding="utf-8")
    with open_engine(data_dir=folder / "data", **settings) as engine:
        engine.add([folder / "bridge.md"])
        return engine.ask(question).text


@pytest.mark.parametrize(
    ("question", "paragraph"),
    [
        ("When was the Harrow Bridge opened?", OPENED),
        ("How long is the Harrow Bridge?", LONG),
        ("When was the bridge repainted?", REPAINTED),
    ],
)
def test_the_paragraph_that_answers_comes_first_and_whole(question: str, paragraph: str, tmp_path: Path):
    first = answered(question, tmp_path).split(" [1]")[0]
    assert first.split("** — ")[-1] == paragraph


@pytest.mark.parametrize(
    ("question", "holds", "leaves_out"),
    [
        ("When was the Harrow Bridge opened?", "3 May 1932", "metres"),
        ("How long is the Harrow Bridge?", "412 metres", "1998"),
        ("When was the bridge repainted?", "1998", "Cyclists"),
    ],
)
def test_without_a_reader_only_sentences_that_speak_of_it_are_told(
    question: str, holds: str, leaves_out: str, tmp_path: Path
):
    text = answered(question, tmp_path, reader="none")
    assert holds in text
    assert leaves_out not in text
