"""Every case of paths_cases.jsonl that is decided by where a path leads (or by opening what it leads to)."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import FileRefused, WorkspaceError
from workbench.workspace.files import read_file
from workbench.workspace.paths import Workspace, open_workspace, resolve
from workbench.workspace.saving import check_creatable, check_writable, create_file, replace_content

CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "cases" / "paths_cases.jsonl").read_text(encoding="utf-8").splitlines()]
PLATFORMS = {"any"} | ({"posix"} if os.name == "posix" else set()) | {"linux": {"linux"}, "darwin": {"macos"}, "win32": {"windows"}}.get(sys.platform, set())
LATER = {
    "P086": "the hard-link rule of file editing (both names keep one file) stands against it; the identity ticket will decide",
    "P131": "needs the identity ticket (ctime) between approval and write; content alone cannot tell",
    "P132": "needs the identity ticket (ctime) between approval and write; content alone cannot tell",
}


class Stage:
    """The folders of one case."""

    def __init__(self, folder: Path, case: dict[str, Any]) -> None:
        self.real = folder / "ws-real" if case.get("root_is_symlink") else folder / "ws"
        self.out = folder / "out"
        self.home = folder / "home"
        for made in (self.real, self.out, self.home):
            made.mkdir()
        self.opened = folder / "ws"
        if case.get("root_is_symlink"):
            self.opened.symlink_to(self.real)
        self.names = {"{WSREAL}": str(self.real), "{WSNAME}": self.opened.name, "{WS}": str(self.opened)}
        self.names |= {"{OUTNAME}": "out", "{OUT}": str(self.out), "{HOME}": str(self.home)}

    def fill(self, text: str) -> str:
        for name, value in self.names.items():
            text = text.replace(name, value)
        return text

    def path(self, text: str) -> Path:
        return self.real / self.fill(text)

    def steps(self, steps: list[list[str]]) -> None:
        for name, *rest in steps:
            getattr(self, "do_" + name)(*rest)

    def do_mkdir(self, name: str) -> None:
        self.path(name).mkdir(parents=True, exist_ok=True)

    def do_file(self, name: str, text: str) -> None:
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(self.fill(text))

    def do_symlink(self, target: str, name: str) -> None:
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).symlink_to(self.fill(target))

    def do_hardlink(self, source: str, name: str) -> None:
        self.path(name).hardlink_to(self.path(source))

    def do_fifo(self, name: str) -> None:
        os.mkfifo(self.path(name))

    def do_socket(self, name: str) -> None:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.path(name)))

    def do_rename(self, old: str, new: str) -> None:
        self.path(old).rename(self.path(new))

    def do_remove(self, name: str) -> None:
        self.path(name).unlink()


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    if case["platform"] not in PLATFORMS:
        pytest.skip(f"only on {case['platform']}")
    if case["id"] in LATER:
        pytest.skip(LATER[case["id"]])
    if case["op"] in {"glob", "grep", "delete", "delete-tree"}:
        pytest.skip(f"{case['op']} is not an operation of the text layer")
    stage = Stage(tmp_path, case)
    stage.steps(case["setup"])
    workspace = open_workspace(stage.opened, home=stage.home)
    for folder, right in case.get("extra_roots", []):
        workspace = workspace.granting(stage.path(folder), writable=right == "rw")
    kept = {name: stage.path(name).read_bytes() for name in case.get("must_not_change", []) if stage.path(name).exists()}
    assert outcome(case, stage, workspace) == ("stale" if case.get("stale") else case["expect"])
    after = {name: stage.path(name).read_bytes() for name in case.get("must_not_change", []) if stage.path(name).exists()}
    assert after.items() >= kept.items()
    if "real" in case:
        assert resolve(stage.fill(case["request"]), workspace).relative == case["real"]


def outcome(case: dict[str, Any], stage: Stage, workspace: Workspace) -> str:
    """Do what the case asks the way the tools do: resolve, judge, then use that very place."""
    request = stage.fill(case["request"])
    try:
        judged = resolve(request, workspace)
        if not judged.inside or (case["op"] in {"write", "create"} and not judged.writable):
            return "outside"
        match case["op"]:
            case "list":
                return "inside" if judged.is_folder else "outside"
            case "read":
                read_file(judged)
            case "write":
                check_writable(judged)
                base = read_file(judged).sha256
                stage.steps(case.get("between", []))
                again = resolve(request, workspace)
                if again.real != judged.real:
                    return "outside"
                replace_content(again, b"new", base_sha256=base)
            case _:
                check_creatable(judged)
                stage.steps(case.get("between", []))
                create_file(judged, b"new")
    except FileRefused as refused:
        return "stale" if refused.kind in {"changed_during_approval", "file_exists"} else "outside"
    except WorkspaceError:
        return "outside"
    return "inside"
