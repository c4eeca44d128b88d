"""Each state of confinement has its own words, icon and tone: never the colour alone."""

from __future__ import annotations

from typing import get_args

from workbench.permissions.modes import Rung
from workbench.ui.confinement_words import held_aside, held_words, rung_look, rung_name
from workbench.ui.confinement_words import testing_look as look_while_tested

RUNGS: tuple[Rung, ...] = get_args(Rung)


def test_states_differ_in_words_icon_and_tone() -> None:
    looks = {(look.words, look.icon, look.tone) for look in (*map(rung_look, RUNGS), look_while_tested())}
    assert len(looks) == 4, "bubblewrap and sandbox-exec hold alike"
    assert [rung_look(rung).outline for rung in RUNGS] == [False, False, False, True]
    assert all(look.sentence.endswith(".") for look in map(rung_look, RUNGS))


def test_not_confined_promises_no_more_than_is_so() -> None:
    assert rung_look("none").words == "Not confined: every command that may change something asks"
    assert rung_name("none") == ""


def test_a_command_that_was_not_noted_says_nothing() -> None:
    assert held_words("") == held_aside("") == ""
    assert {held_aside("confined"), held_aside("network"), held_aside("unconfined")} == {"sandbox on", "sandbox on, with network", "no sandbox"}
