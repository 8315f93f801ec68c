"""The table of flags, each named as its setting. A verb names the flags that it takes.

The settings themselves are not imported here: `assay --help` has to answer at once. A test holds the table to them.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache, wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand
from typer.main import get_command

from assay.cli.terminal import Terminal
from assay.errors import UsageError

if TYPE_CHECKING:
    from typer import _click


# Settings given as flags, by name.
Given = dict[str, Any]

# Headings of the groups of flags in `--help`.
COLLECTION = "Collection and search"
JUDGING = "Judging"
MODELS = "Language models"
WRITING = "Writing"
LIMITS = "Limits of one question"
TESTING = "Checks and repairs"
SERVICES = "Services"
OUTSIDE = "Outside sources"


def _flag(kind: Any, group: str, explained: str, metavar: str | None = None, *names: str) -> Any:
    """The annotation of an optional flag."""
    option = typer.Option(*names, metavar=metavar, help=explained, rich_help_panel=group)
    return Annotated[kind | None, option]


def _model(explained: str) -> Any:
    return _flag(str, MODELS, explained, "MODEL")


def _address(service: str) -> Any:
    return _flag(str, SERVICES, f"Address of {service}.", "URL")


FLAGS: Mapping[str, Any] = MappingProxyType(
    {
        "collection": _flag(
            str, COLLECTION, "The collection to use. [default: default]", "NAME", "--collection", "-c"
        ),
        "data_dir": _flag(Path, COLLECTION, "Folder for collections and runs.", "FOLDER"),
        "store": _flag(
            str,
            COLLECTION,
            "Postgres database for collections and runs; do not put a password in the flag.",
            "postgresql://…",
        ),
        "search_engine": _flag(
            str,
            COLLECTION,
            "Qdrant server for the store's large collections; do not put its key in the flag.",
            "qdrant://…",
        ),
        "tenant": _flag(str, COLLECTION, "Whose collections and runs to use, in a shared database.", "NAME"),
        "embedder": _flag(
            str, COLLECTION, "Embedding model: bundled, a folder, hf:ORG/NAME@REVISION, or openai:MODEL.", "WHICH"
        ),
        "k": _flag(int, COLLECTION, "Number of passages to find. [default: 8]", "N", "--k", "-k"),
        "where": _flag(
            list[str], COLLECTION, "Find only passages with this metadata; repeatable.", "NAME=VALUE", "--where"
        ),
        "mode": _flag(Literal["hybrid", "dense", "sparse"], COLLECTION, "How to search. [default: hybrid]"),
        "fusion": _flag(Literal["scaled", "rrf"], COLLECTION, "How hybrid search merges its two rankings."),
        "mmr": _flag(float, COLLECTION, "Diversify the passages; 1 means relevance only. [default: off]", "0-1"),
        "spelling": _flag(
            bool,
            COLLECTION,
            "Correct misspelt words for the search. [default: spelling]",
            None,
            "--spelling/--no-spelling",
        ),
        "profile": _flag(
            Literal["fast", "balanced", "thorough", "auto"],
            JUDGING,
            "How thoroughly to judge and check. [default: fast]",
        ),
        "importance": _flag(
            Literal["low", "normal", "high"], JUDGING, "How costly a wrong answer is; used by --profile auto."
        ),
        "correct": _flag(float, JUDGING, "Minimum score for sufficient evidence. [default: 0.7]", "0-1"),
        "incorrect": _flag(
            float, JUDGING, "Evidence that scores below this is treated as irrelevant. [default: 0.3]", "0-1"
        ),
        "judging": _flag(
            Literal["decide", "log", "off"],
            JUDGING,
            "Act on the judgement, only log it, or skip it. [default: decide]",
        ),
        "excellent": _flag(float, JUDGING, "Minimum sufficiency to be called excellent. [default: 0.9]", "0-1"),
        "good": _flag(float, JUDGING, "Minimum sufficiency to be called good. [default: 0.7]", "0-1"),
        "partial": _flag(float, JUDGING, "Minimum sufficiency to be called partial. [default: 0.5]", "0-1"),
        "borderline_low": _flag(
            float, JUDGING, "Minimum sufficiency at which the judge model is called. [default: learned]", "0-1"
        ),
        "borderline_high": _flag(
            float, JUDGING, "Maximum sufficiency at which the judge model is called. [default: learned]", "0-1"
        ),
        "least_passages": _flag(int, JUDGING, "Minimum number of passages in the evidence. [default: 1]", "N"),
        "checker": _flag(
            str,
            JUDGING,
            "Network that tests claims: bundled, a folder, hf:ORG/NAME@REVISION, or none. [default: bundled]",
            "WHICH",
        ),
        "reader": _flag(
            str,
            JUDGING,
            "Network that finds answers: bundled, a folder, hf:ORG/NAME@REVISION, or none. [default: bundled]",
            "WHICH",
        ),
        "reranker": _flag(
            str,
            COLLECTION,
            "Network that reorders passages: a folder, hf:ORG/NAME@REVISION, or none. [default: none]",
            "WHICH",
        ),
        "answers_from": _flag(
            float,
            JUDGING,
            "Minimum score for an answer to be marked as answering. [default: learned, or 0.763]",
            "0-1",
        ),
        "search_utility": _flag(
            str,
            JUDGING,
            'What searching again is worth: {"rules": {"REFINE": {"ambiguous": 0.1, "seconds": 0.4}}}. '
            "[default: learned, or as shipped]",
            "JSON",
        ),
        "max_risk": _flag(
            float, JUDGING, "Withhold answers unless the measured error rate is at most this.", "0-1"
        ),
        "model": _flag(
            str,
            MODELS,
            "The model for every role: openai:NAME, gemini:NAME, anthropic:NAME, local:FILE.gguf or "
            "fake:SCRIPT.json. [default: none; answers are quoted]",
            "MODEL",
            "--model",
            "-m",
        ),
        "writer_model": _model("Model that writes answers, if different."),
        "simple_model": _model("Model that answers simple questions."),
        "judge_model": _model("Model that judges evidence (balanced and thorough)."),
        "condenser_model": _model("Model that rewrites follow-up questions and search queries."),
        "verifier_model": _model("Model that checks the sentences that the tests cannot settle, in one call."),
        "repairer_model": _model("Model that rewrites failed sentences (balanced and thorough)."),
        "context_tokens": _flag(int, MODELS, "Context window of the model, in tokens. [default: 8192]", "N"),
        "judge_temperature": _flag(
            float, MODELS, "Temperature of the models that judge, assess and check. [default: 0]", "0-2"
        ),
        "reasoning_effort": _flag(
            Literal["low", "medium", "high"], MODELS, "How much models reason. [default: up to the model]"
        ),
        "thinking_tokens": _flag(
            int, MODELS, "Reasoning tokens before each reply. [default: 8192; low 4096, high 24576]", "N"
        ),
        "writer_temperature": _flag(
            float,
            WRITING,
            "Temperature of the model that writes. [default: 0.1 to 0.3, depending on the question]",
            "0-2",
        ),
        "reply_tokens": _flag(
            int, WRITING, "Maximum length of an answer, in tokens. [default: depends on --detail]", "N"
        ),
        "system_prompt": _flag(
            str, WRITING, "Your own instructions for the writer, added to assay's rules.", "TEXT"
        ),
        "kind": _flag(
            Literal["factual", "interpretive", "comparative", "follow-up", "how-to", "yes-no"],
            WRITING,
            "Type of answer. [default: chosen by the question]",
        ),
        "detail": _flag(int, WRITING, "Level of detail, from 1 (a phrase) to 10 (a chapter).", "1-10"),
        "expertise": _flag(Literal["beginner", "general", "expert"], WRITING, "Intended audience."),
        "citation_style": _flag(
            Literal["numbered", "named", "footnote", "author-page", "none"],
            WRITING,
            "How the text cites its sources.",
        ),
        "explain": _flag(
            bool,
            WRITING,
            "Add the writer's prompt and a map of its sources to the JSON object. [default: no-explain]",
            None,
            "--explain/--no-explain",
        ),
        "references": _flag(
            bool, WRITING, "List the sources after the text.", None, "--references/--no-references"
        ),
        "rules": _flag(str, TESTING, "Output rules: a file, or neutral or marketing. [default: neutral]", "RULES"),
        "unsupported": _flag(
            Literal["drop", "mark"],
            TESTING,
            "What to do with a sentence that cannot be repaired. [default: drop; with `fix`: mark]",
        ),
        "verify_outside": _flag(
            bool,
            TESTING,
            "Search outside sources for claims that the documents do not support.",
            None,
            "--verify-outside/--no-verify-outside",
        ),
        "quality": _flag(float, TESTING, "Minimum overall score; answers below it are weak. [default: 0.7]", "0-1"),
        "floor": _flag(
            float, TESTING, "Minimum score for each criterion; answers below it are weak. [default: 0.5]", "0-1"
        ),
        "criteria": _flag(
            str, TESTING, "Criteria to assess answers by: accuracy, relevance, … [default: all]", "LIST"
        ),
        "reflection": _flag(bool, TESTING, "Assess answers as a whole.", None, "--reflection/--no-reflection"),
        "skip": _flag(str, TESTING, "Checks to skip: numbers, names, rule:ID, …", "NAMES"),
        "keep_verdicts": _flag(
            bool,
            TESTING,
            "Reuse a model's earlier verdicts on claims. [default: keep-verdicts]",
            None,
            "--keep-verdicts/--no-keep-verdicts",
        ),
        "reuse": _flag(
            Literal["off", "same", "near"],
            TESTING,
            "Reuse a stored answer if the documents still support it: for the same question, or (near) also in "
            "other words. [default: off]",
        ),
        "ask_back": _flag(
            bool,
            WRITING,
            "Ask back if the question is unclear, rather than answer or refuse it. [default: no-ask-back]",
            None,
            "--ask-back/--no-ask-back",
        ),
        "history_messages": _flag(int, WRITING, "Number of earlier messages to include in a prompt.", "N"),
        "max_calls": _flag(int, LIMITS, "Maximum number of model calls, counting every attempt.", "N"),
        "max_tokens": _flag(int, LIMITS, "Maximum number of tokens, prompts and replies together.", "N"),
        "max_cost": _flag(float, LIMITS, "Maximum cost in US dollars.", "DOLLARS"),
        "deadline": _flag(float, LIMITS, "Time limit. [default: 10, 30 or 90, by profile]", "SECONDS"),
        "rounds": _flag(int, LIMITS, "Maximum number of searches.", "N"),
        "repairs": _flag(
            int, LIMITS, "Maximum number of repairs that search or call a model; other repairs do not count.", "N"
        ),
        "traces": _flag(
            bool,
            SERVICES,
            "Trace the run as OpenTelemetry spans. [default: no-traces]",
            None,
            "--traces/--no-traces",
        ),
        "telemetry_texts": _flag(
            bool,
            SERVICES,
            "Include the text of questions, prompts, replies and answers in spans. [default: no-telemetry-texts]",
            None,
            "--telemetry-texts/--no-telemetry-texts",
        ),
        "offline": _flag(
            bool, SERVICES, "Make no network connections except to this machine.", None, "--offline/--no-offline"
        ),
        "openai_base_url": _address("an OpenAI-compatible service"),
        "anthropic_base_url": _address("Anthropic's service"),
        "gemini_base_url": _address("Google's Gemini service"),
        "request_seconds": _flag(float, SERVICES, "Time limit for one request. [default: 60]", "SECONDS"),
        "idle_seconds": _flag(
            float, SERVICES, "Time limit for a stream that sends nothing. [default: 20]", "SECONDS"
        ),
        "retry_seconds": _flag(
            float, SERVICES, "Wait before a failed call is retried; doubles each time. [default: 1]", "SECONDS"
        ),
        "prices": _flag(
            str, SERVICES, 'Dollars per million tokens: {"openai:NAME": {"input": 1, "output": 2}}.', "JSON"
        ),
        "outside": _flag(
            str,
            OUTSIDE,
            "Sources to search if the documents do not answer: searxng, brave, tavily, wikipedia, …",
            "LIST",
        ),
        "searxng_url": _flag(str, OUTSIDE, "Address of a SearXNG instance.", "URL"),
        "mcp_server": _flag(str, OUTSIDE, "An MCP server that searches: its address or its command.", "SERVER"),
        "mcp_tool": _flag(str, OUTSIDE, "Name of its search tool. [default: search]", "NAME"),
        "domains": _flag(str, OUTSIDE, "Only read pages from these domains.", "LIST"),
        "denied_domains": _flag(str, OUTSIDE, "Never read pages from these domains.", "LIST"),
        "intranet_hosts": _flag(str, OUTSIDE, "Hosts on your own network to read pages from.", "LIST"),
        "record": _flag(
            Literal["all", "outline", "off"],
            COLLECTION,
            "How much of a run to record; an outline leaves out the text of documents and answers. [default: all]",
        ),
        "tape": _flag(
            bool, COLLECTION, "Record the run so that it can be replayed. [default: tape]", None, "--tape/--no-tape"
        ),
    }
)
# Everyone who may list processes can read a secret on a command line.
WITHOUT_FLAG = frozenset(
    {"openai_api_key", "anthropic_api_key", "gemini_api_key", "brave_api_key", "tavily_api_key"}
)

# Flags that several verbs share.
THE_COLLECTION = ("collection", "data_dir", "store", "search_engine", "tenant")
THE_RECORD = ("data_dir", "store", "tenant")
FOR_SEARCH = (*THE_COLLECTION, "embedder", "k", "where", "mode", "fusion", "mmr", "reranker")
FOR_EMBEDDING = ("embedder", "offline", "openai_base_url")
# Flags for calling any model.
ASKING = ("context_tokens", "reasoning_effort", "thinking_tokens")
FOR_MODELS = (*(name for name in FLAGS if name.endswith("model")), *ASKING)
_SERVICES = (
    *("offline", "traces", "telemetry_texts"),
    *(name for name in FLAGS if name.endswith("_base_url")),
    *(name for name in FLAGS if name.endswith("_seconds")),
    "prices",
)
FOR_JUDGING = (
    *("profile", "importance", "correct", "incorrect"),
    *("excellent", "good", "partial", "borderline_low", "borderline_high", "least_passages"),
    *("model", "judge_model", "condenser_model", "judge_temperature", *ASKING),
    *("history_messages", "max_calls", "max_tokens", "max_cost", "deadline", "rounds"),
    "reader",
    *_SERVICES,
)
_OUTSIDE = ("outside", "searxng_url", "mcp_server", "mcp_tool", "domains", "denied_domains", "intranet_hosts")
FOR_DOCTOR = (
    *("data_dir", "embedder", "checker", "reader", "reranker", *FOR_MODELS),
    *("profile", "max_cost", "deadline", *_SERVICES, *_OUTSIDE),
)
FOR_ASSESSING = ("quality", "floor", "criteria", "reflection")
FOR_CHECKING = (
    *(
        *THE_COLLECTION,
        "embedder",
        "profile",
        "rules",
        "max_risk",
        "verifier_model",
        "keep_verdicts",
        "judge_temperature",
        *ASKING,
    ),
    *("max_calls", "max_tokens", "max_cost", "deadline", "checker", "reader", "record"),
    *FOR_ASSESSING,
    *_SERVICES,
)
FOR_FIXING = (
    *(*THE_COLLECTION, "embedder", "profile", "rules", "unsupported", "skip"),
    *("model", "repairer_model", "verifier_model", "keep_verdicts", "judge_temperature", *ASKING),
    *("max_calls", "max_tokens", "max_cost", "deadline", "repairs", "checker", "reader", "record"),
    *FOR_ASSESSING,
    *_SERVICES,
)
FOR_ANSWERS = tuple(FLAGS)


@dataclass(frozen=True)
class Verb:
    """A verb with its flags. Its options are read once it is called for: all verbs together take 0.07 s to read."""

    function: Callable[..., Any]
    flags: tuple[str, ...]

    @property
    def name(self) -> str:
        """The verb as it is typed."""
        return self.function.__name__.strip("_")


@cache
def command_of(verb: Verb) -> _click.Command:
    """The command with all options of a verb.

    The verb's function is called with the terminal, its own options and, if it takes flags, those that were set as
    `given`.
    """

    @wraps(verb.function)
    def with_flags(ctx: typer.Context, quiet: bool, verbose: bool, **values: Any) -> Any:
        flags = {name: values.pop(name) for name in verb.flags}
        if flags:
            values["given"] = {name: value for name, value in flags.items() if value not in (None, [])}
        if values.get("ray") is None:
            return verb.function(terminal_of(ctx), **values)
        with redirect_stdout(sys.stderr):  # Ray prints what befalls its machines there, among what we print
            return verb.function(terminal_of(ctx), **values)

    signature = _with_flags(inspect.signature(verb.function, eval_str=True), verb.flags)
    # typer reads a verb's options from these.
    with_flags.__signature__ = signature  # type: ignore[attr-defined]
    with_flags.__annotations__ = {
        parameter.name: parameter.annotation for parameter in signature.parameters.values()
    }
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name=verb.name, cls=GroupedCommand)(with_flags)
    return get_command(alone)


def takes(*names: str) -> Callable[[Callable[..., Any]], Verb]:
    """Make a verb of a function: with these flags and the two that every verb has."""
    return lambda function: Verb(function, tuple(dict.fromkeys(names)))


def _with_flags(signature: inspect.Signature, names: tuple[str, ...]) -> inspect.Signature:
    """The signature with the parser's context for the terminal, and a keyword for each flag."""
    kind = inspect.Parameter.KEYWORD_ONLY
    flags = [inspect.Parameter(name, kind, default=None, annotation=FLAGS[name]) for name in names]
    common = [
        inspect.Parameter("quiet", kind, default=False, annotation=Quiet),
        inspect.Parameter("verbose", kind, default=False, annotation=Verbose),
    ]
    context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    own = [parameter for parameter in signature.parameters.values() if parameter.name not in ("terminal", "given")]
    first = [parameter for parameter in own if parameter.kind is not kind]
    last = [parameter for parameter in own if parameter.kind is kind]
    return signature.replace(parameters=[context, *first, *flags, *last, *common])


