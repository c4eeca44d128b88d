"""Does to the whole window what a list of actions says, as tests/cases/bug_reports_window.jsonl writes them: keys, pointer, and what the model does."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from PySide6.QtCore import QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QInputMethodEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from typing_extensions import override

from tests.shared import ROOT
from tests.ui.gui import Gui
from tests.ui.scripted_server import Answer, ScriptedServer
from tests.ui.windows import SIZE, window_in
from workbench.agent.session import Session
from workbench.app import OpenSession
from workbench.inspection.timeline_items import TextItem
from workbench.permissions.rules import TextRule
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.bridge import Bridge
from workbench.ui.chat.chat_view import ChatView
from workbench.ui.chat.item_view import ClickTarget
from workbench.ui.main_window import MainWindow

Action: TypeAlias = dict[str, Any]
Case: TypeAlias = dict[str, Any]

FILE = ROOT / "tests" / "cases" / "bug_reports_window.jsonl"
CASES: dict[str, Case] = {case["id"]: case for line in FILE.read_text(encoding="utf-8").splitlines() for case in [json.loads(line)]}

LONG_S = 30.0
TICK_MS = 10


@asynccontextmanager
async def driving(gui: Gui, folder: Path, *, size: tuple[int, int] = SIZE) -> AsyncIterator[Driver]:
    """Yield a driver of the whole window, open on ``folder/ws`` and on a model whose answers the test gives."""
    async with ScriptedServer() as server, window_in(gui, folder, settings=server.settings, size=size) as window:
        yield Driver(gui, window, server, folder / "ws")


class Driver:
    """What a person and the model do in one window.

    Attributes:
        folder: the workspace.
        answer: what the model says just now; None before anything was asked.
    """

    def __init__(self, gui: Gui, window: MainWindow, server: ScriptedServer, folder: Path) -> None:
        self.gui, self.window, self.server, self.folder = gui, window, server, folder
        self.answer: Answer | None = None
        self._held: QAbstractButton | None = None
        self._known: dict[str, Callable[[Action], Awaitable[None]]] = {
            "focus": self._focus,
            "type": self._type,
            "key": self._key,
            "ime": self._compose,
            "send": self._send,
            "click": self._click,
            "wheel": self._wheel,
            "wheel_to_bottom": self._wheel_to_bottom,
            "render": self._render,
            "fill_chat": self._fill_chat,
            "stream_text": self._stream_text,
            "model_call": self._model_call,
            "approval_request": self._request_approval,
            "wait": self._wait,
            "wait_ms": self._wait,
            "external_write": self._write,
        }

    async def do(self, *actions: Action) -> None:
        """Do actions, one after the other, and let the window see what came of each."""
        for action in actions:
            await self._known[action["do"]](action)
            await self.seen()

    # The parts

    @property
    def bridge(self) -> Bridge:
        """The window's bridge."""
        return self.window.desk.bridge

    @property
    def opened(self) -> OpenSession:
        """The session that is shown."""
        assert self.bridge.opened is not None
        return self.bridge.opened

    @property
    def session(self) -> Session:
        """The session that is shown."""
        return self.opened.session

    @property
    def chat(self) -> ChatView:
        """The chat."""
        return self.window.frame.chat

    @property
    def dialog(self) -> ApprovalDialog:
        """The approval dialog."""
        return self.window.questions.dialog

    @property
    def words(self) -> TextItem:
        """The newest text of the model."""
        return next(item for item in reversed(self.bridge.timeline.items) if isinstance(item, TextItem))

    @property
    def _has_words(self) -> bool:
        return any(isinstance(item, TextItem) for item in self.bridge.timeline.items)

    def place_of(self, item: object) -> int:
        """Return the index of an item in the chat."""
        return next(index for index, view in enumerate(self.chat.views) if view.item is item)

    # What the model does

    def speaking(self) -> Answer:
        """Return the answer that the model is giving; a new one if the last has ended."""
        if self.answer is None or self.answer.ended:
            self.answer = self.server.answer()
        return self.answer

    async def turn(self, text: str = "Go") -> Answer:
        """Begin a turn, unless one runs, and return the answer that comes next; what a person writes is left alone."""
        if not self.session.running:
            assert await self.bridge.send(text) == "started"
        return self.speaking()

    async def said(self) -> None:
        """Wait until the chat shows everything that the model was given to say."""
        answer = self.answer
        assert answer is not None
        await self.gui.until(lambda: answer.sent == answer.given, LONG_S)
        wanted = answer.said
        await self.gui.until(lambda: self._has_words and self.words.text == wanted, LONG_S)
        await self.seen()

    async def rest(self) -> None:
        """Wait until no turn runs, and the window knows it."""
        await self.session.wait_idle()
        await self.seen()
        await self.gui.until(lambda: not self.bridge.running)

    async def seen(self) -> None:
        """Let the window show what happened."""
        self.bridge.flush()
        await self.gui.settle()

    async def _render(self, action: Action) -> None:
        """Show a whole text: of the model as one answer, of a person as it is sent from the composer."""
        if action["role"] == "user":
            self.speaking().text("Yes.").end()
            await self.send(action["markdown"])
        else:
            (await self.turn()).text(action["markdown"]).end()
        await self.rest()

    async def _fill_chat(self, action: Action) -> None:
        """Write so many messages, prompts and answers in turn."""
        for number in range(action["messages"] // 2):
            (await self.turn(f"Question {number}")).text(f"**Answer** {number}. " + "word " * (20 + number * 37 % 90)).end()
            await self.session.wait_idle()

    async def _stream_text(self, action: Action) -> None:
        """Say pieces of text; with a gap between them nobody waits for the last one."""
        gap_s = action.get("gap_ms", 0) / 1000
        text = action.get("text", "word and more words. ")
        (await self.turn()).text(text, action["deltas"], gap_s=gap_s)
        if not gap_s and "rate" not in action:
            await self.said()

    async def _model_call(self, action: Action) -> None:
        arguments = dict(action["args"])
        if "path" in arguments:
            arguments["file_path"] = arguments.pop("path")
        if action["tool"] == "bash":
            arguments.setdefault("description", "do it")
        answer = await self.turn()
        if action.get("after_read"):
            answer.call("read", file_path=arguments["file_path"]).end()
            answer = self.speaking()
        answer.call(action["tool"], action.get("id", ""), **arguments).end()

    async def _request_approval(self, action: Action) -> None:
        known = len(self.bridge.pending)
        if action["tool"] == "bash":  # some of the commands would not be asked about by themselves
            keeper = self.opened.bench.gatekeeper
            keeper.rules = keeper.rules.with_rule(TextRule(effect="ask", text=action["command"]))
        arguments = {"command": action["command"], "description": "do it"} if action["tool"] == "bash" else {"file_path": action["command"]}
        (await self.turn()).call(action["tool"], **arguments).end()
        await self.gui.until(lambda: len(self.bridge.pending) > known and self.dialog.isVisible())

    # What a person does

    @property
    def composer(self) -> QWidget:
        """The field a message is written in."""
        return self.window.frame.composer.edit

    async def send(self, text: str) -> None:
        """Write a message and send it."""
        self.window.frame.composer.put(text)
        self.gui.keys(self.composer, "Return")
        await self.gui.until(lambda: self.bridge.running)

    async def _send(self, action: Action) -> None:
        await self.rest()
        await self.send(action["text"])

    async def _focus(self, action: Action) -> None:
        assert action["target"] == "composer"
        self.window.activateWindow()
        self.gui.click_at(self.window.frame.composer.edit.viewport(), QPoint(5, 5))

    async def _type(self, action: Action) -> None:
        self.gui.type(self.keyboard(), action["text"])

    async def _key(self, action: Action) -> None:
        self.gui.keys(self.keyboard(), action["key"])

    async def _compose(self, action: Action) -> None:
        event = QInputMethodEvent(action["preedit"], [])
        event.setCommitString(action.get("commit", ""))
        QApplication.sendEvent(self.keyboard(), event)

    @staticmethod
    def keyboard() -> QWidget:
        """Return the widget that has the keyboard."""
        focused = QApplication.focusWidget()
        assert focused is not None
        return focused

    async def _write(self, action: Action) -> None:
        (self.folder / action["path"]).write_text(action["content"], encoding="utf-8")

    async def _wait(self, action: Action) -> None:
        """Wait for the dialog, or as long as a person looks on."""
        if action.get("for") == "approval_dialog":
            await self.gui.until(lambda: self.bridge.pending and self.dialog.isVisible())
        else:
            until = time.monotonic() + action["ms"] / 1000
            await self.gui.until(lambda: time.monotonic() > until)

    async def _click(self, action: Action) -> None:
        match action["target"]:
            case "stop":
                self._held = self.dialog.footer.once
                await self.gui.click("Stop")
            case "approve" | "approve first":
                await self.answer_with(self.dialog.footer.once)
            case "reject second":
                await self.answer_with(self.dialog.footer.reject)
            case "approve (held reference to old dialog)":
                assert self._held is not None
                self.gui.click_at(self._held, self._held.rect().center())
                self._held.click()
            case name:
                raise ValueError(f"nothing is known of {name!r}")

    async def answer_with(self, button: QAbstractButton) -> None:
        """Wait out the guard and press a button of the dialog."""
        await self.gui.until(lambda: self.dialog.guard.is_open and button.isVisible() and button.isEnabled())
        self.gui.click_at(button, button.rect().center())

    # The chat under the pointer

    async def _wheel(self, action: Action) -> None:
        """Turn the wheel: `dy` pixels up."""
        self.turn_wheel(self.chat.viewport(), action["dy"])

    async def _wheel_to_bottom(self, _action: Action) -> None:
        while self.chat.verticalScrollBar().value() < self.chat.verticalScrollBar().maximum():
            self.turn_wheel(self.chat.viewport(), -600)
            await self.seen()

    @staticmethod
    def turn_wheel(viewport: QWidget, dy: int) -> None:
        """Turn the wheel over the middle of a viewport, by pixels (as touch pads do) and by notches."""
        middle = viewport.rect().center()
        event = QWheelEvent(
            QPointF(middle),
            QPointF(viewport.mapToGlobal(middle)),
            QPoint(0, dy),
            QPoint(0, dy),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(viewport, event)

    def targets(self, item: object) -> list[tuple[ClickTarget, QPoint]]:
        """Return what can be clicked of an item in sight, each with its middle in the viewport."""
        self.chat.viewport().grab()
        index = self.place_of(item)
        area = self.chat.area_of(index)
        found = self.chat.views[index].targets(area.width())
        return [(target, target.area.translated(area.topLeft()).center().toPoint()) for target in found]

    def click_in_chat(self, point: QPoint) -> None:
        """Click on a point of the chat."""
        QTest.mouseMove(self.chat.viewport(), point)
        self.gui.click_at(self.chat.viewport(), point)


class Heartbeat:
    """A timer in the window's thread, every 10 ms, from entering its context until leaving it.

    Attributes:
        worst_ms: the longest time between two beats.
        worst_cpu_ms: the longest time that this process computed between two beats; other programs do not make it longer.
    """

    def __init__(self) -> None:
        self.worst_ms = self.worst_cpu_ms = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._last = (0.0, 0.0)

    def __enter__(self) -> Self:
        self._last = (time.perf_counter(), time.thread_time())
        self._timer.start(TICK_MS)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._beat()
        self._timer.stop()

    @override
    def __str__(self) -> str:
        return f"longest gap {self.worst_ms:.0f} ms, computing in one {self.worst_cpu_ms:.0f} ms"

    def _beat(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        self.worst_ms = max(self.worst_ms, 1000 * (now[0] - self._last[0]))
        self.worst_cpu_ms = max(self.worst_cpu_ms, 1000 * (now[1] - self._last[1]))
        self._last = now
