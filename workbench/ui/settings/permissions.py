"""What may run without a question: the mode of new sessions, what holds commands, all rules, a trial of them, and the demo tools."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.permissions.modes import GateFacts
from workbench.settings.tree import ModeName, Settings
from workbench.ui.confinement_words import rung_look, rung_name, testing_look
from workbench.ui.desk import Desk
from workbench.ui.frame.confinement_card import InstallHint, check_lines
from workbench.ui.frame.menus import mode_entries
from workbench.ui.kit.buttons import Button, Check
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import column, line
from workbench.ui.kit.popup import Entry as MenuEntry
from workbench.ui.settings.result_lines import ResultLine, ResultLines
from workbench.ui.settings.rows import INSET, PageTitle, SettingRow, heading, page
from workbench.ui.settings.rule_trial import RuleTrial
from workbench.ui.settings.rules_section import RulesSection
from workbench.ui.settings.saving import Saving
from workbench.words import _, marked, tell_text

DEMO: tuple[tuple[bool | None, str], ...] = tuple(zip((None, True, False), marked("With the practice model", "Always", "Never"), strict=True))
OUTCOMES = {"ok": "ok", "wait": "warning", "fail": "failed", "plain": "running"}
"""The sign of a line for the tone of a chip."""


class PermissionsPage(QWidget):
    """The page."""

    def __init__(self, desk: Desk, saving: Saving) -> None:
        super().__init__()
        self._desk, self._saving = desk, saving
        self._modes = ModeRow(desk.app.settings.mode, desk.confinement.facts)
        self._modes.chosen.connect(self._choose_mode)
        self._confinement = ConfinementBox(desk)
        self._rules = RulesSection(desk)
        self._trial = RuleTrial(desk)
        self._demo = Segments([_(label) for _value, label in DEMO], name=_("Demo tools"))
        self._demo_row = SettingRow(_("Demo tools"), _("calculator, get_current_time and get_weather: harmless, for watching how calls work."), self._demo)
        self._show()
        self._demo.changed.connect(self._choose_demo)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.addWidget(
            page(
                PageTitle(_("Permissions"), _("The sandbox is the wall; rules and answers steer inside it.")),
                *(heading(_("New sessions start in")), self._modes),
                *(self._confinement, 8),
                *(heading(_("Rules"), _("deny before ask before allow; order does not matter")), self._rules, 8),
                *(heading(_("Try a command"), _("what would be decided, and why")), self._trial, 8),
                *(heading(_("Tools")), self._demo_row, None),
            )
        )
        desk.settings_changed.connect(self._show)
        desk.confinement.changed.connect(self._show_facts)
        for row in (self._modes, self._demo_row):
            row.refused.connect(self._show)

    def _choose_mode(self, mode: ModeName) -> None:
        if mode != self._desk.app.settings.mode:
            self._saving.apply(lambda now: replace(now, mode=mode), self._modes)

    def _choose_demo(self, place: int) -> None:
        demo = DEMO[place][0]

        def change(now: Settings) -> Settings:
            return replace(now, tools=replace(now.tools, demo=demo))

        if demo != self._desk.app.settings.tools.demo:
            self._saving.apply(change, self._demo_row)

    def _show(self) -> None:
        settings = self._desk.app.settings
        self._modes.show_mode(settings.mode)
        self._demo.choose([value for value, _label in DEMO].index(settings.tools.demo))

    def _show_facts(self) -> None:
        self._modes.show_facts(self._desk.confinement.facts)


class ModeRow(SettingRow):
    """The modes with a sentence each; one that cannot be chosen says why.

    Signals:
        chosen: the mode that a person chose.
    """

    chosen = Signal(str)

    def __init__(self, mode: str, facts: GateFacts) -> None:
        self._checks: dict[str, Check] = {}
        self._sentences: dict[str, Label] = {}
        parts: list[QWidget] = []
        for entry in mode_entries(mode, facts):  # type: ignore[arg-type]  # the settings' modes are modes
            parts += self._choice(entry)
        holder = column(*parts, gap=0)
        holder.setAccessibleName(_("Mode of new sessions"))
        super().__init__("", "", holder, stretched=True)
        self.show_facts(facts)

    def _choice(self, entry: MenuEntry) -> Sequence[QWidget]:
        check = Check(entry.title, entry.chosen, radio=True)
        check.clicked.connect(lambda _checked=False, mode=entry.entry_id: self.chosen.emit(mode))
        self._checks[entry.entry_id] = check
        self._sentences[entry.entry_id] = Label("", "small", "muted", wrap=True)
        return line(check, None), line(24, (self._sentences[entry.entry_id], 1), margins=(0, 0, 0, 4))

    def show_facts(self, facts: GateFacts) -> None:
        """Show which modes can be chosen, with what is known of the machine now."""
        for entry in mode_entries("ask", facts):
            check, sentence = self._checks[entry.entry_id], self._sentences[entry.entry_id]
            check.setEnabled(not entry.why_not)
            check.setAccessibleDescription(entry.why_not or entry.sentence)
            sentence.setText(entry.why_not or entry.sentence)
            sentence.set_token("faint" if entry.why_not else "muted")

    def show_mode(self, mode: str) -> None:
        """Show which mode is in force."""
        self._checks[mode].setChecked(True)


class ConfinementBox(QWidget):
    """What holds commands, and what its self-test found; it can be tested again."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._watch = watch = desk.confinement
        self._by = Label("", "tiny", "faint")
        self._again = Button(_("Test again"), small=True)
        self._lines = ResultLines(_("How commands are held"))
        self._install = InstallHint(watch)
        head = line(Label(_("Confinement"), "small", "muted", "bold"), None, self._by, self._again, margins=(INSET, 8, INSET, 4))
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        for widget in (head, line((self._lines, 1), margins=(INSET, 0, INSET, 4)), line((self._install, 1), margins=(INSET + 12, 2, INSET, 4))):
            stack.addWidget(widget)
        self._again.clicked.connect(watch.test)
        watch.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        rung = self._watch.facts.rung
        look = testing_look() if self._watch.testing else rung_look(rung)
        report = self._watch.report
        lines = [ResultLine(OUTCOMES[look.tone], look.words, "" if self._watch.testing else _passed(self._watch.report.checks))]
        if not self._watch.testing:
            lines += check_lines(self._watch)
            lines += [ResultLine("warning", tell_text(report.problem))] if report.problem else []
        self._lines.show_lines(tuple(lines))
        self._by.setText("" if self._watch.testing else rung_name(rung))
        self._again.setEnabled(not self._watch.testing)
        self._install.follow()


def _passed(checks: Sequence[object]) -> str:
    passed = sum(1 for check in checks if getattr(check, "passed", False))
    return _("{n} of {total}").format(n=passed, total=len(checks)) if checks else ""
