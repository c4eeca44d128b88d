"""The rows of a page: what a setting is called at the left, its control at the right, and below it why a value was refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Stacked, column, line, scrolls
from workbench.ui.kit.theme import theme
from workbench.words import _, paragraph

Number: TypeAlias = int | float | None

INSET = 24
"""Pixels left and right of a page's content."""
WORDS, FIELD, NARROW_FIELD = 17.5, 12, 5
"""Width of the words of a row, of a field, and of one with something beside it, in lines of text."""
ROOMY = 40
"""From this width on, in lines of text, words and control stand side by side."""
ENDLESS = 16_777_215
"""What Qt takes for no largest width."""
_THOUSANDS = re.compile(r"\d{1,3}(?:[,\u00a0\u202f ]\d{3})+")


class PageTitle(QWidget):
    """Head of a page: its name, and a sentence about it."""

    def __init__(self, name: str, sentence: str) -> None:
        super().__init__()
        stack = QVBoxLayout(self)
        stack.setContentsMargins(INSET, 18, INSET, 12)
        stack.setSpacing(4)
        stack.addWidget(Label(name, "title", weight="bold"))
        stack.addWidget(Label(sentence, "small", "muted", wrap=True))


class Refusal(Label):
    """Why a value was not taken; takes no room while there is nothing to say."""

    def __init__(self) -> None:
        super().__init__("", "small", "fail", wrap=True, select=True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def refuse(self, sentence: str) -> None:
        """Show a sentence; empty: nothing is wrong."""
        self.setText(sentence)
        self.setVisible(bool(sentence))


class SettingRow(QWidget):
    """One setting.

    Args:
        name: what it is called; empty if the control says it itself, which then begins at the left.
        sentence: what it does, quietly below; may be empty.
        controls: side by side, the first one is what the name belongs to.
        stretched: the last control takes the room that is left.

    Signals:
        refused: a value was not taken; a control that cannot show a refused value goes back to the one in force.
    """

    refused = Signal()

    def __init__(self, name: str, sentence: str, *controls: QWidget, stretched: bool = False) -> None:
        super().__init__()
        self.refusal = Refusal()
        self._words: QWidget | None = None
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(INSET, 8, INSET, 8)
        row.setSpacing(8)
        if name:
            label = Label(name)
            label.setBuddy(controls[0])
            level = max(0, (controls[0].sizeHint().height() - label.sizeHint().height()) // 2)
            words = column(label, *([Label(sentence, "small", "faint", wrap=True)] if sentence else []), None, gap=2, margins=(0, level, 0, 0))
            self._words = words
            row.addWidget(words)
        beside = line(*controls[:-1], (controls[-1], 1)) if stretched else line(*controls, None)
        row.addWidget(column(beside, self.refusal, None, gap=4), 1)
        self._fit(wide=True)

    def _fit(self, *, wide: bool) -> None:
        """Set words and control side by side, or one above the other where there is no room (a narrow dialog, a large zoom)."""
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        if self._words is not None:
            self._words.setMinimumWidth(round(WORDS * theme.lh) if wide else 0)
            self._words.setMaximumWidth(round(WORDS * theme.lh) if wide else ENDLESS)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit(wide=self.width() >= ROOMY * theme.lh)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(2 * INSET + FIELD * theme.lh, super().minimumSizeHint().height())

    def refuse(self, sentence: str) -> None:
        """Say why the value was not taken; empty: it was."""
        self.refusal.refuse(sentence)
        if sentence:
            self.refused.emit()


@dataclass(frozen=True, kw_only=True)
class Range:
    """Which numbers a setting takes.

    Attributes:
        lowest: the smallest, itself allowed.
        highest: the largest, itself allowed.
        whole: only whole numbers.
        empty: what an empty field means, a few words; empty: a number is needed.
        endless: the highest is only there because something must be, and is not spoken of.
    """

    lowest: float
    highest: float
    whole: bool = True
    empty: str = ""
    endless: bool = False

    def sentence(self) -> str:
        """Return what to write."""
        lowest, highest = f"{self.lowest:,g}", f"{self.highest:,.10g}"
        if self.endless:
            text = _("Write a whole number, {lowest} or more.") if self.whole else _("Write a number, {lowest} or more.")
        else:
            text = _("Write a whole number from {lowest} to {highest}.") if self.whole else _("Write a number from {lowest} to {highest}.")
        text = text.format(lowest=lowest, highest=highest)
        return paragraph(text, _("Empty means: {meaning}.").format(meaning=self.empty) if self.empty else "")

    def read(self, typed: str) -> Number:
        """Return the number that was typed; None if the field is empty and may be.

        Raises:
            ValueError: it is not one of the range; the text says what to write.
        """
        typed = typed.strip()
        if not typed and self.empty:
            return None
        if _THOUSANDS.fullmatch(typed):
            typed = re.sub(r"\D", "", typed)
        try:
            value = int(typed) if self.whole else float(typed)
        except ValueError:
            raise ValueError(self.sentence()) from None
        if not self.lowest <= value <= self.highest:  # which nan is not either
            raise ValueError(self.sentence())
        return value

    def shown(self, value: Number) -> str:
        """Return a number as the field shows it."""
        return "" if value is None else f"{value:.10g}"


class FieldRow(SettingRow):
    """A setting that is typed, taken when Enter is pressed or the field is left.

    Args:
        name: what it is called.
        sentence: what it does.
        read: returns the value of what was typed; raises ValueError with a sentence that says what to write.
        shown: returns a value as the field shows it.
        value: the value now.
        placeholder: what an empty field means.
        unit: shown in the field.
        beside: other controls of the same setting.

    Signals:
        entered: another value.
    """

    entered = Signal(object)

    def __init__(
        self,
        name: str,
        sentence: str,
        read: Callable[[str], object],
        shown: Callable[[Any], str],
        value: object,
        placeholder: str = "",
        unit: str = "",
        beside: Sequence[QWidget] = (),
    ) -> None:
        self.field = Field(placeholder=placeholder, value=shown(value), note=unit, name=name)
        self.field.setFixedWidth(round((NARROW_FIELD if beside else FIELD) * theme.lh))
        super().__init__(name, sentence, self.field, *beside)
        self._read, self._shown, self._value = read, shown, value
        self.field.edit.editingFinished.connect(self._take)

    def show_value(self, value: object) -> None:
        """Show the value in force, unless another is being typed or was refused."""
        was, self._value = self._value, value
        if self.field.text() == self._shown(was):
            self.field.set_text(self._shown(value))

    @override
    def refuse(self, sentence: str) -> None:
        super().refuse(sentence)
        self.field.set_problem(sentence)

    def _take(self) -> None:
        try:
            value = self._read(self.field.text())
        except ValueError as error:
            self.refuse(str(error))
            return
        self.refuse("")
        if value != self._value:
            self.entered.emit(value)


def number_row(name: str, sentence: str, unit: str, allowed: Range, value: Number, beside: Sequence[QWidget] = ()) -> FieldRow:
    """Return the row of a number."""
    return FieldRow(name, sentence, allowed.read, allowed.shown, value, placeholder=allowed.empty, unit=unit, beside=beside)


def heading(words: str, note: str = "") -> QWidget:
    """Return the head of a group of rows, with a few quiet words behind it."""
    notes = [Label(note, "tiny", "faint")] if note else []
    return line(Label(words, "small", "muted", "bold"), *notes, None, margins=(INSET, 8, INSET, 4))


def page(*parts: Stacked) -> QScrollArea:
    """Return a page that scrolls when it does not fit."""
    area = QScrollArea()
    scrolls(area)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows what has the keyboard inside
    area.setWidgetResizable(True)
    area.setWidget(column(*parts, ground="base"))
    return area
