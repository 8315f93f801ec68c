"""A stream shows what is verified, a block on lines of its own, and nothing that may be taken back."""

from __future__ import annotations

import io

from assay.cli.run_view import Progress
from assay.cli.terminal import Terminal
from assay.types import Sentence, SentenceProvisional, SentenceVerified, SentenceWithdrawn, StatusChanged


def streamed(*events: SentenceProvisional | SentenceVerified | SentenceWithdrawn | StatusChanged) -> str:
    out = io.StringIO()
    progress = Progress(Terminal(input=io.BytesIO(), out=out, err=io.StringIO()), sentences=True)
    for event in events:
        progress(event)
    return out.getvalue()


def verified(text: str, *passage_ids: str) -> SentenceVerified:
    return SentenceVerified(sentence=Sentence(1, text, passage_ids), claims=1)


def test_a_block_begins_a_paragraph_and_a_sentence_a_line() -> None:
    said = streamed(verified("One.", "a"), verified(" Two.", "b"), verified("\n\n- three\n- four", "a"))
    assert said == "One. [1]\nTwo. [2]\n\n- three\n- four [1]\n"


def test_the_first_paragraph_begins_at_once() -> None:
    assert streamed(verified("\n\n**One**\nlong line.", "a")) == "One long line. [1]\n"


def test_what_is_only_provisional_or_withdrawn_is_not_shown() -> None:
    sentence = Sentence(1, "One.", ("a",))
    withdrawn = SentenceWithdrawn(sentence=sentence, reason="no source says it")
    assert streamed(StatusChanged(stage="write"), SentenceProvisional(sentence=sentence), withdrawn) == ""
