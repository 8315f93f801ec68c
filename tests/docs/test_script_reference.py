"""script.md names every field of a scripted model's rules and every value that they may have."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from assay.models.scripted import _ERRORS, Counted, Failure, Rule, ScriptedModel
from assay.types import Finish, Role

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "script.md"
TEXT = PAGE.read_text(encoding="utf-8")
NAMES = [
    *Rule.model_fields,
    *Counted.model_fields,
    *Failure.model_fields,
    *get_args(Finish),
    *get_args(Role),
    *_ERRORS,
]


@pytest.mark.parametrize("name", NAMES)
def test_the_page_names_it(name: str):
    assert re.search(rf"[`{{ ]{name}[`}},]", TEXT)


def test_the_example_is_a_script(tmp_path: Path):
    (example,) = re.findall(r"^```json\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    file = tmp_path / "script.json"
    file.write_text(example, encoding="utf-8")
    assert ScriptedModel.load(file).name == "fake:script.json"
    assert {name for rule in json.loads(example) for name in rule} == set(Rule.model_fields) - {"finish"}
