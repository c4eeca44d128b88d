"""A second, simple reading of well-formed answers, to hold the decoder's against: it looks at finished items only, never at a piece."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Naive(NamedTuple):
    """What the finished items of an answer say."""

    text: str
    phases: list[str]
    thoughts: list[tuple[list[str], str, str]]
    calls: list[tuple[str, str, str]]
    order: list[str]
    usage: dict[str, Any] | None


def read_naively(body: bytes) -> Naive:
    """Return what a stream or a whole body says."""
    text = body.decode()
    if text.lstrip().startswith("{"):
        whole = json.loads(text)
        return _of(whole["output"], whole.get("usage"))
    events = [json.loads(line[5:]) for line in text.split("\n") if line.startswith("data:") and "[DONE]" not in line]
    done = {event["output_index"]: event["item"] for event in events if event["type"] == "response.output_item.done"}
    last = events[-1]["response"]
    return _of([done[index] for index in sorted(done)], last.get("usage"))


def _of(items: list[dict[str, Any]], usage: dict[str, Any] | None) -> Naive:
    said = [item for item in items if item["type"] == "message"]
    thoughts = [item for item in items if item["type"] == "reasoning"]
    calls = [item for item in items if item["type"].endswith("_call")]
    return Naive(
        "".join(part["text"] for item in said for part in item["content"]),
        [item.get("phase", "").removesuffix("_answer") for item in said],
        [
            (
                [part["text"] for part in item["summary"]],
                "".join(part["text"] for part in item.get("content") or []),
                item.get("encrypted_content") or "",
            )
            for item in thoughts
        ],
        [(item["call_id"], item.get("name", ""), item.get("arguments") or item.get("input") or "") for item in calls],
        [item["type"] for item in items],
        usage,
    )
