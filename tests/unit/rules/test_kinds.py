"""Each kind of rule: what keeps it, what breaks it and where."""

from __future__ import annotations

import pytest

from assay.types import Question, QuestionKind, Status

from .conftest import Examine, broken, rules_of

LONG = "The first part says this and that of it. " * 6


@pytest.mark.parametrize(
    ("params", "kept", "not_kept"),
    [
        ("max = 3", "Only three words. [1]", "Here are four words."),
        ("min = 2", "Two words.", "One."),
        ('unit = "sentences", max = 2', "One. Two. [1] [2]", "One. Two. Three."),
        ('unit = "sentences", min = 2', "# Title\nOne.\nTwo. Dr. Wu left.", "# Title\nDr. Wu left."),
        ('unit = "characters", max = 5', "Paris", "Vienna"),
        ("max = 3", "東京です。", "東京都は日本の首都です。"),
        ("max = 4", "Run this:\n```\none two three four five six\n```\n", "Run one two three four."),
        ("max = 2", "In short:\n| a | b |\n| c | d |", "In short: a b"),
    ],
)
def test_length(examine: Examine, params: str, kept: str, not_kept: str):
    rules = rules_of("length", params)
    assert [each.status for each in examine(rules, kept)] == [Status.PASSED]
    (check,) = examine(rules, not_kept)
    assert check.status is Status.FAILED
    assert check.name == "rule:it"


@pytest.mark.parametrize(
    ("params", "text", "wanted"),
    [
        ("max = 2", "One.\n\nTwo.", []),
        ("max = 2", "One.\n\nTwo.\n- a\n- b", ["the answer has 3 paragraphs, the most is 2"]),
        ("max = 1", "# Title\n\nOne.", []),
        ("min = 2", "One. Two.", ["the answer has 1 paragraph, the least is 2"]),
        ("max_words = 4", "One two three four.\n\nFive six seven. Eight nine.", ["Five six seven. Eight nine."]),
        ("max_words = 4", "- one two three four five\n- six", []),
        ("max_words = 4", "```\na b c d e f g\n```", []),
    ],
)
def test_paragraphs(examine: Examine, params: str, text: str, wanted: list[str]):
    assert broken(examine(rules_of("paragraphs", params), text), text) == wanted


@pytest.mark.parametrize(
    ("params", "text", "wanted"),
    [
        ("over_words = 20, min = 2", "Short.", []),
        ("over_words = 20, min = 2", LONG, ["the answer has 0 points in lists, the least is 2"]),
        ("over_words = 20, min = 2", f"{LONG}\n- one\n- two", []),
        ("over_words = 20, min = 2", f"{LONG}\n1. one\n2. two", []),
        ("over_words = 20, min = 1", f"{LONG}\n- Which one?", ["the answer has 0 points in lists, the least is 1"]),
        ("min = 1", "- one\n- two", ["one"]),
        ("max = 1", "So:\n- one\n- two", ["two"]),
        ("max = 0", "So:\n\nNo list - just a dash.", []),
    ],
)
def test_bullets(examine: Examine, params: str, text: str, wanted: list[str]):
    assert broken(examine(rules_of("bullets", params), text), text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Let us delve into it.", ["delve"]),
        ("DELVE!", ["DELVE"]),
        ("The delver, undelved.", []),
        ('He wrote "delve" there.', []),
        ("He wrote “to delve” and «delve» and 「delve」.", []),
        ("> we delve\n\nSo he says.", []),
        ("Call `delve()`.\n\n```\ndelve\n```", []),
        ("# How to delve\n\nRead on.", []),
        ("It is in *The Delve Papers*.", []),
        ("The\nrealm  of tea.", ["realm  of"]),
        ("The realm.\n\nOf tea.", []),
        ("これは境界です。", ["境界"]),
        ("A realm-of kind.", ["realm-of"]),
    ],
)
def test_forbidden_words(examine: Examine, text: str, wanted: list[str]):
    rules = rules_of("forbidden_words", 'words = ["delve", "realm of", "境界"]')
    assert broken(examine(rules, text), text) == wanted


