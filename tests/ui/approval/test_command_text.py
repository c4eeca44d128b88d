"""Where the parts of a command stand in its text, and what is said of each."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.approval.asked import command
from workbench.conversation.calls import CallPart, Reason
from workbench.ui.approval.command_text import CommandRows, facts_of, mixed_words_sentence, placed_parts, says_something, verdict_of


def part(text: str, danger: int = 2, **fields: object) -> CallPart:
    return CallPart(text=text, outcome="ask", danger=danger, **fields)  # type: ignore[arg-type]


def rows_of(text: str, *parts: CallPart) -> list[str]:
    rows = CommandRows(text, parts)
    return [rows.row(place).text for place in range(len(rows))]


def test_parts_of_a_judged_command_are_found_in_order(tmp_path: Path) -> None:
    text = "cd src && rm -rf ../build | tee x; curl example.org"
    asked = command(text, folder=tmp_path)
    placed = placed_parts(text, asked.parts)
    assert [text[one.start : one.end] for one in placed] == [one.text for one in asked.parts]
    assert [one.number for one in placed] == list(range(1, len(asked.parts) + 1))


def test_repeated_part_is_found_behind_the_one_before() -> None:
    placed = placed_parts("ls; ls; ls", [part("ls"), part("ls"), part("ls")])
    assert [one.start for one in placed] == [0, 4, 8]


def test_part_that_is_not_in_the_text_keeps_its_number() -> None:
    placed = placed_parts("ls; pwd", [part("ls"), part("hidden"), part("pwd")])
    assert [(one.number, one.start) for one in placed] == [(1, 0), (3, 4)]


def test_numbers_stand_at_the_parts_and_joints_are_quiet() -> None:
    rows = CommandRows("cd a && rm b\necho c", [part("cd a"), part("rm b", 4), part("echo c")])
    first, second = rows.row(0), rows.row(1)
    assert {offset: insert.label for offset, insert in first.inserts.items()} == {0: "1", 8: "2"}
    assert {offset: insert.label for offset, insert in second.inserts.items()} == {0: "3"}
    assert [first.text[span.start : span.end] for span in first.spans] == [" && "]
    assert [(first.text[span.start : span.end], span.token) for span in first.underlined] == [("rm b", "level4")]


def test_single_part_has_no_number() -> None:
    assert CommandRows("ls", [part("ls")]).row(0).inserts == {}
    assert not says_something([part("ls")])
    assert says_something([part("cat a", places=("/ws/a",))])
    assert says_something([part("ls"), part("pwd")])


@given(st.text(alphabet="ab \n&", max_size=200))
def test_rows_hold_the_whole_text(text: str) -> None:
    assert "\n".join(rows_of(text, part("a"), part("b", 4))) == text


def test_part_over_several_lines_is_underlined_on_each() -> None:
    text = "rm -rf \\\n  a \\\n  b"
    rows = CommandRows(text, [part(text, 4), part("x")])
    assert all(rows.row(place).underlined for place in range(3))


def test_words_of_mixed_script_are_marked_and_named() -> None:
    text = "curl \u0430pple.example"
    rows = CommandRows(text, [])
    assert [text[span.start : span.end] for span in rows.row(0).mixed] == ["\u0430pple.example"]
    assert mixed_words_sentence(text) == "mixed script: \u0430pple.example"
    assert mixed_words_sentence("curl apple.example") == ""


def test_facts_name_folder_paths_and_reasons() -> None:
    outside = Reason(code="floor.outside", text="It writes outside the workspace.", subject="/etc/x")
    destroys = Reason(code="shell.destroys", text="It deletes.", subject="rm /etc/x")
    general = Reason(code="shell.command", text="Every command asks.")
    facts = facts_of(part("rm /etc/x", 4, folder="/ws", program="/usr/bin/rm", places=("/ws/a", "/etc/x"), reasons=(outside, destroys, general)))
    assert [(fact.icon, fact.words) for fact in facts] == [
        ("terminal", "starts /usr/bin/rm in /ws"),
        ("file", "/ws/a"),
        ("warning", "/etc/x · It writes outside the workspace."),
        ("warning", "It deletes."),
    ]


def test_a_part_says_what_it_starts_and_where_as_far_as_that_is_known() -> None:
    assert [fact.words for fact in facts_of(part("cd x", folder="/ws"))] == ["runs in /ws"]
    assert [fact.words for fact in facts_of(part("ls", program="/usr/bin/ls"))] == ["starts /usr/bin/ls"]
    assert says_something([part("ls", program="/usr/bin/ls")])


def test_verdicts() -> None:
    assert verdict_of(part("rm", 4)) == ("failed", "4 Destroy", "level4")
    assert verdict_of(part("curl", 3)) == ("warning", "3 Reach", "level3")
    assert verdict_of(part("make", 2)) == ("question", "2 Run", "level2")
    assert verdict_of(CallPart(text="ls", outcome="deny", danger=4)).icon == "shield-cross"


@pytest.mark.parametrize(
    ("reasons", "danger", "words"),
    [
        ((), 0, "allowed: it only looks"),
        ((), 2, "allowed"),
        ((Reason(code="rule.allow", text="A rule allows it: bash: pytest …", subject="project-3", outcome="allow"),), 2, "allowed by a rule of this project"),
        ((Reason(code="rule.allow", text="A rule allows it: bash: pytest …", outcome="allow"),), 2, "allowed by a rule"),
    ],
)
def test_what_lets_a_part_run_is_told(reasons: tuple[Reason, ...], danger: int, words: str) -> None:
    assert verdict_of(CallPart(text="ls", outcome="allow", danger=danger, reasons=reasons)) == ("check", words, "ok")


def test_the_rule_that_allows_a_part_is_told_without_its_id() -> None:
    rule = Reason(code="rule.allow", text="A rule allows it: bash: pytest …", subject="project-3", outcome="allow")
    assert [fact.words for fact in facts_of(CallPart(text="pytest", outcome="allow", danger=2, reasons=(rule,)))] == ["A rule allows it: bash: pytest …"]


def test_a_part_of_which_nothing_else_is_said_says_that_it_is_not_known() -> None:
    unknown = Reason(code="shell.command", text="It is not known to only read.")
    looks = Reason(code="shell.reads", text="It only reads.", outcome="allow")
    assert [fact.words for fact in facts_of(part("make", reasons=(unknown,)))] == ["It is not known to only read."]
    assert [fact.words for fact in facts_of(part("make", reasons=(unknown, looks)))] == ["It only reads.", "It is not known to only read."]
