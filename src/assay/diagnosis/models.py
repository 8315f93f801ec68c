"""The diagnosis of models: role, host, and whether chat, stream, JSON and embeddings work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import urlsplit

from pydantic import BaseModel

from assay.core.stages import Pair
from assay.diagnosis.installation import Diagnosis
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

# Seconds for one test; the first also loads a model file. Chosen.
PATIENCE = 30.0
# Roles that need a model of their own.
ASKED_WHERE_SET = frozenset({"verifier"})
_HERE = "this process"
_UNFITTED = (
    "not fitted: what it says stands in a claim's history and settles nothing; fit it: assay calibrate --claims "
    "CLAIMS.jsonl --checker NAME (docs/how-to/use-open-models.md)"
)


class _Ready(BaseModel):
    """The reply that the JSON test expects."""

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
    """A model by its name in the settings, or the reason why it cannot be opened."""

    name: str
    model: RunModel | None
    error: str = ""

    @property
    def host(self) -> str:
        """The host that prompts are sent to."""
        return (self.model.host if self.model is not None else "") or _HERE


def diagnose_embedder(resolved: Resolved) -> Iterator[Diagnosis]:
    """Diagnose offline mode and the embedder, by opening it."""
    settings = resolved.settings
    service = settings.embedder.startswith("openai:")
    host = _host(settings.openai_base_url or "https://api.openai.com") if service else _HERE
    key = key_origin("openai", resolved) if service else ""
    what = "role embedder"
    if settings.offline:
        yield Diagnosis("offline", Status.PASSED, "only this machine may be contacted")
    try:
        embedder = open_embedder(settings)
        asyncio.run(embedder.aclose())
    except AssayError as error:
        yield Diagnosis(what, Status.FAILED, f"{settings.embedder} → {host}{key}: {describe_error(error)}")
        return
    model = embedder.model
    covers = f"; languages: {', '.join(model.languages) or 'not said'}; other scripts are searched by words only"
    yield Diagnosis(
        what, Status.PASSED, f"{model.id} → {host}{key}, embeddings of {model.dimension} dimensions{covers}"
    )


def _host(address: str) -> str:
    """The host of an address, or the address itself if it has none."""
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address


def diagnose_reader(resolved: Resolved) -> Iterator[Diagnosis]:
    """Diagnose the reader by opening it and reading a text."""
    settings, what = resolved.settings, "role reader"
    try:
        opened = open_reader(settings)
        if opened is None:
            yield Diagnosis(what, Status.SKIPPED, "off: answers are picked by words and vectors alone")
            return
        asyncio.run(opened.reader.read("Is it read?", [TitledText("", "It is read.")]))
    except AssayError as error:
        yield Diagnosis(what, Status.FAILED, f"{settings.reader}: {describe_error(error)}")
        return
    for close in opened.closing:
        close()
    languages = ", ".join(opened.reader.model.languages)
    file = file_of(opened.reader)
    yield Diagnosis(what, Status.PASSED, f"{opened.reader.model.id} → {_HERE}; {file}languages: {languages}")


def diagnose_checker(resolved: Resolved) -> Iterator[Diagnosis]:
    """Diagnose the checker by opening it and checking a claim."""
    settings, what = resolved.settings, "role checker"
    try:
        opened = open_checker_network(settings)
        if opened is None:
            yield Diagnosis(what, Status.SKIPPED, "off: claims are tested by words, vectors and rules alone")
            return
        asyncio.run(opened.checker.check([Pair("It is read.", "It is read.")]))
    except AssayError as error:
        yield Diagnosis(what, Status.FAILED, f"{settings.checker}: {describe_error(error)}")
        return
    for close in opened.closing:
        close()
    model = opened.checker.model
    told_of = f"{model.id} → {_HERE}; {file_of(opened.checker)}languages: {', '.join(model.languages)}"
    if model.policy is None:
        yield Diagnosis(what, Status.UNKNOWN, f"{told_of}; sha256 {model.sha256}; {_UNFITTED}")
    else:
        yield Diagnosis(what, Status.PASSED, told_of)


def diagnose_reranker(resolved: Resolved) -> Iterator[Diagnosis]:
    """Diagnose the reranker by scoring a passage."""
    settings, what = resolved.settings, "role reranker"
    try:
        opened = open_reranker(settings)
        if opened is None:
            yield Diagnosis(what, Status.SKIPPED, "off: passages keep the order of the search")
            return
        opened.logits("Is it read?", [Passage("p", "d", "", 0, 11, "It is read.")])
        opened.close()
    except AssayError as error:
        yield Diagnosis(what, Status.FAILED, f"{settings.reranker}: {describe_error(error)}")
        return
    yield Diagnosis(what, Status.PASSED, f"{opened.id} → {_HERE}; {file_of(opened)}it only reorders passages")


def file_of(network: object) -> str:
    """The network that was chosen from a folder with several."""
    folder = getattr(getattr(network, "inner", network), "folder", None)
    if not isinstance(folder, HubFolder) or not folder.others:
        return ""
    return f"{folder.taken} of {len(folder.others) + 1} networks in the folder; "


def diagnose_models(resolved: Resolved) -> Iterator[Diagnosis]:
    """Diagnose each role with its model and host, then test each model."""
    settings = resolved.settings
    opened = {name: _open(name, settings) for name in dict.fromkeys(_roles(settings).values())}
    for role, name in _roles(settings).items():
        yield _role(role, opened[name], resolved)
    if not opened:
        yield Diagnosis("role writer", Status.SKIPPED, "no model: answers are quoted; set one with --model")
    yield from _patience(settings, tuple(opened))
    for found in asyncio.run(_tested([entry for entry in opened.values() if entry.model is not None])):
        yield from found


def _patience(settings: Settings, names: Sequence[str]) -> Iterator[Diagnosis]:
    """Warn if the deadline is shorter than a model in a file can need."""
    seconds = settings.limits("fast").seconds
    if seconds < SLOW and any(name.startswith("local:") for name in names):
        told = f"{seconds:g} s for one question; a model in a file can need {SLOW:g} s: set --deadline {SLOW:g}"
        yield Diagnosis("deadline", Status.UNKNOWN, told)


def _roles(settings: Settings) -> Mapping[str, str]:
    roles: dict[str, str] = {role: name for role in ROLES if (name := settings.model_of(role)) is not None}
    return roles if settings.simple_model is None else {**roles, "simple writer": settings.simple_model}


def _open(name: str, settings: Settings) -> _Opened:
    """Open one model by itself, so that errors of others do not count."""
    alone = settings.model_copy(update={**dict.fromkeys(MODEL_SETTINGS), "model": name})
    try:
        model = open_models(alone).by_name[name]
        return _Opened(name, replace(model, tuning=tuning_of(model.name, settings)))
    except AssayError as error:
        return _Opened(name, None, describe_error(error))


def _role(role: str, opened: _Opened, resolved: Resolved) -> Diagnosis:
    if opened.model is None:
        return Diagnosis(f"role {role}", Status.FAILED, f"{opened.name}: {opened.error}")
    provider, _model = provider_and_model(opened.name, resolved.settings)
    unset = role in ASKED_WHERE_SET and getattr(resolved.settings, f"{role}_model") is None
    unused = f"; not asked unless {role}_model is set" if unset else ""
    key = key_origin(provider, resolved)
    return Diagnosis(f"role {role}", Status.PASSED, f"{opened.model.name} → {opened.host}{key}{unused}")


def key_origin(provider: str, resolved: Resolved) -> str:
    """The origin of the provider's key; empty if it needs none."""
    name = f"{provider}_api_key"
    if name not in resolved.origins:
        return ""
    if getattr(resolved.settings, name) is None:
        return ", no key"
    origin = resolved.origins[name]
    variables = f" ({' or '.join(VARIABLES[name])})" if origin in ("environment", ".env") else ""
    return f", key from {origin}{variables}"


