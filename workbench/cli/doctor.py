"""`workbench doctor`: what is installed, whether commands are confined, and whether the practice model can be reached."""

from __future__ import annotations

import argparse
import asyncio
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from workbench import __version__
from workbench.app import App
from workbench.cli.output import FINE, NO, answer, colour, plain, print_json
from workbench.cli.places import add_json
from workbench.cli.start import open_app
from workbench.errors import WorkbenchError
from workbench.words import tell, tell_text
from workbench.workspace.environment import child_environment
from workbench.workspace.ripgrep import find_ripgrep

VERSION_WAIT_S = 5.0


class Found(NamedTuple):
    """One thing that was looked for.

    Attributes:
        name: what.
        good: it is there and works.
        needed: without it something is not as it should be; the rest is only a convenience.
        text: one sentence in English.
        facts: version and place.
    """

    name: str
    good: bool
    needed: bool
    text: str
    facts: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_json(parser)


async def run(arguments: argparse.Namespace) -> int:
    """Look and print; status 0 if all that is needed is there and commands are confined, 1 if not."""
    async with await open_app() as app:
        report = await app.test_sandbox()
        found = [_python(), *await asyncio.to_thread(_programs, app.environment), await _keyring(app), await _practice(app)]
    confined = app.facts.confined
    fine = confined and all(one.good for one in found if one.needed)
    if arguments.json:
        checks = [asdict(check) for check in report.checks]
        sandbox = {"rung": report.rung, "confined": confined, "problem": report.problem, "checks": checks}
        print_json({"fine": fine, "version": __version__, "found": [one._asdict() for one in found], "sandbox": sandbox})
        return FINE if fine else NO
    for one in found:
        _line(one.good, one.needed, one.text, one.facts)
    _line(confined, True, _RUNGS[report.rung], "" if report.rung == "none" else report.rung)
    if report.problem:
        answer(f"    {plain(tell_text(report.problem))}")
    for check in report.checks:
        answer(f"    {_mark(check.passed, True)} {plain(tell_text(check.sentence))}")
    return FINE if fine else NO


_RUNGS = {
    "bwrap": "Commands are confined: to the workspace, without network.",
    "seatbelt": "Commands are confined: to the workspace, without network.",
    "landlock": "Commands are partly confined: file attributes and names outside of the workspace are not covered.",
    "none": "Commands are not confined: every one asks, and has all your rights.",
}


def _mark(good: bool, needed: bool) -> str:
    if good:
        return colour("✓", "green", stream=sys.stdout)
    return colour("✗", "red", stream=sys.stdout) if needed else colour("–", "amber", stream=sys.stdout)


def _line(good: bool, needed: bool, text: str, facts: str) -> None:
    shown = f"  {colour(plain(facts), 'faint', stream=sys.stdout)}" if facts else ""
    answer(f"{_mark(good, needed)} {plain(tell_text(text))}{shown}")


def _python() -> Found:
    return Found("python", True, True, "Python runs.", f"{platform.python_version()} · {sys.executable}")


def _programs(environment: Mapping[str, str]) -> list[Found]:
    """Look for programs where commands would find them. Blocking."""
    path = child_environment(environment)["PATH"]
    ripgrep = find_ripgrep()
    if ripgrep is None:
        searching = Found("rg", False, False, "ripgrep is missing; files are searched more slowly.")
    else:
        searching = Found("rg", True, False, "ripgrep searches files.", f"{_version(str(ripgrep))} · {ripgrep}")
    found = [_program("git", path, needed=True), searching]
    if sys.platform.startswith("linux"):
        found.append(_program("bwrap", path, needed=False, package="bubblewrap"))
    return found


def _program(name: str, path: str, *, needed: bool, package: str = "") -> Found:
    place = shutil.which(name, path=path)
    if place is None:
        return Found(name, False, needed, f"{name} is not installed (package “{package or name}”).")
    return Found(name, True, needed, f"{name} is installed.", f"{_version(place)} · {place}")


def _version(program: str) -> str:
    """Return the first line a program says of itself, cut short; empty if it says nothing in time."""
    try:
        told = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=VERSION_WAIT_S, check=False, cwd=Path("/"))
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.decode(errors="replace").partition("\n")[0][:60]


async def _keyring(app: App) -> Found:
    if await app.credentials.keyring_available():
        return Found("keyring", True, False, "Keys are kept in the system's keyring.")
    return Found("keyring", False, False, "There is no safe keyring; keys are taken from the environment or typed each time.")


async def _practice(app: App) -> Found:
    try:
        choice = await app.choice("practice", "")
        lines = [line async for line in app.probe(choice.profile, model=choice.model)]
    except WorkbenchError as error:
        return Found("practice", False, True, tell(error))
    failed = [line.text for line in lines if line.outcome == "failed"]
    address = choice.profile.base_url
    if failed or not lines:
        return Found("practice", False, True, failed[0] if failed else "The practice model does not answer.", address)
    return Found("practice", True, True, "The practice model answers.", f"{choice.model} · {address}")

