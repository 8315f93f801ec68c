"""What a question asks for and no passage holds, named as the user wrote it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.judge.probe import Probe, content_terms
from assay.text.names import names
from assay.text.tokens import fold, word_spans
from assay.types import Span

# Behind these stands a verb, which is no thing: "how do I install", "want to install".
_BEFORE_VERB = frozenset("i you we they he she it to".split())
# So it does behind a name that one of these opens a question before: "has Neptune got".
_OPENING = frozenset("do does did has have had can could will would should must may might".split())


def missing_things(probe: Probe, nowhere: Collection[str]) -> tuple[str, ...]:
    """The names and phrases of the question with a term that is found nowhere, the rarest term's first.

    A phrase is the missing words that follow each other, with the word that they stand before.

    >>> from assay.judge.probe import probe_of
    >>> from assay.types import Question
    >>> asked = "How do I apply for parental leave at Acme Labs?"
    >>> missing_things(probe_of(Question(asked, asked)), {"appli", "parent", "acm"})
    ('Acme Labs', 'parental leave')
    """
    found: dict[str, float] = {}
    for span in _phrases(probe.text, nowhere):
        phrase = probe.text[span.start : span.end]
        weight = max(probe.weights.get(term, 0.0) for term in content_terms(phrase))
        found.setdefault(phrase, weight)
    in_phrases = {term for phrase in found for term in content_terms(phrase)}
    unspaced = [term for term in nowhere if not term.isascii() and term not in in_phrases and term in probe.written]
    found |= {probe.written[term]: probe.weights[term] for term in unspaced}
    return tuple(sorted(found, key=lambda phrase: (-found[phrase], probe.text.find(phrase))))


def _phrases(text: str, nowhere: Collection[str]) -> Iterator[Span]:
    named = [Span(each.start, each.end) for each in names(text) if not each.opens]
    spans = list(word_spans(text))
    at = 0
    while at < len(spans):
        name = next((each for each in named if each.start <= spans[at].start < each.end), None)
        if name is not None:
            last = max(n for n, each in enumerate(spans) if each.start < name.end)
            if any(term in nowhere for term in content_terms(text[name.start : name.end])):
                yield name
            # The word behind it is the question's verb where an auxiliary stands before it.
            at = last + 1 + (at > 0 and _word(text, spans[at - 1]) in _OPENING)
        elif _is_missing(text, spans[at], nowhere) and not (at and _word(text, spans[at - 1]) in _BEFORE_VERB):
            last = at
            while last + 1 < len(spans) and _follows(text, spans, last) and _content(text, spans[last + 1]):
                last += 1
                if not _is_missing(text, spans[last], nowhere):
                    break
            yield Span(spans[at].start, spans[last].end)
            at = last + 1
        else:
            at += 1


def _word(text: str, span: Span) -> str:
    return fold(text[span.start : span.end])


def _content(text: str, span: Span) -> bool:
    word = text[span.start : span.end]
    return word.isascii() and bool(content_terms(word)) and not word[0].isupper()


def _is_missing(text: str, span: Span, nowhere: Collection[str]) -> bool:
    word = text[span.start : span.end]
    return (word.isascii() or len(content_terms(word)) == 1) and any(t in nowhere for t in content_terms(word))


def _follows(text: str, spans: list[Span], at: int) -> bool:
    """Whether nothing but a space or a hyphen stands before the next word."""
    return text[spans[at].end : spans[at + 1].start] in (" ", "-")
