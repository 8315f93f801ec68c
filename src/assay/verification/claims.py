"""An answer's claims: its sentences, cut where one states two things, with the sources each cites."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from assay.nlp.citations import HEDGE_MARK, without_marks
from assay.nlp.cues import is_courtesy, without_connective
from assay.nlp.language import language_of
from assay.nlp.markup import untagged
from assay.nlp.sentences import sentences
from assay.nlp.tokens import terms
from assay.types import Citation, Span

# Questions in an answer, and the titles that stand over them: a question states nothing to test.


_ENDS = re.compile(r"[?？][!?！？]*\Z")
# What a question may stand in as a whole; behind a reporting verb it is part of a statement.
_WRAPS = (
    ("**", "**"),
    ("__", "__"),
    ("*", "*"),
    ("_", "_"),
    ('"', '"'),
    ("“", "”"),
    ("„", "“"),
    ("«", "»"),
    ("(", ")"),
)
_OPENING = r"""(?:
        Who|Whose|What|When|Where|Which|Why|How|Is|Are|Was|Were|Do|Does|Did|Can|Could|Should|Will|Would|Has|Have|May
      | Wer|Wem|Wen|Wann|Wo|Welche[mnrs]?|Warum|Wieso|Wie|Ist|Sind|Kann|Können|Gibt|Hat|Haben
      | Qui|Que|Quel(?:le)?s?|Quand|Où|Pourquoi|Comment|Combien|Qué|Quién|Cuál|Cuándo|Dónde|Cómo|Cuánt[oa]s?
    )\b"""
_OPENS = re.compile(rf"[\W\d]*(?:Q\d+\W+)?{_OPENING}", re.VERBOSE)
# A line that begins a question, and one that begins a sentence, behind one without a full stop.
_BEGINS = re.compile(rf"\n[ \t]*(?={_OPENING})", re.VERBOSE)
_CAPITAL_LINE = re.compile(r"\n[ \t]*(?=[^\W\d_a-zß-öø-ÿ])")
# Every word of a title is told here, so that none can carry a statement in.
_ASKING = r"(?:you|users?|readers?)\s(?:could|might|may|can)\s(?:also\s)?(?:ask|have|wonder|want\sto\s(?:ask|know))"
_TITLE = re.compile(
    rf"""\W*(?:
        (?:(?:some|other|more|your|our|common|open|next|related|suggested|recommended|possible|potential|further
            |additional|frequently\sasked|follow-?\s?up|and)\s)*
        (?:follow-?\s?up\s)?questions?(?:\s(?:{_ASKING}|to\s(?:ask|consider|explore)))?(?:\snext)?
      | follow-?\s?ups?
      | (?:(?:questions|things|what)\s)?{_ASKING}(?:\s(?:about|next))?
      | people\salso\sask
      | (?:(?:weitere|weiterführende|mögliche|verwandte|ähnliche|häufige|offene)\s)?
        (?:rück|nach|folge|anschluss)?fragen
      | questions\s(?:complémentaires|suivantes|connexes|fréquentes|de\ssuivi)
      | preguntas\s(?:relacionadas|frecuentes|adicionales|de\sseguimiento)
    )\W*""",
    re.VERBOSE | re.IGNORECASE,
)


def asks(sentence: str) -> bool:
    """Whether a sentence is a question, be it in quotation marks or brackets as a whole, or set off.

    >>> [asks(each) for each in ("How long is it?", "**How long is it?**", 'He asked “How long is it?”')]
    [True, True, False]
    """
    bare = sentence.strip()
    wrapped = next((each for each in _WRAPS if bare.startswith(each[0]) and bare.endswith(each[1])), None)
    if wrapped is not None and len(bare) > len(wrapped[0] + wrapped[1]):
        inner = bare[len(wrapped[0]) : -len(wrapped[1])]
        return not any(mark in inner for mark in wrapped) and asks(inner)  # else two: "It is", he said, "or no?"
    return _ENDS.search(bare) is not None


def heads_questions(sentence: str) -> bool:
    """Whether a sentence is nothing but the title of questions that follow.

    >>> heads_questions("**Follow-up questions**"), heads_questions("Questions about the fee of 90 euros")
    (True, False)
    """
    return _TITLE.fullmatch(sentence.strip()) is not None


def apart_from_questions(text: str, span: Span) -> Iterator[Span]:
    """A sentence that ends as a question, cut before each line that begins one; any other as it is.

    A line without a full stop is read as one sentence with the next: what it states must not pass for asked. Where
    the first opens as no question, each line with a capital may be the one that does.
    """
    sentence = text[span.start : span.end]
    lines = _BEGINS if _OPENS.match(sentence) else _CAPITAL_LINE
    cuts = [each.start() for each in lines.finditer(sentence)] if asks(sentence) else []
    for start, end in pairwise((0, *cuts, len(sentence))):
        part = sentence[start:end]
        begins = span.start + start + len(part) - len(part.lstrip())
        yield Span(begins, begins + len(part.strip()))


# Where one sentence goes on to a second statement; both sides keep at least four words.
_JOINT = re.compile(r";\s+|,\s+(?=(?:but|whereas|while|although)\s)", re.IGNORECASE)
_LEAST_WORDS = 4
_WORD = re.compile(r"\S+")
_STOPS = frozenset(".!?。！？")
# Characters of one sentence. What is longer is a list or a file without full stops, and no rule was made for it.
LONGEST_CLAIM = 20_000
ENDLESS = f"the sentence is longer than {LONGEST_CLAIM:,} characters: nothing this long is tested as one claim"
# A table's first row heads its columns; a cell of more words may well be a statement.
_MOST_HEADING_WORDS = 4
_ABSTAINS = re.compile(
    r"""\b(?:i|we)\s(?:do\snot|don['’]t|did\snot|didn['’]t|cannot|can['’]t|could\snot|couldn['’]t|am\snot\sable|was\snot\sable)
        \s(?:have|find|know|see|answer|determine|tell|provide|say)\b
      | \b(?:there\sis|there['’]s)\s(?:no|not\senough|insufficient)\s(?:information|evidence|mention|data)\b
        (?!\sthat\b)
      | \b(?:the\s|these\s|my\s)?(?:provided\s|given\s|available\s|retrieved\s)?
        (?:sources?|documents?|passages?|context|evidence|texts?)\s
        (?:do(?:es)?\snot|don['’]t|doesn['’]t|did\snot|didn['’]t|cannot)\s
        (?:say|mention|state|contain|provide|specify|give|answer|include|tell|cover|address)\b
      | \b(?:not\senough|insufficient|no\srelevant)\s(?:information|evidence)\b
      | \b(?:is|are)\snot\s(?:mentioned|stated|specified|given|covered|available)\sin\sthe\b
      | 没有(?:相关|足够)?(?:信息|资料)|無法回答|无法回答|情報がありません
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BEFORE_STOP = re.compile(r"\s([.,;:!?])(?=\s|\Z)")
_YES_OR_NO = frozenset("yes no ja nein oui non sí 是 不是".split())
# A mark is a word of its sentence behind these, and before a verb where a clause begins: "[2] states that …". After
# the comma of a longer lead-in it belongs to that: "According to the handbook, [1] employees get 20 days."
_BEFORE_A_SOURCE = re.compile(r"\b(?:according to|as per|per|see|in|from|by|of|to|with|as)\s*\Z", re.IGNORECASE)
_CLAUSE_BEGINS = re.compile(r"(?:\A\W*(?:\w+,\s*)?|\b(?:that|but|while|whereas)\s+)\Z", re.IGNORECASE)
_VERB = re.compile(
    r"\s*(?!(?:is|was|has|its|this|his|us|as|thus|plus|perhaps|sometimes|always|besides)\b)[a-z]{2,}s\b"
)
_THE_SOURCE, _THE_SOURCES = "the source", "the sources"
_ONE_MORE = re.compile(rf"\b{_THE_SOURCE}s?(?:,| and| or)+\s*\Z", re.IGNORECASE)
_HEADING = re.compile(r"\s*#{1,6}\s")
_LIST_MARK = re.compile(r"(?:[-*•+]|\d{1,3}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Stated:
    """One claim as stated; `start, end` are offsets in the answer, `numbers` the sources it cites.

    `plain` is the answer from `start` to `end` with marks as spaces, `text` the same without them and without the
    connective that opens it.
    """

    text: str
    start: int
    end: int
    numbers: tuple[int, ...]
    plain: str

    @property
    def is_endless(self) -> bool:
        """Whether it is too long to be tested as one claim."""
        return self.end - self.start > LONGEST_CLAIM


def stated(text: str, marks: Sequence[Citation], written: Sequence[Span] = ()) -> list[Stated]:
    """An answer's claims in order.

    Abstentions, courtesies, questions and their titles, headings (a table's too) and lead-ins claim nothing. A mark
    belongs to the sentence that it stands in or behind; HTML is cut at its blocks. `written` are the places of the
    sentences as their writer told them: a mark then belongs to all of what was written as one.

    >>> from assay.nlp.citations import citations
    >>> text = "It is 5 km long. [1] I don't have information on its depth."
    >>> [(claim.text, claim.numbers) for claim in stated(text, citations(text))]
    [('It is 5 km long.', (1,))]
    """
    html = untagged(without_marks(text, marks).replace(HEDGE_MARK, " "))
    blanked = html.text
    pieces = html.parts(written or _between_marks(text, blanked, marks))
    spans = [
        _without_list_mark(blanked, span)
        for piece in pieces
        for sentence in _sentences_in(blanked, piece)
        for span in apart_from_questions(blanked, sentence)
    ]
    owned = _owners(blanked, spans, marks, written)
    found: list[Stated] = []
    for at, span in enumerate(spans):
        if claims_nothing(blanked[span.start : span.end]) or (not owned[at] and _heads_a_table(blanked, span)):
            continue
        numbers = tuple(dict.fromkeys(number for mark in owned[at] for number in mark.numbers))
        for part in _parts(blanked, span):
            found.append(_claim(text, blanked, part, numbers, owned[at]))
    return found


def whole(text: str, marks: Sequence[Citation]) -> list[Stated]:
    """The text as one claim, citing what its marks say; none where it holds no word."""
    blanked = without_marks(text, marks)
    numbers = tuple(dict.fromkeys(number for mark in marks for number in mark.numbers))
    return [_claim(text, blanked, Span(0, len(text)), numbers, marks)] if terms(blanked, stop_words=True) else []


def says_only_yes_or_no(sentence: str) -> bool:
    """Whether a sentence is a bare yes or no, whose ground is what can be tested.

    >>> says_only_yes_or_no("Yes."), says_only_yes_or_no("Yes, it rained.")
    (True, False)
    """
    return sentence.strip().rstrip(".!,。").casefold() in _YES_OR_NO


def _between_marks(text: str, blanked: str, marks: Sequence[Citation]) -> list[Span]:
    """The text cut behind each mark that follows a finished sentence: `It is. [1] and so on` are two."""
    cuts, at, last = [], 0, ""
    for mark in marks:
        last = blanked[at : mark.start].rstrip()[-1:] or last
        at = mark.end
        if last in _STOPS:
            cuts.append(mark.end)
    edges = [0, *(cut for cut in cuts if not text.startswith("[", cut)), len(text)]
    return [Span(start, end) for start, end in pairwise(edges)]


def _sentences_in(text: str, piece: Span) -> list[Span]:
    return [
        Span(piece.start + span.start, piece.start + span.end)
        for span in sentences(text[piece.start : piece.end], lowered=True)
    ]


def claims_nothing(sentence: str) -> bool:
    """Whether a sentence states nothing that a source could bear out.

    >>> [claims_nothing(s) for s in ("The sources do not say when.", "Which one?", "It rained.", "In short:")]
    [True, True, False, True]
    """
    bare = sentence.strip()
    if (
        not terms(bare, stop_words=True)
        or says_only_yes_or_no(bare)
        or bare.endswith((":", "："))
        or asks(bare)
        or heads_questions(bare)
        or _HEADING.match(bare)
    ):
        return True
    return abstains(bare) or is_courtesy(bare)


def _heads_a_table(text: str, span: Span) -> bool:
    """Whether a sentence is a table's first row, and holds nothing but a few words in each cell."""
    row = text[span.start : span.end].strip()
    line = max(0, text.rfind("\n", 0, span.start))
    before = text[text.rfind("\n", 0, line) + 1 : line]
    return (
        row.startswith("|")
        and row.endswith("|")
        and not any(each.isdigit() for each in row)
        and all(len(cell.split()) <= _MOST_HEADING_WORDS for cell in row.split("|"))
        and not before.lstrip().startswith("|")
    )


def abstains(sentence: str) -> bool:
    """Whether a sentence says that there is no answer; that is honest, not a claim.

    >>> abstains("I don't have information about the price."), abstains("There is no evidence that it rained.")
    (True, False)
    """
    return _ABSTAINS.search(sentence) is not None


def _without_list_mark(text: str, span: Span) -> Span:
    match = _LIST_MARK.match(text, span.start, span.end)
    return Span(match.end(), span.end) if match and match.end() < span.end else span


def _owners(
    text: str, spans: Sequence[Span], marks: Sequence[Citation], written: Sequence[Span]
) -> list[list[Citation]]:
    """Each sentence's marks: those in it or behind it, of all that was written as one, or the one it speaks of."""
    pieces = written or spans
    owned: list[list[Citation]] = [[] for _ in pieces]
    at = 0
    for mark in marks:
        while at + 1 < len(pieces) and (
            pieces[at + 1].start <= mark.start or _is_subject(text, mark, pieces[at + 1].start)
        ):
            at += 1
        if pieces:
            owned[at].append(mark)
    if not written:
        return owned
    starts = [piece.start for piece in written]
    return [owned[bisect_right(starts, span.start) - 1] for span in spans]


def _is_subject(text: str, mark: Citation, start: int) -> bool:
    """Whether a mark stands right before what it does: "[2] states that …"."""
    return mark.end <= start and not text[mark.end : start].strip() and _VERB.match(text, start) is not None


def _parts(text: str, span: Span) -> list[Span]:
    """The sentence cut at its joints, where both sides are long enough to be statements."""
    cuts, start = [], span.start
    for joint in _JOINT.finditer(text, span.start, span.end):
        if _says_enough(text, start, joint.start()) and _says_enough(text, joint.end(), span.end):
            cuts.append(Span(start, joint.start()))
            start = joint.end()
    return [*cuts, Span(start, span.end)]


def _says_enough(text: str, start: int, end: int) -> bool:
    """Whether a stretch has words enough for a statement; no more of them is looked at."""
    return sum(1 for _ in islice(_WORD.finditer(text, start, end), _LEAST_WORDS)) == _LEAST_WORDS


def _claim(text: str, blanked: str, part: Span, numbers: tuple[int, ...], marks: Sequence[Citation]) -> Stated:
    """The claim of a stretch: the answer's own words, those around the marks where some stand inside."""
    plain = blanked[part.start : part.end]
    worded = _with_sources_named(blanked, part, marks)
    own = plain if worded == text[part.start : part.end] else _BEFORE_STOP.sub(r"\1", " ".join(worded.split()))
    return Stated(without_connective(own), part.start, part.end, numbers, plain)


def _with_sources_named(blanked: str, part: Span, marks: Sequence[Citation]) -> str:
    """The stretch with "the source" for each mark without which its sentence would lack a word.

    A mark right before the stretch may be its subject.
    """
    words, at = "", part.start
    for mark in marks:
        if mark.end > part.end or blanked[mark.end : part.start].strip():
            continue
        words += blanked[at : max(at, mark.start)]
        at = max(at, mark.end)
        named = _THE_SOURCE if len(mark.numbers) == 1 else _THE_SOURCES
        if _ONE_MORE.search(words):
            words = _ONE_MORE.sub(_THE_SOURCES, words)
        elif _BEFORE_A_SOURCE.search(words):
            words += named
        elif _CLAUSE_BEGINS.search(words) and _VERB.match(blanked, at):
            words += named if words.strip() else f"{named.capitalize()} "
        else:
            words += " " * (at - max(part.start, mark.start))
    return words + blanked[at : part.end]


# Sentences that stop where they were about to say something: small models leave the place of the answer empty.


_LINKING = r"(?:is|are|was|were)"
# In small letters: names of works end on anything.
_LEFT_OPEN = re.compile(r"(?<![\w.'’-])(?:the|and)[ \t]*\.?\s*\Z")
_LINKS_TO_NOTHING = re.compile(rf"(?<![\w.'’-]){_LINKING}[ \t]*\.?\s*\Z")
# A mark stood where the answer should: "The answer is: [1]."
_LEADS_TO_NOTHING = re.compile(r"[:;,]\s*[.。]\s*\Z")
# "That is how it is", "she asked who the winner was", "it cost more than the other was".
_SAID_BEFORE = re.compile(
    rf"\b(?:what|who|whom|whose|where|when|how|why|which|whatever|whoever|wherever|than)\b"
    rf"|\b(?:I|it|he|she|they|we|you|there|this|that|these|those|one|so|nor|neither)[ \t]+{_LINKING}[ \t]*\.?\s*\Z",
    re.IGNORECASE,
)
# "Ann was never there, but Bo was", "he is as tall as she is".
_REPEATS = re.compile(
    r"\b(?:is|are|was|were|isn['’]t|aren['’]t|wasn['’]t|weren['’]t)\b.*"
    r"\b(?:as|so|but|while|whereas|though|although|and|unlike|only)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[:;]\s")


def breaks_off(sentence: str) -> bool:
    """Whether a sentence ends where something must follow; of words only English ones are known.

    >>> [breaks_off(each) for each in ("The answer is.", "It is located in the", "She asked who he was.")]
    [True, True, False]
    >>> [breaks_off(each) for each in ("Ann was not there, but Bo was.", "Das ist, was es war.")]
    [False, False]
    """
    if _LEADS_TO_NOTHING.search(sentence):
        return True
    if language_of(sentence) != "en":
        return False
    if _LEFT_OPEN.search(sentence):
        return True
    clause = _CLAUSE.split(sentence)[-1]
    return bool(_LINKS_TO_NOTHING.search(clause)) and not (_SAID_BEFORE.search(clause) or _REPEATS.search(clause))
