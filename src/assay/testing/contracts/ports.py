"""Suites of the ports: clock, language model, embedder, checker, reader and sink."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import get_args

import numpy as np
import pytest

from assay.core.stages import LLM, Checker, Clock, Embedder, Pair, Reader, Sink
from assay.errors import AssayError
from assay.testing.contracts.given import (
    ASKED,
    ROUNDING,
    TEXTS,
    Contract,
    assert_share,
    hostile,
    may_refuse,
    required,
)
from assay.types import Failed, Finish, ModelReply, ModelRequest, PassageReading, PromptMessage, TitledText


class ClockContract(Contract):
    """A clock's seconds never fall, its dates are Unix seconds, and a sleep lasts as long as asked."""

    clock = required("clock")

    async def test_its_seconds_rise_by_those_slept(self, clock: Clock) -> None:
        before = clock.monotonic()
        await clock.sleep(0.01)
        assert clock.monotonic() - before >= 0.0099  # timers of some systems round down

    def test_its_seconds_never_fall(self, clock: Clock) -> None:
        read = [clock.monotonic() for _ in range(100)]
        assert read == sorted(read)

    def test_its_dates_are_unix_seconds(self, clock: Clock) -> None:
        assert 1.7e9 < clock.time() < 4.2e9  # the years 2023 to 2103


def _prose(text: str) -> ModelRequest:
    return ModelRequest("writer", (PromptMessage("system", "Answer."), PromptMessage("user", text)))


class LLMContract(Contract):
    """A language model replies whole or in pieces, and fails by typed errors only.

    The fixture `llm` must be able to reply in prose any number of times.
    """

    llm = required("llm")

    def test_it_is_named_by_provider_and_model_and_says_where_prompts_go(self, llm: LLM) -> None:
        provider, _, model = llm.name.partition(":")
        assert provider
        assert model
        assert "/" not in llm.host

    async def test_a_reply_is_whole(self, llm: LLM) -> None:
        reply = await llm.complete(_prose(ASKED))
        assert isinstance(reply, ModelReply)
        assert reply.finish in get_args(Finish)
        assert reply.text or reply.finish != "stop"
        assert reply.model
        assert reply.parsed is None

    async def test_a_stream_is_the_pieces_of_the_reply_and_then_the_reply(self, llm: LLM) -> None:
        *pieces, reply = [part async for part in llm.stream(_prose(ASKED))]
        assert isinstance(reply, ModelReply)
        assert "".join(piece for piece in pieces if isinstance(piece, str)) == reply.text
        assert all(isinstance(piece, str) for piece in pieces)

    async def test_a_stream_may_be_left_and_the_model_asked_again(self, llm: LLM) -> None:
        async with aclosing(llm.stream(_prose(ASKED))) as parts:
            await anext(parts)
        assert (await llm.complete(_prose(ASKED))).text

    async def test_replies_at_the_same_time_are_apart(self, llm: LLM) -> None:
        replies = await asyncio.gather(*(llm.complete(_prose(text)) for text in TEXTS))
        assert len(replies) == len(TEXTS)
        assert all(isinstance(reply, ModelReply) for reply in replies)

    @hostile
    async def test_any_prompt_is_answered_or_refused_by_a_typed_error(self, llm: LLM, text: str) -> None:
        with may_refuse(AssayError):
            assert isinstance(await llm.complete(_prose(text)), ModelReply)

    async def test_closing_it_twice_is_harmless(self, llm: LLM) -> None:
        await llm.aclose()
        await llm.aclose()


class EmbedderContract(Contract):
    """An embedder gives one row of length 1 per text, in order, whatever else is embedded with it."""

    embedder = required("embedder")

    def test_it_says_which_model_it_is(self, embedder: Embedder) -> None:
        assert embedder.model.id
        assert embedder.model.dimension > 0
        assert embedder.model.sha256

    async def test_one_row_of_length_1_per_text(self, embedder: Embedder) -> None:
        rows = await embedder.embed(TEXTS)
        assert rows.shape == (len(TEXTS), embedder.model.dimension)
        assert rows.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-3)

    async def test_no_texts_give_no_rows(self, embedder: Embedder) -> None:
        assert (await embedder.embed([])).shape == (0, embedder.model.dimension)

    async def test_a_text_has_its_row_whatever_it_is_embedded_with(self, embedder: Embedder) -> None:
        together = await embedder.embed([*TEXTS, TEXTS[0]])
        alone = np.concatenate([await embedder.embed([text]) for text in (*TEXTS, TEXTS[0])])
        np.testing.assert_allclose(together, alone, atol=0.02)  # padded batches of 8-bit networks differ a little
        np.testing.assert_allclose((await embedder.embed(TEXTS[::-1]))[::-1], together[: len(TEXTS)], atol=0.02)

    @hostile
    async def test_any_text_has_a_row_of_length_1(self, embedder: Embedder, text: str) -> None:
        assert np.linalg.norm((await embedder.embed([text]))[0]) == pytest.approx(1.0, abs=1e-3)

    async def test_closing_it_twice_is_harmless(self, embedder: Embedder) -> None:
        await embedder.embed(TEXTS[:1])
        await embedder.aclose()
        await embedder.aclose()


