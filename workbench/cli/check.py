"""`workbench check`: what the permission gate would decide on a command or a tool call, and why. Nothing is run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from workbench.agent.bench import ToolBench
from workbench.agent.gatekeeper import action_of
from workbench.cli.output import FINE, NO, USAGE, answer, colour, one_line, plain, print_json
from workbench.cli.places import add_json, add_workspace, input_lines, text_of
from workbench.cli.start import open_app
from workbench.conversation.messages import ToolCallPart, mint_call_id
from workbench.errors import ToolError, UsageError
from workbench.permissions.gate import Decision
from workbench.permissions.modes import MODES
from workbench.permissions.reasons import Reason
from workbench.tools.arguments import parse_arguments
from workbench.words import _, badge_name, level_name, state_name, tell, tell_text

TINTS = {"allow": "green", "ask": "amber", "deny": "red"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("command", metavar="COMMAND", help=_('a shell command; - reads JSON lines {"id","command"} or {"id","tool","args"}'))
    parser.add_argument("--mode", choices=MODES, default="ask", help=_("the mode to decide under"))
    add_workspace(parser)
    add_json(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Decide and print; status 0 if everything would be allowed, 1 if something asks or is denied, 2 if a line could not be read."""
    async with await open_app() as app:
        bench = await app.bench(await app.workspace(Path(arguments.workspace)), mode=arguments.mode)
        if arguments.command != "-":
            verdict = await verdict_of(bench, *_command(arguments.command))
            _show(verdict, as_json=arguments.json)
            return FINE if verdict["decision"] == "allow" else NO
        status = FINE
        async for verdict in _verdicts(bench, input_lines()):
            _show(verdict, as_json=arguments.json)
            status = max(status, USAGE if "error" in verdict else FINE if verdict["decision"] == "allow" else NO)
        return status


async def _verdicts(bench: ToolBench, lines: Iterable[bytes]) -> AsyncIterator[dict[str, Any]]:
    """Yield one answer for each line that is not empty, whatever stands in it."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            identity, tool, values = _read(text_of(line, f"Line {number}"), number)
        except UsageError as error:
            yield {"id": None, "line": number, "decision": "deny", "danger": 0, "outside": False, "trace": [], "error": error.text}
            continue
        yield {"id": identity} | await verdict_of(bench, tool, values)


def _read(line: str, number: int) -> tuple[str | float | None, str, dict[str, Any]]:
    """Return id, tool and arguments of an input line.

    Raises:
        UsageError: it is not one of the two forms.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"Line {number} is not JSON: {error}.") from error
    match value:
        case {"command": str(command)} if isinstance(value.get("id"), str | int | float | None):
            return value.get("id"), *_command(command)
        case {"tool": str(tool)} if isinstance(value.get("id"), str | int | float | None) and isinstance(value.get("args", {}), dict):
            return value.get("id"), tool, value.get("args", {})
        case _:
            raise UsageError(f'Line {number} is neither {{"id","command"}} nor {{"id","tool","args"}}.')


def _command(text: str) -> tuple[str, dict[str, Any]]:
    """Return a shell command as the call a model would make; the description, which weighs nothing, is ours."""
    return "bash", {"command": text, "description": "Judge this command"}


async def verdict_of(bench: ToolBench, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate would decide on one call, as the JSON of `workbench check`.

    A call that cannot even be prepared (unknown tool, wrong arguments, a path that cannot be) is denied, as the harness would.
    """
    tool = bench.registry.get(name)
    if tool is None:
        return _denied("unknown_tool", f"There is no tool named {name}.")
    try:
        call = ToolCallPart(call_id=mint_call_id(), name=name, arguments_raw=json.dumps(values))
        arguments = parse_arguments(call.arguments_raw, tool.definition.input_schema)
        plan = await tool.prepare(arguments.values, bench.context)
    except ToolError as error:
        return _denied(error.kind, error.text)
    except RecursionError:
        return _denied("invalid_arguments", "The arguments are nested too deeply.")
    return _of_decision(await bench.gatekeeper.judge(action_of(tool, plan, call, repeats=1, edited=False)))


def _of_decision(decision: Decision) -> dict[str, Any]:
    return {
        "decision": decision.outcome,
        "danger": int(decision.danger),
        "outside": decision.outside,
        "badges": list(decision.badges),
        "trace": [{"code": reason.code, "text": reason.text, "subject": reason.subject, "outcome": reason.outcome} for reason in decision.reasons],
    }


def _denied(code: str, text: str) -> dict[str, Any]:
    outside = code == "outside_workspace"
    reason = {"code": code, "text": text, "subject": "", "outcome": "deny"}
    return {"decision": "deny", "danger": 0, "outside": outside, "badges": ["outside"] if outside else [], "trace": [reason]}


def _show(verdict: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(verdict)
        return
    if "error" in verdict:
        answer(plain(tell_text(verdict["error"])))
        return
    badges = f"  [{', '.join(map(badge_name, verdict['badges']))}]" if verdict["badges"] else ""
    identity = f"{one_line(str(verdict['id']))}  " if "id" in verdict else ""
    outcome = colour(state_name(verdict["decision"]), TINTS[verdict["decision"]], stream=sys.stdout)
    answer(f"{identity}{outcome}  {verdict['danger']} {level_name(verdict['danger'])}{badges}")
    for reason in (Reason(**members) for members in verdict["trace"]):
        named = not reason.subject or reason.text.endswith(f": {reason.subject}.")
        subject = "" if named else f" ({one_line(reason.subject, 60)})"
        answer(f"    {plain(tell(reason))}{subject}")
