"""Read, list, find, search: one call, then a sentence that says what the result says."""

from __future__ import annotations

import pytest

from tests.practice.dialogue import Dialogue, file_result

LONG = file_result("a.py", "\n".join(["import os"] * 42))
NOTHING = "No files found.\n3 matches are in ignored folders or files; use include_ignored."
LOOKS: list[tuple[str, str, str, str, str]] = [
    ("read a.py", "read", '{"file_path": "a.py"}', LONG, "`a.py` has 42 lines; it begins with “import os”."),
    ("读 a.py", "read", '{"file_path": "a.py"}', LONG, "`a.py` 共 42 行，开头是“import os”。"),
    (
        "read lines 3 to 5 of a.py",
        "read",
        '{"file_path": "a.py", "offset": 3, "limit": 3}',
        file_result("a.py", "x\ny\nz", first=3, total=9),
        "Lines 3 to 5 of 9 of `a.py`:\n\n```\nx\ny\nz\n```",
    ),
    ("read a.py", "read", '{"file_path": "a.py"}', file_result("a.py", "x\ny"), "`a.py` has 2 lines:\n\n```\nx\ny\n```"),
    ("list src", "list", '{"path": "src"}', "pkg/\n  a.py\nb.py", "`src` shows 1 folder and 2 files: `pkg/`, `b.py`."),
    ("列出文件", "list", '{"path": "."}', "pkg/\n  a.py\nb.py", "当前文件夹：1 个文件夹、2 个文件，有 `pkg/`、`b.py`。"),
    ("list", "list", '{"path": "."}', "(the folder is empty)", "This folder is empty."),
    ("find *.py", "glob", '{"pattern": "*.py"}', "Found 2 files:\na.py\nb.py", "2 files match `*.py`: `a.py`, `b.py`."),
    ("查找 *.py", "glob", '{"pattern": "*.py"}', "Found 1 file:\na.py", "有一个文件符合 `*.py`：`a.py`。"),
    ("find *.zig", "glob", '{"pattern": "*.zig"}', NOTHING, f"No file matches `*.zig`. ({NOTHING.splitlines()[1]})"),
    (
        "search TODO in src",
        "grep",
        '{"pattern": "TODO", "path": "src"}',
        "Found 3 matches in 2 files:\na.py\n  1: TODO\n  2: TODO\nb.py\n  1: TODO",
        "“TODO” occurs 3 times in 2 files: `a.py`, `b.py`.",
    ),
    ("search a(b", "grep", '{"pattern": "a(b", "literal": true}', "Found 1 match in 1 file:\na.py\n  1: a(b", "“a(b” occurs once, in `a.py`."),
    ("搜索“两位”", "grep", '{"pattern": "两位"}', "Found 2 matches in 1 file:\na.md\n  1: 两位\n  2: 两位", "“两位”出现 2 次，都在 `a.md` 里。"),
    ("搜索 TODO", "grep", '{"pattern": "TODO"}', "No matches found.", "没有找到“TODO”。"),
]


@pytest.mark.parametrize(("question", "tool", "arguments", "result", "said"), LOOKS, ids=[question for question, *_ in LOOKS])
def test_one_call_and_a_sentence_about_its_result(question: str, tool: str, arguments: str, result: str, said: str) -> None:
    dialogue = Dialogue()
    dialogue.ask(question)
    assert dialogue.calls() == [(tool, arguments)]
    reply = dialogue.give(result)
    assert reply.text() == said
    assert reply.finish_reason == "end"


def test_several_files_are_read_in_one_message() -> None:
    dialogue = Dialogue()
    dialogue.ask("read a.py, b.py and c.py")
    assert [arguments for _, arguments in dialogue.calls()] == ['{"file_path": "a.py"}', '{"file_path": "b.py"}', '{"file_path": "c.py"}']
    text = dialogue.give(file_result("a.py", "1"), "Error (binary_file): 'b.py' is not text.", file_result("c.py", "3")).text()
    assert "`a.py` has one line: “1”." in text
    assert "`read b.py` did not work (binary_file): 'b.py' is not text." in text
    assert "`c.py` has one line: “3”." in text


def test_nearest_offered_name_is_read_instead_of_a_missing_one() -> None:
    dialogue = Dialogue()
    dialogue.ask("read readme.md")
    reply = dialogue.give("Error (file_not_found): 'readme.md' does not exist.\nDid you mean README.md?")
    assert "`readme.md` does not exist; the nearest name is `README.md`" in reply.text()
    assert dialogue.calls() == [("read", '{"file_path": "README.md"}')]
    assert "`README.md` has one line" in dialogue.give(file_result("README.md", "x")).text()


def test_names_that_are_not_near_are_offered_to_the_person() -> None:
    dialogue = Dialogue()
    dialogue.ask("读 a.py")
    reply = dialogue.give("Error (file_not_found): 'a.py' does not exist.\nDid you mean something_else.txt?")
    assert not reply.calls()
    assert "你是不是指 `something_else.txt`" in reply.text()


def test_second_missing_file_is_not_chased() -> None:
    dialogue = Dialogue()
    dialogue.ask("read a.py")
    error = "Error (file_not_found): it does not exist.\nDid you mean a.py?"
    dialogue.give(error)
    assert not dialogue.give(error).calls()


def test_empty_file_folder_and_picture_are_said_to_be_what_they_are() -> None:
    for result, said in (
        ("<path>x</path>\n<type>file</type>\n(the file is empty)", "`x` is empty."),
        ("<path>x</path>\n<type>folder</type>\n<entries>\na/\nb\n</entries>", "`x` is a folder with 2 entries: `a/`, `b`."),
        ("PNG 2400×900, 310 KB", "`x`: PNG 2400×900, 310 KB"),
    ):
        dialogue = Dialogue()
        dialogue.ask("read x")
        assert dialogue.give(result).text() == said


def test_secrets_are_not_repeated() -> None:
    for path in (".env", "config/server.key", ".env.local"):
        dialogue = Dialogue()
        dialogue.ask(f"read {path}")
        text = dialogue.give(file_result(path, "KEY=hidden\nOTHER=hidden")).text()
        assert "hidden" not in text
        assert "2 lines" in text
    dialogue = Dialogue()
    dialogue.ask("read .env.example")
    assert "KEY=" in dialogue.give(file_result(".env.example", "KEY=\nOTHER=")).text()
