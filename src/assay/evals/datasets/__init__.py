"""Data sets of questions: our own shape, and those of ragas, DeepEval, BEIR and TREC as they are."""

from __future__ import annotations

from pathlib import Path

from assay.errors import UsageError
from assay.evals.datasets import deepeval
from assay.evals.datasets.beir import beir_files, read_beir
from assay.evals.datasets.dataset import Dataset, sha256_of
from assay.evals.datasets.deepeval import read_deepeval
from assay.evals.datasets.foreign import is_list, read_objects
from assay.evals.datasets.own import read_own
from assay.evals.datasets.ragas import read_ragas
from assay.evals.datasets.trec import read_trec, refuse_folder, trec_files

__all__ = ["Dataset", "read_dataset"]

# Columns of ragas that no case of ours has.
_OF_RAGAS = frozenset({"user_input", "ground_truth", "ground_truths", "contexts"})


def read_dataset(path: Path, *, retrieved: bool = True) -> Dataset:
    """The data set in a file or a folder, in whichever shape it has.

    A folder is of BEIR or TREC. A file is of ragas or DeepEval if its first object has their names of a question
    and none that only a case of ours has, else it is read as our own, strictly. With `retrieved`, contexts that
    another system retrieved are the passages to answer from. Raises UsageError with file and line for what is
    malformed, and for an empty set.
    """
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        raise UsageError(f"there is no data set {path}", hint="give a file of JSON lines, or a folder")
    if not path.is_file():
        raise UsageError(f"{path} is no file, and cannot be read twice", hint="write the questions to a file first")
    sha256 = sha256_of([path])
    shape = _shape(path)
    if shape == "ragas":
        cases = read_ragas(path, retrieved=retrieved)
    elif shape == "deepeval":
        cases = read_deepeval(path, retrieved=retrieved)
    else:
        cases = read_own(path)
    return Dataset(path.name, shape, sha256, cases)


def _read_folder(folder: Path) -> Dataset:
    name = folder.resolve().name
    if (folder / "queries.jsonl").is_file():
        return Dataset(name, "beir", sha256_of(beir_files(folder)), read_beir(folder))
    files = trec_files(folder)
    if files is None:
        raise refuse_folder(folder)
    return Dataset(name, "trec", sha256_of(files), read_trec(*files))


def _shape(path: Path) -> str:
    """The shape of a file by its first object; a line that is no object is left to the strict reader."""
    try:
        body = next((body for _, body in read_objects(path)), {})
    except UsageError:
        if is_list(path):
            raise
        return "assay"
    names = body.keys()
    if names & {*deepeval.QUESTION}:
        return "deepeval"
    return "ragas" if names & _OF_RAGAS else "assay"
