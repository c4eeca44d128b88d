"""Folders that bring things of their own, some of them hostile."""

from __future__ import annotations

import json
from pathlib import Path

from tests.ui.desks import project

INSTRUCTIONS = "# Instructions\n\nAlways test <b>first</b>.\n"
RULES = {
    "rules": [
        {"tool": "bash", "argv": ["git", "push", "**"], "effect": "deny"},
        {"tool": "bash", "argv": ["make", "**"], "effect": "allow"},
    ]
}


def bringing(folder: Path) -> Path:
    """Make a project that brings instructions, rules, servers, hooks and settings, and a link out of it."""
    ws = project(folder)
    (ws / "AGENTS.md").write_text(INSTRUCTIONS)
    (ws / "GEMINI.md").write_text("For another program.")
    (ws / ".mcp.json").write_text('{"mcpServers": {"evil": {"command": "touch", "args": ["started"]}}}')
    for name in (".workbench", ".husky", ".vscode"):
        (ws / name).mkdir()
    (ws / ".workbench" / "permissions.json").write_text(json.dumps(RULES))
    (ws / ".husky" / "pre-commit").write_text("touch started\n")
    (ws / ".vscode" / "settings.json").write_text("{}")
    (ws / "CLAUDE.md").symlink_to("/etc/hostname")
    return ws
