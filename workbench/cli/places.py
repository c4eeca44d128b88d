"""Where the commands find the user's data and their input: the data folder, standard input, and the arguments several commands share."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

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


def standard_input() -> bytes:
    """Return all of standard input.

    Raises:
        UsageError: it is closed.
    """
    return b"".join(input_lines())


def input_lines() -> BinaryIO:
    """Return standard input as its lines, each as soon as it is there.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdin is None:
        raise UsageError("- reads standard input, but that is closed.", message_id="cli.no_input")
    return sys.stdin.buffer


def text_of(data: bytes, name: str) -> str:
    """Return UTF-8 bytes as text.

    Raises:
        UsageError: they are something else.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8 text: byte {error.start + 1} does not fit.", message_id="cli.not_utf8", values={"name": name, "byte": error.start + 1}
        ) from error
