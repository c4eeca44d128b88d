"""Rules are named by their scope and id, those of a repository by their file; anything else is no rule."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench import words
from workbench.permissions.rules import ArgvRule, GrantRule, HostRule, PathRule, Rule, TextRule, ToolRule, rule_text
from workbench.ui.rule_names import EFFECT_LOOKS, rule_name, rule_origin, scope_name


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    words.choose_language("en", {})


@pytest.mark.parametrize(
    ("rule_id", "name"),
    [
        ("project-3f9a12cd", "project rule 3f9a12cd"),
        ("session-2", "session rule 2"),
        ("user-7", "rule 7 of everywhere"),
        ("workbench.toml:2", "rule 2 of workbench.toml"),
        (".workbench/permissions.json:11", "rule 11 of .workbench/permissions.json"),
        ("git push origin main", ""),
        ("", ""),
        ("/etc/passwd", ""),
        ("project-\u202e", ""),
    ],
)
def test_an_id_becomes_a_name(rule_id: str, name: str) -> None:
    assert rule_origin(rule_id) == name


def test_scopes_and_effects_are_told_apart() -> None:
    assert len({scope_name("session"), scope_name("project"), scope_name("user")}) == 3
    assert len({icon for icon, _token in EFFECT_LOOKS.values()}) == 3


@pytest.mark.parametrize(
    ("rule", "chinese"),
    [
        (TextRule(effect="allow", text="echo a: b; make x"), "bash: 完全等于 echo a: b; make x"),
        (TextRule(effect="allow", text="rm does not exist."), "bash: 完全等于 rm does not exist."),
        (TextRule(effect="allow", text="awk {subject} {0}"), "bash: 完全等于 awk {subject} {0}"),
        (ArgvRule(effect="allow", argv=("echo", "does", "not", "exist.")), "bash: echo does not exist."),
        (ArgvRule(effect="allow", argv=("npm", "run", "lint", "**")), "bash: npm run lint …"),
        (PathRule(effect="allow", tool="edit", path="every call"), "edit: every call"),
        (HostRule(effect="allow", tool="webfetch", host="a.org"), "webfetch: a.org"),
        (ToolRule(effect="deny", tool="bash"), "bash: 每个调用"),
        (GrantRule(effect="allow", folder="/srv/data", identity="1:2"), "read: /srv/data，只读"),
    ],
)
def test_a_rule_is_told_in_either_language_and_what_it_matches_stays_exact(rule: Rule, chinese: str) -> None:
    assert rule_name(rule) == rule_text(rule)
    words.choose_language("zh_CN")
    assert rule_name(rule) == chinese
