"""What may run without a question: the mode of new sessions, the rules of the session that is shown, and the demo tools."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.conversation.events import Entry
from workbench.permissions.modes import GateFacts
from workbench.permissions.visible import visible
from workbench.settings.tree import ModeName, Settings
from workbench.ui.desk import Desk
from workbench.ui.frame.menus import mode_entries
from workbench.ui.kit.buttons import Check
from workbench.ui.kit.cells import Cell, Table
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import Ground, column, line
from workbench.ui.kit.popup import Entry as MenuEntry
from workbench.ui.kit.theme import theme
from workbench.ui.settings.rows import INSET, PageTitle, SettingRow, heading, page
from workbench.ui.settings.saving import Saving
from workbench.ui.settings.session_rules import SessionRules, UsedRule
from workbench.words import _, many, marked, state_name, tell_text

DEMO: tuple[tuple[bool | None, str], ...] = tuple(zip((None, True, False), marked("With the practice model", "Always", "Never"), strict=True))
EFFECTS = {"allow": ("check", "ok"), "ask": ("question", "level2"), "deny": ("shield-cross", "fail")}
ROWS_SHOWN = 8
WIDTHS = (6, 6, 20, 9)
"""Widths of the columns of the rules, in lines of text."""


class PermissionsPage(QWidget):
    """The page."""

    def __init__(self, desk: Desk, saving: Saving) -> None:
        super().__init__()
        self._desk, self._saving = desk, saving
        self._modes = ModeRow(desk.app.settings.mode)
        self._modes.chosen.connect(self._choose_mode)
        self._rules = RulesTable()
        self._followed = SessionRules()
        self._demo = Segments([_(label) for _value, label in DEMO], name=_("Demo tools"))
        self._demo_row = SettingRow(_("Demo tools"), _("calculator, get_current_time and get_weather: harmless, for watching how calls work."), self._demo)
        self._show()
        self._demo.changed.connect(self._choose_demo)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.addWidget(
            page(
                PageTitle(_("Permissions"), _("What runs without a question, what asks, what is refused.")),
                _no_sandbox(),
                *(heading(_("New sessions start in")), self._modes),
                heading(_("Rules of this session"), _("from “Always allow”; they are gone when the session is closed")),
                *(self._rules, 8, heading(_("Tools")), self._demo_row, None),
            )
        )
        desk.settings_changed.connect(self._show)
        for row in (self._modes, self._demo_row):
            row.refused.connect(self._show)
        desk.bridge.attached.connect(self._follow_anew)
        desk.bridge.facts.connect(self._follow)
        self._follow_anew()

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

    def _follow_anew(self) -> None:
        self._followed = SessionRules()
        self._followed.apply(self._desk.bridge.entries)
        self._rules.show_rules(self._followed.rows())

    def _follow(self, entries: Sequence[Entry]) -> None:
        if self._followed.apply(entries):
            self._rules.show_rules(self._followed.rows())


class ModeRow(SettingRow):
    """The modes with a sentence each; one that cannot be chosen says why.

    Signals:
        chosen: the mode that a person chose.
    """

    chosen = Signal(str)

    def __init__(self, mode: str) -> None:
        self._checks: dict[str, Check] = {}
        parts: list[QWidget] = []
        for entry in mode_entries(mode, GateFacts()):  # type: ignore[arg-type]  # the settings' modes are modes
            parts += self._choice(entry)
        holder = column(*parts, gap=0)
        holder.setAccessibleName(_("Mode of new sessions"))
        super().__init__("", "", holder)

    def _choice(self, entry: MenuEntry) -> list[QWidget]:
        check = Check(entry.title, entry.chosen, radio=True)
        check.setEnabled(not entry.why_not)
        check.setAccessibleDescription(entry.why_not or entry.sentence)
        check.clicked.connect(lambda _checked=False, mode=entry.entry_id: self.chosen.emit(mode))
        self._checks[entry.entry_id] = check
        sentence = Label(entry.why_not or entry.sentence, "small", "faint" if entry.why_not else "muted", wrap=True)
        return [check, line(24, (sentence, 1), margins=(0, 0, 0, 4))]

    def show_mode(self, mode: str) -> None:
        """Show which mode is in force."""
        self._checks[mode].setChecked(True)


class RulesTable(QWidget):
    """The rules, or a sentence if there are none."""

    def __init__(self) -> None:
        super().__init__()
        self._none = Label(_("None. “Always allow” in a question adds one."), "small", "faint", wrap=True)
        heads = (_("Effect"), _("Tool"), _("Matches"), _("So far"))
        widths = [round(width * theme.lh) for width in WIDTHS]
        self._table = Table(heads, (), widths, stretch=2, name=_("Rules of this session"))
        self._table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(line((self._none, 1), margins=(INSET, 4, INSET, 4)))
        stack.addWidget(line((self._table, 1), margins=(INSET - 8, 0, INSET - 8, 0)))

    def show_rules(self, rules: Sequence[UsedRule]) -> None:
        """Show other rules."""
        self._none.setVisible(not rules)
        self._table.setVisible(bool(rules))
        self._table.rows_model.set_rows([_row(rule) for rule in rules])
        self._table.setFixedHeight((1 + min(len(rules), ROWS_SHOWN)) * theme.row + 2)


def _row(rule: UsedRule) -> list[Cell]:
    icon, token = EFFECTS[rule.effect]
    so_far = many("{n} call", "{n} calls", rule.calls) if rule.calls else _("not used yet")
    return [
        Cell(state_name(rule.effect).capitalize(), icon, token, weight="medium"),
        Cell(visible(rule.tool), mono=True, weight="medium"),
        Cell(visible(tell_text(rule.pattern, piece=True)), mono=True, elide="middle"),
        Cell(so_far, token="muted"),
    ]


def _no_sandbox() -> QWidget:
    words = _("There is no sandbox yet: a command that runs has all your rights. Rules and questions decide before it starts; nothing holds it after.")
    box = Ground("level2_tint")
    inner = line(Icon("shield-off", "level2"), (Label(words, "small", wrap=True), 1), margins=(10, 8, 10, 8))
    stack = QVBoxLayout(box)
    stack.setContentsMargins(0, 0, 0, 0)
    stack.addWidget(inner)
    return line((box, 1), margins=(INSET, 0, INSET, 8))
