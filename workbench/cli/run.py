"""`workbench run`: one turn in a terminal, as lines for people or as the journal's facts in JSON."""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from workbench.agent.approvals import Headless
from workbench.app import CUSTOM, App, ModelChoice, OpenSession
from workbench.cli.approver import TerminalApprover
from workbench.cli.output import FINE, NO, colour, flat, plain, print_json, say
from workbench.cli.places import add_json, standard_input, text_of
from workbench.cli.render import TerminalView
from workbench.cli.sessions import session_named
from workbench.cli.start import open_app
from workbench.cli.terminal import Terminal
from workbench.conversation.events import Entry, LiveEvent, ModelChosen, Notice, SessionOpened, TurnFinished
from workbench.errors import UsageError, WorkbenchError
from workbench.permissions.modes import MODES
from workbench.permissions.visible import visible
from workbench.settings.profiles import dialects
from workbench.store.sessions import SessionSummary, last_model
from workbench.words import _, mode_name, state_name, tell, tell_text
from workbench.workspace.paths import Workspace

T = TypeVar("T")

SHIPPED_SHOWN = 5
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
    parser.add_argument("--base-url", metavar="URL", default="", help=_("the address of a server; --model names the model there"))
    parser.add_argument("--dialect", choices=dialects(), default="chat_completions", help=_("what the server at --base-url speaks"))
    parser.add_argument("--key-variable", metavar="NAME", default="", help=_("environment variable that holds the key for --base-url"))
    parser.add_argument("--mode", choices=MODES, help=_("what runs without a question (default: ask)"))
    parser.add_argument("--trust", action="store_true", help=_("trust what the folder ships, as it is now: its instructions go to the model"))
    parser.add_argument("--session", metavar="ID", default="", help=_("go on with a session; “last” is the newest"))


async def run(arguments: argparse.Namespace) -> int:
    """Run one turn; status 0 if it was answered, 1 if it ended otherwise."""
    prompt = text_of(standard_input(), "Standard input") if arguments.prompt == "-" else arguments.prompt
    if not prompt.strip():
        raise UsageError("There is nothing to send: PROMPT is empty.", message_id="cli.empty_prompt")
    terminal = Terminal()
    headless = headless_of(arguments.approve, terminal)
    async with await open_app() as app:
        opened = await open_session(app, arguments, headless=headless)
        try:
            return await _turn(app, opened, prompt, terminal if headless is None else None, as_json=arguments.json)
        finally:
            await opened.aclose()


async def _turn(app: App, opened: OpenSession, prompt: str, terminal: Terminal | None, *, as_json: bool) -> int:
    if not as_json:
        show_start(app, opened)
        return await one_turn(opened, prompt, terminal)
    with heard(opened, Ear(print_entry), after=this_time(opened.session.journal.entries)):
        return await one_turn(opened, prompt, terminal, show=False)


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
    summary = await asyncio.to_thread(session_named, arguments.session) if arguments.session else None
    folder = arguments.workspace or (summary.workspace if summary and summary.workspace else ".")
    workspace = await app.workspace(Path(folder))
    if arguments.trust:
        await settle_trust(app, workspace, trust=True)
    if summary and not arguments.model and not arguments.base_url:
        choice = await _same_model(app, summary)
    else:
        choice = await app.choose(arguments.model, base_url=arguments.base_url, key_variable=arguments.key_variable, dialect=arguments.dialect)
    opened = await app.open_session(workspace, choice, mode=arguments.mode, headless=headless, resume=summary.folder if summary else None)
    await settle_trust(app, workspace, trust=False)  # told only now: a session that cannot be opened is one sentence
    if summary:
        await _tell_losses(app, opened)
    return opened


async def settle_trust(app: App, workspace: Workspace, *, trust: bool) -> None:
    """Trust what the folder ships, if a person said so; else tell that it has no effect."""
    shipped = await app.trust.look(workspace)
    if not shipped.digest or shipped.trusted:
        return
    if trust:
        await app.trust.answer(workspace, shipped, trusted=True)
        return
    names = [item.name for item in shipped.items if item.kind != "allow_rule"]
    listed = ", ".join(names[:SHIPPED_SHOWN]) + (" …" if len(names) > SHIPPED_SHOWN else "")
    pattern = _(
        "What this folder ships is not trusted and has no effect, but for rules that tighten ({names}). Read it, then start “workbench run” with --trust."
    )
    say(colour(plain(pattern.format(names=visible(listed))), "amber"))


