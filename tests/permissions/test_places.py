"""Paths are followed to where they really lead: every path case on the real disk, and Windows' spellings on a disk in memory."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.permissions.trees import MemoryDisk
from workbench.agent.disk import RealDisk
from workbench.permissions.gate import Action, Touch, decide
from workbench.permissions.modes import Mode
from workbench.permissions.places import Place, Root, Roots, locate
from workbench.permissions.rules import RuleSet

CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "cases" / "paths.jsonl").read_text(encoding="utf-8").splitlines()]
TOOLS_BUSINESS = {
    "P050": "a scheme is refused by the tool before there is a path",
    "P079": "devices are refused by the tool; here they are outside",
    "P088": "what kind of file it is concerns the tool",
    "P087": "what kind of file it is concerns the tool",
    "P089": "a folder where a file is wanted concerns the tool",
    "P078": "devices are refused by the tool; here they are outside",
    "P133": "a folder that vanishes after the approval is noticed by the tool",
    "P083": "deleting a link concerns the link, which the tool names; here links are followed",
}
"""Cases that the gate cannot decide, and why; the file tools' tests run them."""

RUNNABLE = [case for case in CASES if case["platform"] in {"any", "posix", "linux"} and case["id"] not in TOOLS_BUSINESS]


class Stage:
    """A workspace for one case: placeholders filled in, set-up steps made."""

    def __init__(self, folder: Path, case: dict[str, Any]) -> None:
        self.workspace, self.beside, self.home = folder / "ws", folder / "out", folder / "home"
        for made in (self.workspace, self.beside, self.home):
            made.mkdir(parents=True)
        self.opened = self.workspace
        if case.get("root_is_symlink"):
            self.opened = folder / "link"
            self.opened.symlink_to(self.workspace)
        self.roots = Roots(
            workspace=Root(path=str(self.workspace)),
            extra=tuple(Root(path=self.filled(path), writable=mode == "rw") for path, mode in case.get("extra_roots", ())),
            home=str(self.home),
        )
        self.make(case["setup"])

    def filled(self, text: str) -> str:
        values = {
            "WS": str(self.opened), "WSREAL": str(self.workspace), "WSNAME": "ws", "OUT": str(self.beside), "OUTNAME": "out", "HOME": str(self.home),
            "WSUPPER": str(self.opened).upper(),
        }  # fmt: skip
        for name, value in values.items():
            text = text.replace("{" + name + "}", value)
        return text

    def place(self, text: str) -> Path:
        return self.workspace / self.filled(text)

    def make(self, steps: list[list[str]]) -> None:
        acts: dict[str, Callable[..., Any]] = {
            "mkdir": lambda path: self.place(path).mkdir(parents=True, exist_ok=True),
            "file": self._file,
            "symlink": lambda target, path: self._parent(path).symlink_to(self.filled(target)),
            "hardlink": lambda origin, path: os.link(self.place(origin), self._parent(path)),
            "fifo": lambda path: os.mkfifo(self.place(path)),
            "socket": self._socket,
            "rename": lambda old, new: self.place(old).rename(self.place(new)),
            "remove": lambda path: self.place(path).unlink(),
        }
        for name, *values in steps:
            acts[name](*values)

    def _parent(self, path: str) -> Path:
        place = self.place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def _file(self, path: str, text: str) -> None:
        self._parent(path).write_text(text, encoding="utf-8")

    def _socket(self, path: str) -> None:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(os.path.relpath(self.place(path)))

    def locate(self, request: str) -> Place:
        return locate(self.filled(request), folder=str(self.workspace), roots=self.roots, disk=RealDisk())


@pytest.mark.parametrize("case", RUNNABLE, ids=lambda case: case["id"])
def test_path_case(case: dict[str, Any], tmp_path: Path) -> None:
    stage = Stage(tmp_path, case)
    stage.make(case.get("between", []))
    place = stage.locate(case["request"])
    inside = place.inside and (case["op"] in {"read", "list", "glob", "grep"} or (place.root is not None and place.root.writable))
    assert inside == (case["expect"] == "inside"), place
    if "real" in case:
        assert place.real == str(stage.place(case["real"]))