def test_the_name_of_a_source_may_be_spoken(examine: Examine):
    rules = rules_of("forbidden_words", 'words = ["source"]')
    assert broken(examine(rules, "A source says so.", None, "text"), "A source says so.") == []
    assert broken(examine(rules, "One source says so.", None, "text"), "One source says so.") == ["source"]


def test_what_is_exempt_can_be_chosen(examine: Examine):
    rules = rules_of("forbidden_words", 'words = ["delve"]', 'exempt = ["code"]')
    text = '# Delve\n\nHe said "delve" and `delve`.'
    assert broken(examine(rules, text), text) == ["Delve", "delve"]


def test_case_counts_where_it_is_asked_for(examine: Examine):
    rules = rules_of("forbidden_words", 'words = ["IT"], case = true')
    assert broken(examine(rules, "It is IT."), "It is IT.") == ["IT"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Our digital transformation service helps.", ["digital transformation"]),
        ("We no longer offer digital transformation.", []),
        ("We do not offer digital transformation. Ask about Digital Transformation!", ["Digital Transformation"]),
        ("Old Cloud, formerly Cloud Drive, is here.", []),
        ("Use Cloud Drive.", ["Cloud Drive"]),
        ('The 2019 page says "digital transformation".', []),
        ("デジタル変革を提供します。", ["デジタル変革"]),
        ("デジタル変革は廃止されました。", []),
        ("The basic plan does not include Cloud Drive.", ["Cloud Drive"]),
        ("There is no Cloud Drive in it, nor without it.", ["Cloud Drive"]),
        ("It is not called Cloud Drive.", []),
        ("It isn't Cloud Drive any more.", []),
        ("It is no longer Cloud Drive.", []),
        ("It is not called Cloud Drive, and Cloud Drive is not free.", ["Cloud Drive"]),
    ],
)
def test_deprecated_terms(examine: Examine, text: str, wanted: list[str]):
    terms = '"digital transformation" = "", "Cloud Drive" = "Drive", "デジタル変革" = ""'
    assert broken(examine(rules_of("deprecated_terms", f"terms = {{ {terms} }}"), text), text) == wanted


SECTION = 'title = "You might also want to know", questions = true, min = 2, max = 3'


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It is.\n\n## You might also want to know\n- Who?\n- When?", []),
        ("It is.\n\nYou might also want to know:\n\n1. Who?\n2. When?", []),
        ("It is.\n\n**You might also want to know:**\n* Who?\n* When?\n", []),
        ("It is.", ['the section "You might also want to know" is missing']),
        ("You might also want to know that it is.", ['the section "You might also want to know" is missing']),
        ("It is.\n\n## You might also want to know\n- Who?", ["## You might also want to know"]),
        ("It is.\n\n## You might also want to know\n- Who?\n- Ask us.", ["Ask us."]),
        ("It is.\n\n## You might also want to know\n- A?\n- B?\n- C?\n- D?", ["D?"]),
        ("## You might also want to know\n- A?\n- B?\n\nIt is.", ["## You might also want to know"]),
    ],
)
def test_required_section(examine: Examine, text: str, wanted: list[str]):
    assert broken(examine(rules_of("required_section", SECTION), text), text) == wanted


def test_a_section_is_asked_for_in_the_languages_that_have_a_title(examine: Examine):
    rules = rules_of("required_section", 'title = { de = "Weitere Fragen" }')
    german, french = Question("Was?", "Was?", language="de"), Question("Quoi ?", "Quoi ?", language="fr")
    assert broken(examine(rules, "Ja.", german), "Ja.") == ['the section "Weitere Fragen" is missing']
    assert [each.status for each in examine(rules, "Oui.", french)] == [Status.PASSED]
    assert rules.instructions(french) == ()
    assert rules.instructions(german) == ('End with the heading "Weitere Fragen" and below it its text.',)


