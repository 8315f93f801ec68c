"""Which model does each role, on which host, and whether chat, stream, JSON and embeddings work with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import urlsplit

from pydantic import BaseModel

from assay.cli.examine import Examined
from assay.core.stages import Pair
from assay.errors import SLOW, AssayError, unusable
from assay.models.hub_folder import HubFolder
from assay.models.run_model import RunModel
from assay.settings import MODEL_SETTINGS, ROLES, Resolved, Settings
from assay.settings.files import VARIABLES
from assay.types import ModelReply, ModelRequest, Passage, PromptMessage, Status, TitledText
from assay.web.sources import SearchProvider
from assay.wiring import open_embedder
from assay.wiring.models import open_models, provider_and_model, tuning_of
from assay.wiring.networks import open_checker_network, open_reader, open_reranker
from assay.wiring.web import open_provider

# Seconds for one test; a model in a file is loaded within the first.
PATIENCE = 30.0
# Roles whose model is asked only where it is set for the role itself.
ASKED_WHERE_SET = frozenset({"verifier"})
_HERE = "this process"
_UNFITTED = (
    "not fitted: what it says stands in a claim's history and settles nothing; fit it: assay calibrate --claims "
    "CLAIMS.jsonl --checker NAME (docs/how-to/use-open-models.md)"
)


class _Ready(BaseModel):
    """What the JSON test wants to be told."""

    ready: bool


_CHAT = ModelRequest(
    "writer", (PromptMessage("user", "Reply with the one word: ready"),), max_tokens=64, temperature=0.0
)
_JSON = ModelRequest(
    "judge",
    (PromptMessage("user", 'Reply with this JSON object and nothing else: {"ready": true}'),),
    _Ready,
    max_tokens=512,
    temperature=0.0,
)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A model under its name in the settings, or why it cannot be opened."""

    name: str
    model: RunModel | None
    error: str = ""

    @property
    def host(self) -> str:
        """Where prompts go."""
        return (self.model.host if self.model is not None else "") or _HERE


def examine_embedder(resolved: Resolved) -> Iterator[Examined]:
    """Whether the network may be used, and the embedder: opening it compares its files, or asks its service."""
    settings = resolved.settings
    service = settings.embedder.startswith("openai:")
    host = _host(settings.openai_base_url or "https://api.openai.com") if service else _HERE
    key = key_told("openai", resolved) if service else ""
    what = "role embedder"
    if settings.offline:
        yield Examined("offline", Status.PASSED, "every host but this machine is refused")
    try:
        embedder = open_embedder(settings)
        asyncio.run(embedder.aclose())
    except AssayError as error:
        yield Examined(what, Status.FAILED, f"{settings.embedder} → {host}{key}: {told(error)}")
        return
    model = embedder.model
    covers = f"; languages: {', '.join(model.languages) or 'not said'}; other scripts are searched by words only"
    yield Examined(
        what, Status.PASSED, f"{model.id} → {host}{key}, embeddings of {model.dimension} dimensions{covers}"
    )


def _host(address: str) -> str:
    """The host of an address; the address itself where it has none that can be read."""
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address


def examine_reader(resolved: Resolved) -> Iterator[Examined]:
    """The reader: opening it compares its files, and reading a text opens its network."""
    settings, what = resolved.settings, "role reader"
    try:
        opened = open_reader(settings)
        if opened is None:
            yield Examined(what, Status.SKIPPED, "off: answers are picked by words and vectors alone")
            return
        asyncio.run(opened.reader.read("Is it read?", [TitledText("", "It is read.")]))
    except AssayError as error:
        yield Examined(what, Status.FAILED, f"{settings.reader}: {told(error)}")
        return
    for close in opened.closing:
        close()
    languages = ", ".join(opened.reader.model.languages)
    file = file_of(opened.reader)
    yield Examined(what, Status.PASSED, f"{opened.reader.model.id} → {_HERE}; {file}languages: {languages}")


