"""From settings to language models: the adapters, each with its provider's circuit and its price."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from assay.core.stages import LLM
from assay.core.tape import SystemClock
from assay.errors import UsageError
from assay.models.prices import PriceTable, price_known
from assay.models.provider import THINKING_TOKENS, may_think
from assay.models.run_model import Circuit, RunModel, Tuning
from assay.settings import ROLES, Settings
from assay.types import Role
from assay.wiring.paths import expanded

if TYPE_CHECKING:
    from assay.models.wire import ServiceModel

# The services that answer from elsewhere, and the host of each where no address is set.
_HOSTS: Mapping[str, str] = MappingProxyType(
    {
        "openai": "api.openai.com",
        "gemini": "generativelanguage.googleapis.com",
        "anthropic": "api.anthropic.com",
    }
)
# On a server of one's own a writer's prompt leaves this share of the window to thinking, where it would be full.
_THINKING_SHARE = 4
# Digits of a hash that tell one system prompt from another.
_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Models:
    """The language models of an engine by their names as set, each opened once; `roles` says who uses which."""

    by_name: Mapping[str, RunModel]
    roles: Mapping[Role, str]
    simple: str | None = None

    def of(self, role: Role) -> RunModel | None:
        """The model of a role, None where no model does it."""
        return self.by_name[self.roles[role]] if role in self.roles else None


class ModelPool:
    """The language models of an engine, each opened once, when it is first named, and kept until the engine closes.

    Raises UsageError for an unknown provider, a missing key, a host that offline mode refuses, and a price that
    is unknown where money is limited; MissingExtra where a provider's package is not installed.
    """

    def __init__(self, own: LLM | None = None, *, opens: bool = True) -> None:
        self.opens = opens
        self._own = own
        self._opened: dict[str, RunModel] = {}
        self._circuits: dict[str, Circuit] = {}
        self._lock = threading.Lock()

    def of(self, settings: Settings) -> Models:
        """Every model that the settings name; none where the engine opens none."""
        if not self.opens:
            return Models({}, {})
        roles = {role: name for role in ROLES if (name := settings.model_of(role)) is not None}
        names = dict.fromkeys([*roles.values(), *([settings.simple_model] if settings.simple_model else [])])
        with self._lock:
            for name in names:
                if name not in self._opened:
                    self._opened[name] = self._open(name, settings)
                _refuse_unpriced(self._opened[name].name, settings)
            return Models({name: self._opened[name] for name in names}, roles, settings.simple_model)

    def opened(self) -> tuple[RunModel, ...]:
        """The models to close: a model of the caller's own is left open."""
        return tuple(model for name, model in self._opened.items() if not self.is_own(name))

    def open_circuits(self) -> tuple[str, ...]:
        """The providers that failed so often in a row that they are left alone for now, each with its host."""
        circuits = tuple(self._circuits.items())  # models are opened in other threads
        return tuple(provider for provider, circuit in circuits if circuit.opened is not None)

    def is_own(self, name: str | None) -> bool:
        """True if a name is that of the caller's own model."""
        return self._own is not None and name == self._own.name

    def _open(self, name: str, settings: Settings) -> RunModel:
        if self._own is None or not self.is_own(name):
            return _connect(name, settings, self._circuits)
        refuse_offline(settings, self._own.host, name)
        return RunModel(self._own, Circuit(SystemClock()), PriceTable.of(name, settings.prices))


def open_models(settings: Settings) -> Models:
    """Every model that the settings name; raises what `ModelPool` raises."""
    return ModelPool().of(settings)


def all_anthropic(names: Collection[str | None]) -> bool:
    """True if there are models and all of them are Anthropic's, which take no temperature."""
    return bool(names) and all(name is not None and name.startswith("anthropic:") for name in names)


def tuning_of(name: str, settings: Settings) -> Tuning:
    """The tuning of a model under these settings."""
    effort, room = settings.reasoning_effort, settings.thinking_tokens
    room = THINKING_TOKENS[effort] if room is None else room
    if not may_think(name):
        effort, room = None, 0
    window = settings.context_tokens if _shares_window(name, settings) else None
    return Tuning(settings.judge_temperature, effort, room, window)


