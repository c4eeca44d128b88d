"""Tries a command, or a tool with a path, against everything in force: what the gate would decide, while it is typed. Nothing is run."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.agent.judging import COMMAND_TOOL, command_call, judge_call, judge_subject, subject_tools
from workbench.permissions.gate import Decision
from workbench.permissions.modes import effective_mode
from workbench.permissions.visible import visible
from workbench.ui.desk import Desk
from workbench.ui.frame.errands import Errands
from workbench.ui.kit.buttons import MenuButton
from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line
from workbench.ui.kit.popup import Entry, PopupMenu
from workbench.ui.settings.rows import INSET
from workbench.ui.settings.verdict_view import VerdictView
from workbench.words import _, mode_name

PAUSE_MS = 150
"""After so long without another key it is judged; Enter judges at once."""


class RuleTrial(QWidget):
    """The field, the choice of a tool, and the verdict.

    Attributes:
        decision: what is shown; None while the field is empty.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk, self._errands = desk, Errands(desk, self)
        self._tool = COMMAND_TOOL
        self._turn = 0
        self.decision: Decision | None = None
        self._choice = MenuButton("", "terminal", outlined=True)
        self._choice.setAccessibleName(_("Tool"))
        self._choice.clicked.connect(self._open_menu)
        self.field = Field(mono=True, name=_("Command to try"))
        self._verdict = VerdictView()
        self._note = Label("", "tiny", "faint", wrap=True)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.judge)
        self._lay_out()
        self.field.changed.connect(self._typed)
        self.field.entered.connect(self.judge)
        desk.bridge.attached.connect(self.judge)
        desk.bridge.state_changed.connect(self.judge)
        self._choose(COMMAND_TOOL)

    def _lay_out(self) -> None:
        stack = QVBoxLayout(self)
        stack.setContentsMargins(INSET, 4, INSET, 4)
        stack.setSpacing(6)
        stack.addWidget(line(self._choice, (self.field, 1)))
        stack.addWidget(self._verdict)
        stack.addWidget(self._note)

    def judge(self) -> None:
        """Judge what stands in the field, now; it is judged again when rules or mode change."""
        self._pause.stop()
        self._turn += 1
        text = self.field.text()
        if text.strip() and self._desk.bridge.opened is not None:
            self._errands.spawn(self._judge(text, self._turn), "try a rule")
        else:
            self._show(None)

    async def _judge(self, text: str, turn: int) -> None:
        opened = self._desk.bridge.opened
        if opened is None:
            return
        if self._tool == COMMAND_TOOL:
            decision = await judge_call(opened.bench, *command_call(text))
        else:
            decision = await judge_subject(opened.bench, self._tool, text.strip())
        if isValid(self) and turn == self._turn:
            self._show(decision)

    def _show(self, decision: Decision | None) -> None:
        self.decision = decision
        self._verdict.show_decision(decision)
        self._note.setText(self._situation())

    def _situation(self) -> str:
        opened = self._desk.bridge.opened
        if opened is None:
            return _("Open a folder first: rules are tried in it.")
        keeper = opened.bench.gatekeeper
        mode = mode_name(effective_mode(keeper.mode, keeper.rules, keeper.facts))
        return _("As in the session that is shown, in mode “{mode}”. Nothing is run.").format(mode=mode)

    def _typed(self, text: str) -> None:
        if text.strip():
            self._pause.start()
        else:
            self.judge()

    def _open_menu(self) -> None:
        menu = PopupMenu(self._entries(), self, name=_("Tool"))
        menu.chosen.connect(self._choose)
        menu.below(self._choice)

    def _entries(self) -> tuple[Entry, ...]:
        opened = self._desk.bridge.opened
        subjects = subject_tools(opened.bench) if opened is not None else {}
        notes = {"path": _("a path"), "host": _("a host")}
        return (
            Entry(entry_id=COMMAND_TOOL, title=COMMAND_TOOL, note=_("a command"), chosen=self._tool == COMMAND_TOOL),
            *(Entry(entry_id=name, title=visible(name), note=notes[kind], chosen=self._tool == name) for name, kind in subjects.items()),
        )

    def _choose(self, tool: str) -> None:
        self._tool = tool
        command = tool == COMMAND_TOOL
        self._choice.show_choice(visible(tool), icon_name="terminal" if command else "file")
        placeholder = _("A command, such as git status") if command else _("A path in the folder, or an absolute one")
        self.field.edit.setPlaceholderText(placeholder)
        self.judge()
