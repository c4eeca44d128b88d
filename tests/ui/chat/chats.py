"""Chats of items made by hand: a bridge without a session whose timeline holds them, and a view that shows it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.ui.gui import Gui
from workbench.conversation.events import ExchangeClosed, ExchangeOpened
from workbench.conversation.exchange import BodyRef
from workbench.conversation.messages import FilePart, Message, Part, TextPart, Usage
from workbench.inspection.timeline_items import Attempt, Changes, PromptItem, ReasoningItem, StepItem, TextItem, TimelineItem
from workbench.settings.tree import AppearanceSettings, Settings
from workbench.ui.bridge import Bridge
from workbench.ui.chat.blocks import Shared
from workbench.ui.chat.chat_view import ChatView
from workbench.ui.chat.colours import ColourQueue
from workbench.ui.chat.documents import Documents
from workbench.ui.chat.segments import Segment, Splitter
from workbench.ui.desk import Desk

NUMBERS = itertools.count(1)
NOON = 1_700_000_000.0


def split(text: str) -> list[Segment]:
    """Return the segments of a whole text."""
    splitter = Splitter()
    splitter.grow(text)
    return splitter.segments


def prompt(words: str, *files: str, at: float = NOON) -> PromptItem:
    """Return what a person said, with files."""
    parts: list[Part] = [TextPart(text=words)]
    parts += (FilePart(media_type="text/plain", data="", name=name) for name in files)
    return PromptItem(item_id=f"i{next(NUMBERS)}", message=Message(message_id="m", role="user", parts=tuple(parts)), at=at)


def answer(text: str, *, done: bool = True, cut: bool = False) -> TextItem:
    """Return words of a model."""
    return TextItem(item_id=f"i{next(NUMBERS)}", text=text, done=done, cut=cut)


def reasoning(text: str, *, done: bool = True, duration_s: float | None = 3.1, tokens: int | None = 186) -> ReasoningItem:
    """Return what a model thought."""
    return ReasoningItem(item_id=f"i{next(NUMBERS)}", text=text, done=done, duration_s=duration_s, tokens=tokens)


def attempt(number: int, status: int | None = 200, *, failure: str = "", duration_s: float | None = 3.1, closed: bool = True) -> Attempt:
    """Return one try of a request."""
    opened = ExchangeOpened(
        exchange_id=f"x{number}",
        number=number,
        turn_id="t",
        step=1,
        attempt=1,
        method="POST",
        url="http://127.0.0.1/v1",
        headers=(),
        body=BodyRef(runs=(), size_bytes=0, sha256=""),
        dialect="chat_completions",
        profile="p",
        model="m",
    )
    ended = ExchangeClosed(exchange_id=opened.exchange_id, status=status, duration_s=duration_s, failure=failure)
    return Attempt(opened=opened, opened_at=NOON, closed=ended if closed else None)


def step(number: int, *attempts: Attempt, usage: Usage | None = None) -> StepItem:
    """Return the beginning of a step."""
    return StepItem(item_id=f"i{next(NUMBERS)}", step=number, attempts=list(attempts), usage=usage)


def mixed(count: int) -> list[TimelineItem]:
    """Return items of many heights, none of which an estimate knows exactly."""
    items: list[TimelineItem] = []
    for number in range(count):
        words = "word " * (number * 37 % 90 + 3)
        match number % 5:
            case 0:
                items.append(prompt(f"Prompt {number}. {words}"))
            case 1:
                items.append(step(number, attempt(number)))
            case 2:
                items.append(answer(f"**Answer** {number}\n\n{words}\n\n- one\n- two `{number}`\n"))
            case 3:
                items.append(answer(f"Code {number}:\n\n```python\n" + "x = 1  # line\n" * (number % 30) + "```\n"))
            case _:
                items.append(reasoning(f"Thinking {number} {words}"))
    return items


def shared() -> Shared:
    """Return what blocks share."""
    return Shared(Documents(), ColourQueue())


class App:
    """As much of the program as the chat looks at."""

    def __init__(self, *, hold_still: bool = False) -> None:
        self.settings = Settings(appearance=AppearanceSettings(hold_still=hold_still))


class Chat:
    """A chat of items made by hand; shown, unless `gui` is None.

    Attributes:
        view: the view.
        done: what was asked of others, as (action, argument).
    """

    def __init__(
        self,
        gui: Gui | None,
        items: Sequence[TimelineItem],
        *,
        width: int = 640,
        height: int = 480,
        hold_still: bool = False,
        bridge: Bridge | None = None,
    ) -> None:
        self.bridge = bridge or Bridge()
        self.bridge.timeline.items = list(items)
        self.desk = Desk(App(hold_still=hold_still), self.bridge)  # type: ignore[arg-type]
        self.view = ChatView(self.bridge, self.desk)
        self.done: list[tuple[str, str]] = []
        self.view.activated.connect(lambda action, argument: self.done.append((action, argument)))
        self.view.resize(width, height)
        if gui is not None:
            gui.show(self.view)

    @property
    def items(self) -> list[TimelineItem]:
        """The items of the timeline."""
        return self.bridge.timeline.items

    @property
    def value(self) -> int:
        """How far it is scrolled, and how far it can be."""
        return self.view.verticalScrollBar().value()

    @property
    def maximum(self) -> int:
        """How far it can be scrolled."""
        return self.view.verticalScrollBar().maximum()

    def scroll(self, value: int) -> None:
        """Scroll as a wheel does."""
        self.view.verticalScrollBar().setValue(value)

    def say(self, *items: TimelineItem) -> None:
        """Add items."""
        self.items.extend(items)
        self.bridge.timeline_changed.emit(Changes(appended=len(items)))

    def grow(self, item: TextItem | ReasoningItem, text: str) -> None:
        """Let an item of text grow."""
        item.text += text
        item.revision += 1
        self.bridge.timeline_changed.emit(Changes(changed=(self.items.index(item),)))

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key in the chat."""
        QTest.keyClick(self.view, key, modifiers)

    def click(self, point: QPointF, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Click on a point of the viewport."""
        QTest.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, modifiers, point.toPoint())

    def drag(self, start: QPointF, end: QPointF) -> None:
        """Press, move and release."""
        viewport = self.view.viewport()
        QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start.toPoint())
        QTest.mouseMove(viewport, QPoint(round((start.x() + end.x()) / 2), round((start.y() + end.y()) / 2)))
        QTest.mouseMove(viewport, end.toPoint())
        QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end.toPoint())

    def at(self, index: int, offset: int) -> QPointF:
        """Return the point of the viewport at which a character of an item begins."""
        view, area = self.view.views[index], self.view.area_of(index)
        y = view.top_of(offset, area.width()) + 6
        for x in range(round(area.width())):
            if view.offset_at(x, y, area.width()) >= offset:
                return area.topLeft() + QPointF(x, y)
        raise AssertionError(f"no point shows character {offset} of item {index}")

    @staticmethod
    def clipboard() -> str:
        """Return what is on the clipboard."""
        return QApplication.clipboard().text()
