"""A call as the gate sees it: its tool, what it would touch, and what a command's text is. Values alone; `gate` decides on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from workbench.permissions.reasons import Confinement

Access: TypeAlias = Literal["read", "write", "delete", "run", "reach"]


@dataclass(frozen=True, kw_only=True)
class Touch:
    """What a call would touch, as its tool says: a path (absolute, real), a host, a program.

    `outside` is the tool's own view; it may only make the decision stricter.
    """

    kind: Literal["path", "host", "command"]
    name: str
    access: Access
    outside: bool = False


@dataclass(frozen=True, kw_only=True)
class ServerTool:
    """An MCP tool: its server's id, its name there, and the hash of its definition. `remote` if the server is on another machine."""

    server: str
    name: str
    definition: str
    remote: bool = False


@dataclass(frozen=True, kw_only=True)
class Action:
    """A call as the gate sees it, after its tool said what it would do.

    Attributes:
        tool: the tool's name.
        tool_class: ``none``, ``read``, ``edit``, ``exec``, ``net_read``, ``net_write`` or ``task``; anything else is denied.
        touches: everything it would touch.
        command: exact text of a shell command; None for other tools.
        workdir: real path of the folder a command starts in; the workspace folder if None.
        digest: identifies the plan, for the trace.
        claimed_danger: a level that a model or server claims; it may only raise.
        repaired: the call was split out of glued arguments; such a call always asks.
        repeats: how often this very call came in this turn, this time included.
        server: set for a tool of an MCP server.
        confinement: how a command would be held if it is asked for especially; empty leaves it to the gate.
    """

    tool: str
    tool_class: str
    touches: tuple[Touch, ...] = ()
    command: str | None = None
    workdir: str | None = None
    digest: str = ""
    claimed_danger: int | None = None
    repaired: bool = False
    repeats: int = 1
    server: ServerTool | None = None
    confinement: Confinement = ""
