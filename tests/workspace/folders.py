"""A workspace for one test: an empty real folder with a folder beside it that is outside."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

from workbench.workspace.paths import ResolvedPath, Workspace, open_workspace, resolve


def make_workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "ws").mkdir()
    (tmp_path / "outside").mkdir()
    return open_workspace(tmp_path / "ws")


def place(workspace: Workspace, name: str, content: bytes | None = None) -> ResolvedPath:
    """Resolve a name, after writing `content` there if given."""
    if content is not None:
        (workspace.path / name).write_bytes(content)
    return resolve(name, workspace)


def open_descriptors() -> int:
    """Return how many descriptors this process has open."""
    gc.collect()
    return len(os.listdir("/proc/self/fd" if sys.platform == "linux" else "/dev/fd"))  # noqa: PTH208