def add_verbs(app: typer.Typer, verbs: Iterable[Verb]) -> None:
    """Give the program, or a group of it, these verbs."""
    for verb in verbs:
        app.command(name=verb.name, help=verb.function.__doc__, cls=OutlinedCommand)(_returning(verb))


def _returning(verb: Verb) -> Callable[[], Verb]:
    return lambda: verb


# --- shared options that are not settings, and the layout of `--help` -------------------------------------


def terminal_of(ctx: typer.Context) -> Terminal:
    """The terminal of this call."""
    found = ctx.find_root().obj
    assert isinstance(found, Terminal)  # noqa: S101 - `assay.cli.app.run` puts it there
    return found


def _quieten(ctx: typer.Context, value: bool) -> bool:
    terminal_of(ctx).quiet |= value
    return value


def _explain(ctx: typer.Context, value: bool) -> bool:
    terminal_of(ctx).verbose |= value
    return value


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
AsJsonLines = Annotated[
    bool, typer.Option("--jsonl", help="Read JSON lines from standard input; print one object per line.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", callback=_quieten, expose_value=True, help="Print only results and errors.")
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", callback=_explain, help="Print more; show the traceback of a bug.")
]


AtOnce = Annotated[
    int | None,
    typer.Option(
        "--at-once", metavar="N", min=1, max=256, help="Lines to process at once. [default: 8 with a model, else 1]"
    ),
]


