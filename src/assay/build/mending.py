"""Who mends what failed, and which repairs can be carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.prompting.fences import FenceSource
from assay.repair.composed import ComposedRepairer
from assay.repair.rewrite import ModelRepairer
from assay.repair.rules import RulesRepairer
from assay.repair.search import SearchRepairer
from assay.stages import LLM, Repairer, Retriever, Verifier, Weigher
from assay.types import RepairKind

# The repairs that need no model.
BY_RULES = frozenset({RepairKind.RE_CITE, RepairKind.CORRECT, RepairKind.FETCH, RepairKind.HEDGE, RepairKind.DROP})


def repairer(
    verifier: Verifier,
    searches: Mapping[str, Retriever],
    model: LLM | None,
    tell: Callable[[str], None],
    fence: FenceSource,
    room: int,
    *,
    weigher: Weigher | None,
) -> Repairer:
    """The repairer of a run: by rules, by searching again, and by a model where there is one.

    The `weigher` tells the values of sources apart, None where nobody can.
    """
    by_kind: dict[RepairKind, Repairer] = {RepairKind.FETCH: SearchRepairer(searches, verifier, tell)}
    if model is not None:
        by_kind[RepairKind.REWRITE] = ModelRepairer(model, tell, fence, room)
    return ComposedRepairer(RulesRepairer(verifier, weigher), by_kind)


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
