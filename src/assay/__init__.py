"""assay answers questions from your documents and tests every answer before you see it.

>>> from assay import open_engine
>>> with open_engine(data_dir=folder) as engine:
...     reports = engine.add([sample])
...     answer = engine.ask("At how many degrees does water boil?")
>>> "Water boils at 100 degrees Celsius at sea level." in answer.text
True
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # `typing` would take longer to import than all the rest; type checkers know the name

if TYPE_CHECKING:
    from assay.agents import tools
    from assay.core.rendering import rendered
    from assay.engine import Engine
    from assay.errors import AssayError
    from assay.settings import Settings
    from assay.types import (
        Action,
        Answer,
        AskOptions,
        Check,
        Claim,
        Evidence,
        Fixed,
        Hit,
        Judgement,
        Message,
        Outcome,
        Passage,
        Review,
        Scores,
        SearchSettings,
        Source,
        Status,
        Verdict,
    )
    from assay.wiring import open_checker, open_engine
    from assay.wiring.replay import replay
    from assay.wiring.what_if import what_if

__version__ = "0.1.0"

# The module of each public name; it is imported when it is first used, so that `import assay` costs nothing.
_HOMES = {
    "Action": "types",
    "Answer": "types",
    "AskOptions": "types",
    "AssayError": "errors",
    "Check": "types",
    "Claim": "types",
    "Engine": "engine",
    "Evidence": "types",
    "Fixed": "types",
    "Hit": "types",
    "Judgement": "types",
    "Message": "types",
    "Outcome": "types",
    "Passage": "types",
    "Review": "types",
    "Scores": "types",
    "SearchSettings": "types",
    "Settings": "settings",
    "Source": "types",
    "Status": "types",
    "Verdict": "types",
    "open_checker": "wiring",
    "open_engine": "wiring",
    "rendered": "core.rendering",
    "replay": "wiring.replay",
    "tools": "agents",
    "what_if": "wiring.what_if",
}

__all__ = [
    "Action",
    "Answer",
    "AskOptions",
    "AssayError",
    "Check",
    "Claim",
    "Engine",
    "Evidence",
    "Fixed",
    "Hit",
    "Judgement",
    "Message",
    "Outcome",
    "Passage",
    "Review",
    "Scores",
    "SearchSettings",
    "Settings",
    "Source",
    "Status",
    "Verdict",
    "open_checker",
    "open_engine",
    "rendered",
    "replay",
    "tools",
    "what_if",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(import_module(f"assay.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