Ray = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Distribute the work on a Ray cluster: local (started now), auto (already running here) or HOST:PORT.",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", min=1, help="Maximum number of workers, with --ray. [default: one per processor]"
    ),
]


def spread(ray: str | None, workers: int | None) -> dict[str, Any]:
    """The options of `open_engine` for a cluster, none without one. Raises UsageError for workers alone.

    >>> spread("local", 2), spread(None, None)
    ({'ray': 'local', 'workers': 2}, {})
    """
    if ray is None and workers is not None:
        raise UsageError("--workers needs a Ray cluster", hint="add --ray local")
    return {} if ray is None else {"ray": ray, "workers": workers}


# Lines under way on a cluster: enough for 64 processors, few enough to keep in memory. Chosen.
_ON_A_CLUSTER = 64


def at_once(given: int | None, flags: Given, *, on_cluster: bool = False) -> int:
    """The number of lines to process at once: more with a model, which is mostly waited for, or on a cluster."""
    from assay.settings import MODEL_SETTINGS, load_settings

    if on_cluster and given is None:
        return _ON_A_CLUSTER
    settings = load_settings(flags).settings
    asks = any(getattr(settings, name) is not None for name in MODEL_SETTINGS)
    return given or (8 if asks else 1)


def one_format(as_json: bool, as_json_lines: bool) -> None:
    """Raise UsageError for both machine formats."""
    if as_json and as_json_lines:
        raise UsageError(
            "--json and --jsonl cannot be used together", hint="use --json for one input, --jsonl for many"
        )


