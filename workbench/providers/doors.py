"""How the servers of each dialect are reached: where they list their models, what people copy behind an address, which header holds the key.

The path of a request is the dialect's own affair (`EncodedRequest.path`); here is what stands around it (wire specification, section 0).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.conversation.messages import DialectName
from workbench.wire.outgoing import Headers

BEARER = "Authorization"
ANTHROPIC_VERSION = "2023-06-01"


class Door(NamedTuple):
    """What is alike for all servers of a dialect.

    Attributes:
        title: what people call the dialect.
        question: path of a request below the base address; ``{model}`` stands for the model.
        models: path of the list of models, with what asks for all of them.
        endings: what may stand behind a base address that somebody copied, and is not part of it.
        example: a base address as it is written.
        key_header: the header that holds the key; in ``Authorization`` it stands behind ``Bearer``.
        version: further headers that every request needs.
        stream_type: the media type of a streamed answer.
    """

    title: str
    question: str
    models: str
    endings: re.Pattern[str]
    example: str
    key_header: str = BEARER
    version: Headers = ()
    stream_type: str = "text/event-stream"

    def key_pair(self, key: str) -> tuple[str, str]:
        """Return the header that shows a key."""
        return (self.key_header, f"Bearer {key}" if self.key_header == BEARER else key)

    def base_of(self, url: str) -> str:
        """Return an address without the dialect's own paths and slashes behind it."""
        return self.endings.sub("", url.rstrip("/")).rstrip("/")


def _chat(title: str) -> Door:
    return Door(title, "/chat/completions", "/models", re.compile(r"(?:/chat/completions|/models)$"), "https://api.example.com/v1")


DOORS: dict[DialectName, Door] = {
    "chat_completions": _chat("Chat Completions"),
    "functions": _chat("Chat functions (2023)"),
    "react": _chat("ReAct text"),
    "responses": Door("OpenAI Responses", "/responses", "/models", re.compile(r"(?:/responses|/models)$"), "https://api.example.com/v1"),
    "anthropic": Door(
        "Anthropic Messages",
        "/v1/messages",
        "/v1/models?limit=1000",
        re.compile(r"/v1(?:/messages(?:/count_tokens)?|/models)?$"),
        "https://api.example.com",
        key_header="x-api-key",
        version=(("anthropic-version", ANTHROPIC_VERSION),),
    ),
    "gemini": Door(
        "Google Gemini",
        "/v1beta/models/{model}:generateContent",
        "/v1beta/models?pageSize=1000",
        re.compile(r"/v1(?:beta|alpha)?(?:/models(?:/[^/]+)?)?$"),
        "https://api.example.com",
        key_header="x-goog-api-key",
    ),
    "ollama": Door(
        "Ollama chat",
        "/api/chat",
        "/api/tags",
        re.compile(r"(?:/api(?:/chat|/tags|/generate)?|/v1(?:/chat/completions|/models)?)$"),
        "http://127.0.0.1:11434",
        stream_type="application/x-ndjson",
    ),
}


def dialect_title(name: str) -> str:
    """Return what people call a dialect; the name itself if it is not known."""
    return next((door.title for known, door in DOORS.items() if known == name), name)
