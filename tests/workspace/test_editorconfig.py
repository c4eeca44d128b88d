"""A file's encoding and line ends are taken from the nearest .editorconfig section that fits its name."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from workbench.workspace.editorconfig import FileStyle, file_style


def style(folder: Path, text: str, name: str) -> FileStyle:
    (folder / ".editorconfig").write_text(text, encoding="utf-8")
    return file_style(folder / name, folder)


@pytest.mark.parametrize(
    ("section", "name", "fits"),
    [
        ("*", "a/b.c", True),
        ("*.py", "a/b.py", True),
        ("*.{js,py}", "x.py", True),
        ("lib/**.js", "lib/a/b.js", True),
        ("{package.json,.travis.yml}", "package.json", True),
        ("[Mm]akefile", "makefile", True),
        ("a[!b].c", "ab.c", False),
        ("/x.c", "a/x.c", False),
        ("file{1..3}.txt", "file2.txt", True),
        ("src/*.c", "src/a/b.c", False),
        ("a.c", "axc", False),
        ("[", "[", True),
    ],
)
def test_section_fits(tmp_path: Path, section: str, name: str, fits: bool) -> None:
    assert style(tmp_path, f"[{section}]\ncharset = latin1\n", name).charset == ("latin1" if fits else "")


def test_later_sections_and_nearer_files_win(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / ".editorconfig").write_text("[*]\nend_of_line = CRLF\n")
    text = "# c\nroot = true\n[*]\ncharset=utf-8\nend_of_line=lf\n[*.bat]\nend_of_line = cr ; no\nend_of_line = cr\n"
    assert style(tmp_path, text, "x.bat") == FileStyle("utf-8", "\r")
    assert style(tmp_path, text, "sub/x.bat") == FileStyle("utf-8", "\r\n")


def test_root_ends_the_search_and_the_workspace_is_its_limit(tmp_path: Path) -> None:
    (tmp_path / ".editorconfig").write_text("[*]\ncharset=latin1\n")
    top = tmp_path / "ws"
    (top / "sub").mkdir(parents=True)
    assert file_style(top / "sub" / "x", top) == FileStyle()
    (top / ".editorconfig").write_text("[*]\ncharset=big5\n")
    (top / "sub" / ".editorconfig").write_text("root=true\n")
    assert file_style(top / "sub" / "x", top) == FileStyle()
    assert file_style(tmp_path / "elsewhere", top) == FileStyle()


def test_damaged_and_hostile_files_say_nothing(tmp_path: Path) -> None:
    started = time.monotonic()
    for text in ("\0\0[*", "[" + "*a" * 200 + "]\ncharset=x\n", "[" + "{a,b}" * 500 + "]\ncharset=x\n", "[[z-a]]\ncharset=x\n", "charset=x\n"):
        assert style(tmp_path, text, "a" * 200).charset == ""
    assert time.monotonic() - started < 2
    (tmp_path / ".editorconfig").unlink()
    (tmp_path / ".editorconfig").mkdir()
    assert file_style(tmp_path / "a", tmp_path) == FileStyle()
