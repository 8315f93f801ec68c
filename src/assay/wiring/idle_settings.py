"""Settings and options that are set and change nothing: warned of, or refused."""

from __future__ import annotations

from collections.abc import Iterable

from assay.core.profiles import PROFILES
from assay.errors import UsageError
from assay.models.provider import may_think
from assay.settings import ROLES, Settings
from assay.types import AskOptions
from assay.wiring.models import all_anthropic

# Settings that only a model that writes heeds.
_OF_WRITERS = (
    *("detail", "expertise", "simple_model", "writer_temperature", "reply_tokens", "system_prompt"),
    "history_messages",
)
# Settings that only models heed that think before they reply.
_OF_THINKING = ("reasoning_effort", "thinking_tokens")
# Settings that any model heeds, and nothing else. Limits are not among them: they hold without a model, too.
_OF_MODELS = ("context_tokens", "prices")
_BORDERLINE = ("borderline_low", "borderline_high")
# Settings that name the judgement of the evidence, or decide by it.
_OF_JUDGEMENTS = ("excellent", "good", "partial", "least_passages", *_BORDERLINE)
_OF_PAGES = ("domains", "denied_domains", "intranet_hosts")
_OF_MCP = ("mcp_server", "mcp_tool")
_OF_ASSESSMENTS = ("criteria", "quality", "floor")


def idle_warnings(
    settings: Settings, profile: str, *, answers: bool = True, condenses: bool = True
) -> tuple[str, ...]:
    """A warning for each setting that is set and changes nothing at this depth.

    `answers` is False where what comes from elsewhere is tested or repaired, `condenses` where there is neither a
    dialogue nor a second search.

    >>> idle_warnings(Settings(detail=9), "fast")
    ('detail is set and changes nothing: no model writes, and answers are quoted; set one with --model',)
    >>> idle_warnings(Settings(model="anthropic:claude-opus-5", writer_temperature=0.9), "balanced")
    ("writer_temperature is set and changes nothing: Anthropic's models take no temperature",)
    >>> idle_warnings(Settings(fusion="rrf", mode="dense"), "fast")
    ('fusion is set and changes nothing: only a hybrid search joins two lists; set --mode hybrid',)
    """
    causes = _causes(settings, profile, answers=answers, condenses=condenses)
    return tuple(
        f"{name} is set and changes nothing: {cause}" for name, cause in causes.items() if _is_set(settings, name)
    )


def refuse_idle_options(options: AskOptions, settings: Settings) -> None:
    """Raise UsageError for an option that would change nothing under the settings that it is a part of.

    >>> refuse_idle_options(AskOptions(detail=9), Settings(detail=9))
    Traceback (most recent call last):
    ...
    assay.errors.UsageError: the option detail changes nothing: no model writes, and answers are quoted
    """
    causes = _causes(settings, "thorough" if settings.profile == "auto" else settings.profile)
    # The option also says how many of the given messages count.
    causes.pop("history_messages", None)
    for name in options.values:
        if name in causes:
            cause, _, hint = causes[name].partition("; ")
            raise UsageError(f"the option {name} changes nothing: {cause}", hint=hint or "leave it out")


def _is_set(settings: Settings, name: str) -> bool:
    """True if a setting has another value than by default; a recorded run does not tell who set what."""
    usual = PROFILES.get(settings.profile, PROFILES["fast"]).get(name, Settings.model_fields[name].default)
    value = getattr(settings, name)
    return bool(value) if name == "prices" else value is not None and value != usual


def _causes(settings: Settings, profile: str, *, answers: bool = True, condenses: bool = True) -> dict[str, str]:
    """The causes why settings change nothing at this depth, by their names; set or not."""
    causes: dict[str, str] = {}

    def add(names: Iterable[str], cause: str) -> None:
        causes.update(dict.fromkeys(names, cause))

    if settings.profile != "auto":
        add(["importance"], "only the profile auto goes by it; set --profile auto")
    if settings.mode.value != "hybrid":
        add(["fusion"], "only a hybrid search joins two lists; set --mode hybrid")
    if settings.judging == "off":
        add(_OF_JUDGEMENTS, "the evidence is not judged; set --judging decide")
        if profile != "thorough" or not settings.reflection:
            add(["judge_model"], "nothing is judged or assessed by a model; set --judging decide")
    if not settings.reflection:
        add(_OF_ASSESSMENTS, "answers are not assessed; set --reflection")
        add(["rules"], "answers are not held to rules; set --reflection")
    if not settings.outside:
        add((*_OF_PAGES, *_OF_MCP), "nothing outside is searched; name a service with --outside")
    elif "mcp" not in settings.outside:
        add(_OF_MCP, "no MCP server is searched; add mcp to --outside")
    if settings.record != "all":
        add(["reuse"], "answers are not recorded with their texts; set --record all")
    causes |= _causes_of_models(settings, profile, answers=answers, condenses=condenses)
    return causes


def _causes_of_models(settings: Settings, profile: str, *, answers: bool, condenses: bool) -> dict[str, str]:
    causes: dict[str, str] = {}

    def add(names: Iterable[str], cause: str) -> None:
        causes.update(dict.fromkeys(names, cause))

    writes = settings.model_of("writer") is not None
    names = {name for role in ROLES if (name := settings.model_of(role)) is not None}
    if not writes:
        add(_OF_WRITERS, "no model writes, and answers are quoted; set one with --model")
    if not names:
        unasked = (*_OF_THINKING, *_OF_MODELS, "judge_temperature", *_BORDERLINE)
        add(unasked, "no model is asked; set one with --model")
    elif not any(may_think(name) for name in names):
        add(_OF_THINKING, f"{', '.join(sorted(names))} does not think before it replies")
    if names and profile == "fast":
        idle = ("judge_model", "repairer_model", *_BORDERLINE)
        cause = "no model judges or repairs at the depth fast; set --profile balanced"
        add(idle if settings.verifier_model else (*idle, "judge_temperature"), cause)
    if not condenses:
        add(["condenser_model"], "there is no dialogue and no second search; set --rounds 2 or --profile balanced")
    if answers and not writes:
        add(["verifier_model"], "no model writes, and quotes leave nothing open; set one with --model")
    if settings.verifier_model is None:
        add(["keep_verdicts"], "no model tests claims; set one with --verifier-model")
    no_temperature = "Anthropic's models take no temperature"
    if all_anthropic({settings.model_of("writer"), settings.simple_model} - {None}):
        add(["writer_temperature"], no_temperature)
    if all_anthropic({settings.model_of("judge"), settings.model_of("verifier")} - {None}):
        add(["judge_temperature"], no_temperature)
    return causes
