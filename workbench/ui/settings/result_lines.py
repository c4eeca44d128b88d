"""What a search or a test found, one thing a line: a sign, a sentence, figures at the right, and the server's own words below where it failed."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import box
from workbench.ui.kit.theme import theme
from workbench.words import _, state_name, strung

SIGNS = {"ok": ("check", "ok"), "warning": ("warning", "level2"), "failed": ("failed", "fail"), "nothing": ("queued", "faint"), "running": ("running", "muted")}
LINES_SHOWN = 6


class ResultLine(NamedTuple):
    """One line.

    Attributes:
        outcome: ok, warning, failed, nothing or running.
        sentence: what was found.
        facts: figures, short.
        original: text as it came from outside, shown in a block of its own.
    """

    outcome: str
    sentence: str
    facts: str = ""
    original: str = ""


class ResultLines(QWidget):
    """The lines in one quiet box; hidden while there are none."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.lines: tuple[ResultLine, ...] = ()
        self._stack = QVBoxLayout(self)
        self._stack.setContentsMargins(12, 6, 12, 6)
        self._stack.setSpacing(0)
        self._rows: list[QWidget] = []
        self.hide()

    def show_lines(self, lines: tuple[ResultLine, ...]) -> None:
        """Show other lines; those that stay at the beginning are left alone."""
        same = 0
        while same < min(len(lines), len(self.lines)) and lines[same] == self.lines[same]:
            same += 1
        for row in self._rows[same:]:
            self._stack.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = self._rows[:same]
        for line in lines[same:]:
            self._rows.append(_Row(line))
            self._stack.addWidget(self._rows[-1])
        self.lines = lines
        self.setAccessibleDescription("\n".join(_words(line) for line in lines))
        self.setVisible(bool(lines))
        self.updateGeometry()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "sunken", "line", 6)


class _Row(QWidget):
    def __init__(self, line: ResultLine) -> None:
        super().__init__()
        self.setAccessibleName(_words(line))
        icon, token = SIGNS[line.outcome]
        pad = (theme.row - theme.lh) // 2
        grid = QGridLayout(self)
        grid.setContentsMargins(0, pad, 0, pad)
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(pad)
        grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        grid.addWidget(Icon(icon, token), 0, 0, top)
        grid.addWidget(Label(visible(line.sentence), "small", "fail" if line.outcome == "failed" else "text", wrap=True, select=True), 0, 1, top)
        if line.facts:
            grid.addWidget(Label(visible(line.facts), "small", "muted"), 0, 2, top)
        if line.original and line.outcome != "ok":
            grid.addWidget(Block(line.original), 1, 1, 1, 2)


class Block(QPlainTextEdit):
    """Foreign text as it is, some lines high; what is longer scrolls."""

    def __init__(self, text: str) -> None:
        super().__init__(visible(text, keep="\n\t"))
        scrolls(self)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setAccessibleName(_("What the other side said itself"))
        self.setFont(theme.font("code"))
        self.document().setDocumentMargin(4)
        self._fit()

    def _fit(self) -> None:
        columns = max(20.0, self.viewport().width() / QFontMetricsF(self.font()).horizontalAdvance("0"))
        lines = sum(1 + int(len(line) / columns) for line in self.toPlainText().split("\n")[:LINES_SHOWN])
        self.setFixedHeight(min(max(lines, 1), LINES_SHOWN) * theme.mh + 10)


def _words(line: ResultLine) -> str:
    said = state_name(line.outcome) if line.outcome == "failed" else ""
    return strung(said, visible(line.sentence), visible(line.facts))
