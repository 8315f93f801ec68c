"""The standalone question: a turn of a dialogue, completed so that it can be searched alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.nlp.lexicon import word_class
from assay.nlp.names import names
from assay.nlp.tokens import STOP_WORDS, fold, word_spans, words
from assay.types import Message, Span

# A longer question is searched as it is (chosen): a page of text is not elliptic.
LONGEST = 2000
_SUBJECT = re.compile(
    r"\b(?:it|they|them|he|him|she|this one|that one|this|that|these|those|the former|the latter)\b", re.I
)
_OWNER = re.compile(r"\b(?:its|their|his|her|hers|theirs)\b", re.I)
_THERE = re.compile(r"\bthere\b(?!\s+(?:is|are|was|were|any|a|an|be|still|some|many)\b)", re.I)
# "that" and "this" are pronouns only if no noun and no clause follows.
_BOUND_DEMONSTRATIVE = re.compile(
    r"\b(?:this|that|these|those)(?=\s+(?!(?:is|are|was|were|do|does|did|can|could|will|would|has|have|had|mean|work"
    r"|happen|cost|apply|and|or|in|on|for|with|from|by|to|so)\b)[\w-]+)",
    re.I,
)
_DUMMY_IT = re.compile(
    r"\b(?:is|was|does|would|will)\s+it\s+(?:\w+\s+){0,2}(?:that|to|possible|take|mean)\b"
    r"|\bit\s+(?:is|was|'s)\s+(?:\w+\s+){0,2}(?:that|to)\b|\bit\s+(?:takes?|took|seems?|means?)\b",
    re.I,
)
_INSTEAD = re.compile(
    r"^\s*(?:and\s+|but\s+|ok(?:ay)?,?\s+|so\s+)?(?:(?:what|how)\s+about|and|i\s+mean[t]?(?:\s+for)?|same\s+for)\s+(?P<what>.+?)\s*+(?:[?.!]++\s*+)?$",
    re.I | re.S,
)
# A noun with its article: the antecedent of a later pronoun in the same text.
_NOUN = re.compile(r"\b(?:the|an?|my|our|your)\s+[a-z]{3,}", re.I)
_OPENING = re.compile(r"^\s*(?:and|but|so|also|ok(?:ay)?|then|well|by the way)\b[,\s]*", re.I)
_DEFINES = re.compile(r"^\s*(?:what|who)\s+(?:is|are|was|were)\s+(?:an?\s+|the\s+)?[\w-]+(?:\s[\w-]+)?\W*$", re.I)
_YEAR = re.compile(r"\b(?:1[5-9]\d\d|20\d\d)\b")
_QUESTION_WORD = re.compile(
    r"\b(?:who|whom|whose|what|when|where|which|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has"
    r"|have|had|may|tell|explain|describe|list|name|compare|give|show)\b",
    re.I,
)
_ASKS_FOR_MORE = re.compile(
    r"\b(?:else|another|any other|more|other ones?|next|similar|instead|too|as well|again)\b", re.I
)
_SCAFFOLD = word_class("dialogue.scaffold")
_ZH_PRONOUN = re.compile(r"(?<!其)[它他她]们?|这个|那个")
# Words of a Chinese question that only ask; the rest is the topic.
_ZH_ASKS = re.compile(
    r"[是在有]?(?:谁|什么时候|什么|何时|哪里|哪儿|哪[个年天]|多少|几[个人次]|为什么|为何|如何|怎么样?)|[吗呢]$"
)
_ZH_INSTEAD = re.compile(r"^(?:那么?|还有)?(?P<what>.{1,30}?)呢[？?]?$")


_ARTICLE = re.compile(r"(?:the|an?)\s", re.IGNORECASE)
# "How old is the tower?": the noun after the verb at the end.
_LAST_NOUN = re.compile(r"\b(?:is|are|was|were)\s+((?:the|an?)\s[\w -]{1,80})\W*$", re.IGNORECASE)
# After one of these a subject and its verb follow: "was the ferry built".
_VERB_FOLLOWS = re.compile(r"\b(?:was|were|did|does|do|has|have|had|will|can)\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn as a standalone question; `carried` if something came from earlier turns.

    `topic` is that of an earlier turn, for a turn that may be about it and says nothing that stands for it.
    `unresolved` is the pronoun for which no earlier turn names anything.
    """

    standalone: str
    carried: bool = False
    unresolved: str | None = None
    topic: str = ""


