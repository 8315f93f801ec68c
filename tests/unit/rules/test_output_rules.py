"""The rules at work: skipped, unknown, found, mended; and the sets that come along."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from assay.core.rendering import apply_edits
from assay.errors import ProviderUnreachable
from assay.rules.loader import load_rules, parse_rules
from assay.rules.output_rules import OutputRules
from assay.types import Evidence, Question, QuestionKind, Severity, Status

from .conftest import Examine, broken, evidence_of, rules_of

ASKED = Question("What is it?", "What is it?")
SECTION = 'title = "Ask next", questions = true, min = 1, answerable = true'


def mended(rules: OutputRules, text: str) -> str:
    checks = asyncio.run(rules.examine(ASKED, Evidence(), text))[0]
    return apply_edits(text, rules.edits(ASKED, text, checks))


def test_a_rule_that_is_switched_off_is_skipped_and_not_told():
    rules = OutputRules(
        parse_rules(load("length", "max = 1") + load("language", 'is = "de"', "b")), skip=frozenset("a")
    )
    assert rules.instructions(ASKED) == ("Answer in German.",)
    first, second = asyncio.run(rules.examine(ASKED, Evidence(), "One two."))[0]
    assert (first.name, first.status, first.cause) == ("rule:a", Status.SKIPPED, "switched off")
    assert second.status is Status.PASSED


def load(kind: str, params: str, name: str = "a") -> str:
    return f'[[rule]]\nid = "{name}"\nkind = "{kind}"\nparams = {{ {params} }}\n'


async def test_findings_carry_severity_and_advice():
    rules = rules_of("length", "max = 1")
    _checks, (finding,) = await rules.examine(ASKED, Evidence(), "One two.")
    assert (finding.check, finding.severity) == ("rule:it", Severity.REPAIR)
    assert finding.message == "the answer has 2 words, the most is 1"
    assert finding.advice == "Write at most 1 word."
    assert (await rules.examine(ASKED, Evidence(), "One."))[1] == ()


def test_questions_are_put_to_the_collection():
    heard: list[str] = []

    async def answers(question: str) -> bool:
        heard.append(question)
        return "tea" in question

    rules = rules_of("required_section", SECTION, answerable=answers)
    text = "It is hot.\n\n## Ask next\n- What is tea? [1]\n- What is snow?\n"
    checks = asyncio.run(rules.examine(ASKED, Evidence(), text))[0]
    assert heard == ["What is tea?", "What is snow?"]
    assert broken(checks, text) == ["What is snow?"]
    assert apply_edits(text, rules.edits(ASKED, text, checks)) == "It is hot.\n\n## Ask next\n- What is tea? [1]\n"


def test_a_section_without_a_question_that_is_answered_goes():
    async def never(question: str) -> bool:
        return False

    rules = rules_of("required_section", SECTION, answerable=never)
    assert mended(rules, "It is hot.\n\n## Ask next\n- What is snow?\n") == "It is hot.\n"
    assert mended(rules, "It is hot.\n\n## Ask next\n") == "It is hot.\n"
    assert mended(rules, "It is hot.") == "It is hot."


def test_questions_that_cannot_be_tried_are_unknown(examine: Examine):
    async def down(question: str) -> bool:
        raise ProviderUnreachable("no connection", hint="try again")

    text = "It is.\n\n## Ask next\n- What is snow?"
    for port in (None, down):
        (check,) = examine(rules_of("required_section", SECTION, answerable=port), text)
        assert check.status is Status.UNKNOWN
        assert check.cause


def test_wording_is_mended_with_its_capitals():
    rules = rules_of("forbidden_words", 'words = ["delve", "realm"], use = { delve = "look" }')
    assert mended(rules, 'Delve into a realm. We DELVE, "delve".') == 'Look into a realm. We LOOK, "delve".'
    rules = rules_of("deprecated_terms", 'terms = { "Cloud  Drive" = "Drive" }')
    assert mended(rules, "Use cloud drive. [1]") == "Use Drive. [1]"


def test_a_long_paragraph_is_split_behind_a_sentence_and_its_mark():
    rules = rules_of("paragraphs", "max_words = 6")
    assert (
        mended(rules, "One two three. [1] Four five six. [2] Seven.")
        == "One two three. [1] Four five six. [2]\n\nSeven."
    )
    assert mended(rules, "One two three four five six seven.") == "One two three four five six seven."
    short = "First.\n\nOne two three. [1] Four five six seven."
    assert mended(rules, short) == "First.\n\nOne two three. [1]\n\nFour five six seven."


def test_a_number_is_never_edited():
    rules = rules_of("deprecated_terms", 'terms = { "Version 2" = "the new one", "Old" = "Model 3" }')
    assert mended(rules, "Use Version 2 and Old.") == "Use Version 2 and Old."


def test_a_rule_that_only_warns_changes_nothing():
    rules = OutputRules(parse_rules(load("forbidden_words", 'words = ["a b"], use = { "a b" = "c" }')))
    assert mended(rules, "a b") == "a b"


ORDINARY = (
    "Paris",
    "42",
    "Yes.",
    "Yes. The bridge was opened in 1932. [1]",
    "東京です。",
    "Water boils at 100 degrees Celsius at sea level. [1] It freezes at 0 degrees. [2]",
    "The plan has three parts:\n\n- rent [1]\n- heating [1]\n- repairs, at $40 a month [2]",
    "| plan | price |\n|---|---|\n| basic | $5 |",
    "Run `assay ask`.\n\n```\nassay ask\n```",
    "I don't have information on that.",
)


@pytest.mark.parametrize("text", ORDINARY)
@pytest.mark.parametrize("kind", QuestionKind)
def test_the_neutral_rules_disturb_no_ordinary_answer(examine: Examine, text: str, kind: QuestionKind):
    language = "ja" if text.startswith("東") else "en"
    rules = OutputRules(load_rules("neutral"))
    checks = examine(rules, text, Question("?", "?", kind=kind, language=language))
    assert {each.status for each in checks} == {Status.PASSED}


def test_the_neutral_rules_tell_nothing_block_nothing_and_ask_for_no_section():
    rules = load_rules("neutral")
    assert OutputRules(rules).instructions(ASKED) == ()
    assert all(rule.advice("en") for rule in rules.rules)
    assert all(rule.severity is not Severity.BLOCK for rule in rules.rules)
    assert not {rule.kind for rule in rules.rules} & {"required_section", "call_to_action", "bullets", "citations"}


INVITATION = "Please book a consultation to learn which plan fits your team."
FILLING = " It is good for it, and it is well made for all of us here."
GOOD_ANSWER = f"""The basic plan costs $40 a month and holds 5 seats. [1]

