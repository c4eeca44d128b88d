"""Tests of a session's folder: made private and whole, and taken away without touching anything else."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from workbench.errors import StoreError
from workbench.store.session_files import SessionFiles, sync_folder


def test_a_new_folder_is_private_and_has_its_places(tmp_path: Path) -> None:
    files = SessionFiles(tmp_path / "sessions" / "s")
    files.make()
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in files.folder.iterdir()} == {
        "journal.sqlite": 0o600,
        "objects": 0o700,
        "outputs": 0o700,
    }
    assert stat.S_IMODE(files.folder.stat().st_mode) == 0o700
    files.require()


def test_a_session_is_never_made_over_another(tmp_path: Path) -> None:
    files = SessionFiles(tmp_path / "s")
    files.make()
    files.journal.write_bytes(b"mine")
    with pytest.raises(StoreError, match="open it instead"):
        files.make()
    assert files.journal.read_bytes() == b"mine"


def test_discarding_leaves_what_is_not_ours(tmp_path: Path) -> None:
    files = SessionFiles(tmp_path / "s")
    files.make()
    (files.folder / "note.txt").write_text("a person's")
    files.discard()
    assert [path.name for path in files.folder.iterdir()] == ["note.txt"]
    (files.folder / "note.txt").unlink()
    files.folder.rmdir()
    files.discard()


def test_a_folder_without_a_journal_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="There is no session in"):
        SessionFiles(tmp_path).require()


def test_names_can_be_made_durable(tmp_path: Path) -> None:
    sync_folder(tmp_path)
    with pytest.raises(OSError, match="No such file"):
        sync_folder(tmp_path / "none")
