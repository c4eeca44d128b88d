"""“Always” asks part by part, shows what else a rule lets pass, and offers no scope that may not be."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.cli.always import Chosen, choose, offers, scopes_of
from workbench.conversation.calls import CallPart, Preview
from workbench.conversation.events import ApprovalRequested

EXACT = {"tool": "bash", "argv": ["pytest", "-q"], "effect": "allow"}
WIDE = {"tool": "bash", "argv": ["pytest", "**"], "effect": "allow"}
TEXT = {"tool": "bash", "text": "python x.py", "effect": "allow"}
PATH = {"tool": "edit", "path": "src/a.py", "effect": "allow"}


class Typist:
    """A terminal at which these lines are typed, and what was asked there."""

    def __init__(self, *lines: str | None) -> None:
        self.lines = list(lines)
        self.asked: list[str] = []

    async def ask(self, prompt: str) -> str | None:
        self.asked.append(prompt)
        return self.lines.pop(0)


def question(*parts: CallPart, **fields: Any) -> ApprovalRequested:
    plain = {"danger": 2, "can_always": True, "confinement": "confined" if parts else ""}
    return ApprovalRequested(
        approval_id="a", turn_id="t", step=1, call_id="c", tool="bash", digest="d", preview=Preview(kind="command", title="x"), parts=parts, **(plain | fields)
    )


def part(text: str, *always: dict[str, Any]) -> CallPart:
    return CallPart(text=text, outcome="ask", danger=2, argv=tuple(text.split()), always=always)


async def chosen(requested: ApprovalRequested, *lines: str | None) -> tuple[Chosen | None, list[str]]:
    typist = Typist(*lines)
    found = await choose(requested, typist)  # type: ignore[arg-type]
    assert not typist.lines, "every line was asked for"
    return found, typist.asked


async def test_each_part_is_asked_about_with_what_it_would_also_allow(capsys: pytest.CaptureFixture[str]) -> None:
    requested = question(part("pytest -q", EXACT, WIDE), part("python x.py"), part("pytest -q", EXACT, WIDE))
    found, asked = await chosen(requested, "2", "1", "p")
    assert found == Chosen((WIDE, EXACT), "project")
    assert len(asked) == 3
    said = capsys.readouterr().err
    assert said.count("For the part “pytest -q”:") == 2
    assert "pytest -x" in said
    assert "not: pytest-other -q" in said


async def test_exact_text_is_offered_if_no_part_was_chosen() -> None:
    assert (await chosen(question(part("python x.py"), always=(TEXT,)), "1", ""))[0] == Chosen((TEXT,), "session")
    assert (await chosen(question(part("pytest -q", EXACT), part("python x.py"), always=(TEXT,)), "", "1", "s"))[0] == Chosen((TEXT,), "session")


@pytest.mark.parametrize("lines", [("",), ("3",), ("x",), (None,), ("0",), ("1", None), ("1", "x"), ("1", "e")])
async def test_whatever_else_is_typed_adds_no_rule(lines: tuple[str | None, ...]) -> None:
    assert (await chosen(question(part("pytest -q", EXACT, WIDE)), *lines))[0] is None


async def test_scopes_by_level_and_sandbox() -> None:
    assert scopes_of(question(part("x")), 2) == ("session", "project")
    assert scopes_of(question(part("x"), confinement="unconfined"), 2) == ("session",)
    assert scopes_of(question(danger=1), 1) == ("session", "project", "user")
    found, asked = await chosen(question(part("pytest -q", EXACT), confinement="unconfined"), "1")
    assert (found, len(asked)) == (Chosen((EXACT,), "session"), 1)
    assert (await chosen(question(danger=1, always=(PATH,)), "1", "e"))[0] == Chosen((PATH,), "user")


async def test_folder_is_granted_for_the_session_without_asking_how_far(capsys: pytest.CaptureFixture[str]) -> None:
    grant = {"tool": "read", "grant": "/usr/share/doc", "identity": "1:2", "effect": "allow"}
    requested = question(danger=3, always=(grant,))
    found, asked = await chosen(requested, "1")
    assert (found, len(asked)) == (Chosen((grant,), "session"), 1)
    said = capsys.readouterr().err
    assert "1  read: /usr/share/doc, reading only" in said
    assert "look at everything in it, for this session" in said
    assert (await chosen(requested, ""))[0] is None


def test_offers_only_what_is_there() -> None:
    assert offers(question(part("pytest", EXACT)))
    assert not offers(question(part("pytest")))
    assert not offers(question(part("pytest", EXACT), can_always=False))
