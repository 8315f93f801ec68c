"""Facts that tell how something is done, and questions that headings ask already. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.evals.make.fact import Fact, Kind
from assay.evals.make.statements import is_subject, plain, prose_sentences
from assay.evals.make.wording import Wording
from assay.nlp.blocks import Block, BlockKind, blocks, without_markup
from assay.nlp.lexicon import word_class
from assay.nlp.names import acronyms
from assay.nlp.sentences import sentences
from assay.nlp.tokens import STOP_WORDS, fold, stem, word_spans
from assay.nlp.wordnet import lexicon, part_of_speech
from assay.types import Document, Span

_ENTRY = re.compile(r"\A(?:[-*+•] )?(?P<mark>\*\*|__|`)(?P<term>[^*_`\n:]{2,40}):?(?P=mark)(?: ?[:–—]| -)? ")
_TOLD = re.compile(r"an?\s[^.;(\n]{15,200}", re.IGNORECASE)
_ASKING = word_class("questions.asking")
# Chosen: the words of a question that can stand alone, and of an explanation that says something.
_LEAST_ASKED, _LEAST_TOLD = 4, 5
_TO = re.compile(r"To\s+(?P<verb>[a-z]+)\s+(?P<thing>[^,;:.!?()]{3,60}?),\s+(?P<done>\S.*)", re.S)
_YOU = re.compile(r"\byou\b", re.IGNORECASE)
_YOUR = re.compile(r"\byour\b", re.IGNORECASE)
_HOW = re.compile(r"How\s+to\s+(?P<verb>[a-z]+)\s+(?P<thing>\S.*)", re.IGNORECASE)
_HEADING = re.compile(r"(?P<verb>[A-Z][a-z]+)\s+(?P<thing>[^:;,.!?()|&/]{3,60})")
_ACRONYM = re.compile(r"\((?P<acronym>[A-Z][A-Z&-]{1,8})s?\)")
_VERBS = word_class("verbs.auxiliary") | word_class("verbs.be")
_MODALS = word_class("verbs.auxiliary")
_PRONOUNS = word_class("pronouns.personal") | word_class("pronouns.demonstrative")
_DETERMINERS = word_class("function_words.articles") | {"my", "your", "our"}
_NOUN_ENDINGS = ("ion", "ity", "ment", "ance", "ence", "ness", "s")
# Chosen: how much more often a word is a verb than a noun where a heading begins with it.
_AS_OFTEN = 5
_LOOKED_BACK = 120
_OTHER = word_class("statements.determiners") - {"my", "our", "your"}
# Chosen: answers longer than this are whole pages.
_LONGEST_ANSWER = 1500


def facts_in_instructions(document: Document) -> Iterator[Fact]:
    """Facts in sentences such as "To add a key, run …" and under headings such as "Add a key"."""
    prose = without_markup(document.text, document.format)
    found = [block for block in blocks(document.text, document.format) if block.kind is not BlockKind.MARKUP]
    for at, block in enumerate(found):
        if block.kind is BlockKind.PARAGRAPH:
            yield from _purposes(document, prose, found, at)
        elif block.kind is BlockKind.HEADING:
            fact = _heading(document, prose, found, at)
            if fact is not None:
                yield fact


def facts_in_acronyms(document: Document) -> Iterator[Fact]:
    """Expansions of acronyms, where a sentence gives them in brackets."""
    prose = without_markup(document.text, document.format)
    for sentence in prose_sentences(document, prose):
        for match in _ACRONYM.finditer(prose, sentence.start, sentence.end):
            start = max(sentence.start, match.start() - _LOOKED_BACK)
            long = acronyms(prose[start : match.end()]).get(match["acronym"].lower())
            words = [
                Span(start + span.start, start + span.end) for span in word_spans(prose[start : match.start()])
            ]
            begins = [span.start for span in words if long and fold(prose[span.start : span.end]) == long[0]]
            if not long or not begins:
                continue
            answer = Span(begins[-1], words[-1].end)
            wording = Wording("What", "does", "", match["acronym"], "stand for")
            text = plain(prose[answer.start : answer.end])
            yield Fact(Kind.ACRONYM, document.document_id, sentence, answer, text, wording)


def facts_in_headings(document: Document) -> Iterator[Fact]:
    """Headings that are questions, with what stands under them, and terms that a list explains."""
    prose = without_markup(document.text, document.format)
    found = [block for block in blocks(document.text, document.format) if block.kind is not BlockKind.MARKUP]
    for at, block in enumerate(found):
        if block.kind is BlockKind.HEADING and at + 1 < len(found) and _asks(block.title):
            answer = _section(found, at + 1)
            if answer is not None:
                asks, _, others = block.title.rstrip("?").partition(" ")
                text = plain(prose[answer.start : answer.end])
                wording = Wording(asks, "", "", others)
                yield Fact(Kind.HEADING, document.document_id, answer, answer, text, wording)
        elif block.kind is BlockKind.LIST:
            for item in block.items:
                fact = _explained(document, prose, item)
                if fact is not None:
                    yield fact


def _section(found: Sequence[Block], at: int) -> Span | None:
    """The text from a block on up to the next heading; None where that is nothing, or long."""
    end = at
    while end < len(found) and found[end].kind is not BlockKind.HEADING:
        end += 1
    if end == at or found[end - 1].end - found[at].start > _LONGEST_ANSWER:
        return None
    return Span(found[at].start, found[end - 1].end)


def _asks(title: str) -> bool:
    """True if a heading is a question that can be understood by itself."""
    words = [fold(word).strip("?,") for word in title.split()]
    whole = title.endswith("?") and len(words) >= _LEAST_ASKED and words[0] in _ASKING and words[1] != "to"
    return whole and not any(word in _PRONOUNS for word in words) and title.count("?") == 1


def _explained(document: Document, prose: str, item: Span) -> Fact | None:
    """ "**Passage**: a stretch of one document": what is a passage?"""
    match = _ENTRY.match(document.text[item.start : item.end])
    told = None if match is None else _TOLD.match(document.text, item.start + match.end(), item.end)
    if match is None or told is None:
        return None
    term = Span(item.start + match.start("term"), item.start + match.end("term"))
    answer = Span(told.start(), told.end())
    term_text = plain(prose[term.start : term.end])
    text = plain(prose[answer.start : answer.end]).rstrip(".")
    if (
        not term_text
        or len(text.split()) < _LEAST_TOLD
        or not is_subject(term_text, opens=False)
        or not term_text[-1].isalnum()
    ):
        return None
    if any(fold(word) in _VERBS for word in term_text.split()):
        return None
    wording = Wording("What", "is", "meant by", f"“{term_text}”")
    return Fact(Kind.DEFINITION, document.document_id, item, answer, text, wording)


def _purposes(document: Document, prose: str, found: Sequence[Block], at: int) -> Iterator[Fact]:
    block = found[at]
    for span in sentences(prose[block.start : block.end]):
        sentence = Span(block.start + span.start, block.start + span.end)
        match = _TO.fullmatch(prose[sentence.start : sentence.end])
        if match is None or not _is_verb(match["verb"]) or not _does(match["done"]):
            continue
        thing = _thing(match["thing"])
        if not thing:
            continue
        answer = Span(sentence.start + match.start("done"), sentence.end)
        if match["done"].rstrip().endswith(":"):
            if at + 1 >= len(found) or sentence.end < block.end - 1 or not _goes_on(found[at + 1]):
                continue
            answer = Span(found[at + 1].start, found[at + 1].end)
        yield from _told(document, prose, Span(sentence.start, answer.end), answer, match["verb"], thing)


def _heading(document: Document, prose: str, found: Sequence[Block], at: int) -> Fact | None:
    title = found[at].title
    match = _HOW.fullmatch(title.rstrip("?")) or _HEADING.fullmatch(title)
    if match is None or not _orders_to(match["verb"].lower(), match["thing"]) or _is_title_case(match["thing"]):
        return None
    thing = _thing(match["thing"])
    if not thing or at + 1 >= len(found):
        return None
    answer = _steps(prose, found, at + 1)
    if answer is None:
        return None
    return next(_told(document, prose, answer, answer, match["verb"].lower(), thing), None)


def _steps(prose: str, found: Sequence[Block], at: int) -> Span | None:
    """The instructions right under a heading: a list, or an order with what it leads to; None for anything else."""
    block = found[at]
    if block.kind is BlockKind.LIST and len(block.items) > 1:
        first = block.items[0]
        return Span(block.start, block.end) if _orders(prose[first.start : first.end]) else None
    if block.kind is BlockKind.CODE:
        return Span(block.start, block.end)
    if block.kind is not BlockKind.PARAGRAPH or not _orders(prose[block.start : block.end]):
        return None
    leads = block.leads and at + 1 < len(found) and _goes_on(found[at + 1])
    return Span(block.start, found[at + 1].end if leads else block.end)


def _told(document: Document, prose: str, quote: Span, answer: Span, verb: str, thing: str) -> Iterator[Fact]:
    if answer.end - answer.start > _LONGEST_ANSWER:
        return
    text = plain(prose[answer.start : answer.end])
    if text and not text.startswith(("See ", "see ")):
        yield Fact(Kind.HOW_TO, document.document_id, quote, answer, text, Wording("How", "do", f"I {verb}", thing))


def _thing(written: str) -> str:
    """The thing that something is done to; empty where it is "you", or points elsewhere."""
    words = [fold(word) for word in written.split()]
    if _YOU.search(written) or any(word in _PRONOUNS for word in words) or words[-1] in STOP_WORDS:
        return ""
    if words[0] in _OTHER or (len(words) == 1 and words[0].endswith(("ed", "ing"))):
        return ""
    return plain(_YOUR.sub("my", written))


def _is_verb(word: str) -> bool:
    return (
        word not in STOP_WORDS and part_of_speech(stem(word), word) == "verb" and not word.endswith(("ing", "ed"))
    )


def _orders_to(verb: str, thing: str) -> bool:
    """True if a heading is an order: its verb is seldom a noun, or an article follows."""
    if not _is_verb(verb) or verb.endswith(_NOUN_ENDINGS):
        return False
    entry = lexicon().get(stem(verb))
    nouns, verbs = entry.counts[:2] if entry is not None else (1, 0)
    return fold(thing.split()[0]) in _DETERMINERS or verbs >= _AS_OFTEN * max(nouns, 1)


def _does(done: str) -> bool:
    """True if the main clause is an order, or says what one can do."""
    words = [fold(word).strip(",") for word in done.split()[:2]]
    if len(words) < 2:
        return False
    return (
        words[0] == "do"
        or _is_verb(words[0])
        or (words[0] == "you" and (words[1] in _MODALS or words[1] in ("need", "have")))
    )


def _orders(text: str) -> bool:
    """True if a text begins with an order."""
    match = re.match(r"\W*(?:\d+[.)]\s*)?(?P<word>[A-Z][a-z]+)\s", text)
    return match is not None and _is_verb(match["word"].lower())


def _goes_on(block: Block) -> bool:
    return block.kind in (BlockKind.LIST, BlockKind.CODE, BlockKind.TABLE)


def _is_title_case(words: str) -> bool:
    longer = [word for word in words.split() if len(word) > 3]
    return len(longer) > 1 and all(word[0].isupper() for word in longer)
