"""One table: which flag sets which setting. A verb says by name which of them it takes.

The settings themselves are not imported here: `assay --help` has to answer at once. A test holds the table to them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import typer

# The settings that were given as flags, by name.
Given = dict[str, Any]

# What stands above a group of flags in `--help`.
COLLECTION = "Collection and search"
JUDGING = "Judging"
MODELS = "Language models"
WRITING = "Writing"
LIMITS = "Limits of one question"
TESTING = "Testing and mending"
SERVICES = "Services"
OUTSIDE = "Sources outside"


def _flag(kind: Any, group: str, explained: str, metavar: str | None = None, *names: str) -> Any:
    """The annotation of a flag that may be left out."""
    option = typer.Option(*names, metavar=metavar, help=explained, rich_help_panel=group)
    return Annotated[kind | None, option]


def _model(explained: str) -> Any:
    return _flag(str, MODELS, explained, "MODEL")


def _address(service: str) -> Any:
    return _flag(str, SERVICES, f"Address of {service}.", "URL")


FLAGS: Mapping[str, Any] = MappingProxyType(
    {
        "collection": _flag(str, COLLECTION, "Which collection. [default: default]", "NAME", "--collection", "-c"),
        "data_dir": _flag(Path, COLLECTION, "Folder of the collections and runs.", "FOLDER"),
        "embedder": _flag(str, COLLECTION, "bundled, a folder with an ONNX model, or openai:MODEL.", "WHICH"),
        "k": _flag(int, COLLECTION, "How many passages. [default: 8]", "N", "--k", "-k"),
        "mode": _flag(Literal["hybrid", "dense", "sparse"], COLLECTION, "How to search. [default: hybrid]"),
        "fusion": _flag(Literal["scaled", "rrf"], COLLECTION, "How hybrid search joins its two lists."),
        "mmr": _flag(float, COLLECTION, "Vary the passages; 1 is relevance only. [default: off]", "0-1"),
        "profile": _flag(
            Literal["fast", "balanced", "thorough", "auto"], JUDGING, "How deep to look. [default: fast]"
        ),
        "importance": _flag(
            Literal["low", "normal", "high"], JUDGING, "How much hangs on the answer, for the profile auto."
        ),
        "shadow": _flag(
            Literal["none", "fast", "balanced", "thorough"],
            JUDGING,
            "A second judge, recorded; it changes nothing.",
        ),
        "weights": _flag(Literal["fitted", "seed"], JUDGING, "Which weights the judge scores with."),
        "correct": _flag(float, JUDGING, "Evidence judged at least this suffices. [default: 0.7]", "0-1"),
        "incorrect": _flag(float, JUDGING, "Evidence judged below this is of no use. [default: 0.3]", "0-1"),
        "graded": _flag(
            str, JUDGING, "Ask a small local network, too, about claims, evidence, ranking. [default: none]", "LIST"
        ),
        "grader": _flag(str, JUDGING, "That network: bundled, or a folder with one. [default: bundled]", "WHICH"),
        "max_risk": _flag(
            float, JUDGING, "Show only that of which at most this share is wrong, by what was measured.", "0-1"
        ),
        "model": _flag(
            str,
            MODELS,
            "The model of every role: openai:NAME, gemini:NAME, anthropic:NAME, local:FILE.gguf or "
            "fake:SCRIPT.json. [default: none, answers are quoted]",
            "MODEL",
            "--model",
            "-m",
        ),
        "writer_model": _model("Who writes, where it is another one."),
        "simple_model": _model("Who writes answers to simple questions."),
        "judge_model": _model("Who judges the evidence, in balanced and thorough."),
        "condenser_model": _model("Who words follow-up questions and further searches."),
        "verifier_model": _model("Who tests claims, in balanced and thorough."),
        "repairer_model": _model("Who words failed sentences anew, in balanced and thorough."),
        "context_tokens": _flag(
            int, MODELS, "Tokens of prompt and reply that the model can take. [default: 8192]", "N"
        ),
        "detail": _flag(int, WRITING, "How much to say: 1 a phrase, 10 a chapter.", "1-10"),
        "expertise": _flag(Literal["beginner", "general", "expert"], WRITING, "For whom to write."),
        "citation_style": _flag(
            Literal["numbered", "named", "footnote", "author-page"], WRITING, "How the text names its sources."
        ),
        "references": _flag(
            bool, WRITING, "Whether a list of the sources follows the text.", None, "--references/--no-references"
        ),
        "rules": _flag(str, TESTING, "Output rules: a file, neutral or marketing. [default: neutral]", "RULES"),
        "unsupported": _flag(
            Literal["drop", "mark"],
            TESTING,
            "What becomes of a sentence that nothing mends. [default: drop; of the draft of `fix`, mark]",
        ),
        "verify_outside": _flag(
            bool,
            TESTING,
            "Search outside for claims that the documents do not bear out.",
            None,
            "--verify-outside/--no-verify-outside",
        ),
        "quality": _flag(float, TESTING, "An answer assessed below this is weak. [default: 0.7]", "0-1"),
        "floor": _flag(float, TESTING, "So is one below this in any criterion. [default: 0.5]", "0-1"),
        "criteria": _flag(
            str, TESTING, "What answers are assessed for: accuracy, relevance, … [default: all]", "LIST"
        ),
        "adaptive": _flag(
            bool,
            TESTING,
            "Whether the answer to a harder question must be better. [default: no-adaptive]",
            None,
            "--adaptive/--no-adaptive",
        ),
        "reflection": _flag(
            bool, TESTING, "Whether answers are looked at as a whole.", None, "--reflection/--no-reflection"
        ),
        "skip": _flag(str, TESTING, "Checks to switch off: numbers, names, rule:ID, …", "NAMES"),
        "keep_verdicts": _flag(
            bool,
            TESTING,
            "Whether a model's verdicts on claims are used again. [default: keep-verdicts]",
            None,
            "--keep-verdicts/--no-keep-verdicts",
        ),
        "history_messages": _flag(int, WRITING, "Messages of a dialogue in a prompt.", "N"),
        "max_calls": _flag(int, LIMITS, "Calls of models, each attempt counted.", "N"),
        "max_tokens": _flag(int, LIMITS, "Tokens of prompts and replies together.", "N"),
        "max_cost": _flag(float, LIMITS, "What it may cost, in US dollars.", "DOLLARS"),
        "deadline": _flag(float, LIMITS, "Time. [default: 10, 30 or 90, by profile]", "SECONDS"),
        "rounds": _flag(int, LIMITS, "How often to search.", "N"),
        "repairs": _flag(
            int, LIMITS, "How many repairs may ask a search or a model; correcting and dropping are free.", "N"
        ),
        "offline": _flag(bool, SERVICES, "Refuse every host but this machine.", None, "--offline/--no-offline"),
        "openai_base_url": _address("an OpenAI-compatible service"),
        "anthropic_base_url": _address("Anthropic's service"),
        "gemini_base_url": _address("Google's Gemini service"),
        "request_seconds": _flag(float, SERVICES, "Time for one request. [default: 60]", "SECONDS"),
        "idle_seconds": _flag(float, SERVICES, "How long a stream may be silent. [default: 20]", "SECONDS"),
        "retry_seconds": _flag(
            float, SERVICES, "Time before a failed call is made again; it doubles. [default: 1]", "SECONDS"
        ),
        "prices": _flag(
            str, SERVICES, 'Dollars per million tokens: {"openai:NAME": {"input": 1, "output": 2}}.', "JSON"
        ),
        "outside": _flag(
            str,
            OUTSIDE,
            "Ask these where the documents do not answer: searxng, brave, tavily, wikipedia, …",
            "LIST",
        ),
        "searxng_url": _flag(str, OUTSIDE, "Address of a SearXNG service.", "URL"),
        "mcp_server": _flag(str, OUTSIDE, "An MCP server that searches: its address or its command.", "SERVER"),
        "mcp_tool": _flag(str, OUTSIDE, "The name of its tool. [default: search]", "NAME"),
        "domains": _flag(str, OUTSIDE, "The only domains that pages are read from.", "LIST"),
        "denied_domains": _flag(str, OUTSIDE, "Domains that no page is read from.", "LIST"),
        "intranet_hosts": _flag(str, OUTSIDE, "Hosts of your own network that pages are read from.", "LIST"),
        "tape": _flag(
            bool, COLLECTION, "Whether the run can be replayed. [default: tape]", None, "--tape/--no-tape"
        ),
    }
)
# A secret on a command line is read by everyone who may list processes.
WITHOUT_FLAG = frozenset(
    {"openai_api_key", "anthropic_api_key", "gemini_api_key", "brave_api_key", "tavily_api_key"}
)

# What several verbs take together.
THE_COLLECTION = ("collection", "data_dir")
_GRADING = ("graded", "grader")
FOR_SEARCH = (*THE_COLLECTION, "embedder", "k", "mode", "fusion", "mmr", *_GRADING)
FOR_EMBEDDING = ("embedder", "offline", "openai_base_url")
FOR_MODELS = tuple(name for name in FLAGS if name.endswith("model") or name == "context_tokens")
_SERVICES = (
    "offline",
    *(name for name in FLAGS if name.endswith("_base_url")),
    *(name for name in FLAGS if name.endswith("_seconds")),
    "prices",
)
FOR_JUDGING = (
    *("profile", "importance", "shadow", "weights", "correct", "incorrect"),
    *("model", "judge_model", "condenser_model", "context_tokens"),
    *("history_messages", "max_calls", "max_tokens", "max_cost", "deadline", "rounds"),
    *_SERVICES,
)
_OUTSIDE = ("outside", "searxng_url", "mcp_server", "mcp_tool", "domains", "denied_domains", "intranet_hosts")
FOR_DOCTOR = (
    *("data_dir", "embedder", *_GRADING, *FOR_MODELS),
    *("profile", "max_cost", "deadline", *_SERVICES, *_OUTSIDE),
)
FOR_ASSESSING = ("quality", "floor", "criteria", "adaptive", "reflection")
FOR_CHECKING = (
    *(
        *THE_COLLECTION,
        "embedder",
        "profile",
        "rules",
        "max_risk",
        "verifier_model",
        "keep_verdicts",
        "context_tokens",
    ),
    *("max_calls", "max_tokens", "max_cost", "deadline", *_GRADING),
    *FOR_ASSESSING,
    *_SERVICES,
)
FOR_FIXING = (
    *(*THE_COLLECTION, "embedder", "profile", "rules", "unsupported", "skip"),
    *("model", "repairer_model", "verifier_model", "keep_verdicts", "context_tokens"),
    *("max_calls", "max_tokens", "max_cost", "deadline", "repairs", *_GRADING),
    *FOR_ASSESSING,
    *_SERVICES,
)
FOR_ANSWERS = tuple(FLAGS)


def takes(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb these flags; those that were set reach it together, as its parameter `given`."""

    def taking(verb: Callable[..., None]) -> Callable[..., None]:
        @wraps(verb)
        def with_flags(*arguments: Any, **values: Any) -> None:
            asked = {name: values.pop(name) for name in dict.fromkeys(names)}
            verb(*arguments, given={name: each for name, each in asked.items() if each is not None}, **values)

        signature = _with_flags(inspect.signature(verb, eval_str=True), names)
        # What typer reads a verb's options from.
        with_flags.__signature__ = signature  # type: ignore[attr-defined]
        with_flags.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
        return with_flags

    return taking


def _with_flags(signature: inspect.Signature, names: tuple[str, ...]) -> inspect.Signature:
    """The signature with a keyword for each flag in the place of `given`."""
    kind = inspect.Parameter.KEYWORD_ONLY
    flags = [inspect.Parameter(name, kind, default=None, annotation=FLAGS[name]) for name in dict.fromkeys(names)]
    own = [each for each in signature.parameters.values() if each.name != "given"]
    first = [each for each in own if each.kind is not kind]
    return signature.replace(parameters=[*first, *flags, *(each for each in own if each.kind is kind)])
