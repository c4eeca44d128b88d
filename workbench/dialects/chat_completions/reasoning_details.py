"""OpenRouter's `reasoning_details`: entries that must go back unchanged, and that a stream sends in fragments."""

from __future__ import annotations

from typing import Any

from workbench.conversation.values import JsonObject

_GROWING = ("text", "summary", "data")


class DetailsCollector:
    """Collects the entries of one answer and joins the fragments of one entry: same type, same index."""

    def __init__(self) -> None:
        self._entries: list[dict[str, Any]] = []

    def __bool__(self) -> bool:
        return bool(self._entries)

    def add(self, details: Any, *, whole: bool) -> None:
        """Take the entries of one delta, or of a `whole` message, where nothing is a fragment."""
        for entry in details if isinstance(details, list) else []:
            if not isinstance(entry, dict):
                continue
            last = self._entries[-1] if self._entries else None
            if not whole and last is not None and _is_next(last, entry):
                _grow(last, entry)
            else:
                self._entries.append(dict(entry))

    def take(self) -> tuple[JsonObject, ...]:
        """Return what was collected, and start anew."""
        entries, self._entries = tuple(self._entries), []
        return entries


def readable(details: Any) -> str:
    """Return the words of the entries of one delta, for servers that send them nowhere else."""
    entries = [entry for entry in details if isinstance(entry, dict)] if isinstance(details, list) else []
    return "".join(text for entry in entries for name in ("text", "summary") if isinstance(text := entry.get(name), str))


def _is_next(last: JsonObject, entry: JsonObject) -> bool:
    return last.get("type") == entry.get("type") and last.get("index") == entry.get("index") and entry.get("type") != "reasoning.encrypted"


def _grow(last: dict[str, Any], entry: JsonObject) -> None:
    for name, value in entry.items():
        known = last.get(name)
        if name in _GROWING and isinstance(known, str) and isinstance(value, str):
            last[name] = known + value
        elif value is not None and (value != "" or known is None):
            last[name] = value
