"""Values of a claim, put as its sources put them."""

import pytest

from assay.nlp.sources import SourceIndex
from assay.types import Passage
from assay.verification.claims import align, as_one_claim

SOURCE = "The Harbour Bridge was opened to traffic on 3 May 1932 with 4 lanes."


@pytest.mark.parametrize(
    ("claim", "read"),
    [
        ("The bridge opened to traffic on 1932-05-03.", "The bridge opened to traffic on 3 May 1932."),
        ("The bridge opened to traffic in May 1932.", "The bridge opened to traffic in May 1932."),
        ("The bridge opened with four lanes.", "The bridge opened with 4 lanes."),
        ("The bridge opened with 5 lanes.", "The bridge opened with 5 lanes."),
    ],
)
def test_values_that_agree_are_read_as_the_source_writes_them(claim: str, read: str) -> None:
    sources = SourceIndex([Passage("a", "a", "", 0, len(SOURCE), SOURCE)])
    assert align(1, next(iter(as_one_claim(claim, ()))), sources).written == read
