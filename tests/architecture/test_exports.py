"""The public names are these, sorted, and each resolves; importing the package imports nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import assay

HEAVY = ("numpy", "faiss", "onnxruntime", "pydantic", "typer", "rich", "lxml", "assay.types")


def test_exported_members():
    assert assay.__all__ == sorted(assay.__all__)
    for name in assay.__all__:
        value = getattr(assay, name)
        assert value.__name__ == name
        assert value.__module__.startswith("assay.")


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(assay, "no_such_name")


def test_importing_assay_costs_nothing():
    program = f"import sys, assay; print([each for each in {HEAVY!r} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
