"""Where sentences end: behind abbreviations and initials, and in other languages than English."""

from __future__ import annotations

import pytest

from assay.nlp.sentences import sentences


@pytest.mark.parametrize(
    "text",
    [
        "Die Brücke wurde am 3. Mai 1932 eröffnet.",
        "Sie kostete 4,5 Mio. Euro.",
        "Der 2. Weltkrieg endete am 8. Mai.",
        "Tiere, z. B. Hunde, sind erlaubt.",
    ],
)
def test_german_ordinals_and_abbreviations_end_no_sentence(text: str):
    assert len(sentences(text)) == 1


def test_a_number_at_the_end_of_an_english_sentence_ends_it():
    assert len(sentences("It opened in May, on day 3. May was warm. I am 12. The rest left.")) == 4


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('Ann Lee of "The A.V. Club" praised it.', 1),
        ("attack on u.s. compound in benghazi", 1),
        ("J. R. R. Tolkien wrote it.", 1),
        ("He moved to the U.S. The company grew.", 2),
        ("It closes at 5 p.m. After that the door is locked.", 2),
        ("She works at Marks & Co. They sell tea.", 2),
        ("Dr. The Nguyen left.", 1),
        ("It was active for 155 d. Treatment began late.", 2),
        ("Vögel, z. B. Amseln, sind erlaubt.", 1),
    ],
)
def test_initials_end_a_sentence_where_the_next_word_begins_one(text: str, count: int):
    assert len(sentences(text)) == count
