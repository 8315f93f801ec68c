"""A question of several parts gets a sentence for each."""

from __future__ import annotations

from assay.types import Evidence, Hit, Passage, Question
from assay.writing.candidates import candidates
from assay.writing.extractive import sentence_per_part

HEIGHT = "The tower is 120 metres high and made of iron."
OPENING = "The tower was opened by the mayor on a Sunday."
OTHER = "Visitors like the view over the river in summer."


def passage(name: str, text: str) -> Hit:
    return Hit(Passage(name, name, "r", 0, len(text), text), 1.0)


POOL = candidates(Evidence((passage("a", OTHER), passage("b", OPENING), passage("c", HEIGHT))))
SHARES = [0.6, 0.3, 0.1]


def test_each_part_has_its_sentence_in_order():
    asked = "How high is the tower, and who opened the tower?"
    question = Question(asked, asked, aspects=("How high is the tower", "who opened the tower"))
    assert [POOL[index].text for index in sentence_per_part(question, POOL, SHARES)] == [HEIGHT, OPENING]


def test_a_part_that_nothing_holds_gets_none():
    asked = "How high is the tower, and what does the licence cost?"
    question = Question(asked, asked, aspects=("How high is the tower", "what does the licence cost"))
    assert [POOL[index].text for index in sentence_per_part(question, POOL, SHARES)] == [HEIGHT]


def test_a_lone_aspect_is_left_to_the_ranking():
    question = Question("How high is the tower?", "How high is the tower?", aspects=("How high is the tower",))
    assert sentence_per_part(question, POOL, SHARES) == []
