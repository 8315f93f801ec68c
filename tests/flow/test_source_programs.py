"""The good and the bad answers of the programs that assay grew from, over sources that say what they are about.

One program shows an answer that it gave a confidence of .95, one of .22 and one with an invented citation; the
other asks of every answer about prices that it call the reader to action.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.draft import DraftReport
from assay.engine import Engine
from assay.types import Passage, Status, Verdict
from assay.wiring import open_checker

QUESTION = "What are the benefits of deep learning?"
SOURCES = (
    "Deep learning offers several benefits over classical machine learning. It excels at automatic feature "
    "extraction: the network learns from raw data which features matter, so nobody has to design them by hand. "
    "It achieves state-of-the-art performance in computer vision and natural language processing (NLP) tasks.",
    "Deep learning trains in small batches on graphics processors. It handles large-scale data efficiently.",
    "Deep networks process data sets of many millions of examples, since the work is spread over many machines.",
)
GOOD = (
    "Deep learning offers several key benefits. First, it excels at automatic feature extraction [Source "
    "1]. Second, it "
    "handles large-scale data efficiently [Source 2, 3]. Third, it achieves state-of-the-art performance "
    "in computer "
    "vision and NLP tasks [Source 1]."
)
VAGUE = (
    "Deep learning is generally useful for many tasks. It typically performs well and is commonly used "
    "in industry. "
    "Studies show it's effective."
)
INVENTED = (
    "According to [Source 1], neural networks learn hierarchically. Additionally, [Source 5] states that "
    "backpropagation "
    "is essential."
)
PRICES = (
    "Northlight Studio builds websites and runs search campaigns for small firms. We have 100+ clients "
    "in eleven "
    "countries.\n\n- Website package: 2,400 euros, delivered within six weeks.\n- Search campaign: 650 "
    "euros a month, "
    "with a report every Friday.\n\nEvery project begins with a consultation of thirty minutes."
)
OFFER = (
    "Northlight Studio builds websites and runs search campaigns for small firms [1].\n\n"
    "- **Website package:** 2,400 euros, delivered within six weeks [1].\n"
    "- **Search campaign:** 650 euros a month, with a report every Friday [1].\n\n"
    "Contact us to schedule a consultation."
)
BOAST = "We have 500+ clients. Our Digital Transformation service helps every firm. Let's delve into our prices."
RULES = """
[[rule]]
id = "current-services"
kind = "deprecated_terms"
severity = "block"
[rule.params.terms]
"digital transformation" = ""

[[rule]]
id = "brand-voice"
kind = "forbidden_words"
severity = "repair"
params = { words = ["delve"] }

[[rule]]
id = "each-claim-cites"
kind = "citations"
severity = "repair"
params = { min = 1 }

[[rule]]
id = "invitation"
kind = "call_to_action"
severity = "repair"
params = { phrases = ["contact", "schedule"] }
"""


def passages(*texts: str) -> tuple[Passage, ...]:
    """Numbered from 1."""
    return tuple(Passage(str(n), f"d{n}", "r", 0, len(text), text) for n, text in enumerate(texts, 1))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine with rules such as the second program's."""
    folder = tmp_path_factory.mktemp("programs")
    rules: Path = folder / "rules.toml"
    rules.write_text(RULES, encoding="utf-8")
    with open_checker(models=False, data_dir=folder, rules=str(rules)) as opened:
        yield opened


def failed(found: DraftReport, name: str) -> list[str]:
    """The causes of the failed checks of a name."""
    return [each.cause or "" for each in found.answer.checks if each.name == name and each.status is Status.FAILED]


def verdicts(found: DraftReport) -> list[Verdict]:
    return [each.verdict for each in found.answer.claims]


def test_the_answer_that_was_sure_passes_whole(engine: Engine) -> None:
    found = engine.examine(GOOD, passages(*SOURCES), question=QUESTION)
    assert verdicts(found) == [Verdict.SUPPORTED] * 4
    assert not failed(found, "citations")
    assert found.answer.text == GOOD


def test_the_vague_answer_is_told_to_cite_nothing_and_to_say_nothing_that_is_known(engine: Engine) -> None:
    found = engine.examine(VAGUE, passages(*SOURCES), question=QUESTION)
    assert Verdict.SUPPORTED not in verdicts(found)
    assert failed(found, "rule:each-claim-cites")


def test_an_invented_citation_is_named(engine: Engine) -> None:
    found = engine.examine(INVENTED, passages(*SOURCES), question=QUESTION)
    assert Verdict.SUPPORTED not in verdicts(found)
    assert failed(found, "citations") == ["[Source 5] refers to no source"]


def test_an_offer_passes_with_its_call_to_action(engine: Engine) -> None:
    found = engine.examine(OFFER, passages(PRICES), question="What does it cost?")
    assert verdicts(found) == [Verdict.SUPPORTED] * 3
    assert "Contact us to schedule a consultation." in found.answer.text
    assert not [each for each in found.answer.checks if each.status is Status.FAILED]


def test_a_boast_fails_by_its_number_its_service_and_its_words(engine: Engine) -> None:
    found = engine.examine(BOAST, passages(PRICES), question="What does it cost?")
    assert verdicts(found)[:2] == [Verdict.CONTRADICTED, Verdict.UNSUPPORTED]
    assert failed(found, "numbers") == ["the answer says '500', the source '100'"]
    for rule in ("current-services", "brand-voice", "invitation"):
        assert failed(found, f"rule:{rule}"), rule
