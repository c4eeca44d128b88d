"""Faults of other programs that people reported of approvals: every gui case of it, run against the dialog on real sessions."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any, TypeAlias, cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import answer, call
from tests.shared import ROOT
from tests.ui.approval.asked import HeldBridge, command, opened, question, shown
from tests.ui.gui import Gui
from workbench.agent.bench import ToolBench
from workbench.app import ModelChoice, OpenSession
from workbench.conversation.events import ApprovalResolved, ToolFinished
from workbench.conversation.stream import TextDelta
from workbench.store.session_store import SessionStore
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.bridge import Bridge

Case: TypeAlias = dict[str, Any]

CASES: dict[str, Case] = {
    case["id"]: case
    for name in ("bug_reports_approval.jsonl", "bug_reports_cards.jsonl", "bug_reports_files.jsonl")
    for line in (ROOT / "tests" / "cases" / name).read_text(encoding="utf-8").splitlines()
    for case in [json.loads(line)]
}


def attached(d: Dialogue) -> Bridge:
    """Return the window's bridge on a session whose model is a script."""
    registry = d.session._setup.registry
    bench = ToolBench(workspace=d.context.workspace, registry=registry, gatekeeper=d.gatekeeper, context=d.context, jobs=d.jobs)
    bridge = Bridge()
    bridge.attach(OpenSession(d.session, cast("SessionStore", None), bench, cast("ModelChoice", None)))
    return bridge


def actions(name: str) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", CASES[name]["input"]["actions"])


async def test_full_command_visible(gui: Gui, tmp_path: Path) -> None:
    (request,) = actions("full-command-visible")
    expected = CASES["full-command-visible"]["expect"]
    bridge = HeldBridge(command(request["command"], folder=tmp_path))
    dialog = await shown(gui, bridge, size=(900, 600))
    assert dialog.command_text() == request["command"]
    assert len(dialog.command_text()) == expected["length_shown"]
    assert "3,352 characters" in dialog.content.pane.progress().words
    assert request["command"] in dialog.content.pane.command.plain_text()
    assert dialog.footer.offer.blocked
    assert dialog.shown is not None
    assert "destroys" in dialog.shown.badges
    assert any(reason.code == "shell.destroys" and "rm -rf" in reason.subject for reason in dialog.shown.reasons)
    rows = dialog.content.pane.command
    covered = "".join(rows._rows.row(row).text for row in range(len(rows._rows)))
    assert covered == request["command"]
    QTest.keyClick(dialog.content.pane.command, Qt.Key.Key_End)
    await gui.until(lambda: not dialog.footer.offer.blocked)


async def test_bidi_zero_width_shown(gui: Gui, tmp_path: Path) -> None:
    (request,) = actions("bidi-zero-width-shown")
    expected = CASES["bidi-zero-width-shown"]["expect"]
    dialog = await shown(gui, HeldBridge(command(request["command"], folder=tmp_path)))
    pane = dialog.content.pane.command
    text = pane.plain_text()
    for code in expected["visible_escapes"]:
        assert f"⟨{code}⟩" in text
    assert dialog.shown is not None
    hidden = [reason for reason in dialog.shown.reasons if reason.code == "shell.hidden"]
    assert f"{expected['hidden_count']} hidden characters" in hidden[0].text
    assert f"mixed script: {expected['mixed_script'][0]}" in text
    assert {"hidden_characters", "mixed_script"} <= set(dialog.shown.badges)
    assert not dialog.footer.always.isVisible()
    assert not dialog.strip.isVisible()


async def test_typing_does_not_approve(gui: Gui, tmp_path: Path) -> None:
    steps = actions("typing-does-not-approve")
    bridge = HeldBridge()
    dialog = await shown(gui, bridge, open_guard=False)
    dialog.hide()
    parent = dialog.parentWidget()
    assert parent is not None
    await gui.until(parent.isActiveWindow)

    def type_where_the_keyboard_is(text: str) -> None:
        widget: Any = QApplication.focusWidget()
        assert widget is not None
        gui.type(widget, text)

    for step in steps[1:]:
        match step["do"]:
            case "type":
                type_where_the_keyboard_is(step["text"])
            case "approval_request":
                bridge.put(command(step["command"], folder=tmp_path))
                dialog.present()
                await gui.settle()
            case "key":
                type_where_the_keyboard_is({"Return": "\n", "Space": " "}[step["key"]])
            case _:
                pytest.fail(f"unknown step {step}")
        await gui.settle()
    assert bridge.answers == []
    assert len(bridge.open_questions) == 1
    assert dialog.isVisible()
    composer: Any = QApplication.focusWidget()
    assert composer.toPlainText().split("\n")[0] == CASES["typing-does-not-approve"]["expect"]["typed_text_kept"]


async def test_changed_while_dialog_open(gui: Gui, tmp_path: Path) -> None:
    case = CASES["changed-while-dialog-open"]
    request, _wait, write, _click = actions("changed-while-dialog-open")
    async with Dialogue(tmp_path, files=case["input"]["workspace"]) as d:
        bridge = attached(d)
        await d.user("change it")
        await d.streams("", call("read", file_path="q.txt"))
        await d.model.asked()
        await d.streams("", call("write", file_path=request["args"]["path"], content=request["args"]["content"]))
        first = await d.question()
        dialog = await shown(gui, bridge)
        (d.folder / write["path"]).write_text(write["content"])
        gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
        finished = await d.result()
        while finished.tool != "write":
            finished = await d.result()
        assert finished.status == "error"
        assert dialog.shown is None or dialog.shown.approval_id != first.approval_id
        assert d.text("q.txt") == case["expect"]["files_text"]["q.txt"]
        await d.model.asked()
        await d.answers("done")
        bridge.detach()


