"""Old bytes are written over only in the very file that was read, with the names it had."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace, place
from workbench.errors import FileRefused
from workbench.workspace.files import read_file
from workbench.workspace.in_place import write_in_place
from workbench.workspace.paths import ResolvedPath


@pytest.fixture
def found(tmp_path: Path) -> ResolvedPath:
    return place(make_workspace(tmp_path), "a", b"old and longer")


def test_all_names_have_the_new_bytes(found: ResolvedPath) -> None:
    found.real.with_name("b").hardlink_to(found.real)
    write_in_place(found, b"new", read_file(found))
    assert (found.real.with_name("b").read_bytes(), found.real.samefile(found.real.with_name("b"))) == (b"new", True)


def test_file_that_got_another_name_meanwhile_is_left_alone(found: ResolvedPath, tmp_path: Path) -> None:
    old = read_file(found)
    (tmp_path / "outside" / "b").hardlink_to(found.real)
    with pytest.raises(FileRefused) as refused:
        write_in_place(found, b"new", old)
    assert (refused.value.kind, (tmp_path / "outside" / "b").read_bytes()) == ("changed_during_approval", b"old and longer")


def test_other_file_of_the_name_is_left_alone(found: ResolvedPath, tmp_path: Path) -> None:
    old = read_file(found)
    (tmp_path / "outside" / "secret").write_bytes(b"SECRET")
    for take_name in (found.real.hardlink_to, found.real.symlink_to):
        found.real.unlink()
        take_name(tmp_path / "outside" / "secret")
        with pytest.raises(FileRefused) as refused:
            write_in_place(found, b"new", old)
        assert refused.value.kind == "changed_during_approval"
    assert (tmp_path / "outside" / "secret").read_bytes() == b"SECRET"
