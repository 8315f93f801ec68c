"""Without their framework the pieces refuse and name the command; assay itself never imports them."""

from __future__ import annotations

import subprocess
import sys

import pytest

PIECES = {
    "langchain": ("langchain_core", 'pip install "langchain-core>=1"'),
    "llama_index": ("llama_index", 'pip install "llama-index-core>=0.14"'),
    "haystack": ("haystack", 'pip install "haystack-ai>=3"'),
}


def said(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize("piece", PIECES)
def test_a_missing_framework_names_the_command(piece: str):
    package, command = PIECES[piece]
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from assay.errors import MissingExtra\n"
        f"try:\n    import assay.integrations.{piece}\n"
        "except MissingExtra as error:\n    print(error.hint)"
    )
    assert said(program) == command


def test_nothing_of_assay_imports_them():
    program = (
        "import sys, assay, assay.integrations, assay.cli\n"
        "for name in assay.__all__:\n    getattr(assay, name)\n"
        "print([each for each in sys.modules if each.startswith('assay.integrations.')])"
    )
    assert said(program) == "[]"
