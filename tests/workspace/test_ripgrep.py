"""Children for searching: found, read piece by piece, stopped at once."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from workbench.workspace import ripgrep
from workbench.workspace.ripgrep import ChildOutput, find_ripgrep, read, records, tracked_but_ignored
from workbench.workspace.worker import Stop


def test_ripgrep_is_the_one_beside_this_python() -> None:
    found = find_ripgrep()
    assert found is not None
    assert found.parent == Path(sys.executable).parent


def test_records_are_cut_whatever_the_pieces(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nprintf 'a\\nbc'; sleep 0.05; printf '\\n\\nd'\nprintf oops >&2; exit 3\n")
    program.chmod(0o755)
    output = ChildOutput()
    assert list(records(read([str(program)], tmp_path, Stop(), output), b"\n")) == [b"a", b"bc", b"", b"d"]
    assert (output.code, output.errors) == (3, "oops")


def test_stop_ends_a_silent_child(tmp_path: Path) -> None:
    stop, output = Stop(), ChildOutput()
    threading.Timer(0.1, stop.request).start()
    started = time.monotonic()
    assert list(read(["/bin/sleep", "30"], tmp_path, stop, output)) == []
    assert time.monotonic() - started < 2
    assert output.code < 0


def test_child_of_a_reader_that_goes_away_is_ended(tmp_path: Path) -> None:
    output = ChildOutput()
    pieces = records(read(["/usr/bin/yes"], tmp_path, Stop(), output), b"\n")
    assert next(pieces) == b"y"
    pieces.close()
    assert output.code < 0


def test_missing_program_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read([str(tmp_path / "nothing")], tmp_path, Stop(), ChildOutput()))


def test_tracked_files_that_a_rule_ignores(tmp_path: Path) -> None:
    assert tracked_but_ignored(tmp_path, Stop()) == ()
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "sub").mkdir()
    for name in ("sub/a.gen", "sub/b.gen", "gone.gen", "link.gen"):
        (tmp_path / name).touch()
    (tmp_path / "link.gen").unlink()
    (tmp_path / "link.gen").symlink_to("sub/a.gen")
    subprocess.run(["git", "add", "sub/a.gen", "gone.gen", "link.gen"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("*.gen\n")
    (tmp_path / "gone.gen").unlink()
    assert tracked_but_ignored(tmp_path, Stop()) == ("sub/a.gen",)
    assert tracked_but_ignored(tmp_path / "sub", Stop()) == ("a.gen",)


def test_repository_cannot_run_its_own_program_through_us(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\n")
    hook.chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", str(hook)], cwd=tmp_path, check=True)
    tracked_but_ignored(tmp_path, Stop())
    list(ripgrep.listed_by_git(tmp_path, Stop(), ChildOutput()))
    assert not (tmp_path / "pwned").exists()