def thinking_within(name: str, settings: Settings) -> int:
    """Number of tokens of the context window that a writer's prompt leaves free for thinking."""
    tuning = tuning_of(name, settings)
    return 0 if tuning.window is None else min(tuning.thinking_tokens, tuning.window // _THINKING_SHARE)


def _shares_window(name: str, settings: Settings) -> bool:
    """True if `context_tokens` is all that a model can take: the vendors' own services take far more."""
    provider = name.partition(":")[0]
    return provider not in _HOSTS or getattr(settings, f"{provider}_base_url") is not None


def as_set(name: str, settings: Settings, role: Role) -> str:
    """A model's name with what is set of how it does a role, as far as it heeds that.

    >>> as_set("openai:x", Settings(writer_temperature=0.9, reasoning_effort="low"), "writer")
    'openai:x (temperature 0.9, effort low)'
    >>> as_set("openai:gpt-4o", Settings(writer_temperature=0.9, reasoning_effort="low"), "judge")
    'openai:gpt-4o'
    """
    writes = role == "writer"
    temperature = settings.writer_temperature if writes else settings.judge_temperature
    effort = settings.reasoning_effort if may_think(name) else None
    own = settings.system_prompt if writes else None
    parts = (
        "" if temperature is None or all_anthropic((name,)) else f"temperature {temperature:g}",
        "" if effort is None else f"effort {effort}",
        "" if own is None else f"system prompt {hashlib.sha256(own.encode()).hexdigest()[:_DIGITS]}",
    )
    told = ", ".join(part for part in parts if part)
    return f"{name} ({told})" if told else name


def _connect(name: str, settings: Settings, circuits: dict[str, Circuit]) -> RunModel:
    provider, model = provider_and_model(name, settings)
    if provider in _HOSTS:
        # First of all, so that nobody is asked for a key in vain.
        refuse_offline(settings, _host(provider, settings), name)
    adapter = _ADAPTERS[provider](model, settings)
    refuse_offline(settings, adapter.host, name)
    circuit = circuits.setdefault(f"{provider} {adapter.host}", Circuit(SystemClock()))
    return RunModel(adapter, circuit, PriceTable.of(adapter.name, settings.prices))


def _refuse_unpriced(name: str, settings: Settings) -> None:
    """Raise UsageError where money is limited and nobody knows what a model costs."""
    if settings.max_cost is not None and not price_known(name, settings.prices):
        raise UsageError(
            f"{settings.display_name('max_cost')} cannot be kept: the price of {name} is unknown",
            hint=f'set it in assay.toml: [prices."{name}"] input = …, output = … (US dollars per million), '
            "or with --prices JSON",
        )


def refuse_offline(settings: Settings, host: str, name: str) -> None:
    """Raise UsageError where offline mode is on and the host of the model or service `name` is another machine."""
    if settings.offline and not is_this_machine(host):
        raise UsageError(
            f"offline mode refuses {host}, the host of {name}: what is remote cannot be asked while offline",
            hint="use one on this machine (for models e.g. local:FILE.gguf), or leave --offline out",
        )


def _host(provider: str, settings: Settings) -> str:
    """The host of a service; empty for an address that is none, which the service's adapter says better."""
    url: str | None = getattr(settings, f"{provider}_base_url")
    if url is None:
        return _HOSTS[provider]
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # such as a bracket that is not closed
        return ""


def host_of(name: str, settings: Settings) -> str | None:
    """The host that prompts for a model are sent to, without opening it; "" is this process.

    None for a name that no provider has, and for an address that is none.

    >>> host_of("openai:x", Settings(openai_base_url="https://user:secret@llm.example.org:8443/v1"))
    'llm.example.org'
    >>> host_of("gemini:x", Settings()), host_of("local:x.gguf", Settings()), host_of("x", Settings())
    ('generativelanguage.googleapis.com', '', None)
    """
    try:
        provider, _ = provider_and_model(name, settings)
    except UsageError:
        return None
    return (_host(provider, settings) or None) if provider in _HOSTS else ""


def provider_and_model(name: str, settings: Settings) -> tuple[str, str]:
    """The two parts of `provider:model`; a bare name belongs to the OpenAI-compatible service that is set."""
    provider, colon, model = name.partition(":")
    if colon and model and provider in _ADAPTERS:
        return provider, model
    if settings.openai_base_url is not None and (provider not in _ADAPTERS or not colon):
        return "openai", name
    known = ", ".join(f"{provider}:" for provider in _ADAPTERS)
    raise UsageError(
        f"{name!r} names no model of a known provider ({known})",
        hint="write it as provider:model, e.g. openai:gpt-5-mini; a bare name needs --openai-base-url",
    )


def is_this_machine(host: str) -> bool:
    """True if a host is this machine; an empty one is this process.

    >>> is_this_machine("127.0.0.1"), is_this_machine("localhost"), is_this_machine("api.openai.com")
    (True, True, False)
    """
    if host in ("", "localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _openai(model: str, settings: Settings) -> LLM:
    from assay.models.openai import OpenAiModel

    return _of_service(OpenAiModel, model, settings)


def _gemini(model: str, settings: Settings) -> LLM:
    from assay.models.gemini import GeminiModel

    return _of_service(GeminiModel, model, settings)


def _anthropic(model: str, settings: Settings) -> LLM:
    from assay.models.anthropic import AnthropicModel

    return _of_service(AnthropicModel, model, settings)


def _of_service(adapter: type[ServiceModel[Any]], model: str, settings: Settings) -> LLM:
    """A provider's own service does not answer without a key, a service of one's own may."""
    provider = adapter.provider
    key: SecretStr | None = getattr(settings, f"{provider}_api_key")
    url: str | None = getattr(settings, f"{provider}_base_url")
    if key is None and url is None:
        hint = f"set {adapter.variables[0]}, or use --model local:FILE.gguf"
        raise UsageError(f"{provider} needs a key, but none is set", hint=hint)
    return adapter(
        model,
        api_key=key.get_secret_value() if key else None,
        base_url=url or None,
        seconds=settings.request_seconds,
        idle_seconds=settings.idle_seconds,
        key_named=settings.display_name(f"{provider}_api_key"),
        url_named=settings.display_name(f"{provider}_base_url"),
    )


def _local(model: str, settings: Settings) -> LLM:
    from assay.models.local import LocalModel

    file = expanded(model, named=f"local:{model}", hint="name a model as local:PATH of a GGUF file")
    return LocalModel.open(file, context_tokens=settings.context_tokens)


def _fake(model: str, settings: Settings) -> LLM:
    from assay.models.scripted import ScriptedModel

    file = expanded(model, named=f"fake:{model}", hint="name a script as fake:PATH of a JSON file")
    return ScriptedModel.load(file)


# The adapters are imported when they are first used: their packages are large, and optional.
_ADAPTERS: Mapping[str, Callable[[str, Settings], LLM]] = {
    "openai": _openai,
    "gemini": _gemini,
    "anthropic": _anthropic,
    "local": _local,
    "fake": _fake,
}
