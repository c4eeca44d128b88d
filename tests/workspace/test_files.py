"""Only regular files are opened, within a limit, and the session knows by content what it has seen."""

from __future__ import annotations

import contextlib
import os
import tracemalloc
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from tests.workspace.folders import make_workspace, place
from workbench.errors import FileRefused
from workbench.workspace import beneath
from workbench.workspace.files import SeenFiles, check_kind, hash_bytes, open_file, read_file, read_whole, size_text
from workbench.workspace.paths import resolve


def refused(call: object) -> FileRefused:
    with pytest.raises(FileRefused) as caught:
        call()  # type: ignore[operator]
    return caught.value


def test_bytes_come_back_exactly(tmp_path: Path) -> None:
    content = bytes(range(256)) * 3
    read = read_file(place(make_workspace(tmp_path), "a", content))
    assert (read.content, read.sha256) == (content, hash_bytes(content))


def test_kinds_that_are_no_file_are_refused_without_opening_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = make_workspace(tmp_path)
    os.mkfifo(workspace.path / "pipe")
    (workspace.path / "folder").mkdir()
    (workspace.path / "dead").symlink_to("nowhere")
    monkeypatch.setattr(beneath, "open_relative", lambda *_args: pytest.fail("it was opened"))
    kinds = {name: refused(lambda name=name: read_file(resolve(name, workspace))).kind for name in ("pipe", "folder", "dead", "none")}
    assert kinds == {"pipe": "not_regular_file", "folder": "is_directory", "dead": "broken_symlink", "none": "file_not_found"}


def test_large_sparse_file_is_refused_by_its_size_without_reading(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with (workspace.path / "big").open("wb") as file:
        file.truncate(5 * 1024**3)
    tracemalloc.start()
    try:
        error = refused(lambda: read_file(resolve("big", workspace)))
        assert tracemalloc.get_traced_memory()[1] < 1024**2
    finally:
        tracemalloc.stop()
    assert error.kind == "file_too_large"
    assert "5.0 GB" in error.text


def test_file_that_grows_while_it_is_read_comes_whole_or_not_at_all(tmp_path: Path) -> None:
    judged = place(make_workspace(tmp_path), "a", b"")

    class Growing:
        """An open file to which somebody writes ten bytes before each reading."""

        def __init__(self) -> None:
            self._file = judged.real.open("rb", buffering=0)
            self.fileno, self.close = self._file.fileno, self._file.close

        def read(self, size: int) -> bytes:
            with judged.real.open("ab") as more:
                more.write(b"x" * 10)
            return self._file.read(size) or b""

    with contextlib.closing(Growing()) as file:
        assert read_whole(judged, cast(BinaryIO, file)).content == b"x" * 20
    with contextlib.closing(Growing()) as file:
        assert refused(lambda: read_whole(judged, cast(BinaryIO, file), limit_bytes=25)).kind == "file_too_large"


def test_file_that_took_the_place_after_judging_is_not_opened(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (workspace.path / "other").write_text("secret")
    judged = place(workspace, "a", b"old")
    (workspace.path / "other").rename(workspace.path / "a")
    assert refused(lambda: open_file(judged)).kind == "changed_during_approval"


def test_link_that_took_the_place_after_judging_is_not_followed(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (tmp_path / "outside" / "secret").write_text("secret")
    judged = place(workspace, "a", b"old")
    judged.real.unlink()
    judged.real.symlink_to(tmp_path / "outside" / "secret")
    assert refused(lambda: open_file(judged)).kind == "changed_during_approval"


def test_pipe_that_took_the_place_after_judging_does_not_block(tmp_path: Path) -> None:
    judged = place(make_workspace(tmp_path), "a", b"old")
    judged.real.unlink()
    os.mkfifo(judged.real)
    assert refused(lambda: open_file(judged)).kind == "changed_during_approval"


def test_file_removed_after_judging_is_said(tmp_path: Path) -> None:
    judged = place(make_workspace(tmp_path), "a", b"old")
    judged.real.unlink()
    assert refused(lambda: read_file(judged)).kind == "file_not_found"
    check_kind(judged)


def test_seen_state_goes_by_content(tmp_path: Path) -> None:
    seen, path = SeenFiles(), tmp_path / "a"
    assert seen.state(path, hash_bytes(b"x")) == "never"
    seen.record(path, b"x")
    assert (seen.state(path, hash_bytes(b"x")), seen.state(path, hash_bytes(b"y")), seen.content(path)) == ("fresh", "stale", b"x")
    assert SeenFiles(seen.hashes()).state(path, hash_bytes(b"x")) == "fresh"
    seen.record_hash(path, hash_bytes(b"y"))
    assert (seen.state(path, hash_bytes(b"y")), seen.content(path)) == ("fresh", None)
    seen.forget(path)
    assert seen.state(path, hash_bytes(b"y")) == "never"


def test_seen_bytes_are_bounded_but_hashes_stay(tmp_path: Path) -> None:
    seen = SeenFiles()
    for number in range(40):
        seen.record(tmp_path / str(number), bytes([number]) * 1024 * 1024)
    kept = [number for number in range(40) if seen.content(tmp_path / str(number)) is not None]
    assert kept == list(range(24, 40))
    assert len(seen.hashes()) == 40
    seen.record(tmp_path / "39", b"x" * (1024 * 1024 + 1))
    assert seen.content(tmp_path / "39") is None


def test_encoding_set_by_a_person_can_be_taken_back(tmp_path: Path) -> None:
    seen = SeenFiles()
    seen.set_encoding(tmp_path, "gb18030")
    assert seen.encoding(tmp_path) == "gb18030"
    seen.set_encoding(tmp_path, None)
    assert seen.encoding(tmp_path) is None


SIZES = [(1023, "1023 bytes"), (1024, "1.0 KB"), (317_440, "310 KB"), (1024**2 - 1, "1.0 MB"), (5 * 1024**3, "5.0 GB"), (3 * 1024**5, "3072 TB")]


@pytest.mark.parametrize(("size", "text"), SIZES)
def test_size_for_people(size: int, text: str) -> None:
    assert size_text(size) == text
