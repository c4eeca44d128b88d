"""What a call would do, in the view that fits it: a difference, a command, or a text; with how much of it a person has seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget

from workbench.conversation.calls import CallPart, Preview
from workbench.conversation.values import JsonObject
from workbench.permissions.visible import visible
from workbench.ui.approval.command_text import PartFact
from workbench.ui.approval.command_view import CommandView
from workbench.ui.approval.diff_view import DiffView
from workbench.ui.approval.draft import json_text
from workbench.ui.approval.rows_view import RowsView
from workbench.ui.approval.seen import Seen
from workbench.ui.approval.text_view import TextView
from workbench.ui.confinement_words import Look
from workbench.words import _, many, paragraph, strung, tell_text

DESCRIBED_CHARACTERS = 20_000
"""Of a content, for screen readers; longer ones are read in the arguments."""


class Progress(NamedTuple):
    """How much was seen, as the bar above the content says it."""

    words: str
    icon: str
    token: str


class PreviewPane(QStackedWidget):
    """Shows one preview.

    Signals:
        seen_changed: more of it was seen.
        content_changed: its rows are others, though the preview is the same.
        layout_changed: the difference is laid out in another way, or can be.

    Attributes:
        diff, command, text: the views.
    """

    seen_changed = Signal()
    content_changed = Signal()
    layout_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.diff, self.command, self.text = DiffView(), CommandView(_("Command")), TextView(_("Content"))
        for view in (self.diff, self.command, self.text):
            self.addWidget(view)
            view.seen_changed.connect(self.seen_changed)
        self.diff.content_changed.connect(self.content_changed)
        self.diff.layout_changed.connect(self.layout_changed)
        self._length = 0

    @property
    def view(self) -> RowsView:
        """The view that is shown."""
        view = self.currentWidget()
        return view if isinstance(view, RowsView) else self.text

    @property
    def shows_difference(self) -> bool:
        """Whether it is a difference of two texts, which can be laid out in two ways."""
        return self.currentWidget() is self.diff and bool(self.diff.difference.old.lines) and bool(self.diff.difference.new.lines)

    def show_preview(
        self, preview: Preview, arguments: JsonObject, parts: Sequence[CallPart], seen: Seen | None = None, held: Look | None = None
    ) -> None:
        """Show a preview from its beginning.

        Args:
            preview: what would be done.
            arguments: shown in its place if it says nothing.
            parts: of a command.
            seen: what a person has seen of it before.
            held: how a command would be held.
        """
        match preview.kind:
            case "diff" | "new_file":
                self.setCurrentWidget(self.diff)
                self.diff.setAccessibleName(name_of(preview))
                self.diff.show_preview(preview, seen)
                self._describe(preview.body or preview.after or preview.before or "")
            case "command":
                self.setCurrentWidget(self.command)
                self._length = len(preview.body)
                confined = [PartFact(held.icon, held.sentence, held.tone if held.tone.startswith("level") else "muted")] if held is not None else []
                notes = paragraph(*(tell_text(note) for note in preview.notes))  # in one box: what is below the edge must be scrolled to
                self.command.show_command(preview.body, parts, [*confined, *([PartFact("info", notes)] if notes else [])], seen)
                self._describe(preview.body)
            case "text" | "none":
                self.setCurrentWidget(self.text)
                if preview.kind == "text" and preview.body:
                    self.text.show_text(preview.body, preview.language, seen)
                else:
                    self.text.show_text(json_text(arguments), "json", seen)
                self._describe(preview.body or json_text(arguments))

    def progress(self) -> Progress:
        """Say how much was seen."""
        seen = self.view.seen
        if self.diff.comparing and self.currentWidget() is self.diff:
            return Progress(_("comparing the two texts…"), "running", "muted")
        if self.currentWidget() is self.command:
            return self._command_progress()
        if seen.count >= seen.total and seen.whole:
            return Progress(many("the one line shown", "all {n} lines shown", seen.total), "check", "ok")
        words = _("{n} of {total} lines seen").format(n=f"{seen.count:,}", total=f"{seen.total:,}")
        return Progress(words, "eye", "muted" if seen.whole else "level2")

    def _command_progress(self) -> Progress:
        size = many("{n} character", "{n} characters", self._length) if self._length < 1000 else _("{n} characters").format(n=f"{self._length:,}")
        if self.command.seen.whole:
            return Progress(strung(size, _("shown to the end")), "check", "ok")
        return Progress(strung(size, _("not seen to the end")), "eye", "level2")

    def figures(self) -> tuple[int, int]:
        """Return how many lines are added and removed; 0 and 0 if it is no change of a file."""
        shown = self.diff.difference
        return (shown.added, shown.removed) if self.currentWidget() is self.diff else (0, 0)

    def _describe(self, text: str) -> None:
        """Let screen readers have the content, every hidden character visible."""
        long = _("Too long to be read out here; the arguments have it whole.")
        self.view.setAccessibleDescription(visible(text, keep="\n") if len(text) <= DESCRIBED_CHARACTERS else long)


def name_of(preview: Preview) -> str:
    """Return the name of the tab a preview stands under."""
    match preview.kind:
        case "diff":
            return _("Difference")
        case "new_file":
            return _("New file")
        case "command":
            return _("Command")
        case "text" | "none":
            return _("Content")
