"""A rule that a person adds is in force at once, is kept behind that, and is counted when it decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call
from workbench.conversation.calls import RuleScope
from workbench.conversation.events import Notice
from workbench.errors import SettingsError, WorkbenchError
from workbench.permissions.rules import PathRule, Rule, RuleSet


class Keeper:
    """Keeps rules in memory; `refuses` makes it fail."""

    def __init__(self, *, refuses: bool = False, notices: Sequence[WorkbenchError] = ()) -> None:
        self.kept: list[tuple[Rule, RuleScope]] = []
        self.used: list[str] = []
        self.refuses = refuses
        self.foreign: WorkbenchError | None = None
        self.told = tuple(notices)
        self.listeners: list[Callable[[RuleSet], None]] = []

    async def keep(self, rules: Sequence[Rule], scope: RuleScope) -> None:
        if self.refuses:
            raise SettingsError("The disk is full.", message_id="rules.not_written")
        self.kept += [(rule, scope) for rule in rules]

    def note_use(self, rule_ids: Iterable[str]) -> None:
        self.used += rule_ids

    async def changed(self) -> WorkbenchError | None:
        return self.foreign

    def listen(self, listener: Callable[[RuleSet], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def notices(self) -> tuple[WorkbenchError, ...]:
        return self.told


def notices(d: Dialogue) -> list[str]:
    return [entry.event.text for entry in d.journal.entries if isinstance(entry.event, Notice)]


async def write_and_keep(d: Dialogue, scope: RuleScope) -> None:
    await d.user("write it")
    await d.streams("", call("write", "c1", file_path="src/a.py", content="x = 1\n"))
    question = await d.question()
    d.approve(question, rules=[question.always[1]], scope=scope)
    assert (await d.result()).status == "ok"
    await d.model.asked()


async def test_a_rule_for_the_project_is_kept_and_used_the_next_time(tmp_path: Path) -> None:
    keeper = Keeper()
    async with Dialogue(tmp_path, keeper=keeper) as d:
        await write_and_keep(d, "project")
        await d.streams("", call("write", "c2", file_path="src/b.py", content="y = 1\n"))
        assert (await d.result()).status == "ok"
        await d.model.asked()
        await d.answers("done")
    ((rule, scope),) = keeper.kept
    assert isinstance(rule, PathRule)
    assert (rule.path, rule.scope, scope) == ("src/**", "project", "project")
    assert keeper.used == [rule.rule_id]
    assert not keeper.listeners


async def test_a_rule_for_the_session_is_not_kept(tmp_path: Path) -> None:
    keeper = Keeper()
    async with Dialogue(tmp_path, keeper=keeper) as d:
        await write_and_keep(d, "session")
        await d.answers("done")
        assert [rule.scope for rule in d.gatekeeper.rules.rules] == ["session"]
    assert not keeper.kept


async def test_a_rule_that_cannot_be_kept_holds_for_the_session_and_that_is_told(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, keeper=Keeper(refuses=True)) as d:
        await write_and_keep(d, "user")
        await d.answers("done")
        assert [rule.scope for rule in d.gatekeeper.rules.rules] == ["session"]
        assert notices(d) == ["The disk is full."]


async def test_kept_rules_that_a_person_changes_are_in_force_at_once(tmp_path: Path) -> None:
    keeper = Keeper()
    async with Dialogue(tmp_path, keeper=keeper) as d:
        await write_and_keep(d, "session")
        own = d.gatekeeper.rules.rules
        await d.streams("", call("write", "c2", file_path="docs/b.md", content="y\n"))
        await d.question()
        rule = PathRule(effect="allow", tool="write", path="docs/**", scope="project", rule_id="project-1")
        keeper.listeners[0](RuleSet((rule,)))
        assert (await d.result()).status == "ok"
        assert d.gatekeeper.rules.rules == (rule, *own)
        await d.model.asked()
        await d.answers("done")


async def test_what_is_wrong_with_kept_rules_is_told_once(tmp_path: Path) -> None:
    keeper = Keeper(notices=[SettingsError("The rules are broken.")])
    keeper.foreign = SettingsError("Somebody changed them.")
    async with Dialogue(tmp_path, keeper=keeper) as d:
        for _turn in range(2):
            await d.user("hello")
            await d.answers("hello")
        assert notices(d) == ["The rules are broken.", "Somebody changed them."]


async def test_a_rule_is_not_kept_further_than_its_level_allows(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, keeper=Keeper()) as d:
        await d.user("write it")
        await d.streams("", call("write", "c1", file_path="src/a.py", content="x = 1\n"))
        question = await d.question()
        with pytest.raises(ValueError, match="not offered"):
            d.session.resolve(question.approval_id, "approve", rules=[{"tool": "write", "path": "**", "effect": "allow"}], scope="project")
        with pytest.raises(ValueError, match="approval"):
            d.session.resolve(question.approval_id, "reject", rules=[question.always[0]], scope="project")
        d.reject(question)
        await d.model.asked()
        await d.answers("done")
