"""Where the practice server answers: the paths of every dialect, and what a path says of the request (Gemini names the model in it)."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote

from workbench.conversation.messages import DialectName
from workbench.dialects.registry import detect, names

Kind: TypeAlias = Literal["answer", "models", "model", "version"]
_GEMINI = re.compile(r"/v1(?:beta|alpha)?/models/([^/:]+):(generateContent|streamGenerateContent)")
_ANSWERS: dict[str, DialectName] = {
    "/v1/chat/completions": "chat_completions",
    "/v1/responses": "responses",
    "/v1/messages": "anthropic",
    "/api/chat": "ollama",
}
_LISTS: dict[str, DialectName] = {"/v1/models": "chat_completions", "/v1beta/models": "gemini", "/api/tags": "ollama"}


class Place(NamedTuple):
    """A path that is served.

    Attributes:
        kind: an answer of the model, the list of models, one model, or the server's version.
        dialect: whose path it is.
        model: the model that the path names; empty where it names none.
        streams: the path says whether the answer is streamed; None where the body does.
        method: the only one it is served for.
    """

    kind: Kind
    dialect: DialectName
    model: str = ""
    streams: bool | None = None
    method: str = "POST"


def place_of(target: str, *, anthropic: bool = False) -> Place | None:
    """Return what a path and query stand for; None for a path that is not served.

    Args:
        target: as it was sent.
        anthropic: the request has Anthropic's version header, so that its list of models is meant.
    """
    path = target.partition("?")[0].rstrip("/")
    if (dialect := _ANSWERS.get(path)) is not None:
        return Place("answer", dialect) if dialect in names() else None
    if found := _GEMINI.fullmatch(path):
        return Place("answer", "gemini", unquote(found[1]), found[2].startswith("stream"))
    if path == "/api/version":
        return Place("version", "ollama", method="GET")
    for prefix, dialect in _LISTS.items():
        whose: DialectName = "anthropic" if anthropic and dialect == "chat_completions" else dialect
        if path == prefix:
            return Place("models", whose, method="GET")
        if path.startswith(f"{prefix}/"):
            return Place("model", whose, unquote(path.removeprefix(f"{prefix}/")), method="GET")
    return None


def dialect_at(target: str) -> DialectName:
    """Return the dialect in which a path is answered, served or not."""
    path = target.partition("?")[0]
    if "/v1beta" in path or "enerateContent" in path:
        return "gemini"
    if path.startswith("/api/") or path == "/api":
        return "ollama"
    if path.startswith("/v1/messages"):
        return "anthropic"
    return "responses" if path.startswith("/v1/responses") else "chat_completions"


def dialect_of(place: Place, target: str, body: bytes) -> DialectName:
    """Return the dialect of a request for an answer: one path may serve several, which the body tells apart."""
    if place.dialect != "chat_completions":
        return place.dialect
    found = detect(target, body)
    return found if found in ("functions", "react") and found in names() else "chat_completions"
