"""`workbench check`: what the permission gate would decide on a command or a tool call, and why. Nothing is run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.agent.bench import ToolBench
from workbench.agent.judging import command_call, judge_call
from workbench.cli.output import FINE, NO, USAGE, answer, colour, one_line, plain, print_json, say
from workbench.cli.places import add_json, add_workspace, input_lines, text_of
from workbench.cli.start import open_app
from workbench.errors import UsageError
from workbench.permissions.gate import Decision
from workbench.permissions.modes import MODES
from workbench.permissions.reasons import CommandPart, Reason
from workbench.permissions.rules import stored
from workbench.permissions.runners import usual_runners
from workbench.words import _, badge_name, level_name, state_name, tell, tell_text

TINTS = {"allow": "green", "ask": "amber", "deny": "red"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("command", metavar="COMMAND", help=_('a shell command; - reads JSON lines {"id","command"} or {"id","tool","args"}'))
    parser.add_argument("--mode", choices=MODES, default="ask", help=_("the mode to decide under"))
    parser.add_argument(
        "--runners",
        choices=("kept", "allowed"),
        help=_("whether the usual runners (pytest, npm test, …) run by kept rules alone, or count as allowed (default: kept for COMMAND, allowed for -)"),
    )
    add_workspace(parser)
    add_json(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Decide and print; status 0 if everything would be allowed, 1 if something asks or is denied, 2 if a line could not be read."""
    async with await open_app() as app:
        workspace = await app.workspace(Path(arguments.workspace))
        bench = await app.bench(workspace, mode=arguments.mode)
        if arguments.mode != "auto":  # which depends on what a sandbox really holds
            await app.confining.assume(bench.gatekeeper)
        for told in (app.rules.problem_in(workspace), *app.rules.warnings(workspace)):
            if told is not None:
                say(colour(plain(tell(told)), "amber"))
        if (arguments.runners or ("allowed" if arguments.command == "-" else "kept")) == "allowed":
            rules = bench.gatekeeper.rules
            bench.gatekeeper.rules = replace(rules, rules=(*rules.rules, *usual_runners()))
        if arguments.command != "-":
            verdict = await verdict_of(bench, *command_call(arguments.command))
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
            return value.get("id"), *command_call(command)
        case {"tool": str(tool)} if isinstance(value.get("id"), str | int | float | None) and isinstance(value.get("args", {}), dict):
            return value.get("id"), tool, value.get("args", {})
        case _:
            raise UsageError(f'Line {number} is neither {{"id","command"}} nor {{"id","tool","args"}}.')


async def verdict_of(bench: ToolBench, name: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return what the gate would decide on one call, as the JSON of `workbench check`; see `judge_call`."""
    decision = await judge_call(bench, name, values)
    scopes: dict[str, str] = {rule.rule_id: rule.scope for rule in bench.gatekeeper.rules.rules}
    return {
        "decision": decision.outcome,
        "danger": int(decision.danger),
        "outside": decision.outside,
        "badges": list(decision.badges),
        "confinement": decision.confinement,
        "parts": [_part(part) for part in decision.parts],
        "trace": [_reason(reason, decision, scopes) for reason in decision.reasons],
    }


def _part(part: CommandPart) -> dict[str, Any]:
    return {
        "text": part.text,
        "decision": part.outcome,
        "danger": int(part.danger),
        "argv": list(part.argv),
        "program": part.program,
        "folder": part.folder,
        "places": list(part.places),
        "always": [stored(rule) for rule in part.suggested],
    }


def _reason(reason: Reason, decision: Decision, scopes: dict[str, str]) -> dict[str, Any]:
    """Return a line of the trace: what it says, the rule it comes from with its scope, and the number of the part it is about, from 1."""
    part = next((number for number, part in enumerate(decision.parts, 1) if reason in part.reasons), None)
    rule = reason.subject if reason.code.startswith("rule.") else ""
    return {
        "code": reason.code,
        "text": reason.text,
        "subject": reason.subject,
        "outcome": reason.outcome,
        "part": part,
        "rule": rule,
        "scope": scopes.get(rule, ""),
    }


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
    for line in verdict["trace"]:
        reason = Reason(line["code"], line["text"], line["subject"], line["outcome"])
        named = not reason.subject or line["rule"] or reason.text.endswith(f": {reason.subject}.")
        subject = "" if named else f" ({one_line(reason.subject, 60)})"
        rule = f" [{line['scope']} · {one_line(line['rule'], 60)}]" if line["rule"] else ""
        answer(f"    {plain(tell(reason))}{subject}{rule}")
