"""docs/reference/http.md lists the requests of the server; `python tests/docs/test_http_reference.py` renews it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.server.app import create_app
from assay.server.calls import ALWAYS
from assay.server.service import Service
from assay.server.settings import ServerSettings

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "http.md"
INTRO = """# HTTP

Every request of `assay serve`, made from its `/openapi.json`, which has the schemas of all bodies. How to use it:
[serve your documents](../how-to/serve.md). Beside these there are `/` (the page), `/mcp` and `/openapi.json`.

Errors are problem details (`detail`, `hint`, `request_id`); each request may also get 400, 401, 403, 408, 413,
421, 422, 429, 500 or 503; those under /v1 get them in the shape of OpenAI's.
"""


def renewed() -> str:
    """The page as the application has it."""
    with tempfile.TemporaryDirectory() as folder:
        spec = create_app(Service.over(ServerSettings(engine={"data_dir": Path(folder)}))).openapi()
    return f"{INTRO}\n{chr(10).join(sections(spec))}"


def sections(spec: dict[str, Any]) -> Iterator[str]:
    """A section for each tag, with its requests in their order."""
    tagged: dict[str, list[str]] = {}
    for path, methods in spec["paths"].items():
        for method, operation in methods.items():
            text = "\n".join(lines(method.upper(), path, operation, spec["components"]["schemas"]))
            tagged.setdefault(operation.get("tags", ["operations"])[0], []).append(text)
    for tag, requests in tagged.items():
        yield f"## {tag[:1].upper()}{tag[1:]}\n"
        yield from requests


def lines(method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    """What is told of one request."""
    yield f"- `{method} {path}`: {' '.join(operation['description'].split())}"
    names = [one["name"] for one in operation.get("parameters", ()) if one["in"] in ("query", "header")]
    if names:
        yield f"  Parameters: {', '.join(f'`{name}`' for name in names)}."
    fields = [name for schema in bodies(operation, schemas) for name in schema.get("properties", ())]
    if fields:
        yield f"  Fields: {', '.join(f'`{name}`' for name in fields)}."
    others = sorted(set(operation["responses"]) - set(map(str, ALWAYS)))
    yield f"  Statuses: {', '.join(others)}.\n"


def bodies(operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas of the request's body."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        name = content["schema"].get("$ref", "").rpartition("/")[2]
        yield schemas[name] if name else content["schema"]


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == renewed()


if __name__ == "__main__":
    PAGE.write_text(renewed(), encoding="utf-8")
