"""Who mends what failed, and which repairs can be carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.prompting.fences import FenceSource
from assay.repair.composed import ComposedRepairer
from assay.repair.exchange import shipped
from assay.repair.rewrite import ModelRepairer
from assay.repair.rules import RulesRepairer
from assay.repair.search import SearchRepairer
from assay.stages import LLM, Repairer, Retriever
from assay.types import RepairKind
from assay.verify.review import DeterministicVerifier

# The repairs that need no model.
BY_RULES = frozenset({RepairKind.RE_CITE, RepairKind.CORRECT, RepairKind.FETCH, RepairKind.HEDGE, RepairKind.DROP})


def repairer(
    verifier: DeterministicVerifier,
    searches: Mapping[str, Retriever],
    model: LLM | None,
    tell: Callable[[str], None],
    fence: FenceSource,
    room: int,
) -> Repairer:
    """The repairer of a run: by rules, by searching again, and by a model where there is one.

    Values are exchanged in sentences in words of their own only where the verifier's checker is the one that the
    weights of such exchanges were fitted for.
    """
    by_kind: dict[RepairKind, Repairer] = {RepairKind.FETCH: SearchRepairer(searches, verifier, tell)}
    if model is not None:
        by_kind[RepairKind.REWRITE] = ModelRepairer(model, tell, fence, room)
    weighs = verifier.checker is not None and verifier.checker.model.id == shipped().checker
    return ComposedRepairer(RulesRepairer(verifier, verifier if weighs else None), by_kind)


def able_to_mend(*, written: bool, deep: bool, rewrites: bool, unsupported: str) -> frozenset[RepairKind]:
    """The repairs that can be carried out where a model has `written` and the profile is `deep`, above fast.

    What is quoted is never edited. What failed is marked and never dropped where the user wants that.
    """
    by_model = {
        RepairKind.EDIT: written,
        RepairKind.REGENERATE: written and deep,
        RepairKind.REWRITE: rewrites,
    }
    dropping = frozenset({RepairKind.DROP}) if unsupported == "mark" else frozenset()
    return BY_RULES - dropping | {kind for kind, able in by_model.items() if able}
