"""Short ways to write a finding, so that the rules read as rules."""

from __future__ import annotations

from workbench.conversation.checks import Edit, Finding


def error(rule: str, pointer: str, message: str, fix: str = "", *edits: Edit) -> Finding:
    """Return what a provider refuses."""
    return Finding(rule=rule, severity="error", pointer=pointer, message=message, fix=fix, edits=edits)


def warning(rule: str, pointer: str, message: str, fix: str = "", *edits: Edit) -> Finding:
    """Return what only some providers take."""
    return Finding(rule=rule, severity="warning", pointer=pointer, message=message, fix=fix, edits=edits)
