"""Fetch the packages whose documentation the questions are about, and unpack it outside the repository.

.venv/bin/python benchmarks/fresh/get.py      # prints the folder of documents

Needs apt-get and dpkg-deb (bookworm's lists, `apt-get update` once), npm, and PyPI's index. Each package is pinned
by version and by the SHA-256 of its archive; the program ends where one differs. The documents keep their own
licences and are never committed.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parents[1] / "answers"))
from real_collections import cache


@dataclass(frozen=True, slots=True)
class Package:
    """One package; `files` are patterns of the paths to keep, `base` the part of a path that is dropped."""

    collection: str
    registry: Literal["debian", "pypi", "npm"]
    name: str
    version: str
    sha256: str
    base: str
    files: str

    @property
    def complete(self) -> Path:
        """The mark that the documents lie there as they should."""
        return documents() / f".{self.collection}-{self.sha256[:16]}"


PACKAGES = (
    Package(
        "beets",
        "pypi",
        "beets",
        "2.14.1",
        "b25dc7bf8ed093d8b6e043e88013736902c1082c958b81a598af5db5275539a5",
        "beets-2.14.1/docs/",
        r"(guides|plugins|reference)/.*\.rst|faq\.rst",
    ),
    Package(
        "pypsa",
        "pypi",
        "pypsa",
        "1.4.0",
        "1d34b94e98fd6d8d548baa3e97385f67c5ac7241a84b9be95e32fc9b4ba160f1",
        "pypsa-1.4.0/",
        r"pypsa/data/.*\.csv|docs/user-guide/.*\.md|docs/home/.*\.md",
    ),
    Package(
        "leaflet",
        "npm",
        "leaflet",
        "1.9.4",
        "84c65a256e50657896f54c33bd857b6849ebe94c817803be818bf32a3dde0b77",
        "package/",
        r"CHANGELOG\.md|README\.md",
    ),
    Package(
        "dnsmasq",
        "debian",
        "dnsmasq-base",
        "2.90-4~deb12u2",
        "77f56034a23b200c9787d3d9b423030a1e95618f476e011d988daacc19919bc1",
        "usr/share/doc/dnsmasq-base/",
        r"FAQ\.gz|setup\.html|doc\.html|DBus-interface\.gz|README\.Debian\.gz|systemd_howto",
    ),
    Package(
        "debian",
        "debian",
        "doc-debian",
        "11.3+nmu1",
        "b9bff49f22b334cb6fedc071d81669e72cc2fa0dcd65e110785f69d9941f2773",
        "usr/share/doc/debian/",
        r"constitution\.txt\.gz|social-contract\.txt\.gz|debian-manifesto\.gz|mailing-lists\.txt\.gz|bug-.*"
        r"|source-unpack\.txt",
    ),
    Package(
        "gpsbabel",
        "debian",
        "gpsbabel-doc",
        "1.8.0+ds-5",
        "f2ce3dcb2141cfc719750b0dbbc231205ebf8728aa88cd906ededb274e807068",
        "usr/share/doc/gpsbabel/html/",
        r".*\.html",
    ),
    Package(
        "fetchmail",
        "debian",
        "fetchmail",
        "6.4.37-1",
        "67a888df52239e0988a9170b8d8521fbeca1d9934a8b0f1a3e1ea6982a880ed6",
        "usr/share/doc/fetchmail/",
        r"NEWS\.gz|README\.(Debian|SSL)\.gz|README\.systemd|[a-zA-Z-]+\.html",
    ),
    Package(
        "exams",
        "debian",
        "auto-multiple-choice-doc-pdf",
        "1.6.0-1",
        "a5f8ab9a3b48273d720561990af1078c8c2b19ba1b98634ad4e2073748f436ec",
        "usr/share/doc/auto-multiple-choice/",
        r"auto-multiple-choice\.en\.pdf",
    ),
)


def documents() -> Path:
    """The folder of documents, one folder in it for each collection."""
    return cache().parent / "fresh-documents"


def fetched() -> Path:
    """The folder of documents, with what lacks in it fetched first."""
    for package in PACKAGES:
        if not package.complete.is_file():
            unpack(package)
    return documents()


def unpack(package: Package) -> None:
    """Lay a package's documentation in the collection's folder; files without a suffix are plain text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive = {"debian": from_debian, "pypi": from_pypi, "npm": from_npm}[package.registry](package, folder)
        found = hashlib.sha256(archive.read_bytes()).hexdigest()
        if found != package.sha256:
            sys.exit(f"{archive.name} has the SHA-256 {found}, not {package.sha256}")
        content = folder / "content"
        content.mkdir()
        if package.registry == "debian":
            subprocess.run(["dpkg-deb", "-x", str(archive), str(content)], check=True)
        else:
            with tarfile.open(archive) as opened:
                opened.extractall(content, filter="data")
        keep(package, content / package.base)


def keep(package: Package, base: Path) -> None:
    """Copy the wanted files under `base`, decompressed and with a suffix."""
    for file in sorted(base.rglob("*")):
        path = file.relative_to(base).as_posix()
        if not file.is_file() or file.is_symlink() or not re.fullmatch(package.files, path):
            continue
        body = gzip.decompress(file.read_bytes()) if path.endswith(".gz") else file.read_bytes()
        path = path.removesuffix(".gz")
        known = path.endswith((".md", ".rst", ".txt", ".html", ".pdf", ".csv"))
        target = documents() / package.collection / (path if known else f"{path}.txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
    package.complete.touch()


def from_debian(package: Package, folder: Path) -> Path:
    """The .deb, by apt-get."""
    subprocess.run(["apt-get", "download", "-qq", f"{package.name}={package.version}"], cwd=folder, check=True)
    return next(folder.glob("*.deb"))


def from_npm(package: Package, folder: Path) -> Path:
    """The package's archive, by npm pack."""
    subprocess.run(["npm", "pack", "--silent", f"{package.name}@{package.version}"], cwd=folder, check=True)
    return next(folder.glob("*.tgz"))


def from_pypi(package: Package, folder: Path) -> Path:
    """The sdist, by PyPI's simple index (pip would build it first)."""
    index = f"https://pypi.org/simple/{package.name}/"
    archive = f"{package.name}-{package.version}.tar.gz"
    with urllib.request.urlopen(index, timeout=60) as reply:
        page = reply.read().decode()
    place = re.search(rf'href="([^"]+)"[^>]*>\s*{re.escape(archive)}\s*<', page)
    if place is None:
        sys.exit(f"{index} lists no {archive}")
    file = urllib.parse.urljoin(index, html.unescape(place[1]))
    with urllib.request.urlopen(file, timeout=120) as reply:  # noqa: S310
        (folder / archive).write_bytes(reply.read())
    return folder / archive


if __name__ == "__main__":
    print(fetched())
