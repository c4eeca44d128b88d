"""Tests of exports: one file that holds the session, opens elsewhere, and appears only when it is whole."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from tests.store.folders import entries, exchange, facts
from tests.store.processes import child, line
from workbench.errors import StoreError
from workbench.store.session_store import SessionStore
from workbench.store.sessions import list_sessions


def test_an_export_holds_the_whole_session_and_opens_elsewhere(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    written = entries(facts(8))
    for entry in written:
        store.write(entry)
    ref = exchange(store, "e", [b"request"], [b"one", b"two"], 9)
    digest = store.put(b"old content")
    (store.outputs / "call_1.txt").write_text("whole output")
    store.export(tmp_path / "export.zip")  # while it is open, with nothing settled yet
    store.close()
    with zipfile.ZipFile(tmp_path / "export.zip") as archive:
        assert sorted(archive.namelist()) == ["journal.sqlite", f"objects/{digest}", "outputs/call_1.txt"]
        archive.extractall(tmp_path / "sessions" / "elsewhere")
    copy = SessionStore.open(tmp_path / "sessions" / "elsewhere")
    assert copy.entries()[:8] == written
    assert len(copy.entries()) == 10
    assert copy.session_id == "s"
    assert (copy.body(ref), [chunk.data for chunk in copy.chunks("e")]) == (b"request", [b"one", b"two"])
    assert copy.get(digest) == b"old content"
    copy.write(entries(facts(1), after=10)[0])
    copy.close()
    assert [summary.events for summary in list_sessions(tmp_path)] == [11]


def test_a_session_that_another_process_writes_can_be_exported(tmp_path: Path) -> None:
    with child("append", tmp_path / "s") as process:
        assert line(process) == "ready"
        settled = int(line(process))
        reader = SessionStore.open(tmp_path / "s", read_only=True)
        reader.export(tmp_path / "export.zip")
        reader.close()
    with zipfile.ZipFile(tmp_path / "export.zip") as archive:
        archive.extractall(tmp_path / "copy")
    copy = SessionStore.open(tmp_path / "copy")
    assert len(copy.entries()) >= settled
    copy.close()


def test_the_export_of_a_damaged_session_holds_what_is_sound_and_says_so(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    for entry in entries(facts(60)):
        store.write(entry)
    store.close()
    data = (tmp_path / "s" / "journal.sqlite").read_bytes()
    (tmp_path / "s" / "journal.sqlite").write_bytes(bytes(4096) + data[4096:])
    reader = SessionStore.open(tmp_path / "s", read_only=True)
    reader.export(tmp_path / "export.zip")
    reader.close()
    with zipfile.ZipFile(tmp_path / "export.zip") as archive:
        assert b"Session s is damaged" in archive.read("DAMAGE.txt")
        archive.extractall(tmp_path / "copy")
    copy = SessionStore.open(tmp_path / "copy")
    assert len(copy.entries()) == 60
    copy.close()


def test_an_export_is_private_and_replaces_an_older_one(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    (tmp_path / "export.zip").write_text("older")
    store.export(tmp_path / "export.zip")
    store.close()
    assert zipfile.is_zipfile(tmp_path / "export.zip")
    assert stat.S_IMODE((tmp_path / "export.zip").stat().st_mode) == 0o600


def test_an_export_that_cannot_be_written_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    with pytest.raises(StoreError, match=r"The export cannot be written to .*: No such file or directory"):
        store.export(tmp_path / "none" / "export.zip")
    (tmp_path / "folder.zip").mkdir()
    with pytest.raises(StoreError, match="The export cannot be written"):
        store.export(tmp_path / "folder.zip")
    store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.zip", "s"]
