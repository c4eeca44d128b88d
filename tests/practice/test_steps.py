"""Whatever becomes of a call, the answer fits: rejected, edited, denied, stopped, unknown. No rejected call is made again."""

from __future__ import annotations

import pytest

from tests.practice.dialogue import Dialogue, file_result
from workbench.agent import outcomes as told
from workbench.agent.approvals import Answered

REJECTED = told.rejected(Answered("reject")).result.text
NOTED = told.rejected(Answered("reject", "No new dependency, please.")).result.text
ASKED = [
    "run pip install x",
    "read a.py",
    "list src",
    "find *.py",
    "search TODO",
    "replace a with b in c.txt",
    "write a.txt with content x",
    "what time is it",
    "calculate 1 + 1",
    "run the tests",
    "weather in Paris",
    "Introduce this project",
    "drill: endless loop",
    "drill: unknown tool",
    "drill: broken arguments",
    "drill: cut call",
]


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("result", [REJECTED, NOTED], ids=["bare", "with a note"])
def test_rejected_call_is_not_made_again(question: str, result: str) -> None:
    dialogue = Dialogue()
    asked = dialogue.ask(question)
    reply = dialogue.give(*[result] * len(asked.calls()))
    assert not reply.calls()
    assert "rejected" in reply.text()


def test_words_of_the_person_are_quoted() -> None:
    dialogue = Dialogue()
    dialogue.ask("run pip install x")
    text = dialogue.give(NOTED).text()
    assert text == "You rejected `bash pip install x` and wrote: “No new dependency, please.” I follow that and do not try the same call again."


def test_words_of_the_person_are_quoted_in_chinese() -> None:
    dialogue = Dialogue()
    dialogue.ask("运行 pip install x")
    note = told.rejected(Answered("reject", "不要装新东西")).result.text
    assert dialogue.give(note).text() == "你拒绝了 `bash pip install x`，并写道：“不要装新东西”。我照办，不会再发同样的调用。"


def test_rejection_in_the_middle_of_a_turn_ends_it() -> None:
    dialogue = Dialogue()
    dialogue.ask("replace two with three in a.txt")
    dialogue.give(file_result("a.txt", "two"))
    reply = dialogue.give(REJECTED)
    assert not reply.calls()
    assert "`edit a.txt`" in reply.text()


def test_edited_command_is_answered_by_what_really_ran() -> None:
    dialogue = Dialogue()
    dialogue.ask("run pytest")
    note = told.edited_note({"command": "pytest"}, {"command": "pytest -q"})
    text = dialogue.give(f"{note}\n5 passed\n[exit code 0 · 0.4 s]").text()
    assert text.startswith("You changed the call before it ran, so this is about what really ran.")
    assert 'command is "pytest -q" instead of "pytest"' in text
    assert "Its last line: “5 passed”" in text


def test_edited_change_is_not_told_as_the_wish_it_was() -> None:
    dialogue = Dialogue()
    dialogue.ask("把 a.txt 里的“二”改成“三”")
    dialogue.give(file_result("a.txt", "二"))
    note = told.edited_note({"new_string": "三"}, {"new_string": "四"})
    text = dialogue.give(f"{note}\nEdited a.txt: 1 replacement").text()
    assert "你在运行之前修改了这个调用" in text
    assert "已改成“三”" not in text
    assert "Edited a.txt: 1 replacement" in text


def test_edited_listing_is_still_a_listing() -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    dialogue.give(told.edited_note({"path": "."}, {"path": ".", "depth": 1}) + "\nREADME.md\nmain.py")
    assert [name for name, _ in dialogue.calls()] == ["read", "read"]


ENDS = [
    (
        "Error (denied): The call was refused: It leaves the workspace.\nDo not retry the same call.",
        "The program does not allow `read a.py`: The call was refused: It leaves the workspace.",
    ),
    (
        "Error (cancelled): The user stopped this call before it ran.\nNothing of it was done.",
        "`read a.py` did not finish: The user stopped this call before it ran.",
    ),
    ("Error (unknown_tool): There is no tool named 'read'. Did you mean raed?\nThe tools are: raed.", "There is no tool `read` here."),
    (
        "Error (outside_workspace): 'a.py' lies outside.\nAsk for a path inside.",
        "`read a.py` did not work (outside_workspace): 'a.py' lies outside.\nAsk for a path inside.",
    ),
    ("Error (internal_error): Internal error in the program (journal 7).", "internal_error"),
]


@pytest.mark.parametrize(("result", "said"), ENDS)
def test_other_ends_are_told(result: str, said: str) -> None:
    dialogue = Dialogue()
    dialogue.ask("read a.py")
    reply = dialogue.give(result)
    assert said in reply.text()
    assert not reply.calls()


def test_call_without_result_is_told() -> None:
    dialogue = Dialogue()
    dialogue.ask("read a.py")
    assert "No result came back for `read a.py`." in dialogue._answer().text()


def test_calls_rejected_alike_are_named_together() -> None:
    dialogue = Dialogue()
    dialogue.ask("read a.py and b.py")
    text = dialogue.give(NOTED, NOTED).text()
    assert text.startswith("You rejected `read a.py`, `read b.py` and wrote:")


def test_thoughts_tell_the_rule_and_the_next_step() -> None:
    dialogue = Dialogue()
    assert dialogue.ask("read a.py").reasoning() == "The words fit the pattern “read FILE”. Next: read."
    assert dialogue.ask("读 a.py").reasoning() == "这句话符合句式“读 文件”。下一步：read。"
