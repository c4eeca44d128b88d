"""What each mode does with each class of tools when no rule and no floor says otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from workbench.permissions.reasons import Outcome, Reason
from workbench.permissions.rules import RuleSet

Mode: TypeAlias = Literal["read_only", "ask", "accept_edits", "auto"]
Rung: TypeAlias = Literal["bwrap", "seatbelt", "landlock", "none"]
MODES: tuple[Mode, ...] = get_args(Mode)


@dataclass(frozen=True, kw_only=True)
class GateFacts:
    """What a decision needs to know of the machine.

    Attributes:
        rung: what holds commands: ``bwrap`` and ``seatbelt`` keep them to the workspace and off the network, ``landlock`` does so in
            part, ``none`` nothing does.
        unconfined_because: one sentence on why Auto cannot be chosen, for the mode menu; empty if it can.
    """

    rung: Rung = "none"
    unconfined_because: str = "Auto needs a sandbox that keeps commands inside the workspace; none was tested yet."

    @property
    def confined(self) -> bool:
        """Whether a sandbox passed its whole self-test, so that Auto may be chosen."""
        return self.rung in {"bwrap", "seatbelt"}


_DEFAULTS: Mapping[str, Mapping[Mode, Outcome]] = {
    "none": {"read_only": "allow", "ask": "allow", "accept_edits": "allow", "auto": "allow"},
    "read": {"read_only": "allow", "ask": "allow", "accept_edits": "allow", "auto": "allow"},
    "edit": {"read_only": "deny", "ask": "ask", "accept_edits": "allow", "auto": "allow"},
    "exec": {"read_only": "deny", "ask": "ask", "accept_edits": "ask", "auto": "ask"},
    "task": {"read_only": "allow", "ask": "ask", "accept_edits": "ask", "auto": "allow"},
    "net_read": {"read_only": "ask", "ask": "ask", "accept_edits": "ask", "auto": "ask"},
    "net_write": {"read_only": "deny", "ask": "ask", "accept_edits": "ask", "auto": "ask"},
    "mcp": {"read_only": "ask", "ask": "ask", "accept_edits": "ask", "auto": "ask"},
}

_SENTENCES: Mapping[tuple[str, Outcome], str] = {
    ("none", "allow"): "This tool has no effects.",
    ("read", "allow"): "Reading inside the workspace is allowed.",
    ("edit", "allow"): "Changing files inside the workspace is allowed in this mode.",
    ("edit", "ask"): "Changing a file asks in this mode.",
    ("edit", "deny"): "Files are not changed in mode “Read only”.",
    ("exec", "ask"): "Running a command asks.",
    ("exec", "deny"): "Commands are not run in mode “Read only”.",
    ("task", "allow"): "A sub-agent is allowed in this mode; each of its calls is decided by itself.",
    ("task", "ask"): "Starting a sub-agent asks in this mode.",
    ("net_read", "ask"): "Reading from the network asks.",
    ("net_write", "ask"): "Sending to the network asks.",
    ("net_write", "deny"): "Nothing is sent to the network in mode “Read only”.",
    ("mcp", "ask"): "A tool of a server asks, unless a rule allows it.",
}


def mode_available(mode: Mode, facts: GateFacts | None = None) -> Reason | None:
    """Return why a mode cannot be chosen; None if it can."""
    known = facts or GateFacts()
    if mode == "auto" and not known.confined:
        return Reason("mode.auto_unconfined", known.unconfined_because, "auto", "deny")
    return None


def effective_mode(mode: Mode, rules: RuleSet, facts: GateFacts) -> Mode:
    """Return the mode that is used: nothing may be changed while the rules are broken, and Auto without a sandbox is Accept edits."""
    if rules.broken:
        return "read_only"
    return "accept_edits" if mode_available(mode, facts) else mode


def default_for(kind: str, mode: Mode) -> Reason | None:
    """Return what a mode does with a kind of tool (a tool class, or ``mcp``); None for a kind that is not known."""
    outcomes = _DEFAULTS.get(kind)
    if outcomes is None:
        return None
    outcome = outcomes[mode]
    return Reason(f"mode.{outcome}", _SENTENCES[kind, outcome], kind, outcome)
