"""Whether an answer speaks of what was asked about."""

from __future__ import annotations

import pytest

from assay.types import (
    Claim,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Quote,
    Severity,
    SourceSpan,
    Span,
    Status,
    Verdict,
)
from assay.verification.subject import (
    column_checks,
    heading_checks,
    namesake_checks,
    number_checks,
    rival_checks,
    row_word_checks,
    subject_checks,
)
from assay.verification.verifier import DeterministicVerifier


def checks(question: str, answer: str, *quotes: str):
    spans = tuple(SourceSpan("p", 0, len(each), each) for each in quotes)
    claims = (Claim(1, answer, 0, len(answer), ("p",), Verdict.SUPPORTED, 1.0, spans),)
    return namesake_checks(Question(question, question), answer, claims)


def test_a_namesake_is_told():
    (check,) = checks("Who built the Harbour Bridge?", "The Tay Bridge was built by Arrol.")
    assert check.status is Status.UNKNOWN
    assert "Tay Bridge" in (check.cause or "")


@pytest.mark.parametrize(
    ("question", "answer", "quotes"),
    [
        ("Who built the Harbour Bridge?", "Maria Keller built it.", ()),
        ("Who built the Harbour Bridge?", "The Harbour Bridge and the Tay Bridge were built by Arrol.", ()),
        ("Who built the Harbour Bridge?", "The Sydney Harbour Bridge was built by Arrol.", ()),
        (
            "Who built the Harbour Bridge?",
            "Like the Tay Bridge, it was built by Arrol.",
            ("Harbour Bridge: A.",),
        ),
        ("Who built the bridge?", "The Tay Bridge was built by Arrol.", ()),
        ("When did Obama win?", "Barack Obama won in 2008.", ()),
    ],
)
def test_what_is_about_the_subject_or_names_no_other_is_not_told_of(question, answer, quotes):
    assert checks(question, answer, *quotes) == ()


def passage(document: str, text: str, title: str = "", at: int = 0) -> Passage:
    return Passage(f"{document}{at}", document, "r", at, at + len(text), text, title)


FIELD = passage("builds", "Rules-Requires-Root: no or binary-targets, the default.", "rootless builds")
PRIORITY = passage("mime", "All of the contained rules match. The default priority value is 50.", "MIME types")
FLOAT = passage("ffi", "ffi\\_type\\_float: the C float type.", "Types")


@pytest.mark.parametrize(
    ("question", "cited", "cause"),
    [
        (
            "What is the default of Rules-Requires-Root?",
            PRIORITY,
            "its source does not mention 'Rules-Requires-Root'",
        ),
        ("What is the default of Rules-Requires-Root?", FIELD, None),
        ("What is the type ffi_type_float?", FLOAT, None),
        ("What is the type ffi_type_double?", FLOAT, "its source does not mention 'ffi_type_double'"),
    ],
)
def test_an_identifier_is_named_by_all_its_parts(question: str, cited: Passage, cause: str | None):
    evidence = Evidence((Hit(FIELD, 1.0), Hit(PRIORITY, 0.9), Hit(FLOAT, 0.8)))
    claim = Claim(1, cited.text, 0, len(cited.text), (cited.passage_id,), Verdict.SUPPORTED, 1.0)
    found = [check.cause for check in subject_checks(Question(question, question), evidence, (claim,))]
    assert [str(each).split(",")[0] for each in found] == ([cause] if cause else [])


DOSE = passage("drug", "The usual dose of Velorin is 5 mg twice daily.", "Velorin tablets")
LATER = passage("drug", "Patients over 80 years take half of it.", at=900)
PLAN = passage("router", "The basic plan does not include telephone support.", "Router manual")
SHORT = passage("who", "The World Health Organization (WHO) advised it.", "Advice")
NOTE = passage("note", "The world health organization advised against it.")
FILM = passage("film", "Jaws was directed by Steven Spielberg.")
LIFE = passage("life", "He was born in Cincinnati.", "Steven Spielberg")
TRADE = passage("trade", "The European fee is 40 euros.")
FEE = passage("fee", "In Europe it is 50 euros.")