def standalone(text: str, history: tuple[Message, ...]) -> Turn:
    """The turn with its pronouns and ellipses resolved from the user's earlier turns, latest first.

    >>> ask = lambda text: (Message("user", text),)
    >>> standalone("How tall is it?", ask("Where is the Eiffel Tower?")).standalone
    'How tall is the Eiffel Tower?'
    >>> standalone("And in 2020?", ask("What was the revenue in 2019?")).standalone
    'What was the revenue in 2020?'
    >>> turn = standalone("How long can I keep a book?", ask("Is the library open on Sunday?"))
    >>> turn.standalone, turn.topic
    ('How long can I keep a book?', 'the library open')
    """
    asked = " ".join(text.split())
    if len(asked) > LONGEST:
        return Turn(text.strip())
    earlier = _earlier_question(history)
    pronoun = _pronoun(asked)
    if earlier is None:
        return Turn(asked, unresolved=pronoun.group() if pronoun and not _has_antecedent(asked, pronoun) else None)
    if filled := _in_place_of(asked, earlier) or _with_pronoun(asked, pronoun, earlier):
        return Turn(filled, carried=True)
    topic = _topic_for(asked, earlier)
    if topic is None:
        return Turn(asked)
    if focus(asked) is None:  # "Why?" asks nothing without the topic
        return Turn(f"{_bare_turn(asked)} ({topic})", carried=True)
    return Turn(asked, carried=True, topic=topic)


def _earlier_question(history: tuple[Message, ...]) -> str | None:
    """The user's last turn with a topic, made standalone by the turn before it."""
    asked = [" ".join(turn.text.split())[:LONGEST] for turn in history[-12:] if turn.role == "user"]
    for position in range(len(asked) - 1, -1, -1):
        if focus(asked[position]):
            return asked[position]
    return None


def _pronoun(text: str) -> re.Match[str] | None:
    """The first pronoun whose antecedent is outside its clause."""
    bound = {match.start() for match in _BOUND_DEMONSTRATIVE.finditer(text)}
    dummy = [(match.start(), match.end()) for match in _DUMMY_IT.finditer(text)]
    found = [m for pattern in (_SUBJECT, _OWNER, _THERE, _ZH_PRONOUN) for m in pattern.finditer(text)]
    for match in sorted(found, key=lambda match: match.start()):
        if match.start() in bound or any(start <= match.start() < end for start, end in dummy):
            continue
        return match
    return None


def _has_antecedent(text: str, pronoun: re.Match[str]) -> bool:
    """True if the text names an antecedent before the pronoun."""
    before = text[: pronoun.start()]
    return bool(names(before) or _NOUN.search(before))


def _in_place_of(asked: str, earlier: str) -> str | None:
    """ "And in 2020?", "What about X?": the earlier question with its part of that kind replaced."""
    match = _INSTEAD.match(asked) or _ZH_INSTEAD.match(asked)
    if match is None or _QUESTION_WORD.match(match.group("what")):
        return None
    new = match.group("what").strip()
    year, old_year = _YEAR.search(new), _YEAR.search(earlier)
    if year and old_year:
        return f"{earlier[: old_year.start()]}{year.group()}{earlier[old_year.end() :]}"
    old = names(earlier)
    if old and names(new) and len(words(new)) <= 6:
        return f"{earlier[: old[0].start]}{new}{earlier[old[0].end :]}"
    return _noun_in_place_of(new, earlier) or f"{earlier.rstrip(' ?.!？。')} {new}?"


