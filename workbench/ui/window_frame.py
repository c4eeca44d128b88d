"""What is inside the window: top bar, side pane or its rail, chat with composer, inspector, status bar; who gets how much room.

It is built anew when words or sizes change; what must survive that is in `PaneSizes` and in what `state` returns.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.chat.chat_view import ChatView
from workbench.ui.desk import Desk
from workbench.ui.focus_place import FocusPlace, focus_again, focus_place
from workbench.ui.frame.attention import AttentionStrip
from workbench.ui.frame.composer import Composer
from workbench.ui.frame.held_request import HeldRequestPanel
from workbench.ui.frame.rail import Rail
from workbench.ui.frame.side_pane import SidePane
from workbench.ui.frame.status_bar import StatusBar
from workbench.ui.frame.top_bar import TopBar
from workbench.ui.frame.welcome import Welcome
from workbench.ui.inspector.panel import Inspector
from workbench.ui.kit.layout import Ground, Panes, column
from workbench.ui.told_strip import ToldStrip
from workbench.ui.trust.panel import TrustPanel
from workbench.ui.window_state import PaneSizes

NARROW, SMALL = 1200, 1000
"""Below these widths the side pane is a rail and the inspector narrower; the inspector is hidden."""
CHAT, LEAST_CHAT = 500, 340
"""What the chat keeps beside an inspector; what it keeps where the window is too small for that."""
LEAST_INSPECTOR = 320
MARGIN = 20
FOOT = 12


class Frame(QWidget):
    """All parts of the window.

    Args:
        desk: what they show.
        panes: widths and what is open; changed as a person changes it.
    """

    def __init__(self, desk: Desk, panes: PaneSizes) -> None:
        super().__init__()
        self._desk, self._panes = desk, panes
        self._narrow_side = self._small_inspector = self._squeezed = False
        self._last_focus: dict[QWidget, QWidget] = {}
        self.top, self.status = TopBar(desk), StatusBar(desk)
        self.rail, self.side = Rail(desk), SidePane(desk)
        self.chat, self.welcome = ChatView(desk.bridge, desk), Welcome(desk)
        self.told, self.attention, self.composer = ToldStrip(desk.holds), AttentionStrip(desk.bridge), Composer(desk)
        self.held, self.trust = HeldRequestPanel(desk.bridge), TrustPanel(desk.trust)
        self.inspector = Inspector(desk.bridge, desk)
        self.inspector.dialects.restore(panes.dialects.split())
        self.inspector.dialects.choice_changed.connect(self._remember_dialects)
        self._stack = QStackedWidget()
        self._lay_out()
        self.top.side_toggled.connect(self.open_side)
        self.top.inspector_toggled.connect(self.open_inspector)
        self.rail.section_wanted.connect(self._show_section)
        desk.gone_on.connect(self.told.go_on)
        self.composer.sent.connect(self.told.go_on)
        desk.bridge.attached.connect(self._show_chat)
        desk.bridge.timeline_changed.connect(self._show_chat)
        self._show_chat()
        self.trust.follow()

    def _lay_out(self) -> None:
        for widget in (self.welcome, self.chat):
            self._stack.addWidget(widget)
        foot = column(self.told, self.trust, self.held, self.attention, self.composer, margins=(MARGIN, 0, MARGIN, FOOT), gap=6)
        self._middle = column((self._stack, 1), foot, ground="base")
        self._middle.setMinimumWidth(LEAST_CHAT)
        self.inspector.setMinimumWidth(LEAST_INSPECTOR)
        self._splitter = Panes(self.side, self._middle, self.inspector)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.splitterMoved.connect(self._moved)
        self._rail_edge = Ground("line")
        self._rail_edge.setFixedWidth(1)
        body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.rail)
        body.addWidget(self._rail_edge)
        body.addWidget(self._splitter, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top)
        layout.addLayout(body, 1)
        layout.addWidget(self.status)

    # Who gets how much room

    @property
    def narrow(self) -> bool:
        """Whether the window has no room for three panes."""
        return self.width() < NARROW

    @property
    def side_open(self) -> bool:
        """Whether the side pane is shown, not only its rail."""
        return self._narrow_side if self.narrow else self._panes.side_open and not self._squeezed

    @property
    def inspector_open(self) -> bool:
        """Whether the inspector is shown."""
        return self._small_inspector if self.width() < SMALL else self._panes.inspector_open

    def open_side(self, wanted: bool) -> None:
        """Show the side pane, or its rail."""
        if self.narrow:
            self._narrow_side = wanted
        else:
            self._panes.side_open, self._squeezed = wanted, False
        if wanted and not self.narrow:  # a wide inspector gives back what the side pane needs
            left = self._room() - self._panes.side - CHAT
            self._panes.inspector = min(self._panes.inspector, max(LEAST_INSPECTOR, left))
        self.arrange()

    def open_inspector(self, wanted: bool) -> None:
        """Show or hide the inspector."""
        if self.width() < SMALL:
            self._small_inspector = wanted
        else:
            self._panes.inspector_open = wanted
        self.arrange()

    def arrange(self) -> None:
        """Give every pane its room."""
        side, inspector = self.side_open, self.inspector_open
        self.side.setVisible(side)
        for widget in (self.rail, self._rail_edge):
            widget.setVisible(self.narrow or not side)
        self.inspector.setVisible(inspector)
        self.top.show_panes(side=side, inspector=inspector)
        if not side:
            self.rail.show_chosen("")
        self._middle.setMinimumWidth(self._least_chat(side=side, inspector=inspector))
        self._splitter.setSizes(self._sizes(side=side, inspector=inspector))

    def _least_chat(self, *, side: bool, inspector: bool) -> int:
        """Return how narrow the chat can be drawn. Beside a side pane that can give way it is less, so that it can be told to."""
        if side and not self.narrow:
            return LEAST_CHAT
        left = self._room() - (self._panes.side if side else 0) - (LEAST_INSPECTOR if inspector else 0)
        return min(CHAT, max(LEAST_CHAT, left))

    def _sizes(self, *, side: bool, inspector: bool) -> list[int]:
        room = self._room()
        left = min(self._panes.side, max(0, room - LEAST_CHAT)) if side else 0
        wanted = self._panes.narrow_inspector if self.narrow else self._panes.inspector
        right = max(LEAST_INSPECTOR, min(wanted, room - left - CHAT)) if inspector else 0
        return [left, max(0, room - left - right), right]

    def _room(self) -> int:
        """Return how wide the panes are together."""
        rail = self.rail.width() + 1 if self.narrow or not self.side_open else 0
        return self.width() - rail - 2 * self._splitter.handleWidth()

    def _moved(self, _position: int, _handle: int) -> None:
        """A person drew an edge: remember it; if the chat has become too small, the side pane gives way."""
        left, middle, right = self._splitter.sizes()
        if self.side.isVisible():
            self._panes.side = left
        if self.inspector.isVisible():
            if self.narrow:
                self._panes.narrow_inspector = right
            else:
                self._panes.inspector = right
        squeezed = not self.narrow and self._panes.side_open and (middle < CHAT if not self._squeezed else middle - self._panes.side < CHAT)
        if squeezed != self._squeezed:
            self._squeezed = squeezed
            self.arrange()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() >= NARROW > event.size().width():
            self._narrow_side = False
        if event.oldSize().width() >= SMALL > event.size().width():
            self._small_inspector = False
        self.arrange()

    def _show_section(self, name: str) -> None:
        self.open_side(wanted=True)
        self.rail.show_chosen(name)
        self.side.show_section(name)

    # What is shown in the middle

    def _show_chat(self, _changes: object = None) -> None:
        """Show the chat as soon as there is anything in it."""
        wanted = self.chat if self._desk.bridge.timeline.items else self.welcome
        if self._stack.currentWidget() is not wanted:
            focus = QApplication.focusWidget()
            had_focus = focus is not None and self._stack.isAncestorOf(focus)
            self._stack.setCurrentWidget(wanted)
            if had_focus:
                self.composer.focus()

    # The keyboard's way through the panes

    def cycle(self, step: int) -> None:
        """Give the keyboard to the next pane (side, chat, composer, inspector), or the one before: `step` is 1 or -1."""
        panes = [pane for pane in (self.side if self.side_open else self.rail, self._stack, self.composer, self.inspector) if pane.isVisible()]
        focus = QApplication.focusWidget()
        place = next((index for index, pane in enumerate(panes) if focus is not None and (pane is focus or pane.isAncestorOf(focus))), -1 if step > 0 else 0)
        if place >= 0 and focus is not None:
            self._last_focus[panes[place]] = focus
        for offset in range(1, len(panes) + 1):
            if self._focus(panes[(place + step * offset) % len(panes)]):
                return

    def _focus(self, pane: QWidget) -> bool:
        if pane is self.composer:
            self.composer.focus()
            return True
        last = self._last_focus.get(pane)
        widgets = [pane, *pane.findChildren(QWidget)]
        found = last if last is not None and last in widgets and last.isVisible() else next((widget for widget in widgets if _takes_focus(widget)), None)
        if found is not None:
            found.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return found is not None

    def _remember_dialects(self, names: list[str]) -> None:
        self._panes.dialects = " ".join(names)

    # What survives being built anew

    def state(self) -> dict[str, Any]:
        """Return what `restore` of another frame takes over."""
        tab = self.inspector.tabs.chosen
        return {"composer": self.composer.state(), "side": self.side.state(), "told": self.told.sentences, "tab": tab, "focus": self._focus_places()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what another frame's `state` returned."""
        self.composer.restore(state["composer"])
        self.side.restore(state["side"])
        self.told.restore(state["told"])
        self.inspector.tabs.choose(state["tab"])

    def take_focus(self, state: dict[str, Any]) -> None:
        """Give the keyboard to the widget that takes the place of the one which had it, else to its part, else to the composer."""
        places: dict[int, FocusPlace] = state["focus"]
        for number, place in places.items():
            part = self._parts()[number]
            if focus_again(part, place) or self._focus(part):
                return
        self.composer.focus()

    def _parts(self) -> tuple[QWidget, ...]:
        return (self.top, self.rail, self.side, self._stack, self.composer, self.inspector, self.status)

    def _focus_places(self) -> dict[int, FocusPlace]:
        """Return the place of the widget with the keyboard in the part it is in, by the part's number; nothing if none has it."""
        widget = self.window().focusWidget()
        places = {number: focus_place(part, widget) for number, part in enumerate(self._parts())}
        return {number: place for number, place in places.items() if place is not None}


def _takes_focus(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled() and bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