{INVITATION} [1]

## You might also want to know
- What does the basic plan cost?
- How many seats does it hold?
- Who can book a consultation?
"""


@pytest.mark.parametrize(
    ("before", "after", "rule"),
    [
        (GOOD_ANSWER, "Yes.", "not-empty"),
        ("## You might also want to know", "## More", "follow-up-questions"),
        ("of", "of", ""),
        ("holds 5 seats", "holds 5 seats" + " and more" * 200, "concise"),
        ("The basic plan", "Our Digital Transformation plan", "current-services"),
        ("$40", "$500", "prices-from-sources"),
        ("5 seats. [1]", "5 seats.", "each-claim-cites"),
        ("learn which", "delve into which", "brand-voice"),
        (INVITATION, "Lenses and a schedule of fees come with it.", "invitation"),
        ("5 seats.", "5 seats." + FILLING * 7, "bullets"),
        ("5 seats.", "5 seats." + FILLING * 9, "short-paragraphs"),
        ("Please", "It is so.\n\nPlease", "few-paragraphs"),
    ],
)  # fmt: skip
def test_each_marketing_rule_fails_for_what_it_is_about(before: str, after: str, rule: str):
    async def answers(question: str) -> bool:
        return True

    rules = OutputRules(load_rules("marketing", allow_conflicts=True), answers)
    asked = Question("How does it help?", "How does it help?", kind=QuestionKind.INTERPRETIVE)
    text = GOOD_ANSWER.replace(before, after, 1)
    checks = asyncio.run(rules.examine(asked, evidence_of("It costs $40 a month."), text))[0]
    failed = {each.name for each in checks if each.status is Status.FAILED} - {"rule:few-paragraphs"}
    if rule == "few-paragraphs":
        assert any(each.name == "rule:few-paragraphs" and each.status is Status.FAILED for each in checks)
    else:
        assert (f"rule:{rule}" in failed) == bool(rule), checks
    assert bool(rule) or not failed


PLUGIN = """
def no_shouting(text, question, evidence, options):
    return ["it shouts"] if text.count("!") > options["most"] else []
def breaks(text, question, evidence, options):
    raise RuntimeError("oh")
def says_nonsense(text, question, evidence, options):
    return [1]
"""


def test_a_check_in_python_comes_from_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examine: Examine
):
    (tmp_path / "house_rules.py").write_text(PLUGIN)
    package = tmp_path / "house_rules-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: house-rules\nVersion: 1\n")
    names = ("no_shouting", "breaks", "says_nonsense")
    lines = "".join(f"{name} = house_rules:{name}\n" for name in names)
    (package / "entry_points.txt").write_text(f"[assay.rules]\n{lines}")
    monkeypatch.syspath_prepend(str(tmp_path))

    def status(name: str, text: str) -> list[str | None]:
        params = f'entry_point = "{name}", options = {{ most = 1 }}, tell = "Do not shout."'
        return [each.cause or each.status for each in examine(rules_of("python", params), text)]

    assert status("no_shouting", "Fine!") == ["passed"]
    assert status("no_shouting", "No!!") == ["it shouts"]
    assert status("breaks", "x") == ["breaks raised RuntimeError: oh"]
    assert status("says_nonsense", "x") == ["says_nonsense gave something else than the causes as text"]