@pytest.mark.parametrize(
    ("text", "invites"),
    [
        ("It costs $20. Contact us to learn more.", True),
        ("It costs $20. Please schedule a call.", True),
        ("It costs $20. You can contact Anna at any time.", True),
        ("It costs $20; reach out to our team.", True),
        ("We offer a free consultation.", True),
        ("It costs $20. You get a contact lens.", False),
        ("The contact lens costs $20.", False),
        ("Our schedule of fees is below.", False),
        ("You see the schedule of fees.", False),
        ("Contacts and rescheduled calls cost you $20.", False),
        ('Your page says "contact us".', False),
        ("The consultation took place in May.", False),
    ],
)
def test_call_to_action(examine: Examine, text: str, invites: bool):
    rules = rules_of("call_to_action", 'phrases = ["consultation", "contact", "reach out", "schedule"]')
    (check,) = examine(rules, text)
    assert (check.status is Status.PASSED) == invites


@pytest.mark.parametrize(
    ("asked", "text", "applies"),
    [
        ("What does it cost?", "Nothing.", True),
        ("What is it?", "The fees are low.", True),
        ("What is it?", "It is coffee from Costa Rica.", False),
        ("What is it?", "It was accosted.", False),
    ],
)
def test_a_topic_is_spoken_of_in_words(examine: Examine, asked: str, text: str, applies: bool):
    rules = rules_of("call_to_action", 'phrases = ["call us"]', 'when = { topic = ["cost", "fees"] }')
    assert bool(examine(rules, text, Question(asked, asked))) == applies


@pytest.mark.parametrize(
    ("which", "text", "wanted"),
    [
        ("prices", "It costs $500.", ["$500"]),
        ("prices", "It costs 400 dollars a month.", []),
        ("prices", "It has 7 parts and 99 % trust.", []),
        ("prices", "| plan | $500 |", ["$500"]),
        ("all", "It has 7 parts.", ["7"]),
        ("all", "It has two parts, the 3rd is new.", []),
        ("all", "Do this:\n1. Open it. [1]\n2. Close it. [2]", []),
        ("all", "It is 1,200 m long.", []),
    ],
)
def test_numbers_in_evidence(examine: Examine, which: str, text: str, wanted: list[str]):
    rules = rules_of("numbers_in_evidence", f'which = "{which}"')
    assert broken(examine(rules, text, None, "It costs $400 a month.", "It is 1.2 km long."), text) == wanted


def test_numbers_without_evidence_are_unknown(examine: Examine):
    (check,) = examine(rules_of("numbers_in_evidence", ""), "It costs $5.")
    assert check.status is Status.UNKNOWN
    assert check.cause == "there is no evidence to find the numbers in"


GERMAN = "Der Turm ist nicht hoch, und er steht seit dem Krieg an der Straße."


@pytest.mark.parametrize(
    ("wanted", "language", "text", "status"),
    [
        ("question", "en", "The tower is high and it stands in the old town.", Status.PASSED),
        ("question", "en", GERMAN, Status.FAILED),
        ("question", "de", GERMAN, Status.PASSED),
        ("de", "en", "The tower is high and it stands in the old town.", Status.FAILED),
        ("question", "de", "Paris", Status.PASSED),
        ("question", "de", "42", Status.PASSED),
        ("question", "ja", "東京です。", Status.PASSED),
        ("question", "en", "東京は日本の首都です。", Status.FAILED),
        ("de", "de", "Kirchturmuhr Marktplatz Rathaus Bahnhof Fluss Insel Brücke Hafen", Status.PASSED),
        ("de", "de", "Kirchturmuhr Marktplatz Rathaus Bahnhof " * 5, Status.UNKNOWN),
        ("question", "en", "Robin van Persie has missed United's last six games.", Status.PASSED),
        ("question", "en", "But he worships his wife Diane von Furstenberg.", Status.PASSED),
        ("sv", "sv", "Det här är ett hus som jag bor i nu. " * 3, Status.UNKNOWN),
    ],
)
def test_language(examine: Examine, wanted: str, language: str, text: str, status: Status):
    (check,) = examine(rules_of("language", f'is = "{wanted}"'), text, Question("?", "?", language=language))
    assert check.status is status, check


