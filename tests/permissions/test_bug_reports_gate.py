"""Reported faults of other programs' permission systems: what their rules let slip, and what ours must say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.permissions.trees import fixture_disk, fixture_roots
from workbench.permissions.gate import Action, Decision, decide
from workbench.permissions.modes import GateFacts, Mode
from workbench.permissions.rules import ArgvRule, Effect, RuleSet

CASES = {case["id"]: case for case in map(json.loads, (Path(__file__).parents[1] / "cases/bug_reports_gate.jsonl").read_text().splitlines())}
READS_ONLY = {"git status; id", "git status\nid", "git log | head -5"}
"""Understood and reading only, so they run without a rule, as the policy of the command cases says (I062, I120): no rule was slipped."""


def judged(command: str, rules: RuleSet, mode: Mode = "ask") -> Decision:
    action = Action(tool="bash", tool_class="exec", command=command)
    return decide(action, mode=mode, rules=rules, roots=fixture_roots(), disk=fixture_disk(), facts=GateFacts(rung="bwrap"))


def rule(effect: Effect, pattern: str) -> ArgvRule:
    return ArgvRule(effect=effect, argv=tuple({"*": "**"}.get(word, word) for word in pattern.split()), rule_id=pattern)


def calls(name: str) -> list[Any]:
    case = CASES[name]["input"]
    expected = CASES[name]["expect"]["decisions"]
    return [pytest.param(case, call["command"], outcome, id=call["command"]) for call, outcome in zip(case["calls"], expected, strict=True)]


@pytest.mark.parametrize(("case", "command", "outcome"), [*calls("allow-rule-chained"), *calls("deny-rule-wrapped")])
def test_rule_is_slipped_by_no_spelling(case: dict[str, Any], command: str, outcome: str) -> None:
    rules = RuleSet(tuple(rule(one["effect"], one["pattern"]) for one in case["rules"]))
    decision = judged(command, rules, case["mode"])
    assert decision.outcome == ("allow" if command in READS_ONLY else outcome), decision.reasons


def test_grant_of_a_session_is_gone_in_another_and_loses_to_a_refusal() -> None:
    """The reported fault always-scope; ``git push`` itself is never granted lastingly here, so an ordinary command stands for it."""
    command = "npm run build"
    granted = RuleSet().with_rule(rule("allow", command))
    assert judged(command, RuleSet()).outcome == "ask"
    assert judged(command, granted).outcome == "allow"
    assert judged(command, granted.with_rule(rule("deny", "npm run *"))).outcome == "deny"
    assert not judged("git push origin main", RuleSet()).can_always
    assert judged("git push origin main", RuleSet().with_rule(rule("allow", "git push *"))).outcome == "ask"
