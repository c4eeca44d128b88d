"""A shell that was started, held or not: what whoever waits for it, counts what it left, or ends it has to know."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

CLOSING_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Launch:
    """What to start.

    Attributes:
        line: program and arguments.
        folder: where it starts.
        environment: all of it, the marker among it.
        output: descriptor that takes what it writes on both streams.
        inherited: further descriptors that it gets under the same numbers.
        prelude: value of BASH_ENV for the shell alone; empty if there is none.
    """

    line: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str]
    output: int
    inherited: tuple[int, ...] = ()
    prelude: str = ""

    def whole_environment(self) -> dict[str, str]:
        """Return the environment with the prelude."""
        return {**self.environment, "BASH_ENV": self.prelude} if self.prelude else dict(self.environment)


class StartedShell(Protocol):
    """A shell that runs or has ended.

    Attributes:
        pid: of the session it leads.
        hides_signals: a signal that ended the shell is told as exit code 128 and its number.
    """

    pid: int
    hides_signals: bool

    @property
    def returncode(self) -> int | None:
        """Exit code of the shell, negative for a signal; None while it runs."""
        ...

    @property
    def problem(self) -> str:
        """Why the shell could not be started although its sandbox was; empty otherwise. Known after `wait`."""
        ...

    async def wait(self) -> None:
        """Return when the shell has ended, whatever else of it goes on."""
        ...

    def let_go(self) -> None:
        """Let go what was only there for the shell; inside a sandbox that ends what it left running."""
        ...

    async def gone(self) -> None:
        """Let go, and wait a moment until nothing is left."""
        ...


class Cage(Protocol):
    """Starts one shell inside a sandbox."""

    async def start(self, launch: Launch) -> StartedShell:
        """Start it.

        Raises:
            OSError, ValueError: it could not be started.
        """
        ...


class PlainShell:
    """A shell that nothing holds."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid
        self.problem = ""
        self.hides_signals = False

    @classmethod
    async def start(cls, launch: Launch) -> PlainShell:
        """Start a shell as it is.

        Raises:
            OSError, ValueError: it could not be started.
        """
        process = await asyncio.create_subprocess_exec(
            *launch.line,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=launch.output,
            stderr=asyncio.subprocess.STDOUT,
            cwd=launch.folder,
            env=launch.whole_environment(),
            start_new_session=os.name != "nt",
            pass_fds=launch.inherited,
        )
        return cls(process)

    @property
    def returncode(self) -> int | None:
        """Exit code, negative for a signal; None while it runs."""
        return self._process.returncode

    async def wait(self) -> None:
        """Return when it has ended."""
        await self._process.wait()

    def let_go(self) -> None:
        """Do nothing: there is nothing but the shell."""

    async def gone(self) -> None:
        """Wait a moment for its end."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_S):
                await self._process.wait()


def kill_group(pid: int) -> None:
    """Kill a shell's whole process group, wherever it is known by that; on Windows the process alone."""
    with contextlib.suppress(OSError):
        if os.name == "nt":
            os.kill(pid, signal.SIGTERM)
        else:
            os.killpg(pid, signal.SIGKILL)


async def ended_in_time(process: asyncio.subprocess.Process) -> None:
    """Wait a moment for a process that is about to end; kill its group if it does not."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CLOSING_S):
            await process.wait()
            return
    kill_group(process.pid)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(CLOSING_S):
            await process.wait()
