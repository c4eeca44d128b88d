"""What a card says of a call: its facts, why it did not go well, what a person changed, the end of its output."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ui.chat.calls import answered, call, denied, finished
from workbench.conversation.events import ToolFinished
from workbench.inspection.timeline_items import Call
from workbench.ui.chat.call_words import Changed, changed_arguments, facts_of, note_of, terminal_lines
from workbench.words import choose_language

NOW = 1_700_000_000.0


def facts(shown: Call, *, waits: bool = False) -> tuple[str, str]:
    return facts_of(shown, now=NOW, waits_for_another=waits)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (call("read", "ok", finished=finished("read", facts="84 lines", duration_s=0.009)), ("84 lines · 9 ms", "muted")),
        (call("bash", "ok", finished=finished("bash", facts="0.4 s", duration_s=0.4)), ("0.4 s", "muted")),
        (call("bash", "ok", finished=finished("bash", facts="2 min 3 s", duration_s=123)), ("2 min 3 s", "muted")),
        (call("bash", "ok", finished=finished("bash", facts="exit 0 · 4 ms", duration_s=0.2)), ("exit 0 · 4 ms", "muted")),
        (call("edit", "edited", finished=finished("edit", facts="+3 −2", duration_s=0.014)), ("edited by you · +3 −2 · 14 ms", "accent")),
        (call("bash", "failed", finished=finished("bash", facts="exit 4 · 0.9 s", exit_code=4)), ("exit 4 · 0.9 s", "fail")),
        (
            call("bash", "failed", edited=True, finished=finished("bash", facts="exit 4 · 0.9 s", exit_code=4)),
            ("edited by you · exit 4 · 0.9 s", "fail"),
        ),
        (call("x", "failed", finished=finished("x", "error", kind="unknown_tool", synthetic=True)), ("unknown tool", "fail")),
        (call("bash", "rejected", resolved=answered()), ("rejected by you", "muted")),
        (call("bash", "rejected", resolved=answered("policy")), ("rejected, nobody could be asked", "muted")),
        (call("bash", "denied", decided=denied("No.")), ("denied by a rule", "fail")),
        (call("bash", "denied", decided=denied("No.", "floor.data_folder")), ("denied", "fail")),
        (call("bash", "running", started_at=NOW - 74.6), ("01:14", "text")),
        (call("bash", "running", started_at=NOW - 3_661), ("1:01:01", "text")),
        (call("write", "arriving", arguments_raw="x" * 1_234), ("1234 characters of arguments", "faint")),
        (call("write", "queued"), ("", "muted")),
    ],
)
def test_facts(shown: Call, expected: tuple[str, str]) -> None:
    assert facts(shown) == expected


def test_a_call_behind_an_unfinished_one_says_what_it_waits_for() -> None:
    assert facts(call("edit", "queued"), waits=True) == ("after the call above", "muted")


def stopped(text: str, **fields: Any) -> ToolFinished:
    return finished("bash", "cancelled", f"Error (cancelled): {text}\nDo not repeat it.", **fields)


def test_a_stopped_call_says_who_stopped_it_and_what_is_left() -> None:
    ended = call("bash", "stopped", finished=stopped("The user stopped the command after 14.0 s; nothing of it is running any more.", duration_s=14.0))
    assert facts(ended) == ("stopped by you · 00:14", "muted")
    assert note_of(ended) == ("The user stopped the command after 14.0 s; nothing of it is running any more.", "muted", "check")
    left = call("bash", "stopped", finished=stopped("The user stopped the command.", ui={"survivors": [{"pid": 1, "command": "x"}]}))
    assert note_of(left) == ("The user stopped the command.", "muted", "")
    lost = call("write", "stopped", finished=stopped("The connection was lost.", synthetic=True))
    assert facts(lost) == ("stopped", "muted")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("Error (no_match): The text to replace is not in the file.\nRead it again.", "The text to replace is not in the file."),
        ("collected 3\nERROR: file not found: x.py\n\n[exit code 4 · 0.9 s]", "ERROR: file not found: x.py"),
        ("(no output)\n[exit code 1 · 0.1 s]", None),
        ("", None),
        ("bad \u202ename\n[exit code 1 · 0.1 s]", "bad ⟨U+202E⟩name"),
    ],
)
def test_a_failed_call_tells_the_line_that_says_why(text: str, note: str | None) -> None:
    said = note_of(call("bash", "failed", finished=finished("bash", "error", text)))
    assert (said.text if said else None) == note


def test_a_denied_call_tells_the_reason_that_denied_it() -> None:
    said = note_of(call("bash", "denied", decided=denied("Your rule “git push **” refuses it."), finished=finished("bash", "denied")))
    assert said == ("Your rule “git push **” refuses it.", "muted", "shield")


def test_changed_arguments_show_the_first_line_that_differs() -> None:
    sent: dict[str, Any] = {"file_path": "a.py", "content": "one\ntwo\nthree", "gone": 1, "same": [1]}
    ran: dict[str, Any] = {"file_path": "a.py", "content": "one\n2\nthree", "new": None, "same": [1]}
    changes = changed_arguments(call("write", "edited", edited=True, sent=sent, ran=ran))
    assert changes == (Changed("content", "two", "2"), Changed("gone", "1", None), Changed("new", None, "null"))
    assert changed_arguments(call("write", "ok", sent=sent, ran=None)) == ()


def test_lines_that_are_only_longer_show_what_was_added() -> None:
    shown = call("write", "edited", edited=True, sent={"content": "one"}, ran={"content": "one\ntwo"})
    assert changed_arguments(shown) == (Changed("content", None, "two"),)


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        ("a\nb\nc\nd\n", ["b", "c", "d"]),
        ("a", ["a"]),
        ("10 %\r50 %\r100 %\ndone", ["100 %", "done"]),
        ("abcdef\rxy", ["xycdef"]),
        ("line\r\nnext\r\n", ["line", "next"]),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07text\x1b(B", ["red text"]),
        ("", [""]),
    ],
)
def test_a_terminal_shows_the_last_lines_as_they_look_in_the_end(output: str, lines: list[str]) -> None:
    assert terminal_lines(output, 3) == lines


def test_facts_are_told_in_chinese() -> None:
    choose_language("zh_CN")
    try:
        said = facts(call("read", "ok", finished=finished("read", facts="84 lines", duration_s=0.009)))
        assert said == ("84 行 · 9 ms", "muted")
        assert facts(call("bash", "rejected", resolved=answered())) == ("被你拒绝", "muted")
    finally:
        choose_language("en")
