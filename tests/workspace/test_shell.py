"""The shell tells how it ended without a trace in the command, and tells nothing when it cannot."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from workbench.workspace.shell import ShellStatus, StatusChannel, shell_line


def run(text: str, folder: Path) -> tuple[str, int, ShellStatus | None]:
    with StatusChannel() as channel:
        done = subprocess.run(
            shell_line(text),
            cwd=folder,
            env={"PATH": os.environ["PATH"], "BASH_ENV": channel.prelude()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=channel.child_ends(),
            check=False,
        )
        channel.close_child_ends()
        return done.stdout.decode(), done.returncode, channel.read()


@pytest.mark.parametrize(
    ("text", "output", "code", "pipeline"),
    [
        ("true; false | cat | cat", "", 0, (1, 0, 0)),
        ("exit 3", "", 3, (0,)),
        ("set -e; false; echo no", "", 1, (1,)),
        ("set -u; exec 2>&-; echo $nothing_there", "", 127, (1,)),
        ("echo (", None, 2, (2,)),
        ("set -x; true", "+ true\n", 0, (0,)),
        ("IFS=,; false | true", "", 0, (1, 0)),
        ("printf() { echo fooled; }; true", "", 0, (0,)),
        ("(exit 7)", "", 7, (7,)),
        ("cat <<EOF\nx", None, 0, (0,)),
    ],
)
def test_status_is_told_whatever_the_command_does(tmp_path: Path, text: str, output: str | None, code: int, pipeline: tuple[int, ...]) -> None:
    shown, returned, status = run(text, tmp_path)
    assert output is None or shown == output
    assert returned == code
    assert status is not None
    assert status.folder == tmp_path
    assert status.pipeline == pipeline


def test_folder_is_where_the_shell_ended(tmp_path: Path) -> None:
    strange = tmp_path / "a|b\nc"
    strange.mkdir()
    assert run("cd a*", tmp_path)[2] == ShellStatus((0,), strange)


@pytest.mark.parametrize("text", ["exec echo hi", "kill -9 $$", "trap 'echo bye' EXIT"])
def test_nothing_is_told_when_the_trap_is_lost(tmp_path: Path, text: str) -> None:
    assert run(text, tmp_path)[2] is None


def test_command_sees_no_trace(tmp_path: Path) -> None:
    shown, _, _ = run("env; set -o posix; set | cut -d= -f1; ls -l /proc/self/fd | grep -c pipe:; bash -c 'echo child:$BASH_ENV'", tmp_path)
    assert "BASH_ENV" not in shown.split()
    assert "child:\n" in shown


def test_channel_leaves_nothing_open(tmp_path: Path) -> None:
    before = open_descriptors()
    run("true", tmp_path)
    StatusChannel().close()
    assert open_descriptors() == before


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_status_is_read_once(tmp_path: Path) -> None:
    with StatusChannel() as channel:
        channel.close_child_ends()
        assert channel.read() is None
        assert channel.read() is None
