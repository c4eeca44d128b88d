"""The kept rules of one project, as a session uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from workbench.errors import WorkbenchError
from workbench.permissions.rules import Rule, RuleSet, Scope
from workbench.settings.rule_file import Project
from workbench.settings.rule_files import RuleFiles


class ProjectRules:
    """Keeps rules for a workspace whose rules were loaded; see `agent.rule_keeping.RuleKeeper`."""

    def __init__(self, files: RuleFiles, workspace: Project) -> None:
        self._files = files
        self._workspace = workspace

    async def keep(self, rules: Sequence[Rule], scope: Scope) -> tuple[Rule, ...]:
        """Keep rules under the ids they have.

        Raises:
            SettingsError: they could not be kept.
        """
        return await self._files.keep(rules, scope, self._workspace)

    def note_use(self, rule_ids: Iterable[str]) -> None:
        """Note that rules decided a call; those of a session are not counted."""
        self._files.note_use(rule_id for rule_id in rule_ids if not rule_id.startswith("session-"))

    async def changed(self) -> WorkbenchError | None:
        """Return what to tell if somebody else changed kept rules."""
        return await self._files.changed()

    def listen(self, listener: Callable[[RuleSet], None]) -> Callable[[], None]:
        """Call `listener` with the project's rules whenever they change through the program."""
        return self._files.listen(self._workspace, listener)

    def notices(self) -> tuple[WorkbenchError, ...]:
        """Return why rules cannot be used, and which of them have no effect."""
        problem = self._files.problem_in(self._workspace)
        return (*((problem,) if problem else ()), *self._files.warnings(self._workspace))
