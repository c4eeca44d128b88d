"""What a question is about, in words; foreign text in them is visible."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.approval.asked import MODE_ASKS, bash, command, part, question, with_rules
from workbench.conversation.calls import Preview, Reason, Target
from workbench.conversation.events import Decided, Entry
from workbench.ui.approval.subject import (
    agents_of,
    asking_reasons,
    made_by,
    marks_of,
    no_rule_because,
    notes_of,
    outside_targets,
    part_of,
    queue_name,
    sentence_of,
    shortened,
    target_of,
    title_of,
    why_lines,
    workspace_name,
)


def decided(seq: int, call_id: str = "call_q1", **fields: object) -> Entry:
    known = {"turn_id": "t1", "step": 1, "call_id": call_id, "tool": "edit", "outcome": "ask", "danger": 1, "outside": False}
    return Entry(seq, 0.0, Decided(**(known | fields)))  # type: ignore[arg-type]


def test_title_of_a_command_counts_its_parts(tmp_path: Path) -> None:
    assert title_of(command("cd a && rm b; ls", folder=tmp_path))[1:] == ("a command in 3 parts", True)
    assert title_of(command("ls", folder=tmp_path)).target == "a command"
    assert title_of(question()) == ("edit", "src/a.py", False)


def test_target_is_the_title_or_the_first_target() -> None:
    bare = question(preview=Preview(kind="none"), targets=(Target(kind="host", name="example.org", access="reach"),))
    assert target_of(bare) == "example.org"
    assert target_of(question(preview=Preview(kind="none"))) == ""


def test_chain_of_agents_begins_with_the_main_one() -> None:
    assert agents_of(question()) == "main"
    assert agents_of(question(agent=("reviewer", "clea\u202ener"))) == "main › reviewer › clea⟨U+202E⟩ner"
    assert queue_name(question(), "1 Edit") == "edit src/a.py, 1 Edit, main"
    assert workspace_name("/home/x/tide\u200bwatch") == "tide⟨U+200B⟩watch"


def test_telling_reasons_come_first() -> None:
    general = Reason(code="shell.command", text="Every command asks.")
    special = Reason(code="shell.network", text="curl reaches the network.")
    worst = Reason(code="shell.destroys", text="It deletes.")
    allowed = Reason(code="rule.allow", text="A rule allows it.", outcome="allow")
    assert asking_reasons(question(reasons=(general, MODE_ASKS, allowed, special, worst))) == [worst, special, general, MODE_ASKS]


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        (MODE_ASKS, "Changing a file asks in this mode."),
        (Reason(code="floor.outside", text="It leads outside.", subject="/etc/x"), "It leads outside. (/etc/x)"),
        (Reason(code="shell.not_understood", text="It is not understood: a loop.", subject="a loop"), "It is not understood: a loop."),
        (Reason(code="x", text="Long.", subject="y" * 1000), "Long. (" + "y" * 400 + " … +600 characters)"),
    ],
)
def test_reason_says_what_it_is_about(reason: Reason, sentence: str) -> None:
    assert sentence_of(reason, question()) == sentence


def test_reason_of_a_single_part_names_it(tmp_path: Path) -> None:
    asked = command("ls && rm -rf x", folder=tmp_path)
    (deletes,) = [reason for reason in asked.reasons if reason.code == "shell.destroys"]
    assert part_of(deletes, asked.parts) == 2
    assert part_of(deletes, asked.parts[1:]) == 0
    assert part_of(MODE_ASKS, asked.parts) == 0


def test_shortened_text_says_how_much_is_left_out() -> None:
    assert shortened("abc", 3) == "abc"
    assert shortened("abcdefgh" * 1000, 4) == "abcd … +7,996 characters"


def test_reason_for_no_rule_is_told(tmp_path: Path) -> None:
    assert no_rule_because(with_rules()) == ""
    assert no_rule_because(with_rules(danger=3)) == "No “Always” at level 3."
    assert no_rule_because(question(danger=4)) == "No “Always” at level 4."
    assert no_rule_because(command("python x.py", folder=tmp_path, can_always=False)) == "No “Always”: no rule would say what this does."
    assert no_rule_because(with_rules(badges=("hidden_characters",))) == "No “Always”: hidden characters."
    assert no_rule_because(question()) == "No “Always”: more than the mode asks here."
    assert no_rule_because(question(can_always=True)) != "", "no rule is in the question"


def test_marks_and_targets() -> None:
    asked = question(badges=("protected", "hidden_characters"), targets=(Target(kind="path", name="/x", access="write", outside=True),))
    assert marks_of(asked) == ["protected", "hidden characters"]
    assert [target.name for target in outside_targets(asked)] == ["/x"]


def test_history_of_a_question_is_read_from_the_journal() -> None:
    asked = question(arguments={"file_path": "edited"})
    model = decided(1, arguments={"file_path": "sent"}, notices=("Ignored: x.",))
    edited = decided(3, arguments={"file_path": "edited"}, edited=True)
    same_id_earlier = decided(0, arguments={"file_path": "other turn"}, turn_id="t0")
    other = decided(2, "call_q2", arguments={"file_path": "other"})
    first = made_by(question(), [same_id_earlier, model, other])
    assert (first.arguments, first.notices, first.edited) == ({"file_path": "sent"}, ("Ignored: x.",), False)
    again = made_by(asked, [same_id_earlier, model, other, edited])
    assert (again.arguments, again.edited) == ({"file_path": "sent"}, True)
    assert made_by(asked, []).arguments == {"file_path": "edited"}


def test_notes_on_a_command_stand_below_it(tmp_path: Path) -> None:
    preview = Preview(kind="diff", title="a", notes=("note one",))
    made = made_by(question(), [decided(1, notices=("changed",))])
    assert notes_of(question(preview=preview), made) == ["note one", "changed"]
    assert notes_of(command("ls", folder=tmp_path), made) == ["changed"]


def test_what_holds_for_several_parts_is_said_once_and_only_where_nothing_else_is_to_be_said() -> None:
    unknown = Reason(code="shell.command", text="It is not known to only read.", subject="a")
    also = Reason(code="shell.command", text="It is not known to only read.", subject="b")
    plain = bash(part("a", reasons=(unknown,)), part("b", reasons=(also,)), reasons=(unknown, also))
    assert why_lines(plain) == ["Parts 1, 2: It is not known to only read."]
    deletes = Reason(code="shell.destroys", text="It deletes.", subject="b")
    grave = bash(part("a", reasons=(unknown,)), part("b", reasons=(also, deletes)), reasons=(unknown, also, deletes))
    assert why_lines(grave) == ["Part 2: It deletes. (b)"]
    assert why_lines(question(reasons=(MODE_ASKS,))) == ["Changing a file asks in this mode."]
