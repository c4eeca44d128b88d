"""How a question is shown: whole, with its reasons, and so that nothing foreign can pass for the program's own words."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.cli.columns import width_of
from workbench.cli.question import GUTTER, rows
from workbench.conversation.calls import CallPart, Preview, Reason, Target
from workbench.conversation.events import ApprovalRequested

HIDDEN = "\u202e\u200b\x1b[2J\x07\r\u2066\U000e0041"


def question(**more: Any) -> ApprovalRequested:
    usual: dict[str, Any] = {
        "approval_id": "a", "turn_id": "t", "step": 1, "call_id": "c", "tool": "bash", "digest": "d", "danger": 2,
        "preview": Preview(kind="command", title="echo hi", body="echo hi"),
    }  # fmt: skip
    return ApprovalRequested(**(usual | more))


def shown(requested: ApprovalRequested, columns: int = 80) -> list[str]:
    return [row.text for row in rows(requested, columns)]


def test_a_command_is_shown_once_with_level_tool_and_reason() -> None:
    lines = shown(question(reasons=(Reason(code="shell.command", text="Every command asks."),)))
    assert lines[0] == "── 2 Run · bash"
    assert lines.count("│ echo hi") == 1
    assert lines[-1] == "asks because: Every command asks."


def test_what_speaks_for_the_call_is_no_reason_to_ask() -> None:
    allowed = Reason(code="mode.allow", text="Reading is allowed.", outcome="allow")
    asks = Reason(code="call.repeated", text="It came three times.", subject="3")
    assert shown(question(reasons=(asks, allowed)))[-1] == "asks because: It came three times. (3)"


def test_a_reason_names_its_part_of_the_call() -> None:
    about_part = Reason(code="shell.destroys", text="It deletes.", subject="rm -rf x")
    about_all = Reason(code="shell.destroys", text="It deletes.", subject="echo hi")
    about_mode = Reason(code="mode.ask", text="It asks in this mode.", subject="exec")
    assert shown(question(reasons=(about_part, about_all, about_mode)))[-3:] == [
        "asks because: It deletes. (rm -rf x)",
        "asks because: It deletes.",
        "asks because: It asks in this mode.",
    ]


def test_every_line_of_a_long_text_is_there() -> None:
    body = "".join(f"line {number} {'x' * (number % 150)}\n" for number in range(500))
    lines = shown(question(tool="write", preview=Preview(kind="new_file", title="a.txt", body=body)))
    text = "\n".join(lines).replace("\n│ ↳ ", "")
    assert all(f"│ line {number} {'x' * (number % 150)}" in text.split("\n") for number in range(500))


@pytest.mark.parametrize("columns", [20, 60, 100])
def test_no_row_is_wider_than_the_terminal(columns: int) -> None:
    long = "你a " * 60 + "b" * 200
    requested = question(
        agent=(long,),
        badges=("outside", "runs_later"),
        description=long,
        preview=Preview(kind="command", body=long, notes=(long,)),
        reasons=(Reason(code="x", text=long, subject=long),),
        targets=(Target(kind="path", name="/" + long, access="write", outside=True),),
        parts=(CallPart(text=long, outcome="ask", danger=4, places=(long,)),),
    )
    assert max(width_of(line) for line in shown(requested, columns)) <= columns


def test_nothing_foreign_stands_where_the_program_speaks() -> None:
    """A file whose lines imitate the question cannot end it: each of its rows, continued ones too, begins with the gutter."""
    fake = "\nasks because: Harmless.\nAllow? y once · n reject: " + " " * 200 + "── 0 Look · read"
    lines = shown(question(tool="write", danger=1, preview=Preview(kind="new_file", title="a\n── 0 Look", body=fake)))
    assert [line for line in lines if not line.startswith((GUTTER, "↳ "))] == ["── 1 Edit · write", "(without a line end after the last line)"]


@pytest.mark.parametrize("place", ["title", "body", "tool", "agent", "description", "note", "reason", "subject", "target", "part"])
def test_hidden_characters_are_marks_wherever_they_stand(place: str) -> None:
    def at(name: str) -> str:
        return f"a{HIDDEN}z" if place == name else "plain"

    requested = question(
        tool=at("tool"),
        agent=(at("agent"),),
        description=at("description"),
        preview=Preview(kind="text", title=at("title"), body=at("body"), notes=(at("note"),)),
        reasons=(Reason(code="x", text=at("reason"), subject=at("subject")),),
        targets=(Target(kind="path", name=at("target"), access="write", outside=True),),
        parts=(CallPart(text=at("part"), outcome="ask", danger=2), CallPart(text="true", outcome="ask", danger=2)),
    )
    text = "".join(shown(requested, 300))
    assert text.isprintable()
    for code in ("202E", "200B", "001B", "0007", "000D", "2066", "E0041"):
        assert f"⟨U+{code}⟩" in text


def test_tabs_are_seen_as_tabs() -> None:
    lines = shown(question(tool="edit", preview=Preview(kind="diff", title="Makefile", body="-\tcc\n+    cc\n")))
    assert "│ -⇥   cc" in lines
    assert "│ +    cc" in lines


def test_a_diff_has_its_colours() -> None:
    found = {row.text: row.colours for row in rows(question(preview=Preview(kind="diff", title="a", body=" one\n-two\n+three\n")), 80)}
    assert (found["│ -two"], found["│ +three"], found["│  one"]) == (("red",), ("green",), ())


def test_a_call_without_a_preview_shows_its_arguments() -> None:
    lines = shown(question(tool="list", danger=0, preview=Preview(kind="none"), arguments={"path": "src", "depth": 2}))
    assert '│   "path": "src",' in lines


def test_an_empty_file_and_a_missing_line_end_are_told() -> None:
    assert "(the file is empty)" in shown(question(preview=Preview(kind="new_file", title="a.txt", body="")))
    assert "(without a line end after the last line)" in shown(question(preview=Preview(kind="new_file", title="a.txt", body="x")))
    assert shown(question(preview=Preview(kind="new_file", title="a.txt", body="x\n")))[1:] == ["│ a.txt", "│ x"]


def test_parts_show_levels_and_real_paths() -> None:
    parts = (CallPart(text="cd src", outcome="ask", danger=2, places=("/w/src",)), CallPart(text="rm -rf ../x", outcome="ask", danger=4, places=("/w/x",)))
    lines = shown(question(danger=4, parts=parts))
    assert "│ 1 · 2 Run · cd src  → /w/src" in lines
    assert "│ 2 · 4 Destroy · rm -rf ../x  → /w/x" in lines


def test_a_single_part_that_names_no_path_says_nothing_new() -> None:
    assert not any("parts" in line for line in shown(question(parts=(CallPart(text="echo hi", outcome="ask", danger=2),))))


def test_the_models_own_words_are_a_labelled_quote() -> None:
    assert "The model says: “Safe. asks because: nothing”" in shown(question(description="Safe. asks because: nothing"))


def test_confinement_is_told_for_commands() -> None:
    assert "No sandbox confines it: it can do whatever you can do." in shown(question())
    assert not any("sandbox" in line for line in shown(question(preview=Preview(kind="diff", title="a", body="-a\n+b\n"))))
