"""The turns of a dialogue that matter for a question, within a number of messages and a budget of tokens."""

from __future__ import annotations

from itertools import pairwise

from assay.prompting.fences import fenced, short
from assay.prompting.tokens import Count, estimated_tokens, opening
from assay.text.tokens import terms
from assay.types import Message, Question

# Older turns are not looked at; a dialogue of an hour seldom has more.
_LOOKED_AT = 60
# A message's beginning tells what it is about; the rest is not compared.
_READ = 4000
# A shared name or number says more than a shared word.
_NAME_WEIGHT = 2.0


def important(
    question: Question, most: int, budget_tokens: int, count: Count = estimated_tokens
) -> tuple[Message, ...]:
    """At most `most` messages of the question's history, in their order: the last exchange, then the likest ones.

    An exchange is a message of the user with its answer. Likeness counts the question's words that it holds, names
    and numbers twice; an exchange without any is left out. Messages that do not fit the budget are dropped, the
    least important first; of the last exchange as many whole sentences stay as fit.
    """
    history = question.history[-_LOOKED_AT:]
    kept: dict[int, Message] = {}
    left, last = budget_tokens, _exchanges(history)[-1]
    for index in _by_importance(history, question, max(most, 0)):
        message, whole = history[index], count(history[index].text)
        if whole > left and index in last:
            message = Message(message.role, opening(message.text, left, count))
        cost = count(message.text)
        if cost <= left and message.text:
            kept[index] = message
            left -= cost
    return tuple(kept[index] for index in sorted(kept))


def history_block(messages: tuple[Message, ...], fence: str) -> str:
    """The messages between fences, each under a line with its role; empty without messages.

    `fence` must be absent from the messages.

    >>> print(history_block((Message("user", "Who was Ada?"),), "5eed5eed5eed"))
    <history 5eed5eed5eed>
    5eed5eed user
    Who was Ada?
    </history 5eed5eed5eed>
    """
    if not messages:
        return ""
    turns = (f"{short(fence)} {each.role}\n{each.text}" for each in messages)
    return fenced("history", fence, "\n".join(turns))


def _by_importance(history: tuple[Message, ...], question: Question, most: int) -> list[int]:
    """The places of at most `most` messages that matter, the most important exchange first."""
    *earlier, last = _exchanges(history)
    found = list(last)[:most]
    if len(found) == most or not earlier:
        return found
    weights = _weights(question)
    likeness = {each: sum(_likeness(history[n].text, weights) for n in each) for each in earlier}
    for exchange in sorted(earlier, key=lambda each: (-likeness[each], -each.start)):
        if likeness[exchange] and len(found) + len(exchange) <= most:
            found += exchange
    return found


def _exchanges(history: tuple[Message, ...]) -> list[range]:
    """The places of each exchange: a message of the user and what answers it."""
    begins = [index for index, each in enumerate(history) if index == 0 or each.role == "user"]
    return [range(start, end) for start, end in pairwise([*begins, len(history)])] or [range(0)]


def _weights(question: Question) -> dict[str, float]:
    """The question's terms; those of words with capitals or digits weigh more."""
    weights = dict.fromkeys((*terms(question.text), *terms(question.standalone)), 1.0)
    for word in question.standalone.split()[1:]:
        if word[:1].isupper() or any(character.isdigit() for character in word):
            weights.update(dict.fromkeys(terms(word), _NAME_WEIGHT))
    return weights


def _likeness(text: str, weights: dict[str, float]) -> float:
    """The weight of the question's terms that the text holds."""
    held = set(terms(text[:_READ]))
    return sum(weight for term, weight in weights.items() if term in held)
