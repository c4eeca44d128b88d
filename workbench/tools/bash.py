"""The tool bash: runs a command in a fresh shell, and tells the model what it wrote, how it ended and what it left running."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.conversation.calls import Preview, Target
from workbench.conversation.values import clean_text
from workbench.errors import ToolError
from workbench.permissions.names import is_secret
from workbench.tools.base import Interrupted, Plan, Result, ToolContext
from workbench.tools.bash_leftovers import Leftovers
from workbench.tools.bash_sandbox import held_by, moving_away, quarantine_of, rung_here, with_sandbox
from workbench.tools.bash_text import result_of
from workbench.tools.definitions import BuiltinTool
from workbench.tools.file_targets import in_thread, path_target, resolve_target, shown_name
from workbench.tools.long_text import output_name
from workbench.workspace.environment import child_environment
from workbench.workspace.jobs import Jobs
from workbench.workspace.process import TIMEOUT_S, Command, CommandCancelled, run_command, run_in_background
from workbench.workspace.worker import finished

TITLE_CHARACTERS = 120


@dataclass(frozen=True)
class _Run:
    """What was judged: the folder, by its real place and as people read it (empty for the workspace folder)."""

    folder: Path
    shown: str
    target: Target


class BashTool(BuiltinTool):
    """Runs shell commands.

    Attributes:
        jobs: what the commands left running; its owner, the session, closes it.
    """

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__("bash", "exec")
        self.jobs = jobs or Jobs()
        self._leftovers = Leftovers(self.jobs)

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Find the folder; the command itself is judged by the gate.

        Raises:
            ToolError: ``workdir_not_found``, ``invalid_arguments``.
        """
        text = str(arguments["command"])
        if not text.strip() or "\0" in text:
            raise ToolError("invalid_arguments", "The command is empty or holds a NUL character.", "Give the command to run.")
        run = await _find_folder(str(arguments.get("workdir") or "."), context)
        return Plan(
            tool=self.name,
            arguments=arguments,
            targets=(Target(kind="command", name=text, access="run"), run.target),
            preview=Preview(kind="command", title=_title(text), body=text, language="bash", notes=_notes(arguments, run, context.added_variables)),
            command=text,
            payload=run,
        )

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Run the command.

        Raises:
            ToolError: it could not be started, or not held as it was decided, or the folder is no longer the one that was judged.
            Interrupted: the call was cancelled; nothing of the command lives any more, and the result has its output so far.
        """
        run: _Run = plan.payload
        if await _find_folder(str(plan.arguments.get("workdir") or "."), context) != run:
            raise ToolError("changed_during_approval", f"The folder {run.shown or '.'!r} now leads somewhere else.", "Send the call again.")
        background = bool(plan.arguments.get("background", False))
        earlier = await self._leftovers.look()
        held, rung = await held_by(context), await rung_here(context)
        command = Command(
            text=plan.command or "",
            folder=run.folder,
            environment=_environment(context),
            log=context.outputs / output_name(context.call_id),
            timeout_s=_timeout_s(plan.arguments),
            cage=held.cage if held else None,
            redacting=context.redactor.stream(secret_lines=_names_secrets(plan.command or "")),
        )
        start = run_in_background if background else run_command
        cancelled = False
        try:
            outcome = await start(command, jobs=self.jobs, on_text=context.on_output)
        except CommandCancelled as stopped:
            outcome, cancelled = stopped.outcome, True
        except asyncio.CancelledError:  # while it was being started: it may have done something already
            await finished(moving_away(held, context))
            raise
        looking = moving_away(held, context)
        try:
            await finished(looking)
            if held is not None and (outcome.survivors or outcome.held_open or outcome.ended == "running"):
                await self._leftovers.begin(held, quarantine_of(context))
        except asyncio.CancelledError:
            cancelled = True
        result = with_sandbox(result_of(outcome, command, context.workspace.path), outcome, held, looking.result(), rung, context.confinement)
        result = self._leftovers.told(result, earlier, context.workspace.path)
        if cancelled:
            raise Interrupted(result)
        return result


async def _find_folder(request: str, context: ToolContext) -> _Run:
    try:
        place = await in_thread(resolve_target, request, context)
    except ToolError as error:
        if error.kind in {"not_a_directory", "path_not_found"}:
            raise _no_folder(request) from error
        raise
    if not place.is_folder:
        raise _no_folder(request)
    shown = shown_name(place, context.workspace)
    return _Run(place.real, "" if shown == "." else shown, path_target(place, "read"))


def _no_folder(request: str) -> ToolError:
    return ToolError("workdir_not_found", f"The folder {clean_text(request)!r} does not exist.", "Give another workdir, or make the folder first.")


def _names_secrets(command: str) -> bool:
    """Say whether a command names a file that holds secrets: what it shows loses the values of lines ``NAME=value``."""
    return any(is_secret(word.rpartition(":")[2]) for word in re.split(r"[\s\"'=;|&<>()]+", command) if word)


def _title(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    return first if len(first) <= TITLE_CHARACTERS and not rest else f"{first[: TITLE_CHARACTERS - 2]} …"


def _notes(arguments: dict[str, Any], run: _Run, added: tuple[str, ...]) -> tuple[str, ...]:
    notes = [f"Runs in {run.shown or 'the workspace folder'}."]
    if arguments.get("background", False):
        notes.append("Goes on in the background until the session ends.")
    else:
        notes.append(f"Is stopped after {_timeout_s(arguments):g} s.")
    if added:
        notes.append(f"It sees these variables of yours: {', '.join(added)}.")
    return tuple(notes)


def _timeout_s(arguments: dict[str, Any]) -> float:
    milliseconds = arguments.get("timeout")
    return TIMEOUT_S if milliseconds is None else float(milliseconds) / 1000


def _environment(context: ToolContext) -> dict[str, str]:
    """Return what the session gives to children; where nobody set anything, what is safe of our own."""
    if context.environment:
        return context.environment
    return child_environment(os.environ, roots=tuple(root.path for root in context.workspace.roots))
