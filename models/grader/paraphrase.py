"""The same said otherwise, by rules: shorter, in another order, in other words; never more than was said."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from vocabulary import Vocabulary

from assay.text.tokens import STOP_WORDS

_NUMBER_WORDS = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), range(1, 13), strict=True)
)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_WORD = re.compile(r"[a-z]{4,}")
_FORMS = (
    (re.compile(rf"\b({_MONTH}) (\d{{1,2}}), (\d{{4}})\b"), (r"\2 \1 \3", r"\1 \3", r"\3")),
    (re.compile(rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}})\b"), (r"\2 \1, \3", r"\2 \3", r"\3")),
    (re.compile(r"\b(\d{1,3}),(\d{3})\b(?!,)"), (r"\1\2",)),
    (re.compile(r"(\d) ?%"), (r"\1 percent", r"\1 per cent")),
    (re.compile(r"(\d) per ?cent\b"), (r"\1%",)),
    (re.compile(r"\b(is|was|are|were|did|does|do|has|have|had|could|would|should) not\b"), (r"\1n't",)),
    (
        re.compile(r"\b(?!New|North|South|East|West|Saint|San|Los|Great|United)([A-Z][a-z]+) ([A-Z][a-z]{3,})\b"),
        (r"\2",),
    ),
    (re.compile(r"\bthe United States\b"), ("the US", "America")),
    (re.compile(r"\bsaid\b"), ("stated", "announced", "told reporters")),
    (re.compile(r"\b(?:shows?|demonstrates?|found|suggests?) that\b"), ("indicates that",)),
    (re.compile(r"\bin order to\b"), ("to",)),
    (re.compile(r"\bapproximately\b"), ("about", "around")),
)
_DROPPED = (
    re.compile(r" \([^()]{1,80}\)"),
    re.compile(r", (?:which|who|whose|where|including|such as|especially|particularly) [^,.;]{5,80}(?=[,.;])"),
    re.compile(r", [a-z][^,.;]{4,60},(?= )"),
    re.compile(
        r"^(?:However|Moreover|Furthermore|In addition|Also|Then|Thus|Therefore|Finally|Meanwhile|But|And),? "
    ),
    re.compile(r"\b(?!hardly|rarely|barely|nearly|partly|merely|family|supply|apply|reply)[a-z]{4,}ly "),
    re.compile(r"(?<=[a-z]{4}), (?:and|but|so|while|as|after|because|with) [^,;]{10,}(?=\.$)"),
    re.compile(r"(?<=[a-z]{4}) (?:in|at|on|during|by|with|after|before|for) [^,;.]{6,50}(?=\.$)"),
    re.compile(r"[;:] [^;:]{10,}(?=\.$)"),
)
_BOUND = re.compile(r"\b(?:not|no|never|none|only|without|if|unless|neither|nor|few|less)\b|n't\b", re.IGNORECASE)
_FRONT = re.compile(r"^((?:In|On|During|After|Before|At|By|Since|For|Under|With) [^,]{3,50}), (\S)(.+?)\.?$")
_BACK = re.compile(r"^(.{20,}) ((?:in|on|during|after|since|at) [^,.]{3,40})\.?$")


def dropped(text: str, random: Random, vocabulary: Vocabulary) -> str:
    """Without an aside, an adverb, an opening or an end; a sentence that denies or allows only some stays whole."""
    if _BOUND.search(text):
        return text
    pattern = random.choice(_DROPPED)
    shorter = pattern.sub("", text, count=1)
    return shorter if len(shorter.split()) >= 5 else text


def moved(text: str, random: Random, vocabulary: Vocabulary) -> str:
    """What opens the sentence at its end, or the other way round."""
    if front := _FRONT.match(text):
        return f"{_opened(front[2] + front[3])} {front[1][0].lower()}{front[1][1:]}."
    if back := _BACK.match(text):
        return f"{_opened(back[2])}, {_lowered(back[1])}."
    return text


def _opened(text: str) -> str:
    return text[0].upper() + text[1:]


def _lowered(text: str) -> str:
    first = text.split()[0]
    return text[0].lower() + text[1:] if first.lower() in STOP_WORDS else text


def formed(text: str, random: Random, vocabulary: Vocabulary) -> str:
    """A date, number, name or phrase in another form, each at most once."""
    for pattern, forms in random.sample(_FORMS, len(_FORMS)):
        if pattern.search(text):
            return pattern.sub(random.choice(forms), text, count=1)
    for word, value in _NUMBER_WORDS.items():
        if word != "one" and re.search(rf"\b{word}\b", text):
            return re.sub(rf"\b{word}\b", str(value), text, count=1)
    return text


def reworded(text: str, random: Random, vocabulary: Vocabulary) -> str:
    """A word's synonym, or sometimes a broader word."""
    kind = "same" if random.random() < 0.8 else "broader"
    found = [each.group() for each in _WORD.finditer(text)]
    random.shuffle(found)
    for old in found:
        if others := vocabulary.kin(old, kind):
            return re.sub(rf"\b{old}\b", random.choice(others), text, count=1)
    return text


def framed(text: str, random: Random, vocabulary: Vocabulary) -> str:
    """With or without words that only introduce it."""
    frames = (
        "According to the text, {}",
        "It is stated that {}",
        "The passage says that {}",
        "The author notes that {}",
    )
    return random.choice(frames).format(_lowered(text))


def plain(text: str, random: Random, vocabulary: Vocabulary) -> str:
    """In small letters without the full stop, as quick notes are."""
    return text.lower().rstrip(".")


_WAYS: tuple[tuple[Callable[[str, Random, Vocabulary], str], float], ...] = (
    (dropped, 5), (moved, 2), (formed, 2.5), (reworded, 4.5), (framed, 0.4), (plain, 0.3),
)  # fmt: skip


def paraphrased(text: str, random: Random, vocabulary: Vocabulary) -> str:
    """The text said otherwise in up to four ways."""
    ways, weights = zip(*_WAYS, strict=True)
    for way in random.choices(ways, weights, k=random.choice((0, 1, 2, 2, 3, 4))):
        text = way(text, random, vocabulary)
    return text
