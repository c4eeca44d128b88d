"""A project is introduced in three steps from what really came back, in any folder, in both languages."""

from __future__ import annotations

import json

import pytest

from tests.practice.dialogue import Dialogue, file_result

LISTING = "docs/\n  guide.md\nsrc/\n  pkg/\n    __init__.py\n    cli.py\ntests/\n  test_cli.py\n.env\nREADME.md\nREADME.zh.md\npyproject.toml\nuv.lock"
README = "# Boat\n\n[![badge](x)](y)\n\nCounts **boats** in a [harbour](http://x).\nEvery day.\n\n## Install\n\n```sh\npip install boat\n```\n\n## Use\n"
PYPROJECT = """\
[project]
name = "boat"
version = "1.2"
license = "MIT"
requires-python = ">=3.11"
dependencies = ["httpx>=1", "rich"]
[project.scripts]
boat = "boat.cli:main"
"""
CLI = '"""The command line."""\n\nimport sys\n\n\ndef main():\n    pass\n\n\nclass Parser:\n    pass\n\n\ndef _help():\n    pass\n'
TEST = "def test_main():\n    assert True\n"


def test_introduction_lists_then_reads_then_sums_up() -> None:
    dialogue = Dialogue()
    first = dialogue.ask("Introduce this project")
    assert dialogue.calls() == [("list", '{"path": "."}')]
    assert first.text()
    assert first.reasoning()
    second = dialogue.give(LISTING)
    assert dialogue.calls() == [
        ("read", '{"file_path": "README.md"}'),
        ("read", '{"file_path": "pyproject.toml"}'),
        ("read", '{"file_path": "src/pkg/cli.py"}'),
        ("read", '{"file_path": "tests/test_cli.py"}'),
    ]
    assert second.finish_reason == "tool_use"
    results = [file_result(path, text) for path, text in (("README.md", README), ("pyproject.toml", PYPROJECT), ("cli.py", CLI), ("t.py", TEST))]
    text = dialogue.give(*results).text()
    assert dialogue.reply.finish_reason == "end"
    assert text.startswith("## Boat\n\nCounts boats in a harbour. Every day.\n\n| what | in this folder |\n|---|---|\n| Name | `boat` 1.2 |\n")
    assert "| Needs | Python >=3.11, `httpx`, `rich` |" in text
    assert "| Starts with | `boat` → `boat.cli:main` |" in text
    assert "| Licence | MIT |" in text
    assert "Markdown (3), Python (3), TOML (1)" in text
    assert "**src/pkg/cli.py** defines `main`, `Parser`, `_help`. It says of itself: “The command line.”" in text
    assert "```sh\npip install boat\n```" in text
    assert "“Install”, “Use”" in text


def test_where_an_answer_has_one_call_the_files_are_read_one_after_another() -> None:
    dialogue = Dialogue(dialect="functions")
    dialogue.ask("Introduce this project")
    reply = dialogue.give(LISTING)
    read = []
    while dialogue.calls():
        ((_name, arguments),) = dialogue.calls()
        read.append(json.loads(arguments)["file_path"])
        assert read[-1] in reply.text()
        assert "at once" not in reply.text()
        reply = dialogue.give(file_result(read[-1], README if read[-1] == "README.md" else "x\n"))
    assert read == ["README.md", "pyproject.toml", "src/pkg/cli.py", "tests/test_cli.py"]
    assert reply.text().startswith("## ")
    rejecting = Dialogue(dialect="react")
    rejecting.ask("Introduce this project")
    rejecting.give(LISTING)
    rejecting.give("Error (denied): The user rejected this call.")
    assert rejecting.calls() == []


def test_introduction_in_chinese_prefers_the_chinese_description() -> None:
    dialogue = Dialogue()
    assert "先看看文件夹" in dialogue.ask("介绍一下这个项目").text()
    assert "同时读取" in dialogue.give(LISTING).text()
    assert dialogue.calls()[0] == ("read", '{"file_path": "README.zh.md"}')
    readme = file_result("README.zh.md", "# 船\n\n数港口里的船。\n")
    text = dialogue.give(readme, file_result("p", PYPROJECT), file_result("c", CLI), file_result("t", TEST)).text()
    assert text.startswith("## 船\n\n数港口里的船。")
    assert "| 名称 | `boat` 1.2 |" in text
    assert "定义了 `main`、`Parser`" in text


