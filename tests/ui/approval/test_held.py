"""How a call would be held is told by what the approval grants and by what holds commands here."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.approval.asked import bash, part, question
from workbench.conversation.calls import Preview, Reason, Target
from workbench.ui.approval.held import further_grant, further_title, held_look, is_further


@pytest.mark.parametrize(
    ("confinement", "rung", "words", "tone"),
    [
        ("confined", "bwrap", "Confined: this folder only, no network", "ok"),
        ("confined", "seatbelt", "Confined: this folder only, no network", "ok"),
        ("confined", "landlock", "Partly confined", "wait"),
        ("confined", "none", "With all your rights", "fail"),
        ("network", "bwrap", "This folder, with network", "level3"),
        ("unconfined", "bwrap", "With all your rights", "fail"),
        ("", "bwrap", "With all your rights", "fail"),
    ],
)
def test_a_command_says_how_it_would_be_held(confinement: Any, rung: Any, words: str, tone: str) -> None:
    look = held_look(bash(part("x"), confinement=confinement), rung)
    assert look is not None
    assert (look.words, look.tone) == (words, tone)
    assert look.sentence.endswith(".")


def test_a_file_tool_is_kept_to_the_folder_unless_it_leads_outside() -> None:
    inside = held_look(question(targets=(Target(kind="path", name="/ws/a", access="write"),)), "none")
    assert inside is not None
    assert (inside.words, inside.tone) == ("This folder only", "ok")
    assert held_look(question(targets=(Target(kind="path", name="/etc/a", access="write", outside=True),)), "bwrap") is None
    assert held_look(question(preview=Preview(kind="none", title="example.org"), tool="webfetch"), "bwrap") is None


@pytest.mark.parametrize(
    ("confinement", "title", "grant"), [("network", "with network", "with the network"), ("unconfined", "not confined", "all your rights")]
)
def test_a_further_question_says_what_yes_grants(confinement: Any, title: str, grant: str) -> None:
    stopped = Reason(code="sandbox.stopped", text="The sandbox stopped it.")
    asked = bash(part("x"), reasons=(stopped,), confinement=confinement)
    assert is_further(asked)
    assert not is_further(bash(part("x")))
    assert title in further_title(asked)
    assert grant in further_grant(asked)
