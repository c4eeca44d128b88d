"""Every mode has a sentence for every kind of tool, and what is not known has none."""

from __future__ import annotations

import pytest

from workbench.permissions.modes import MODES, GateFacts, Mode, default_for, effective_mode, mode_available
from workbench.permissions.rules import RuleSet

KINDS = ("none", "read", "edit", "exec", "task", "net_read", "net_write", "mcp")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", KINDS)
def test_default_is_said_in_a_sentence(kind: str, mode: Mode) -> None:
    reason = default_for(kind, mode)
    assert reason is not None
    assert reason.code == f"mode.{reason.outcome}"
    assert reason.text.endswith(".")


def test_unknown_kind_has_no_default() -> None:
    assert default_for("magic", "ask") is None


def test_mode_in_use_is_never_laxer_than_the_one_chosen() -> None:
    broken = RuleSet(broken="line 3")
    assert {effective_mode(mode, broken, GateFacts(rung="bwrap")) for mode in MODES} == {"read_only"}
    assert effective_mode("auto", RuleSet(), GateFacts()) == "accept_edits"
    assert effective_mode("auto", RuleSet(), GateFacts(rung="bwrap")) == "auto"
    assert all(mode_available(mode) is None for mode in MODES if mode != "auto")
