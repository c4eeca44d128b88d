"""A turn as lines: one for each call, the model's words on stdout, and each failure told once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from workbench.cli.render import TerminalView, call_target
from workbench.conversation.calls import FileChange, Reason
from workbench.conversation.events import (
    ApprovalResolved,
    Decided,
    Entry,
    Event,
    ExchangeClosed,
    ExchangeOpened,
    LimitReached,
    ModelResponded,
    Notice,
    RetryWaiting,
    StreamPieceArrived,
    ToolFinished,
    ToolOutputArrived,
    TurnFinished,
)
from workbench.conversation.exchange import BodyRef, Cost
from workbench.conversation.messages import Message, TextPart, ToolResultPart
from workbench.conversation.stream import ReasoningDelta, StreamEvent, TextDelta

OPENED = ExchangeOpened(
    exchange_id="ex", number=7, turn_id="t", step=1, attempt=1, method="POST", url="u", headers=(),
    body=BodyRef(runs=(), size_bytes=0, sha256=""), dialect="chat_completions", profile="p", model="m",
)  # fmt: skip


class Shown:
    """Feeds a view and returns what it wrote, as (stdout, stderr)."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.view = TerminalView()
        self._capsys = capsys
        self._seq = 0

    def facts(self, *events: Event) -> tuple[str, str]:
        for event in events:
            self._seq += 1
            self.view.entry(Entry(self._seq, 0.0, event))
        out, err = self._capsys.readouterr()
        return out, err

    def pieces(self, *pieces: StreamEvent) -> None:
        for piece in pieces:
            self.view.live(StreamPieceArrived("t", 1, "ex", piece))


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    return Shown(capsys)


def finished(status: Any = "ok", text: str = "", **more: Any) -> ToolFinished:
    synthetic = more.pop("synthetic", False)
    result = ToolResultPart(call_id="c", name="bash", content=(TextPart(text=text),), is_error=status != "ok", synthetic=synthetic)
    return ToolFinished(turn_id="t", step=1, call_id="c", tool="bash", status=status, result=result, **more)


def decided(**more: Any) -> Decided:
    usual: dict[str, Any] = {"outcome": "ask", "danger": 2, "outside": False, "arguments": {"command": "make all"}, "digest": "d"}
    return Decided(turn_id="t", step=1, call_id="c", tool="bash", **(usual | more))


def responded(text: str, *, state: Any = "complete", problems: tuple[str, ...] = ()) -> ModelResponded:
    message = Message(message_id="m", role="assistant", parts=(TextPart(text=text),), state=state)
    return ModelResponded(turn_id="t", step=1, exchange_id="ex", message=message, problems=problems)


def resolved(answer: Any, by: str, note: str = "") -> ApprovalResolved:
    return ApprovalResolved(approval_id="a", call_id="c", answer=answer, by=by, note=note)


def test_streamed_words_are_written_once_and_end_their_line(shown: Shown) -> None:
    shown.facts(OPENED)
    shown.pieces(TextDelta(text="Hello "), TextDelta(text="world."))
    out, err = shown.facts(responded("Hello world."))
    assert (out, err) == ("Hello world.\n", "")


def test_an_answer_that_came_whole_is_written_too(shown: Shown) -> None:
    assert shown.facts(OPENED, responded("Hello.")) == ("Hello.\n", "")


def test_reasoning_stands_apart_on_stderr(shown: Shown) -> None:
    shown.pieces(ReasoningDelta(text="Let me "), ReasoningDelta(text="see."), TextDelta(text="Yes."))
    assert shown.facts(responded("Yes.")) == ("Yes.\n", "Let me see.\n")


def test_output_that_ends_its_line_leaves_no_empty_one(shown: Shown) -> None:
    shown.view.live(ToolOutputArrived("c", "one\n"))
    shown.view.live(ToolOutputArrived("c", "two\n"))
    _out, err = shown.facts(decided(), finished(facts="0.1 s"))
    assert err == "one\ntwo\n✓ bash make all  0.1 s\n"


def test_output_cannot_steer_the_terminal(shown: Shown) -> None:
    shown.view.live(ToolOutputArrived("c", "\x1b]52;c;AAAA\x07\x1b[1A\rx"))
    shown.pieces(TextDelta(text="\x1b[2J\u202ex"))
    out, err = shown.facts(responded("x"))
    assert "\x1b" not in out + err
    assert "\r" not in err
    assert "⟨U+202E⟩" in out


