"""`workbench tool`: one tool by hand, through the same look-up, gate, question and run as a model's call."""

from __future__ import annotations

import argparse
import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench.agent.approvals import Approvals
from workbench.agent.harness import Harness
from workbench.cli.approver import Questions, TerminalApprover
from workbench.cli.output import FINE, NO, answer, colour, one_line, plain, print_json, say
from workbench.cli.places import add_json, add_workspace, standard_input, text_of
from workbench.cli.run import APPROVE, headless_of
from workbench.cli.start import open_app
from workbench.cli.terminal import Terminal
from workbench.conversation.events import StepPlace, ToolFinished
from workbench.conversation.journal import Journal
from workbench.conversation.messages import ToolCallPart, mint_call_id
from workbench.errors import UsageError
from workbench.permissions.modes import MODES
from workbench.words import _, state_name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", metavar="NAME", help=_("the tool: read, list, glob, grep, write, edit, bash, …"))
    parser.add_argument("args", metavar="ARGS", nargs="?", default="{}", help=_("its arguments as a JSON object; - reads standard input"))
    parser.add_argument("--approve", choices=APPROVE, default="ask", help=_("who answers when it asks (see `workbench run --help`)"))
    parser.add_argument("--mode", choices=MODES, default="ask", help=_("what runs without a question (default: ask)"))
    add_workspace(parser)
    add_json(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Run the tool and print its result; status 0 if it went well, 1 if it was denied or failed."""
    raw = text_of(standard_input(), "Standard input") if arguments.args == "-" else arguments.args
    _check_object(raw)
    terminal = Terminal()
    headless = headless_of(arguments.approve, terminal)
    async with await open_app() as app:
        bench = await app.bench(await app.workspace(Path(arguments.workspace)), mode=arguments.mode)
        journal = Journal()
        approvals = Approvals(journal, headless=headless)
        harness = Harness(journal=journal, registry=bench.registry, context=bench.context, gatekeeper=bench.gatekeeper, approvals=approvals)
        call = ToolCallPart(call_id=mint_call_id(), name=arguments.name, arguments_raw=raw)
        async with asyncio.TaskGroup() as group:
            asker = group.create_task(_ask(journal, Questions(approvals), terminal)) if headless is None else None
            await harness.run(call, StepPlace("by_hand", 1))
            if asker is not None:
                asker.cancel()
    finished = next(entry.event for entry in journal.entries if isinstance(entry.event, ToolFinished))
    _show(finished, as_json=arguments.json)
    return FINE if finished.status == "ok" else NO


async def _ask(journal: Journal, questions: Questions, terminal: Terminal) -> None:
    approver = TerminalApprover(questions, terminal, remembers=False)
    subscription = journal.subscribe(approver.entry)
    with suppress(asyncio.CancelledError):
        await approver.run()
    subscription.close()


def _check_object(raw: str) -> None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"ARGS is not JSON: {error}.", message_id="cli.args_not_json", values={"reason": str(error)}) from error
    if not isinstance(value, dict):
        raise UsageError('ARGS must be a JSON object, such as {"file_path": "README.md"}.', message_id="cli.args_not_object")


def result_json(finished: ToolFinished) -> dict[str, Any]:
    """Return a result as the JSON of `workbench tool`."""
    return {
        "status": finished.status,
        "kind": finished.kind,
        "text": finished.result.text(),
        "files_changed": [
            {
                "path": change.path,
                "op": change.operation,
                "before": change.before_sha256,
                "after": change.after_sha256,
                "added": change.added,
                "removed": change.removed,
                "renamed_to": change.renamed_to,
            }
            for change in finished.files_changed
        ],
        "truncated": finished.truncated,
    }


def _show(finished: ToolFinished, *, as_json: bool) -> None:
    if as_json:
        print_json(result_json(finished))
        return
    answer(plain(finished.result.text()))
    for change in finished.files_changed:
        say(colour(f"{state_name(change.operation)} {one_line(change.path)}  +{change.added} −{change.removed}", "faint"))
