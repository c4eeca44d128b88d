"""One argument in the form: its name as the schema has it, what it takes, a control that holds it exactly, and what the model sent if it was changed."""

from __future__ import annotations

import json
import math
from typing import Any, assert_never

from PySide6.QtCore import Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.approval.code_edit import CodeEdit
from workbench.ui.approval.draft import Draft, Field, json_text
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.subject import shortened
from workbench.ui.kit import fields
from workbench.ui.kit.buttons import Check
from workbench.ui.kit.labels import Icon, Label, plain_tip
from workbench.ui.kit.layout import line
from workbench.words import _, many

SENT_CHARACTERS = 160
_LONGEST_LINE_EDIT = 1_000_000


class ArgumentField(QWidget):
    """The block of one argument.

    Signals:
        edited: the draft has another value, or a problem, for it.
    """

    edited = Signal()

    def __init__(self, field: Field, draft: Draft) -> None:
        super().__init__()
        self.field, self._draft = field, draft
        name = ExactLabel(field.name, "code", weight="medium", mono=True)
        name.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._type = Label("", "tiny", "faint")
        self._sent = ExactLabel("", "tiny", "accent")
        self._change = line(Icon("pen", "accent", 12), (self._sent, 1), gap=6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(line(name, self._type, None, gap=8))
        layout.addWidget(self._control())
        layout.addWidget(self._change)
        plain_tip(name, field.description)
        self.refresh()

    def refresh(self) -> None:
        """Say anew whether it was changed, and how many lines it has."""
        sent, now = self._draft.sent, self._draft.values.get(self.field.name)
        changed = self.field.name in self._draft.changed()
        self._change.setVisible(changed)
        if changed:
            there = self.field.name in sent
            words = _("the model sent: {value}").format(value=shown_value(sent[self.field.name])) if there else _("the model did not send it")
            self._sent.show_text(words)
        lines = now.count("\n") + 1 if isinstance(now, str) else 1
        self._type.setText(self.field.type_words + (" · " + many("{n} line", "{n} lines", lines) if lines > 1 else ""))

    # Controls

    def _control(self) -> QWidget:
        field, value = self.field, self._draft.values.get(self.field.name)
        if field.too_long:
            size = len(value) if isinstance(value, str) else len(json_text(value))
            return Label(many("{n} character: too long to be edited here.", "{n} characters: too long to be edited here.", size), "small", "muted")
        match field.kind:
            case "line":
                return self._line(value or "", self._take_text)
            case "integer":
                return self._line("" if value is None else str(value), self._take_integer)
            case "number":
                return self._line("" if value is None else repr(value), self._take_number)
            case "lines":
                return self._lines(value or "", self._take_text)
            case "list":
                return self._lines("\n".join(value or ()), self._take_list)
            case "json":
                return self._lines("" if value is None and field.name not in self._draft.values else json_text(value), self._take_json)
            case "boolean":
                return self._check(value is True)
            case "choice":
                return self._choice(value)
            case _:
                assert_never(field.kind)

    def _line(self, text: str, take: Any) -> QWidget:
        control = fields.Field("" if self.field.required else _("not given"), mono=True, name=self._name())
        control.edit.setMaxLength(_LONGEST_LINE_EDIT)
        control.edit.setText(text)
        control.edit.setCursorPosition(0)
        control.changed.connect(take)
        return control

    def _lines(self, text: str, take: Any) -> QWidget:
        control = CodeEdit(self._name())
        control.put(text)
        control.changed.connect(lambda: take(control.text()))
        return control

    def _check(self, on: bool) -> QWidget:
        control = Check(_("true"), on=on)
        control.setAccessibleName(self._name())
        control.toggled.connect(self._take_boolean)
        return line(control, None, gap=0)

    def _choice(self, value: str | None) -> QWidget:
        control = _Choices()
        control.setAccessibleName(self._name())
        control.view().setAccessibleName(self._name())
        if not self.field.required or value is None:
            control.addItem(_("not given"), None)
        for choice in self.field.choices:
            control.addItem(visible(choice), choice)
        control.setCurrentIndex(max(0, control.findData(value)))
        control.currentIndexChanged.connect(lambda place: self._put(control.itemData(place)))
        return line(control, None, gap=0)

    def _name(self) -> str:
        return visible(self.field.name)

    # What was typed

    def _put(self, value: Any) -> None:
        if value is None:
            self._draft.leave_out(self.field.name)
        else:
            self._draft.put(self.field.name, value)
        self._tell()

    def _take_text(self, text: str) -> None:
        left_out = not text and not self.field.required and self.field.name not in self._draft.asked
        self._put(None if left_out else text)

    def _take_integer(self, text: str) -> None:
        try:
            self._put(int(text) if text.strip() else None)
        except ValueError:
            self._refuse(_("{name} must be a whole number.").format(name=self._name()))

    def _take_number(self, text: str) -> None:
        try:
            number = float(text) if text.strip() else None
        except ValueError:
            number = math.nan
        if number is not None and not math.isfinite(number):
            self._refuse(_("{name} must be a number.").format(name=self._name()))
        else:
            self._put(int(text) if number is not None and text.strip().lstrip("+-").isdigit() else number)

    def _take_list(self, text: str) -> None:
        items = [item for item in text.split("\n") if item]
        left_out = not items and not self.field.required and self.field.name not in self._draft.asked
        self._put(None if left_out else items)

    def _take_json(self, text: str) -> None:
        if not text.strip():
            self._put(None)
            return
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._refuse(_("{name} is not JSON: {reason}.").format(name=self._name(), reason=error))
            return
        self._draft.put(self.field.name, value)
        self._tell()

    def _take_boolean(self, on: bool) -> None:
        self._put(None if not on and self.field.name not in self._draft.asked and not self.field.required else on)

    def _refuse(self, problem: str) -> None:
        self._draft.cannot_read(self.field.name, problem)
        self._tell()

    def _tell(self) -> None:
        self.refresh()
        self.edited.emit()


class _Choices(QComboBox):
    """A list of choices that a turn of the wheel over it does not change."""

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def shown_value(value: Any) -> str:
    """Return a value on one line, shortened, every hidden character visible."""
    return shortened(visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)), SENT_CHARACTERS)
