"""A model rewords the rubrics; names, scores and their number stay, and a failure makes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from assay.assessment.rubrics import Rewording, shipped_rubrics
from assay.errors import ProviderUnreachable, UnusableReply
from assay.models.structured import StructuredModel
from assay.testing.fakes import ScriptedModel


def rubric(levels: int) -> dict[str, Any]:
    return {"asks": "Is it so?", "levels": [f"like level {n}" for n in range(levels)], "look_for": ["flaws"]}


STRATEGY = {
    "aim": "Do better.",
    "steps": ["look", "mend"],
    "examples": [{"before": "bad", "after": "good", "because": "it is better"}],
}
ALL = [rubric(len(each.levels)) for each in shipped_rubrics().rubric] + [STRATEGY] * len(shipped_rubrics().strategy)


async def test_only_the_wording_and_the_version_change():
    model = ScriptedModel(*ALL)
    made = await Rewording(StructuredModel(model)).of(shipped_rubrics())
    assert len(model.requests) == len(ALL)
    for old, new in zip(shipped_rubrics().rubric, made.rubric, strict=True):
        assert (new.criterion, new.version, new.asks) == (old.criterion, old.version + 1, "Is it so?")
        assert [level.score for level in new.levels] == [level.score for level in old.levels]
        assert new.levels[0].means == "like level 0"
    assert [each.name for each in made.strategy] == [each.name for each in shipped_rubrics().strategy]
    assert made.strategy[0].steps == ("look", "mend")
    assert made.sha256 != shipped_rubrics().sha256


@pytest.mark.parametrize(
    "wrong",
    [
        rubric(1),
        rubric(5) | {"asks": ""},
        rubric(5) | {"asks": "two\nlines"},
        rubric(5) | {"look_for": []},
        rubric(5) | {"score": 1},
        rubric(5) | {"levels": ["The bridge opened in 1932."] * 5},
    ],
)
async def test_a_wording_of_another_form_is_refused(wrong: dict[str, Any]):
    with pytest.raises(UnusableReply):
        await Rewording(StructuredModel(ScriptedModel(wrong, wrong))).of(shipped_rubrics())


@pytest.mark.parametrize(
    "wrong",
    [
        STRATEGY | {"steps": ["Do better."]},
        STRATEGY | {"steps": ["look", "Look"]},
        STRATEGY | {"examples": [{"before": "same", "after": "same", "because": "why"}]},
        STRATEGY | {"name": "magic"},
    ],
)
async def test_a_strategy_that_says_nothing_is_refused(wrong: dict[str, Any]):
    rubrics = ALL[: len(shipped_rubrics().rubric)]
    with pytest.raises(UnusableReply):
        await Rewording(StructuredModel(ScriptedModel(*rubrics, wrong, wrong))).of(shipped_rubrics())


async def test_a_model_that_fails_makes_nothing():
    gone = ProviderUnreachable("no connection", hint="try again")
    with pytest.raises(ProviderUnreachable):
        await Rewording(StructuredModel(ScriptedModel(ALL[0], gone))).of(shipped_rubrics())