# --- tests of a model -------------------------------------------------------------------------------------


async def _tested(opened: list[_Opened]) -> list[list[Diagnosis]]:
    return await asyncio.gather(*(_tests(entry.name, entry.model) for entry in opened if entry.model is not None))


async def _tests(name: str, model: RunModel) -> list[Diagnosis]:
    """Test chat, stream and JSON in turn; if chat fails, the others are not tested."""
    if name.startswith("fake:"):
        return [Diagnosis(model.name, Status.SKIPPED, "a script has fixed replies: nothing to test")]
    found: list[Diagnosis] = []
    try:
        for what, test in _TESTS.items():
            if found and found[0].status is not Status.PASSED:
                found.append(Diagnosis(f"{model.name} {what}", Status.UNKNOWN, "not tested: chat failed"))
            else:
                found.append(await _test(f"{model.name} {what}", test, model))
    finally:
        await model.aclose()
    return found


async def _test(what: str, test: Callable[[RunModel], Awaitable[None]], model: RunModel) -> Diagnosis:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(PATIENCE):
            await test(model)
    except TimeoutError:
        return Diagnosis(what, Status.FAILED, f"no reply within {PATIENCE:g} s (see whether the service is up)")
    except AssayError as error:
        return Diagnosis(what, Status.FAILED, describe_error(error))
    return Diagnosis(what, Status.PASSED, f"works, {time.perf_counter() - started:.1f} s")


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
    """Raise UnusableReply for a reply that ended badly; one that hit its length limit is fine."""
    if reply.finish not in ("stop", "length"):
        raise unusable(reply.finish)


