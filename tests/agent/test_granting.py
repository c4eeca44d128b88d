"""A folder granted in a session: its next calls read there unasked, through the folder that was granted, until the rule is removed or the session ends."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.agent.dialogue import Dialogue, results_of
from tests.agent.scripted_model import call
from workbench.agent.gatekeeper import Gatekeeper
from workbench.agent.granting import workspace_for
from workbench.conversation.calls import RuleScope
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Decided, ToolFinished
from workbench.permissions.rules import GrantRule
from workbench.tools.base import Tool


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("alpha line\n")
    (folder / "deep" / "b.txt").write_text("beta line\n")
    (folder / ".env").write_text("KEY=very-secret-value\n")
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "c.txt").write_text("gamma line\n")
    (folder / "out").symlink_to(tmp_path / "beside")
    return folder


async def asked_or_done(d: Dialogue) -> ApprovalRequested | ToolFinished:
    event = (await d.until(lambda entry: isinstance(entry.event, ApprovalRequested | ToolFinished))).event
    assert isinstance(event, ApprovalRequested | ToolFinished)
    return event


async def granted(d: Dialogue, path: Path) -> GrantRule:
    """Let the model read a file and grant its folder; the model has its answer then."""
    await d.user("Read")
    await d.streams("", call("read", "c1", file_path=str(path)))
    question = await d.question()
    assert len(question.always) == 1
    d.approve(question, rules=question.always)
    assert (await d.result()).status == "ok"
    await d.model.asked()
    (rule,) = d.gatekeeper.rules.rules
    assert isinstance(rule, GrantRule)
    return rule


async def test_question_offers_the_folder_and_the_grant_lets_later_calls_read_there(tmp_path: Path, library: Path) -> None:
    async with Dialogue(tmp_path) as d:
        rule = await granted(d, library / "a.txt")
        status = os.stat(library)  # noqa: PTH116
        (question,) = d.facts(ApprovalRequested)
        expected = {"tool": "read", "grant": str(library), "identity": f"{status.st_dev}:{status.st_ino}", "effect": "allow"}
        assert (question.can_always, question.always, question.danger) == (True, (expected,), 3)
        (resolved,) = d.facts(ApprovalResolved)
        assert (resolved.rules, resolved.scope, rule.rule_id) == ((expected,), "session", "session-1")

        name = str(library)
        calls = [
            call("read", "c2", file_path=f"{name}/deep/b.txt"), call("list", "c3", path=name), call("glob", "c4", pattern="**/*.txt", path=name),
            call("grep", "c5", pattern="beta", path=name),
        ]  # fmt: skip
        await d.streams("", *calls)
        results = results_of(await d.model.asked())
        assert [word in text for word, text in zip(("beta line", "a.txt", "deep/b.txt", "b.txt"), results, strict=True)] == [True] * 4, results
        assert not any("gamma" in text or "c.txt" in text for text in results), "links that leave are not followed"
        assert len(d.facts(ApprovalRequested)) == 1
        for decided in d.facts(Decided)[1:]:
            assert (decided.outcome, decided.outside, decided.reasons[0].code, decided.reasons[0].subject) == ("allow", True, "rule.allow", "session-1")
            assert decided.reasons[0].text == f"A grant allows it: {name}, reading only."
            assert [target.outside for target in decided.targets] == [False], "the tool works below a root"
        await d.answers("Done.")
        assert d.context.workspace.extra == ()


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {"file_path": "{library}/.env"}), ("read", {"file_path": "{library}/out/c.txt"}), ("read", {"file_path": "{library}/../beside/c.txt"}),
        ("list", {"path": "{library}/out"}), ("write", {"file_path": "{library}/new.txt", "content": "x"}),
        ("write", {"file_path": "{library}/a.txt", "content": "x"}), ("edit", {"file_path": "{library}/a.txt", "old_string": "alpha", "new_string": "x"}),
        ("bash", {"command": "cat {library}/a.txt", "description": "look"}), ("bash", {"command": "ls", "description": "look", "workdir": "{library}"}),
        ("bash", {"command": "echo x > {library}/a.txt", "description": "write"}),
    ],
)  # fmt: skip
async def test_grant_lets_nothing_else_pass(tmp_path: Path, library: Path, tool: str, arguments: dict[str, str]) -> None:
    async with Dialogue(tmp_path, mode="accept_edits") as d:
        await granted(d, library / "a.txt")
        given: dict[str, Any] = {name: text.format(library=library) for name, text in arguments.items()}
        await d.streams("", call(tool, "c2", **given))
        told = await asked_or_done(d)
        if isinstance(told, ApprovalRequested):
            assert not any("grant" in rule for rule in told.always) or "beside" in str(told.always)
            assert told.danger == (4 if tool in {"write", "edit"} else 3)
            d.reject(told)
        else:
            assert told.status != "ok"
        assert "very-secret-value" not in str(results_of(await d.model.asked()))
        await d.answers("Done.")
    assert (library / "a.txt").read_text() == "alpha line\n"
    assert not (library / "new.txt").exists()


async def test_search_in_a_granted_folder_shows_no_line_of_a_secret_file_and_a_link_into_it_leads_there(tmp_path: Path, library: Path) -> None:
    async with Dialogue(tmp_path) as d:
        (d.folder / "l").symlink_to(library)
        await granted(d, library / "a.txt")
        searches = call("grep", "c2", pattern="KEY", path=str(library)), call("grep", "c3", pattern="KEY", path="l")
        await d.streams("", *searches, call("read", "c4", file_path="l/a.txt"))
        results = results_of(await d.model.asked())
        assert not any("very-secret-value" in text for text in results)
        assert [".env" in text for text in results] == [True, True, False]
        assert "alpha line" in results[2]
        assert len(d.facts(ApprovalRequested)) == 1
        await d.answers("Done.")


async def test_other_open_question_of_the_folder_is_answered_by_the_grant(tmp_path: Path, library: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Read")
        reads = call("read", "c1", file_path=f"{library}/a.txt"), call("read", "c3", file_path="../beside/c.txt")
        await d.streams("", reads[0], call("list", "c2", path=f"{library}/deep"), reads[1])
        first, second, third = await d.question(), await d.question(), await d.question()
        assert [rule["grant"] for question in (first, second, third) for rule in question.always] == [
            str(library), str(library / "deep"), str(tmp_path / "beside"),
        ]  # fmt: skip
        d.approve(first, rules=first.always)
        assert [open_.approval_id for open_ in d.session.pending] == [third.approval_id]
        d.reject(third)
        results = results_of(await d.model.asked())
        assert "alpha line" in results[0]
        assert "b.txt" in results[1]
        assert "gamma" not in results[2]
        await d.answers("Done.")


async def test_removed_grant_holds_no_more(tmp_path: Path, library: Path) -> None:
    async with Dialogue(tmp_path) as d:
        rule = await granted(d, library / "a.txt")
        d.gatekeeper.rules = d.gatekeeper.rules.without(rule.rule_id)
        await d.streams("", call("read", "c2", file_path=f"{library}/deep/b.txt"))
        question = await d.question()
        assert [target.outside for target in question.targets] == [True]
        d.reject(question)
        await d.model.asked()
        d.gatekeeper.rules = d.gatekeeper.rules.with_rule(rule)
        await d.streams("", call("read", "c3", file_path=f"{library}/deep/b.txt"))
        assert "beta line" in results_of(await d.model.asked())[0]
        await d.answers("Done.")


async def test_folder_that_took_the_place_of_the_granted_one_asks(tmp_path: Path, library: Path) -> None:
    async with Dialogue(tmp_path, files={"own.txt": "own\n"}) as d:
        await granted(d, library / "a.txt")
        _replace(library)
        await d.streams("", call("read", "c2", file_path=f"{library}/a.txt"), call("read", "c3", file_path="own.txt"))
        d.reject(await d.question())
        results = results_of(await d.model.asked())
        assert "omega" not in results[0]
        assert "own" in results[1], "a grant that holds no more disturbs nothing"
        await d.answers("Done.")


def _replace(library: Path) -> None:
    library.rename(library.with_name("moved"))
    library.mkdir()
    (library / "a.txt").write_text("omega\n")


@pytest.mark.parametrize("scope", ["project", "user"])
async def test_grant_holds_for_a_session_only(tmp_path: Path, library: Path, scope: RuleScope) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Read")
        await d.streams("", call("read", "c1", file_path=f"{library}/a.txt"))
        question = await d.question()
        with pytest.raises(ValueError, match=scope):
            d.approve(question, rules=question.always, scope=scope)
        with pytest.raises(ValueError, match="not offered"):
            d.approve(question, rules=[{**question.always[0], "grant": "/"}])
        d.approve(question)
        await d.model.asked()
        assert d.gatekeeper.rules.rules == (), "allowed once, nothing is granted"
        await d.streams("", call("read", "c2", file_path=f"{library}/deep/b.txt"))
        d.reject(await d.question())
        await d.model.asked()
        await d.answers("Done.")
    async with Dialogue(tmp_path / "again", entries=d.journal.entries) as resumed:
        assert resumed.gatekeeper.rules.rules == ()


async def test_resumed_session_begins_without_grants(tmp_path: Path, library: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await granted(d, library / "a.txt")
        await d.answers("Done.")
    async with Dialogue(tmp_path, entries=d.journal.entries) as resumed:
        await resumed.user("Again")
        await resumed.streams("", call("read", "c9", file_path=f"{library}/a.txt"))
        resumed.reject(await resumed.question())
        await resumed.model.asked()
        await resumed.answers("Done.")


async def test_only_tools_that_read_get_granted_folders_as_roots(tmp_path: Path, library: Path) -> None:
    async with Dialogue(tmp_path) as d:
        rule = await granted(d, library / "a.txt")
        harness = d.session._harness
        roots: dict[str, Any] = {}
        for name in harness._registry.names():
            tool = harness._registry.get(name)
            assert tool is not None
            roots[name] = (tool.tool_class, await _extra(tool, d, d.gatekeeper))
        for name, (tool_class, extra) in roots.items():
            assert extra == ([(library, False)] if tool_class == "read" else []), name
        read = harness._registry.get("read")
        assert read is not None
        forged = replace(d.gatekeeper, rules=replace(d.gatekeeper.rules, rules=(replace(rule, identity="1:1"), replace(rule, folder="/"))))
        assert await _extra(read, d, forged) == []
        await d.answers("Done.")


async def _extra(tool: Tool, d: Dialogue, gatekeeper: Gatekeeper) -> list[tuple[Path, bool]]:
    return [(root.path, root.writable) for root in (await workspace_for(tool, d.context.workspace, gatekeeper)).extra]
