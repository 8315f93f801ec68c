"""Fetch the newest Markdown documentation of npm packages: python get_npm.py NAME … fills sets/NAME."""

import concurrent.futures
import io
import json
import pathlib
import re
import sys
import tarfile
import urllib.parse
import urllib.request

# Files that hold no documentation, and shorter ones (in bytes).
LEFT_OUT = re.compile(r"changelog|node_modules|release.?notes|CONTRIBUTORS|CODE_OF|migrat", re.I)
SHORTEST = 800


def get(name: str) -> tuple[str, str, int]:
    """The package's name, its version, and how many files were written."""
    about = f"https://registry.npmjs.org/{urllib.parse.quote(name, safe='@')}/latest"
    with urllib.request.urlopen(about, timeout=30) as reply:
        latest = json.load(reply)
    with urllib.request.urlopen(latest["dist"]["tarball"], timeout=60) as reply:
        package = tarfile.open(fileobj=io.BytesIO(reply.read()))
    out, count = pathlib.Path("sets") / name.replace("/", "-").strip("@"), 0
    for member in package.getmembers():
        if not member.isfile() or not re.search(r"\.(md|markdown)$", member.name) or LEFT_OUT.search(member.name):
            continue
        text = package.extractfile(member).read()
        if len(text) >= SHORTEST:
            parts = pathlib.PurePosixPath(member.name).parts[1:]
            if ".." in parts:
                continue
            place = out.joinpath(*parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text)
            count += 1
    return name, latest["version"], count


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for done in pool.map(get, sys.argv[1:]):
            print(*done)
