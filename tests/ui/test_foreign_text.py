"""Text of others stays text, everywhere in the window and in the approval dialog: no HTML, no mnemonic, no character unseen, nothing left out."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tests.ui.approval.asked import HeldBridge, bash, command, part, question, shown
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_honest, assert_plain, assert_whole
from tests.ui.windows import rest, window_in
from workbench.conversation.calls import Preview, Reason, Target
from workbench.conversation.events import ApprovalRequested
from workbench.permissions.visible import visible
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.chat.documents import HONEST_BLANKS
from workbench.ui.kit.labels import Label

HTML = '<span style="font-size:1px;color:red">x<img src="file:///etc/hostname">'
HOSTILE: dict[str, str] = {
    "html": HTML,
    "mnemonic": "ls && rm -rf &x &amp; &lt;b&gt;",
    "bidi": "echo hi\u202e#hs|live lruc\u2066 x\u2069",
    "zero width": "rm\u200b -rf\u2060 \ufeffbuild\u00ad",
    "carriage return": "safe\rrm -rf ~",
    "terminal": "a\x1b[31mred\x07\x9b31m",
    "tags": "ls\U000e0001\U000e006c\U000e0073\U000e007f",
    "blanks": "rm\u00a0-rf\u2003~\u3164x\u2800y",
    "separators": "one\u2028two\u2029three\x85four\x0bfive",
    "private": "\ue000\U000f0000\ufdd0",
}


def questions(text: str) -> list[ApprovalRequested]:
    """Return questions in which every foreign field holds a text."""
    reason = Reason(code="floor.x", text="It asks.", subject=text)
    told: dict[str, object] = {"agent": (text,), "description": text, "reasons": (reason,), "badges": ("secret",)}
    target = Target(kind="path", name=f"/x/{text}", access="write", outside=True)
    rules = ({"tool": text, "path": f"{text}/a", "effect": "allow"}, {"tool": text, "path": f"{text}/**", "effect": "allow"})
    argv = ({"tool": "bash", "argv": [text, "**"], "effect": "allow"},)
    parts = (part(text, folder=f"/{text}", program=f"/{text}", places=(f"/{text}",), reasons=(reason,), argv=(text, "x"), always=argv), part(text))
    preview = Preview(kind="diff", title=text, body=text, before=f"{text}\n", after=f"{text}2\n", notes=(text,))
    arguments = {text: text, "list": [text], "nested": {text: text}}
    return [
        bash(*parts, identity="q1", **told),  # type: ignore[arg-type]
        question("q2", **(told | {"can_always": True, "always": rules, "tool": text, "preview": preview, "targets": (target,), "arguments": arguments})),
        question("q3", **(told | {"tool": text, "preview": Preview(kind="text", title=text, body=text), "arguments": arguments, "danger": 4})),
        question("q4", **(told | {"tool": text, "preview": Preview(kind="none", title=text), "arguments": arguments, "input_schema": schema(text)})),
    ]


def schema(text: str) -> dict[str, object]:
    return {"type": "object", "properties": {text: {"type": "string", "description": text}, "choice": {"type": "string", "enum": [text, "b"]}}}


def assert_says_itself(dialog: ApprovalDialog) -> None:
    """Fail if a label says something else to a screen reader than what it shows."""
    for label in dialog.findChildren(ExactLabel):
        raw = label.text()
        assert visible(raw, keep="\n") in {label.accessibleName(), label.accessibleDescription(), visible(raw)} or visible(raw) == label.accessibleName()


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [(1200, 760), (560, 420)])
async def test_dialog_shows_foreign_text_letter_by_letter(gui: Gui, name: str, size: tuple[int, int]) -> None:
    bridge = HeldBridge(*questions(HOSTILE[name]))
    dialog = await shown(gui, bridge, size=size, open_guard=False)
    for asked in bridge.open_questions:
        dialog.show_call(asked.call_id)
        for tab in range(3):
            dialog.content.tabs.choose(tab)
            await gui.settle()
            assert_plain(dialog)
            assert_honest(dialog)
            assert_whole(dialog)
            assert_says_itself(dialog)
    dialog.queue.batch_wanted.emit()
    await gui.settle()
    assert_plain(dialog)
    assert_honest(dialog)
    assert bridge.answers == []


@pytest.mark.parametrize("name", ["html", "bidi", "zero width", "tags"])
async def test_dialog_draws_what_others_hide(gui: Gui, tmp_path: Path, name: str) -> None:
    plain = "".join(character for character in HOSTILE[name] if character.isprintable())
    pictures = []
    for text in (HOSTILE[name], plain if plain != HOSTILE[name] else "x"):
        dialog = await shown(gui, HeldBridge(command(text, folder=tmp_path)), open_guard=False)
        await gui.settle()
        pictures.append(gui.picture(dialog.content.pane.command))
        dialog.hide()
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("name", ["html", "bidi", "tags", "terminal", "mnemonic"])
async def test_window_shows_foreign_text_letter_by_letter(gui: Gui, tmp_path: Path, name: str) -> None:
    text = HOSTILE[name].replace("/", "_")
    folder = tmp_path / "ws"
    (folder / text).mkdir(parents=True)
    for file in (f"{text}.txt", f"{text}/{text}.py", "README.md"):
        (folder / file).write_text(f"{text}\n")
    async with window_in(gui, tmp_path) as window:
        bridge = window.desk.bridge
        assert await bridge.send(f"Run touch x; {text}") == "started"
        await gui.until(lambda: bridge.pending)
        await gui.until(window.questions.dialog.isVisible)
        window.desk.told.emit(text, "warning")
        bridge.refused.emit(text)
        window.show_inspector("requests")
        await gui.settle()
        _assert_all(window)
        window.open_palette()
        await gui.settle()
        _assert_all(window)
        for asked in bridge.pending:
            bridge.answer(asked.approval_id, "reject", note=text)
        await rest(gui, window)
        for page in ("providers", "appearance"):
            _assert_all(window.settings_shown(page), "none")
        _assert_all(window)


def _assert_all(window: QWidget, names: Literal["shown", "none"] = "shown") -> None:
    assert_plain(window, names=names)
    assert_honest(window, keep=HONEST_BLANKS)


def test_a_label_refuses_to_read_html(gui: Gui) -> None:
    label = gui.show(Label("x"))
    for wanted in (Qt.TextFormat.RichText, Qt.TextFormat.AutoText, Qt.TextFormat.MarkdownText):
        with pytest.raises(ValueError, match="plain text only"):
            label.setTextFormat(wanted)
    label.setText("a\u202eb")
    assert label.text() == "a⟨U+202E⟩b"
