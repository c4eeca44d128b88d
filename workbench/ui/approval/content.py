"""The middle of the dialog: what would be done, its arguments as a form and as JSON, and the bar above that says how much was seen."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.agent.rehearsal import Rehearsal
from workbench.conversation.events import ApprovalRequested
from workbench.ui.approval.arguments_form import ArgumentsForm, JsonPage, Verdict
from workbench.ui.approval.draft import Draft
from workbench.ui.approval.preview_pane import PreviewPane, name_of
from workbench.ui.approval.seen import Seen
from workbench.ui.approval.subject import Made
from workbench.ui.confinement_words import Look
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.choices import Segments, Tabs
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import Ground
from workbench.words import _, level_name, many, tell_text

PREVIEW, FORM, JSON = range(3)


@dataclass(kw_only=True)
class Memory:
    """What a person did with a question so far; kept while they look at another one.

    Attributes:
        made: how the question came about.
        draft: the arguments as they are edited.
        seen: what of the preview was in sight.
        head_seen: the whole head was.
        rehearsal: what would come of the edited arguments; None while that is not known.
        rehearsal_seen: what of that was in sight.
        note: words begun for a rejection.
        held: how a command would be held if it were allowed.
    """

    made: Made
    draft: Draft
    seen: Seen = field(default_factory=Seen)
    head_seen: bool = False
    rehearsal: Rehearsal | None = None
    rehearsal_seen: Seen = field(default_factory=Seen)
    note: str = ""
    held: Look | None = None


class Content(QWidget):
    """Shows one question's content.

    Signals:
        seen_changed: more of it was seen.
        edited: the arguments were changed.
        changed: something else is shown where the preview is.
    """

    seen_changed = Signal()
    edited = Signal()
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._requested: ApprovalRequested | None = None
        self._memory = Memory(made=Made({}), draft=Draft({}, {}, {}))
        self._rehearsed = False
        self.tabs = Tabs([_("Content"), _("Arguments"), _("JSON")], inset=0, name=_("Views of the call"))
        self.layouts = Segments([_("Side by side"), _("Unified")], name=_("Layout"))
        self.reset_button = Button(_("Reset to the model's call"), "quiet", "undo", small=True)
        self._icon, self._seen_words = Icon("eye", "muted", 12), Label("", "small", "muted")
        self._added, self._removed = Label("", "small", "ok", "medium"), Label("", "small", "fail", "medium")
        self.pane, self.form, self.json = PreviewPane(), ArgumentsForm(), JsonPage()
        self.verdict = Verdict()
        self._stack = QStackedWidget()
        for page in (self.pane, self.form, self.json):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._bar())
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.verdict)
        self._connect()

    def _bar(self) -> QWidget:
        bar = Ground("raised", "b")
        row = QHBoxLayout(bar)
        row.setContentsMargins(12, 6, 20, 0)
        row.setSpacing(6)
        row.addWidget(self.tabs)
        row.addStretch(1)
        for widget in (self._icon, self._seen_words, self._added, self._removed, self.layouts, self.reset_button):
            row.addWidget(widget)
        return bar

    def _connect(self) -> None:
        self.tabs.changed.connect(self._open_tab)
        self.layouts.changed.connect(lambda place: self.pane.diff.choose_layout("side" if place == 0 else "unified"))
        self.reset_button.clicked.connect(self._reset)
        self.form.edited.connect(self._edited)
        self.json.edited.connect(self._edited)
        self.pane.seen_changed.connect(self._tell_seen)
        self.pane.layout_changed.connect(self._show_bar)
        self.pane.content_changed.connect(self._pane_changed)

    # What is shown

    @property
    def draft(self) -> Draft:
        """The arguments as they would be sent now."""
        return self._memory.draft

    @property
    def seen_whole(self) -> bool:
        """Whether the last line of what would be done was in sight; of an edited call, that of either version."""
        memory = self._memory
        if self.pane.diff.comparing:
            return False
        return memory.seen.whole or (memory.draft.edited and memory.rehearsal is not None and memory.rehearsal_seen.whole)

    @property
    def shows_preview(self) -> bool:
        """Whether the preview, not the arguments, is in front."""
        return self._stack.currentIndex() == PREVIEW

    @property
    def preview_name(self) -> str:
        """The name of the preview's tab."""
        return self.tabs.buttons[PREVIEW].text()

    def show_question(self, requested: ApprovalRequested, memory: Memory) -> None:
        """Show the content of a question, the preview in front."""
        self._requested, self._memory, self._rehearsed = requested, memory, False
        self.tabs.set_label(PREVIEW, name_of(requested.preview))
        self._show_preview()
        self.form.show_draft(memory.draft)
        self.json.show_draft(memory.draft)
        self.tabs.choose(PREVIEW)
        self._stack.setCurrentIndex(PREVIEW)
        self._show_draft()
        self._show_bar()

    def show_rehearsal(self, rehearsal: Rehearsal) -> None:
        """Show what would come of the edited arguments."""
        self._memory.rehearsal, self._memory.rehearsal_seen = rehearsal, Seen()
        self._show_preview()
        self._show_draft()
        self._show_bar()
        self.changed.emit()

    def _show_preview(self) -> None:
        """Show the edited version if there is one and it can be prepared, else what the question is about."""
        if self._requested is None:
            return
        memory, rehearsal = self._memory, self._memory.rehearsal
        self._rehearsed = memory.draft.edited and rehearsal is not None and rehearsal.preview is not None
        if self._rehearsed and rehearsal is not None and rehearsal.preview is not None:
            self.pane.show_preview(rehearsal.preview, memory.draft.values, rehearsal.parts, memory.rehearsal_seen, memory.held)
        else:
            self.pane.show_preview(self._requested.preview, self._requested.arguments, self._requested.parts, memory.seen, memory.held)

    # Tabs and edits

    def _open_tab(self, place: int) -> None:
        match place:
            case 1:
                self.form.show_draft(self.draft)
            case 2:
                self.json.show_draft(self.draft)
            case _:
                pass
        self._stack.setCurrentIndex(place)
        self._show_bar()
        self.seen_changed.emit()

    def _edited(self) -> None:
        self._memory.rehearsal = None
        if self._rehearsed or not self.draft.edited:
            self._show_preview()
        self._show_draft()
        self._show_bar()
        self.edited.emit()

    def _reset(self) -> None:
        self.draft.reset()
        self.form.show_draft(self.draft)
        self.json.show_draft(self.draft)
        self._edited()

    def _pane_changed(self) -> None:
        self._show_bar()
        self.changed.emit()

    def _tell_seen(self) -> None:
        self._show_bar()
        self.seen_changed.emit()

    # The bar and the sentence

    def _show_bar(self) -> None:
        preview = self.shows_preview
        progress = self.pane.progress()
        self._icon.show_icon(progress.icon, progress.token)
        self._seen_words.setText(progress.words)
        self._seen_words.set_token("muted" if progress.token == "ok" else progress.token)
        added, removed = self.pane.figures()
        self._added.setText(f"+{added:,}")
        self._removed.setText(f"−{removed:,}")
        for widget in (self._icon, self._seen_words):
            widget.setVisible(preview)
        for label in (self._added, self._removed):
            label.setVisible(preview and added + removed > 0)
        self.layouts.setVisible(preview and self.pane.shows_difference)
        self.layouts.set_reason(0, "" if self.pane.diff.can_stand_beside else _("Too narrow for two sides."))
        self._follow_layout()
        self.reset_button.setVisible(not preview and self.draft.edited)
        self.verdict.setVisible(not preview)

    def _follow_layout(self) -> None:
        """Let the switch show how the difference is laid out, without choosing that for the next one."""
        self.layouts.blockSignals(True)
        self.layouts.choose(0 if self.pane.diff.diff_layout == "side" else 1)
        self.layouts.blockSignals(False)

    def _show_draft(self) -> None:
        changed = len(self.draft.changed()) if self.draft.edited or self._memory.made.edited else 0
        self.tabs.set_count(FORM, many("{n} changed", "{n} changed", changed) if changed else "", "you")
        self.verdict.say(*self._sentence())

    def _sentence(self) -> tuple[str, str, str]:
        """Return the sentence on the arguments, its icon and token."""
        draft, made, rehearsal = self.draft, self._memory.made, self._memory.rehearsal
        if not draft.edited:
            return (_("As you changed it before.") if made.edited else _("As the model sent it.")), "check", "ok"
        if problem := draft.check().problem:
            return problem, "failed", "fail"
        if rehearsal is None:
            return _("Valid. The difference and the rules are checked again with your version when you allow it."), "check", "ok"
        if rehearsal.outcome == "deny" and rehearsal.preview is not None:
            return _("Valid, but it would be refused: {text}").format(text=tell_text(rehearsal.problem)), "shield-cross", "fail"
        if rehearsal.problem:
            return _("It cannot be done like this: {text}").format(text=tell_text(rehearsal.problem)), "failed", "fail"
        return _rehearsed_words(rehearsal, self.pane.figures()), "warning" if rehearsal.asks_again else "check", "level2" if rehearsal.asks_again else "ok"


def _rehearsed_words(rehearsal: Rehearsal, figures: tuple[int, int]) -> str:
    level = f"{rehearsal.danger} {level_name(rehearsal.danger)}"
    if rehearsal.asks_again:
        return _("Valid, but stricter than what you see: level {level}. It will ask again.").format(level=level)
    if any(figures):
        words = _("Valid. The difference and the rule check were made again with your version: +{added} −{removed}, level {level}.")
        return words.format(added=figures[0], removed=figures[1], level=level)
    return _("Valid. The rule check was made again with your version: level {level}.").format(level=level)
