"""How dangerous a call is, in five levels, and the marks that say why: by code from the call itself, never from what a model claims.

The levels are those people see everywhere. A hint from outside (a model, an MCP server) may raise a level, never lower it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, StrEnum


class Danger(IntEnum):
    """The level of a call.

    Attributes:
        LOOK: reads inside the workspace; nothing changes.
        EDIT: changes ordinary files inside; a checkpoint takes it back.
        RUN: runs something that is not fully understood.
        REACH: network, outside places, secrets; what has left cannot come back.
        DESTROY: destroys, publishes, or changes what governs later runs.
    """

    LOOK = 0
    EDIT = 1
    RUN = 2
    REACH = 3
    DESTROY = 4


class Badge(StrEnum):
    """A mark beside a call; the order here is the order in which marks are shown."""

    DESTROYS = "destroys"
    PROTECTED = "protected"
    OUTSIDE = "outside"
    SECRET = "secret"  # noqa: S105 - a mark, not a password
    NETWORK = "network"
    PRIVATE_HOST = "private_host"
    HIDDEN_CHARACTERS = "hidden_characters"
    MIXED_SCRIPT = "mixed_script"
    PADDING = "padding"
    TOO_LONG = "too_long"
    REPAIRED = "repaired"
    REPEATED = "repeated"
    RUNS_LATER = "runs_later"


_ORDER = {badge: place for place, badge in enumerate(Badge)}


def in_order(badges: Iterable[Badge]) -> tuple[Badge, ...]:
    """Return each badge once, in the order in which they are shown."""
    return tuple(sorted(set(badges), key=_ORDER.__getitem__))


def raised(computed: Danger, claimed: int | None) -> Danger:
    """Return the higher of what was computed and what somebody claims; a claim outside 0-4 counts as the nearest level."""
    if claimed is None:
        return computed
    return max(computed, Danger(min(max(claimed, Danger.LOOK), Danger.DESTROY)))
