"""Held requests at a terminal: what is shown, and what each letter decides."""

from __future__ import annotations

import asyncio
import os
import pty
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from workbench.cli import terminal as terminal_module
from workbench.cli.held import ask_held, show_held, told_decision
from workbench.cli.terminal import Terminal
from workbench.conversation.checks import Edit, Finding, ReleaseDecision, RequestHeld

MENDABLE = Finding(
    rule="chat.call-name",
    severity="error",
    pointer="/messages/2",
    message="The called name 'a\u202eb' is wrong.",
    fix="Replace it.",
    edits=(Edit(op="remove", pointer="/messages/2"),),
)
HELD = RequestHeld(hold_id="hold_1", turn_id="t", step=1, findings=(MENDABLE,), mends=True)
HOPELESS = RequestHeld(
    hold_id="hold_2", turn_id="t", step=1, findings=(Finding(rule="chat.role", severity="error", pointer="", message="It is wrong."),), mends=False
)


class Holding:
    """Holds one request and notes what was decided."""

    def __init__(self, held: RequestHeld | None) -> None:
        self.held = held
        self.decisions: list[ReleaseDecision] = []

    def release(self, hold_id: str, decision: ReleaseDecision) -> bool:
        assert self.held is not None
        assert hold_id == self.held.hold_id
        self.decisions.append(decision)
        return True


@contextmanager
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Terminal, int]]:
    """Return a terminal and the end at which a person types."""
    monkeypatch.setattr(terminal_module, "GUARD_S", 0.0)
    person, program = pty.openpty()
    with os.fdopen(program, "r", encoding="utf-8") as stream:
        try:
            yield Terminal(stream), person
        finally:
            os.close(person)


async def decided(held: RequestHeld, monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[ReleaseDecision]:
    session = Holding(held)
    with typing(monkeypatch) as (terminal, person):
        asked = 0
        real = terminal.read_line

        async def read_line(prompt: str) -> str | None:
            nonlocal asked
            os.write(person, f"{lines[asked]}\n".encode())
            asked += 1
            return await real(prompt)

        monkeypatch.setattr(terminal, "read_line", read_line)
        await asyncio.wait_for(ask_held(session, terminal, held), 10)
        assert asked == len(lines)
    return session.decisions


@pytest.mark.parametrize(
    ("lines", "expected"), [(("r",), "repair"), (("S",), "send"), (("x",), "stop"), (("", "y", "repair"), "repair"), (("stop",), "stop")]
)
async def test_the_first_letter_decides(lines: tuple[str, ...], expected: ReleaseDecision, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await decided(HELD, monkeypatch, *lines) == [expected]


async def test_what_cannot_be_repaired_offers_no_repair(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert await decided(HOPELESS, monkeypatch, "r", "s") == ["send"]
    assert "repair" not in capsys.readouterr().err


async def test_a_request_that_waits_no_more_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Holding(None)
    with typing(monkeypatch) as (terminal, _person):
        await ask_held(session, terminal, HELD)
    assert session.decisions == []


def test_rule_place_and_repair_are_shown_and_hidden_letters_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    show_held(HELD)
    shown = capsys.readouterr().err
    assert "chat.call-name  /messages/2" in shown
    assert "→ Replace it." in shown
    assert "\u202e" not in shown


def test_each_decision_has_its_words() -> None:
    assert len({told_decision("repair"), told_decision("send"), told_decision("stop")}) == 3
