"""The entry point: reads the command line and starts one command. Errors are one sentence on stderr and status 2."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import logging
import os
import re
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from typing_extensions import override

from workbench import __version__
from workbench.cli.output import NO, USAGE, log_to_terminal, plain, say
from workbench.cli.places import data_folder
from workbench.errors import UsageError, WorkbenchError
from workbench.words import _, choose_language, serve_the_standard_library, tell


class Parser(argparse.ArgumentParser):
    """Tells what is wrong with a command line in one line."""

    @override
    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        say(_("{program}: {message}. See `{program} --help`.").format(program=self.prog, message=plain(message)))
        sys.exit(USAGE)


class Command(NamedTuple):
    """A command: the module that holds it (loaded when it runs), its functions there, and one line of help."""

    module: str
    help: Callable[[], str]
    declare: str = "add_arguments"
    run: str = "run"


COMMANDS = {
    "run": Command("run", lambda: _("one turn in the terminal")),
    "tool": Command("tool", lambda: _("run one tool by hand")),
    "check": Command("check", lambda: _("what the permission gate would decide, and why")),
    "decode": Command("decode", lambda: _("a recorded response as the neutral message")),
    "lint": Command("lint", lambda: _("what a provider would refuse in a request")),
    "translate": Command("translate", lambda: _("a request body in another dialect, with the list of what is lost")),
    "sessions": Command("sessions", lambda: _("list past sessions"), "add_sessions_arguments", "run_sessions"),
    "doctor": Command("doctor", lambda: _("what is installed, whether commands are confined, and what can be reached")),
    "inspect": Command("sessions", lambda: _("a session's requests, byte for byte"), "add_inspect_arguments", "run_inspect"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 fine, 1 the answer is no, 2 wrong usage or unreadable input."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    log_to_terminal()
    choose_language("system")
    serve_the_standard_library()
    try:
        return _run(words)
    except WorkbenchError as error:
        say(plain(tell(error)))
        return USAGE
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _drop_output()
        return NO
    except Exception:  # the border of the program: a person gets a sentence, the log gets the rest
        logging.getLogger(__name__).exception("internal error")
        say(_("The program made an error and has to end; what was written before is safe. The lines above tell where."))
        return 70


def _run(words: list[str]) -> int:
    name = words[0] if words and words[0] in COMMANDS else ""
    if not name:
        return _window(words)
    command = COMMANDS[name]
    module = importlib.import_module(f"workbench.cli.{command.module}")
    parser = Parser(prog=f"workbench {name}", description=command.help())
    getattr(module, command.declare)(parser)
    return _finish(getattr(module, command.run)(parser.parse_args(words[1:])))


def _window(words: list[str]) -> int:
    if words and re.fullmatch(r"[a-z]+", words[0]) and not Path(words[0]).exists():
        names = ", ".join(COMMANDS)
        text = f"There is neither a command nor a folder named “{words[0]}”. The commands are {names}."
        raise UsageError(text, message_id="cli.no_such_command", values={"name": words[0], "names": names})
    parser = Parser(prog="workbench", description=_("See, decide and undo what a tool-calling model does."), epilog=_epilog())
    parser.add_argument("folder", metavar="FOLDER", nargs="?", help=_("the project folder (default: a sample project)"))
    parser.add_argument("--version", action="version", version=f"workbench {__version__}")
    parsed = parser.parse_args(words)
    window = importlib.import_module("workbench.ui.start")
    why_not = window.why_no_window(os.environ)
    if not why_not:
        return _finish(window.run(parsed.folder, data_folder()))
    return _finish(importlib.import_module("workbench.cli.chat").run(parsed, why_not))


def _epilog() -> str:
    return _("Commands: {names}. `workbench COMMAND --help` tells more.").format(names=", ".join(COMMANDS))


def _drop_output() -> None:
    """Send what is still to be written nowhere: whoever read our output has left, and the interpreter flushes once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            os.dup2(nowhere, stream.fileno())


def _finish(result: int | Coroutine[Any, Any, int]) -> int:
    return result if isinstance(result, int) else asyncio.run(result)


if __name__ == "__main__":
    sys.exit(main())
