"""A test suite per protocol, for those who write an implementation: subclass it and override one fixture.

Needs pytest and pytest-asyncio. The suites are what the bundled implementations are tested by.
"""

import pytest

_SUITES = ("given", "ports", "index", "intake", "searching", "answering", "records")
pytest.register_assert_rewrite(*(f"{__name__}.{name}" for name in _SUITES))

from assay.testing.contracts.answering import (  # noqa: E402 - asserts are rewritten in what is imported from here on
    AbstainerContract,
    AdviserContract,
    AssessorContract,
    ConcluderContract,
    ConfidenceEstimatorContract,
    RelevanceContract,
    RepairerContract,
    RulesContract,
    SettlerContract,
    StyleEditorContract,
    TextVerifierContract,
    VerifierContract,
    WeigherContract,
    WriterContract,
)
from assay.testing.contracts.index import IndexContract  # noqa: E402
from assay.testing.contracts.intake import IngesterContract, LoaderContract, SplitterContract  # noqa: E402
from assay.testing.contracts.ports import (  # noqa: E402
    CheckerContract,
    ClockContract,
    EmbedderContract,
    LLMContract,
    ReaderContract,
    SinkContract,
)
from assay.testing.contracts.records import RunRecordsContract  # noqa: E402
from assay.testing.contracts.searching import (  # noqa: E402
    JudgeContract,
    RefinerContract,
    RerankerContract,
    RetrieverContract,
    SearchProviderContract,
    SelectorContract,
    SpellerContract,
    UnderstanderContract,
)

__all__ = [
    "AbstainerContract",
    "AdviserContract",
    "AssessorContract",
    "CheckerContract",
    "ClockContract",
    "ConcluderContract",
    "ConfidenceEstimatorContract",
    "EmbedderContract",
    "IndexContract",
    "IngesterContract",
    "JudgeContract",
    "LLMContract",
    "LoaderContract",
    "ReaderContract",
    "RefinerContract",
    "RelevanceContract",
    "RepairerContract",
    "RerankerContract",
    "RetrieverContract",
    "RulesContract",
    "RunRecordsContract",
    "SearchProviderContract",
    "SelectorContract",
    "SettlerContract",
    "SinkContract",
    "SpellerContract",
    "SplitterContract",
    "StyleEditorContract",
    "TextVerifierContract",
    "UnderstanderContract",
    "VerifierContract",
    "WeigherContract",
    "WriterContract",
]
