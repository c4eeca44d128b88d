"""Several calls that a model wrapped into one call of a tool that does not exist: ``parallel`` with a list of `tool_uses`.

They are taken apart only if nobody offered a tool of that name and every wrapped call is one of an offered tool; each asks for itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from workbench.conversation.stream import CallDone, CallDropped, CallStarted, Problem, StreamEvent
from workbench.conversation.values import JsonObject
from workbench.dialects.calls import derived_id
from workbench.dialects.json_text import read_json, write_json

_WRAPPERS = ("parallel", "multi_tool_use.parallel", "multi_tool_use_parallel")
_PREFIX = "functions."


def unwrapped(events: list[StreamEvent], tools: Collection[str]) -> list[StreamEvent]:
    """Return the last events of an answer with wrapped calls taken apart; `tools` are the names that were offered."""
    key = max((event.key for event in events if isinstance(event, CallDone)), default=0)
    found: list[StreamEvent] = []
    for event in events:
        inner = _inner(event, tools) if isinstance(event, CallDone) else []
        if not inner or not isinstance(event, CallDone):
            found.append(event)
            continue
        found.append(Problem(code="calls-unwrapped", text=f"{len(inner)} calls were wrapped into one of {event.name!r}; they were taken apart."))
        found.append(CallDropped(key=event.key))
        found.extend(_apart(event, inner, key))
        key += len(inner)
    return found


def _inner(event: CallDone, tools: Collection[str]) -> list[tuple[str, JsonObject]]:
    """Return name and arguments of each wrapped call; nothing if this is no wrapper, or not all is known."""
    if event.name not in _WRAPPERS or event.name in tools or event.status != "complete" or event.kind != "function":
        return []
    try:
        arguments = read_json(event.arguments_raw)
    except ValueError:
        return []
    uses = arguments.get("tool_uses") if isinstance(arguments, dict) else None
    found: list[tuple[str, JsonObject]] = []
    for use in uses if isinstance(uses, list) else ():
        name = use.get("recipient_name") if isinstance(use, dict) else None
        given = use.get("parameters") if isinstance(use, dict) else None
        if not isinstance(name, str) or not isinstance(given, dict) or name.removeprefix(_PREFIX) not in tools:
            return []
        found.append((name.removeprefix(_PREFIX), given))
    return found


def _apart(event: CallDone, inner: list[tuple[str, JsonObject]], key: int) -> Iterator[StreamEvent]:
    for place, (name, arguments) in enumerate(inner, 1):
        call_id = derived_id(f"{event.call_id} {place}")
        yield CallStarted(key=key + place, call_id=call_id, name=name)
        yield CallDone(key=key + place, call_id=call_id, name=name, arguments_raw=write_json(arguments).decode(), repaired=True)
