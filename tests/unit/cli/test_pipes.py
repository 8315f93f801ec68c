"""Pipes: one object a line, in order, whatever the line holds."""

from __future__ import annotations

import asyncio
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from assay.cli.answer_file import AnswerFile
from assay.cli.pipes import Request, answer_lines, messages
from assay.cli.terminal import Terminal
from assay.errors import StoreError, UsageError
from assay.types import Message


async def said(line: Request) -> dict[str, Any]:
    return {"said": line.text("query")}


def piped(data: bytes, handle: Any = said, at_once: int = 1) -> list[dict[str, Any]]:
    out = io.StringIO()
    asyncio.run(answer_lines(handle, Terminal(input=io.BytesIO(data), out=out, err=io.StringIO()), at_once))
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_each_line_gets_its_object_in_order():
    lines = piped(b'{"id": 1, "query": "a"}\n\n  \n{"id": "two", "query": "b"}')
    assert [(line["id"], line["said"]) for line in lines] == [(1, "a"), ("two", "b")]
    assert all(line["ms"] >= 0 for line in lines)


@pytest.mark.parametrize(
    "bad",
    [
        b"{",
        b"[]",
        b"7",
        b'"text"',
        b"\xff\xfe",
        b'{"id": NaN}',
        b"[" * 100_000,
        b'{"id": "x"}',
        b'{"id": "x", "query": 7}',
        b'{"id": "x", "query": null}',
        b'{"id": {"a": 1}, "query": "a"}',
        b'{"id": 1e999, "query": "a"}',
        b'{"id": ' + b"9" * 5000 + b"}",
    ],
)
def test_a_bad_line_gets_an_error_and_the_next_its_answer(bad: bytes):
    first, second = piped(bad + b'\n{"id": 2, "query": "b"}\n')
    assert first["error"]
    assert first["hint"]
    assert "said" not in first
    assert first.get("id") in ("x", None)
    assert (second["id"], second["said"]) == (2, "b")


def test_the_id_of_a_line_that_fails_is_known():
    async def fail(line: Request) -> dict[str, Any]:
        raise StoreError("gone", hint="add it")

    assert piped(b'{"id": 5, "query": "a"}', fail) == [{"id": 5, "error": "gone", "hint": "add it"}]


def test_a_bug_met_by_one_line_does_not_cost_the_others():
    async def divide(line: Request) -> dict[str, Any]:
        return {"value": 1 / line.fields["n"]}

    first, second = piped(b'{"id": 1, "n": 0}\n{"id": 2, "n": 2}', divide)
    assert "a bug in assay: ZeroDivisionError" in first["error"]
    assert second["value"] == 0.5


def test_lines_that_wait_are_answered_together_and_printed_in_order():
    together = asyncio.Event()

    async def wait(line: Request) -> dict[str, Any]:
        if line.fields["id"] == 2:
            together.set()
        await together.wait()  # the first line ends only when the second is under way
        return {}

    assert [each["id"] for each in piped(b'{"id": 1}\n{"id": 2}\n{"id": 3}', wait, at_once=2)] == [1, 2, 3]


def test_a_line_is_answered_before_the_next_is_written():
    async def main() -> None:
        reading, writing = os.pipe()
        out = io.StringIO()
        with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb", buffering=0) as sink:
            answering = asyncio.create_task(answer_lines(said, Terminal(input=source, out=out, err=io.StringIO())))
            sink.write(b'{"id": 1, "query": "a"}\n')
            while not out.getvalue():
                await asyncio.sleep(0)
            assert json.loads(out.getvalue())["said"] == "a"
            sink.close()
            await answering

    asyncio.run(main())


def test_a_byte_order_mark_and_lone_surrogates_are_harmless():
    assert piped(b'\xef\xbb\xbf{"id": 1, "query": "\\ud800"}')[0]["said"] == "\ud800"


@pytest.mark.parametrize("value", [0, -1, 1001, 1.5, "3", True, [1]])
def test_a_count_is_a_whole_number(value: object):
    with pytest.raises(UsageError, match="whole number"):
        Request({"k": value}).whole_number("k", 8)


