"""What reaches a terminal, a pipe, or nobody."""

from __future__ import annotations

import io
import sys

import pytest
from typing_extensions import override

from workbench.cli import output
from workbench.conversation.events import Entry, Notice


class Terminal(io.StringIO):
    """A stream that says it is a terminal of 80 columns (it has no file, so its width cannot be asked)."""

    @override
    def isatty(self) -> bool:
        return True


def test_hidden_characters_are_marks_and_lines_stay() -> None:
    assert output.plain("a\u202eb\x1b[31m\n\tc\r") == "a⟨U+202E⟩b⟨U+001B⟩[31m\n\tc⟨U+000D⟩"


def test_prose_keeps_what_emoji_are_made_of() -> None:
    assert output.prose("👩\u200d💻 ❤\ufe0f \u200b") == "👩\u200d💻 ❤\ufe0f ⟨U+200B⟩"


@pytest.mark.parametrize("width", [11, 12, 20])
def test_one_line_is_cut_in_the_middle(width: int) -> None:
    shown = output.one_line("beginning\nof something long that ends here", width)
    assert len(shown) == width
    assert shown.startswith("begin")
    assert shown.endswith("here")
    assert "…" in shown


def test_colours_are_for_terminals_that_want_them() -> None:
    terminal = Terminal()
    assert output.colour("x", "bold", "red", stream=terminal, environment={}) == "\x1b[1;31mx\x1b[0m"
    assert output.colour("x", "red", stream=terminal, environment={"NO_COLOR": "1"}) == "x"
    assert output.colour("x", "red", stream=terminal, environment={"TERM": "dumb"}) == "x"
    assert output.colour("x", "red", stream=io.StringIO(), environment={}) == "x"
    assert output.colour("", "red", stream=terminal, environment={}) == ""


def test_messages_wrap_at_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "word " * 30
    for stream, wraps in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        output.say(text)
        assert ("\n" in stream.getvalue().rstrip("\n")) is wraps
        assert stream.getvalue().split() == text.split()


def test_a_prompt_keeps_its_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    output.say("Go on? ", end="")
    assert terminal.getvalue() == "Go on? "


def test_what_an_encoding_lacks_becomes_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(data, encoding="ascii"))
    output.answer("déjà 你")
    assert data.getvalue() == b"d?j? ?\n"


def test_closed_streams_are_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    output.say(output.colour("nobody", "red"))
    output.answer("nobody")
    output.print_json({"nobody": True})
    assert output.columns_of(None) == 0


def test_a_fact_is_one_flat_object() -> None:
    flat = output.flat(Entry(7, 1.5, Notice(message_id="m", text="你好", level="warning")))
    assert flat == {"seq": 7, "at": 1.5, "type": "Notice", "message_id": "m", "text": "你好", "level": "warning"}
