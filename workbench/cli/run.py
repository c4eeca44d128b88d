"""`workbench run`: one turn in a terminal, as lines for people or as the journal's facts in JSON."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.agent.approvals import Headless
from workbench.app import App, OpenSession
from workbench.cli.approver import TerminalApprover
from workbench.cli.output import FINE, NO, colour, flat, plain, print_json, say
from workbench.cli.places import add_json, data_folder
from workbench.cli.render import TerminalView
from workbench.cli.terminal import Terminal
from workbench.conversation.events import Entry, ModelChosen, SessionOpened, TurnFinished
from workbench.errors import UsageError
from workbench.permissions.modes import MODES
from workbench.store.session_store import SessionStore
from workbench.store.sessions import SessionSummary, find_session, list_sessions
from workbench.words import _, tell

APPROVE = ("ask", "reads", "all", "none")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("prompt", metavar="PROMPT", help=_("what to say; - reads standard input"))
    add_session_arguments(parser)
    parser.add_argument(
        "--approve",
        choices=APPROVE,
        default="ask",
        help=_("ask: at the terminal, without one everything that asks is rejected; reads: allow what only looks; all: allow everything; none: reject"),
    )
    add_json(parser)


def add_session_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that choose workspace, model, mode and session."""
    parser.add_argument("--workspace", metavar="DIR", help=_("the folder to work in (default: the current one, or that of the session)"))
    parser.add_argument("--model", metavar="ID", default="", help=_("practice, PROFILE/MODEL, or a model of the profile in the settings"))
    parser.add_argument("--base-url", metavar="URL", default="", help=_("an OpenAI-compatible address; --model names the model there"))
    parser.add_argument("--key-variable", metavar="NAME", default="", help=_("environment variable that holds the key for --base-url"))
    parser.add_argument("--mode", choices=MODES, help=_("what runs without a question (default: ask)"))
    parser.add_argument("--session", metavar="ID", default="", help=_("go on with a session; “last” is the newest"))


async def run(arguments: argparse.Namespace) -> int:
    """Run one turn; status 0 if it was answered, 1 if it ended otherwise."""
    prompt = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
    terminal = Terminal()
    headless = headless_of(arguments.approve, terminal)
    async with await App.open(data_folder()) as app:
        opened = await open_session(app, arguments, headless=headless)
        try:
            if arguments.json:
                opened.session.journal.subscribe(print_entry, after=this_time(opened.session.journal.entries))
            else:
                show_start(app, opened)
            return await one_turn(opened, prompt, terminal if headless is None else None, lines=not arguments.json)
        finally:
            await opened.aclose()


def headless_of(approve: str, terminal: Terminal) -> Headless | None:
    """Return who answers questions: nobody but the person for ``ask`` at a terminal, where there is none everything is rejected."""
    match approve:
        case "ask":
            return None if terminal.present else "none"
        case "reads" | "all" | "none":
            return approve
        case _:
            raise UsageError(f"--approve {approve} is not one of {', '.join(APPROVE)}.")


async def open_session(app: App, arguments: argparse.Namespace, *, headless: Headless | None) -> OpenSession:
    """Open the session that the arguments name.

    Raises:
        WorkbenchError: workspace, model or session cannot be used; one sentence.
    """
    summary = await asyncio.to_thread(_summary, arguments.session) if arguments.session else None
    folder = arguments.workspace or (summary.workspace if summary and summary.workspace else ".")
    workspace = await app.workspace(Path(folder))
    wanted = arguments.model
    if summary and not wanted and not arguments.base_url:
        wanted = await asyncio.to_thread(_model_of, summary)
    choice = await app.choose(wanted, base_url=arguments.base_url, key_variable=arguments.key_variable)
    return await app.open_session(workspace, choice, mode=arguments.mode, headless=headless, resume=summary.folder if summary else None)


def _summary(wanted: str) -> SessionSummary:
    if wanted != "last":
        return find_session(data_folder(), wanted)
    newest = next(iter(list_sessions(data_folder())), None)
    if newest is None:
        raise UsageError("There are no sessions yet; `workbench run` makes one.", message_id="cli.no_sessions")
    return newest


def _model_of(summary: SessionSummary) -> str:
    """Return the model a session used last, as ``--model`` would name it; empty if it is the address of no profile."""
    store = SessionStore.open(summary.folder, read_only=True)
    try:
        chosen = next((entry.event for entry in reversed(store.entries()) if isinstance(entry.event, ModelChosen)), None)
    finally:
        store.close()
    return f"{chosen.profile}/{chosen.model}" if chosen and chosen.profile != "custom" else ""


def show_start(app: App, opened: OpenSession) -> None:
    """Tell where this runs, and what should be known at the start."""
    for notice in app.notices:
        say(colour(plain(tell(notice)), "amber"))
    for text in app.http.notices:
        say(colour(plain(text), "amber"))
    profile = opened.choice.profile
    parts = (profile.title or profile.name, opened.choice.model, opened.session.mode.replace("_", " "), str(opened.bench.workspace.path))
    say(colour(plain(" · ".join(parts)), "faint"))


async def one_turn(opened: OpenSession, prompt: str, terminal: Terminal | None, *, lines: bool) -> int:
    """Run a turn and show it as lines, if wanted; questions go to the terminal, if there is one. Ctrl+C stops it."""
    session = opened.session
    view = TerminalView()
    after = session.journal.last_seq
    subscriptions = [session.journal.subscribe(view.entry, live=view.live, after=after)] if lines else []
    ends: list[TurnFinished] = []
    subscriptions.append(session.journal.subscribe(lambda entry: _note_end(entry, ends), after=after))
    approver = None
    if terminal is not None:
        questions = TerminalApprover(session, terminal)
        subscriptions.append(session.journal.subscribe(questions.entry, after=after))
        approver = session.spawn(questions.run(), name="approver")
    try:
        with stopped_by_interrupt(opened):
            await session.submit(prompt)
            await session.wait_idle()
    finally:
        for subscription in subscriptions:
            subscription.close()
        if approver is not None:
            approver.cancel()
            with suppress(asyncio.CancelledError):
                await approver
    return FINE if ends and ends[-1].end == "answered" else NO


def _note_end(entry: Entry, ends: list[TurnFinished]) -> None:
    if isinstance(entry.event, TurnFinished):
        ends.append(entry.event)


def this_time(entries: Sequence[Entry]) -> int:
    """Return the number after which the facts of this opening of the session begin."""
    return next((entry.seq - 1 for entry in reversed(entries) if isinstance(entry.event, SessionOpened)), 0)


def print_entry(entry: Entry) -> None:
    """Write a fact as one line of JSON: number, time, type and members. What people should know at once is told on stderr."""
    match entry.event:
        case SessionOpened(session_id=session_id):
            say(_("session {id}").format(id=session_id))
        case TurnFinished(end=end, text=text) if end != "answered":
            say(plain(text or end))
        case _:
            pass
    print_json(flat(entry))


@contextmanager
def stopped_by_interrupt(opened: OpenSession) -> Iterator[None]:
    """Let Ctrl+C (and a polite kill) stop the turn instead of the program."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        opened.session.spawn(opened.session.stop(), name="stop")

    signals = (signal.SIGINT, signal.SIGTERM)
    try:
        for number in signals:
            loop.add_signal_handler(number, stop)
    except (NotImplementedError, RuntimeError):  # Windows, or not the main thread: Ctrl+C then ends the program
        yield
        return
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
