"""A second, simple reading of well-formed answers, to hold the decoder's against: it knows no quirk and no cut."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Naive(NamedTuple):
    """What a well-formed answer says."""

    text: str
    thought: str
    calls: list[tuple[str, str, str]]
    finish: str
    usage: dict[str, Any] | None


def read_naively(body: bytes) -> Naive:
    """Return what a stream or a whole body says."""
    text = body.decode()
    if text.lstrip().startswith("{"):
        whole = json.loads(text)
        return _fold([{**choice, "delta": choice["message"]} for choice in whole["choices"]], [whole])
    chunks = [json.loads(line.partition("data:")[2]) for line in text.split("\n") if "data:" in line[:6] and "[DONE]" not in line]
    return _fold([choice for chunk in chunks for choice in chunk["choices"]], chunks)


def _fold(choices: list[dict[str, Any]], chunks: list[dict[str, Any]]) -> Naive:
    text = thought = finish = ""
    calls: dict[int, list[str]] = {}
    for choice in choices:
        delta = choice["delta"]
        said, thoughts = _content(delta.get("content"))
        text += said
        thought += thoughts or delta.get("reasoning_content") or delta.get("reasoning") or ""
        for place, call in enumerate(delta.get("tool_calls") or []):
            known = calls.setdefault(call.get("index", place), ["", "", ""])
            known[0] = known[0] or call.get("id") or ""
            known[1] = known[1] or call["function"].get("name") or ""
            known[2] += call["function"].get("arguments") or ""
        finish = choice.get("finish_reason") or finish
    usages = [chunk["usage"] for chunk in chunks if chunk.get("usage")]
    return Naive(text, thought, [(call[0], call[1], call[2]) for call in calls.values()], finish, usages[-1] if usages else None)


def _content(content: Any) -> tuple[str, str]:
    if not isinstance(content, list):
        return content or "", ""
    said = "".join(part["text"] for part in content if part["type"] == "text")
    thoughts = "".join(inner["text"] for part in content if part["type"] == "thinking" for inner in part["thinking"])
    return said, thoughts