@pytest.mark.parametrize(
    ("params", "text", "wanted"),
    [
        ("min = 1", "It rained all day. [1] It froze at night [2].", []),
        ("min = 1", "It rained all day. It froze at night [2].", ["It rained all day."]),
        (
            "min = 1",
            "# A heading of four\n\nYes.\n\nWhy is it so?\n\nThree things are:\n- It rained all day [1]",
            [],
        ),
        ("min = 2", "It rained all day [1, 2]. It froze at night [1][1].", ["It froze at night [1][1]."]),
        ("min = 0, max = 1", "It rained all day [1-3].", ["It rained all day [1-3]."]),
        ("min = 1", "雨が降りました。", ["雨が降りました。"]),
    ],
)
def test_citations(examine: Examine, params: str, text: str, wanted: list[str]):
    assert broken(examine(rules_of("citations", params), text), text) == wanted


def test_a_forbidden_pattern_fails_at_each_match(examine: Examine):
    rules = rules_of("pattern", r"""pattern = '\bas an ai\b', tell = "Do not speak of yourself." """)
    text = "As an AI I can not. Yet, as an AI, I do."
    assert broken(examine(rules, text), text) == ["As an AI", "as an AI"]
    assert rules.instructions(Question("?", "?")) == ("Do not speak of yourself.",)


def test_a_required_pattern_fails_where_it_matches_nowhere(examine: Examine):
    rules = rules_of("pattern", r"""pattern = 'v\d+', mode = "required", tell = "Name the version." """)
    assert [each.status for each in examine(rules, "In v3.")] == [Status.PASSED]
    assert broken(examine(rules, "In it."), "In it.") == [r"nothing in the answer matches 'v\\d+'"]


def test_an_expression_that_would_run_for_ever_elsewhere_ends_at_once(examine: Examine):
    rules = rules_of("pattern", r"""pattern = '^(\w+\s?)*\$$', tell = "x" """)
    assert [each.status for each in examine(rules, "a" * 200_000 + "!")] == [Status.PASSED]


def test_a_rule_applies_to_its_kinds_and_languages(examine: Examine):
    when = 'when = { question_kind = "yes-no", language = ["en", "de"] }'
    rules = rules_of("length", "max = 1", when)
    asked = Question("Is it?", "Is it?", kind=QuestionKind.YES_NO)
    assert len(examine(rules, "It is so.", asked)) == 1
    assert examine(rules, "It is so.", Question("Is it?", "Is it?")) == ()
    assert examine(rules, "It is so.", Question("?", "?", kind=QuestionKind.YES_NO, language="fr")) == ()


def test_many_places_are_told_in_few_checks(examine: Examine):
    checks = examine(rules_of("forbidden_words", 'words = ["so"]'), "so " * 50)
    assert len(checks) == 21
    assert checks[-1].cause == "showing 20 of 50 violations"


TABLE = "Room | Subnet | Access point\n" + "Lobby | 10.4.1.0/24 | Aruba 515 der die das\n" * 9
ROWS = "Name: Bob; Department: Finance; Start: le la les des\n" * 9


@pytest.mark.parametrize("text", [TABLE, ROWS])
def test_rows_of_a_table_show_no_language(examine: Examine, text: str):
    (check,) = examine(rules_of("language", 'is = "en"'), text, Question("?", "?", language="en"))
    assert check.status is Status.PASSED
