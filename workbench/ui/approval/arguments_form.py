"""The arguments of a call as a form made from its schema, or as JSON; both edit the same draft."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.approval.argument_field import ArgumentField
from workbench.ui.approval.code_edit import CodeEdit
from workbench.ui.approval.draft import FIELDS_AT_MOST, LONGEST_JSON, Draft, json_text
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.scroll_page import ScrollPage
from workbench.ui.approval.text_view import TextView
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import column
from workbench.ui.kit.paint import box
from workbench.words import _, many


class ArgumentsForm(ScrollPage):
    """A block for each argument.

    Signals:
        edited: the draft changed.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__(_("Arguments"))
        self.fields: list[ArgumentField] = []

    def show_draft(self, draft: Draft) -> None:
        """Show the arguments as they are now."""
        names = draft.fields()
        self.fields = [] if len(names) > FIELDS_AT_MOST else [ArgumentField(field, draft) for field in names]
        for field in self.fields:
            field.edited.connect(self.edited)
        rows: list[QWidget] = list(self.fields)
        if len(names) > FIELDS_AT_MOST:
            rows.append(Label(many("{n} argument: edit it as JSON.", "{n} arguments: edit them as JSON.", len(names)), "body", "muted", wrap=True))
        elif not names:
            rows.append(Label(_("The tool takes no arguments."), "body", "muted"))
        self.setWidget(column(*rows, None, margins=(20, 14, 20, 8), gap=12, ground="raised"))


class JsonPage(QWidget):
    """All arguments as one text.

    Signals:
        edited: the draft changed, or the text is no JSON now.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._draft = Draft({}, {}, {})
        self._edit = CodeEdit(_("Arguments as JSON"), whole=True)
        self._view = TextView(_("Arguments as JSON"))
        self._place = QWidget()
        self._stack = QStackedLayout(self._place)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self._edit)
        self._stack.addWidget(self._view)
        self._too_long = Label(_("Too long to be edited here."), "small", "muted")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 14, 20, 8)
        layout.setSpacing(8)
        layout.addWidget(self._place, 1)
        layout.addWidget(self._too_long)
        self._filling = False
        self._edit.changed.connect(self._take)

    @property
    def editor(self) -> CodeEdit:
        """The field of the text."""
        return self._edit

    def show_draft(self, draft: Draft) -> None:
        """Show the arguments as they are now, or what was written for them and cannot be read."""
        self._draft = draft
        text = draft.unread or json_text(draft.values)
        editable = len(text) <= LONGEST_JSON
        self._stack.setCurrentIndex(0 if editable else 1)
        self._too_long.setVisible(not editable)
        self._filling = True
        self._edit.put(text if editable else "")
        self._edit.mark(0, 0)
        self._filling = False
        self._view.show_text("" if editable else text, "json")

    def _take(self) -> None:
        if not self._filling:
            problem = self._draft.put_text(self._edit.text())
            self._edit.mark(problem.line if problem else 0, problem.column if problem else 0)
            self.edited.emit()


class Verdict(QWidget):
    """One sentence on the arguments: whether they can be sent, and what would come of it."""

    def __init__(self) -> None:
        super().__init__()
        self._icon = Icon("check", "ok")
        self._words = ExactLabel("", "small", "muted", lines=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 6, 20, 12)
        layout.addWidget(_Note(self._icon, self._words))

    def text(self) -> str:
        """Return the sentence."""
        return self._words.text()

    def say(self, words: str, icon: str, token: str) -> None:
        """Say something else."""
        self._words.show_text(words, "fail" if token == "fail" else "muted")
        self._icon.show_icon(icon, token)


class _Note(QWidget):
    def __init__(self, icon: QWidget, words: QWidget) -> None:
        super().__init__()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(8)
        layout.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(words, 1)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "sunken", None, 6)
