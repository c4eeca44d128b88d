"""`workbench [FOLDER]` without a window: the conversation in a terminal, turn by turn."""

from __future__ import annotations

import argparse
import asyncio
import re
import signal
from pathlib import Path

from workbench.app import App, OpenSession
from workbench.cli.output import FINE, colour, plain, say
from workbench.cli.run import Ear, heard, on_interrupt, one_turn, settle_trust, show_start
from workbench.cli.start import open_app
from workbench.cli.terminal import Terminal
from workbench.conversation.events import Entry, Notice
from workbench.errors import UsageError, WorkbenchError
from workbench.permissions.modes import MODES
from workbench.providers.discovery import LOCAL_KINDS
from workbench.providers.profiles import is_practice
from workbench.resources import sample_project_copy
from workbench.settings.credentials import Secret
from workbench.words import _, tell


async def run(arguments: argparse.Namespace, why_no_window: str = "") -> int:
    """Talk until the person leaves (Ctrl+D or /quit); `why_no_window` is a sentence that is told first."""
    terminal = Terminal()
    async with await open_app() as app:
        folder = Path(arguments.folder) if arguments.folder else await asyncio.to_thread(sample_project_copy, app.data_folder)
        workspace = await app.workspace(folder)
        if not terminal.present:
            raise _nobody_there(why_no_window)
        if why_no_window:
            say(colour(plain(why_no_window), "amber"))
        await settle_trust(app, workspace, trust=False)
        opened = await app.open_session(workspace, await app.choose())
        try:
            show_start(app, opened)
            say(colour(_("Type a message and Enter. /help shows the commands, Ctrl+C stops a turn, Ctrl+D leaves."), "faint"))
            while (line := await _next_line(terminal)) is not None and line.strip() != "/quit":
                opened = await _take(app, opened, terminal, line)
        finally:
            await opened.aclose()
    return FINE


def _nobody_there(why_no_window: str) -> UsageError:
    text = f"{why_no_window} There is no terminal to talk in either; `workbench run PROMPT --workspace DIR` needs neither."
    return UsageError(text.lstrip(), message_id="cli.nobody_there", values={"reason": why_no_window})


async def _next_line(terminal: Terminal) -> str | None:
    """Return what the person types next; Ctrl+C takes the line back instead of ending the conversation."""

    def take_back() -> None:
        say("\n" + colour(_("Ctrl+D leaves."), "faint"))
        terminal.interrupt()

    with on_interrupt(take_back, signals=(signal.SIGINT,)):
        line = await terminal.read_line(colour("› ", "accent"))
    if line is None:
        say("")
    return line


async def _take(app: App, opened: OpenSession, terminal: Terminal, line: str) -> OpenSession:
    """Carry out one line; what goes wrong is told in a sentence and the conversation goes on."""
    command, _space, rest = line.rstrip().partition(" ")
    try:
        match command:
            case "/help":
                _help()
            case "/mode":
                _choose_mode(opened, rest.strip())
            case "/model":
                return await _choose_model(app, opened, rest.strip())
            case "/servers":
                await _find_servers(app)
            case "/key":
                await _keep_key(app, opened, terminal)
            case "/session":
                say(opened.session.session_id)
            case _:
                await _message(opened, terminal, line)
    except WorkbenchError as error:
        say(colour(plain(tell(error)), "red"))
    return opened


async def _message(opened: OpenSession, terminal: Terminal, line: str) -> None:
    command = line.partition(" ")[0].rstrip()
    if re.fullmatch(r"/\w+", command):
        raise UsageError(
            f"There is no command {command}; /help lists them. Begin with a space to send it as a message.",
            message_id="cli.no_such_chat_command",
            values={"name": command},
        )
    if line.strip():
        await one_turn(opened, line.strip(), terminal)


def _help() -> None:
    for command, does in (
        ("/mode NAME", _("choose what runs without a question: {names}").format(names=", ".join(MODES))),
        ("/model ID", _("choose the model: practice, PROFILE/MODEL, or a model of the profile in the settings")),
        ("/servers", _("look for model servers on this computer (Ollama, llama.cpp, LM Studio, vLLM)")),
        ("/key", _("type the key of the model's provider; it is kept in the system's keyring, or in memory")),
        ("/session", _("show the session's id, for `workbench inspect` and `workbench run --session`")),
        ("/quit", _("leave; the session is kept")),
    ):
        say(f"{command:<12}{does}")


def _choose_mode(opened: OpenSession, name: str) -> None:
    for mode in MODES:
        if mode == name:
            opened.session.choose_mode(mode)
            say(colour(_("The mode is {name} now.").format(name=mode), "faint"))
            return
    raise UsageError(
        f"The modes are {', '.join(MODES)}; now it is {opened.session.mode}.",
        message_id="cli.modes",
        values={"names": ", ".join(MODES), "mode": opened.session.mode},
    )


async def _choose_model(app: App, opened: OpenSession, wanted: str) -> OpenSession:
    if not wanted:
        names = ", ".join(app.profile_names())
        profile, model = opened.choice
        say(_("The model is {profile}/{model}. Profiles: {names}.").format(profile=profile.name, model=model, names=names))
        return opened
    choice = await app.choose(wanted)
    say(colour(_("The model is {profile}/{model} now.").format(profile=choice.profile.name, model=choice.model), "faint"))
    switched = app.switch_model(opened, choice)
    with heard(switched, Ear(_tell_notice), after=switched.session.journal.last_seq):
        await app.tell_losses(switched, opened.choice)
    return switched


def _tell_notice(entry: Entry) -> None:
    if isinstance(entry.event, Notice):
        say(colour(plain(tell(entry.event)), "amber"))


async def _find_servers(app: App) -> None:
    found = await app.find_local_servers()
    for profile in found:
        say(f"{profile.title}  {profile.base_url}")
        for model in profile.models:
            say(f"    /model {profile.name}/{plain(model)}")
    if not found:
        say(_("No model server answers on this computer: looked for {names}.").format(names=", ".join(kind.title for kind in LOCAL_KINDS)))


async def _keep_key(app: App, opened: OpenSession, terminal: Terminal) -> None:
    profile = opened.choice.profile
    title = plain(profile.title or profile.name)
    if is_practice(profile.name):
        say(_("The practice model needs no key."))
        return
    with on_interrupt(terminal.interrupt, signals=(signal.SIGINT,)):
        typed = await terminal.read_secret(_("Key of {title} (not shown): ").format(title=title))
    if not typed:
        say(_("No key was typed; nothing was changed."))
    elif await app.credentials.keep(profile.name, Secret(typed)) == "keyring":
        say(_("The key of {title} is in the system's keyring.").format(title=title))
    else:
        say(colour(_("There is no safe keyring here: the key of {title} is kept in memory and gone when the program ends.").format(title=title), "amber"))