def told(question: str, sentence: str, cited: Passage, *others: Passage):
    hits = tuple(Hit(each, 1.0) for each in (cited, *others))
    claim = Claim(1, sentence, 0, len(sentence), (cited.passage_id,), Verdict.SUPPORTED, 1.0)
    return subject_checks(Question("And its dose?", question), Evidence(hits), (claim,))


@pytest.mark.parametrize(
    "question", ["What is the usual dose of Velorin?", "Velorin's usual dose?", "What Is The Usual Dose Of Velorin"]
)
def test_a_sentence_on_something_else_is_told(question: str):
    (check,) = told(question, PLAN.text, PLAN, DOSE)
    assert (check.status, check.severity, check.claim) == (Status.UNKNOWN, Severity.BLOCK, 1)
    assert "velorin" in (check.cause or "").lower()


@pytest.mark.parametrize(
    ("question", "sentence", "cited", "other"),
    [
        ("What is the usual dose of Velorin?", "It is 5 mg twice daily.", DOSE, PLAN),  # what it cites names it
        (
            "What is the usual dose of Velorin?",
            "Half of it for patients over 80.",
            LATER,
            DOSE,
        ),  # its document does
        ("What is the usual dose of Velorin?", "Velorin has no plan.", PLAN, DOSE),  # it names it
        ("What does Acme include?", PLAN.text, PLAN, DOSE),  # no passage knows the name, and none is given
        ("What does plan 5 include?", PLAN.text, PLAN, DOSE),  # a mere number
        ("What does the basic plan include?", PLAN.text, PLAN, DOSE),  # nothing is named
        ("What is the Dose of it?", PLAN.text, PLAN, DOSE),  # the evidence writes the word small
        ("What did WHO advise?", NOTE.text, NOTE, SHORT),  # the long form
        ("Where was the director of Jaws born?", LIFE.text, LIFE, FILM),  # the title's name stands beside Jaws
        ("Where was the director of Jaws born?", "Spielberg was born in Ohio.", PLAN, FILM),
        ("What is the European fee?", FEE.text, FEE, TRADE),  # another form of the name
        ("Wie hoch ist die Dosis von Velorin?", PLAN.text, PLAN, DOSE),  # every noun has a capital
    ],
)
def test_a_sentence_that_may_be_on_the_subject_is_not(question, sentence, cited, other):
    assert told(question, sentence, cited, other) == ()


DEPOT = passage("depot", "The Graz depot is managed by Eva Moser since 2022.", "Depots")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who manages the depot in Linz?", "Linz"),  # another one is named
        ("Who managed the depot in 2021?", "2021"),
        ("Who manages the depot D-12?", "D-12"),
    ],
)
def test_a_name_that_no_passage_has_is_told(question: str, name: str):
    (check,) = told(question, DEPOT.text, DEPOT)
    assert (check.status, check.severity) == (Status.UNKNOWN, Severity.BLOCK)
    assert repr(name) in (check.cause or "")


@pytest.mark.parametrize("question", ["Who manages the depot in Graz?", "Who managed the depot in 2022?"])
def test_a_name_that_the_source_has_is_not(question: str):
    assert told(question, DEPOT.text, DEPOT) == ()


def test_a_path_may_name_what_a_document_is_of():
    held = Passage("x0", "x", "r", 0, 30, "The rent is paid to Eva Moser.", source="/data/offices/linz.md")
    assert told("Who is paid the rent of Linz?", held.text, held) == ()


def test_a_sentence_without_a_mark_is_left_to_other_checks():
    claim = Claim(1, PLAN.text, 0, len(PLAN.text), (), Verdict.SUPPORTED, 1.0)
    asked = "What is the usual dose of Velorin?"
    assert subject_checks(Question(asked, asked), Evidence((Hit(PLAN, 1.0), Hit(DOSE, 1.0))), (claim,)) == ()


