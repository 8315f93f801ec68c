"""The command line: one file for each group of verbs; it parses, calls the engine and prints.

Nothing here decides anything about answers. Heavy modules are imported inside the commands, so that
`assay --help` answers at once.
"""

from __future__ import annotations

from assay.cli.app import main, run

__all__ = ["main", "run"]
