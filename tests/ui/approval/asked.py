"""Questions made by hand, a bridge that holds them, and the dialog on real sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QVBoxLayout, QWidget
from typing_extensions import override

from tests.ui.desks import FAST, desk_in
from tests.ui.gui import Gui
from workbench.agent.disk import RealDisk
from workbench.agent.gatekeeper import fact_parts, fact_reasons
from workbench.conversation.calls import Answer, CallPart, Outcome, Preview, Reason, RuleScope
from workbench.conversation.events import ApprovalRequested, Entry
from workbench.conversation.values import JsonObject
from workbench.permissions.gate import Action, decide
from workbench.permissions.modes import GateFacts, Rung
from workbench.permissions.places import Root, Roots
from workbench.permissions.rules import RuleSet, stored
from workbench.tools.definitions import load_definition
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.approval.guard import Guard
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk

SIZE = (1200, 760)
MODE_ASKS = Reason(code="mode.ask", text="Changing a file asks in this mode.", subject="edit")
RULES: tuple[JsonObject, ...] = (
    {"tool": "edit", "path": "src/a.py", "effect": "allow"},
    {"tool": "edit", "path": "src/**", "effect": "allow"},
)


def question(identity: str = "q1", **fields: Any) -> ApprovalRequested:
    """Return a question about an edit of a small file; `fields` replace or add."""
    known: dict[str, Any] = {
        "approval_id": identity,
        "turn_id": "t1",
        "step": 1,
        "call_id": f"call_{identity}",
        "tool": "edit",
        "digest": f"digest of {identity}",
        "danger": 1,
        "preview": Preview(kind="diff", title="src/a.py", before="one\ntwo\n", after="one\n2\n"),
        "reasons": (MODE_ASKS,),
        "arguments": {"file_path": "src/a.py", "old_string": "two", "new_string": "2"},
        "input_schema": load_definition("edit").input_schema,
    }
    return ApprovalRequested(**(known | fields))


def with_rules(identity: str = "q1", **fields: Any) -> ApprovalRequested:
    """Return a question for which lasting rules are offered."""
    return question(identity, can_always=True, always=RULES, **fields)


def command(text: str, identity: str = "q1", *, folder: Path, rung: Rung = "none", **fields: Any) -> ApprovalRequested:
    """Return the question that the gate asks about a command in a folder, or would ask if it did not refuse it."""
    roots = Roots(workspace=Root(path=str(folder), writable=True), home="/home/somebody")
    action = Action(tool="bash", tool_class="exec", command=text)
    decision = decide(action, mode="ask", rules=RuleSet(), roots=roots, disk=RealDisk(), facts=GateFacts(rung=rung))
    asked: dict[str, Any] = {
        "tool": "bash",
        "danger": int(decision.danger),
        "preview": Preview(kind="command", title=text[:100], body=text, language="bash"),
        "reasons": fact_reasons(decision.reasons),
        "badges": tuple(decision.badges),
        "parts": fact_parts(decision),
        "can_always": decision.can_always,
        "always": tuple(stored(rule) for rule in decision.suggested),
        "confinement": decision.confinement,
        "arguments": {"command": text, "description": "runs something"},
        "input_schema": load_definition("bash").input_schema,
    }
    return question(identity, **(asked | fields))


def part(text: str, outcome: Outcome = "ask", danger: int = 2, **fields: Any) -> CallPart:
    """Return a part of a command that nobody judged."""
    return CallPart(text=text, outcome=outcome, danger=danger, **fields)


def bash(*parts: CallPart, identity: str = "q1", joint: str = "; ", **fields: Any) -> ApprovalRequested:
    """Return the question about a command of these parts; rules may be kept."""
    text = joint.join(one.text for one in parts)
    asked: dict[str, Any] = {
        "tool": "bash",
        "danger": max((one.danger for one in parts), default=2),
        "preview": Preview(kind="command", title=text[:100], body=text, language="bash"),
        "parts": parts,
        "can_always": True,
        "arguments": {"command": text, "description": "runs something"},
        "input_schema": load_definition("bash").input_schema,
        "confinement": "confined",
    }
    return question(identity, **(asked | fields))


def long_edit(identity: str = "q1", lines: int = 200, **fields: Any) -> ApprovalRequested:
    """Return a question about a change that is longer than the dialog: every line is another."""
    before = "".join(f"old {n}\n" for n in range(lines))
    after = "".join(f"new {n}\n" for n in range(lines))
    return question(identity, preview=Preview(kind="diff", title="src/long.py", before=before, after=after), **fields)


class Answered(NamedTuple):
    """An answer as it went out."""

    approval_id: str
    answer: Answer
    note: str
    arguments: JsonObject | None
    rules: tuple[JsonObject, ...]
    scope: RuleScope


class HeldBridge(Bridge):
    """A bridge whose questions are put in by a test.

    Attributes:
        answers: everything that was answered, in order.
        open_questions: what was asked and not answered.
        known: the facts of the session.
    """

    def __init__(self, *questions: ApprovalRequested) -> None:
        super().__init__()
        self.open_questions = list(questions)
        self.answers: list[Answered] = []
        self.known: list[Entry] = []

    @property
    @override
    def pending(self) -> tuple[ApprovalRequested, ...]:
        return tuple(self.open_questions)

    @property
    @override
    def entries(self) -> Sequence[Entry]:
        return self.known

    @override
    def answer(
        self, approval_id: str, answer: Answer, *, note: str = "", arguments: JsonObject | None = None,
        rules: Sequence[JsonObject] = (), scope: RuleScope = "session",
    ) -> bool:  # fmt: skip
        if not any(one.approval_id == approval_id for one in self.open_questions):
            return False
        self.answers.append(Answered(approval_id, answer, note, arguments, tuple(rules), scope))
        self.take(approval_id)
        return True

    def put(self, asked: ApprovalRequested) -> None:
        """Ask something more."""
        self.open_questions.append(asked)
        self.pending_changed.emit()

    def take(self, approval_id: str) -> None:
        """Take a question back, as if it were answered elsewhere."""
        self.open_questions = [one for one in self.open_questions if one.approval_id != approval_id]
        self.pending_changed.emit()

    @property
    def said(self) -> list[str]:
        """What was answered, without the rest."""
        return [one.answer for one in self.answers]


class Window(QWidget):
    """Something with a composer, which has the keyboard."""

    def __init__(self) -> None:
        super().__init__()
        self.composer = QPlainTextEdit()
        self.composer.setAccessibleName("composer")
        QVBoxLayout(self).addWidget(self.composer)
        self.resize(600, 400)


async def shown(gui: Gui, bridge: Bridge, *, size: tuple[int, int] = SIZE, open_guard: bool = True) -> ApprovalDialog:
    """Return the dialog over a window whose composer has the keyboard; answers are taken unless `open_guard` is false."""
    window = gui.show(Window())
    window.composer.setFocus()
    await gui.until(window.isActiveWindow)
    dialog = ApprovalDialog(bridge, window)
    dialog.resize(*size)
    dialog.present()
    await gui.settle()
    if open_guard:
        await opened(gui, dialog)
    return dialog


async def opened(gui: Gui, dialog: ApprovalDialog, *, waiting: bool = False) -> None:
    """Wait until answers are taken and all that is in sight counts as seen.

    The guard's moment must have begun; unless `waiting`, it passes at once, for tests of something else than its length.
    """
    for _ in range(10):  # what is laid out anew meanwhile begins it again
        if not waiting:
            await gui.until(lambda: dialog.guard.is_open or dialog.guard._clock.runs)
            pass_by(dialog.guard)
        await gui.until(lambda: dialog.guard.is_open and dialog.content.pane.view.laid_out)
        await gui.settle()
        if dialog.guard.is_open:
            return


def pass_by(guard: Guard) -> None:
    """Let the guard's moment be over now, if it has begun."""
    if guard._clock.runs:
        guard._clock.stop()
        guard._clock.over.emit()


