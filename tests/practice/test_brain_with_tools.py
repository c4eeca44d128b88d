"""Whole turns against the real tools in real folders: the sample project, this repository's shape, an empty folder, a large one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.practice.golden_weather import QUESTION, ROUNDS
from tests.practice.workspace import Room
from tests.shared import ROOT
from tests.wire.sites import page, site

ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8"}


def room(folder: Path, tmp_path: Path) -> Room:
    return Room(folder, tmp_path / "outputs", ENVIRONMENT)


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """A copy of the sample project."""
    return Path(shutil.copytree(ROOT / "resources" / "sample_project", tmp_path / "tidewatch", ignore=shutil.ignore_patterns("__pycache__")))


async def test_sample_project_is_introduced(sample: Path, tmp_path: Path) -> None:
    first, second, last = await room(sample, tmp_path).turn("Introduce this project")
    assert first.calls()[0].name == "list"
    paths = [(call.arguments() or {})["file_path"] for call in second.calls()]
    assert paths == ["README.md", "pyproject.toml", "src/tidewatch/cli.py", "tests/test_dates.py"]
    assert last.text().startswith("## tidewatch\n\nReads a table of tides")
    assert "| Name | `tidewatch` 0.3.0 |" in last.text()
    assert "`tidewatch` → `tidewatch.cli:main`" in last.text()


async def test_sample_project_is_introduced_in_chinese(sample: Path, tmp_path: Path) -> None:
    _, second, last = await room(sample, tmp_path).turn("介绍一下这个项目")
    assert (second.calls()[0].arguments() or {})["file_path"] == "README.zh.md"
    assert last.text().startswith("## tidewatch 潮汐小工具\n\n从 CSV 文件读取潮汐表")


async def test_prompts_of_the_first_run_change_the_sample_once(sample: Path, tmp_path: Path) -> None:
    ours = room(sample, tmp_path)
    await ours.turn("Replace “two digits” with “one or two digits” in README.md")
    last = (await ours.turn("把 README.md 里的“两位”改成“一位或两位”"))[-1]
    text = (sample / "README.md").read_text(encoding="utf-8")
    assert text.count("one or two digits") == 1
    assert text.count("一位或两位") == 1
    assert last.text().startswith("完成：")


async def test_bug_of_the_sample_is_found_fixed_and_tested(sample: Path, tmp_path: Path) -> None:
    ours = room(sample, tmp_path)
    assert "exit code 1" in (await ours.turn("run the tests"))[-1].text()
    assert "occurs" in (await ours.turn("search “\\d{2}” in src"))[-1].text()
    old, new = r"(\d{4})-(\d{2})-(\d{2})", r"(\d{4})-(\d{1,2})-(\d{1,2})"
    assert "Done" in (await ours.turn(f"replace `{old}` with `{new}` in src/tidewatch/dates.py"))[-1].text()
    last = (await ours.turn("run the tests"))[-1].text()
    assert last == "The command ended well (exit code 0). Its last line: “OK”"


async def test_line_endings_of_the_table_stay(sample: Path, tmp_path: Path) -> None:
    await room(sample, tmp_path).turn("replace “5.70” with “5.75” in data/harbour.csv")
    content = (sample / "data" / "harbour.csv").read_bytes()
    assert b"19:20,high,5.75\r\n" in content
    assert content.count(b"\r\n") == content.count(b"\n") == 13


async def test_every_looking_ability_works_on_the_sample(sample: Path, tmp_path: Path) -> None:
    ours = room(sample, tmp_path)
    for question, said in (
        ("read pyproject.toml", "`pyproject.toml` has 17 lines"),
        ("read readme.md", "`README.md` has 41 lines"),
        ("read lines 9 to 10 of src/tidewatch/dates.py", "Lines 9 to 10 of 29"),
        ("list src", "`tidewatch/`"),
        ("find *.csv", "One file matches `*.csv`: `data/harbour.csv`."),
        ("find *.zig", "No file matches `*.zig`."),
        ("search parse_date in src", "“parse_date” occurs"),
        ("搜索“潮汐表”", "`README.zh.md`"),
        ("search nothing_like_this", "does not occur"),
        ("what time is it?", "It is 20"),
        ("calculate 12 * 34", "`12 * 34` = 408"),
        ("weather in London", "light rain"),
        ("weather in Atlantis", "unknown_city"),
    ):
        assert said in (await ours.turn(question))[-1].text(), question


async def test_file_is_written_replaced_and_read(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "old.txt").write_text("old\n")
    ours = room(folder, tmp_path)
    assert "Created" in (await ours.turn("write docs/new.txt with content: hello"))[-1].text()
    assert (folder / "docs" / "new.txt").read_text() == "hello"
    replies = await ours.turn("write old.txt with content: new")
    assert [call.name for reply in replies for call in reply.calls()] == ["write", "read", "write"]
    assert (folder / "old.txt").read_text() == "new"


async def test_weather_is_answered_as_printed_from_the_real_tools(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    replies = await room(tmp_path / "ws", tmp_path).turn(QUESTION)
    assert [(reply.reasoning(), reply.text()) for reply in replies] == [(printed.reasoning, printed.text) for printed in ROUNDS]
    assert [reply.usage.input_tokens for reply in replies] == [503, 571, 624]


async def test_empty_folder_is_introduced_as_empty(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    assert "empty" in (await room(tmp_path / "ws", tmp_path).turn("Introduce this project"))[-1].text()


async def test_large_folder_is_introduced(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    for number in range(600):
        (folder / f"part{number % 30}").mkdir(parents=True, exist_ok=True)
        (folder / f"part{number % 30}" / f"module{number}.py").write_text(f"def run{number}(): ...\n")
    text = (await room(folder, tmp_path).turn("what is this repository?"))[-1].text()
    assert "the folder is large" in text
    assert "defines `run" in text


async def test_this_very_repository_is_introduced(tmp_path: Path) -> None:
    _, second, last = await room(ROOT, tmp_path).turn("介绍一下这个项目")
    assert 3 <= len(second.calls()) <= 4
    assert {call.name for call in second.calls()} == {"read"}
    assert "`agent-workbench` 0." in last.text()
    assert last.text().startswith("## ")


async def test_page_of_a_real_server_is_fetched(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    async with site({"/": page("<title>Tides</title><p>High water at nine.</p>")}) as server:
        replies = await room(tmp_path / "ws", tmp_path).turn(f"fetch http://127.0.0.1:{server.port}/")
        assert len(server.heads) == 1
    assert [call.name for call in replies[0].calls()] == ["webfetch"]
    assert replies[-1].text() == f"`http://127.0.0.1:{server.port}/` gave 2 lines of text; it begins with “Tides”."
