"""No links but those of cited sources in what a model writes: a planted one could carry off what an answer says."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

from assay.stages import Decliner, Writer
from assay.text.links import addresses, unlinked
from assay.types import Evidence, Finding, Finished, Gathered, Question, Sentence


@dataclass(frozen=True, slots=True)
class UnlinkedWriter:
    """What `inner` writes, each link as words but for addresses of the sources that its sentence cites.

    An address that the user's question names stays too, and in code one that stands in a cited passage. What was
    changed is counted in the draft's notes.
    """

    inner: Writer

    async def write(
        self, question: Question, evidence: Evidence, advice: tuple[Finding, ...]
    ) -> AsyncGenerator[Sentence | Finished, None]:
        """The sentences without links, then the end with a note; raises what `inner` raises."""
        changed = 0
        async with aclosing(self.inner.write(question, evidence, advice)) as parts:
            async for part in parts:
                if isinstance(part, Finished):
                    yield replace(part, notes=(*part.notes, *_told(changed)))
                    continue
                plain = without_links(part, question, evidence)
                changed += plain != part
                yield plain


@dataclass(frozen=True, slots=True)
class UnlinkedDecliner:
    """What `inner` says, each link as words but for addresses that the question names.

    A refusal repeats titles, queries and a judge's words, and any of them may come from a document.
    """

    inner: Decliner

    def decline(self, question: Question, gathered: Gathered) -> str:
        """The refusal without links."""
        return unlinked(self.inner.decline(question, gathered), addresses(question.text)).text


def without_links(sentence: Sentence, question: Question, evidence: Evidence) -> Sentence:
    """The sentence without links but to the sources that it cites, and to what the question names.

    >>> linked = Sentence(1, "It opened in 1932, see [here](https://evil.example/?q=1932).", ("p7",))
    >>> without_links(linked, Question("When?", "When?"), Evidence()).text
    'It opened in 1932, see here (evil.example/?q=1932).'
    """
    cited = [each for each in evidence.passages if each.passage_id in sentence.passage_ids]
    allowed = [each.origin.link for each in cited if each.origin.link] + list(addresses(question.text))
    in_code = [each for passage in cited for each in addresses(passage.text)] if "`" in sentence.text else []
    plain = unlinked(sentence.text, allowed, in_code)
    return replace(sentence, text=plain.text) if plain.changed else sentence


def _told(changed: int) -> tuple[str, ...]:
    """The note on how many sentences lost a link."""
    several = "sentences" if changed > 1 else "sentence"
    return (f"a link of {changed} {several} is shown as words: it is no cited source's address",) if changed else ()
