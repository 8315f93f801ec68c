"""Words that join a sentence to what stands before it, and state nothing themselves."""

from __future__ import annotations

import re

# English adverbs that open a sentence and say how it goes on from the last one.
CONNECTIVES = frozenset(
    """however therefore thus hence moreover furthermore additionally also consequently nevertheless nonetheless
    instead likewise similarly besides otherwise""".split()
)
# A contrast, a condition or a likeness ("instead", "otherwise", "similarly") is part of what is said.
_MEANT = frozenset("instead likewise similarly besides otherwise".split())
_OPENING = re.compile(
    rf"""(?: (?:{"|".join(sorted(CONNECTIVES - _MEANT))}|overall|lastly|finally)
         | in\ (?:addition|short|summary|conclusion|brief|other\ words|fact)
         | to\ (?:summari[sz]e|sum\ up|conclude)
         | as\ a\ (?:result|consequence) | for\ this\ reason | of\ course
         | (?:first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|fifth(?:ly)?)
           (?=,\s+(?:it|they|he|she|we|you|this|these|that|those|there|the|its|their|his|her|our|your)\b)
        ),\s+(?=\S)""",
    re.IGNORECASE | re.VERBOSE,
)


def without_connective(sentence: str) -> str:
    """The sentence without the connective that opens it; the first of several steps keeps its ordinal.

    >>> without_connective("First, it rains."), without_connective("First, open the box.")
    ('It rains.', 'First, open the box.')
    >>> without_connective("In summary, “rain” fell.")
    '“rain” fell.'
    """
    match = _OPENING.match(sentence)
    if match is None:
        return sentence
    rest = sentence[match.end() :]
    return rest[0].upper() + rest[1:]