@pytest.mark.parametrize(
    ("events", "line"),
    [
        ((decided(), finished(facts="84 lines", duration_s=0.009)), "✓ bash make all  84 lines · 9 ms"),
        ((decided(), finished(duration_s=2.34)), "✓ bash make all  2.3 s"),
        ((decided(), finished(facts="exit 0 · 4 ms", duration_s=0.2)), "✓ bash make all  exit 0 · 4 ms"),
        ((decided(), finished(facts="exit 4 · 0.9 s", duration_s=0.95)), "✓ bash make all  exit 4 · 0.9 s"),
        ((decided(), resolved("approve_edited", "terminal"), finished(facts="0.1 s")), "✓ bash make all  0.1 s · edited by you"),
        ((decided(), resolved("reject", "terminal"), finished("denied", kind="denied", synthetic=True)), "⊘ bash make all  rejected by you"),
        ((decided(), resolved("reject", "policy"), finished("denied", kind="denied", synthetic=True)), "⊘ bash make all  rejected, nobody could be asked"),
        ((decided(), resolved("reject", "program"), finished("denied", kind="denied", synthetic=True)), "⊘ bash make all  rejected"),
        ((decided(outcome="deny"), finished("denied", kind="denied", synthetic=True)), "⊘ bash make all  denied"),
        ((decided(), finished("cancelled", kind="cancelled", synthetic=True)), "■ bash make all  stopped"),
        ((decided(), finished("cancelled", facts="stopped · 3.0 s")), "■ bash make all  stopped · 3.0 s"),
        ((finished("error", kind="unknown_tool", synthetic=True),), "✗ bash  unknown tool"),
        ((decided(), finished("timed_out", facts="timed out · 120.0 s")), "✗ bash make all  timed out · 120.0 s"),
    ],
)
def test_a_call_is_one_line(shown: Shown, events: tuple[Event, ...], line: str) -> None:
    assert shown.facts(*events) == ("", line + "\n")


def test_a_call_that_did_not_go_well_says_why(shown: Shown) -> None:
    refuses = Reason(code="mode.read_only", text="Nothing is changed here.", outcome="deny")
    _out, err = shown.facts(decided(outcome="deny", reasons=(refuses,)), finished("denied", kind="denied", synthetic=True))
    assert err.splitlines()[1] == "    Nothing is changed here."
    _out, err = shown.facts(decided(), resolved("reject", "terminal", "not now"), finished("denied", kind="denied", synthetic=True))
    assert err.splitlines()[1] == "    not now"
    _out, err = shown.facts(decided(), finished("error", "Error (file_not_found): 'a' does not exist.\nUse glob.", kind="file_not_found"))
    assert err.splitlines() == ["✗ bash make all  file not found · 0 ms", "    'a' does not exist."]


def test_files_that_changed_are_listed(shown: Shown) -> None:
    change = FileChange(path="src/a\u202e.py", operation="modify", before_sha256="x", after_sha256="y", added=3, removed=1)
    assert shown.facts(finished(files_changed=(change,)))[1].splitlines()[1] == "    src/a⟨U+202E⟩.py  +3 −1"


def test_a_failure_is_told_once(shown: Shown) -> None:
    """The exchange, the decoder and the turn all know of a lost connection; a person reads it at the turn's end."""
    closed = ExchangeClosed(exchange_id="ex", status=200, error="Connection lost.", failure="broken")
    ended = TurnFinished(turn_id="t", end="failed", text="Connection lost.", failure="connection_lost", steps=1)
    shown.facts(OPENED)
    shown.pieces(TextDelta(text="Half an"))
    out, err = shown.facts(closed, responded("Half an", state="incomplete", problems=("The connection was lost.",)), ended)
    assert (out, err) == ("Half an\n", "Connection lost.\n")


def test_waiting_to_try_again_names_the_request(shown: Shown) -> None:
    shown.facts(OPENED)
    shown.view.live(RetryWaiting("t", "ex", 2.0, "The server is busy."))
    assert shown.facts()[1] == "#7: The server is busy. Trying again in 2 s.\n"


def test_problems_of_a_complete_answer_are_told(shown: Shown) -> None:
    assert shown.facts(OPENED, responded("x", problems=("The arguments of list are not JSON.",)))[1] == "! The arguments of list are not JSON.\n"


@pytest.mark.parametrize(
    ("end", "text", "told"),
    [("answered", "", ""), ("answered", "The answer was cut.", "The answer was cut.\n"), ("stopped", "", "Stopped.\n"), ("failed", "Why.", "Why.\n")],
)
def test_the_end_of_a_turn_says_what_is_to_be_known(shown: Shown, end: Any, text: str, told: str) -> None:
    assert shown.facts(TurnFinished(turn_id="t", end=end, text=text, steps=1))[1] == told


def test_a_limit_is_told_by_its_question_or_the_turns_end_only(shown: Shown) -> None:
    assert shown.facts(LimitReached(turn_id="t", limit="steps", value=5, maximum=5)) == ("", "")


def test_notices_are_told(shown: Shown) -> None:
    assert shown.facts(Notice(message_id="x", text="The mode is not available.", level="warning"))[1] == "The mode is not available.\n"


@pytest.mark.parametrize(
    ("arguments", "target"),
    [({"content": "x", "file_path": "a.py"}, "a.py"), ({"command": "ls"}, "ls"), ({"deep": 1, "other": "said"}, "said"), ({}, ""), ({"file_path": 3}, "")],
)
def test_the_target_is_what_says_best_what_a_call_is_about(arguments: dict[str, Any], target: str) -> None:
    assert call_target(arguments) == target


def test_a_turn_that_costs_says_what_and_one_that_does_not_says_nothing(shown: Shown) -> None:
    closed = ExchangeClosed(exchange_id="ex", status=200)
    ended = TurnFinished(turn_id="t", end="answered")
    assert shown.facts(OPENED, closed, ended) == ("", "")
    assert "This turn: $0.0200" in shown.facts(OPENED, replace(closed, cost=Cost(total_usd=0.02)), ended)[1]
    assert "This turn: at least $0.0200" in shown.facts(OPENED, replace(closed, cost=Cost()), ended)[1]
