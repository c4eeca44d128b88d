"""A folder outside may be granted from the dialog: for a session at most, in words that say what it lets through, and with Remove in the list of rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.ui.approval.asked import opened, question, session_in
from tests.ui.approval.test_dialog_session import asks, click, ended, facts
from tests.ui.gui import Gui
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Decided, ToolFinished
from workbench.ui.approval.rule_offers import REACHES, Choice, offers_of, reach_problem
from workbench.ui.approval.subject import no_rule_because
from workbench.ui.settings.rule_rows import rule_rows

GRANT: dict[str, Any] = {"tool": "read", "grant": "/usr/share/doc", "identity": "1:2", "effect": "allow"}


def test_folder_is_offered_although_it_is_outside_and_for_a_session_at_most() -> None:
    asked = question(tool="grep", can_always=True, always=(GRANT,), danger=3)
    (offered,) = offers_of(asked)
    assert (offered.tool, [width.words for width in offered.widths], offered.grants) == ("grep", ["/usr/share/doc, reading only"], True)
    assert no_rule_because(asked) == ""
    reaches = {reach: reach_problem((offered,), reach, "bwrap", command=False) for reach in REACHES}
    assert reaches == {"once": "", "session": "", **dict.fromkeys(("project", "user"), "A folder is granted for a session at most.")}
    choice = Choice.of(asked)
    assert ([width.kept for width in choice.chosen], choice.scope) == ([GRANT], "session")


def test_of_a_more_dangerous_call_or_without_leave_nothing_is_offered() -> None:
    assert offers_of(question(can_always=True, always=(GRANT,), danger=4)) == ()
    assert offers_of(question(can_always=False, always=(GRANT,), danger=3)) == ()
    assert offers_of(question(can_always=True, always=(GRANT, {"tool": "read", "path": "/**", "effect": "allow"}), danger=3)) == ()


async def test_granting_from_the_dialog_lets_the_next_call_pass_until_the_rule_is_removed(gui: Gui, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    for name in ("a.txt", "b.txt", "c.txt"):
        (library / name).write_text(f"text of {name}\n")
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, f"Read {library}/a.txt")
        (requested,) = facts(desk, ApprovalRequested)
        assert [rule["grant"] for rule in requested.always] == [str(library)]
        assert dialog.footer.once.isVisible()
        assert [width.words for width in dialog.strip.choice.chosen] == [f"{library}, reading only"]
        click(gui, dialog, "always")
        await ended(gui, desk)
        (resolved,) = facts(desk, ApprovalResolved)
        assert (resolved.answer, resolved.rules, resolved.scope) == ("approve", requested.always, "session")

        await desk.bridge.send(f"Read {library}/b.txt")
        await ended(gui, desk)
        assert len(facts(desk, ApprovalRequested)) == 1
        assert facts(desk, Decided)[-1].reasons[0].subject == "session-1"
        assert "text of b.txt" in facts(desk, ToolFinished)[-1].result.text()

        assert desk.bridge.opened is not None
        gatekeeper = desk.bridge.opened.bench.gatekeeper
        (row,) = (row for row in rule_rows(gatekeeper.rules, {"session-1": 1}, ()) if row.removable)
        assert (row.effect, row.tool, row.pattern, row.scope, row.uses) == ("allow", "read", f"{library}, reading only", "this session", 1)
        assert row.rule is not None
        gatekeeper.rules = gatekeeper.rules.without(row.rule.rule_id)
        await desk.bridge.send(f"Read {library}/c.txt")
        await gui.until(lambda: desk.bridge.pending)
        await gui.settle()
        await opened(gui, dialog)
        click(gui, dialog, "reject")
        await ended(gui, desk)
        assert "text of c.txt" not in facts(desk, ToolFinished)[-1].result.text()
