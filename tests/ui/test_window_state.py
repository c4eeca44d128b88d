"""The window remembers its shape, and nothing odd in the file can harm it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray

from workbench.ui.window_state import PaneSizes, WindowState


def test_shape_comes_back(tmp_path: Path) -> None:
    state = WindowState(tmp_path / "window.ini")
    assert (state.geometry, state.panes, state.side) == (None, PaneSizes(), {})
    state.panes.side, state.panes.inspector_open = 300, False
    state.save(QByteArray(b"\x01\x02"), {"closed": ["changes"], "folder": "/a b/项目"})
    again = WindowState(tmp_path / "window.ini")
    assert again.geometry == QByteArray(b"\x01\x02")
    assert again.panes == PaneSizes(side=300, inspector_open=False)
    assert again.side == {"closed": ["changes"], "folder": "/a b/项目"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[General]\npanes=5\nside=[]\ngeometry=no\n",
        '[General]\npanes="{\\"side\\": -5, \\"inspector\\": \\"wide\\", \\"side_open\\": 1, \\"other\\": 3}"\n',
        '[General]\npanes="{"\nside="null"\n',
        "\0\0\0 nonsense",
    ],
)
def test_odd_files_count_as_not_there(tmp_path: Path, text: str) -> None:
    (tmp_path / "window.ini").write_text(text)
    state = WindowState(tmp_path / "window.ini")
    assert (state.geometry, state.panes, state.side) == (None, PaneSizes(), {})


def test_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    state = WindowState(tmp_path / "missing" / "more" / "window.ini")
    state.save(QByteArray(b"x"), {})