def test_a_count_that_is_not_given_is_the_usual_one():
    assert Request({}).whole_number("k", 8) == Request({"k": None}).whole_number("k", 8) == 8


def test_passages_come_as_a_list_or_as_context():
    request = Request({"passages": [{"id": "a", "text": "one"}, {"id": 2, "text": "two", "title": "T"}]})
    assert [(each.passage_id, each.text, each.end) for each in request.passages()] == [
        ("a", "one", 3),
        ("2", "two", 3),
    ]
    assert [each.text for each in Request({"context": "one"}).passages()] == ["one"]
    assert [each.text for each in Request({"context": ["one", "two"]}).passages()] == ["one", "two"]
    assert Request({"passages": []}).passages() == ()


def test_a_passage_may_say_when_it_was_written():
    given = [{"text": "a", "date": "2010"}, {"text": "b", "metadata": {"published": "3 May 2020"}}, {"text": "c"}]
    request = Request({"passages": [{"id": n, **each} for n, each in enumerate(given)]})
    assert [each.origin.date for each in request.passages()] == ["2010", "2020-05-03", None]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"passages": [7]},
        {"passages": [{"id": "a"}]},
        {"passages": [{"id": ["a"], "text": "one"}]},
        {"passages": [{"id": "a", "text": "one"}, {"id": "a", "text": "two"}]},
        {"context": {"a": 1}},
    ],
)
def test_passages_that_are_none_are_refused(fields: dict[str, object]):
    with pytest.raises(UsageError):
        Request(fields).passages()


def test_a_dialogue_is_read():
    turns = [{"role": "user", "text": "Who?"}, {"role": "assistant", "text": "She."}]
    assert messages(turns) == (Message("user", "Who?"), Message("assistant", "She."))
    assert Request({"history": None}).history() == ()


def test_a_dialogue_from_other_programs_is_read():
    turns = [{"role": "human", "content": "Who?"}, {"role": "agent", "text": "She."}]
    assert messages(turns) == (Message("user", "Who?"), Message("assistant", "She."))


@pytest.mark.parametrize(
    "value", ["text", [7], [{"role": "system", "text": "x"}], [{"role": "user"}], {"role": "user"}]
)
def test_a_dialogue_of_another_form_is_refused(value: object):
    with pytest.raises(UsageError, match="history"):
        messages(value)


async def answers(line: Request) -> dict[str, Any]:
    return {"outcome": line.text("query")}


def added(path: Path, data: bytes) -> str:
    with AnswerFile(path) as file:
        terminal = Terminal(input=io.BytesIO(data), out=io.StringIO(), err=io.StringIO())
        asyncio.run(answer_lines(answers, terminal, 2, file))
    return path.read_text(encoding="utf-8")


def test_a_file_of_answers_cut_off_anywhere_gets_what_is_missing_and_nothing_twice(tmp_path: Path):
    data = b"".join(
        b'{"id": %s, "query": "%d"}\n' % (key, n) for n, key in enumerate((b'"a"', b"null", b"2", b'"a"', b"null"))
    )
    whole = added(tmp_path / "whole", data + b"{\n")
    outcomes = [json.loads(line).get("outcome") for line in whole.splitlines()]
    assert outcomes == ["0", "1", "2", "3", "4", None]
    for end in (0, 30, len(whole) // 2, len(whole) - 1, len(whole)):
        (tmp_path / "cut").write_text(whole[:end], encoding="utf-8")
        lines = added(tmp_path / "cut", data + b"{\n").splitlines()
        assert [json.loads(line).get("outcome") for line in lines] == outcomes


@pytest.mark.parametrize("other", ["notes", '{"id": "a", "query": "b"}\n', "[]\n", '{"id": [], "outcome": "x"}\n'])
def test_a_file_of_something_else_stays_as_it_is(tmp_path: Path, other: str):
    (tmp_path / "file").write_text(other, encoding="utf-8")
    with pytest.raises(UsageError, match="line 1: it is no answer"):
        AnswerFile(tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == other
