"""Paths that no file tool takes are refused by their text, on POSIX and on Windows; odd but honest names are taken."""

from __future__ import annotations

import pytest

from workbench.errors import FileRefused
from workbench.workspace.names import refuse_bad_name

HONEST = ["", ".", "a b/ü.txt", "-rf", "...", "..a", "a..", "a\nb", " a", "$HOME/x", "..%2fx", "src\\app.py", "./~", "~/x", "~", "a:b", "C:x", "x\udcff"]
ELSEWHERE_ON_WINDOWS = [
    *("C:win.ini", "\\x", "/x", "\\\\server\\share\\x", "//server/share", "\\\\?\\C:\\x", "\\\\.\\PhysicalDrive0"),
    *("CON", "nul.txt", "aux ", "a/COM1.log", "a.txt:stream", "a.txt.", "a.txt "),
]


@pytest.mark.parametrize("request_", HONEST)
def test_odd_but_honest_names_are_taken_on_posix(request_: str) -> None:
    refuse_bad_name(request_, windows=False)


@pytest.mark.parametrize("request_", ["a\0b", "a\ud800", "x" * 256, "d/" * 2049, "file:///etc/passwd", "HTTP://x/y", "~root/.bashrc", "~root", "é" * 128])
def test_names_that_cannot_be_a_path_are_refused_in_one_sentence(request_: str) -> None:
    with pytest.raises(FileRefused) as caught:
        refuse_bad_name(request_, windows=False)
    assert caught.value.kind == "invalid_arguments"
    assert caught.value.text.endswith(".")
    assert len(caught.value.text) < 250


@pytest.mark.parametrize("request_", ELSEWHERE_ON_WINDOWS)
def test_names_that_mean_another_place_on_windows_are_refused(request_: str) -> None:
    with pytest.raises(FileRefused):
        refuse_bad_name(request_, windows=True)


@pytest.mark.parametrize("request_", ["C:\\Users\\x", "c:/users/x", "src\\app.py", "..\\x", "console.txt", "com10", ".gitignore", "%USERPROFILE%\\x"])
def test_ordinary_names_are_taken_on_windows(request_: str) -> None:
    refuse_bad_name(request_, windows=True)
