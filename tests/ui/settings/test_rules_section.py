"""Rules are listed, filtered, removed and brought back; a file of them that cannot be used says so and is accepted or put back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.ui.gui import Gui
from tests.ui.settings.dialogs import dialog_in, lines_of
from workbench.permissions.rules import ArgvRule, PathRule, RuleSet
from workbench.ui.desk import Desk
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.cells import Table
from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label
from workbench.ui.settings.dialog import SettingsDialog

PYTEST = ArgvRule(effect="allow", argv=("pytest", "**"))
PUSH = ArgvRule(effect="deny", argv=("git", "push", "**"))


def patterns(gui: Gui) -> list[str]:
    """Return what the rules match, but for those built in."""
    model = gui.find("Rules", Table).rows_model
    return [model.cell(row, 2).text for row in range(model.rowCount()) if model.cell(row, 3).text != "built in"]


def in_force(desk: Desk) -> RuleSet:
    assert desk.bridge.opened is not None
    return desk.bridge.opened.bench.gatekeeper.rules


def words(dialog: SettingsDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(Label) if label.isVisible()]


@asynccontextmanager
async def page_with_rules(gui: Gui, folder: Path) -> AsyncIterator[tuple[Desk, SettingsDialog]]:
    """Yield the page with a rule of everywhere, one of the project, and one of the session."""
    async with dialog_in(gui, folder, page="permissions") as (desk, dialog):
        assert desk.bridge.opened is not None
        bench = desk.bridge.opened.bench
        if not desk.app.rules.rows(bench.workspace):
            await desk.app.rules.keep((PUSH,), "user", bench.workspace)
            await desk.app.rules.keep((PYTEST,), "project", bench.workspace)
        bench.gatekeeper.rules = bench.gatekeeper.rules.with_rule(PathRule(effect="allow", tool="edit", path="src/**", rule_id="session-9"))
        desk.bridge.attached.emit()
        await gui.until(lambda: len(patterns(gui)) == 3)
        yield desk, dialog
        dialog.close()


def select(gui: Gui, pattern: str) -> None:
    gui.find("Rules", Table).selectRow(patterns(gui).index(pattern))


async def test_kept_rules_and_those_of_the_session_stand_in_one_list(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path):
        assert patterns(gui) == ["git push …", "src/**", "pytest …"]


async def test_the_list_is_filtered_while_one_types(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path):
        gui.type(gui.find("Filter rules"), "pyt")
        assert patterns(gui) == ["pytest …"]


async def test_a_kept_rule_is_removed_in_the_open_session_too_and_can_be_brought_back(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path) as (desk, dialog):
        select(gui, "pytest …")
        await gui.click("Remove this rule")
        await gui.until(lambda: "pytest …" not in patterns(gui))
        assert in_force(desk).for_argv(("pytest",), "allow") is None
        assert "Removed: Allow bash: pytest …" in words(dialog)
        await gui.click("Undo")
        await gui.until(lambda: "pytest …" in patterns(gui))
        assert in_force(desk).for_argv(("pytest",), "allow") is not None
    async with page_with_rules(gui, tmp_path):
        assert "pytest …" in patterns(gui), "it was written again"


async def test_a_rule_of_the_session_is_removed_with_the_keyboard(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path) as (desk, _dialog):
        select(gui, "src/**")
        gui.keys(gui.find("Rules", Table), "Del")
        await gui.until(lambda: "src/**" not in patterns(gui))
        assert in_force(desk).for_path("edit", "src/a.py", "/x", "allow") is None
        await gui.click("Undo")
        await gui.until(lambda: "src/**" in patterns(gui))


async def test_what_is_built_in_cannot_be_removed(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path):
        table = gui.find("Rules", Table)
        table.selectRow(table.rows_model.rowCount() - 1)
        assert not gui.find("Remove this rule", Button).isEnabled()


async def test_which_key_seals_the_rules_is_said(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path) as (_desk, dialog):
        assert any(text.startswith("Kept rules are sealed with a key in a file beside them") for text in words(dialog))


def tamper(folder: Path) -> None:
    """Add a rule to the file of everywhere, as another program would."""
    path = folder / "data" / "permissions" / "user.json"
    kept = json.loads(path.read_text())
    kept["body"]["rules"].append({"id": "user-77", "made_at": 1.0, "rule": {"tool": "bash", "argv": ["curl", "**"], "effect": "allow"}})
    path.write_text(json.dumps(kept))


async def test_a_changed_file_is_refused_shown_and_accepted(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path):
        pass
    tamper(tmp_path)
    async with dialog_in(gui, tmp_path, page="permissions") as (desk, dialog):
        await gui.until(lambda: any("cannot be used: its seal does not hold" in text for text in words(dialog)))
        assert in_force(desk).broken
        assert "git push …" not in patterns(gui)
        await gui.click("Show what changed")
        shown = [line.sentence for line in lines_of(gui, "What would hold")]
        assert shown == ["Deny bash: git push … (everywhere)", "Allow bash: curl … (everywhere)"]
        await gui.click("Accept")
        await gui.until(lambda: "curl …" in patterns(gui))
        assert not in_force(desk).broken
        assert not any("cannot be used" in text for text in words(dialog))


async def test_the_last_known_rules_are_put_back(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path):
        pass
    tamper(tmp_path)
    async with dialog_in(gui, tmp_path, page="permissions") as (desk, dialog):
        assert any("in mode “Read only”" in text for text in words(dialog))
        await gui.click("Put back the last known rules")
        await gui.until(lambda: patterns(gui) == ["git push …", "pytest …"])
        assert not in_force(desk).broken
        assert any("in mode “Ask”" in text for text in words(dialog)), "commands are tried by what holds now"


async def test_a_file_that_cannot_be_read_would_begin_anew(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path):
        pass
    (tmp_path / "data" / "permissions" / "user.json").write_text("{half")
    async with dialog_in(gui, tmp_path, page="permissions") as (_desk, _dialog):
        await gui.click("Show what changed")
        assert [line.outcome for line in lines_of(gui, "What would hold")] == ["warning"]
        await gui.click("Accept")
        await gui.until(lambda: patterns(gui) == ["pytest …"])


async def test_a_file_that_changes_while_it_is_open_is_shown_and_not_applied(gui: Gui, tmp_path: Path) -> None:
    async with page_with_rules(gui, tmp_path) as (desk, dialog):
        tamper(tmp_path)
        desk.bridge.attached.emit()
        await gui.until(lambda: any("were changed outside of this program" in text for text in words(dialog)))
        assert in_force(desk).for_argv(("curl",), "allow") is None


async def test_rules_of_the_repository_tighten_and_say_whose_they_are(gui: Gui, tmp_path: Path) -> None:
    (tmp_path / "ws" / ".workbench").mkdir(parents=True)
    rules = [{"tool": "bash", "argv": ["make", "**"], "effect": "deny"}, {"tool": "bash", "argv": ["ls"], "effect": "allow"}]
    (tmp_path / "ws" / ".workbench" / "permissions.json").write_text(json.dumps({"rules": rules}))
    async with dialog_in(gui, tmp_path, page="permissions") as (_desk, _dialog):
        await gui.until(lambda: patterns(gui) == ["make …"])
        assert gui.find("Rules", Table).rows_model.cell(0, 3).text == "this project's files"
        assert isinstance(gui.find("Filter rules").parentWidget(), Field)
