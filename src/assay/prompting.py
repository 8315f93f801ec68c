"""The shared part of all prompts: fences around data, evidence within a budget, the dialogue. Pure."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.errors import UsageError
from assay.nlp.sentences import sentences
from assay.nlp.tokens import estimated_tokens, terms
from assay.types import Evidence, Hit, Message, Passage, Question, Span

# Fences: lines around text that comes from documents and people, which that text cannot forge.


# Gives a code of 32 hex digits at each call. It is injected, so that a replay builds the same prompt.
FenceSource = Callable[[], str]

BITS = 128
# A text that came before the code cannot hold it but by an accident of 1 in 2^32.
_DRAWS = 8
# Headers within a fence repeat this much of its code: enough that no text holds it, and few tokens.
_SHORT = 8


def random_fence() -> str:
    """A code of 128 random bits in hex.

    >>> len(random_fence()), random_fence() == random_fence()
    (32, False)
    """
    return secrets.token_hex(BITS // 8)


def absent_from(texts: Iterable[str], source: FenceSource) -> str:
    """A code from `source` that none of the texts holds, nor its first eight digits.

    Raises UsageError when the source gives eight in a row that stand in the texts.

    >>> codes = iter(["a" * 32, "b" * 32])
    >>> absent_from(["a fake fence: aaaaaaaa"], lambda: next(codes))[:4]
    'bbbb'
    """
    known = tuple(texts)
    for _ in range(_DRAWS):
        code = source()
        if not any(short(code) in text for text in known):
            return code
    raise UsageError(
        f"{_DRAWS} fences in a row stand in the text that they should enclose",
        hint="give a source of random fences, such as assay.prompting.random_fence",
    )


def short(code: str) -> str:
    """The part of a fence's code that headers within it repeat."""
    return code[:_SHORT]


def fenced(name: str, code: str, body: str) -> str:
    """The body between two lines that carry the code; the body is not changed by a byte.

    >>> print(fenced("question", "5eed", "Why?"))
    <question 5eed>
    Why?
    </question 5eed>
    """
    return f"<{name} {code}>\n{body}\n</{name} {code}>"


# The tokens that a text costs, without the model's own tokenizer.


# A counter of tokens; a model's own may be handed in for the estimate.
Count = Callable[[str], int]

# A reply gets at most this share of the context window: evidence is what answers.
REPLY_SHARE = 3


def opening(text: str, budget_tokens: int, count: Count = estimated_tokens) -> str:
    """The longest run of whole sentences from the start of `text` within the budget; all of it where it fits.

    >>> opening("It rained. Then the sun came out.", 5)
    'It rained.'
    """
    if count(text) <= budget_tokens:
        return text
    kept = ""
    for span in sentences(text):
        if count(text[: span.end]) > budget_tokens:
            break
        kept = text[: span.end]
    return kept


# The turns of a dialogue that matter for a question, within a number of messages and a budget of tokens.


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


# Evidence as numbered passages between fences, within a budget of tokens, with an account of what is left out.


_NAME = "evidence"
# A line of a text that could pass for a passage's header: it begins with a number in brackets.
_LIKE_A_HEADER = re.compile(r"(?:\A|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])[^\w\n]{0,20}[\[【［〔]\s{0,9}\d")
# The mark between two strips of a passage, where its text is left out.
GAP = " … "
# The mark for a masked part, which reads like an instruction to a model.
MASK = "[…]"
# A title is one line of a header; a longer one says no more.
_LONGEST_TITLE = 200


