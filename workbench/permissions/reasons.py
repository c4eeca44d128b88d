"""What a decision is made of: outcomes, the reasons for them, and the parts of a command, each judged by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from workbench.permissions.danger import Danger
from workbench.permissions.rules import Rule

Outcome: TypeAlias = Literal["allow", "ask", "deny"]
Confinement: TypeAlias = Literal["", "confined", "network", "unconfined"]
"""How a command is held: ``confined`` to the workspace and without network, ``network`` to the workspace alone, ``unconfined`` not at
all: it has all the person's rights. Empty for calls that run no command."""

_STRICTNESS: dict[Outcome, int] = {"allow": 0, "ask": 1, "deny": 2}


class Reason(NamedTuple):
    """One line of the trace.

    Attributes:
        code: stable name, by which front ends find a translation and tests compare.
        text: the English sentence.
        subject: the path, part, host or rule it is about; front ends show it through `visible`.
        outcome: what this reason alone leads to.
    """

    code: str
    text: str
    subject: str = ""
    outcome: Outcome = "ask"


@dataclass(frozen=True, kw_only=True)
class CommandPart:
    """One simple command of a text.

    Attributes:
        text: as typed.
        outcome: what it alone would lead to.
        danger: its level.
        folder: the real folder it runs in, as far as known.
        places: the real paths it names.
        reasons: why.
        argv: its words after quotes, globs and braces were resolved; empty if they are not all known.
        program: real path of the program it would start; empty for builtins and where it is not known.
        suggested: rules that would let it pass the next time, narrowest first; empty if none may be offered.
    """

    text: str
    outcome: Outcome
    danger: Danger
    folder: str
    places: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    argv: tuple[str, ...] = ()
    program: str = ""
    suggested: tuple[Rule, ...] = ()


def strictness(outcome: Outcome) -> int:
    """Return 0 for allow, 1 for ask, 2 for deny."""
    return _STRICTNESS[outcome]


def strictest(*outcomes: Outcome) -> Outcome:
    """Return the strictest of some outcomes; ``allow`` if there are none."""
    return max(outcomes, key=strictness, default="allow")
