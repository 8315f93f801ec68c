"""Compare what was built with the repository: every file that git knows, and no other.

    python deploy/check_wheels.py dist

Ends with 1, and says which file is too many or missing.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Package:
    """A distribution: its name in file names, its project's folder, and the folder of its code in there."""

    name: str
    project: Path
    code: str


PACKAGES = (Package("assay", ROOT, "src/assay"), Package("assay_models", ROOT / "models", "src/assay_models"))


def tracked(package: Package) -> set[str]:
    """The files of the package's code that git knows, as they lie in a wheel."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", package.code], cwd=package.project, capture_output=True, text=True, check=True
    )
    return {path.removeprefix("src/") for path in listed.stdout.split("\0") if path}


def of_wheel(path: Path) -> set[str]:
    """The files of a wheel without its metadata."""
    with zipfile.ZipFile(path) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def of_source(path: Path) -> set[str]:
    """The code in a source distribution, as it lies in a wheel."""
    with tarfile.open(path) as archive:
        names = (member.name.partition("/")[2] for member in archive.getmembers() if member.isfile())
        return {name.removeprefix("src/") for name in names if name.startswith("src/")}


def faults_of(folder: Path, package: Package, expected: set[str]) -> list[str]:
    """What differs between a package's two distributions in a folder and the files that are expected in them."""
    [wheel] = folder.glob(f"{package.name}-[0-9]*.whl")
    [source] = folder.glob(f"{package.name}-[0-9]*.tar.gz")
    faults = []
    for path, files in ((wheel, of_wheel(wheel)), (source, of_source(source))):
        faults += [f"{path.name}: {name} is not in the repository" for name in sorted(files - expected)]
        faults += [f"{path.name}: {name} is missing" for name in sorted(expected - files)]
        print(f"{path.name}: {len(files)} files, {path.stat().st_size / 1e6:.1f} MB")
    return faults


def main() -> int:
    folder = Path(sys.argv[1])
    faults = [fault for package in PACKAGES for fault in faults_of(folder, package, tracked(package))]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