class CheckerContract(Contract):
    """A checker gives three probabilities a pair, whatever else is read with it."""

    PAIRS = tuple(Pair(claim, text) for claim in ("The bridge was opened in 1932.", "It is old.") for text in TEXTS)

    checker = required("checker")

    def test_it_says_which_model_gives_verdicts_on_what(self, checker: Checker) -> None:
        assert checker.model.id
        assert len(checker.model.sha256) == 64
        assert checker.model.languages

    async def test_three_probabilities_a_pair(self, checker: Checker) -> None:
        read = await checker.check(self.PAIRS)
        assert read.shape == (len(self.PAIRS), 3)
        assert read.min() >= 0
        np.testing.assert_allclose(read.sum(axis=1), 1.0, atol=1e-3)

    async def test_those_of_a_pair_do_not_depend_on_the_others(self, checker: Checker) -> None:
        together = await checker.check(self.PAIRS)
        np.testing.assert_allclose((await checker.check(self.PAIRS[::-1]))[::-1], together, atol=ROUNDING)
        for pair, row in zip(self.PAIRS, together, strict=True):
            np.testing.assert_allclose((await checker.check([pair]))[0], row, atol=ROUNDING)

    async def test_no_pairs_give_no_probabilities(self, checker: Checker) -> None:
        assert (await checker.check([])).shape == (0, 3)

    @hostile
    async def test_any_text_is_read(self, checker: Checker, text: str) -> None:
        read = await checker.check([Pair(text, TEXTS[0]), Pair("It is old.", text)])
        assert np.isfinite(read).all()


class ReaderContract(Contract):
    """A reader reads each text by itself, in order, with spans inside it."""

    GIVEN = tuple(TitledText("Harbour Bridge", text) for text in TEXTS)

    reader = required("reader")

    def test_it_says_which_model_reads_what(self, reader: Reader) -> None:
        assert reader.model.id
        assert len(reader.model.sha256) == 64
        assert reader.model.languages

    async def test_a_reading_of_each_text_whatever_is_read_with_it(self, reader: Reader) -> None:
        together = await reader.read(ASKED, self.GIVEN)
        first, *_, again = await reader.read(ASKED, [*self.GIVEN[::-1], self.GIVEN[-1]])
        alone = [(await reader.read(ASKED, [text]))[0] for text in self.GIVEN]
        for one, other in zip((*together, together[-1], first), (*alone, first, again), strict=True):
            assert [(span.start, span.end) for span in one.spans] == [
                (span.start, span.end) for span in other.spans
            ]
            for number in ("answerable", "yes", "no"):
                assert getattr(one, number) == pytest.approx(getattr(other, number), abs=ROUNDING)

    async def test_nothing_to_read_gives_nothing(self, reader: Reader) -> None:
        assert await reader.read(ASKED, []) == ()

    @hostile
    async def test_spans_lie_in_the_text_and_shares_in_0_to_1(self, reader: Reader, text: str) -> None:
        for question, given in ((ASKED, TitledText(text, text)), (text, self.GIVEN[0])):
            (found,) = await reader.read(question, [given])
            assert isinstance(found, PassageReading)
            assert np.isfinite(found.answerable)
            assert all(0 <= span.start < span.end <= len(given.text) for span in found.spans)
            scores = [span.score for span in found.spans]
            assert scores == sorted(scores, reverse=True)
            for share in (found.yes, found.no, found.yes + found.no):
                assert_share(share)


class SinkContract(Contract):
    """A sink takes the events of runs that go on at the same time, whatever was asked."""

    sink = required("sink")

    @hostile
    def test_runs_at_the_same_time_are_received(self, sink: Sink, text: str) -> None:
        sink.open("01J000000000000000000000A0", text)
        sink.open("01J000000000000000000000B0", ASKED)
        for run_id in ("01J000000000000000000000B0", "01J000000000000000000000A0"):
            sink.receive(run_id, Failed(seq=1, at=5.0, error="StoreError", message=text, hint=""))
        sink.close()

    def test_closing_it_twice_is_harmless(self, sink: Sink) -> None:
        sink.close()
        sink.close()
