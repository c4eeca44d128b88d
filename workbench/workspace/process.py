"""Runs a command in a shell of its own: nobody at the keyboard, one pipe for its output, and an end that is really the end.

A command ends when its shell exits, whoever still holds the pipe; what it left running is named and kept track of (Jobs). A
time-out or a cancel ends the whole tree before it is reported.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from workbench.errors import ToolError
from workbench.redaction.redactor import RedactingStream
from workbench.workspace.environment import for_command
from workbench.workspace.jobs import Jobs
from workbench.workspace.output_reader import OutputReader
from workbench.workspace.process_tree import Process, end_processes, find_processes
from workbench.workspace.shell import ShellStatus, StatusChannel, shell_line
from workbench.workspace.started_shell import Cage, Launch, PlainShell, StartedShell, kill_group
from workbench.workspace.terminal_text import Excerpt
from workbench.workspace.worker import finished, in_thread

TIMEOUT_S = 120.0
TIMEOUT_GRACE_S = 2.0
CANCEL_GRACE_S = 0.4
DRAIN_QUIET_S = 0.1
DRAIN_LIMIT_S = 0.25
BACKGROUND_LOOK_S = 0.3

_NOT_WITHOUT = "It is never run without it. Tell the user; “workbench doctor” says more."

Ended: TypeAlias = Literal["exited", "timed_out", "cancelled", "output_limit", "running"]


@dataclass(frozen=True, kw_only=True)
class Command:
    """What to run.

    Attributes:
        text: given to the shell byte for byte.
        folder: where it starts; a real path.
        environment: as `child_environment` gives it.
        log: file for the raw output; written when the output is long or not plain text, or when something goes on running.
        timeout_s: seconds until it is stopped; None = never.
        cage: the sandbox it runs in; None = it has all the person's rights.
        redacting: takes secrets out of all that is shown and kept of the output.
    """

    text: str
    folder: Path
    environment: Mapping[str, str]
    log: Path
    timeout_s: float | None = TIMEOUT_S
    cage: Cage | None = None
    redacting: RedactingStream | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a command ended, or that it runs on.

    Attributes:
        exit_code: of the shell, 128 + number for a signal; None while it runs and when we stopped it.
        signal: name of the signal that ended the shell, e.g. ``SIGKILL``; empty if none did.
        status: exit codes of the last pipeline and the folder the shell ended in, if it could tell.
        output: what the model sees.
        log: file with the raw output, if it was kept.
        survivors: processes that go on; unnamed ones hold the output open although they are in no list.
        held_open: the output is still open although no process of the command can be found.
        secrets_replaced: how many secrets were taken out of output and log.
    """

    ended: Ended
    exit_code: int | None = None
    signal: str = ""
    status: ShellStatus | None = None
    output: Excerpt
    log: Path | None = None
    survivors: tuple[Process, ...] = ()
    held_open: bool = False
    secrets_replaced: int = 0
    duration_s: float = 0.0


