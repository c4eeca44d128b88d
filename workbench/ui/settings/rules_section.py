"""The rules on the page: which are in force, what is wrong with a file of them, and removing one. It follows the session and the kept rules."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid
from typing_extensions import override

from workbench.conversation.events import Entry
from workbench.errors import SettingsError, WorkbenchError
from workbench.permissions.rules import Rule, RuleSet
from workbench.settings.rule_files import RuleFiles
from workbench.ui.desk import Desk
from workbench.ui.frame.errands import Errands
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line
from workbench.ui.rule_names import scope_name
from workbench.ui.settings.result_lines import ResultLine, ResultLines
from workbench.ui.settings.rows import INSET
from workbench.ui.settings.rule_counts import RuleCounts
from workbench.ui.settings.rule_rows import rule_rows, shown_rule
from workbench.ui.settings.rules_list import RulesList
from workbench.ui.settings.strip import Action, Strip
from workbench.words import _, aside, tell

T = TypeVar("T")


class RulesSection(QWidget):
    """Banner, list, and which seal protects the kept rules."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk, self._errands = desk, Errands(desk, self)
        self._counts = RuleCounts()
        self._strip = Strip()
        self._changes = ResultLines(_("What would hold"))
        self._list = RulesList()
        self._seal = Label("", "tiny", "faint", wrap=True)
        self._listening = Listening(self)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(self._strip)
        stack.addWidget(line((self._changes, 1), margins=(INSET, 4, INSET, 4)))
        stack.addWidget(self._list)
        stack.addWidget(line((self._seal, 1), margins=(INSET, 6, INSET, 4)))
        self._list.removed.connect(lambda rule: self._errands.spawn(self._remove(rule), "remove a rule"))
        self._list.undone.connect(lambda rule: self._errands.spawn(self._bring_back(rule), "bring a rule back"))
        desk.bridge.attached.connect(self._follow_anew)
        desk.bridge.facts.connect(self._follow)
        self._follow_anew()

    @property
    def _files(self) -> RuleFiles:
        return self._desk.app.rules

    # What is shown

    def _follow_anew(self) -> None:
        self._counts = RuleCounts()
        self._counts.apply(self._desk.bridge.entries)
        opened = self._desk.bridge.opened
        self._listening.end()
        if opened is not None:
            self._listening.begin(self._files.listen(opened.bench.workspace, lambda _rules: self._take()))
        self.show_rules()
        self.look()

    def _take(self) -> None:
        """Show the kept rules as they are now, and let every part of the window judge by them."""
        self.show_rules()
        self._desk.bridge.state_changed.emit()

    def _follow(self, entries: Sequence[Entry]) -> None:
        if self._counts.apply(entries):
            self.show_rules()

    def show_rules(self) -> None:
        """Show the rules in force now, and what is wrong with their files."""
        opened = self._desk.bridge.opened
        session = opened.bench.gatekeeper.rules if opened is not None else RuleSet()
        kept = self._files.rows(opened.bench.workspace) if opened is not None else ()
        self._list.show_rules(rule_rows(session, self._counts.counts, kept))
        self._show_problem(self._files.problem)
        self._show_seal()

    def _show_seal(self) -> None:
        match self._files.seal:
            case "keyring":
                words = _("Kept rules are sealed with a key in the system's keyring: a change from outside is found.")
            case "file":
                words = _("Kept rules are sealed with a key in a file beside them, since there is no keyring: a program that runs as you could forge it.")
            case _:
                words = ""
        self._seal.setText(words)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.look()

    # A file that cannot be used

    def look(self) -> None:
        """Look whether somebody else changed a file of rules meanwhile."""
        self._errands.spawn(self._look(), "look at the rules' files")

    async def _look(self) -> None:
        changed = await self._files.changed()
        if isValid(self):
            self._show_problem(self._files.problem or changed)

    def _show_problem(self, problem: WorkbenchError | None) -> None:
        if problem is None:
            self._strip.clear()
            self._changes.show_lines(())
            return
        actions = [Action(_("Accept"), lambda: self._errands.spawn(self._accept(), "accept the rules' files"))]
        if self._files.problem is not None:
            actions = [
                Action(_("Show what changed"), self._show_changes),
                *actions,
                Action(_("Put back the last known rules"), lambda: self._errands.spawn(self._restore(), "restore the rules' files")),
            ]
        self._strip.tell(tell(problem), "error", actions)

    def _show_changes(self) -> None:
        """Show which rules would hold if the files were accepted as they are."""
        proposed = self._files.proposed()
        if proposed is None:
            lines = [ResultLine("warning", _("The file cannot be read. If you accept, it is set aside, and a new one begins without rules."))]
        elif proposed:
            lines = [ResultLine("nothing", aside(shown_rule(rule), scope_name(rule.scope))) for rule in proposed]
        else:
            lines = [ResultLine("nothing", _("If you accept, no rule holds."))]
        self._changes.show_lines(tuple(lines))

    async def _accept(self) -> None:
        if await self._try(self._files.accept()) is False and isValid(self):
            self._show_changes()  # they say something now that was not shown yet

    async def _restore(self) -> None:
        if await self._try(self._files.restore()) is False:
            self._desk.told.emit(_("There is no copy of the rules to put back."), "warning")

    async def _try(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Do something with the kept rules and show what holds then; None after telling why it could not be done."""
        try:
            done = await work
        except SettingsError as error:
            self._desk.told.emit(tell(error), "error")
            return None
        if isValid(self):
            self.show_rules()
        return done

    # Removing

    async def _remove(self, rule: Rule) -> None:
        opened = self._desk.bridge.opened
        if rule.scope == "session":
            if opened is not None:
                opened.bench.gatekeeper.rules = opened.bench.gatekeeper.rules.without(rule.rule_id)
        elif not await self._try(self._files.remove(rule.rule_id)):
            return
        if isValid(self):
            self._list.tell_removed(rule)
            self.show_rules()
            self._desk.bridge.state_changed.emit()

    async def _bring_back(self, rule: Rule) -> None:
        opened = self._desk.bridge.opened
        if opened is None:
            return
        if rule.scope == "session":
            opened.bench.gatekeeper.rules = opened.bench.gatekeeper.rules.with_rule(rule)
        else:
            await self._try(self._files.keep((rule,), rule.scope, opened.bench.workspace))
        if isValid(self):
            self.show_rules()
            self._desk.bridge.state_changed.emit()


class Listening(QObject):
    """A subscription that ends with the widget it belongs to."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._end: Callable[[], object] | None = None
        owner.destroyed.connect(self.end)

    def begin(self, end: Callable[[], object]) -> None:
        """Hold a subscription, given what ends it."""
        self._end = end

    def end(self) -> None:
        """End it; may be called twice."""
        end, self._end = self._end, None
        if end is not None:
            end()
