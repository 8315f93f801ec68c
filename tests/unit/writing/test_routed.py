from __future__ import annotations

from assay.testing.fakes import ScriptedWriter
from assay.types import Evidence, Finding, Finished, Question, Sentence, Severity
from assay.writing.model_writer import RoutedWriter

SIMPLE = Question("Who founded Rome?", "Who founded Rome?")
HARD = Question("Which dose is safe?", "Which dose is safe?")
BY_SIMPLE = (Sentence(1, "the cheap one"), Finished("stop"))
BY_FULL = (Sentence(1, "the full one"), Finished("stop"))
WRITER = RoutedWriter(
    simple=ScriptedWriter({SIMPLE.text: BY_SIMPLE}),
    full=ScriptedWriter(dict.fromkeys((SIMPLE.text, HARD.text), BY_FULL)),
)


async def written(question: Question, *advice: Finding) -> tuple[Sentence | Finished, ...]:
    return tuple([part async for part in WRITER.write(question, Evidence(), advice)])


async def test_simple_questions_go_to_the_simple_writer() -> None:
    assert await written(SIMPLE) == BY_SIMPLE
    assert await written(HARD) == BY_FULL


async def test_a_draft_that_failed_is_written_again_by_the_full_writer() -> None:
    finding = Finding("citations", None, Severity.BLOCK, "no citation", "cite a source")
    assert await written(SIMPLE, finding) == BY_FULL
