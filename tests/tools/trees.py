"""Makes the folder tree of a search case: text, bytes, links, a git repository, file times."""

from __future__ import annotations

import base64
import json
import os
import subprocess
from pathlib import Path
from typing import Any

CASES = Path(__file__).resolve().parent.parent / "cases"


def read_cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def make_tree(folder: Path, case: dict[str, Any]) -> None:
    if case.get("git"):
        git(folder, "init", "-q")
    for name, content in case["tree"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict):
            path.symlink_to(content["symlink"])
        else:
            path.write_bytes(content.encode())
    for name, encoded in case.get("tree_b64", {}).items():
        (folder / name).write_bytes(base64.b64decode(encoded))
    if forced := case.get("git_add_force"):
        git(folder, "add", "--force", *forced)
    _set_times(folder, case)


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=folder, check=True, capture_output=True, text=True).stdout


def _set_times(folder: Path, case: dict[str, Any]) -> None:
    if "mtimes" not in case:
        return
    for number, name in enumerate(case["tree"]):
        moment = 1_700_000_000 + (number if case["mtimes"] == "ascending" else 0)
        os.utime(folder / name, (moment, moment))
