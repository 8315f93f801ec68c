"""The terms of a question against which passages are measured."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from assay.nlp.lexicon import word_class
from assay.nlp.names import names
from assay.nlp.tokens import STOP_WORDS, rarity, stem, terms, whole_words, word_spans
from assay.types import AnswerType, Question

# Words that only ask; a passage that answers need not contain them.
_ASKING = frozenset(map(stem, word_class("questions.empty")))
# The same for Chinese: question words and function characters, whose pairs mean nothing.
_ZH_ASKING = re.compile(
    r"什么时候|是什么|是多少|什么|为什么|为何|何时|何地|哪里|哪儿|哪一?[个年天日月些位家部支种项场集]|多少|多长|多久|多大"
    r"|怎么样|怎么|如何|是谁|谁|几[个人次名岁年天位场月号]|是否|[的是在了吗呢和与及被由将会有于第对为]"
)
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A question's content: its distinct terms with their rarity (0.1 to 1), its pairs, names and numbers.

    `written` is each term as the question writes it; `pairs` are terms that follow each other; `names` are tuples
    of stems; `aspects` are the terms of each aspect.
    """

    text: str
    weights: dict[str, float]
    written: dict[str, str]
    pairs: tuple[tuple[str, str], ...]
    names: tuple[tuple[str, ...], ...]
    numbers: frozenset[str]
    aspects: tuple[tuple[str, frozenset[str]], ...]
    answer_type: AnswerType

    @property
    def rarest(self) -> tuple[str, ...]:
        """The two rarest terms, rarest first."""
        return tuple(sorted(self.weights, key=lambda term: (-self.weights[term], term))[:2])


def query_terms_of(question: Question) -> QueryTerms:
    """The terms of a question; empty if nothing in it can be searched for.

    >>> query_terms = query_terms_of(Question("Who founded Rome?", "Who founded Rome?"))
    >>> sorted(query_terms.weights), query_terms.names
    (['found', 'rome'], (('rome',),))
    """
    asked = question.standalone
    content = content_terms(asked)
    named = tuple(
        tuple(term for word in name.words for term in terms(word, stop_words=True))
        for name in names(asked)
        if not name.opens or _is_only_name(asked, name.words)
    )
    return QueryTerms(
        text=asked,
        weights={term: rarity(term) for term in content},
        written=_first_forms(asked),
        pairs=tuple(dict.fromkeys(pairwise(content))),
        names=named,
        numbers=frozenset(term for term in content if _NUMBER.search(term)),
        aspects=tuple(
            (aspect, frozenset(content_terms(aspect))) for aspect in question.aspects if content_terms(aspect)
        ),
        answer_type=question.answer_type,
    )


def content_terms(text: str) -> list[str]:
    """The terms of a question without those that only ask, in order.

    >>> content_terms("How many people live in Rome?"), content_terms("上海在哪里")
    (['peopl', 'live', 'rome'], ['上海'])
    """
    return [term for term in terms(_ZH_ASKING.sub(" ", text)) if term not in _ASKING]


def _first_forms(text: str) -> dict[str, str]:
    """Each term of the text with the first stretch that it comes from."""
    found: dict[str, str] = {}
    for span in word_spans(text):
        word = text[span.start : span.end]
        for term in terms(word):
            found.setdefault(term, term if len(terms(word)) > 1 else word)
    return found


def _is_only_name(text: str, name: tuple[str, ...]) -> bool:
    """True if a capitalised first word is the only content of the question, and so a name."""
    return [word for word in whole_words(text) if word not in STOP_WORDS] == list(name)
