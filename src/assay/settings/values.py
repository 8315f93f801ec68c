"""Every setting with its type, its bounds and what it is for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_data_path
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    SecretStr,
    field_validator,
    model_validator,
)

from assay.core.profiles import PROFILES
from assay.settings.files import variable_of
from assay.types import CitationStyle, Criterion, Effort, Limits, QuestionKind, Role, Scalar, SearchMode

# Each role's model, and the settings that name one.
ROLES: tuple[Role, ...] = ("condenser", "judge", "writer", "verifier", "repairer")
MODEL_SETTINGS = ("model", "simple_model", *(f"{role}_model" for role in ROLES))

# The first round is the documents'; who names a service outside wants it asked.
ROUNDS_OUTSIDE = 2
# The length of a name is a bound of its own: within the pattern it would take tens of milliseconds to compile.
_NAME = r"^\w[\w.-]*$"
# The most characters of an unreadable value that a message shows.
_SHOWN = 40

ModelName = Annotated[str | None, Field(min_length=1, max_length=1000)]
JudgedBy = Literal["rules", "model"]
SearchingAgain = Literal["REFINE", "EXTERNAL"]
GainOrSeconds = Literal["correct", "ambiguous", "incorrect", "seconds"]
Address = Annotated[str | None, Field(pattern=r"^https?://\S+$")]


def _pair(text: object) -> tuple[str, Scalar]:
    """A name and its value; a number or truth value where the text is one in JSON."""
    name, equals, value = text.partition("=") if isinstance(text, str) else ("", "", "")
    if not name or not equals:
        shown = " ".join(str(text).split())[:_SHOWN]
        raise ValueError(f"{shown!r} is not NAME=VALUE, e.g. year=2024")
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return name.strip(), value
    return name.strip(), read if isinstance(read, int | float | bool | str) else value


class Settings(BaseModel):
    """Every setting, checked and frozen.

    >>> Settings(k=5).k
    5
    >>> Settings(openai_api_key="sk-abcdefghijkl").openai_api_key
    SecretStr('**********')
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", validate_default=True, hide_input_in_errors=True, allow_inf_nan=False
    )

    _display_names: Mapping[str, str] = PrivateAttr(default_factory=dict)

    data_dir: Path = Field(
        default_factory=lambda: user_data_path("assay"),
        description="folder for the collections and the runs",
    )
    store: SecretStr | None = Field(
        None,
        description="Postgres database that stores collections, runs, and a server's keys and uploads instead, "
        "postgresql://USER@HOST/DATABASE (extra postgres); none: data_dir stores them",
    )
    search_engine: SecretStr | None = Field(
        None,
        description="Qdrant server that searches the store's large collections, qdrant://KEY@HOST:PORT "
        "(extra qdrant); none: the store searches them",
    )
    tenant: str = Field(
        "default",
        pattern=_NAME,
        max_length=64,
        description="tenant whose collections and runs are used, in a shared Postgres database",
    )
    collection: str = Field(
        "default",
        pattern=_NAME,
        max_length=64,
        description="the collection's name: letters, digits, dot, dash and underscore, at most 64",
    )
    profile: Literal["fast", "balanced", "thorough", "auto"] = Field(
        "fast",
        description="how thoroughly to judge and check; auto chooses by the question's risk, its importance and "
        "the load",
    )
    importance: Literal["low", "normal", "high"] = Field(
        "normal", description="how costly a wrong answer is, for the profile auto"
    )
    k: int = Field(8, ge=1, le=200, description="number of passages that a search returns")
    where: dict[str, Scalar] = Field(
        default_factory=dict,
        description="metadata that passages must have: NAME=VALUE, separated by commas",
    )
    mode: SearchMode = Field(SearchMode.HYBRID, description="how to search")
    fusion: Literal["scaled", "rrf"] = Field("scaled", description="how hybrid search merges its two rankings")
    mmr: float | None = Field(
        None, ge=0, le=1, description="diversity of the passages: 1 is relevance only; none switches it off"
    )
    correct: float = Field(0.7, ge=0, le=1, description="a passage with at least this score is relevant")
    incorrect: float = Field(0.3, ge=0, le=1, description="a passage with a score below this is irrelevant")
    judging: Literal["decide", "log", "off"] = Field(
        "decide",
        description="whether the judgement of the evidence decides if there is an answer, is only recorded, "
        "or is not made",
    )
    excellent: float = Field(0.9, ge=0, le=1, description="minimum sufficiency of excellent evidence")
    good: float = Field(0.7, ge=0, le=1, description="minimum sufficiency of good evidence")
    partial: float = Field(0.5, ge=0, le=1, description="minimum sufficiency of partial evidence")
    borderline_low: float | None = Field(
        None, ge=0, le=1, description="minimum sufficiency at which the judge model is called; none: as learned"
    )
    borderline_high: float | None = Field(
        None, ge=0, le=1, description="maximum sufficiency at which the judge model is called; none: as learned"
    )
    least_passages: int = Field(1, ge=1, le=200, description="minimum number of passages in sufficient evidence")
    answers_from: float | None = Field(
        None,
        ge=0,
        le=1,
        description="minimum score for an answer to count as answering the question; none: what was learned for "
        "the collection, or the built-in value",
    )
    search_utility: dict[JudgedBy, dict[SearchingAgain, dict[GainOrSeconds, float]]] = Field(
        default_factory=dict,
        description="the gain and the seconds of searching again, by judge, action and triage, over what ships; "
        "none: what was learned for the collection",
    )
    max_risk: float | None = Field(
        None, gt=0, lt=1, description="maximum share of wrong answers among those shown; none: no limit is promised"
    )
    rounds: int | None = Field(None, ge=1, le=10, description="maximum number of searches for one question")
    repairs: int | None = Field(
        None,
        ge=0,
        le=20,
        description="maximum number of repairs of one answer that search or call a model; correcting and dropping "
        "do not count",
    )
    max_calls: int | None = Field(None, ge=0, le=200, description="maximum number of model calls for one question")
    max_tokens: int | None = Field(
        None, ge=1, description="maximum number of tokens for one question; none: no limit"
    )
    max_cost: float | None = Field(
        None, gt=0, description="maximum cost of one question, in US dollars; none: no limit"
    )
    deadline: float | None = Field(None, gt=0, le=3600, description="time limit for one question, in seconds")
    model: ModelName = Field(
        None,
        description="the language model for every role: openai:NAME, gemini:NAME, anthropic:NAME, local:FILE.gguf, "
        "fake:SCRIPT.json; none: answers are quoted, not written",
    )
    simple_model: ModelName = Field(
        None, description="a cheaper model for simple questions, in addition to another one"
    )
    condenser_model: ModelName = Field(
        None, description="the model that rewrites follow-up questions and search queries"
    )
    judge_model: ModelName = Field(
        None, description="the model that judges the evidence (profiles balanced and thorough)"
    )
    writer_model: ModelName = Field(None, description="the model that writes answers")
    verifier_model: ModelName = Field(
        None, description="the model that checks the sentences that the tests cannot settle, in one call"
    )
    repairer_model: ModelName = Field(
        None, description="the model that rewrites failed sentences (profiles balanced and thorough)"
    )
    writer_temperature: float | None = Field(
        None,
        ge=0,
        le=2,
        description="temperature of the model that writes; none: 0.1, for comparisons 0.2, for explanations 0.3",
    )
    judge_temperature: float | None = Field(
        None, ge=0, le=2, description="temperature of the models that judge, assess and check claims; none: 0"
    )
    reasoning_effort: Effort | None = Field(
        None, description="how much models reason before they reply; none: the model's own default"
    )
    thinking_tokens: int | None = Field(
        None,
        ge=0,
        le=200_000,
        description="reasoning tokens before each reply, in addition to those of the reply; on your own server "
        "only as far as context_tokens allows; none: 8192, at low effort 4096, at high 24576",
    )
    reply_tokens: int | None = Field(
        None,
        ge=16,
        description="maximum length of an answer in tokens, up to a third of context_tokens; none: 384 to 1536, "
        "depending on detail",
    )
    system_prompt: str | None = Field(
        None,
        max_length=20_000,
        pattern=r"\S",
        description="your own instructions for the writer; assay's own rules take precedence",
    )
    kind: QuestionKind | None = Field(None, description="type of answer; none: chosen by the question")
    detail: int | None = Field(
        None, ge=1, le=10, description="level of detail, from 1 (a phrase) to 10 (a chapter)"
    )
    expertise: Literal["beginner", "general", "expert"] | None = Field(None, description="the intended audience")
    citation_style: CitationStyle = Field(CitationStyle.NUMBERED, description="how the text cites its sources")
    explain: bool = Field(
        False,
        description="whether the answer object includes the writer's prompt and a map from statements to sources",
    )
    references: bool = Field(False, description="whether a list of the sources follows the text")
    ask_back: bool = Field(
        False,
        description="whether to ask back if a question is unclear; if not, it is answered or refused as any other",
    )
    history_messages: int | None = Field(
        None, ge=0, le=100, description="number of earlier messages to include in a prompt"
    )
    context_tokens: int = Field(8192, ge=512, description="the model's context window, in tokens")
    request_seconds: float = Field(
        60.0, gt=0, le=3600, description="time limit for one request to a model, in seconds"
    )
    idle_seconds: float = Field(
        20.0, gt=0, le=3600, description="time limit for a stream that sends nothing, in seconds"
    )
    retry_seconds: float = Field(
        1.0,
        ge=0,
        le=60,
        description="seconds before a failed model call is retried; doubles each time, three times",
    )
    prices: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        description="US dollars per million input, output and cached tokens, by model; overrides the known prices",
    )
    outside: tuple[Literal["searxng", "brave", "tavily", "wikipedia", "duckduckgo", "mcp"], ...] = Field(
        (), description="services to search if the documents do not answer, in this order"
    )
    searxng_url: Address = Field(None, description="address of a SearXNG service")
    brave_api_key: SecretStr | None = Field(None, description="key of Brave's search")
    tavily_api_key: SecretStr | None = Field(None, description="key of Tavily's search")
    mcp_server: str | None = Field(
        None,
        min_length=1,
        description="an MCP server with a search tool: its address, or the command that starts it",
    )
    mcp_tool: str = Field("search", min_length=1, description="the name of that tool")
    domains: tuple[str, ...] = Field((), description="the only domains to read pages from; none: all")
    denied_domains: tuple[str, ...] = Field((), description="domains to read no pages from")
    intranet_hosts: tuple[str, ...] = Field((), description="hosts on your own network to read pages from")
    rules: str = Field(
        "neutral", min_length=1, description="output rules: a file, or the name of a set that comes with assay"
    )
    unsupported: Literal["drop", "mark"] = Field(
        "drop",
        description="whether a sentence that no source supports and no repair can fix is dropped or marked ⚠",
    )
    verify_outside: bool = Field(
        False, description="whether outside sources are searched for claims that the documents do not support"
    )
    quality: float = Field(0.7, ge=0, le=1, description="minimum overall score; answers below it are weak")
    floor: float = Field(0.5, ge=0, le=1, description="minimum score for each criterion; answers below it are weak")
    criteria: tuple[Criterion, ...] = Field(
        (), description="the criteria that answers are assessed by; none: all six"
    )
    reflection: bool = Field(True, description="whether answers follow output rules and are assessed as a whole")
    skip: tuple[str, ...] = Field(
        (), description="checks to skip, by name: numbers, names, rule:ID, …; they are reported as skipped"
    )
    spelling: bool = Field(True, description="whether misspelt words are corrected for the search")
    keep_verdicts: bool = Field(
        True,
        description="whether verdicts of a verifying model are stored, and reused where "
        "claim and passages are the same",
    )
    reuse: Literal["off", "same", "near"] = Field(
        "off",
        description="whether a stored answer is reused if the documents still support it: off, same: for the same "
        "question, or near: also for one that asks the same in other words",
    )
    offline: bool = Field(False, description="make no network connections except to this machine")
    record: Literal["all", "outline", "off"] = Field(
        "all",
        description="how much of a run is recorded: all, an outline without the text of documents and answers and "
        "without a tape, or nothing",
    )
    tape: bool = Field(True, description="whether runs are recorded so that they can be replayed")
    traces: bool = Field(False, description="whether runs are traced as OpenTelemetry spans (extra otel)")
    telemetry_texts: bool = Field(
        False,
        description="whether these spans include the text of questions, prompts, replies and answers; SPAN_ONLY "
        "and SPAN_AND_EVENT count as true, NO_CONTENT and EVENT_ONLY as false",
    )
    embedder: str = Field(
        "bundled",
        min_length=1,
        description="the embedding model: bundled, a folder with an ONNX model, hf:ORG/NAME@REVISION, or "
        "openai:MODEL",
    )
    checker: str = Field(
        "bundled",
        min_length=1,
        description="the network that tests claims against their sources: bundled, a folder with one, "
        "hf:ORG/NAME@REVISION, or none",
    )
    reader: str = Field(
        "bundled",
        min_length=1,
        description="the network that finds answers in passages: bundled, a folder with one, "
        "hf:ORG/NAME@REVISION, or none",
    )
    reranker: str = Field(
        "none",
        min_length=1,
        description="the network that reorders the passages found: a folder with one, "
        "hf:ORG/NAME@REVISION, or none",
    )
    openai_base_url: Address = Field(None, description="address of an OpenAI-compatible service")
    openai_api_key: SecretStr | None = Field(None, description="its key")
    anthropic_base_url: Address = Field(None, description="address of Anthropic's service")
    anthropic_api_key: SecretStr | None = Field(None, description="its key")
    gemini_base_url: Address = Field(None, description="address of Google's Gemini service")
    gemini_api_key: SecretStr | None = Field(None, description="its key")

    @field_validator("data_dir")
    @classmethod
    def _expanded(cls, value: Path) -> Path:
        try:
            return value.expanduser().absolute()
        except RuntimeError as error:  # ~name of nobody here
            raise ValueError(f"{value} is in no one's home folder") from error

    @field_validator("store")
    @classmethod
    def _of_postgres(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ValueError("must be the address of a Postgres database, postgresql://USER:PASSWORD@HOST/DATABASE")
        return value

    @field_validator("search_engine")
    @classmethod
    def _of_qdrant(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith("qdrant://"):
            raise ValueError("must be the address of a Qdrant server, qdrant://KEY@HOST:PORT")
        return value

    @model_validator(mode="after")
    def _ordered(self) -> Settings:
        low, high = self.borderline_low, self.borderline_high
        pairs = [("incorrect", "correct"), ("partial", "good"), ("good", "excellent")]
        if low is not None and high is not None:
            pairs.append(("borderline_low", "borderline_high"))
        for lower, upper in pairs:
            if getattr(self, lower) > getattr(self, upper):
                raise ValueError(f"{lower} must not be above {upper}")
        return self

    @field_validator("outside", "domains", "denied_domains", "intranet_hosts", "skip", "criteria", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """Lists from a variable or a flag come as words between commas."""
        return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value

    @field_validator("telemetry_texts", mode="before")
    @classmethod
    def _captured(cls, value: Any) -> Any:
        """The choice of what OpenTelemetry's instrumentations may capture, as far as it bears on spans."""
        spans = {"SPAN_ONLY": True, "SPAN_AND_EVENT": True, "NO_CONTENT": False, "EVENT_ONLY": False}
        return spans.get(value.strip().upper(), value) if isinstance(value, str) else value

    @field_validator("where", mode="before")
    @classmethod
    def _paired(cls, value: Any) -> Any:
        """Metadata from a variable or a flag come as pairs; a value that is JSON is what it says."""
        pairs = value.split(",") if isinstance(value, str) else value
        return dict(_pair(pair) for pair in pairs if pair) if isinstance(pairs, list | tuple) else pairs

    @field_validator("prices", "search_utility", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        """Tables from a variable or a flag come as JSON."""
        try:
            return json.loads(value) if isinstance(value, str) else value
        except RecursionError as error:
            raise ValueError("nested too deeply") from error

    @field_validator("prices")
    @classmethod
    def _priced(cls, value: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        for rates in value.values():
            if not rates.keys() <= {"input", "output", "cached"} or min(rates.values(), default=0) < 0:
                raise ValueError("a model's price is {input, output, cached} in US dollars, none below 0")
        return value

    @field_validator("search_utility")
    @classmethod
    def _bounded(cls, value: dict[Any, dict[Any, dict[Any, float]]]) -> dict[Any, dict[Any, dict[Any, float]]]:
        rows = [row for actions in value.values() for row in actions.values()]
        gains = [number for row in rows for name, number in row.items() if name != "seconds"]
        if any(not abs(gain) <= 1 for gain in gains) or any(not 0 <= row.get("seconds", 0) <= 3600 for row in rows):
            raise ValueError("a gain is a number from -1 to 1, and seconds are from 0 to 3600")
        return value

    def display_name(self, name: str) -> str:
        """The name of a setting in messages: the flag, the variable or the line in a file of its value."""
        return self._display_names.get(name, variable_of(name))

    def was_set(self, name: str) -> bool:
        """True if somebody set it, by a flag, a variable or a file: a profile or the default says it otherwise."""
        return name in self._display_names

    def limits(self, profile: str) -> Limits:
        """The limits of one question at this depth; what is set holds at any.

        >>> Settings(max_calls=3).limits("balanced")
        Limits(rounds=2, repairs=4, calls=3, seconds=30.0, tokens=None, cost=None)
        """
        at = {
            name: usual if (own := getattr(self, name)) is None else own
            for name, usual in PROFILES[profile].items()
        }
        rounds = int(at["rounds"])
        return Limits(
            rounds=max(rounds, ROUNDS_OUTSIDE) if self.outside and self.rounds is None else rounds,
            repairs=int(at["repairs"]),
            calls=int(at["max_calls"]),
            seconds=float(at["deadline"]),
            tokens=self.max_tokens,
            cost=self.max_cost,
        )

    def messages(self, profile: str) -> int:
        """Number of messages of a dialogue in a prompt at this depth."""
        own = self.history_messages
        return int(PROFILES[profile]["history_messages"]) if own is None else own

    def model_of(self, role: Role) -> str | None:
        """The model that does a role, None where no model does.

        Where another model than the writer's is set, the judge and the verifier use it: nobody judges their own
        work best.

        >>> Settings(model="openai:a").model_of("judge")
        'openai:a'
        >>> Settings(model="openai:a", simple_model="openai:b").model_of("judge")
        'openai:b'
        """
        own: str | None = getattr(self, f"{role}_model")
        if own is not None or role not in ("judge", "verifier"):
            return own or self.model
        writer = self.model_of("writer")
        others = (getattr(self, name) for name in MODEL_SETTINGS)
        return next((other for other in others if other not in (None, writer)), self.model)

    @property
    def runs_file(self) -> Path:
        """The file in which runs are recorded."""
        return self.data_dir / "runs.sqlite"
