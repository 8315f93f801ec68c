"""The closed list of kinds, one file each: its parameters, the instruction, the check and the edits."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from assay.reflect.kinds.bullets import Bullets
from assay.reflect.kinds.call_to_action import CallToAction
from assay.reflect.kinds.citations import Citations
from assay.reflect.kinds.language import Language
from assay.reflect.kinds.length import Length
from assay.reflect.kinds.numbers import NumbersInEvidence
from assay.reflect.kinds.paragraphs import Paragraphs
from assay.reflect.kinds.pattern import Pattern
from assay.reflect.kinds.python import Python
from assay.reflect.kinds.section import RequiredSection
from assay.reflect.kinds.terms import DeprecatedTerms
from assay.reflect.kinds.words import ForbiddenWords
from assay.reflect.subject import Kind

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