async def test_a_review_tells_it_unless_it_is_switched_off():
    text, asked = f"{PLAN.text} [1]", "What is the usual dose of Velorin?"
    draft = Draft(text, (PLAN.passage_id, DOSE.passage_id), (Span(0, len(text)),))
    evidence = Evidence((Hit(PLAN, 1.0), Hit(DOSE, 1.0)))
    found = await DeterministicVerifier().review(Question(asked, asked), evidence, draft)
    assert [each.status for each in found.checks if each.name == "subject"] == [Status.UNKNOWN]
    without = DeterministicVerifier(skip=frozenset({"subject"}))
    found = await without.review(Question(asked, asked), evidence, draft)
    assert [each.status for each in found.checks if each.name == "subject"] == [Status.SKIPPED]


OFFICES = passage(
    "o", "The Oslo office was founded by Ann Lee.\n\nThe Rome office has twelve desks and a lift.", at=300
)


def rival(question: str, sentence: str, *quotes: str):
    found = [OFFICES.text.index(each) for each in quotes]
    spans = tuple(OFFICES.span_of(at, at + len(each)) for at, each in zip(found, quotes, strict=True))
    claim = Claim(1, sentence, 0, len(sentence), (OFFICES.passage_id,), Verdict.SUPPORTED, 1.0, spans)
    return rival_checks(Question(question, question), Evidence((Hit(OFFICES, 1.0),)), (claim,))


@pytest.mark.parametrize("quoted", ["Ann Lee", "The Oslo office was founded by Ann Lee."])
def test_what_the_source_says_of_a_rival_is_told(quoted: str):
    (check,) = rival("Who founded the Rome office?", "Ann Lee founded the Rome office.", quoted)
    assert (check.name, check.status, check.severity, check.claim) == ("subject", Status.UNKNOWN, Severity.BLOCK, 1)
    assert check.cause == "the question is about 'rome', but the source says this about 'oslo'"


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("Who founded the Oslo office?", ("Ann Lee",)),
        ("How many desks has the Rome office?", ("twelve desks",)),
        ("Who founded the Rome office?", (OFFICES.text,)),  # it holds what is said of Rome
        ("Who founded the Rome office?", ("Lee", "twelve desks and a lift")),  # most of it is of Rome
        ("Which office did Ann Lee found?", ("Ann Lee",)),
        ("Who founded the Rome office?", ()),  # nothing is quoted
    ],
)
def test_what_the_source_says_of_the_asked_one_is_not(question: str, quotes: tuple[str, ...]):
    assert rival(question, "Ann Lee did.", *quotes) == ()


async def test_a_review_of_an_answer_over_a_rival_is_unknown():
    asked = "Who founded the Rome office?"
    text = "Ann Lee founded it. [1]"
    draft = Draft(text, (OFFICES.passage_id,), (Span(0, len(text)),))
    found = await DeterministicVerifier().review(Question(asked, asked), Evidence((Hit(OFFICES, 1.0),)), draft)
    assert [each.status for each in found.checks if each.name == "subject"] == [Status.UNKNOWN]


LOANS = passage("l", "**Books:** three weeks, five renewals.\n\n**Old films:** one week.", at=200)


def under_heading(question: Question, *quotes: str, evidence: Passage = LOANS):
    found = [LOANS.text.index(quote) for quote in quotes]
    spans = tuple(LOANS.span_of(at, at + len(quote)) for at, quote in zip(found, quotes, strict=True))
    claim = Claim(1, "It is so.", 0, 9, (LOANS.passage_id,), Verdict.SUPPORTED, 1.0, spans)
    return heading_checks(question, Evidence((Hit(evidence, 1.0),)), (claim,))


FILMS = Question("How often can old films be renewed?", "How often can old films be renewed?")


@pytest.mark.parametrize("quotes", [("five renewals",), ("three weeks", "five renewals")])
def test_a_quote_from_under_another_heading_is_unknown(quotes: tuple[str, ...]):
    (check,) = under_heading(FILMS, *quotes)
    assert (check.name, check.status, check.severity, check.claim) == ("subject", Status.UNKNOWN, Severity.BLOCK, 1)
    assert check.cause == "the question is about 'Old films', but the source says this under the heading 'Books'"


