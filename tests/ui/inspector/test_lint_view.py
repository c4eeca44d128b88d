"""The Lint side of a request: rules, sentences, repairs side by side, and the ways to the message and the place in the body."""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import Inspected, inspected
from tests.ui.plain_text import assert_plain
from workbench.conversation.checks import Edit, Finding, RefusalExplained, RequestHeld, RequestReleased
from workbench.ui.inspector.requests_model import Column

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "read README.md"}, {"role": "tool", "tool_call_id": "gone", "content": ""}]}).encode()
ORPHAN = Finding(
    rule="chat.orphan-result",
    severity="error",
    pointer="/messages/1",
    message="A result answers no call.",
    fix="Leave it out.",
    edits=(Edit(op="remove", pointer="/messages/1"),),
)
MANY = Finding(rule="chat.many-tools", severity="warning", pointer="/tools", message="<b>21</b> tools are offered.")


def words(at: Inspected) -> list[str]:
    return [label.text() for label in at.tab.lint.findChildren(QLabel) if label.isVisibleTo(at.tab.lint)]


def finding_column(at: Inspected) -> list[str]:
    model = at.tab.table.requests
    return [str(model.index(row, Column.FINDING).data(Qt.ItemDataRole.DisplayRole)) for row in range(model.rowCount())]


async def test_a_finding_is_explained_with_its_repair(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange = await at.open([BODY], findings=(ORPHAN, MANY))
        await at.close(exchange)
        await at.show("lint", exchange)
        await gui.until(lambda: "chat.orphan-result" in words(at))
        shown = words(at)
        assert "A result answers no call. Leave it out." in shown
        assert {"chat.many-tools", "<b>21</b> tools are offered.", "As it is", "Repaired"} <= set(shown)
        before, after = (json.loads(text) for text in shown if text.startswith("["))
        assert [len(before), len(after)] == [2, 1]
        assert finding_column(at) == ["orphan-result +1"]
        assert not at.tab.table.isColumnHidden(Column.FINDING)
        assert_plain(at.tab.lint)


async def test_a_session_without_findings_has_no_column_for_them(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange = await at.exchange([BODY])
        assert at.tab.table.isColumnHidden(Column.FINDING)
        await at.show("lint", exchange)
        assert words(at) == ["No rule of this dialect is broken."]


async def test_what_the_provider_said_stands_beside_the_rule_it_means(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange = await at.open([BODY])
        said = "messages with role 'tool' must be a response"
        await at.close(exchange, status=400, failure="bad_request", error=f"{said} [chat.orphan-result at /messages/1] A result answers no call.")
        at.opened.session.journal.append(RefusalExplained(exchange_id=exchange, findings=(ORPHAN,)))
        await at.flush()
        await at.show("lint", exchange)
        await gui.until(lambda: "What the provider said" in words(at))
        assert said in words(at)
        assert "messages with role 'tool' must be a response" in words(at)
        assert finding_column(at) == ["orphan-result"]


async def test_the_place_in_the_body_is_shown(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange = await at.open([BODY], findings=(ORPHAN,))
        await at.show("lint", exchange)
        await gui.until(lambda: "chat.orphan-result" in words(at))
        await gui.click("Show in the body")
        assert at.tab.parts.chosen == 0
        tree = at.tab.body.tree.rows
        await gui.until(lambda: tree.tree is not None and tree.tree.node(tree.currentIndex()).path == ("messages", 1))


async def test_the_message_of_a_finding_is_shown_among_the_messages(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "read README.md")
        finding = Finding(rule="chat.empty-content", severity="warning", pointer="/messages/0/content", message="It is empty.")
        exchange = await at.open([BODY], findings=(finding,))
        await at.show("lint", exchange)
        await gui.until(lambda: "chat.empty-content" in words(at))
        await gui.click("Show the message")
        await gui.until(lambda: at.inspector.tabs.chosen == 0)
        row = at.inspector.messages.rows.chosen_row
        assert row is not None
        assert row.number == 1
        assert row.message is not None
        assert row.message.text() == "read README.md"


async def test_a_held_request_is_listed_and_what_is_sent_takes_its_place(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        body = at.opened.store.keep_body([BODY])
        journal = at.opened.session.journal
        journal.append(RequestHeld(hold_id="h", turn_id="turn", step=1, findings=(ORPHAN,), mends=True, number=1, model="m", body=body))
        await at.flush()
        at.inspector.show_findings("h")
        await gui.until(lambda: "will be refused" in " ".join(chip.accessibleName() for chip in at.tab.lint.findChildren(type(at.tab.body._masked))))
        model = at.tab.table.requests
        assert str(model.index(0, Column.WHAT).data(Qt.ItemDataRole.DisplayRole)) == "turn 1 · step 1, held back"
        assert not at.tab.body._title().startswith("POST"), "it is on its way nowhere"
        journal.append(RequestReleased(hold_id="h", turn_id="turn", decision="repair"))
        await at.open([BODY], exchange_id="x1", number=1, repaired=("chat.orphan-result",))
        assert model.rowCount() == 1
        assert str(model.index(0, Column.WHAT).data(Qt.ItemDataRole.DisplayRole)) == "turn 1 · step 1, repaired"
        assert finding_column(at) == ["repaired"]
        await gui.until(lambda: "it was repaired before it was sent (chat.orphan-result)" in " ".join(words(at)))
        assert at.tab.table.row is not None
        assert at.tab.table.row.exchange_id == "x1"