async def _tell_losses(app: App, opened: OpenSession) -> None:
    """Tell what another model than the one before cannot be given of a session; nothing if that one is not known any more."""
    entries = opened.session.journal.entries[: this_time(opened.session.journal.entries)]
    left = next((entry.event for entry in reversed(entries) if isinstance(entry.event, ModelChosen)), None)
    if left is None or left == opened.session.chosen:
        return
    with suppress(WorkbenchError):
        await app.tell_losses(opened, await app.choice(left.profile, left.model))



async def _same_model(app: App, summary: SessionSummary) -> ModelChoice:
    """Return the model a session used last; what was said there never goes to another one unasked."""
    chosen = await asyncio.to_thread(last_model, summary.folder)
    if chosen is None:
        return await app.choose()
    if chosen.profile == CUSTOM:
        raise UsageError(
            f"This session talked to {chosen.model} at an address of its own: give --base-url and --model again, or choose another --model.",
            message_id="cli.address_again",
            values={"model": chosen.model},
        )
    return await app.choice(chosen.profile, chosen.model)


def show_start(app: App, opened: OpenSession) -> None:
    """Tell where this runs, and what should be known at the start."""
    entries = opened.session.journal.entries[this_time(opened.session.journal.entries) :]
    sentences = [tell(notice) for notice in app.notices]
    sentences += [tell(entry.event) for entry in entries if isinstance(entry.event, Notice)]
    sentences += [tell_text(text) for text in app.http.notices]
    for sentence in sentences:
        say(colour(plain(sentence), "amber"))
    profile = opened.choice.profile
    parts = (_(profile.title) or profile.name, opened.choice.model, mode_name(opened.session.mode), str(opened.bench.workspace.path))
    say(colour(plain(" · ".join(parts)), "faint"))


async def one_turn(opened: OpenSession, prompt: str, terminal: Terminal | None, *, show: bool = True) -> int:
    """Run a turn and show it as lines, if wanted; questions go to the terminal, if there is one. Ctrl+C stops it.

    Raises:
        BrokenPipeError: whoever read the output has left; the turn was stopped.
    """
    session, after, view = opened.session, opened.session.journal.last_seq, TerminalView()
    ends: list[TurnFinished] = []
    async with AsyncExitStack() as stack:
        if show:
            stack.enter_context(heard(opened, Ear(view.entry, view.live), after=after))
        stack.enter_context(heard(opened, Ear(lambda entry: _note_end(entry, ends)), after=after))
        if terminal is not None:
            questions = TerminalApprover(session, terminal)
            stack.enter_context(heard(opened, Ear(questions.entry), after=after))
            stack.push_async_callback(_ended, session.spawn(questions.run(), name="approver"))
        stack.enter_context(on_interrupt(lambda: session.spawn(session.stop(), name="stop")))
        await session.submit(prompt)
        await session.wait_idle()
    if session.failure is not None:
        say(colour(plain(tell(session.failure)), "red"))
        return NO
    return FINE if ends and ends[-1].end == "answered" else NO


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


class Ear(NamedTuple):
    """A listener of the journal, for facts and, if it wants them, live signs."""

    entry: Callable[[Entry], None]
    live: Callable[[LiveEvent], None] | None = None


@contextmanager
def heard(opened: OpenSession, ear: Ear, *, after: int) -> Iterator[None]:
    """Let `ear` hear a session's facts above `after`. When what it writes to is gone, the turn is stopped: nobody watches any more.

    Raises:
        BrokenPipeError: at the end, if that happened.
    """
    broken: list[BrokenPipeError] = []

    def guarded(hear: Callable[[T], None]) -> Callable[[T], None]:
        def listener(what: T) -> None:
            if broken:
                return
            try:
                hear(what)
            except BrokenPipeError as error:
                broken.append(error)
                opened.session.spawn(opened.session.stop(), name="stop")

        return listener

    subscription = opened.session.journal.subscribe(guarded(ear.entry), live=guarded(ear.live) if ear.live else None, after=after)
    try:
        if not broken:
            yield
    finally:
        subscription.close()
    if broken:
        raise broken[0]


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
        case TurnFinished() as finished if finished.end != "answered":
            say(plain(tell(finished) or state_name(finished.end)))
        case _:
            pass
    print_json(flat(entry))


@contextmanager
def on_interrupt(act: Callable[[], object], *, signals: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM)) -> Iterator[None]:
    """Let Ctrl+C (and a polite kill) do something instead of ending the program."""
    loop = asyncio.get_running_loop()
    try:
        for number in signals:
            loop.add_signal_handler(number, act)
    except (NotImplementedError, RuntimeError):  # Windows, or not the main thread: Ctrl+C then ends the program
        yield
        return
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
