"""A plan becomes an action, a workspace becomes roots, and a digest changes with everything that makes a plan what it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.agent.tools import Probe
from workbench.agent.gatekeeper import Gatekeeper, action_of, digest_of, fact_parts, fact_reasons, paths_of, roots_of
from workbench.conversation.calls import Target
from workbench.conversation.messages import ToolCallPart
from workbench.permissions.gate import Action
from workbench.permissions.modes import GateFacts
from workbench.permissions.rules import ArgvRule, RuleSet, TextRule
from workbench.tools.base import Plan
from workbench.workspace.paths import open_workspace

CALL = ToolCallPart(call_id="c1", name="probe", arguments_raw="{}", repaired=True)
PLAN = Plan(
    tool="bash",
    arguments={"command": "ls", "workdir": "src"},
    targets=(Target(kind="command", name="ls", access="run"), Target(kind="path", name="/ws/src", access="read")),
    command="ls",
    base_hashes={"/ws/a": "00"},
)


def test_action_carries_what_the_gate_judges() -> None:
    action = action_of(Probe("probe", "exec"), PLAN, CALL, repeats=3, edited=False)
    assert (action.tool_class, action.command, action.workdir, action.repaired, action.repeats) == ("exec", "ls", "/ws/src", True, 3)
    assert [(touch.kind, touch.access) for touch in action.touches] == [("command", "run"), ("path", "read")]
    edited = action_of(Probe("probe", "exec"), PLAN, CALL, repeats=3, edited=True)
    assert (edited.repaired, edited.repeats) == (False, 1)


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAN, tool="write"),
        replace(PLAN, command="ls -a"),
        replace(PLAN, arguments={"command": "ls"}),
        replace(PLAN, targets=PLAN.targets[:1]),
        replace(PLAN, base_hashes={"/ws/a": "01"}),
        replace(PLAN, base_hashes={"/ws/a": None}),
    ],
    ids=["tool", "command", "arguments", "targets", "hash", "absent"],
)
def test_digest_changes_with_the_plan(other: Plan) -> None:
    assert digest_of(other) != digest_of(PLAN)
    assert digest_of(replace(PLAN, notices=("x",), payload=object())) == digest_of(PLAN)


def test_roots_of_a_workspace(tmp_path: Path) -> None:
    for name in ("ws", "lib", "data", "outputs"):
        (tmp_path / name).mkdir()
    workspace = open_workspace(tmp_path / "ws", home=tmp_path / "home").granting(tmp_path / "lib", writable=False)
    roots = roots_of(workspace, data_folder=tmp_path / "data", outputs=tmp_path / "outputs")
    assert (roots.workspace.path, roots.workspace.writable) == (str(tmp_path / "ws"), True)
    assert [(root.path, root.writable) for root in roots.extra] == [(str(tmp_path / "lib"), False)]
    assert (roots.data_folder, roots.outputs, roots.home) == (str(tmp_path / "data"), (str(tmp_path / "outputs"),), str(tmp_path / "home"))


async def test_judging_gives_facts(tmp_path: Path) -> None:
    gatekeeper = Gatekeeper(roots=roots_of(open_workspace(tmp_path, home=Path("/home/u"))))
    plan = replace(PLAN, command="ls; rm -rf x", targets=(Target(kind="path", name=str(tmp_path), access="read"),))
    decision = await gatekeeper.judge(action_of(Probe("probe", "exec"), plan, CALL, repeats=1, edited=True))
    assert decision == gatekeeper.decide(action_of(Probe("probe", "exec"), plan, CALL, repeats=1, edited=True))
    assert [part.text for part in fact_parts(decision)] == ["ls", "rm -rf x"]
    assert fact_parts(decision)[1].danger == 4
    assert fact_reasons(decision.reasons)[0].code == "shell.destroys"


def test_paths_are_parted_by_what_is_done_to_them() -> None:
    targets = (
        Target(kind="path", name="/a", access="write"),
        Target(kind="path", name="/b", access="read"),
        Target(kind="path", name="/c", access="delete"),
        Target(kind="host", name="h", access="reach"),
    )
    assert paths_of(targets, changing=True) == {"/a", "/c"}
    assert paths_of(targets, changing=False) == {"/b"}


def test_rules_of_the_session_are_numbered_and_kept_ones_are_unlike_any_other(tmp_path: Path) -> None:
    gatekeeper = Gatekeeper(roots=roots_of(open_workspace(tmp_path, home=Path("/home/u"))))
    rule = {"tool": "edit", "path": "src/**", "effect": "allow"}
    made = [*gatekeeper.add([rule, rule], "session"), *gatekeeper.add([rule], "project"), *gatekeeper.add([rule], "session")]
    assert [one.rule_id for one in made if one.scope == "session"] == ["session-1", "session-2", "session-3"]
    assert len({one.rule_id for one in made}) == 4
    gatekeeper.renew(RuleSet())
    assert [one.scope for one in gatekeeper.rules.rules] == ["session"] * 3


@pytest.mark.parametrize(("scope", "rung", "outcome"), [("project", "bwrap", "allow"), ("project", "landlock", "allow"), ("project", "none", "ask"),
                                                        ("user", "none", "ask"), ("session", "none", "allow")])  # fmt: skip
async def test_a_kept_rule_lets_nothing_run_without_the_sandbox_it_was_kept_for(tmp_path: Path, scope: Any, rung: Any, outcome: str) -> None:
    """Where nothing holds commands, rules are offered for the session alone; those kept where something did are not for here."""

    async def known() -> GateFacts:
        return GateFacts(rung=rung, unconfined_because="")

    workspace = open_workspace(tmp_path)
    by_words, by_text = ArgvRule(effect="allow", argv=("pytest", "**"), scope=scope), TextRule(effect="allow", text="pytest -q", scope=scope)
    for allow in (by_words, by_text):
        refuse = ArgvRule(effect="deny", argv=("curl", "**"), scope=scope, rule_id="d")
        keeper = Gatekeeper(roots=roots_of(workspace), rules=RuleSet((allow, refuse)), know=known)
        action = Action(tool="bash", tool_class="exec", command="pytest -q", workdir=str(workspace.path))
        decision = await keeper.judge(action)
        assert (decision.outcome, decision.confinement) == (outcome, "unconfined" if rung == "none" else "confined")
        assert (await keeper.judge(replace(action, command="curl x"))).outcome == "deny"
