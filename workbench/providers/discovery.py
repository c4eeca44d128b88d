"""Finds model servers on this machine: asks the usual loopback ports who they are, and lists their models.

Only on request, only on 127.0.0.1, with short time-outs, all ports at once. Nothing is started and nothing is changed.
"""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from workbench.dialects.base import Quirks
from workbench.dialects.json_text import read_json
from workbench.errors import ProviderError, ResponseUnreadable, UsageError
from workbench.providers.profiles import Profile
from workbench.wire.client import HttpClient, HttpRequest

LONGEST_ANSWER_BYTES = 8 << 20
LONGEST_ID = 200


class LocalKind(NamedTuple):
    """A kind of server and the port it listens on when nobody changed it."""

    name: str
    title: str
    port: int


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
    """Return a profile for each server that answers ``GET /v1/models`` on its port, in the order of `kinds`.

    Args:
        http: the client to ask with.
        kinds: what to look for.
        timeout_s: longest wait for one port; a port that accepts and stays silent counts as nobody.
    """
    found = await asyncio.gather(*(_ask(http, kind, timeout_s) for kind in kinds))
    return tuple(profile for profile in found if profile is not None)


async def models_of(http: HttpClient, profile: Profile, key: str | None = None) -> tuple[str, ...]:
    """Return the ids a provider lists under ``/models``, in its order.

    Raises:
        ProviderError: no answer, or not a list of models; the sentence says which.
        ResponseUnreadable: the answer is too large, or packed in a way that cannot be undone.
    """
    async with http.stream(HttpRequest("GET", f"{profile.base_url}/models", profile.headers_with(key), b"")) as response:
        body = await response.body(limit_bytes=LONGEST_ANSWER_BYTES)
    listed = read_models(body) if response.status == 200 else None
    if listed is None:
        raise ProviderError(
            f"{profile.title or profile.name} answered {response.status} without a list of models under {profile.base_url}/models.",
            message_id="provider.no_models",
            values={"name": profile.title or profile.name, "status": response.status, "url": f"{profile.base_url}/models"},
        )
    return listed.ids


def read_models(body: bytes) -> ListedModels | None:
    """Return the models in ``{"data": [{"id": …}]}``, or in the list alone; None if the body has another shape."""
    try:
        value: Any = read_json(body)
    except ValueError:
        return None
    data = value.get("data") if isinstance(value, dict) else value
    if not isinstance(data, list):
        return None
    ids = tuple(dict.fromkeys(item["id"] for item in data if isinstance(item, dict) and isinstance(item.get("id"), str)))
    kept = tuple(model for model in ids if model.isprintable() and 0 < len(model) <= LONGEST_ID)
    return ListedModels(kept, len(ids) - len(kept))


async def _ask(http: HttpClient, kind: LocalKind, timeout_s: float) -> Profile | None:
    profile = Profile(
        name=kind.name,
        title=kind.title,
        base_url=f"http://127.0.0.1:{kind.port}/v1",
        quirks=Quirks(empty_content="empty", split_glued_arguments=kind.name == "vllm"),
    )
    try:
        async with asyncio.timeout(timeout_s):
            models = await models_of(http, profile)
    except (TimeoutError, ProviderError, ResponseUnreadable):
        return None
    return Profile(name=kind.name, title=kind.title, base_url=profile.base_url, quirks=profile.quirks, models=models)


def nobody_there(name: str) -> UsageError:
    """Return the error for a kind of local server that was asked for and does not answer."""
    kind = next(kind for kind in LOCAL_KINDS if kind.name == name)
    text = f"No {kind.title} server answers at 127.0.0.1:{kind.port}. Start it, or give its address with --base-url."
    return UsageError(text, message_id="app.no_local_server", values={"title": kind.title, "port": kind.port})
