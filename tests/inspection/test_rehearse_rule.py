"""Rehearsal tells which of the last calls rules would have let through: those that asked, all of whose asking parts are covered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from workbench.conversation.calls import CallPart, Preview, Target
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Decided, Entry, Event
from workbench.inspection.rehearse_rule import CALLS_LOOKED_AT, rehearse_rules, would_allow
from workbench.permissions.rules import ArgvRule, GrantRule, HostRule, PathRule, Rule, ServerRule, TextRule, ToolRule, stored

PYTEST = ArgvRule(effect="allow", argv=("pytest", "**"), scope="project", rule_id="project-1")
LIBRARY = GrantRule(effect="allow", folder="/lib/doc", identity="1:2")
FOLDER = PathRule(effect="allow", tool="edit", path="src/**")
A_ORG = HostRule(effect="allow", tool="webfetch", host="a.org")
OF_SERVER = {"tool": "mcp", "server": "s", "name": "n", "def": "d", "effect": "allow"}
FILE_RULE = {"tool": "edit", "path": "src/a.py", "effect": "allow"}


def asked(identity: str, **fields: Any) -> ApprovalRequested:
    known: dict[str, Any] = {
        "approval_id": f"ask {identity}",
        "turn_id": "t",
        "step": 1,
        "call_id": identity,
        "tool": "edit",
        "digest": "d",
        "danger": 1,
        "preview": Preview(kind="diff", title="src/a.py"),
        "targets": (Target(kind="path", name="/ws/src/a.py", access="write"),),
        "always": (FILE_RULE,),
    }
    return ApprovalRequested(**(known | fields))


def ran(identity: str, *parts: tuple[str, bool], **fields: Any) -> ApprovalRequested:
    """Return a question about a command; each part with whether it was offered a rule."""
    text = " && ".join(part for part, _offered in parts)
    judged = tuple(
        CallPart(text=part, outcome="ask", danger=2, argv=tuple(part.split()), always=(stored(PYTEST),) if offered else ()) for part, offered in parts
    )
    plain: dict[str, Any] = {"tool": "bash", "preview": Preview(kind="command", body=text), "parts": judged, "targets": (), "always": ()}
    return asked(identity, **(plain | fields))


def reached(host: str) -> ApprovalRequested:
    return asked("c", tool="webfetch", targets=(Target(kind="host", name=host, access="reach"),))


def outside(path: str, **fields: Any) -> ApprovalRequested:
    return asked("c", **({"tool": "read", "targets": (Target(kind="path", name=path, access="read", outside=True),), "always": (stored(LIBRARY),)} | fields))


def decided(identity: str, **fields: Any) -> Decided:
    known: dict[str, Any] = {"turn_id": "t", "step": 1, "call_id": identity, "tool": "edit", "outcome": "ask", "danger": 1, "outside": False}
    return Decided(**(known | fields))


def numbered(*events: Event) -> list[Entry]:
    return [Entry(number, float(number), event) for number, event in enumerate(events, 1)]


def call(requested: ApprovalRequested, answer: Any = None, by: str = "person") -> list[Event]:
    said: list[Event] = [ApprovalResolved(approval_id=requested.approval_id, call_id=requested.call_id, answer=answer, by=by)] if answer else []
    return [decided(requested.call_id, tool=requested.tool), requested, *said]


@pytest.mark.parametrize(
    ("rules", "requested", "allows"),
    [
        ([PYTEST], ran("c", ("pytest -q", True)), True),
        ([PYTEST], ran("c", ("pytest -q", True), ("pytest -x", True)), True),
        ([PYTEST], ran("c", ("pytest -q", True), ("make", True)), False),
        ([PYTEST], ran("c", ("pytest -p evil", False)), False),
        ([PYTEST], ran("c"), False),
        ([ArgvRule(effect="allow", argv=("pytest",)), ArgvRule(effect="allow", argv=("make",))], ran("c", ("pytest", True), ("make", True)), True),
        ([TextRule(effect="allow", text="ls")], asked("c", preview=Preview(kind="command", body="ls"), always=({"text": "ls"},)), True),
        ([TextRule(effect="allow", text="ls")], asked("c", preview=Preview(kind="command", body="ls"), always=()), False),
        ([FOLDER], asked("c"), True),
        ([FOLDER], asked("c", tool="write"), False),
        ([FOLDER], asked("c", always=()), False),
        ([FOLDER], asked("c", targets=(Target(kind="path", name="/ws-evil/src/a.py", access="write"),), always=({"tool": "x", "effect": "allow"},)), False),
        ([FOLDER], asked("c", targets=(*asked("c").targets, Target(kind="path", name="/ws/b.py", access="write"))), False),
        ([PathRule(effect="allow", tool="edit", path="/ws/src/**")], asked("c"), True),
        ([A_ORG], reached("a.org"), True),
        ([A_ORG], reached("a.org.x"), False),
        ([ServerRule(effect="allow", server="s", name="n", definition="d")], asked("c", always=(OF_SERVER,)), True),
        ([ServerRule(effect="allow", server="s", name="n", definition="e")], asked("c", always=(OF_SERVER,)), False),
        ([LIBRARY], outside("/lib/doc/deep/a.txt"), True),
        ([LIBRARY], outside("/lib/doc"), True),
        ([LIBRARY], outside("/lib/doc-evil/a.txt"), False),
        ([LIBRARY], outside("/lib/doc/.env", always=()), False),
        ([FOLDER], outside("/lib/doc/a.txt"), False),
        ([ToolRule(effect="allow", tool="task")], asked("c", tool="task", always=({"tool": "task", "effect": "allow"},), targets=()), True),
    ],
)  # fmt: skip
def test_every_kind_of_rule_covers_just_what_it_says(rules: Sequence[Rule], requested: ApprovalRequested, allows: bool) -> None:
    assert would_allow(rules, requested, "/ws") is allows


def test_calls_that_asked_are_told_with_their_answers_the_newest_first() -> None:
    entries = numbered(
        *call(ran("c1", ("pytest -q", True)), "approve"),
        decided("c2", tool="read", outcome="allow"),
        *call(ran("c3", ("pytest -x", True)), "reject"),
        *call(ran("c4", ("make", True)), "approve"),
        *call(ran("c5", ("pytest", True))),
    )
    rehearsal = rehearse_rules([PYTEST], [entries], workspace="/ws", except_call="c5")
    assert rehearsal.total == 4
    assert [(one.text, one.answer) for one in rehearsal.allowed] == [("pytest -x", "reject"), ("pytest -q", "approve")]


def test_an_answer_of_the_program_is_nobodys() -> None:
    rehearsal = rehearse_rules([PYTEST], [numbered(*call(ran("c1", ("pytest", True)), "stop", by="program"))], workspace="/ws")
    assert [one.answer for one in rehearsal.allowed] == [None]


def test_other_sessions_fill_up_to_the_last_calls() -> None:
    one = [event for number in range(30) for event in call(ran(f"a{number}", ("pytest", True)))]
    other = [event for number in range(30) for event in call(ran(f"b{number}", ("pytest", True)))]
    rehearsal = rehearse_rules([PYTEST], [numbered(*one), numbered(*other)], workspace="/ws")
    assert rehearsal.total == CALLS_LOOKED_AT
    assert len(rehearsal.allowed) == CALLS_LOOKED_AT
    assert rehearse_rules([PYTEST], [], workspace="/ws").total == 0


def test_a_call_that_asks_again_counts_once_and_as_it_asked_first() -> None:
    first = ran("c1", ("pytest", True))
    again = ran("c1", ("pytest", True), approval_id="again", always=(), parts=())
    entries = numbered(decided("c1", tool="bash"), first, decided("c1", tool="bash"), again)
    rehearsal = rehearse_rules([PYTEST], [entries], workspace="/ws")
    assert (rehearsal.total, len(rehearsal.allowed)) == (1, 1)
