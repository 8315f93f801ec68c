"""Which sentences may be quoted."""

from __future__ import annotations

from assay.types import Evidence, Hit, Passage
from assay.write.candidates import candidates


def test_code_is_no_answer():
    text = (
        "Run it so:\n\n```console\n$ assay ask 'How hot is it?' now.\n```\n\nIt prints the temperature of the day."
    )
    passage = Passage("p", "d", "r", 0, len(text), text)
    found = [each.text for each in candidates(Evidence((Hit(passage, 1.0),)))]
    assert found == ["Run it so:", "It prints the temperature of the day."]


def test_columns_are_no_sentence():
    text = (
        "  -k N      How many passages.  [default: 8]\n  --mode M    How to search.\n\nA search returns 8 passages."
    )
    passage = Passage("p", "d", "r", 0, len(text), text)
    assert [each.text for each in candidates(Evidence((Hit(passage, 1.0),)))][-1] == "A search returns 8 passages."
    assert not any("--mode" in each.text for each in candidates(Evidence((Hit(passage, 1.0),))))
