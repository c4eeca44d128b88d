"""A second, simple reading of well-formed answers, to hold the decoder's against: it knows no quirk and no cut."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Naive(NamedTuple):
    """What a well-formed answer says; `calls` are name, arguments and signature of each whole call."""

    text: str
    thought: str
    calls: list[tuple[str, dict[str, Any], str]]
    finish: str
    usage: dict[str, Any]


def read_naively(body: bytes) -> Naive:
    """Return what a stream or a whole body says."""
    text = body.decode()
    lines = [line[6:] for line in text.replace("\r", "").split("\n") if line.startswith("data: {")]
    chunks = [json.loads(line) for line in lines] if lines else json.loads(text)
    text = thought = finish = ""
    calls: list[tuple[str, dict[str, Any], str]] = []
    usage: dict[str, Any] = {}
    for chunk in chunks if isinstance(chunks, list) else [chunks]:
        usage = chunk["usageMetadata"] if "promptTokenCount" in chunk.get("usageMetadata", {}) else usage
        for candidate in chunk.get("candidates", []):
            finish = candidate.get("finishReason", finish)
            for part in candidate["content"].get("parts", []):
                if part.get("thought"):
                    thought += part["text"]
                elif "text" in part:
                    text += part["text"]
                elif part.get("functionCall", {}).get("name"):
                    calls.append((part["functionCall"]["name"], part["functionCall"].get("args", {}), part.get("thoughtSignature", "")))
    return Naive(text, thought, calls, "STOP" if str(finish) == "1" else finish, usage)
