"""Whatever stands in a rule file, it is read or refused with a line that is in it."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import RuleFileError
from assay.rules.kinds import KINDS
from assay.rules.loader import parse_rules

VALUES = """1|-1|"a"|""|true|[]|["a"]|[1]|{}|{ en = "x" }|1.5|1e400|nan|'(a'|2020-01-01|["quote"]|"warn"|{ max = 1 }
|{ question_kind = "yes-no" }|{ topic = [""] }|'''
'''"""
KEYS = """id kind params when severity exempt message instruct odd when.topic params.max params.words params.pattern
    params.tell params.title params.terms params.is params.phrases"""

line = st.one_of(
    st.just("[[rule]]"),
    st.builds("{} = {}".format, st.sampled_from(KEYS.split()), st.sampled_from(VALUES.split("|"))),
    st.sampled_from([f'kind = "{kind}"' for kind in KINDS]),
    st.just('id = "a"'),
    st.text(max_size=8),
)
files = st.lists(line, max_size=8).map("\n".join) | st.text(max_size=60)


def problems(text: str) -> tuple[str, ...]:
    """What is wrong with a rule file; nothing where it is read."""
    try:
        parse_rules(text, "r.toml")
    except RuleFileError as error:
        return error.problems or ("no problem named",)
    return ()


@given(files)
@settings(max_examples=400, deadline=None)
def test_a_file_is_read_or_refused_with_its_lines(text):
    for problem in problems(text):
        found = re.match(r"r\.toml:(\d+): \S", problem)
        assert found, problem
        assert 1 <= int(found[1]) <= text.count("\n") + 1
