"""What opens over the confinement chip: what holds commands, the self-test line by line, why there is nothing better, and how to get it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.approval.guard import ENTER
from workbench.ui.confinement_watch import ConfinementWatch
from workbench.ui.confinement_words import rung_look, rung_name, testing_look
from workbench.ui.kit.buttons import Button, IconButton
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import column, line, scrolls
from workbench.ui.kit.overlay import PAD, Overlay
from workbench.ui.kit.theme import theme
from workbench.ui.settings.result_lines import ResultLine, ResultLines
from workbench.words import _, tell_text

WIDTH = 34
"""In lines of text."""
INSET, GAP = 16, 4
INSTALLS = (("Debian, Ubuntu", "sudo apt install bubblewrap"), ("Fedora", "sudo dnf install bubblewrap"), ("Arch", "sudo pacman -S bubblewrap"))


def check_lines(watch: ConfinementWatch) -> tuple[ResultLine, ...]:
    """Return the self-test's results, one thing a line."""
    if watch.testing:
        return (ResultLine("running", _("Trying from inside what it must prevent…")),)
    return tuple(ResultLine("ok" if check.passed else "failed", tell_text(check.sentence)) for check in watch.report.checks)


class InstallHint(QWidget):
    """How to install what is lacking, with the command to copy; hidden if nothing is."""

    def __init__(self, watch: ConfinementWatch) -> None:
        super().__init__()
        self._watch = watch
        rows = [self._row(system, command) for system, command in INSTALLS]
        words = Label(_("bubblewrap makes the full sandbox. Install it with your system's packages, then test again:"), "small", wrap=True)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(2)
        for widget in (words, *rows):
            stack.addWidget(widget)
        watch.changed.connect(self.follow)
        self.hide()

    @staticmethod
    def _row(system: str, command: str) -> QWidget:
        copy = IconButton("copy", _("Copy {command}").format(command=command), small=True)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(command))
        name = Label(system, "small", "muted")
        name.setFixedWidth(7 * theme.lh)
        return line(name, (Label(command, "code", mono=True, select=True), 1), copy, gap=8)

    def follow(self) -> None:
        """Show or hide it, as is known now."""
        if self.parentWidget() is not None:
            self.setVisible(bool(self._watch.lacks) and not self._watch.testing)


class ConfinementCard(Overlay):
    """See the module. A person opened it, so it takes the keyboard; Esc closes it.

    Args:
        watch: what is known.
        anchor: the chip that it stands over.
    """

    def __init__(self, watch: ConfinementWatch, anchor: QWidget) -> None:
        super().__init__(anchor)
        self._watch, self._anchor = watch, anchor
        self.setAccessibleName(_("How commands are held"))
        self._icon, self._title = Icon("shield", "muted"), Label("", "title", weight="bold", wrap=True)
        self._sentence = Label("", "small", "muted", wrap=True)
        self._lines = ResultLines(_("What the self-test found"))
        self._problem = Label("", "small", "level2", wrap=True, select=True)
        self._problem.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._by = Label("", "small", "faint")
        self._install = InstallHint(watch)
        self._again, self._done = Button(_("Test again"), small=True), Button(_("Close"), keys="Esc", small=True, default=True)
        self._place = QScrollArea()
        self._lay_out()
        self._again.clicked.connect(watch.test)
        self._done.clicked.connect(self.dismiss)
        watch.changed.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        self._head = head = line(self._icon, (self._title, 1), self._by, gap=8)
        self._content = column(self._sentence, self._lines, self._problem, self._install, gap=8)
        scrolls(self._place)
        self._place.setWidgetResizable(True)
        self._place.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._place.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._place.setWidget(self._content)
        for ground in (self._place.viewport(), self._content):
            ground.setAutoFillBackground(False)
        self._install.follow()
        stack = QVBoxLayout(self.card)
        stack.setContentsMargins(INSET, 12, INSET, 12)
        stack.setSpacing(8)
        stack.addWidget(head)
        stack.addWidget(self._place, 1)
        stack.addWidget(line(self._again, None, self._done))

    def _show(self) -> None:
        rung = self._watch.facts.rung
        look = testing_look() if self._watch.testing else rung_look(rung)
        self._icon.show_icon(look.icon, {"ok": "ok", "wait": "level2", "fail": "fail", "plain": "muted"}[look.tone])
        self._title.setText(look.words)
        self._sentence.setText(look.sentence)
        self._by.setText(rung_name(rung) if not self._watch.testing else "")
        self._lines.show_lines(check_lines(self._watch))
        problem = "" if self._watch.testing else self._watch.report.problem
        self._problem.setText(visible(tell_text(problem)))
        self._problem.setVisible(bool(problem))
        self._again.setEnabled(not self._watch.testing)
        self._install.follow()
        if self.is_open:
            self.follow_window()

    # What an overlay says

    @override
    def first(self) -> QWidget:
        return self._done

    @override
    def card_rect(self) -> QRect:
        width = min(WIDTH * theme.lh, self._window.width() - 2 * PAD)
        inner = width - 2 * INSET
        height = 24 + 16 + _tall(self._head, inner) + _tall(self._content, inner) + self._again.sizeHint().height() + 2
        anchor = self.place_of(self._anchor)
        return self.kept_inside(QRect(QPoint(anchor.left(), anchor.top() - GAP - height), QSize(width, height)))

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        buttons = [button for button in self.card.findChildren(QAbstractButton) if button.isVisible() and button.isEnabled()]
        focused = QApplication.focusWidget()
        place = buttons.index(focused) if focused in buttons else 0
        if buttons:
            buttons[(place + (1 if next else -1)) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and isinstance(focused := QApplication.focusWidget(), Button | IconButton):
            focused.click()
            event.accept()
            return
        super().keyPressEvent(event)


def _tall(widget: QWidget, width: int) -> int:
    """Return how high a widget wants to be at a width."""
    layout = widget.layout()
    return layout.totalHeightForWidth(width) if layout is not None and layout.hasHeightForWidth() else widget.sizeHint().height()