def test_a_quote_from_under_the_named_heading_passes():
    assert under_heading(FILMS, "one week") == ()


def test_a_block_that_holds_the_named_heading_passes():
    assert under_heading(FILMS, LOANS.text) == ()


def test_a_claim_without_a_quote_passes():
    assert under_heading(FILMS) == ()


@pytest.mark.parametrize(("after", "statuses"), [(0, [Status.UNKNOWN]), (1, [])])
async def test_only_the_beginning_of_an_answer_is_held_to_the_named_heading(after: int, statuses: list[Status]):
    at, text = LOANS.text.index("five renewals"), "Read on: five renewals"
    spans = (Span(0, 9), Span(9, len(text)))
    quote = Quote("five renewals", LOANS.span_of(at, at + 13))
    quotes: tuple[tuple[Quote, ...], ...] = ((), (quote,))
    if not after:
        text, spans, quotes = "five renewals", (Span(0, 13),), ((quote,),)
    draft = Draft(text, (LOANS.passage_id,), spans, quotes)
    found = await DeterministicVerifier().review(FILMS, Evidence((Hit(LOANS, 1.0),)), draft, after=after)
    assert [check.status for check in found.checks if check.name == "subject"] == statuses


def test_a_quote_from_a_passage_that_is_no_evidence_passes():
    assert under_heading(FILMS, "five renewals", evidence=DOSE) == ()


def test_every_part_of_the_question_must_name_another_heading():
    parts = ("How often can old films be renewed?", "who lends the rest?")
    assert under_heading(Question("", "", aspects=parts), "five renewals") == ()


NEWS = passage(
    "news",
    "# 1.0-beta1 (2015)\n\nNew icons.\n\n# 1.0 (2016)\n\nNew panes.\n\n# 1.0.3 (2017)\n\nNo news.",
    "Leaflet",
)


def numbered(question: str, *quotes: str, sentence: str = "It is so."):
    found = [NEWS.text.index(quote) for quote in quotes]
    spans = tuple(NEWS.span_of(at, at + len(quote)) for at, quote in zip(found, quotes, strict=True))
    claim = Claim(1, sentence, 0, len(sentence), (NEWS.passage_id,), Verdict.SUPPORTED, 1.0, spans)
    return number_checks(Question(question, question), Evidence((Hit(NEWS, 1.0),)), (claim,))


@pytest.mark.parametrize("quote", ["1.0-beta1 (2015)", "New icons.", "1.0.3 (2017)"])
def test_a_quote_of_another_version_is_told(quote: str):
    (check,) = numbered("When was Leaflet 1.0 released?", quote)
    assert (check.name, check.status, check.severity, check.claim) == ("subject", Status.UNKNOWN, Severity.BLOCK, 1)
    assert check.cause == "the question is about 'leaflet 1.0', but the source says this about another one"


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("When was Leaflet 1.0 released?", ("1.0 (2016)",)),
        ("What is new in Leaflet 1.0?", ("New panes.",)),
        ("Are icons new in Leaflet 1.0 or in Leaflet 1.0-beta1?", ("New icons.",)),  # one of those that are asked
        ("What is new in Leaflet 1.0?", ("New panes.", "New icons.")),  # one of them is
        ("What is new in Leaflet?", ("New icons.",)),
        ("What is new in Leaflet 1.0?", ()),  # the document has it
    ],
)
def test_a_quote_of_the_version_is_not(question: str, quotes: tuple[str, ...]):
    assert numbered(question, *quotes) == ()


def test_a_version_that_the_document_lacks_is_told():
    (check,) = numbered("What is new in Leaflet 2.0?")
    assert "leaflet 2.0" in (check.cause or "")
    assert numbered("What is new in Leaflet 2.0?", sentence="Leaflet 2.0 has panes.") == ()


