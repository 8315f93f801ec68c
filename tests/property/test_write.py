"""Whatever the evidence holds, an answer quotes it word for word and ends properly."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.types import AnswerType, Evidence, Finished, Hit, Passage, Question, Scores, Sentence
from assay.writing.extractive import ExtractiveWriter

TEXT = st.text(alphabet=st.sampled_from("abc ABé東京。.!?,;:()[]|-#*`'\"\n\t0123 Yesnotis"), max_size=200)
PASSAGES = st.lists(st.tuples(TEXT, TEXT, st.none() | st.floats(-1, 1)), max_size=5)


def evidence(passages: list[tuple[str, str, float | None]]) -> Evidence:
    return Evidence(
        tuple(
            Hit(Passage(f"p{n}", "d", "r", 0, len(text), text, title=title), 1.0 / (1 + n), Scores(dense))
            for n, (title, text, dense) in enumerate(passages)
        )
    )


@settings(max_examples=150, deadline=None)
@given(question=TEXT.filter(str.strip), wanted=st.sampled_from(AnswerType), passages=PASSAGES)
def test_every_sentence_is_a_quotation_or_yes_or_no(
    question: str, wanted: AnswerType, passages: list[tuple[str, str, float | None]]
) -> None:
    found = evidence(passages)
    asked = Question(question, question, answer_type=wanted)

    async def parts() -> list[Sentence | Finished]:
        return [part async for part in ExtractiveWriter().write(asked, found, ())]

    *sentences, ending = asyncio.run(parts())
    assert ending == Finished("stop")
    texts = {passage.passage_id: passage.text for passage in found.passages}
    for number, sentence in enumerate(sentences, 1):
        assert isinstance(sentence, Sentence)
        assert sentence.number == number
        assert sentence.passage_ids
        verdict = number == 1 and wanted is AnswerType.YES_NO and sentence.text in ("Yes.", "No.")
        assert verdict or all(sentence.text in texts[each] for each in sentence.passage_ids)
    quoted = [sentence.text for sentence in sentences if isinstance(sentence, Sentence)]
    assert len(quoted) == len(set(quoted))
