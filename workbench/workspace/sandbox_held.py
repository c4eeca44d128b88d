"""Starts a shell inside bubblewrap and keeps apart what bubblewrap does not: the end of the shell, and the end of what it left running.

bubblewrap ends all inside when its first program ends. So the first program is a keeper: it runs the shell, tells its exit code on a
pipe, and waits until the other end of a second pipe is closed, by us or by our death.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

from workbench.workspace.environment import SCAFFOLD
from workbench.workspace.sandbox_bwrap import bwrap_line
from workbench.workspace.sandbox_seccomp import Family, seccomp_filter
from workbench.workspace.sandbox_shape import Bounds, Sandbox
from workbench.workspace.sandbox_survey import Survey
from workbench.workspace.started_shell import Launch, ended_in_time
from workbench.workspace.worker import finished, in_thread

PROCESSES_AT_MOST = 1024
"""Processes and threads in one sandbox; the kernel counts so for everybody but root."""

_PROBLEM_BYTES = 4096
_KEEPER = """exec 2>/dev/null {seccomp}<&-
unset {scaffold} SHLVL
ulimit -c 0
ulimit -u {processes}
BASH_ENV=$1 "${{@:2}}" >&{output} 2>&1 {output}>&- {exit}>&- {life}<&-
code=$?
exec {output}>&- {script}<&- {status}>&-
printf %s "$code" >&{exit}
exec {exit}>&-
read -r _ <&{life}
"""


@dataclass(frozen=True)
class BubblewrapCage:
    """Starts one shell in bubblewrap.

    Attributes:
        sandbox: whose program is used.
        bounds: what may be reached.
        found: a survey made just before.
    """

    sandbox: Sandbox
    bounds: Bounds
    found: Survey

    async def start(self, launch: Launch) -> HeldShell:
        """Start it; see `started_shell.Cage`."""
        person = await finished(in_thread(lambda: git_identity(self.sandbox.homes)))
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as on_failure:
            problem = _memory_file()
            on_failure.callback(os.close, problem)
            exit_read, exit_write = _pipe(on_failure, ours)
            life_read, life_write = os.pipe()
            ours.callback(os.close, life_read)
            on_failure.callback(os.close, life_write)
            family = Family(unix=True, internet=True)  # without a network the namespace has nothing but a loopback of its own
            seccomp = _given(ours, seccomp_filter(family))
            identity = _given(ours, person.encode())
            laid_out = functools.partial(bwrap_line, self.sandbox, self.bounds, self.found, launch.environment, folder=launch.folder)
            line = await finished(in_thread(lambda: laid_out(seccomp=seccomp, identity=identity)))
            keeper = _KEEPER.format(
                seccomp=seccomp, scaffold=SCAFFOLD, processes=_processes(), output=launch.output, exit=exit_write, life=life_read,
                script=launch.inherited[0] if launch.inherited else exit_write, status=launch.inherited[1] if launch.inherited else exit_write,
            )  # fmt: skip
            process = await asyncio.create_subprocess_exec(
                *line, "/bin/bash", "--noprofile", "--norc", "-c", keeper, "keeper", launch.prelude, *launch.line,
                stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=problem, cwd="/",
                env={**launch.environment, SCAFFOLD: "1"}, start_new_session=True,
                pass_fds=(launch.output, *launch.inherited, exit_write, life_read, seccomp, identity),
            )  # fmt: skip
            on_failure.pop_all()
        return HeldShell(process, exit_read, life_write, problem)


class HeldShell:
    """A shell inside bubblewrap; see `started_shell.StartedShell`."""

    def __init__(self, process: asyncio.subprocess.Process, exit_read: int, life_write: int, problem: int) -> None:
        self.pid = process.pid
        self.problem = ""
        self.hides_signals = True
        self.returncode: int | None = None
        self._process = process
        self._exit_read: int | None = exit_read
        self._life_write: int | None = life_write
        self._problem: int | None = problem
        self._told = asyncio.Event()
        os.set_blocking(exit_read, False)
        asyncio.get_running_loop().add_reader(exit_read, self._hear)

    def _hear(self) -> None:
        """Take the exit code, or the end of the pipe, which means that nobody will tell one."""
        if self._exit_read is None:
            return
        with contextlib.suppress(BlockingIOError):
            told = os.read(self._exit_read, 16)
            self._stop_listening()
            if told.isdigit():
                self.returncode = int(told)
            self._told.set()

    def _stop_listening(self) -> None:
        if self._exit_read is not None:
            asyncio.get_running_loop().remove_reader(self._exit_read)
            os.close(self._exit_read)
            self._exit_read = None

    async def wait(self) -> None:
        """Return when the shell has ended; or bubblewrap, if there was none or it was killed with all the rest."""
        await self._told.wait()
        if self.returncode is None:
            self.returncode = await self._process.wait()
            self.problem = self._read_problem()

    def _read_problem(self) -> str:
        if self._problem is None:
            return ""
        text = os.pread(self._problem, _PROBLEM_BYTES, 0).rstrip(b"\0").decode(errors="replace").strip()
        return text if text.startswith("bwrap: ") else ""

    def let_go(self) -> None:
        """Let the keeper go, and with it everything inside."""
        self._stop_listening()
        self._told.set()
        for name in ("_life_write", "_problem"):
            descriptor = getattr(self, name)
            if descriptor is not None:
                os.close(descriptor)
                setattr(self, name, None)

    async def gone(self) -> None:
        """Let the keeper go, and wait until bubblewrap has ended; it is killed if that takes long."""
        self.let_go()
        await ended_in_time(self._process)


def git_identity(homes: tuple[Path, ...]) -> str:
    """Return a git configuration with nothing of the person's own but name, address and the name of first branches."""
    lines = ["[safe]", "\tdirectory = *"]
    for place in [home / name for home in homes for name in (".gitconfig", ".config/git/config")]:
        try:
            text = place.read_text(errors="replace")
        except OSError:
            continue
        for section, names in (("user", "name|email"), ("init", "defaultBranch")):
            for body in re.findall(rf"(?mis)^\s*\[{section}\]\s*$(.*?)(?=^\s*\[|\Z)", text):
                found = re.findall(rf"(?mi)^\s*({names})\s*=\s*(.*?)\s*$", body)
                lines += [f"[{section}]", *(f"\t{name} = {value}" for name, value in found)] if found else []
        break
    return "\n".join(lines) + "\n"


def _processes() -> int:
    """Return the limit of processes: since Linux 5.14 those of a user namespace are counted by themselves, before that all of a person's."""
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    return PROCESSES_AT_MOST if version and (int(version[1]), int(version[2])) >= (5, 14) else 8 * PROCESSES_AT_MOST


def _pipe(on_failure: contextlib.ExitStack, ours: contextlib.ExitStack) -> tuple[int, int]:
    read, write = os.pipe()
    on_failure.callback(os.close, read)
    ours.callback(os.close, write)
    return read, write


def _given(ours: contextlib.ExitStack, content: bytes) -> int:
    """Return a descriptor from which a few bytes can be read once."""
    read, write = os.pipe()
    ours.callback(os.close, read)
    os.write(write, content[:60_000])
    os.close(write)
    return read


def _memory_file() -> int:
    """Return a file without a place, of a size that nobody can change."""
    import fcntl

    file = os.memfd_create("problem", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(file, _PROBLEM_BYTES)
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
    return file
