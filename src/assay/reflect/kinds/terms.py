"""deprecated_terms: terms that have a successor, or none because what they name is gone."""

from __future__ import annotations

import re
from typing import ClassVar

from pydantic import Field

from assay.reflect.blocks import statements
from assay.reflect.kinds.swapping import replaced
from assay.reflect.phrases import found, has, named
from assay.reflect.subject import EVERY_EXEMPTION, Broken, Exempt, Flag, Kind, Phrase, Subject, Swap
from assay.text.negation import negations
from assay.types import Edit, Span

# A sentence that says that a term is out of use may use it.
_OUT_OF_USE = re.compile(
    r"""\b(?:formerly|previously|once\scalled|renamed|replaced|superseded|discontinued|retired|deprecated|obsolete|outdated
        |removed|withdrawn|abandoned|known\sas|früher|ehemals|umbenannt|eingestellt|anciennement|renommé|antes)\b
      | 旧称|原名|已停止|改名|廃止|旧名""",
    re.VERBOSE | re.IGNORECASE,
)
# Right before a term: that it is no word for the thing, which is there all the same.
_DENIES_WORD = re.compile(
    r"""(?:\b(?:not|never|no\slonger|nicht(?:\smehr)?)|n['’]t)\s(?:be\s)?
        (?:(?:called|named|termed|labell?ed|referred\sto\sas|genannt)\s)?(?:an?\s|the\s)?["'“„‘«]?\Z""",
    re.VERBOSE | re.IGNORECASE,
)


class DeprecatedTerms(Kind):
    """`terms` maps each term to what is written now, or to "" where nothing replaces it. `case`: case counts.

    A sentence that says that a term is out of use keeps the rule. So does one that denies it: the word itself where
    it has a successor ("not called telephone"), else what it names ("we do not offer it").
    """

    left_alone: ClassVar[frozenset[Exempt]] = EVERY_EXEMPTION
    terms: dict[Phrase, str] = Field(min_length=1, max_length=1000)
    case: Flag = False

    def told(self, language: str) -> str:
        """What to write instead of what, and what not to speak of."""
        swaps = self.swaps()
        gone = tuple(term for term, replacement in self.terms.items() if not replacement.strip())
        instead = [f'Write "{each.replacement}" instead of "{each.term}".' for each in swaps]
        dropped = [f"Do not present {named(gone)} as current."] if gone else []
        return " ".join((*instead, *dropped))

    def broken(self, subject: Subject) -> tuple[Broken, ...]:
        """Each place where a term is used as if it were current."""
        results = []
        for sentence in statements(subject.plain):
            if _OUT_OF_USE.search(sentence.plain):
                continue
            for span in found(sentence.plain, tuple(self.terms), case=self.case):
                if self._denied(sentence.plain, span):
                    continue
                place = Span(sentence.start + span.start, sentence.start + span.end)
                results.append(Broken(self._cause(subject.text[place.start : place.end]), place))
        return tuple(results)

    def edits(self, subject: Subject, places: tuple[Span, ...]) -> tuple[Edit, ...]:
        """The term's successor, where it has one."""
        return replaced(subject, places, self.swaps(), "is out of use", self.case)

    def swaps(self) -> tuple[Swap, ...]:
        """The terms that have a successor."""
        return tuple(Swap(term, new) for term, new in self.terms.items() if new.strip())

    @property
    def forbids(self) -> bool:
        """Always."""
        return True

    def _denied(self, sentence: str, place: Span) -> bool:
        """Whether a sentence denies the term: the word, where it has a successor, else the thing, which is gone."""
        if self._swap(sentence[place.start : place.end]) is None:
            return bool(negations(sentence))
        return _DENIES_WORD.search(sentence[: place.start]) is not None

    def _swap(self, written: str) -> Swap | None:
        return next((each for each in self.swaps() if has(written, (each.term,), case=self.case)), None)

    def _cause(self, written: str) -> str:
        swap = self._swap(written)
        return f'"{written}" is out of use' + (f': write "{swap.replacement}"' if swap else "")