def examine_checker(resolved: Resolved) -> Iterator[Examined]:
    """The checker: opening it compares its files, and checking a claim opens its network."""
    settings, what = resolved.settings, "role checker"
    try:
        opened = open_checker_network(settings)
        if opened is None:
            yield Examined(what, Status.SKIPPED, "off: claims are tested by words, vectors and rules alone")
            return
        asyncio.run(opened.checker.check([Pair("It is read.", "It is read.")]))
    except AssayError as error:
        yield Examined(what, Status.FAILED, f"{settings.checker}: {told(error)}")
        return
    for close in opened.closing:
        close()
    model = opened.checker.model
    told_of = f"{model.id} → {_HERE}; {file_of(opened.checker)}languages: {', '.join(model.languages)}"
    if model.policy is None:
        yield Examined(what, Status.UNKNOWN, f"{told_of}; sha256 {model.sha256}; {_UNFITTED}")
    else:
        yield Examined(what, Status.PASSED, told_of)


def examine_reranker(resolved: Resolved) -> Iterator[Examined]:
    """The reranker: reading a passage opens its network."""
    settings, what = resolved.settings, "role reranker"
    try:
        opened = open_reranker(settings)
        if opened is None:
            yield Examined(what, Status.SKIPPED, "off: passages keep the order of the search")
            return
        opened.logits("Is it read?", [Passage("p", "d", "", 0, 11, "It is read.")])
        opened.close()
    except AssayError as error:
        yield Examined(what, Status.FAILED, f"{settings.reranker}: {told(error)}")
        return
    yield Examined(what, Status.PASSED, f"{opened.id} → {_HERE}; {file_of(opened)}it orders passages, no more")


def file_of(network: object) -> str:
    """Which of the networks in a folder was taken, where there are several."""
    folder = getattr(network, "folder", None)
    if not isinstance(folder, HubFolder) or not folder.others:
        return ""
    return f"{folder.taken} of {len(folder.others) + 1} networks in the folder; "


def examine_models(resolved: Resolved) -> Iterator[Examined]:
    """Each role with its model and host, then the tests of each model."""
    settings = resolved.settings
    opened = {name: _open(name, settings) for name in dict.fromkeys(_roles(settings).values())}
    for role, name in _roles(settings).items():
        yield _role(role, opened[name], resolved)
    if not opened:
        yield Examined("role writer", Status.SKIPPED, "no model: answers are quoted; set one with --model")
    yield from _patience(settings, tuple(opened))
    for found in asyncio.run(_tested([each for each in opened.values() if each.model is not None])):
        yield from found


def _patience(settings: Settings, names: Sequence[str]) -> Iterator[Examined]:
    """Whether a question may take as long as a model in a file can need; to be slow is no fault."""
    seconds = settings.limits("fast").seconds
    if seconds < SLOW and any(name.startswith("local:") for name in names):
        told = f"{seconds:g} s for one question; a model in a file can need {SLOW:g} s: set --deadline {SLOW:g}"
        yield Examined("deadline", Status.UNKNOWN, told)


def _roles(settings: Settings) -> Mapping[str, str]:
    roles: dict[str, str] = {role: name for role in ROLES if (name := settings.model_of(role)) is not None}
    return roles if settings.simple_model is None else {**roles, "simple writer": settings.simple_model}


def _open(name: str, settings: Settings) -> _Opened:
    """The model alone: what is wrong with another one is no fault of it."""
    alone = settings.model_copy(update={**dict.fromkeys(MODEL_SETTINGS), "model": name})
    try:
        model = open_models(alone).by_name[name]
        return _Opened(name, replace(model, tuning=tuning_of(model.name, settings)))
    except AssayError as error:
        return _Opened(name, None, told(error))


def _role(role: str, opened: _Opened, resolved: Resolved) -> Examined:
    if opened.model is None:
        return Examined(f"role {role}", Status.FAILED, f"{opened.name}: {opened.error}")
    provider, _model = provider_and_model(opened.name, resolved.settings)
    unset = role in ASKED_WHERE_SET and getattr(resolved.settings, f"{role}_model") is None
    unused = f"; not asked unless {role}_model is set" if unset else ""
    key = key_told(provider, resolved)
    return Examined(f"role {role}", Status.PASSED, f"{opened.model.name} → {opened.host}{key}{unused}")


def key_told(provider: str, resolved: Resolved) -> str:
    """Where the provider's key came from, empty for one without keys."""
    name = f"{provider}_api_key"
    if name not in resolved.origins:
        return ""
    if getattr(resolved.settings, name) is None:
        return ", no key"
    origin = resolved.origins[name]
    variables = f" ({' or '.join(VARIABLES[name])})" if origin in ("environment", ".env") else ""
    return f", key from {origin}{variables}"


# --- the tests ----------------------------------------------------------------------------------


