"""Read a rule file: TOML in, rules out, and every mistake with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from assay.errors import RuleFileError
from assay.rules.conflicts import Conflict, conflicts
from assay.rules.kinds import KINDS
from assay.rules.layout import key_line, rule_lines
from assay.rules.rule import Exempt, Flag, Kind, Phrase, Rule, RuleSet, When, hash_of
from assay.types import QuestionKind, Severity

# The rule files that come with assay, by their names.
PACKAGED = ("marketing", "neutral")
_LONGEST_FILE = 1_000_000
_MOST_RULES = 500
_TOML_PLACE = re.compile(r" ?\(at (?:line (?P<line>\d+), column \d+|end of document)\)")
_HINT = "correct the file; docs/reference/output-rules.md lists every key; `assay rules check FILE` tests it"


def _as_list(value: Any) -> Any:
    """The value as a list; a single word stands for a list of one."""
    return [value] if isinstance(value, str) else value


class _When(BaseModel):
    model_config = ConfigDict(extra="forbid")
    question_kind: Annotated[frozenset[QuestionKind], BeforeValidator(_as_list)] = frozenset()
    topic: Annotated[tuple[Phrase, ...], BeforeValidator(_as_list)] = ()
    language: Annotated[frozenset[Annotated[str, Field(pattern="^[a-z]{2}$")]], BeforeValidator(_as_list)] = (
        frozenset()
    )


class _Table(BaseModel):
    """One `[[rule]]` of a file."""

    model_config = ConfigDict(extra="forbid")
    id: Annotated[str, Field(pattern="^[a-z0-9][a-z0-9_-]{0,59}$")]
    kind: str
    params: dict[str, Any] = Field(default_factory=dict)
    when: _When = _When()
    severity: Severity = Severity.WARN
    exempt: frozenset[Exempt] | None = None
    message: Annotated[str, Field(max_length=1000)] = ""
    instruct: Flag = True


def load_rules(where: str | Path, *, allow_conflicts: bool = False) -> RuleSet:
    """The rules of a file, or of one that comes with assay by its name, "neutral" or "marketing".

    Raises RuleFileError, with all that is wrong and its lines; rules that contradict one another are wrong too,
    unless they are allowed.
    """
    if isinstance(where, str) and where in PACKAGED:
        text = files("assay.rules").joinpath("rules", f"{where}.toml").read_text(encoding="utf-8")
        return parse_rules(text, where, allow_conflicts=allow_conflicts)
    return parse_rules(_read(Path(where)), str(where), allow_conflicts=allow_conflicts)


def parse_rules(text: str, name: str = "rules", *, allow_conflicts: bool = False) -> RuleSet:
    """The rules in a text; `name` is what errors call it. Raises RuleFileError.

    >>> rules = parse_rules('[[rule]]\\nid = "short"\\nkind = "length"\\nparams = { max = 80 }')
    >>> rules.rules[0].instruction("en")
    'Write at most 80 words.'
    """
    tables, problems = _tables(text, name)
    lines = rule_lines(text)
    if len(lines) != len(tables):  # written as an inline list: all stand where the list begins
        lines = (key_line(text, 1, None, "rule"),) * len(tables)
    ends: Sequence[int | None] = [*(line - 1 for line in lines[1:]), None][: len(lines)]
    rules: list[Rule] = []
    for table, line, end in zip(tables, lines, ends, strict=True):
        end = None if end is not None and end < line else end
        try:
            rules.append(_rule(table, line))
        except _Wrong as wrong:
            placed = [(key_line(text, line, end, mistake.key), mistake.text) for mistake in wrong.mistakes]
            problems += [f"{name}:{at}: {mistake}" for at, mistake in sorted(placed)]
    problems += _repeated(rules, name)
    found = RuleSet(name, tuple(rules), hash_of(text))
    if not problems and not allow_conflicts:
        problems = [conflict_line(found, conflict) for conflict in conflicts(found)]
    if problems:
        raise _error(problems)
    return found


def conflict_line(rules: RuleSet, conflict: Conflict) -> str:
    """A contradiction as an error shows it: with its file and line."""
    return f"{rules.name}:{conflict.line}: {conflict}"


class _Mistake:
    """A mistake in a key."""

    def __init__(self, key: str, text: str) -> None:
        self.key, self.text = key, text


class _Wrong(Exception):
    """A mistake in one rule."""

    def __init__(self, mistakes: list[_Mistake]) -> None:
        super().__init__()
        self.mistakes = mistakes


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > _LONGEST_FILE:
            raise RuleFileError(f"{path}: a rule file has at most {_LONGEST_FILE} bytes", hint="split it up")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RuleFileError(f"{path}: not UTF-8 text", hint=f"save {path} as UTF-8") from error
    except OSError as error:
        what = error.strerror or "it cannot be read"
        hint = f"give a file, or one of {', '.join(PACKAGED)}"
        raise RuleFileError(f"{path}: {what}", hint=hint) from error


def _tables(text: str, name: str) -> tuple[list[Any], list[str]]:
    """The file's rules as TOML gives them, and what else stands in it."""
    try:
        body = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _TOML_PLACE.search(message)
        line = place["line"] if place and place["line"] else text.count("\n") + 1
        raise _error([f"{name}:{line}: not valid TOML: {_TOML_PLACE.sub('', message)}"]) from error
    except RecursionError as error:
        raise _error([f"{name}:1: nested too deeply"]) from error
    tables = body.get("rule", [])
    problems = [
        f"{name}:{key_line(text, 1, None, key)}: unknown key {key!r}; rules are [[rule]]"
        for key in body
        if key != "rule"
    ]
    if not isinstance(tables, list):
        line = key_line(text, 1, None, "rule")
        raise _error([*problems, f"{name}:{line}: write [[rule]] with two brackets: it is a list"])
    if len(tables) > _MOST_RULES:
        raise _error(
            [*problems, f"{name}:1: a rule file has at most {_MOST_RULES} rules, this one has {len(tables)}"]
        )
    return tables, problems