async def test_dialog_while_streaming(gui: Gui, tmp_path: Path) -> None:
    expected = CASES["dialog-while-streaming"]["expect"]
    async with Dialogue(tmp_path) as d:
        bridge = attached(d)
        pieces: list[str] = []
        bridge.live.connect(lambda events: pieces.extend(event.piece.text for event in events if isinstance(event.piece, TextDelta)))
        await d.user("talk")
        held = HeldBridge(command("ls", folder=tmp_path, agent=("sub-agent",)), question("q2", tool="read", digest="x"))
        dialog = await shown(gui, held, open_guard=False)
        started, *_middle, usage, ended = answer("")
        d.model.say(started, whole=False)
        for number in range(expected["deltas_shown"]):
            d.model.say(TextDelta(text=f"{number} "), whole=False)
            if number % 40 == 0:
                await gui.settle()
        await opened(gui, dialog)
        gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
        await opened(gui, dialog)
        gui.click_at(dialog.footer.reject, dialog.footer.reject.rect().center())
        d.model.say(usage, ended)
        await d.end()
        bridge.flush()
        assert held.said == ["approve", "reject"]
        assert "".join(pieces).split() == [str(number) for number in range(expected["deltas_shown"])]
        bridge.detach()


async def test_stop_with_open_approval(gui: Gui, tmp_path: Path) -> None:
    case = CASES["stop-with-open-approval"]
    first, again = [step for step in actions("stop-with-open-approval") if step["do"] == "model_call"]
    async with Dialogue(tmp_path) as d:
        bridge = attached(d)
        await d.user("go")
        await d.streams("", call("bash", first["id"], description="x", **first["args"]))
        await d.question()
        dialog = await shown(gui, bridge)
        old = dialog.shown
        bridge.stop()
        await gui.until(lambda: not d.session.pending)
        gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
        await d.session.wait_idle()
        bridge.flush()
        assert dialog.shown is None
        (resolved,) = d.facts(ApprovalResolved)
        assert resolved.answer == "stop"
        assert [one.kind for one in d.facts(ToolFinished)] == ["cancelled"]
        d.model.forget()
        await d.user("again")
        await d.streams("", call("bash", again["id"], description="x", **again["args"]))
        await d.question()
        await gui.until(lambda: dialog.shown is not None)
        assert dialog.shown is not old
        assert len(d.session.pending) == case["expect"]["pending"]
        for name in case["expect"]["absent"]:
            assert not (d.folder / name).exists()
        await d.session.stop()
        bridge.detach()


async def test_preview_is_the_change(gui: Gui, tmp_path: Path) -> None:
    case = CASES["preview-is-the-change"]
    files = {name: base64.b64decode(content["b64"]).decode() for name, content in case["input"]["files"].items()}
    arguments = case["input"]["steps"][1]["preview"]["args"]
    fields = {"file_path": arguments["path"], "old_string": arguments["oldString"], "new_string": arguments["newString"]}
    async with Dialogue(tmp_path, files=files) as d:
        bridge = attached(d)
        await d.user("change it")
        await d.streams("", call("read", file_path="p.txt"))
        await d.model.asked()
        await d.streams("", call("edit", replace_all=True, **fields))
        await d.question()
        dialog = await shown(gui, bridge)
        lines = dialog.content.pane.diff.plain_text().split("\n")
        counts = {sign: sum(line.startswith(sign) for line in lines) for sign in "+-"}
        assert counts == case["expect"]["diff_counts"]
        assert dialog.content.pane.figures() == (2, 2)
        gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
        await d.model.asked()
        expected = {name: base64.b64decode(content).decode() for name, content in case["expect"]["files"].items()}
        assert {name: d.text(name) for name in expected} == expected
        applied = "".join(line[1:] + "\n" for line in lines if line[0] in "+ ")
        assert applied == d.text("p.txt")
        await d.streams("", call("edit", file_path="p.txt", old_string="x=9", new_string="x=1"))
        await d.model.asked()
        assert [one.kind for one in d.facts(ToolFinished) if one.status == "error"] == ["old_string_not_unique"]
        await d.answers("done")
        bridge.detach()


async def test_extra_property_no_privilege(gui: Gui, tmp_path: Path) -> None:
    case = CASES["extra-property-no-privilege"]
    async with Dialogue(tmp_path) as d:
        bridge = attached(d)
        await d.user("go")
        raw = json.loads(case["input"]["arguments_raw"]) | {"description": "x", "command": "rm -rf x"}  # the case's own leads outside: refused unasked
        await d.streams("", call("bash", raw=json.dumps(raw)))
        asked = await d.question()
        dialog = await shown(gui, bridge)
        assert asked.arguments.keys() == {*case["expect"]["passed_args"], "description"}
        assert asked.arguments["command"] == "rm -rf x"
        notes = [label.text() for label in dialog.header.findChildren(ExactLabel)]
        ignored = next(note for note in notes if note.startswith("Ignored"))
        for name in ("security", "approved", "requires_approval", "dangerouslyDisableSandbox"):
            assert name in ignored
            assert name not in asked.arguments
        await d.session.stop()
        bridge.detach()


@pytest.mark.parametrize("name", ["preview-is-the-change", "changed-while-dialog-open", "dialog-while-streaming"])
def test_every_case_of_the_file_is_run(name: str) -> None:
    assert f"test_{name.replace('-', '_')}" in globals()