@dataclass(frozen=True, slots=True)
class Packed:
    """Evidence as a prompt shows it: number n is `passages[n - 1]`, best first.

    `text` is the fenced block and `tokens` what it costs. `left_out` are the ids of the passages that did not
    fit, `shortened` of those shown only in part.
    """

    passages: tuple[Passage, ...]
    text: str
    tokens: int
    left_out: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the passages shown: number n is `ids[n - 1]`."""
        return tuple(passage.passage_id for passage in self.passages)


def pack(evidence: Evidence, budget_tokens: int, fence: str, count: Count = estimated_tokens) -> Packed:
    """The passages that fit, best first, each whole; one that does not fit makes room for the next.

    Of a passage that has strips only these are shown, a sign for each gap between them, and a masked part of any
    is never shown (`shown_text`). Where not even the best passage fits, its first whole sentences are shown. Each
    has a header, `[1] Title, page 3`. Where a text holds a line like a header, all headers begin with the first
    digits of `fence`, so that none is forged; elsewhere they do without, since weak models copy them. `fence`
    must be absent from the texts and titles (`absent_from`). The block costs at most `budget_tokens`; where
    nothing fits it holds no passage.
    """
    texts = [shown_text(hit) for hit in evidence.hits]
    proof = f"{short(fence)} " if any(map(_LIKE_A_HEADER.search, texts)) else ""
    left = budget_tokens - count(fenced(_NAME, fence, "")) - 1
    shown: list[Passage] = []
    blocks: list[str] = []
    left_out: list[str] = []
    shortened: list[str] = []
    for passage, text in zip(evidence.passages, texts, strict=True):
        block = _block(len(shown) + 1, passage, text, proof)
        cost = count(block) + 1
        if cost > left and not shown and not left_out:
            block = _beginning(passage, text, left, proof, count)
            cost = count(block) + 1
            shortened += [passage.passage_id] if block else []
        if cost > left or not block:
            left_out.append(passage.passage_id)
            continue
        shown.append(passage)
        blocks.append(block)
        left -= cost
    packed = fenced(_NAME, fence, "\n".join(blocks))
    return Packed(tuple(shown), packed, budget_tokens - left, tuple(left_out), tuple(shortened))


def shown_text(hit: Hit) -> str:
    """The passage's text, or its strips with a sign where text between them is left out; no masked part.

    >>> passage = Passage("p", "d", "r", 0, 37, "It opened. It rained. It cost a lot.")
    >>> shown_text(Hit(passage, 1.0, strips=(Span(0, 10), Span(22, 36))))
    'It opened. … It cost a lot.'
    >>> shown_text(Hit(passage, 1.0, masked=(Span(11, 21),)))
    'It opened. […] It cost a lot.'
    """
    strips = hit.strips or (Span(0, len(hit.passage.text)),)
    return GAP.join(_without_masked(hit, strip) for strip in strips)


def _without_masked(hit: Hit, stretch: Span) -> str:
    """A stretch of the passage's text with a sign for each masked part of it."""
    text, parts, at = hit.passage.text, [], stretch.start
    for span in hit.masked:
        start, end = max(span.start, at), min(span.end, stretch.end)
        if start < end:
            parts += [text[at:start], MASK]
            at = end
    return "".join([*parts, text[at : stretch.end]])


def sources_line(number: int, passage: Passage) -> str:
    """The passage's number, title, location, date and the header of its table on one line.

    >>> from assay.types import Location, Origin
    >>> sources_line(2, Passage("p", "d", "r", 0, 1, "x", title="Bridge rates", location=Location(page=3)))
    '[2] Bridge rates, page 3'
    >>> sources_line(1, Passage("p", "d", "r", 0, 1, "x", title="Bridge rates", origin=Origin(date="2010")))
    '[1] Bridge rates (2010)'
    >>> sources_line(3, Passage("p", "d", "r", 0, 1, "x", title="Bridge rates", header="Axles | Toll"))
    '[3] Bridge rates; columns: Axles | Toll'
    """
    parts = (one_line(passage.title, _LONGEST_TITLE), one_line(str(passage.location), _LONGEST_TITLE))
    named = ", ".join(part for part in parts if part) or "untitled"
    dated = f" ({passage.origin.date})" if passage.origin.date else ""
    columns = f"; columns: {one_line(passage.header, _LONGEST_TITLE)}" if passage.header else ""
    return f"[{number}] {named}{dated}{columns}"


def texts_of(evidence: Evidence) -> Sequence[str]:
    """Every text of the evidence that a prompt may show, for `absent_from`."""
    return [
        text
        for passage in evidence.passages
        for text in (passage.text, passage.title, str(passage.location), passage.header)
    ]


def one_line(text: str, longest: int) -> str:
    """The text on one line, cut after `longest` characters."""
    return " ".join(text.split())[:longest].rstrip()


def _block(number: int, passage: Passage, text: str, proof: str) -> str:
    """One passage under its header; `proof` is what makes the header unlike any line of a text."""
    return f"{proof}{sources_line(number, passage)}\n{text}\n"


def _beginning(passage: Passage, text: str, budget_tokens: int, proof: str, count: Count) -> str:
    """The passage as number 1 with as many of its first sentences as fit; nothing where none does."""
    header = _block(1, passage, "", proof)
    kept = opening(text, budget_tokens - count(header) - 2, count)
    return _block(1, passage, kept, proof) if kept else ""
