from __future__ import annotations

import pytest

from assay.types import Action, Evidence, Gathered, Hit, Judgement, Location, Passage, Question, Step
from assay.writing.abstain import PlainDecliner

ASKED = Question("When did it open?", "When did the tower open?")


def evidence(*titles: str) -> Evidence:
    return Evidence(tuple(Hit(Passage(title, title, "r", 0, 1, "x", title=title), 1.0) for title in titles))


def refusal(action: Action, found: Evidence, *missing: str) -> str:
    judgement = Judgement(0.1, action, "too little", missing=missing)
    path = (Step(action, (ASKED.standalone,), found.ids, 0.1),)
    return PlainDecliner().decline(ASKED, Gathered(action, found, judgement, path)).text


def test_it_names_what_is_missing_what_was_tried_and_the_nearest_source() -> None:
    assert refusal(Action.ABSTAIN, evidence("Towers", "Bridges"), "opening") == (
        "The documents do not answer this question: nothing was found on “opening”. "
        "2 passages were read (searched for “When did the tower open?”); the nearest is “Towers”."
    )


def test_a_promised_risk_is_the_reason_where_it_declines() -> None:
    judgement = Judgement(0.6, Action.ABSTAIN, "too little")
    gathered = Gathered(Action.ABSTAIN, evidence("Towers"), judgement, ())
    decliner = PlainDecliner(unanswered="What was found is too unsure for a risk of at most 5%")
    assert decliner.decline(ASKED, gathered).text == (
        "What was found is too unsure for a risk of at most 5%. 1 passage was read; the nearest is “Towers”."
    )


def test_without_passages_it_says_so() -> None:
    assert refusal(Action.ABSTAIN, Evidence()) == (
        "Nothing in this collection matches this question (searched for “When did the tower open?”)."
    )


def test_clarify_asks_back() -> None:
    assert refusal(Action.CLARIFY, evidence("Towers", "Bridges")) == (
        "Which of these do you mean: “Towers” or “Bridges”?"
    )
    assert refusal(Action.CLARIFY, evidence(), "it") == "What do you mean by “it”?"
    assert refusal(Action.CLARIFY, evidence()) == "Could you say more about what “When did it open?” refers to?"


def test_the_nearest_passage_is_named_with_its_heading_and_file() -> None:
    passage = Passage(
        "p", "d", "r", 0, 9, "It rained", "Towers", Location(section="Visits"), source="docs/towers.md"
    )
    assert refusal(Action.ABSTAIN, Evidence((Hit(passage, 1.0),))).endswith(
        "; the nearest is “Towers › Visits” (docs/towers.md)."
    )


@pytest.mark.parametrize(
    ("section", "named"), [("Towers > Visits > Hours", "Towers › Visits > Hours"), ("towers", "Towers")]
)
def test_a_title_that_is_the_first_heading_too_is_said_once(section: str, named: str) -> None:
    passage = Passage("p", "d", "r", 0, 9, "It rained", "Towers", Location(section=section))
    assert refusal(Action.ABSTAIN, Evidence((Hit(passage, 1.0),))).endswith(f"; the nearest is “{named}”.")


def test_it_says_that_the_documents_are_in_another_language() -> None:
    text = "Der Turm wurde im Jahr 1889 eröffnet und ist für alle Besucher offen."
    found = Evidence((Hit(Passage("p", "d", "r", 0, len(text), text), 1.0),))
    assert "The question is in English, but the passages found are in German" in refusal(Action.ABSTAIN, found)


@pytest.mark.parametrize("action", [Action.ABSTAIN, Action.CLARIFY])
def test_an_endless_question_is_not_said_again_whole(action: Action) -> None:
    said = refusal(action, evidence("Towers"), "x" * 5000)
    assert f"“{'x' * 120}…”" in said
    assert len(said) < 400
