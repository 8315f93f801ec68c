"""A model's questions: copied answers, counted failures."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import pytest

from assay.errors import ProviderUnreachable
from assay.evals.make.fact import Fact, Kind
from assay.evals.make.written import QuestionWriter
from assay.models.run_model import RunModel
from assay.types import ModelReply, ModelRequest, Usage
from unit.evals.make.documents import chance, document

TEXT = (
    "# Hall\n\nThe hall was opened in 1932. It holds 300 people, and nobody has ever counted more than that in it. "
    + "Rain fell. " * 5
)
GOOD = {"question": "How many people does the hall hold?", "answer": "300 people"}


class Model:
    """Gives its replies in order; one that is an error is raised."""

    name, host = "fake:model", ""

    def __init__(self, *replies: object) -> None:
        self.replies = list(replies)
        self.asked: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return ModelReply(json.dumps(reply), "stop", Usage(calls=1), self.name)

    def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelReply, None]:
        raise NotImplementedError

    async def aclose(self) -> None:
        pass


async def facts(writer: QuestionWriter, texts: int = 1) -> list[Fact]:
    documents = [document(TEXT, document_id=f"d{n}") for n in range(texts)]
    return [fact async for fact in writer.facts(documents, chance(0), texts)]


async def test_the_answer_is_a_span_of_the_passage() -> None:
    model = Model(GOOD)
    (fact,) = await facts(QuestionWriter(RunModel(model), fence=lambda: "f" * 32))
    assert fact.kind is Kind.WRITTEN
    assert fact.wording.question == GOOD["question"]
    assert TEXT[fact.answer.start : fact.answer.end] == "300 people"
    assert TEXT[fact.quote.start : fact.quote.end].startswith("It holds 300 people")
    prompt = model.asked[0].messages[-1].text
    assert f"<passage {'f' * 32}>" in prompt
    assert TEXT[8:60] in prompt


@pytest.mark.parametrize(
    "reply",
    [
        {"question": "How many people fit?", "answer": "400 people"},
        {"question": "Tell me how many people fit.", "answer": "300 people"},
        {"question": "Does it hold 300 people?", "answer": "300 people"},
        {"question": "How many people fit?", "answer": " "},
        {"question": "How many people fit?"},
    ],
)
async def test_an_unusable_reply_is_counted_and_never_guessed(reply: dict[str, str]) -> None:
    writer = QuestionWriter(RunModel(Model(reply, reply)))
    assert await facts(writer) == []
    assert (writer.calls, writer.failed) == (1, 1)
    assert writer.notes()[0].startswith("1 of 1 replies of the model could not be used: fake:model twice gave")


async def test_a_second_reply_may_be_right() -> None:
    writer = QuestionWriter(RunModel(Model({"question": "x"}, GOOD)))
    assert len(await facts(writer)) == 1
    assert writer.notes() == ()


async def test_a_model_that_only_fails_is_given_up() -> None:
    writer = QuestionWriter(RunModel(Model(*[{}] * 10)))
    assert await facts(writer, texts=9) == []
    assert writer.calls == 5
    assert "it was not asked again" in writer.notes()[0]


async def test_a_model_that_cannot_be_reached_ends_it() -> None:
    with pytest.raises(ProviderUnreachable):
        await facts(QuestionWriter(RunModel(Model(ProviderUnreachable("no", hint="wait")))))
