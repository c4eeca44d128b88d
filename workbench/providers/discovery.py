"""Finds model servers on this machine: asks the usual loopback ports who they are, and lists their models.

Only on request, only on 127.0.0.1, with short time-outs, all ports at once. Nothing is started and nothing is changed.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from msgspec.structs import replace

from workbench.conversation.messages import DialectName
from workbench.dialects.base import Quirks
from workbench.dialects.json_text import read_json
from workbench.errors import ProviderError, ResponseUnreadable, UsageError
from workbench.providers.known_profiles import LLAMA_CPP, LM_STUDIO, OLLAMA, OLLAMA_CHAT, VLLM
from workbench.providers.profiles import Profile
from workbench.wire.client import HttpClient, HttpRequest

LONGEST_ANSWER_BYTES = 8 << 20
LONGEST_ID = 200


class LocalKind(NamedTuple):
    """A kind of server and the port it listens on when nobody changed it."""

    name: str
    title: str
    port: int


class _Spoken(NamedTuple):
    """A way to speak to a kind of server: where, in which dialect, with which quirks."""

    path: str
    dialect: DialectName
    quirks: Quirks


_CHAT_PATH = "/v1"
_SPOKEN: dict[str, tuple[_Spoken, ...]] = {
    "ollama": (_Spoken("", "ollama", OLLAMA), _Spoken(_CHAT_PATH, "chat_completions", OLLAMA_CHAT)),
    "llama_cpp": (_Spoken(_CHAT_PATH, "chat_completions", LLAMA_CPP),),
    "lm_studio": (_Spoken(_CHAT_PATH, "chat_completions", LM_STUDIO),),
    "vllm": (_Spoken(_CHAT_PATH, "chat_completions", VLLM),),
}
"""The server's own dialect first, where it has one; any other kind is asked for Chat Completions."""

LOCAL_KINDS: tuple[LocalKind, ...] = (
    LocalKind("ollama", "Ollama", 11434),
    LocalKind("llama_cpp", "llama.cpp", 8080),
    LocalKind("lm_studio", "LM Studio", 1234),
    LocalKind("vllm", "vLLM", 8000),
)


class ListedModels(NamedTuple):
    """What a server lists: ids in its order, each once, and how many were left out because they are no names (hidden characters, no end)."""

    ids: tuple[str, ...]
    left_out: int = 0


async def find_local_servers(http: HttpClient, *, kinds: tuple[LocalKind, ...] = LOCAL_KINDS, timeout_s: float = 2.0) -> tuple[Profile, ...]:
    """Return a profile for each server that lists its models on its port, in the order of `kinds`, with the dialect it speaks best.

    Args:
        http: the client to ask with.
        kinds: what to look for.
        timeout_s: longest wait for one port; a port that accepts and stays silent counts as nobody.
    """
    found = await asyncio.gather(*(_ask(http, kind, timeout_s) for kind in kinds))
    return tuple(profile for profile in found if profile is not None)


async def models_of(http: HttpClient, profile: Profile, key: str | None = None) -> tuple[str, ...]:
    """Return the ids a provider lists, in its order.

    Raises:
        ProviderError: no answer, or not a list of models; the sentence says which.
        ResponseUnreadable: the answer is too large, or packed in a way that cannot be undone.
    """
    url = profile.base_url + profile.door.models
    async with http.stream(HttpRequest("GET", url, profile.headers_with(key), b"")) as response:
        body = await response.body(limit_bytes=LONGEST_ANSWER_BYTES)
    listed = read_models(body, profile.dialect) if response.status == 200 else None
    if listed is None:
        raise ProviderError(
            f"{profile.title or profile.name} answered {response.status} without a list of models under {url}.",
            message_id="provider.no_models",
            values={"name": profile.title or profile.name, "status": response.status, "url": url},
        )
    return listed.ids


def read_models(body: bytes, dialect: DialectName = "chat_completions") -> ListedModels | None:
    """Return the models of a list as the servers of a dialect write it; None if the body has another shape.

    That is ``{"data": [{"id": …}]}`` or the list alone; of Gemini ``{"models": [{"name": "models/…"}]}``, without what only embeds; of
    Ollama ``{"models": [{"model": …}]}``.
    """
    try:
        value: Any = read_json(body)
    except ValueError:
        return None
    member, names = ("models", ("model", "name")) if dialect in ("gemini", "ollama") else ("data", ("id",))
    data = value.get(member) if isinstance(value, dict) else value
    if not isinstance(data, list):
        return None
    found = (_id_in(item, names) for item in data if isinstance(item, dict) and _answers_questions(item))
    ids = tuple(dict.fromkeys(name.removeprefix("models/") for name in found if name is not None))
    kept = tuple(model for model in ids if model.isprintable() and 0 < len(model) <= LONGEST_ID)
    return ListedModels(kept, len(ids) - len(kept))


def _id_in(item: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((item[name] for name in names if isinstance(item.get(name), str)), None)


def _answers_questions(item: dict[str, Any]) -> bool:
    methods = item.get("supportedGenerationMethods")
    return not isinstance(methods, list) or "generateContent" in methods


async def _ask(http: HttpClient, kind: LocalKind, timeout_s: float) -> Profile | None:
    try:
        async with asyncio.timeout(timeout_s):
            for spoken in _SPOKEN.get(kind.name, _SPOKEN["llama_cpp"]):
                if (found := await _listing(http, kind, spoken)) is not None:
                    return found
    except TimeoutError:
        return None
    return None


async def _listing(http: HttpClient, kind: LocalKind, spoken: _Spoken) -> Profile | None:
    base_url = f"http://127.0.0.1:{kind.port}{spoken.path}"
    profile = Profile(name=kind.name, title=kind.title, base_url=base_url, dialect=spoken.dialect, quirks=spoken.quirks)
    try:
        models = await models_of(http, profile)
    except (ProviderError, ResponseUnreadable):
        return None
    return replace(profile, models=models)


def nobody_there(name: str) -> UsageError:
    """Return the error for a kind of local server that was asked for and does not answer."""
    kind = next(kind for kind in LOCAL_KINDS if kind.name == name)
    text = f"No {kind.title} server answers at 127.0.0.1:{kind.port}. Start it, or give its address with --base-url."
    return UsageError(text, message_id="app.no_local_server", values={"title": kind.title, "port": kind.port})
