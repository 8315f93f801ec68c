"""Where sentences end in other languages than English."""

from __future__ import annotations

import pytest

from assay.text.sentences import sentences


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