def one_of_two(yes: bool, no: bool, flags: str) -> bool | None:
    """The choice of two opposite flags; None for neither. Raises UsageError for both.

    >>> one_of_two(False, True, "--accept and --reject")
    False
    """
    if yes and no:
        raise UsageError(f"{flags} cannot be used together", hint="leave out one of them")
    return True if yes else False if no else None


class OutlinedCommand(TyperCommand):
    """A verb's name and help, with which a list of verbs can do; its callback returns the verb."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: _click.Context | None = None, **extra: Any
    ) -> _click.Context:
        """The context of the whole command."""
        return self.whole().make_context(info_name, args, parent, **extra)

    def whole(self) -> _click.Command:
        """The command with all its options."""
        assert self.callback is not None  # noqa: S101 - `add_verbs` gives it one
        verb: Verb = self.callback()
        return command_of(verb)


class GroupedCommand(TyperCommand):
    """A verb whose help lists its flags in groups, the verb's own options first."""

    def format_options(self, ctx: _click.Context, formatter: _click.HelpFormatter) -> None:
        """Write a section for each group of flags."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections.setdefault(_section(parameter), []).append((record[0], with_plain_range(record[1])))
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def with_plain_range(explained: str) -> str:
    """The help of an option, with the range of its value in words.

    >>> with_plain_range("Lines. [1<=x<=256]"), with_plain_range("Runs. [default: 50; x>=1]")
    ('Lines. [1 to 256]', 'Runs. [default: 50; at least 1]')
    """
    return re.sub(r"x>=(\d+)", r"at least \1", re.sub(r"(\d+)<=x<=(\d+)", r"\1 to \2", explained))


def _section(parameter: _click.core.Parameter) -> str:
    if parameter.param_type_name == "argument":
        return "Arguments"
    return getattr(parameter, "rich_help_panel", None) or "Options"
