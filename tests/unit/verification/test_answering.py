"""Whether an answer answers: its prose is read under its sources' titles, and the question's words are counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.testing.fakes import ScriptedReader
from assay.types import Location, Passage, PassageReading, Question, Sentence, TitledText
from assay.verification.subject import ReaderRelevance, coverage_of

ASKED = Question("How long is parental leave?", "How long is parental leave?")
SOURCE = Passage("p", "d", "r", 0, 6, "Leave.", title="Leave", location=Location(section="Leave > Parents"))
WEIGHED = (Sentence(1, "It lasts 18 weeks.", apart=2.0), Sentence(2, "So.", apart=0.5), Sentence(3, "And more."))


async def test_the_answer_is_read_without_marks_under_its_sources_titles() -> None:
    said = "It lasts   18 weeks  .    "  # blanks for marks and markup
    reader = ScriptedReader({(ASKED.standalone, said): PassageReading(2.5, (), 0.0, 0.0)})
    read = await ReaderRelevance(reader).read(ASKED, WEIGHED, "It lasts **18 weeks**. [1]", [SOURCE, SOURCE])
    assert reader.asked == [(ASKED.standalone, TitledText("Leave > Parents", said))]
    assert read is not None
    assert read.odds == 2.5
    # The least of what was weighed.
    assert read.apart == 0.5
    # "leave" and "parents" stand in the title alone.
    assert 0 < read.held <= 1


async def test_what_may_be_about_an_earlier_topic_has_to_answer_the_question_on_it() -> None:
    asked = Question("How can I apply?", "How can I apply?", topic="the grant")
    said = "Write to the office."
    on_topic = PassageReading(-1.0, (), 0.0, 0.0)
    reader = ScriptedReader(
        {
            (asked.standalone, said): PassageReading(3.0, (), 0.0, 0.0),
            ("How can I apply? (the grant)", said): on_topic,
        }
    )
    read = await ReaderRelevance(reader).read(asked, (), said, [SOURCE])
    assert read is not None
    assert read.odds == -1.0


async def test_an_answer_in_a_language_that_nobody_reads_is_not_read() -> None:
    reader = ScriptedReader({})
    german = Question("Wie lange?", "Wie lange?", language="de")
    assert await ReaderRelevance(reader).read(german, (), "18 Wochen. [1]", [SOURCE]) is None
    assert reader.asked == []


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("The parental leave of Ann is long.", (1.0, 1.0)),
        ("Rivers flow.", (0.0, 0.0)),
    ],
)
def test_what_is_held_is_of_the_words_that_tell_something(text: str, held: tuple[float, float]) -> None:
    assert coverage_of("What is the parental leave?", text) == pytest.approx(held)


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    rare, _ = coverage_of("quarantine time", "the quarantine")
    common, _ = coverage_of("quarantine time", "the time")
    assert rare > 0.5 > common


def test_a_question_without_words_lacks_nothing() -> None:
    assert coverage_of("?", "anything") == (1.0, 1.0)


@given(st.text(max_size=40), st.text(max_size=40), st.text(max_size=20))
def test_more_text_never_holds_less(question: str, text: str, more: str) -> None:
    before, after = coverage_of(question, text), coverage_of(question, f"{text} {more}")
    assert all(0 <= low <= high + 1e-9 <= 1 + 2e-9 for low, high in zip(before, after, strict=True))
