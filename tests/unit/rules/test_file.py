"""Reading rule files: every mistake is told with its line, and nothing unknown is let through."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import RuleFileError, UsageError
from assay.rules.conflicts import conflicts
from assay.rules.kinds import KINDS
from assay.rules.loader import PACKAGED, load_rules, parse_rules
from assay.types import QuestionKind, Severity

GOOD = '[[rule]]\nid = "short"\nkind = "length"\nparams = { max = 80 }\n'
QUESTION_KINDS = "'factual', 'interpretive', 'comparative', 'follow-up', 'how-to' or 'yes-no'"


def of(kind: str, params: str) -> str:
    return f'[[rule]]\nid = "a"\nkind = "{kind}"\nparams = {{ {params} }}\n'


def problems(text: str) -> tuple[str, ...]:
    with pytest.raises(RuleFileError) as caught:
        parse_rules(text, "r.toml")
    assert caught.value.hint
    return caught.value.problems


def test_what_a_rule_says_is_read():
    text = """# ours
[[rule]]
id = "brief"
kind = "length"
severity = "block"
exempt = ["quote"]
message = "Say less."
[rule.params]
max = 30
[rule.when]
question_kind = ["yes-no"]
topic = "price"
language = "en"
"""
    (rule,) = parse_rules(text).rules
    assert (rule.id, rule.kind, rule.severity, rule.line) == ("brief", "length", Severity.BLOCK, 2)
    assert rule.exempt == {"quote"}
    assert rule.when.question_kinds == {QuestionKind.YES_NO}
    assert rule.when.topics == ("price",)
    assert rule.advice("en") == "Say less."
    assert rule.instruction("en") == 'Where the answer speaks of "price": write at most 30 words.'


def test_an_empty_file_has_no_rules():
    assert parse_rules("# nothing\n").rules == ()


def test_the_hash_is_of_the_text():
    assert parse_rules(GOOD).sha256 == parse_rules(GOOD, "other").sha256 != parse_rules(GOOD + "\n").sha256


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[rule]]\nid = \n", "2: not valid TOML: Invalid value"),
        (GOOD + '[[rule]]\nid = "b"\nid = "c"\n', "7: not valid TOML: Cannot overwrite a value"),
        ('[[rule]]\nid = "unclosed', "2: not valid TOML: Unterminated string"),
        ("version = 2\n" + GOOD, "1: unknown key 'version'; rules are [[rule]]"),
        ("[rule]\nid = 1\n", "1: write [[rule]] with two brackets: it is a list"),
        ("rule = [1]\n", "1: a rule is a table of keys"),
        (GOOD + '\nsevrity = "warn"\n', "6: unknown key 'sevrity'"),
        (GOOD.replace("max = 80", "max = 80, mni = 2"), "4: unknown key 'params.mni' of kind length"),
        (
            '[[rule]]\nid = "a"\nkind = "length"\n[rule.params]\nmax = 8\nmni = 3',
            "6: unknown key 'params.mni' of kind length",
        ),
        (GOOD + "when = { tpoic = 1 }\n", "5: unknown key 'when.tpoic'"),
        (
            GOOD + 'when = { question_kind = "yesno" }\n',
            f"5: when.question_kind: input should be {QUESTION_KINDS}, not 'yesno'",
        ),
        (
            GOOD.replace('"length"', '"lenght"'),
            f"3: unknown kind 'lenght'; the kinds are: {', '.join(sorted(KINDS))}",
        ),
        (GOOD.replace('kind = "length"\n', ""), "1: the key 'kind' is missing"),
        (GOOD.replace("80", '"80"'), "4: params.max: input should be a valid integer"),
        (GOOD.replace("80", "-1"), "4: params.max: input should be greater than or equal to 0"),
        (GOOD.replace("max = 80", ""), "4: params: give min, max or both"),
        (GOOD.replace("max = 80", "min = 90, max = 80"), "4: params: min 90 is above max 80"),
        (GOOD + 'severity = "fatal"\n', "5: severity: input should be 'block', 'repair' or 'warn', not 'fatal'"),
        (GOOD + 'exempt = ["quotes"]\n', "5: exempt: input should be 'quote', 'code' or 'title', not 'quotes'"),
        (GOOD + GOOD, "5: the id 'short' is that of the rule on line 1"),
        (GOOD.replace('"short"', '"An id"'), "2: id: string should match pattern '^[a-z0-9][a-z0-9_-]{0,59}$'"),
        (
            of("forbidden_words", "words = []"),
            "4: params.words: it is empty, name at least one",
        ),
        (
            of("deprecated_terms", "terms = {}"),
            "4: params.terms: it is empty, name at least one",
        ),
        (
            of("call_to_action", f"phrases = {['a'] * 101}"),
            "4: params.phrases: it has more than 100 entries",
        ),
        (
            of("forbidden_words", 'words = ["a"], use = { b = "c" }'),
            '4: params: use names "b", which is not among the words',
        ),
        (of("pattern", 'pattern = "(a", tell = "x"'), "4: params.pattern: not an RE2 expression: missing ): (a"),
        (
            of("pattern", "pattern = '(a)\\1', tell = 'x'"),
            "4: params.pattern: not an RE2 expression: invalid escape sequence: \\1",
        ),
        (
            of("pattern", "pattern = 'a*', tell = 'x'"),
            "4: params.pattern: the expression matches the empty text, so it says nothing",
        ),
        (
            of("python", "entry_point = 'os:system', tell = 'x'"),
            "4: params.entry_point: no installed package offers 'os:system' in the group 'assay.rules'",
        ),
        (
            of("required_section", 'title = "T", answerable = true'),
            "4: params: answerable is about questions: set questions = true",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, wanted: str):
    assert problems(text) == (f"r.toml:{wanted}",)


def test_all_mistakes_are_told_at_once():
    text = (
        GOOD + "sevrity = 1\n[[rule]]\nkind = 3\n[[rule]]\nid = 'x'\nkind = 'length'\nparams = { max = 1, a = 2 }\n"
    )
    assert problems(text) == (
        "r.toml:5: unknown key 'sevrity'",
        "r.toml:6: the key 'id' is missing",
        "r.toml:7: kind: input should be a valid string",
        "r.toml:11: unknown key 'params.a' of kind length",
    )


def test_a_key_inside_a_text_or_a_comment_is_not_the_key():
    text = GOOD + "# sevrity = 1\nmessage = '''\nsevrity = 2\n[[rule]]\n'''\nsevrity = 3\n"
    assert problems(text) == ("r.toml:10: unknown key 'sevrity'",)


def test_contradicting_rules_are_refused_with_their_ids_and_lines():
    text = GOOD + '[[rule]]\nid = "long"\nkind = "length"\nparams = { min = 90 }\n'
    said = "the rules 'short' (line 1) and 'long' (line 5) contradict one another: at least 90 words, at most 80"
    assert problems(text) == (f"r.toml:5: {said}",)
    assert len(parse_rules(text, allow_conflicts=True).rules) == 2


def test_a_file_is_read_and_one_that_is_none_is_refused(tmp_path: Path):
    file = tmp_path / "r.toml"
    file.write_text(GOOD, encoding="utf-8")
    assert load_rules(file).name == str(file)
    for place, content in (
        (tmp_path / "none.toml", None),
        (tmp_path, None),
        (tmp_path / "latin.toml", b"\xff\xfe\xfa"),
    ):
        if content is not None:
            place.write_bytes(content)
        with pytest.raises(UsageError) as caught:
            load_rules(place)
        assert str(place) in str(caught.value)


def test_a_file_that_is_too_long_is_refused(tmp_path: Path):
    file = tmp_path / "r.toml"
    file.write_text("#" * 1_000_001, encoding="utf-8")
    with pytest.raises(RuleFileError, match="at most 1000000 bytes"):
        load_rules(file)
    assert problems("[[rule]]\n" * 501)[0] == "r.toml:1: a rule file has at most 500 rules, this one has 501"
    assert problems("a = " + "[" * 5000)[0].startswith("r.toml:1: ")


def test_the_rules_that_come_along_are_read():
    for name in PACKAGED:
        assert load_rules(name, allow_conflicts=True).rules


def test_the_marketing_rules_are_refused_for_what_contradicts():
    with pytest.raises(RuleFileError) as caught:
        load_rules("marketing")
    assert caught.value.problems
    found = conflicts(load_rules("marketing", allow_conflicts=True))
    assert [set(each.rules) for each in found] == [{"follow-up-questions", "bullets", "few-paragraphs"}]
