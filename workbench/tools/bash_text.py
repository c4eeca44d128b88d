"""What the tool bash tells of a command: its output, then in brackets how it ended, where, and what goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_never

from workbench.conversation.calls import ToolStatus
from workbench.conversation.values import clean_text
from workbench.errors import ToolError
from workbench.tools.base import Result
from workbench.workspace.output_reader import CAP_BYTES
from workbench.workspace.process import Command, Ended, Outcome

SURVIVORS_NAMED = 10
SHORT_S = 0.1
"""Shorter times are told in milliseconds among the facts."""

_EXPLAINED = {
    126: "the command was found but cannot be run",
    127: "command not found",
    130: "interrupted",
    134: "aborted",
    137: "killed, often because memory ran out",
    139: "crashed: segmentation fault",
    143: "terminated",
}


def result_of(outcome: Outcome, command: Command, workspace: Path) -> Result:
    """Return the result of a command, however it ended. `workspace` is the workspace folder's real path."""
    output = clean_text(outcome.output.text)
    parts = [*_head(outcome), output if output.strip("\n") else "(no output)", *_trailer(outcome, command, workspace)]
    return Result(
        status=_status(outcome.ended),
        kind="" if outcome.ended in {"exited", "running"} else outcome.ended,
        text="".join(part if part.endswith("\n") else f"{part}\n" for part in parts).rstrip("\n"),
        truncated=outcome.output.truncated or outcome.ended == "output_limit",
        output_file=outcome.log.name if outcome.log else "",
        secrets_replaced=outcome.secrets_replaced,
        exit_code=outcome.exit_code,
        facts=_facts(outcome),
        ui=_ui(outcome),
    )


def seconds(duration_s: float) -> str:
    """Return a time as people read it."""
    return f"{duration_s:.1f} s" if duration_s < 60 else f"{int(duration_s) // 60} min {int(duration_s) % 60} s"


def _status(ended: Ended) -> ToolStatus:
    match ended:
        case "exited" | "running":
            return "ok"
        case "timed_out" | "cancelled":
            return ended
        case "output_limit":
            return "error"
        case _:
            assert_never(ended)


def _head(outcome: Outcome) -> list[str]:
    after = seconds(outcome.duration_s)
    match outcome.ended:
        case "timed_out":
            advice = "Give a longer timeout, or use background for what runs on."
            error = ToolError("timed_out", f"The command and all it started were stopped after {after}.", advice)
        case "cancelled":
            error = ToolError("cancelled", f"The user stopped the command after {after}; nothing of it is running any more.", "Do not repeat it unasked.")
        case "output_limit":
            problem = f"The command wrote more than {CAP_BYTES // 1024 // 1024} MB and was stopped after {after}."
            error = ToolError("output_limit", problem, "Make it write less, or send its output to a file.")
        case "exited" | "running":
            return []
        case _:
            assert_never(outcome.ended)
    return [error.for_model(), "Output so far:"]


def _trailer(outcome: Outcome, command: Command, workspace: Path) -> list[str]:
    lines = []
    if outcome.ended == "exited":
        lines.append(_exit_line(outcome))
    if outcome.log is not None and outcome.output.truncated:
        lines.append(f"[the whole output: {clean_text(str(outcome.log))}]")
    lines += _running_lines(outcome)
    if outcome.status is not None and outcome.status.folder != command.folder:
        lines.append(_folder_line(outcome.status.folder, command.folder, workspace))
    return lines


def _exit_line(outcome: Outcome) -> str:
    code = outcome.exit_code or 0
    pipeline = outcome.status.pipeline if outcome.status else ()
    hidden = code == 0 and any(pipeline)
    notes = [f"exit code {code}" + (f"; pipeline {'|'.join(map(str, pipeline))}" if hidden else "")]
    if outcome.signal:
        notes[0] += f" ({outcome.signal})"
    if code in _EXPLAINED:
        notes[0] += f": {_EXPLAINED[code]}"
    return f"[{notes[0]} · {seconds(outcome.duration_s)}]"


def _running_lines(outcome: Outcome) -> list[str]:
    log = f"; log: {clean_text(str(outcome.log))}" if outcome.log else ""
    named = [f"{process.pid} {clean_text(process.command)}" for process in outcome.survivors[:SURVIVORS_NAMED]]
    more = len(outcome.survivors) - len(named)
    lines = [f"[still running: {one}{log}]" for one in named]
    if outcome.ended in {"timed_out", "cancelled", "output_limit"}:
        lines = [line.replace("still running", "could not be stopped", 1) for line in lines]
    if more > 0:
        lines.append(f"[and {more} more processes]")
    if outcome.held_open:
        lines.append(f"[something that cannot be identified still holds the output open{log}]")
    if outcome.ended == "running":
        lines.append("[started in the background; it ends with the session at the latest]")
    return lines


def _folder_line(ended_in: Path, started_in: Path, workspace: Path) -> str:
    shown = f"{ended_in.relative_to(workspace)}/" if ended_in.is_relative_to(workspace) and ended_in != workspace else str(ended_in)
    again = "the workspace folder" if started_in == workspace else "the workspace folder unless workdir is given"
    return f"(the command ended in {clean_text(shown)}; the next call starts in {again} again)"


def _facts(outcome: Outcome) -> str:
    after = seconds(outcome.duration_s) if outcome.duration_s >= SHORT_S else f"{outcome.duration_s * 1000:.0f} ms"
    match outcome.ended:
        case "exited":
            return f"exit {outcome.exit_code} · {after}"
        case "timed_out":
            return f"timed out · {after}"
        case "cancelled":
            return f"stopped · {after}"
        case "output_limit":
            return f"too much output · {after}"
        case "running":
            return "in the background"
        case _:
            assert_never(outcome.ended)


def _ui(outcome: Outcome) -> dict[str, Any]:
    output = outcome.output
    return {
        "ended": outcome.ended,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "pipeline": list(outcome.status.pipeline) if outcome.status else [],
        "folder": clean_text(str(outcome.status.folder)) if outcome.status else "",
        "survivors": [{"pid": process.pid, "command": clean_text(process.command)} for process in outcome.survivors],
        "duration_s": round(outcome.duration_s, 3),
        "lines": output.total_lines,
        "size_bytes": output.size_bytes,
        "omitted_lines": output.omitted_lines,
        "omitted_characters": output.omitted_characters,
        "binary": output.binary,
        "log": outcome.log.name if outcome.log else "",
    }
