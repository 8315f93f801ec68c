"""Contradictions are sound: where one is reported, no answer keeps all of the rules."""

from __future__ import annotations

import asyncio

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.rules.conflicts import conflicts
from assay.rules.layout import word_count
from assay.rules.loader import parse_rules
from assay.rules.output_rules import OutputRules
from assay.types import Evidence, Question, Status

few = st.integers(0, 6)


def bounds(low: int, more: int | None) -> str:
    return f"min = {low}" + (f", max = {low + more}" if more is not None else "")


bound = st.builds(bounds, st.integers(1, 12), st.none() | few)
number = st.builds(bounds, st.integers(1, 4), st.none() | st.integers(0, 2))
rule = st.one_of(
    st.tuples(st.just("length"), bound),
    st.tuples(st.just("length"), st.builds("unit = 'sentences', {}".format, bound)),
    st.tuples(
        st.just("length"), st.builds("unit = 'characters', {}".format, st.sampled_from(["max = 9", "max = 40"]))
    ),
    st.tuples(st.just("paragraphs"), number),
    st.tuples(st.just("paragraphs"), st.builds("max_words = {}".format, st.integers(1, 8))),
    st.tuples(st.just("bullets"), number | st.just("max = 0")),
    st.tuples(st.just("bullets"), st.builds("over_words = {}, {}".format, st.integers(1, 9), number)),
    st.tuples(st.just("required_section"), st.builds("title = 'Ask next', questions = true, {}".format, number)),
    st.tuples(st.just("required_section"), st.builds("title = 'Read on', at = 'anywhere', {}".format, number)),
    st.tuples(
        st.just("call_to_action"), st.sampled_from(["phrases = ['call us']", "phrases = ['tea', 'call us']"])
    ),
    st.tuples(
        st.just("forbidden_words"), st.sampled_from(["words = ['call']", "words = ['tea']", "words = ['next']"])
    ),
    st.tuples(st.just("citations"), st.sampled_from(["min = 1", "min = 2", "min = 0, max = 1"])),
)


def prose(sizes: list[list[int]], cites: str) -> list[str]:
    """Paragraphs of sentences of so many words."""
    return [" ".join(f"{' '.join(['Tea'] * size)}.{cites}" for size in paragraph) for paragraph in sizes]


@st.composite
def answers(draw: st.DrawFn) -> str:
    cites = draw(st.sampled_from(["", " [1]", " [1] [2]"]))
    parts = prose(draw(st.lists(st.lists(st.integers(1, 4), min_size=1, max_size=3), max_size=4)), cites)
    if draw(st.booleans()):
        parts.append("\n".join(["- so"] * draw(st.integers(1, 4))))
    if draw(st.booleans()):
        parts.append("Call us.")
    if draw(st.booleans()):
        parts.append("## Read on\n" + "\n".join(["- it"] * draw(few)))
    if draw(st.booleans()):
        parts.append("## Ask next\n" + "\n".join(["- Who is it?"] * draw(few)))
    return "\n\n".join(parts)


@given(st.lists(rule, min_size=1, max_size=5), answers())
@example(
    [("length", bounds(1, 2)), ("required_section", "title = 'Read on', at = 'anywhere', min = 1")],
    "## Read on\n- it",
)
@example(
    [
        ("bullets", "min = 1"),
        ("required_section", "title = 'Read on', at = 'anywhere', min = 1"),
        ("paragraphs", "max = 2"),
    ],
    "Tea.\n\n## Read on\n- it",
)
@settings(max_examples=400, deadline=None)
def test_no_answer_keeps_rules_that_contradict(drawn, answer):
    tables = (
        f'[[rule]]\nid = "r{n}"\nkind = "{kind}"\nparams = {{ {params} }}' for n, (kind, params) in enumerate(drawn)
    )
    rules = parse_rules("\n".join(tables), allow_conflicts=True)
    found = [each for each in conflicts(rules) if word_count(answer) > each.over_words]
    if "Tea Tea Tea" not in answer:  # nothing is stated, so nothing needs a source
        found = [each for each in found if "citations" not in each.reason]
    if answer.startswith("## "):  # sections alone are no answer, which says something besides them
        sections = {f"r{n}" for n, (kind, _) in enumerate(drawn) if kind == "required_section"}
        found = [each for each in found if not sections & set(each.rules)]
    checks, _findings = asyncio.run(OutputRules(rules).examine(Question("?", "?"), Evidence(), answer))
    failed = {check.name.removeprefix("rule:") for check in checks if check.status is Status.FAILED}
    for conflict in found:
        assert failed & set(conflict.rules), (str(conflict), answer)
