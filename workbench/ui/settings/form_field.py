"""A field of a form: what it is called above it, a quiet note at the right, why it was refused below."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line
from workbench.ui.settings.rows import Refusal


class FormField(QWidget):
    """The field.

    Args:
        name: what it is called.
        control: what is typed into or pressed.
        note: a few quiet words at the right of the name.
        beside: other controls of the same thing.
    """

    def __init__(self, name: str, control: QWidget, note: str = "", *beside: QWidget) -> None:
        super().__init__()
        self.control = control
        label = Label(name, "small", "muted", "medium", elide="right")
        label.setBuddy(control)
        self._note, self._refusal = Label(note, "tiny", "faint", elide="right"), Refusal()
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(4)
        stack.addWidget(line(label, None, self._note))
        stack.addWidget(line((control, 1), *beside, gap=6))
        stack.addWidget(self._refusal)
        stack.addStretch(1)

    def set_note(self, note: str) -> None:
        """Show other words at the right."""
        self._note.setText(note)

    def refuse(self, sentence: str) -> None:
        """Say why what stands there was not taken; empty: it was, or nobody knows yet."""
        self._refusal.refuse(sentence)
        if isinstance(self.control, Field):
            self.control.set_problem(sentence)
