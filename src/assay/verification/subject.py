"""Checks that an answer is about what the question names, not about a namesake or rival."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.stages import Reader
from assay.nlp.blocks import titled, without_markup
from assay.nlp.citations import citations, without_marks
from assay.nlp.headings import under_another_heading
from assay.nlp.language import language_of
from assay.nlp.lexicon import word_class
from assay.nlp.names import CAPITAL_NOUNS, mentions, names, plain_word, says_nation
from assay.nlp.numbered import (
    Numbered,
    asked_numbers,
    asked_years,
    holds_number,
    is_of_another,
    is_of_another_year,
)
from assay.nlp.quantities import quantities
from assay.nlp.rivals import Rival, rivals
from assay.nlp.spelling import is_english
from assay.nlp.table_cells import columns_alike, row_at
from assay.nlp.tokens import STOP_WORDS, fold, rarity, stem, terms, whole_words, written_words
from assay.nlp.wordnet import lexicon
from assay.types import (
    AnswerReading,
    Check,
    Claim,
    Evidence,
    FindingKind,
    FoundRow,
    Passage,
    Question,
    Sentence,
    Severity,
    Span,
    Status,
    TitledText,
)

# Words of a name that may have a namesake: one word shares no part.
_WORDS = 2
# Chosen: a file and its folder may name what a document is about; the folders above hold many documents.
_PATH_PARTS = 2
# A word, a code where it has a capital and a digit ("P-300", "X2"); a year. Versions have a check of their own.
_WORD = re.compile(r"(?<![\w.])[^\W_]\w*+(?:[.-]++\w++)*")
# Names of fields and functions in manuals: "Rules-Requires-Root", "ffi_type_float".
_IDENTIFIER = re.compile(r"[A-Z]\w*(?:-[A-Z]\w*){2,}|[^\W_]+(?:_[^\W_]+)+")
_YEAR = re.compile(r"(?<![\w.,$€£-])(?:1[89]|20)\d\d(?![\w,%]|[.-]\d)")
# From this rarity a word is missed in a row (as `assay.judging.row_finder` misses one).
_RARE = 0.6
# Capitals of grammar: those of a question word and of "I've".
_NO_NAMES = STOP_WORDS | word_class("questions.words")
_CONTRACTED = ("i'", "i’")


def namesake_checks(question: Question, text: str, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of an answer that names a namesake of what is asked about, and never that itself; none otherwise.

    A namesake shares the last word of a name of the question and has another one before it: the Tay Bridge, where
    the Harbour Bridge was asked for. A title in the place of a name looks the same ("President Obama"), so the
    check is unknown rather than failed.

    >>> asked = Question("When was the Harbour Bridge opened?", "When was the Harbour Bridge opened?")
    >>> [check.cause for check in namesake_checks(asked, "The Tay Bridge was opened in 1887.", ())]
    ["the question is about 'Harbour Bridge', but the answer names 'Tay Bridge'"]
    >>> namesake_checks(asked, "The Harbour Bridge was opened in 1932, the Tay Bridge in 1887.", ())
    ()
    """
    said = set(whole_words(" ".join((text, *(span.quote for claim in claims for span in claim.spans)))))
    named = [name.words for name in names(text) if len(name.words) >= _WORDS]
    for asked in (name.words for name in names(question.standalone) if len(name.words) >= _WORDS):
        if said.intersection(asked[:-1]):
            continue
        rival = next((one for one in named if one[-1] == asked[-1] and one != asked), None)
        if rival is not None:
            wanted, named_instead = _as_written(asked, question.standalone), _as_written(rival, text)
            cause = f"the question is about {wanted!r}, but the answer names {named_instead!r}"
            return (Check("subject", Status.UNKNOWN, Severity.BLOCK, None, cause),)
    return ()


def _as_written(words: Sequence[str], text: str) -> str:
    """The folded words as they stand in the text; as they are if they do not stand there side by side.

    >>> _as_written(("tay", "bridge"), "Is the Tay Bridge long?"), _as_written(("tay",), "Is it long?")
    ('Tay Bridge', 'tay')
    """
    found = re.search(r"\W+".join(map(re.escape, words)), text, re.IGNORECASE)
    return found[0] if found else " ".join(words)


