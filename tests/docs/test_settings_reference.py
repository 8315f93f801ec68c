"""settings.md lists them all; `.venv/bin/python tests/docs/test_settings_reference.py` renews it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.cli.flags import WITHOUT_FLAG
from assay.core.profiles import PROFILES
from assay.settings import Settings
from assay.settings.files import PREFIX, VARIABLES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"
# What stands below this heading is printed.
HEADING = "\n## All settings\n"
_SCHEMA = Settings.model_json_schema()


def _limits(schema: dict[str, Any]) -> str:
    """The values that a setting may have, empty where its description says all."""
    if "$ref" in schema:
        schema = _SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    for choice in schema.get("anyOf", []):
        found = _limits(choice)
        if found:
            return found
    if "enum" in schema:
        return ", ".join(schema["enum"])
    if schema.get("type") == "boolean":
        return "true, false"
    low, high = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    parts = [f"at least {low:g}" if low is not None else "", f"above {above:g}" if above is not None else ""]
    parts.append(f"at most {high:g}" if high is not None else "")
    return ", ".join(part for part in parts if part)


def _default(name: str) -> str:
    if name == "data_dir":
        return "your system's"
    if any(name in values for values in PROFILES.values()):
        return " / ".join(f"{values[name]:g}" for values in PROFILES.values())
    value = Settings.model_fields[name].get_default(call_default_factory=True)
    if value is None or value == {}:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(getattr(value, "value", value))


def lines() -> str:
    """One sentence a setting: a page of documents like any other, it may be quoted in an answer."""
    found = []
    for name, field in Settings.model_fields.items():
        variables = " or ".join(f"`{each}`" for each in VARIABLES.get(name, (PREFIX + name.upper(),)))
        facts = [_limits(_SCHEMA["properties"][name]), "no flag" if name in WITHOUT_FLAG else ""]
        more = "; ".join(filter(None, (field.description, ", ".join(filter(None, facts)))))
        found.append(f"- `{name}` ({_default(name)}): {more} ({variables})")
    return "\n".join(found)


def renewed() -> str:
    top, _, below = PAGE.read_text(encoding="utf-8").partition(HEADING)
    intro = below.strip().split("\n\n")[0]
    return f"{top}{HEADING}{intro}\n\n{lines()}\n"


def test_the_page_lists_the_settings_as_they_are():
    assert PAGE.read_text(encoding="utf-8") == renewed()


if __name__ == "__main__":
    PAGE.write_text(renewed(), encoding="utf-8")