def describe_error(error: AssayError) -> str:
    return f"{error} ({error.hint})"


# --- outside sources --------------------------------------------------------------------------------------


# The query of a test search, which reveals nothing.
QUERY = "water"
_RESULTS = 3


def diagnose_outside(resolved: Resolved) -> Iterator[Diagnosis]:
    """Diagnose the outside sources by searching each once."""
    settings = resolved.settings
    if not settings.outside:
        detail = "off: no search leaves this machine; turn on a source with --outside"
        yield Diagnosis("outside", Status.SKIPPED, detail)
        return
    yield Diagnosis("outside", Status.PASSED, _rules(settings))
    for name in settings.outside:
        yield _source(name, resolved)


def _rules(settings: Settings) -> str:
    """The rules on which pages are read."""
    allowed = f"pages are read from {', '.join(settings.domains)} only" if settings.domains else "any public page"
    denied = f"none from {', '.join(settings.denied_domains)}" if settings.denied_domains else ""
    own = f"of your own network {', '.join(settings.intranet_hosts)}" if settings.intranet_hosts else ""
    return "; ".join(part for part in ("on", allowed, denied, own) if part)


def _source(name: str, resolved: Resolved) -> Diagnosis:
    """Diagnose one source: host, key, and the result of a search."""
    what = f"outside {name}"
    try:
        from assay.wiring.web import open_provider  # needs an extra, and raises MissingExtra without it

        provider = open_provider(name, resolved.settings)
    except AssayError as error:
        return Diagnosis(what, Status.FAILED, describe_error(error))
    where = f"→ {provider.host}{key_origin(name, resolved)}"
    begun = time.perf_counter()
    try:
        count = asyncio.run(_found(provider))
    except TimeoutError:
        return Diagnosis(what, Status.FAILED, f"{where}: no answer within {PATIENCE:g} s (see whether it is up)")
    except AssayError as error:
        return Diagnosis(what, Status.FAILED, f"{where}: {describe_error(error)}")
    results = f"{count} result{'' if count == 1 else 's'}"
    return Diagnosis(what, Status.PASSED, f"{where}, answers with {results}, {time.perf_counter() - begun:.1f} s")


async def _found(provider: SearchProvider) -> int:
    async with asyncio.timeout(PATIENCE):
        return len(await provider.search(QUERY, _RESULTS))
