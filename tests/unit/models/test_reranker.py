"""A reranker from the hub: each "gold" in question or passage adds 1 to its number."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from assay.errors import UsageError
from assay.models.reranker import CrossEncoderReranker
from assay.types import Hit, Passage, Scores

from .tiny_hub import classifier, hub_folder, reranker

WORDS = {"gold": (1,), "tin": (-1,), "broken": (math.nan,)}
LABEL = {"0": "LABEL_0"}


def load(place: Path, **config: Any) -> CrossEncoderReranker:
    return CrossEncoderReranker.load(hub_folder(place, WORDS, reranker(WORDS), **({"id2label": LABEL} | config)))


@pytest.fixture
def ranks(tmp_path: Path) -> CrossEncoderReranker:
    return load(tmp_path / "marco")


def hit(text: str, score: float = 0.5, title: str = "") -> Hit:
    return Hit(Passage(text or "-", "d", "", 0, len(text), text, title), score, Scores(score / 2, 7.0))


def texts(hits: tuple[Hit, ...]) -> list[str]:
    return [each.passage.text for each in hits]


async def test_passages_come_in_its_order(ranks: CrossEncoderReranker) -> None:
    given = (hit("tin", 0.9), hit("gold", 0.6), hit("gold gold", 0.3))
    found = await ranks.rerank("what is it", given)
    assert texts(found) == ["gold gold", "gold", "tin"]
    # The scores are those of the search, best first; what each passage scored there stays with it.
    assert [each.score for each in found] == [0.9, 0.6, 0.3]
    assert [each.scores.dense for each in found] == [0.15, 0.3, 0.45]


async def test_a_tie_leaves_the_order_of_the_search(ranks: CrossEncoderReranker) -> None:
    given = (hit("b", 0.9), hit("c", 0.6), hit("a", 0.3))
    assert await ranks.rerank("what is it", given) == given


async def test_the_title_is_read_too(ranks: CrossEncoderReranker) -> None:
    found = await ranks.rerank("what is it", (hit("a", 0.9), hit("b", 0.1, title="gold")))
    assert texts(found) == ["b", "a"]


def test_a_passage_is_cut_at_what_the_model_reads(ranks: CrossEncoderReranker) -> None:
    # 64 tokens: three that frame, one of the question, 60 of the passage.
    passages = [hit("a " * 59 + "gold").passage, hit("a " * 60 + "gold").passage]
    assert ranks.logits("it", passages).tolist() == [1.0, 0.0]


async def test_a_question_in_a_script_that_it_does_not_read_changes_nothing(
    ranks: CrossEncoderReranker, tmp_path: Path
) -> None:
    given = (hit("tin", 0.9), hit("gold", 0.1))
    assert await ranks.rerank("水在多少度沸腾", given) == given
    place = tmp_path / "marco"
    (place / "assay.json").write_text('{"languages": ["en", "zh"]}')
    assert texts(await CrossEncoderReranker.load(place).rerank("水在多少度沸腾", given)) == ["gold", "tin"]


async def test_a_number_that_is_none_is_refused(ranks: CrossEncoderReranker) -> None:
    with pytest.raises(UsageError, match="gave a score that is not a number"):
        await ranks.rerank("it", (hit("broken"),))


def test_a_classifier_is_no_reranker(tmp_path: Path) -> None:
    labels = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    with pytest.raises(UsageError, match="has the classes entailment, neutral, contradiction") as raised:
        load(tmp_path, id2label=labels)
    assert "try --checker" in raised.value.hint


def test_a_network_of_more_numbers_than_its_config_says_is_refused(tmp_path: Path) -> None:
    two = {"gold": (1, 0)}
    opened = CrossEncoderReranker.load(hub_folder(tmp_path, two, classifier(two), num_labels=1))
    with pytest.raises(UsageError, match="gives 2 numbers a pair, and its labels are 1: LABEL_0"):
        opened.logits("it", [hit("gold").passage])


def test_it_is_named_by_its_folder_and_its_hash(ranks: CrossEncoderReranker) -> None:
    assert ranks.id == f"marco-{ranks.folder.sha256[:8]}"
    ranks.close()
    ranks.close()


def test_an_export_may_leave_the_single_class_out(tmp_path: Path) -> None:
    flat = classifier(WORDS, segments=False, flat=True)
    opened = CrossEncoderReranker.load(hub_folder(tmp_path, WORDS, flat, id2label=LABEL))
    assert opened.logits("it", [hit("gold gold").passage, hit("tin").passage]).tolist() == [2.0, -1.0]