def _noun_in_place_of(new: str, earlier: str) -> str | None:
    """ "And the museum?": the earlier question with its noun replaced; None if it has none.

    >>> _noun_in_place_of("the museum", "When was the ferry built?")
    'When was the museum built?'
    """
    run = _longest_run(earlier) if _ARTICLE.match(new) else None
    if run is None:
        return None
    if not _ARTICLE.match(earlier, run.start):
        last = _LAST_NOUN.search(earlier)
        if last is None:
            return None
        run = Span(last.start(1), last.end(1))
    noun = earlier[run.start : run.end]
    if _VERB_FOLLOWS.search(earlier[: run.start]) and noun.count(" ") > 1:
        noun = noun.rpartition(" ")[0]
    kept = noun.rfind(" of ") + len(" of ") if " of " in noun else 0
    return f"{earlier[: run.start + kept]}{new}{earlier[run.start + len(noun) :]}"


def _with_pronoun(asked: str, pronoun: re.Match[str] | None, earlier: str) -> str | None:
    """The question with its pronoun replaced by the focus of the earlier question.

    Where the earlier question has neither, but other words, these stand in brackets behind the question.
    """
    if pronoun is None or _has_antecedent(asked, pronoun):
        return None
    topic = _longest_name(earlier) or _noun(earlier)
    if pronoun.re is _ZH_PRONOUN:
        topic = focus(earlier)
    if topic is None:
        words_of_it = focus(earlier)
        return f"{_bare_turn(asked)} ({words_of_it})" if words_of_it else None
    if pronoun.re is _OWNER:
        topic = f"{topic}'" if topic.endswith("s") else f"{topic}'s"
    elif pronoun.re is _THERE:
        topic = f"in {topic}"
    return f"{asked[: pronoun.start()]}{topic}{asked[pronoun.end() :]}"


def _topic_for(asked: str, earlier: str) -> str | None:
    """The earlier topic, for a turn that is short or asks for more; None for a turn that is whole."""
    topic = focus(earlier)
    content = [word for word in words(asked) if word not in STOP_WORDS and word not in _SCAFFOLD]
    if topic is None or len(content) > 8 or set(words(topic)) <= set(words(asked)):
        return None
    asks = _QUESTION_WORD.search(asked)
    whole = asks and (_longest_name(asked) or _DEFINES.match(asked))
    short = not asks or len(content) <= 2
    return topic if _ASKS_FOR_MORE.search(asked) or (short and not whole) else None


def _bare_turn(asked: str) -> str:
    """The turn without its opening "and" and final punctuation."""
    return _OPENING.sub("", asked).rstrip(" ?.!？。")


def focus(text: str) -> str | None:
    """The focus of a question: its longest name, its noun, or its longest run of content words; None without.

    >>> focus("What is the role of the liver?"), focus("Who founded Rome?"), focus("Why?")
    ('the role of the liver', 'Rome', None)
    """
    found = _longest_name(text) or _noun(text)
    run = None if found else _longest_run(text)
    return (_ZH_ASKS.sub("", text[run.start : run.end]) or None) if run else found


def _longest_name(text: str) -> str | None:
    """The longest of the first three names, with its article; a capitalised first word alone is not a name."""
    found = [name for name in names(text) if not name.opens and not name.words[0].startswith("i'")][:3]
    if not found:
        return None
    name = max(found, key=lambda name: name.end - name.start)
    written = text[name.start : name.end].removesuffix("'s").removesuffix("’s")
    return f"the {written}" if text[: name.start].lower().endswith("the ") else written


def _noun(text: str) -> str | None:
    """The longest run of content words if it begins with an article."""
    run = _longest_run(text)
    found = text[run.start : run.end] if run else ""
    return found if re.match(r"(?:the|an?)\s", found, re.I) else None


def _longest_run(text: str) -> Span | None:
    """The stretch with the most content words, including articles and "of" inside."""
    best: tuple[int, Span] | None = None
    start, end, count = 0, 0, 0
    for span in word_spans(text):
        word = fold(text[span.start : span.end])
        joins = word in ("the", "a", "an", "of", "and")
        content = word not in STOP_WORDS and word not in _SCAFFOLD and not _QUESTION_WORD.fullmatch(word)
        if not (content or joins) or text[end : span.start].strip():
            start, end, count = span.start, span.start, 0
        if content or (joins and (count or word in ("the", "a", "an"))):
            start = start if count or end > start else span.start
            end = span.end
        if content:
            count += 1
            if best is None or count > best[0]:
                best = (count, Span(start, span.end))
    return best[1] if best else None