async def _tested(opened: list[_Opened]) -> list[list[Examined]]:
    return await asyncio.gather(*(_tests(each.name, each.model) for each in opened if each.model is not None))


async def _tests(name: str, model: RunModel) -> list[Examined]:
    """Chat, stream and JSON, one after the other; where chat fails, the others are not tried."""
    if name.startswith("fake:"):
        return [Examined(model.name, Status.SKIPPED, "a script says what it is told: nothing to test")]
    found: list[Examined] = []
    try:
        for what, test in _TESTS.items():
            if found and found[0].status is not Status.PASSED:
                found.append(Examined(f"{model.name} {what}", Status.UNKNOWN, "not tried: chat failed"))
            else:
                found.append(await _test(f"{model.name} {what}", test, model))
    finally:
        await model.aclose()
    return found


async def _test(what: str, test: Callable[[RunModel], Awaitable[None]], model: RunModel) -> Examined:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(PATIENCE):
            await test(model)
    except TimeoutError:
        return Examined(what, Status.FAILED, f"no reply within {PATIENCE:g} s (see whether the service is up)")
    except AssayError as error:
        return Examined(what, Status.FAILED, told(error))
    return Examined(what, Status.PASSED, f"works, {time.perf_counter() - started:.1f} s")


async def _chat(model: RunModel) -> None:
    _require_ending(await model.reply(_CHAT))


async def _stream(model: RunModel) -> None:
    last: str | ModelReply = ""
    async with aclosing(model.stream(_CHAT)) as parts:
        async for part in parts:
            last = part
    if not isinstance(last, ModelReply):
        raise unusable("incomplete")
    _require_ending(last)


async def _json(model: RunModel) -> None:
    await model.complete(_JSON)


_TESTS: Mapping[str, Callable[[RunModel], Awaitable[None]]] = MappingProxyType(
    {"chat": _chat, "stream": _stream, "JSON": _json}
)


def _require_ending(reply: ModelReply) -> None:
    """Raise UnusableReply for a reply that ended badly; one that is merely long shows that the model works."""
    if reply.finish not in ("stop", "length"):
        raise unusable(reply.finish)


def told(error: AssayError) -> str:
    return f"{error} ({error.hint})"


# Which sources outside may be asked, on which host, and whether each answers a search.


# Seconds for one search; an MCP server is started within them.
# What a source is searched for: a word that tells nothing of anybody.
QUERY = "water"
_RESULTS = 3


def examine_outside(resolved: Resolved) -> Iterator[Examined]:
    """Whether anything may be asked outside, then each source with its host, searched once."""
    settings = resolved.settings
    if not settings.outside:
        detail = "off: no question leaves this machine for a search; turn a source on with --outside"
        yield Examined("outside", Status.SKIPPED, detail)
        return
    yield Examined("outside", Status.PASSED, _rules(settings))
    for name in settings.outside:
        yield _source(name, resolved)


def _rules(settings: Settings) -> str:
    """Which pages are read."""
    allowed = f"pages are read from {', '.join(settings.domains)} only" if settings.domains else "any public page"
    denied = f"none from {', '.join(settings.denied_domains)}" if settings.denied_domains else ""
    own = f"of your own network {', '.join(settings.intranet_hosts)}" if settings.intranet_hosts else ""
    return "; ".join(part for part in ("on", allowed, denied, own) if part)


def _source(name: str, resolved: Resolved) -> Examined:
    """One source: its host, its key, and what a search of it gave."""
    what = f"outside {name}"
    try:
        provider = open_provider(name, resolved.settings)
    except AssayError as error:
        return Examined(what, Status.FAILED, told(error))
    where = f"→ {provider.host}{key_told(name, resolved)}"
    begun = time.perf_counter()
    try:
        count = asyncio.run(_found(provider))
    except TimeoutError:
        return Examined(what, Status.FAILED, f"{where}: no answer within {PATIENCE:g} s (see whether it is up)")
    except AssayError as error:
        return Examined(what, Status.FAILED, f"{where}: {told(error)}")
    results = f"{count} result{'' if count == 1 else 's'}"
    return Examined(what, Status.PASSED, f"{where}, answers with {results}, {time.perf_counter() - begun:.1f} s")


async def _found(provider: SearchProvider) -> int:
    async with asyncio.timeout(PATIENCE):
        return len(await provider.search(QUERY, _RESULTS))
