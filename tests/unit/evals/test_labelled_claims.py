"""Labelled claims are read strictly: what is wrong is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.evals.labels_file import count_summary, read_labelled_claims
from assay.types import Verdict

GOOD = [
    {"claim": "It rained.", "evidence": "Rain fell.", "label": "supported"},
    {"claim": "It rained.", "evidence": ["The sun shone.", "It was dry."], "label": "contradicted"},
    {"claim": "It rained.", "evidence": "Tea is hot.", "label": "unsupported"},
    {"id": "a", "claim": "It snowed.", "context": "Snow fell.", "label": True, "set": "weather"},
    {"id": "b", "claim": "It snowed.", "context": "Rain fell.", "label": False},
]


def written(folder: Path, *rows: object) -> Path:
    path = folder / "claims.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in rows))
    return path


def test_verdicts_and_what_audit_reads_are_understood(tmp_path: Path):
    found = read_labelled_claims(written(tmp_path, *GOOD))
    assert [each.label for each in found] == [
        Verdict.SUPPORTED,
        Verdict.CONTRADICTED,
        Verdict.UNSUPPORTED,
        Verdict.SUPPORTED,
        Verdict.UNSUPPORTED,
    ]
    assert [passage.text for passage in found[1].passages] == ["The sun shone.", "It was dry."]
    assert found[0].group == found[4].group
    assert count_summary(found) == "5 labelled claims: 2 supported, 1 contradicted, 2 unsupported"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"evidence": "a", "label": True}, "line 6: it has no claim"),
        ({"claim": " ", "evidence": "a", "label": True}, "line 6: it has no claim"),
        ({"claim": "a", "label": True}, "line 6: it has no evidence"),
        ({"claim": "a", "evidence": [], "label": True}, "line 6: it has no evidence"),
        ({"claim": "a", "evidence": ["b", 1], "label": True}, "line 6: it has no evidence"),
        ({"claim": "a", "evidence": "b"}, "line 6: its label is null; a label is supported, contradicted, unsup"),
        ({"claim": "a", "evidence": "b", "label": "unknown"}, 'line 6: its label is "unknown"'),
        ({"claim": "a", "evidence": "b", "label": ["supported"]}, "line 6: its label is"),
        ({"claim": " It  rained.", "evidence": "Rain fell.", "label": False}, "the claim stands in line 1 already"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(tmp_path: Path, line: object, told: str):
    with pytest.raises(UsageError, match=told):
        read_labelled_claims(written(tmp_path, *GOOD, line))