def _rule(table: Any, line: int) -> Rule:
    """The rule of one table."""
    if not isinstance(table, dict):
        raise _Wrong([_Mistake("rule", "a rule is a table of keys")])
    mistakes: list[_Mistake] = []
    read: _Table | None = None
    params: Kind | None = None
    try:
        read = _Table.model_validate(table)
    except ValidationError as error:
        mistakes += _mistakes(error)
    kind = table.get("kind")
    if isinstance(kind, str) and kind not in KINDS:
        mistakes.append(_Mistake("kind", f"unknown kind {kind!r}; the kinds are: {', '.join(sorted(KINDS))}"))
    elif isinstance(kind, str) and isinstance(table.get("params", {}), dict):
        try:
            params = KINDS[kind].model_validate(table.get("params", {}))
        except ValidationError as error:
            mistakes += _mistakes(error, "params", kind)
    if read is None or params is None or mistakes:
        raise _Wrong(mistakes)
    when = When(read.when.question_kind, read.when.topic, read.when.language)
    exempt = params.left_alone if read.exempt is None else read.exempt
    return Rule(read.id, read.kind, params, when, read.severity, exempt, read.message, line, read.instruct)


def _mistakes(error: ValidationError, inside: str = "", kind: str = "") -> list[_Mistake]:
    """The mistakes that pydantic found, in our words, each once."""
    found: dict[str, _Mistake] = {}
    for detail in error.errors(include_url=False):
        path = [str(part) for part in detail["loc"] if isinstance(part, int) or _is_key(part)]
        names = [part for part in path if not part.isdigit()]
        where = ".".join(([inside] if inside else []) + names)
        written = f", not {detail['input']!r}" if detail["type"] in _CHOICES else ""
        text = _message(detail, where, kind) + written
        found.setdefault(text, _Mistake(names[-1] if names else inside or "rule", text))
    return list(found.values())


def _is_key(part: object) -> bool:
    """True if a part of a location is a key of the file, not pydantic's name for a branch of a union."""
    return (
        isinstance(part, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,60}", part) is not None and part not in _BRANCHES
    )


_BRANCHES = frozenset(("str", "dict", "literal", "constrained-str"))
_CHOICES = frozenset(("literal_error", "enum"))


def _message(error: ErrorDetails, where: str, kind: str) -> str:
    of = f" of kind {kind}" if kind else ""
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key {where!r}{of}"
        case "missing":
            return f"the key {where!r}{of} is missing"
        case "too_short":  # every list and table that has a least needs one entry
            return f"{where}: it is empty, name at least one"
        case "too_long":
            return f"{where}: it has more than {error['ctx']['max_length']} entries"
    plain = error["msg"].removeprefix("Value error, ")
    return f"{where}: {plain[:1].lower()}{plain[1:]}"


def _repeated(rules: Sequence[Rule], name: str) -> list[str]:
    """Rules whose id another one has."""
    first: dict[str, Rule] = {}
    problems = []
    for rule in rules:
        before = first.setdefault(rule.id, rule)
        if before is not rule:
            problems.append(f"{name}:{rule.line}: the id {rule.id!r} is that of the rule on line {before.line}")
    return problems


def _error(problems: Sequence[str]) -> RuleFileError:
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return RuleFileError(problems[0] + more, hint=_HINT, problems=tuple(problems))
