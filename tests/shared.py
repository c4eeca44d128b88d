"""Where tests find the recorded traffic and specifications that are too large, or not ours, to stand in the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
"""The project's own folder."""


def shared_data() -> Path | None:
    """Return the folder of recordings and captures; None in a bare clone.

    It is ``$WORKBENCH_SHARED/data`` where that variable is set, else ``../shared/data`` beside the project.
    """
    named = os.environ.get("WORKBENCH_SHARED")
    folder = (Path(named) if named else ROOT.parent / "shared") / "data"
    return folder if folder.is_dir() else None


needs_shared = pytest.mark.skipif(
    shared_data() is None,
    reason="the recordings are not here: put them at ../shared/data, or set WORKBENCH_SHARED to the folder that holds data/",
)
