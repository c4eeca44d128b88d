"""`workbench [FOLDER]` without a window: the conversation in a terminal, turn by turn."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from workbench.app import App, OpenSession
from workbench.cli.output import FINE, colour, plain, say
from workbench.cli.places import data_folder
from workbench.cli.run import one_turn, show_start
from workbench.cli.terminal import Terminal
from workbench.errors import UsageError, WorkbenchError
from workbench.permissions.modes import MODES
from workbench.resources import sample_project_copy
from workbench.words import _, tell


async def run(arguments: argparse.Namespace) -> int:
    """Talk until the person leaves (Ctrl+D or /quit)."""
    terminal = Terminal()
    if not terminal.present:
        raise UsageError(
            "There is neither a display nor a terminal to talk in; `workbench run PROMPT --workspace DIR` needs neither.", message_id="cli.nobody_there"
        )
    async with await App.open(data_folder()) as app:
        folder = Path(arguments.folder) if arguments.folder else await asyncio.to_thread(sample_project_copy, app.data_folder)
        opened = await app.open_session(await app.workspace(folder), await app.choose())
        try:
            show_start(app, opened)
            say(colour(_("Type a message and Enter. /help shows the commands, Ctrl+C stops a turn, Ctrl+D leaves."), "faint"))
            while (line := await terminal.read_line(colour("› ", "accent"))) is not None and line.strip() != "/quit":
                opened = await _take(app, opened, terminal, line)
        finally:
            await opened.aclose()
    say("")
    return FINE


async def _take(app: App, opened: OpenSession, terminal: Terminal, line: str) -> OpenSession:
    """Carry out one line; what goes wrong is told in a sentence and the conversation goes on."""
    command, _space, rest = line.strip().partition(" ")
    try:
        match command:
            case "":
                pass
            case "/help":
                say(_("/mode NAME · /model ID · /session · /help · /quit; anything else goes to the model."))
            case "/mode":
                _choose_mode(opened, rest.strip())
            case "/model":
                return await _choose_model(app, opened, rest.strip())
            case "/session":
                say(opened.session.session_id)
            case _:
                await one_turn(opened, line, terminal, lines=True)
    except WorkbenchError as error:
        say(colour(plain(tell(error)), "red"))
    return opened


def _choose_mode(opened: OpenSession, name: str) -> None:
    for mode in MODES:
        if mode == name:
            opened.session.choose_mode(mode)
            return
    raise UsageError(f"The modes are {', '.join(MODES)}; now it is {opened.session.mode}.", message_id="cli.modes")


async def _choose_model(app: App, opened: OpenSession, wanted: str) -> OpenSession:
    choice = await app.choose(wanted)
    return app.switch_model(opened, choice)
