"""A rule that can never have an effect is found, and one that may have one is left alone."""

from __future__ import annotations

import pytest

from workbench.permissions.rule_checks import warning_of
from workbench.permissions.rules import ArgvRule, HostRule, PathRule, Rule, ServerRule, TextRule, ToolRule


def argv(effect: str, text: str) -> Rule:
    return ArgvRule(effect=effect, argv=tuple(text.split()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "rule",
    [
        ToolRule(effect="allow", tool="bash"), ToolRule(effect="allow", tool="edit"), argv("allow", "**"), argv("allow", "* x"),
        PathRule(effect="allow", tool="edit", path=".git/**"), PathRule(effect="allow", tool="write", path="AGENTS.md"),
        PathRule(effect="allow", tool="read", path=".env"), ServerRule(effect="allow", server="s", name="x", definition=""),
    ],
    ids=str,
)  # fmt: skip
def test_floors_stand_above(rule: Rule) -> None:
    assert warning_of(rule)


@pytest.mark.parametrize(
    "rule",
    [
        ToolRule(effect="deny", tool="bash"), ToolRule(effect="allow", tool="task"), argv("allow", "pytest **"), argv("deny", "**"),
        PathRule(effect="deny", tool="edit", path=".git/**"), PathRule(effect="allow", tool="edit", path="src/**"),
        HostRule(effect="allow", tool="webfetch", host="docs.python.org"), TextRule(effect="allow", text="make x"),
    ],
    ids=str,
)  # fmt: skip
def test_others_are_left_alone(rule: Rule) -> None:
    assert warning_of(rule, [rule]) == ""


@pytest.mark.parametrize(
    ("rule", "other", "dead"),
    [
        (argv("allow", "curl x"), argv("deny", "curl **"), True), (argv("allow", "curl **"), argv("deny", "curl x"), False),
        (argv("allow", "curl **"), argv("ask", "curl **"), True), (argv("ask", "curl **"), argv("allow", "**"), False),
        (argv("ask", "curl x"), argv("deny", "**"), True), (argv("deny", "curl x"), argv("deny", "**"), False),
        (argv("allow", "curl **"), argv("deny", "curl *"), False), (argv("allow", "ls"), ToolRule(effect="deny", tool="bash"), True),
        (PathRule(effect="allow", tool="edit", path="a"), ToolRule(effect="ask", tool="edit"), True),
        (PathRule(effect="allow", tool="edit", path="a"), PathRule(effect="deny", tool="edit", path="a", scope="user", rule_id="x"), True),
    ],
)  # fmt: skip
def test_a_rule_is_dead_only_if_a_stricter_one_covers_all_of_it(rule: Rule, other: Rule, dead: bool) -> None:
    assert bool(warning_of(rule, [rule, other])) is dead