@pytest.mark.parametrize(("year", "told"), [(2016, False), (2017, True)])
def test_a_quote_of_another_year_is_told(year: int, told: bool):
    assert bool(numbered(f"What was new in {year}?", "New panes.")) is told


async def test_a_review_of_a_quote_of_another_version_is_unknown():
    at, text = NEWS.text.index("New icons."), "New icons."
    draft = Draft(text, (NEWS.passage_id,), (Span(0, 10),), ((Quote(text, NEWS.span_of(at, at + 10)),),))
    asked = Question("What is new in Leaflet 1.0?", "What is new in Leaflet 1.0?")
    found = await DeterministicVerifier().review(asked, Evidence((Hit(NEWS, 1.0),)), draft)
    assert [check.status for check in found.checks if check.name == "subject"] == [Status.UNKNOWN]


CODECS = passage(
    "codecs",
    "| Codec | Ratio | Compression |\n|---|---|---|\n| lz4 | 2.101 | 740 MB/s |\n| zlib | 2.743 | 95 MB/s |",
)


def column(question: str, quote: str):
    at = CODECS.text.index(quote)
    spans = (CODECS.span_of(at, at + len(quote)),)
    claim = Claim(1, quote, 0, len(quote), (CODECS.passage_id,), Verdict.SUPPORTED, 1.0, spans)
    return column_checks(Question(question, question), Evidence((Hit(CODECS, 1.0),)), (claim,))


@pytest.mark.parametrize("quote", ["740 MB/s", "| lz4 | 2.101 | 740 MB/s |"])
def test_a_row_of_which_two_cells_may_be_meant_is_told(quote: str):
    (check,) = column("What compression ratio does lz4 have?", quote)
    assert (check.name, check.status, check.severity) == ("subject", Status.UNKNOWN, Severity.BLOCK)
    assert check.cause == "the question may ask for the column 'Ratio' or 'Compression'"


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("What ratio does lz4 have?", "2.101"),
        ("How fast is lz4?", "740 MB/s"),  # names no column
        ("What compression ratio does lz4 have?", CODECS.text),  # shows the table
    ],
)
def test_a_row_of_which_one_cell_is_meant_is_not(question: str, quote: str):
    assert column(question, quote) == ()


async def test_a_review_tells_of_the_two_columns():
    row = "| lz4 | 2.101 | 740 MB/s |"
    at = CODECS.text.index(row)
    draft = Draft(row, (CODECS.passage_id,), (Span(0, len(row)),), ((Quote(row, CODECS.span_of(at, at + 26)),),))
    asked = Question("What compression ratio does lz4 have?", "What compression ratio does lz4 have?")
    found = await DeterministicVerifier().review(asked, Evidence((Hit(CODECS, 1.0),)), draft)
    assert [check.status for check in found.checks if check.name == "subject"] == [Status.UNKNOWN]


SNIPPETS = passage(
    "fts", "| Argument | Meaning |\n|---|---|\n| 4 | the column |\n| 5 | the maximum, 64 |\n\nThe automerge is 15."
)


@pytest.mark.parametrize(
    ("question", "quote", "told"),
    [
        ("What is the maximum automerge?", "| 5 | the maximum, 64 |", True),
        ("What is the maximum automerge?", "The automerge is 15.", False),  # no row
        ("What is the maximum crisismerge?", "| 5 | the maximum, 64 |", False),  # the document has it nowhere
        ("What is the maximum of the argument?", "| 5 | the maximum, 64 |", False),  # over the row
    ],
)
def test_a_row_without_the_rarest_word_is_told(question: str, quote: str, told: bool):
    at = SNIPPETS.text.index(quote)
    spans = (SNIPPETS.span_of(at, at + len(quote)),)
    claim = Claim(1, quote, 0, len(quote), (SNIPPETS.passage_id,), Verdict.SUPPORTED, 1.0, spans)
    found = row_word_checks(Question(question, question), Evidence((Hit(SNIPPETS, 1.0),)), (claim,))
    assert [check.cause for check in found] == [
        "the quoted row does not name 'automerge', which its document mentions"
    ] * told
