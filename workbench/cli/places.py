"""Where the commands find the user's data: the data folder, and the arguments several commands share."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

import platformdirs

from workbench.errors import UsageError
from workbench.words import _

DATA_VARIABLE = "WORKBENCH_DATA"


def data_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder of the user's data: $WORKBENCH_DATA if set, else the platform's place; it need not exist yet."""
    chosen = (os.environ if environment is None else environment).get(DATA_VARIABLE)
    return Path(chosen).expanduser().absolute() if chosen else Path(platformdirs.user_data_dir("agent-workbench", appauthor=False))


def add_workspace(parser: argparse.ArgumentParser) -> None:
    """Declare ``--workspace``."""
    parser.add_argument("--workspace", metavar="DIR", default=".", help=_("the folder to work in (default: the current one)"))


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare ``--json``."""
    parser.add_argument("--json", action="store_true", help=_("print JSON on standard output, and nothing else there"))


def read_text(name: str) -> str:
    """Return a file's text (UTF-8).

    Raises:
        UsageError: it cannot be read, or is not UTF-8.
    """
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
    except UnicodeDecodeError:
        reason = "it is not UTF-8 text"
    raise UsageError(f"{name} cannot be read: {reason}.", message_id="cli.unreadable", values={"name": name, "reason": reason})
