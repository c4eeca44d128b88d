"""Replace looks before it changes and repairs what another read can repair; write reads what stands in its way."""

from __future__ import annotations

from tests.practice.dialogue import Dialogue, file_result

ASKED = "Replace “two” with “three” in notes.txt"


def test_replace_reads_first_and_then_edits_once() -> None:
    dialogue = Dialogue()
    dialogue.ask(ASKED)
    assert dialogue.calls() == [("read", '{"file_path": "notes.txt"}')]
    dialogue.give(file_result("notes.txt", "one\ntwo\n"))
    assert dialogue.calls() == [("edit", '{"file_path": "notes.txt", "old_string": "two", "new_string": "three"}')]
    text = dialogue.give("Edited notes.txt: 1 replacement, line 2 (+1 −1)").text()
    assert text == "Done: `notes.txt` now has “three” in place of “two”. The tool says: Edited notes.txt: 1 replacement, line 2 (+1 −1)"


def test_replace_in_chinese() -> None:
    dialogue = Dialogue()
    dialogue.ask("把 README.md 里的“两位”改成“一位或两位”")
    dialogue.give(file_result("README.md", "目前必须写成两位。\n"))
    assert dialogue.calls() == [("edit", '{"file_path": "README.md", "old_string": "两位", "new_string": "一位或两位"}')]
    assert dialogue.give("Edited README.md").text().startswith("完成：`README.md` 里的“两位”已改成“一位或两位”。")


def test_text_that_stands_there_more_than_once_is_replaced_everywhere() -> None:
    dialogue = Dialogue()
    dialogue.ask(ASKED)
    assert "2 times" in dialogue.give(file_result("notes.txt", "two\ntwo\n")).text()
    assert dialogue.calls() == [("edit", '{"file_path": "notes.txt", "old_string": "two", "new_string": "three", "replace_all": true}')]


def test_text_that_is_not_there_is_not_replaced() -> None:
    dialogue = Dialogue()
    dialogue.ask(ASKED)
    reply = dialogue.give(file_result("notes.txt", "one\nTwo\n"))
    assert not reply.calls()
    assert reply.text() == "“two” does not stand in `notes.txt`, so there is nothing to replace. In other letter case it stands in line 2: “Two”."


def test_text_outside_of_the_shown_part_is_left_to_the_tool() -> None:
    dialogue = Dialogue()
    dialogue.ask(ASKED)
    dialogue.give(file_result("notes.txt", "one\n", total=5000))
    assert dialogue.calls() == [("edit", '{"file_path": "notes.txt", "old_string": "two", "new_string": "three"}')]
    reply = dialogue.give("Error (old_string_not_found): 'two' is not in notes.txt.\nRead it again.")
    assert not reply.calls()
    assert "old_string_not_found" in reply.text()
    assert "Read it again." in reply.text()


def test_empty_replacement_removes() -> None:
    dialogue = Dialogue()
    dialogue.ask("replace “two” with “” in notes.txt")
    dialogue.give(file_result("notes.txt", "one two\n"))
    assert "is gone from `notes.txt`" in dialogue.give("Edited notes.txt").text()


def test_equal_texts_need_no_tool() -> None:
    reply = Dialogue().ask("replace “a” with “a” in b.txt")
    assert not reply.calls()
    assert "same" in reply.text()


def test_near_name_is_used_when_the_file_is_missing() -> None:
    dialogue = Dialogue()
    dialogue.ask("Replace “two” with “three” in note.txt")
    dialogue.give("Error (file_not_found): 'note.txt' does not exist.\nDid you mean notes.txt?")
    assert dialogue.calls() == [("read", '{"file_path": "notes.txt"}')]
    dialogue.give(file_result("notes.txt", "two"))
    assert '"file_path": "notes.txt"' in dialogue.calls()[0][1]


def test_file_that_changed_meanwhile_is_read_again_and_not_forever() -> None:
    dialogue = Dialogue()
    dialogue.ask(ASKED)
    dialogue.give(file_result("notes.txt", "two"))
    dialogue.give("Error (stale_file): notes.txt was changed outside.\nRead it again.")
    assert dialogue.calls() == [("read", '{"file_path": "notes.txt"}')]
    dialogue.give(file_result("notes.txt", "a two"))
    assert dialogue.calls()[0][0] == "edit"
    dialogue.give("Error (stale_file): notes.txt was changed outside.\nRead it again.")
    dialogue.give(*[file_result("notes.txt", "two")] * len(dialogue.reply.calls()))
    while dialogue.reply.calls():
        assert len(dialogue.messages) < 30
        dialogue.give("Error (stale_file): notes.txt was changed outside.")
    assert "stale_file" in dialogue.reply.text()


def test_without_read_it_edits_straight_away() -> None:
    dialogue = Dialogue(tools=("edit",))
    dialogue.ask(ASKED)
    assert dialogue.calls() == [("edit", '{"file_path": "notes.txt", "old_string": "two", "new_string": "three"}')]


def test_write_writes_and_says_what_the_tool_said() -> None:
    dialogue = Dialogue()
    assert "(2 lines)" in dialogue.ask("write notes.txt with content:\none\ntwo").text()
    assert dialogue.calls() == [("write", '{"file_path": "notes.txt", "content": "one\\ntwo"}')]
    assert dialogue.give("Created notes.txt (2 lines)").text() == "Done: Created notes.txt (2 lines)"


def test_write_in_chinese() -> None:
    dialogue = Dialogue()
    dialogue.ask("写文件 notes.txt，内容是：你好")
    assert dialogue.calls() == [("write", '{"file_path": "notes.txt", "content": "你好"}')]
    assert dialogue.give("Created notes.txt (1 line)").text() == "完成：Created notes.txt (1 line)"


def test_existing_file_is_read_before_it_is_replaced() -> None:
    dialogue = Dialogue()
    dialogue.ask("write notes.txt with content new")
    dialogue.give("Error (not_read): 'notes.txt' exists and was not read in this session.\nRead it first, or change a part of it with edit.")
    assert dialogue.calls() == [("read", '{"file_path": "notes.txt"}')]
    dialogue.give(file_result("notes.txt", "old"))
    assert dialogue.calls() == [("write", '{"file_path": "notes.txt", "content": "new"}')]
    assert dialogue.give("Replaced notes.txt (+1 −1 lines)").text().startswith("Done: Replaced")


def test_file_without_content_is_asked_back() -> None:
    reply = Dialogue().ask("write notes.txt")
    assert not reply.calls()
    assert "What should stand in `notes.txt`?" in reply.text()


def test_written_file_that_could_not_be_written_is_told() -> None:
    dialogue = Dialogue()
    dialogue.ask("write notes.txt with content new")
    assert "read_only_file" in dialogue.give("Error (read_only_file): 'notes.txt' cannot be written.").text()
