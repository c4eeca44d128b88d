"""Every path case, made by the real tools in a real session: the gate decides, a person approves, something happens, the tool acts.

The person approves what is inside and rejects what is not. `expect` of a case is told by what the session did.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call
from tests.workspace.path_stage import Stage
from workbench.agent.gatekeeper import Gatekeeper, roots_of
from workbench.conversation.events import ApprovalRequested, Decided, ToolFinished
from workbench.errors import FileRefused, ToolError, WorkspaceError
from workbench.permissions.gate import Action, Touch
from workbench.permissions.modes import GateFacts, Mode
from workbench.tools.write import WriteTool
from workbench.workspace import beneath, renaming
from workbench.workspace.paths import open_workspace, resolve, resolve_entry
from workbench.workspace.removing import remove_entry

CASES = [json.loads(line) for line in (Path(__file__).parent.parent / "cases" / "paths.jsonl").read_text(encoding="utf-8").splitlines()]
PLATFORMS = {"any"} | ({"posix"} if os.name == "posix" else set()) | {"linux": {"linux"}, "darwin": {"macos"}, "win32": {"windows"}}.get(sys.platform, set())
NEW = "new text\n"

OWN: list[dict[str, Any]] = [
    {"id": "root-replaced", "setup": [["file", "f.txt", "old"]], "op": "write", "request": "f.txt", "expect": "outside",
     "between": [["rename", "{WSREAL}", "{OUT}/was"], ["file", "f.txt", "old"]], "must_not_change": ["f.txt", "{OUT}/was/f.txt"]},
    {"id": "root-becomes-link", "setup": [["file", "f.txt", "old"]], "op": "write", "request": "f.txt", "expect": "outside",
     "between": [["rename", "{WSREAL}", "{OUT}/was"], ["symlink", "{OUT}/was", "{WSREAL}"]], "must_not_change": ["{OUT}/was/f.txt"]},
    {"id": "pipe-takes-the-name", "setup": [["file", "f.txt", "old"]], "op": "write", "request": "f.txt", "expect": "outside",
     "between": [["remove", "f.txt"], ["fifo", "f.txt"]]},
    {"id": "folder-takes-the-name", "setup": [["file", "f.txt", "old"]], "op": "write", "request": "f.txt", "expect": "outside",
     "between": [["remove", "f.txt"], ["mkdir", "f.txt"]]},
    {"id": "new-file-where-a-link-is-made", "setup": [["file", "{OUT}/secret.txt", "SECRET"]], "op": "create", "request": "new.txt", "expect": "outside",
     "between": [["symlink", "{OUT}/secret.txt", "new.txt"]], "must_not_change": ["{OUT}/secret.txt"]},
    {"id": "new-file-where-a-folder-leaves", "setup": [["mkdir", "d"]], "op": "create", "request": "d/new.txt", "expect": "outside",
     "between": [["rename", "d", "e"], ["symlink", "{OUT}", "d"]]},
    {"id": "touched", "setup": [["file", "f.txt", "old"]], "op": "write", "request": "f.txt", "expect": "inside", "stale": True,
     "between": [["hardlink", "f.txt", "{OUT}/other"]], "must_not_change": ["{OUT}/other"]},
    {"id": "pipe", "setup": [["fifo", "p"]], "op": "read", "request": "p", "expect": "outside"},
    {"id": "pipe-written", "setup": [["fifo", "p"]], "op": "write", "request": "p", "expect": "outside"},
    {"id": "device", "setup": [], "op": "read", "request": "/dev/zero", "expect": "outside"},
    {"id": "link-to-device", "setup": [["symlink", "/dev/zero", "z"]], "op": "read", "request": "z", "expect": "outside"},
    {"id": "hard-link-in-a-read-only-root", "setup": [["file", "{OUT}/lib/a", "x"], ["hardlink", "{OUT}/lib/a", "a"]], "op": "write", "request": "a",
     "extra_roots": [["{OUT}/lib", "ro"]], "expect": "inside", "must_not_change": ["{OUT}/lib/a"]},
    {"id": "writable-root", "setup": [["file", "{OUT}/lib/a", "x"]], "op": "write", "request": "{OUT}/lib/a", "expect": "inside",
     "extra_roots": [["{OUT}/lib", "rw"]]},
    {"id": "glob-braces-out", "setup": [["file", "{OUT}/secret.txt", "S"], ["symlink", "{OUT}", "o"]], "op": "glob", "request": "{src,o}/*",
     "expect": "outside"},
    {"id": "list-link-out", "setup": [["file", "{OUT}/secret.txt", "S"], ["symlink", "{OUT}", "o"]], "op": "list", "request": "o", "expect": "outside"},
    {"id": "dangling-out", "setup": [["symlink", "{OUT}/made.txt", "l"]], "op": "create", "request": "l", "expect": "outside"},
    {"id": "dangling-folder-out", "setup": [["symlink", "{OUT}/none", "l"]], "op": "create", "request": "l/made.txt", "expect": "outside"},
    {"id": "link-to-itself", "setup": [["symlink", "l", "l"]], "op": "create", "request": "l", "expect": "outside"},
    {"id": "root-by-its-real-path", "setup": [["file", "a.txt", "A"]], "op": "read", "request": "{WSREAL}/a.txt", "expect": "inside", "root_is_symlink": True},
    {"id": "own-descriptor", "setup": [], "op": "read", "request": "/proc/self/fd/0", "expect": "outside"},
    {"id": "git-with-hidden-letter", "setup": [], "op": "create", "request": ".g\u200cit/config", "expect": "inside", "protected": True},
    {"id": "git-with-dot", "setup": [], "op": "create", "request": ".git./config", "expect": "inside", "protected": True},
    {"id": "wide-instructions", "setup": [], "op": "create", "request": "\uff21GENTS.md", "expect": "inside", "protected": True},
    {"id": "secret-by-folder", "setup": [["file", ".aws/credentials", "K"]], "op": "read", "request": ".aws/credentials", "expect": "inside", "secret": True},
    {"id": "secret-through-links", "setup": [["file", "d/.env", "K"], ["symlink", "d", "e"], ["symlink", "e/.env", "f"]], "op": "read", "request": "f",
     "expect": "inside", "secret": True, "real": "d/.env"},
    {"id": "secret-becomes-link-out", "setup": [["file", ".env", "K"], ["file", "{OUT}/secret.txt", "SECRET"]], "op": "read", "request": ".env",
     "expect": "inside", "stale": True, "between": [["remove", ".env"], ["symlink", "{OUT}/secret.txt", ".env"]]},
    {"id": "secret-becomes-pipe", "setup": [["file", ".env", "K"]], "op": "read", "request": ".env", "expect": "outside",
     "between": [["remove", ".env"], ["fifo", ".env"]]},
    {"id": "list-tree", "setup": [["file", "{OUT}/secret.txt", "S"], ["symlink", "{OUT}", "d/o"]], "op": "list", "request": ".", "expect": "inside",
     "must_not_list": ["secret.txt"]},
]  # fmt: skip
"""Cases of the same form that the shared file does not have."""

ASKED_AGAIN = {
    "P132": "the hard link that took the name is another file, so the approval is void; nothing is written before it is asked again",
    "P133": "once the folder is gone the call would make a new file, inside: that is another question, and the moved file is left alone",
}
"""Cases whose approval no longer holds although they do not say so, and why that is as good as what they expect."""
VOID = {"changed_during_approval", "stale_file", "not_read"}
"""Error kinds that tell the model that what was approved is not there any more: it has to look and ask anew."""


def params(cases: list[dict[str, Any]]) -> list[Any]:
    """Return cases as parameters; those of other systems are skipped with the reason."""
    skip = {case["id"]: pytest.mark.skip(reason=f"only on {case['platform']}") for case in cases if case.get("platform", "any") not in PLATFORMS}
    return [pytest.param(case, id=case["id"], marks=[skip[case["id"]]] if case["id"] in skip else []) for case in cases]


RUNNABLE = [case for case in CASES if case["platform"] in PLATFORMS]
BETWEEN = [case for case in [*RUNNABLE, *OWN] if "between" in case or "must_not_change" in case]


@pytest.mark.parametrize("case", params(CASES))
async def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    await check(case, tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="made of POSIX steps")
@pytest.mark.parametrize("case", params(OWN))
async def test_case_of_our_own(case: dict[str, Any], tmp_path: Path) -> None:
    await check(case, tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="Windows opens by name")
@pytest.mark.parametrize("case", params(BETWEEN))
async def test_case_where_the_kernel_knows_neither_call(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beneath, "best_way", lambda: "steps")
    monkeypatch.setattr(renaming, "_syscall", lambda: None)
    await check(case, tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="made of POSIX steps")
@pytest.mark.parametrize("way", ["openat2", "steps"])
@pytest.mark.parametrize("case", params([case for case in [*RUNNABLE, *OWN] if "between" in case and case["op"] != "read"]))
async def test_what_happens_between_the_last_look_and_the_use(case: dict[str, Any], way: beneath.Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool alone: nobody prepares the call a second time before it is applied."""
    if way == "steps":
        monkeypatch.setattr(beneath, "best_way", lambda: "steps")
        monkeypatch.setattr(renaming, "_syscall", lambda: None)
    stage = Stage(tmp_path, case)
    stage.steps(case["setup"])
    async with Dialogue(tmp_path) as dialogue:
        made = Call(case, stage, dialogue)
        made.has_seen()
        plan = await WriteTool().prepare(made.arguments()[1], dialogue.context)
        stage.steps(case["between"])
        everything = contents(tmp_path)
        with pytest.raises((ToolError, WorkspaceError)):
            await WriteTool().apply(plan, dialogue.context)
        assert contents(tmp_path) == everything


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return every path below a folder, with the bytes of files."""
    return {str(path): path.read_bytes() if path.is_file() and not path.is_symlink() else None for path in folder.rglob("*")}


def test_every_case_is_run_or_belongs_to_another_system() -> None:
    assert len(CASES) == 145
    skipped = [case["platform"] for case in CASES if case["platform"] not in PLATFORMS]
    assert not {"any", *(["posix"] if os.name == "posix" else [])} & set(skipped)
    if sys.platform == "linux":
        assert (len(RUNNABLE), skipped.count("windows"), skipped.count("macos")) == (121, 21, 3)


async def check(case: dict[str, Any], folder: Path) -> None:
    stage = Stage(folder, case)
    stage.steps(case["setup"])
    kept = stage.contents(case.get("must_not_change", []))
    if case["op"] in {"delete", "delete-tree"}:
        outcome = remove(case, stage)
    else:
        roots = [(stage.path(name), right == "rw") for name, right in case.get("extra_roots", [])]
        async with Dialogue(folder, extra_roots=roots) as dialogue:
            made = Call(case, stage, dialogue)
            outcome = await made.outcome()
            kept = made.kept or kept
    assert outcome == ("stale" if case.get("stale") or case["id"] in ASKED_AGAIN else case["expect"])
    assert len(kept) == len(case.get("must_not_change", []))
    assert stage.contents(list(kept)) == kept
    for mode in ("ask", "accept_edits", "auto"):
        judged_in_every_mode(case, stage, mode)


class Call:
    """One call of a case in a session."""

    def __init__(self, case: dict[str, Any], stage: Stage, dialogue: Dialogue) -> None:
        self.case, self.stage, self.dialogue = case, stage, dialogue
        self.request = stage.fill(case["request"])
        self.kept: dict[str, bytes] = {}

    def arguments(self) -> tuple[str, dict[str, Any]]:
        match self.case["op"]:
            case "read":
                return "read", {"file_path": self.request}
            case "list":
                return "list", {"path": self.request}
            case "glob":
                return "glob", {"pattern": self.request}
            case "grep":
                return "grep", {"pattern": self.request}
            case _:
                return "write", {"file_path": self.request, "content": NEW}

    async def outcome(self) -> str:
        """Say what became of the call: inside, outside (refused, or asked as outside), or stale (asked again)."""
        self.has_seen()
        tool, arguments = self.arguments()
        await self.dialogue.user("Go")
        await self.dialogue.streams("", call(tool, "c1", **arguments))
        told = await self.next_fact()
        outcome = ""
        asked = 0
        while isinstance(told, ApprovalRequested):
            asked += 1
            if "outside" in told.badges or asked > 1:
                outcome = "outside" if "outside" in told.badges else "stale"
                if outcome == "stale":
                    assert told.reasons[0].code == "call.changed"
                self.dialogue.reject(told)
            else:
                self.check_question(told)
                self.stage.steps(self.case.get("between", []))
                self.kept = self.stage.contents(self.case.get("must_not_change", []))
                self.dialogue.approve(told)
            told = await self.next_fact()
        await self.dialogue.answers("Done.")
        if not outcome and told.status == "ok":
            self.check_result(told, asked)
        if outcome:
            return outcome
        return "inside" if told.status == "ok" else "stale" if asked and told.kind in VOID else "outside"

    def has_seen(self) -> None:
        """Let the session know the file that is to be replaced, as if it had read it."""
        try:
            place = resolve(self.request, self.dialogue.context.workspace)
        except WorkspaceError:
            return
        if self.case["op"] == "write" and place.is_file:
            self.dialogue.context.seen.record(place.real, place.real.read_bytes())

    async def next_fact(self) -> ApprovalRequested | ToolFinished:
        event = (await self.dialogue.until(lambda entry: isinstance(entry.event, ApprovalRequested | ToolFinished))).event
        assert isinstance(event, ApprovalRequested | ToolFinished)
        return event

    def check_question(self, question: ApprovalRequested) -> None:
        if self.case.get("protected"):
            assert "protected" in question.badges
            assert question.danger >= 3
            assert not question.can_always
        if self.case.get("secret"):
            assert "secret" in question.badges
        if "real" in self.case:
            assert [target.name for target in question.targets] == [str(self.stage.real / self.case["real"])]

    def check_result(self, result: ToolFinished, asked: int) -> None:
        (decided,) = self.dialogue.facts(Decided)[:1]
        assert asked or not (self.case.get("protected") or self.case.get("secret"))
        if "real" in self.case:
            assert [target.name for target in decided.targets] == [str(self.stage.real / self.case["real"])]
        if self.case["op"] in {"write", "create"}:
            assert resolve(self.request, self.dialogue.context.workspace).real.read_text() == NEW
        for name in self.case.get("must_not_list", []):
            assert name not in result.result.text()
        if self.case.get("show_escaped"):
            assert result.result.text().splitlines()[0] == f"<path>{json.dumps(self.request)}</path>"
        if "nlink" in self.case.get("note", ""):
            assert "2 names (hard links)" in decided.notices[0]


def remove(case: dict[str, Any], stage: Stage) -> str:
    """No tool deletes; what undoing takes away goes this way."""
    workspace = open_workspace(stage.opened, home=stage.home)
    try:
        entry = resolve_entry(stage.fill(case["request"]), workspace)
        if not entry.writable:
            return "outside"
        remove_entry(entry, with_content=case["op"] == "delete-tree")
    except FileRefused:
        return "outside"
    assert not os.path.lexists(stage.real / stage.fill(case["request"]))
    return "inside"


def judged_in_every_mode(case: dict[str, Any], stage: Stage, mode: Mode) -> None:
    """Check that no mode lets a protected or secret file pass without a question, by the place that the tool hands to the gate."""
    if not case.get("protected") and not case.get("secret"):
        return
    workspace = open_workspace(stage.opened, home=stage.home)
    place = resolve(stage.fill(case["request"]), workspace)
    access, kind = ("read", "read") if case["op"] == "read" else ("write", "edit")
    action = Action(tool=case["op"], tool_class=kind, touches=(Touch(kind="path", name=str(place.real), access=access),))  # type: ignore[arg-type]
    facts = GateFacts(rung="bwrap")
    assert Gatekeeper(roots=roots_of(workspace), mode=mode, facts=facts).decide(action).outcome == "ask"
