"""What a call is about, in one line: its command, pattern, address or path. Foreign text as it came; whoever shows it makes it visible."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from workbench.conversation.calls import Target
from workbench.conversation.values import JsonObject

LONGEST = 300
PATHS_NAMED = 3


def call_title(arguments: JsonObject, targets: Sequence[Target] = (), workspace: str = "") -> str:
    """Return a call's title, empty if its arguments say nothing.

    Args:
        arguments: of the call.
        targets: what the gate found it would touch; their real paths win over what the arguments call them.
        workspace: the folder below which paths are shown as relative ones.
    """
    return _first_line(_title(arguments, targets, workspace))


def _title(arguments: JsonObject, targets: Sequence[Target], workspace: str) -> str:
    path = _named(arguments, "file_path", "path")
    real = tuple(dict.fromkeys(target.name for target in targets if target.kind == "path"))
    place = _relative(real[0] if len(real) == 1 else path, workspace)
    if command := _named(arguments, "command"):
        return command.strip()
    if pattern := _named(arguments, "pattern"):
        return f"{pattern} {place}" if place not in ("", ".") else pattern
    if address := _named(arguments, "url"):
        return address.removeprefix("https://")
    if len(real) > 1:
        more = f" +{len(real) - PATHS_NAMED}" if len(real) > PATHS_NAMED else ""
        return ", ".join(_relative(name, workspace) for name in real[:PATHS_NAMED]) + more
    return place or next((value for value in arguments.values() if isinstance(value, str) and value.strip()), "").strip()


def _named(arguments: JsonObject, *names: str) -> str:
    return next((value for name in names if isinstance(value := arguments.get(name), str) and value.strip()), "")


def _relative(path: str, workspace: str) -> str:
    if not path or not workspace or not PurePath(path).is_relative_to(workspace):
        return path
    return PurePath(path).relative_to(workspace).as_posix()


def _first_line(text: str) -> str:
    first, _, rest = text.partition("\n")
    return first if len(first) <= LONGEST and not rest else f"{first[: LONGEST - 2]} …"
