"""A card tells how its command was held, what the sandbox stopped and took away, and the whole trace of the decision."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.ui.chat.calls import answered, box, call, command, finished
from tests.ui.gui import Gui
from workbench.conversation.calls import Answer, CallPart, Confinement, Outcome, Reason
from workbench.conversation.events import Decided
from workbench.inspection.timeline_items import Call
from workbench.ui.bridge import Bridge
from workbench.ui.chat.call_trace import held_note, sandbox_notes, trace_of
from workbench.ui.chat.calls_view import CallsView
from workbench.ui.kit.theme import theme

RULE = Reason(code="rule.allow", text="A rule allows it: bash: pytest ….", subject="project-3", outcome="allow")


def decided(*reasons: Reason, outcome: Outcome = "allow", confinement: Confinement = "confined") -> Decided:
    return Decided(
        turn_id="t", step=1, call_id="c", tool="bash", outcome=outcome, danger=2, outside=False, reasons=reasons, confinement=confinement
    )


def ran(*, confinement: str = "confined", rung: str = "bwrap", denied: Any = (), quarantined: Any = (), **fields: Any) -> Call:
    told = {"confinement": confinement, "rung": rung, "denied": list(denied), "quarantined": list(quarantined)}
    fields.setdefault("decided", decided(RULE))
    return call("bash", "ok", "pytest -q", finished=finished("bash", ui={"sandbox": told}), **fields)


def opened(shown: Call) -> str:
    view = CallsView(box(shown), Bridge())
    view.toggle(shown.call_id)
    return view.plain_text()


def test_a_confined_command_that_went_well_stays_one_row_and_says_how_it_was_held_when_opened(gui: Gui) -> None:
    view = CallsView(box(ran()), Bridge())
    assert view.measure(600) == theme.card_row
    assert "Held by the sandbox: this folder only, no network." in opened(ran())


def test_the_trace_names_the_rule_its_pattern_and_the_sandbox(gui: Gui) -> None:
    text = opened(ran())
    assert "Decision\nAllowed by project rule 3 (bash: pytest …), sandbox on.\nA rule allows it: bash: pytest … (project rule 3)" in text


@pytest.mark.parametrize(
    ("confinement", "rung", "words"),
    [
        ("network", "bwrap", "Held by the sandbox, with network: this folder only."),
        ("unconfined", "bwrap", "Not held by anything: it ran with all your rights."),
        ("unconfined", "none", ""),
        ("confined", "bwrap", ""),
    ],
)
def test_more_rights_than_usual_are_seen_without_opening(gui: Gui, confinement: str, rung: str, words: str) -> None:
    assert " ".join(note.text for note in sandbox_notes(ran(confinement=confinement, rung=rung))) == words


def test_what_the_sandbox_stopped_is_said_with_its_path(gui: Gui) -> None:
    denied = [{"kind": "write", "subject": "/etc/hosts"}, {"kind": "network", "subject": ""}, {"kind": "read", "subject": "/home/me/.ssh\u202e"}]
    view = CallsView(box(ran(denied=denied)), Bridge())
    text = view.plain_text()
    assert "The sandbox stopped it from writing /etc/hosts." in text
    assert "The sandbox kept it off the network." in text
    assert "The sandbox stopped it from reading /home/me/.ssh⟨U+202E⟩." in text
    assert abs(view.estimate(600) - view.measure(600)) <= theme.mh


def test_many_stops_are_counted_not_listed(gui: Gui) -> None:
    notes = sandbox_notes(ran(denied=[{"kind": "write", "subject": f"/x{n}"} for n in range(9)]))
    assert [note.text for note in notes][-1] == "… and 5 more were stopped"
    assert len(notes) == 5


def test_what_was_taken_away_is_red_with_where_it_is_kept(gui: Gui) -> None:
    (note,) = sandbox_notes(ran(quarantined=[{"path": ".mcp.json", "kept": "/data/quarantine/1"}]))
    assert note.text == "It made .mcp.json, which steers what runs later. The file was taken away and is kept as /data/quarantine/1."
    assert (note.token, note.icon) == ("fail", "shield-cross")


@pytest.mark.parametrize("odd", [None, 7, [], {"denied": 3, "quarantined": [4]}, {"confinement": "loose", "denied": [{}]}])
def test_odd_values_of_another_version_are_read(gui: Gui, odd: Any) -> None:
    shown = ran()
    assert shown.finished is not None
    shown.finished = replace(shown.finished, ui={"sandbox": odd})
    assert "Decision" in opened(shown)


def test_a_command_that_was_refused_says_that_it_was_not_run(gui: Gui) -> None:
    reason = Reason(code="rule.deny", text="A rule refuses it: bash: git push ….", subject="user-1", outcome="deny")
    shown = call("bash", "denied", "git push", decided=decided(reason, outcome="deny"), finished=finished("bash", "denied"))
    note = held_note(shown)
    assert note is not None
    assert note.text == "It was not run."
    assert trace_of(shown)[0].text == "Refused by rule 1 of everywhere (bash: git push …)."


def test_a_question_is_told_with_its_answer_and_each_part_of_the_command(gui: Gui) -> None:
    parts = (CallPart(text="cd src", outcome="allow", danger=0), CallPart(text="make\tit", outcome="ask", danger=2, program="/usr/bin/make"))
    asks = Reason(code="mode.ask", text="Running a command asks.", subject="exec")
    shown = ran(decided=decided(asks, outcome="ask"), asked=command("cd src && make\tit", parts=parts), resolved=answered("person"))
    shown.resolved = replace(answered("person"), answer="approve")
    texts = [note.text for note in trace_of(shown)]
    assert texts == ["It asked, and you allowed it, sandbox on.", "Running a command asks.", "Part 1: cd src", "Part 2: make⇥it (/usr/bin/make)"]


def test_what_a_reason_is_about_is_said_unless_its_sentence_does(gui: Gui) -> None:
    outside = Reason(code="floor.outside", text="This leads outside the workspace.", subject="/etc/pass\u200bwd", outcome="ask")
    assert "This leads outside the workspace. (/etc/pass⟨U+200B⟩wd)" in opened(ran(decided=decided(outside, outcome="ask")))


def test_a_tool_that_runs_no_command_says_nothing_of_a_sandbox(gui: Gui) -> None:
    shown = call("read", "ok", "a", decided=replace(decided(confinement=""), tool="read"), finished=finished("read"))
    assert held_note(shown) is None
    assert sandbox_notes(shown) == ()
    assert trace_of(shown)[0].text == "Allowed without a question."



def test_every_decision_on_a_call_stays_in_reach_with_its_answer(gui: Gui) -> None:
    asks = Reason(code="shell.command", text="It is not known to only read.")
    again = Reason(code="sandbox.stopped", text="It was stopped by the sandbox.", subject="unconfined")
    first, second = decided(asks, outcome="ask"), decided(again, outcome="ask", confinement="unconfined")
    shown = ran(decided_before=((first, replace(answered(), answer="approve")),), decided=second, resolved=answered())
    assert [note.text for note in trace_of(shown)] == [
        "It asked, and you allowed it, sandbox on.",
        "It is not known to only read.",
        "It asked, and you rejected it.",
        "It was stopped by the sandbox.",
    ]


@pytest.mark.parametrize(
    ("answer", "by", "words"),
    [
        ("stop", "program", "It asked, and was stopped."),
        ("reject", "policy", "It asked, and nobody could allow it."),
        ("approve", "program", "It asked, and the program let it pass, sandbox on."),
        ("approve_edited", "person", "It asked, and you allowed it, sandbox on."),
    ],
)
def test_who_answered_is_said(gui: Gui, answer: Answer, by: str, words: str) -> None:
    shown = ran(decided=decided(outcome="ask"), resolved=replace(answered(by), answer=answer))
    assert trace_of(shown)[0].text == words
