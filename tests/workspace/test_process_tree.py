"""What belongs to a command is found by session, mark or descent, and ended: asked first, then killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from workbench.workspace import process_tree
from workbench.workspace.environment import MARKER
from workbench.workspace.process_tree import Process, end_processes, find_processes

MARK = "0123456789abcdef"


@pytest.fixture(params=["linux", "portable"])
def table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways of looking: /proc, and psutil where there is none."""
    if request.param == "portable":
        monkeypatch.setattr(process_tree, "_is_linux", lambda: False)


@pytest.fixture
def shell() -> Iterator[subprocess.Popen[bytes]]:
    """A shell with a child in its group, one in a session of its own and one without the mark; all say when they are there."""
    text = "sleep 41.1 & setsid sleep 41.2 & env -i sleep 41.3 & set -m; sleep 41.4 & sleep 0.05; echo up; wait"
    started = subprocess.Popen(
        ["/bin/bash", "-c", text], env={**os.environ, MARKER: MARK}, stdout=subprocess.PIPE, start_new_session=True
    )
    assert started.stdout is not None
    with started, started.stdout:
        started.stdout.readline()
        yield started
        end_processes(MARK, session=started.pid, grace_s=0)


def sleepers(found: tuple[Process, ...]) -> list[str]:
    return sorted(process.command for process in found if process.command.startswith("sleep 41"))



@pytest.mark.usefixtures("table")
def test_all_are_found_while_the_shell_lives(shell: subprocess.Popen[bytes]) -> None:
    found = find_processes(MARK, session=shell.pid)
    assert sleepers(found) == ["sleep 41.1", "sleep 41.2", "sleep 41.3", "sleep 41.4"]
    assert shell.pid in [process.pid for process in found]
    assert list(found) == sorted(found, key=lambda process: (process.started, process.pid))


@pytest.mark.usefixtures("table")
def test_mark_finds_what_outlived_the_shell_and_identity_what_lost_the_mark(shell: subprocess.Popen[bytes]) -> None:
    known = find_processes(MARK, session=shell.pid)
    shell.kill()
    shell.wait()
    assert sleepers(find_processes(MARK)) == ["sleep 41.1", "sleep 41.2", "sleep 41.4"]
    assert sleepers(find_processes(MARK, known=known)) == ["sleep 41.1", "sleep 41.2", "sleep 41.3", "sleep 41.4"]
    reused = tuple(process._replace(started=process.started - 1) for process in known)
    assert sleepers(find_processes("other", known=reused)) == []
    assert end_processes(MARK, known=known, grace_s=1) == ()
    assert sleepers(find_processes(MARK, known=known)) == []


@pytest.mark.usefixtures("table")
def test_asking_is_enough_for_most(shell: subprocess.Popen[bytes]) -> None:
    started = time.monotonic()
    assert end_processes(MARK, session=shell.pid, grace_s=5) == ()
    assert time.monotonic() - started < 2
    assert find_processes(MARK, session=shell.pid) == ()


def test_what_does_not_listen_is_killed_after_the_grace_time() -> None:
    text = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-P", "-c", text], env={**os.environ, MARKER: "deaf"}, stdout=subprocess.PIPE, start_new_session=True) as child:
        assert child.stdout is not None
        child.stdout.readline()
        started = time.monotonic()
        assert end_processes("deaf", session=child.pid, grace_s=0.2) == ()
        assert 0.2 <= time.monotonic() - started < 1
        assert child.wait() == -9


def test_nothing_else_is_touched() -> None:
    assert find_processes("nobody has this mark") == ()
    assert end_processes("nobody has this mark", grace_s=1) == ()


def test_long_command_line_is_cut() -> None:
    with subprocess.Popen(["/bin/sleep", "0000000000000000000000000042.5" + "0" * 200], env={MARKER: "long"}) as child:
        (found,) = find_processes("long")
        assert (found.pid, len(found.command), found.command[-1]) == (child.pid, 120, "…")
        end_processes("long", grace_s=1)
