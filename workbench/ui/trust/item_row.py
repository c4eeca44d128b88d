"""One thing that a folder brings: its name and size, what it would do, and its text on demand, always as plain text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.settings.shipped import TEXT_CHARACTERS, ShippedItem
from workbench.settings.trust import Shipped
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.link import Link
from workbench.ui.approval.pills import Pill, Pills
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import line, scrolls
from workbench.ui.kit.theme import theme
from workbench.ui.trust.words import KIND_ICONS, effect_words, size_words
from workbench.words import _, titled

TEXT_LINES = 10


class ItemRow(QWidget):
    """See the module."""

    def __init__(self, item: ShippedItem, shipped: Shipped) -> None:
        super().__init__()
        self._item = item
        self._text: QPlainTextEdit | None = None
        name = ExactLabel(item.name, "code", weight="medium", mono=True)
        self._link = Link(_("Show the text"))
        self._link.setAccessibleName(_("Show the text of {name}").format(name=visible(item.name)))
        self._link.clicked.connect(self._toggle)
        self._link.setVisible(bool(item.text))
        size = Label(size_words(item.size_bytes) if item.size_bytes else "", "tiny", "faint")
        used = not item.problem and item.kind == "instructions" and item.name == shipped.instructions_name
        icon = Icon(KIND_ICONS[item.kind] if not item.problem else "blocked", "text" if used else "muted")
        sentence = Label(effect_words(item, shipped), "small", "text" if used else "muted", wrap=True)
        self._stack = QVBoxLayout(self)
        self._stack.setContentsMargins(0, 3, 0, 3)
        self._stack.setSpacing(1)
        changed = [Pills([Pill(_("new or changed"), "wait")])] if item.name in shipped.changes else []
        self._stack.addWidget(line(icon, (name, 1), *changed, size, self._link, gap=8))
        self._stack.addWidget(line(24, (sentence, 1), gap=0))
        self.setAccessibleName(f"{visible(item.name)}: {effect_words(item, shipped)}")

    def _toggle(self) -> None:
        """Show the text in place, or hide it."""
        if self._text is None:
            self._text = _text(self._item)
            self._stack.addWidget(line(24, (self._text, 1), gap=0, margins=(0, 3, 0, 3)))
        else:
            self._text.setVisible(self._text.isHidden())
        words = _("Show the text") if self._text.isHidden() else _("Hide the text")
        self._link.setText(words)
        self._link.setAccessibleName(titled(words, visible(self._item.name)))


def _text(item: ShippedItem) -> PlainBlock:
    shown = visible(item.text, keep="\n\t")
    if len(item.text) >= TEXT_CHARACTERS:
        shown += "\n" + _("… only the beginning is shown here; the file itself is longer.")
    return PlainBlock(shown, _("Text of {name}").format(name=visible(item.name)))


class PlainBlock(QPlainTextEdit):
    """Foreign text as it is, some lines high, on the ground of quoted text; what is longer scrolls."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        scrolls(self)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        self.setFont(theme.font("code"))
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard)
        self.document().setDocumentMargin(6)
        self.setFixedHeight(min(max(text.count("\n") + 1, 2), TEXT_LINES) * theme.mh + 12)
        self._recolour()

    def _recolour(self) -> None:
        palette = self.palette()
        if palette.color(palette.ColorRole.Base) != theme["sunken"]:
            palette.setColor(palette.ColorRole.Base, theme["sunken"])
            self.setPalette(palette)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()