async def focused(gui: Gui, dialog: ApprovalDialog) -> None:
    """Give the dialog the keyboard, as a person does."""
    dialog.take_keyboard()
    await gui.until(dialog.isActiveWindow)
    await opened(gui, dialog)


def press(dialog: ApprovalDialog, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press a key where the keyboard is in the dialog."""
    QTest.keyClick(place_of(dialog), key, modifiers)


def place_of(dialog: ApprovalDialog) -> QWidget:
    """Return the widget of the dialog that has the keyboard; the dialog itself if none has."""
    widget: QWidget | None = dialog.focusWidget()
    return dialog if widget is None else widget


def permissions(dialog: ApprovalDialog) -> list[QAbstractButton]:
    """Return everything that allows something."""
    return [dialog.footer.once, dialog.footer.always, dialog.footer.hold, dialog.batch.allow]


@asynccontextmanager
async def session_in(folder: Path, *, settings: str = FAST, **files: str) -> AsyncIterator[Desk]:
    """Yield a desk with a session on ``folder/ws``, which gets `files` (a double underscore in a name stands for a dot)."""
    workspace = folder / "ws"
    workspace.mkdir(exist_ok=True)
    for name, content in files.items():
        (workspace / name.replace("__", ".")).write_text(content)
    async with desk_in(folder, settings=settings) as desk:
        assert await desk.open_folder(workspace)
        yield desk
