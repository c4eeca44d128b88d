"""Which branch a folder is on, read from its files: starting git would run what a cloned repository configures."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from workbench.permissions.visible import visible

LONGEST_BYTES = 4096
SHORT_HASH = 7


def branch_of(folder: Path) -> str:
    """Return the branch of the repository that stands in `folder`, of a detached one its short hash; empty if there is none. Blocking."""
    head = _small_file(_git_folder(folder) / "HEAD").strip()
    if head.startswith("ref:"):
        return visible(head.removeprefix("ref:").strip().removeprefix("refs/heads/"))
    return head[:SHORT_HASH] if re.fullmatch(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", head) else ""


def _git_folder(folder: Path) -> Path:
    """Return where the repository's files are; in a further worktree ``.git`` is a file that tells."""
    place = folder / ".git"
    told = _small_file(place)
    return folder / told.removeprefix("gitdir:").strip() if told.startswith("gitdir:") else place


def _small_file(path: Path) -> str:
    """Return the beginning of a regular file; nothing of anything else, and nothing that could make a reader wait."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return ""
        with path.open("rb") as file:
            return file.read(LONGEST_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):
        return ""
