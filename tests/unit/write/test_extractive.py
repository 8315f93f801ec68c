from __future__ import annotations

from assay.types import Evidence, Finished, Hit, Passage, Question, Sentence
from assay.write.extractive import ExtractiveWriter


def evidence(*texts: str) -> Evidence:
    return Evidence(
        tuple(
            Hit(Passage(f"p{n}", f"d{n}", "r", 0, len(text), text, title=f"Title {n}"), 1 / n)
            for n, text in enumerate(texts, 1)
        )
    )


async def written(question: str, found: Evidence) -> tuple[list[Sentence], list[Finished]]:
    parts = [part async for part in ExtractiveWriter().write(Question(question, question), found, ())]
    return [p for p in parts if isinstance(p, Sentence)], [p for p in parts if isinstance(p, Finished)]


async def test_the_sentence_that_answers_is_quoted_and_cited() -> None:
    found = evidence("Steel rusts in rain. Copper melts at 1085 °C. Tin is soft.", "Gold melts at 1064 °C.")
    sentences, endings = await written("At what temperature does copper melt?", found)
    assert "Copper melts at 1085 °C." in [sentence.text for sentence in sentences]
    assert endings == [Finished("stop")]
    passages = {passage.passage_id: passage.text for passage in found.passages}
    assert all(sentence.text in passages[sentence.passage_ids[0]] for sentence in sentences)


async def test_no_evidence_gives_no_sentence() -> None:
    assert await written("Why?", Evidence()) == ([], [Finished("stop")])
