"""Projects for tests of kept rules and trust: real folders with their identity."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from workbench.workspace.paths import Workspace, open_workspace


def project(folder: Path, files: Mapping[str, str] | None = None) -> Workspace:
    """Return a folder as a workspace, with files in it, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (files or {}).items():
        put(folder, name, text)
    return open_workspace(folder)


def put(folder: Path, name: str, text: str) -> Path:
    """Write a file below a folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
