"""All rules stand in one list: what refuses first, each with its origin, its uses, and what is wrong with it."""

from __future__ import annotations

import time

from workbench.permissions.rules import ArgvRule, PathRule, RuleSet, ServerRule
from workbench.settings.rule_files import KeptRule
from workbench.ui.settings.rule_rows import filtered, origin_words, rule_rows, shown_rule, so_far

PUSH = ArgvRule(effect="deny", argv=("git", "push", "**"), scope="user", rule_id="user-1")
PYTEST = ArgvRule(effect="allow", argv=("pytest", "**"), scope="project", rule_id="project-1")
CSV = PathRule(effect="ask", tool="read", path="**/*.csv", scope="project", rule_id="workbench.toml:1")
OWN = PathRule(effect="allow", tool="edit", path="src/**", scope="session", rule_id="session-1")
TOOL = ServerRule(effect="allow", server="files", name="search", definition="sha256:1", scope="project", rule_id="project-2")
NOW = time.time()
KEPT = (
    KeptRule(rule=PYTEST, source="person", uses=31, used_at=NOW),
    KeptRule(rule=PUSH, source="person"),
    KeptRule(rule=CSV, source="repository"),
    KeptRule(rule=TOOL, source="person", expired="The server has changed this tool."),
)
ROWS = rule_rows(RuleSet((OWN, PYTEST)), {"session-1": 2}, KEPT)


def test_what_refuses_stands_before_what_asks_and_what_is_built_in_last() -> None:
    assert [(row.effect, row.tool, row.pattern) for row in ROWS[:5]] == [
        ("deny", "bash", "git push …"), ("ask", "read", "**/*.csv"), ("allow", "edit", "src/**"), ("allow", "bash", "pytest …"), ("allow", "files", "search"),
    ]  # fmt: skip
    assert {row.origin for row in ROWS[5:]} == {"built_in"}


def test_each_tells_its_origin_and_its_uses() -> None:
    told = {row.pattern: (origin_words(row), so_far(row).partition(", ")[0]) for row in ROWS[:5]}
    assert told["src/**"] == ("this session", "2 calls")
    assert told["pytest …"] == ("this project", "31 calls")
    assert told["git push …"] == ("everywhere", "not used yet")
    assert told["**/*.csv"] == ("this project's files", "not used yet")


def test_what_matches_nothing_any_more_says_why() -> None:
    assert ROWS[4].problem == "The server has changed this tool."


def test_only_what_a_person_made_can_be_removed() -> None:
    assert [row.pattern for row in ROWS if row.removable] == ["git push …", "src/**", "pytest …", "search"]


def test_every_typed_word_must_stand_in_a_row() -> None:
    assert [row.pattern for row in filtered(ROWS, "ALLOW project py")] == ["pytest …"]
    assert [row.pattern for row in filtered(ROWS, "everywhere")] == ["git push …"]
    assert filtered(ROWS, "no such") == ()
    assert filtered(ROWS, " ") == ROWS


def test_a_rule_in_one_line_hides_no_character() -> None:
    assert shown_rule(ArgvRule(effect="allow", argv=("make", "a\u202eb"))) == "Allow bash: make a⟨U+202E⟩b"