def test_what_was_read_decides_and_not_what_a_name_promises() -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    dialogue.give("README.md\npyproject.toml")
    text = dialogue.give(file_result("README.md", "Nothing here yet."), file_result("pyproject.toml", "not [ toml\nname = 'x'\n")).text()
    assert text.startswith("## x\n\nNothing here yet.")
    assert "`x`" in text


def test_empty_folder_is_said_to_be_empty() -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    assert "empty" in dialogue.give("(the folder is empty)").text()
    assert not dialogue.reply.calls()


def test_folder_without_a_readme_is_introduced_by_its_files() -> None:
    dialogue = Dialogue()
    dialogue.ask("what is this repository?")
    dialogue.give("main.go\ngo.mod")
    assert [call for _, call in dialogue.calls()] == ['{"file_path": "go.mod"}', '{"file_path": "main.go"}']
    go_mod = file_result("go.mod", "module example.org/x\n\ngo 1.22\n\nrequire (\n\texample.org/lib v1.0.0\n)\n")
    text = dialogue.give(go_mod, file_result("main.go", "// Prints.\npackage main\n\nfunc main() {\n}\n")).text()
    assert "no README" in text
    assert "`example.org/x`" in text
    assert "Go 1.22, `example.org/lib`" in text


def test_folder_of_pictures_is_counted_not_read() -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    text = dialogue.give("a.png\nb.png\nc.jpg").text()
    assert ".png (2), .jpg (1)" in text
    assert not dialogue.reply.calls()


def test_secrets_locks_and_foreign_code_are_not_chosen() -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    dialogue.give(".env\nid_rsa\nserver.key\nuv.lock\npackage-lock.json\nnode_modules/\n  x/\n    index.js\n.venv/\n  main.py\nnotes.txt")
    assert dialogue.calls() == [("read", '{"file_path": "notes.txt"}')]


def test_cut_listing_of_a_huge_folder_is_told() -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    rows = "\n".join(f"file{number}.py" for number in range(200))
    dialogue.give(f"{rows}\n… 99800 more\n(not everything is shown: at most 200 entries)")
    text = dialogue.give(file_result("file0.py", "x = 1"), *[file_result("x", "y")] * (len(dialogue.reply.calls()) - 1)).text()
    assert "200 seen" in text
    assert "the folder is large" in text


def test_reads_that_failed_or_were_rejected_are_named_and_the_rest_is_summed_up() -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    dialogue.give("README.md\npyproject.toml\nmain.py")
    text = dialogue.give(
        file_result("README.md", "# Boat\n\nText."), "Error (permission_denied): pyproject.toml cannot be read.", "Error (denied): The user rejected this call."
    ).text()
    assert text.startswith("## Boat")
    assert "`read pyproject.toml` did not work (permission_denied)" in text
    assert "You rejected `read main.py`" in text


def test_nothing_readable_leaves_the_listing_to_speak() -> None:
    dialogue = Dialogue()
    dialogue.ask("介绍一下这个项目")
    dialogue.give("README.md\nmain.py")
    text = dialogue.give(*["Error (denied): The user rejected this call."] * 2).text()
    assert "只来自文件列表" in text
    assert "Python（1）" in text
    assert text.count("你拒绝了") == 1


@pytest.mark.parametrize(
    "result", ["Error (denied): The user rejected this call.", "Error (permission_denied): '.' cannot be read.", "Error (cancelled): Stopped."]
)
def test_listing_that_did_not_work_ends_the_introduction(result: str) -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    reply = dialogue.give(result)
    assert not reply.calls()
    assert "cannot introduce it" in reply.text()


def test_glob_stands_in_for_list_where_that_is_not_offered() -> None:
    dialogue = Dialogue(tools=("glob", "read"))
    dialogue.ask("Introduce this project")
    assert dialogue.calls() == [("glob", '{"pattern": "*"}')]
    dialogue.give("Found 2 files:\nREADME.md\nsrc/main.py")
    assert [name for name, _ in dialogue.calls()] == ["read", "read"]


def test_without_read_the_listing_alone_is_summed_up() -> None:
    dialogue = Dialogue(tools=("list",))
    dialogue.ask("Introduce this project")
    assert "Made from the listing alone" in dialogue.give(LISTING).text()


def test_table_cells_hold_no_bars() -> None:
    dialogue = Dialogue()
    dialogue.ask("Introduce this project")
    dialogue.give("pyproject.toml")
    text = dialogue.give(file_result("pyproject.toml", '[project]\nname = "a|b"\nversion = "1"\n')).text()
    assert "a\\|b" in text