class CommandCancelled(asyncio.CancelledError):
    """The task was cancelled; the command and all it started are gone. `outcome` has the output so far."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("the command was stopped")
        self.outcome = outcome


async def run_command(command: Command, *, jobs: Jobs, on_text: Callable[[str], None]) -> Outcome:
    """Run a command until its shell exits, its time is up, its output passes the cap, or the task is cancelled.

    Args:
        command: what to run.
        jobs: takes what goes on running after the shell's exit.
        on_text: takes live output: plain text with newlines and tabs, on the loop's thread.

    Raises:
        ToolError: it could not be started (``spawn_failed``, ``workdir_not_found``), or its sandbox could not (``sandbox_failed``); then
            it did not run.
        CommandCancelled: the task was cancelled; nothing of the command lives any more.
    """
    running = await _RunningCommand.start(command, on_text)
    try:
        return await running.finish(await running.wait(command.timeout_s), jobs)
    except asyncio.CancelledError:
        raise CommandCancelled(await running.cancel()) from None


async def run_in_background(command: Command, *, jobs: Jobs, on_text: Callable[[str], None]) -> Outcome:
    """Start a command that goes on; its output goes to the log. One that ends at once is reported like any other.

    Raises: as `run_command`.
    """
    running = await _RunningCommand.start(command, on_text)
    try:
        if await running.wait(BACKGROUND_LOOK_S) == "timed_out":
            return await running.leave(jobs)
        return await running.finish("exited", jobs)
    except asyncio.CancelledError:
        raise CommandCancelled(await running.cancel()) from None


class _RunningCommand:
    """A shell that was started, its pipe, and the mark its descendants carry."""

    def __init__(self, command: Command, shell: StartedShell, reader: OutputReader, channel: StatusChannel, marker: str) -> None:
        self._command = command
        self._shell = shell
        self._reader = reader
        self._channel = channel
        self._marker = marker
        self._started_at = time.monotonic()

    @classmethod
    async def start(cls, command: Command, on_text: Callable[[str], None]) -> _RunningCommand:
        marker = secrets.token_hex(16)
        read_end, write_end = os.pipe()
        with contextlib.ExitStack() as ours, contextlib.ExitStack() as on_failure:
            ours.callback(os.close, write_end)
            on_failure.callback(os.close, read_end)
            channel = on_failure.enter_context(StatusChannel())
            try:
                shell = await _spawn(command, marker, write_end, channel)
            except asyncio.CancelledError:
                await finished(in_thread(lambda: end_processes(marker, grace_s=0.0)))
                raise
            channel.close_child_ends()
            reader = OutputReader(read_end, command.log, on_text, redacting=command.redacting)
            on_failure.pop_all()
        return cls(command, shell, reader, channel, marker)

    async def wait(self, timeout_s: float | None) -> Ended:
        """Wait for the shell's exit, the end of the time, or too much output; end nothing."""
        self._reader.when_over_cap(self._kill_group)
        try:
            async with asyncio.timeout(timeout_s):
                await self._shell.wait()
        except TimeoutError:
            return "timed_out"
        return "output_limit" if self._reader.is_over_cap else "exited"

    async def finish(self, ended: Ended, jobs: Jobs) -> Outcome:
        """Collect what is left after the end of waiting, and end what must not go on."""
        if ended != "exited":
            return await self._end(ended, TIMEOUT_GRACE_S if ended == "timed_out" else 0.0)
        if self._shell.problem:
            await self._end("cancelled", 0.0)
            raise ToolError("sandbox_failed", f"The command was not run, since its sandbox could not be made: {self._shell.problem}", _NOT_WITHOUT)
        await self._drain()
        survivors = await finished(in_thread(self._survivors))
        held_open = not self._reader.ended.is_set() and not survivors
        if survivors or held_open:
            self._leave_to(jobs, survivors)
        else:
            await self._shell.gone()
        outcome = await finished(in_thread(lambda: self._outcome(ended, survivors, held_open=held_open)))
        if not survivors and not held_open:
            self._reader.stop()
        return outcome

    async def leave(self, jobs: Jobs) -> Outcome:
        """Let it run on as a job."""
        survivors = await finished(in_thread(self._survivors))
        outcome = await finished(in_thread(lambda: self._outcome("running", survivors)))
        self._leave_to(jobs, survivors)
        return outcome

    async def cancel(self) -> Outcome:
        """End everything now; further cancellations wait until that is done."""
        with contextlib.suppress(asyncio.CancelledError):
            return await self._end("cancelled", CANCEL_GRACE_S)
        self._reader.stop()
        self._shell.let_go()
        return self._outcome("cancelled", ())

    async def _end(self, ended: Ended, grace_s: float) -> Outcome:
        session = self._shell.pid
        left = await finished(in_thread(lambda: end_processes(self._marker, session=session, grace_s=grace_s)))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_LIMIT_S):
                await self._shell.wait()
                await self._reader.ended.wait()
        self._reader.stop()
        await self._shell.gone()
        return await finished(in_thread(lambda: self._outcome(ended, left)))

    async def _drain(self) -> None:
        """Read what is still in the pipe: until it ends, is quiet for a moment, or for a quarter of a second."""
        ended_at = time.monotonic()
        while not self._reader.ended.is_set():
            now = time.monotonic()
            left_s = min(max(self._reader.last_read_at, ended_at) + DRAIN_QUIET_S, ended_at + DRAIN_LIMIT_S) - now
            if left_s <= 0:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await self._reader.ended.wait()

    def _survivors(self) -> tuple[Process, ...]:
        return find_processes(self._marker, session=self._shell.pid)

    def _leave_to(self, jobs: Jobs, survivors: tuple[Process, ...]) -> None:
        self._reader.release()
        jobs.adopt(text=self._command.text, marker=self._marker, known=survivors, reader=self._reader, shell=self._shell)

    def _kill_group(self) -> None:
        kill_group(self._shell.pid)

    def _outcome(self, ended: Ended, survivors: tuple[Process, ...], *, held_open: bool = False) -> Outcome:
        output = self._reader.excerpt()
        goes_on = ended == "running" or bool(survivors) or held_open
        keep = output.truncated or output.altered or goes_on or ended == "output_limit"
        log = self._reader.log if keep and self._reader.keep_log() else None
        code = self._shell.returncode if ended == "exited" else None
        status = self._channel.read()
        if self._shell.hides_signals and status is None and code is not None and code > 128:  # the shell told nothing at its end
            code = 128 - code
        return Outcome(
            ended=ended,
            exit_code=code if code is None or code >= 0 else 128 - code,
            signal="" if code is None or code >= 0 else _signal_name(-code),
            status=status if ended == "exited" else None,
            output=output,
            log=log,
            survivors=survivors,
            held_open=held_open,
            secrets_replaced=self._reader.secrets_replaced,
            duration_s=time.monotonic() - self._started_at,
        )


async def _spawn(command: Command, marker: str, write_end: int, channel: StatusChannel) -> StartedShell:
    launch = Launch(
        line=shell_line(command.text),
        folder=command.folder,
        environment=for_command(command.environment, marker),
        output=write_end,
        inherited=channel.child_ends(),
        prelude=channel.prelude(),
    )
    try:
        if command.cage is None:
            return await PlainShell.start(launch)
        if not command.folder.is_dir():
            raise FileNotFoundError
        return await command.cage.start(launch)
    except (OSError, ValueError) as error:
        raise _cannot_start(command, error) from error


def _cannot_start(command: Command, error: OSError | ValueError) -> ToolError:
    if not command.folder.is_dir():
        return ToolError("workdir_not_found", f"The folder {str(command.folder)!r} does not exist.", "Give another workdir, or make the folder first.")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    if command.cage is not None:
        return ToolError("sandbox_failed", f"The command was not run, since its sandbox could not be started: {reason}.", _NOT_WITHOUT)
    return ToolError("spawn_failed", f"The shell could not be started: {reason}.", "Shorten the command, or try again later.")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