@pytest.mark.parametrize("case", [case for case in RUNNABLE if case.get("protected") or case.get("secret")], ids=lambda case: case["id"])
def test_protected_and_secret_cases_ask_with_their_mark(case: dict[str, Any], tmp_path: Path) -> None:
    stage = Stage(tmp_path, case)
    place = stage.locate(case["request"])
    changes = bool(case.get("protected"))
    action = Action(
        tool="write" if changes else "read",
        tool_class="edit" if changes else "read",
        touches=(Touch(kind="path", name=place.real, access="write" if changes else "read"),),
    )
    modes: tuple[Mode, ...] = ("ask", "accept_edits")
    for mode in modes:
        decision = decide(action, mode=mode, rules=RuleSet(), roots=stage.roots, disk=RealDisk())
        assert decision.outcome == "ask"
        assert ("protected" if changes else "secret") in decision.badges
        assert not decision.can_always


def test_escape_by_link_neighbour_or_climbing_is_outside(tmp_path: Path) -> None:
    """The bug case escape-by-symlink: four ways inside, six outside, one that is no path."""
    for folder in ("ws/sub", "ws-evil", "out"):
        (tmp_path / folder).mkdir(parents=True)
    for name, target in {"l": "out", "dang": "out/new.txt", "in": "ws/sub"}.items():
        (tmp_path / "ws" / name).symlink_to(tmp_path / target)
    ws = str(tmp_path / "ws")
    paths = ["a.txt", "sub/../a.txt", f"{ws}/a.txt", "in/a.txt", "l/x", "dang", "../ws-evil/x", f"{tmp_path}/ws-evil/x", "sub/../../out/x", "~/x", "a\0b"]
    roots = Roots(workspace=Root(path=ws), home=str(tmp_path / "home"))
    places = [locate(path, folder=ws, roots=roots, disk=RealDisk()) for path in paths]
    assert [place.inside for place in places] == [True] * 4 + [False] * 7
    assert places[-1].problem


def test_tool_that_says_inside_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "ws" / "l").symlink_to(tmp_path / "out")
    action = Action(tool="write", tool_class="edit", touches=(Touch(kind="path", name=str(tmp_path / "ws" / "l" / "x"), access="write", outside=False),))
    decision = decide(action, mode="accept_edits", rules=RuleSet(), roots=Roots(workspace=Root(path=str(tmp_path / "ws"))), disk=RealDisk())
    assert (decision.outcome, decision.outside) == ("ask", True)


WINDOWS = Roots(workspace=Root(path="C:\\ws"), home="C:\\Users\\u", folds_case=True)
WINDOWS_DISK = MemoryDisk({"C:/ws/src/app.py": "x", "C:/ws/j": "->C:\\out", "C:/out/secret.txt": "x", "C:": None})


@pytest.mark.parametrize(
    ("request_", "inside"),
    [("src/app.py", True), ("src\\app.py", True), ("C:\\ws\\src\\app.py", True), ("c:/WS/new.txt", True), ("C:\\Windows\\win.ini", False),
     ("src\\..\\..\\x", False), ("C:win.ini", False), ("\\x", False), ("\\\\server\\share\\x", False), ("\\\\?\\C:\\Windows\\x", False),
     ("a.txt:stream", False),
     ("j\\secret.txt", False),
     ("D:\\ws\\x", False)],
)  # fmt: skip
def test_drive_paths_are_judged_by_their_own_rules(request_: str, inside: bool) -> None:
    assert locate(request_, folder="C:\\ws", roots=WINDOWS, disk=WINDOWS_DISK).inside is inside


def test_data_folder_is_closed_but_for_outputs_and_the_sample() -> None:
    roots = Roots(workspace=Root(path="/data/sample"), data_folder="/data", outputs=("/data/sessions/1/outputs",))
    assert roots.in_data_folder("/data/rules.toml")
    assert roots.in_data_folder("/data")
    assert not roots.in_data_folder("/data/sessions/1/outputs/call.txt")
    assert roots.in_data_folder("/data/sessions/2/outputs/call.txt")
    assert not roots.in_data_folder("/data/sample/src/a.py")
    assert not roots.in_data_folder("/database/x")
