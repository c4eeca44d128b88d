"""A ticket holds for one file as it was, and for nothing that looks like it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace, place
from workbench.workspace.files import read_file
from workbench.workspace.paths import Workspace, resolve
from workbench.workspace.tickets import Ticket


def ticket(workspace: Workspace, name: str = "a") -> Ticket:
    found = resolve(name, workspace)
    return Ticket.of(found, read_file(found) if found.exists else None)


def rewritten(path: Path) -> None:
    path.write_bytes(b"other bytes")


def made_again(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"bytes")


def replaced(path: Path) -> None:
    path.with_name("new").write_bytes(b"bytes")
    path.with_name("new").rename(path)


def linked(path: Path) -> None:
    path.with_name("other").hardlink_to(path)


def touched(path: Path) -> None:
    os.utime(path, (1, 1))


def wait_for_the_clock(path: Path) -> None:
    """Let the file system's clock, which may tick in milliseconds, pass a file's last change."""
    probe = path.parent.parent / "probe"
    changed_ns = path.stat().st_ctime_ns
    while True:
        probe.write_bytes(b"")
        if probe.stat().st_ctime_ns > changed_ns:
            return


@pytest.mark.parametrize("change", [rewritten, made_again, replaced, linked, touched, Path.unlink])
def test_ticket_of_a_file_is_void_after(tmp_path: Path, change: Callable[[Path], None]) -> None:
    workspace = make_workspace(tmp_path)
    found = place(workspace, "a", b"bytes")
    before = ticket(workspace)
    assert ticket(workspace) == before
    wait_for_the_clock(found.real)
    change(found.real)
    after = ticket(workspace)
    assert after != before
    assert (after.identity, after.sha256) != (before.identity, before.sha256)


def test_only_what_was_written_into_it_leaves_it_the_same_file(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    found = place(workspace, "a", b"bytes")
    before = ticket(workspace)
    found.real.write_bytes(b"more")
    assert ticket(workspace).same_file(before)
    found.real.with_name("new").write_bytes(b"bytes")
    found.real.with_name("new").rename(found.real)
    assert not ticket(workspace).same_file(before)


def test_nothing_is_a_ticket_too_and_ends_with_the_first_file(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    nothing = ticket(workspace)
    assert (nothing.sha256, nothing.identity.endswith(" absent")) == (None, True)
    place(workspace, "a", b"")
    assert ticket(workspace) != nothing
    assert not ticket(workspace).same_file(nothing)
    assert ticket(workspace, "b") != nothing


def test_outside_the_whole_path_counts(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (tmp_path / "outside" / "a").write_bytes(b"x")
    found = ticket(workspace, str(tmp_path / "outside" / "a"))
    assert (found.root, found.relative) == ((0, 0), str(tmp_path / "outside" / "a"))
