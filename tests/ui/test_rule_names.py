"""Rules are named by their scope and id, those of a repository by their file; anything else is no rule."""

from __future__ import annotations

import pytest

from workbench.ui.rule_names import EFFECT_LOOKS, rule_origin, scope_name


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
