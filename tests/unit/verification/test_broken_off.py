import pytest

from assay.nlp.cues import is_truncated


@pytest.mark.parametrize(
    "text",
    [
        "The source is.",
        "The answer is: the book that she wrote is.",
        "If Gallu is a demon, then the other bridge was",
        "It lies in the.",
        "The answer is:.",
        "It was founded by Ann and",
    ],
)
def test_a_sentence_without_its_end_is_truncated(text: str) -> None:
    assert is_truncated(text)


@pytest.mark.parametrize(
    "text",
    [
        "They asked what the reason was.",
        "Yes, it is.",
        "That is how old they are.",
        "He is as tall as his father is.",
        "Ann wasn't there, but Bo was.",
        "It grew larger than the old one was.",
        "Vitamin A",
        "It is known as The The",
        "He is called the King (a.k.a.",
        "Er fängt an.",
        "Das ist, was es war.",
        "",
    ],
)
def test_a_whole_sentence_does_not(text: str) -> None:
    assert not is_truncated(text)
