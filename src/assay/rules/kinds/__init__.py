"""The closed list of kinds of rules, each with its parameters, instruction, check and edits."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.rules.kinds.layout import Bullets, Length, NumbersInEvidence, Paragraphs
from assay.rules.kinds.structure import CallToAction, Citations, Python, RequiredSection
from assay.rules.kinds.wording import DeprecatedTerms, ForbiddenWords, Language, Pattern
from assay.rules.rule import Kind

KINDS: Mapping[str, type[Kind]] = MappingProxyType(
    {
        "length": Length,
        "paragraphs": Paragraphs,
        "bullets": Bullets,
        "forbidden_words": ForbiddenWords,
        "deprecated_terms": DeprecatedTerms,
        "required_section": RequiredSection,
        "call_to_action": CallToAction,
        "numbers_in_evidence": NumbersInEvidence,
        "language": Language,
        "citations": Citations,
        "pattern": Pattern,
        "python": Python,
    }
)