def subject_checks(question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of each claim that is of something else than the question names; none for all others.

    A name, code or year of the question must stand in the claim or in the documents that it cites, as far
    as they are evidence: in their titles, paths, headings and text. A part, an abbreviation or the long form of a
    name will do. What a passage on the name leads to is followed, two steps far: the claim may name, or cite a
    document titled with, someone named beside it. A name that no passage has is missed only where the source says
    this of another name: documents need not name whose they are. Names may be missed, so the check is unknown
    rather than failed.

    Of questions that a passage answers, 1 % name something that it does not hold; of those that it does not answer,
    11 % (5,382 written questions, decision 178).
    """
    if language_of(question.standalone) in CAPITAL_NOUNS:
        return ()
    passages = evidence.passages
    asked = [name for name in _question_names(question.standalone) if _is_name(name, passages)]
    naming = {name: [passage for passage in passages if _names_it(_whole(passage), name)] for name in asked}
    found: list[Check] = []
    for claim in claims if asked else ():
        cited = [passage for passage in passages if passage.passage_id in claim.citations]
        missed = (name for name in asked if not _is_on(name, claim, cited, naming[name], passages))
        told = (name for name in missed if naming[name] or _is_coded(name) or _names_another(claim, cited, asked))
        off = next(told, None)
        if cited and off is not None:
            wanted = _as_written(off, question.standalone)
            cause = f"its source does not mention {wanted!r}, which the question is about"
            found.append(replace(_open_check(claim, cause), kind=FindingKind.OFF_SUBJECT))
    return tuple(found)


def _names_another(claim: Claim, cited: Sequence[Passage], asked: Sequence[Sequence[str]]) -> bool:
    """Tell whether what a claim quotes, its headings or its title have a name that the question has not."""
    quoted = (claim.text, *(span.quote for span in claim.spans))
    named = {plain_word(word) for text in quoted for name in names(text) if not name.opens for word in name.words}
    # The words of a heading have capitals for its sake: of these only strange ones are names.
    headings = (f"{passage.title}\n{passage.location.section or ''}" for passage in cited)
    named |= {word for text in headings for word in _names_of(text, title=True) if not is_english(word)}
    return not named <= {word for name in asked for word in name}


def rival_checks(question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of each claim that rests on what its source tells of a rival of what the question names.

    The claim does so where most of what it quotes is of rivals and nothing of it names the asked one
    (`assay.nlp.rivals`). It may be an honest comparison, so the check is unknown rather than failed.
    """
    found = rivals(question, evidence.passages)
    starts = {passage.passage_id: passage.start for passage in evidence.passages}
    pairs = ((claim, _rival_of(claim, found, starts)) for claim in claims if found)
    return tuple(
        _open_check(
            claim,
            f"the question is about {' '.join(rival.asked)!r}, but the source says this about "
            f"{' '.join(rival.rival)!r}",
        )
        for claim, rival in pairs
        if rival is not None
    )


def number_checks(question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of each claim that is of another version or number of its kind than the question names.

    What a claim quotes must be of that number by its place in its document (`assay.nlp.numbered`): 1.0 is not
    1.0-beta1, 1.0.3 or 11.0. A version must stand in the document at all. A year must be that of the headings,
    where they name one. The check is unknown rather than failed, as the document may tell it in other ways.
    """
    asked, years = asked_numbers(question.standalone), asked_years(question.standalone)
    found: list[Check] = []
    for claim in claims if asked or years else ():
        off = _off_numbers(asked, claim, evidence.passages)
        off += [" and ".join(sorted(years))] * (bool(years) and _is_off_year(years, claim, evidence.passages))
        if off:
            cause = f"the question is about {off[0]!r}, but the source says this about another one"
            found.append(_open_check(claim, cause))
    return tuple(found)


def _off_numbers(asked: Sequence[Numbered], claim: Claim, passages: Sequence[Passage]) -> list[str]:
    """The numbered things that a claim is of another one of; of several of one family it may be of any."""
    off = {one: _is_off_number(one, claim, passages) for one in asked}
    right = {one.family for one, is_off in off.items() if not is_off}
    return [_as_named(one) for one, is_off in off.items() if is_off and one.family not in right]


def _is_off_year(asked: frozenset[str], claim: Claim, passages: Sequence[Passage]) -> bool:
    told = [is_of_another_year(asked, passage, span) for passage, span in _quoted(claim, passages)]
    return bool(told) and all(told)


def _is_off_number(asked: Numbered, claim: Claim, passages: Sequence[Passage]) -> bool:
    told = [is_of_another(asked, passage, span, passages) for passage, span in _quoted(claim, passages)]
    if True in told or False in told:
        return False not in told
    documents = {one.document_id for one in passages if one.passage_id in claim.citations}
    held = (_whole(one) for one in passages if one.document_id in documents)
    is_held = holds_number(claim.text, asked) or any(holds_number(text, asked) for text in held)
    return asked.is_version and bool(asked.kind) and bool(documents) and not is_held


def _as_named(asked: Numbered) -> str:
    """The thing as a person names it: "Leaflet 1.0"; what is joined may be so by a hyphen.

    >>> [_as_named(one) for one in asked_numbers("Has FTS4 the same options as version 2.1?")]
    ['fts4', 'version 2.1']
    """
    return f"{asked.kind}{'' if asked.is_joined else ' '}{asked.written}".strip()


def heading_checks(question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of each claim that quotes what stands under another heading than the question names.

    Every part of the question must name a heading beside it (`assay.nlp.headings`). It is for the first claim of an
    answer: what follows may be its neighbours. In benchmarks/parts and benchmarks/rivals it takes the mark from 7
    of 23 answers that say another thing's fact and from none of 160 right ones.
    """
    parts = question.aspects or (question.standalone,)
    found: list[Check] = []
    for claim in claims:
        quoted = _quoted(claim, evidence.passages)
        pairs = [under_another_heading(part, quoted, evidence.passages) for part in parts]
        named = [pair for pair in pairs if pair is not None]
        if len(named) == len(parts):
            asked, own = named[0]
            cause = f"the question is about {asked!r}, but the source says this under the heading {own!r}"
            found.append(_open_check(claim, cause))
    return tuple(found)


def row_checks(
    question: Question, row: FoundRow | None, evidence: Evidence, claims: Sequence[Claim]
) -> tuple[Check, ...]:
    """A check of the first claim of an answer that does not quote the word by which the question asks for a row.

    "When is it open on Sunday?" is not answered by a sentence without Sunday, where a table tells of Sunday. Where
    no row has that word, it is missed in the table's own document only. `claims` are those of the answer's first
    sentence. Of 54 right answers with ✓ from sentences beside a table 1
    loses it so (benchmarks/cells/asked.jsonl).
    """
    if row is None or row.term is None or row.is_general or not claims:
        return ()
    quoted = [found for claim in claims for found in _quoted(claim, evidence.passages)]
    if any(_holds(passage, span, row) for passage, span in quoted):
        return ()
    said = [
        f"{passage.title} {passage.location.section} {passage.text[span.start : span.end]}"
        for passage, span in quoted
    ]
    if row.term in terms(" ".join(said)):
        return ()
    table = next(passage for passage in evidence.passages if passage.passage_id == row.passage_id)
    is_beside = any(passage.document_id == table.document_id for passage, _ in quoted)
    if not is_beside and row.term not in terms(table.text[row.line.start : row.line.end]):
        return ()
    cause = f"the quote does not mention {_as_asked(question, row.term)!r}, which the question asks a table about"
    return (_open_check(claims[0], cause),)


def column_checks(question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of an answer that quotes first a table's row of which several cells may be meant.

    Of "What compression ratio has lz4?" the columns "Ratio" and "Compression" have a word each, and "maximum flow"
    may have no column where "Maximum" and "Flow" have one. `claims` are those of the answer's first sentence. In
    the labelled tables (benchmarks/cells) it meets 2 of 274 questions that a cell answers and 3 of 22 others.
    """
    for claim in claims:
        for passage, span in _quoted(claim, evidence.passages):
            if alike := columns_alike(question.standalone, passage, span):
                named = " or ".join(map(repr, alike))
                return (_open_check(claim, f"the question may ask for the column {named}"),)
    return ()


def row_word_checks(question: Question, evidence: Evidence, claims: Sequence[Claim]) -> tuple[Check, ...]:
    """A check of an answer that quotes first a table's row without the rarest word of the question.

    It is for a rare word that the row's document has elsewhere in the evidence, but neither the row nor what stands
    over it. `claims` are those of the answer's first sentence. Of 294 rows that answer a question of the labelled
    tables (benchmarks/cells) it meets 3.
    """
    rarest = max(dict.fromkeys(terms(question.standalone)), key=rarity, default="")
    if not rarest or rarity(rarest) < _RARE:
        return ()
    for claim in claims:
        for passage, span in _quoted(claim, evidence.passages):
            row = row_at(question.standalone, passage, span)
            if not row or rarest in terms(f"{passage.title} {passage.location.section} {row}"):
                continue
            held = (one for one in evidence.passages if one.document_id == passage.document_id)
            if any(rarest in terms(one.text) for one in held):
                cause = f"the quoted row does not name {_as_asked(question, rarest)!r}, which its document mentions"
                return (_open_check(claim, cause),)
    return ()


def _as_asked(question: Question, term: str) -> str:
    """The word of the question with this term."""
    return next((word for word in written_words(question.standalone) if term in terms(word)), term)


def _holds(passage: Passage, span: Span, row: FoundRow) -> bool:
    """Tell whether a quote holds a part of the row."""
    return passage.passage_id == row.passage_id and span.start < row.line.end and row.line.start < span.end


def _quoted(claim: Claim, passages: Sequence[Passage]) -> list[tuple[Passage, Span]]:
    """The spans that a claim quotes, in the texts of its passages."""
    held = {passage.passage_id: passage for passage in passages}
    found = ((held.get(source.passage_id), source) for source in claim.spans)
    return [
        (passage, Span(source.start - passage.start, source.end - passage.start))
        for passage, source in found
        if passage is not None
    ]


def _open_check(claim: Claim, cause: str) -> Check:
    return Check("subject", Status.UNKNOWN, Severity.BLOCK, claim.n, cause, Span(claim.start, claim.end))


def _rival_of(claim: Claim, found: Mapping[str, Sequence[Rival]], starts: Mapping[str, int]) -> Rival | None:
    """The rival that most of what a claim quotes is of; None where that is not so."""
    held: Counter[Rival] = Counter()
    for span in claim.spans:
        for rival in found.get(span.passage_id, ()):
            first, last = (starts[span.passage_id] + one for one in (rival.span.start, rival.span.end))
            held[rival] += max(0, min(span.end, last) - max(span.start, first))
    if 2 * held.total() <= sum(span.end - span.start for span in claim.spans):
        return None
    ((most, _),) = held.most_common(1)
    return None if any(mentions(span.quote, most.key) for span in claim.spans) else most


def _question_names(question: str) -> tuple[tuple[str, ...], ...]:
    """The folded words of each name of the question, and its codes, identifiers and years, one word each.

    A first word that the dictionary has is no name.

    >>> _question_names("Which P-300 pumps did Ada Lovelace sell in Linz in 2023?")
    (('ada', 'lovelace'), ('linz',), ('p-300',), ('2023',))
    >>> _question_names("What is the type ffi_type_float?")
    (('ffi_type_float',),)
    """
    named = [
        tuple(word for word in map(plain_word, name.words) if word not in _NO_NAMES and len(word) > 1)
        for name in names(question)
        if not (name.opens and _is_common(name.words[0])) and not name.words[0].startswith(_CONTRACTED)
    ]
    measured = [(amount.start, amount.end) for amount in quantities(question)]
    coded = [
        (fold(match.group()),)
        for match in _WORD.finditer(question)
        if _IDENTIFIER.fullmatch(match.group())
        or (
            match.group() != match.group().lower()
            and any(letter.isdecimal() for letter in match.group())
            and not (match.group()[0].isdigit() and any(a < match.end() and match.start() < b for a, b in measured))
        )
    ]
    dated = [(match.group(),) for match in _YEAR.finditer(question)]
    return tuple(dict.fromkeys(name for name in (*named, *coded, *dated) if name))


def _is_name(name: Sequence[str], passages: Sequence[Passage]) -> bool:
    """Tell whether a question's name may be one: the passages lack it, or write a word of it with capitals only."""
    if _is_coded(name):
        return True
    held = [_written(word, passages) for word in name]
    return not any(held) or any(found and all(word[0].isupper() for word in found) for found in held)


def _written(word: str, passages: Sequence[Passage]) -> list[str]:
    """A folded word as the passages write it, once for each time."""
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
    return [match.group() for passage in passages for match in pattern.finditer(_whole(passage))]


def _is_coded(name: Sequence[str]) -> bool:
    """Tell whether a name is a word with a digit, "_" or two hyphens: a code or a year, written in one way only."""
    return len(name) == 1 and (any(one.isdigit() or one == "_" for one in name[0]) or name[0].count("-") > 1)


def _names_it(text: str, name: Sequence[str]) -> bool:
    """Tell whether a text has a name of the question: a code as it is written, of other names any part or form."""
    if not _is_coded(name):
        return mentions(text, name) or any(says_nation(word, text) for word in name)
    code = r"[-\s]?".join(re.escape(part).replace("_", r"\\?_") for part in name[0].split("-"))
    return re.search(rf"(?<![^\W_]){code}(?!\d|[^\W_])", fold(text)) is not None


def _is_on(
    name: Sequence[str],
    claim: Claim,
    cited: Sequence[Passage],
    naming: Sequence[Passage],
    passages: Sequence[Passage],
) -> bool:
    """Tell whether a claim is on what was asked about, or on what one of the passages `naming` it leads to."""
    documents = {passage.document_id for passage in cited}
    if any(passage.document_id in documents for passage in naming) or _names_it(claim.text, name):
        return True
    leads = set(_names_of(claim.text)).union(*(_names_of(passage.title, title=True) for passage in cited))
    return any(leads & set(_names_of(_whole(passage))) for passage in _led_to(naming, passages))


def _led_to(naming: Sequence[Passage], passages: Sequence[Passage]) -> list[Passage]:
    """The passages with a name that was asked, and those titled with a name that one of these has."""
    known = {word for passage in naming for word in _names_of(_whole(passage))}
    titled = [passage for passage in passages if known & set(_names_of(passage.title, title=True))]
    return [*naming, *(passage for passage in titled if passage not in naming)]


def _names_of(text: str, *, title: bool = False) -> Iterator[str]:
    """The words of the names of a text; a first word that the dictionary has is none, unless in a title."""
    for name in names(text):
        if title or not (name.opens and _is_common(name.words[0])):
            yield from (plain_word(word) for word in name.words if word not in STOP_WORDS)


def _is_common(word: str) -> bool:
    """Tell whether the dictionary has a word, so that a capital at the start of a sentence tells nothing."""
    return word in STOP_WORDS or lexicon().get(stem(plain_word(word))) is not None


def _whole(passage: Passage) -> str:
    """The passage with what names its document: its title, its headings and the end of its path."""
    path = " ".join(re.split(r"[\\/]", passage.source)[-_PATH_PARTS:])
    return f"{passage.title}\n{path}\n{passage.location.section or ''}\n{passage.text}"


# The relevance of a finished answer, by the reader.


@dataclass(frozen=True, slots=True)
class ReaderRelevance:
    """Reads the text of an answer as it reads a passage."""

    reader: Reader

    async def read(
        self, question: Question, sentences: Sequence[Sentence], text: str, sources: Sequence[Passage]
    ) -> AnswerReading | None:
        """The reading of the answer; None in a language that the reader does not read."""
        if question.language not in self.reader.model.languages:
            return None
        prose = without_markup(without_marks(text, citations(text)))
        titles = dict.fromkeys(titled(one).title for one in sources)
        text_read = [TitledText("; ".join(titles), prose)]
        # A claim that may be about the topic of an earlier turn has to answer the question on it, too.
        forms = dict.fromkeys((question.standalone, question.on_topic))
        readings = [await self.reader.read(form, text_read) for form in forms]
        held, rarest = coverage_of(question.on_topic, " ".join((*titles, prose)))
        apart = min((sentence.apart for sentence in sentences if sentence.apart is not None), default=None)
        row = min((sentence.row for sentence in sentences if sentence.row is not None), default=None)
        return AnswerReading(min(reading.answerable for (reading,) in readings), held, rarest, apart, row)


def coverage_of(question: str, text: str) -> tuple[float, float]:
    """The shares of the question's words, by rarity, and of its two rarest that a text holds; 1 without words.

    >>> coverage_of("When did the bridge open?", "The bridge opened in 1932.")
    (1.0, 1.0)
    """
    weights = {term: rarity(term) for term in terms(question)}
    held_terms = set(terms(text))
    rarest = sorted(weights, key=lambda term: (-weights[term], term))[:2]
    if not weights:
        return 1.0, 1.0
    total = math.fsum(weights.values())
    held = math.fsum(weight for term, weight in weights.items() if term in held_terms) / total
    return held, sum(term in held_terms for term in rarest) / len(rarest)
