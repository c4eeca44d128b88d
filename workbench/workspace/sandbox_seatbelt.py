"""macOS: a profile for ``sandbox-exec``, which is called deprecated and still ships with every system. Written from documents, not tested.

Paths go in as parameters and never become part of the profile's text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.workspace.sandbox_bwrap import hidden_places, seen_all_the_same
from workbench.workspace.sandbox_shape import Bounds, Sandbox
from workbench.workspace.sandbox_survey import Survey
from workbench.workspace.started_shell import Launch, PlainShell

PROGRAM = Path("/usr/bin/sandbox-exec")

_HEAD = """(version 1)
(deny default)
(import "system.sb")
(allow process-exec process-fork process-info* sysctl-read)
(allow signal (target same-sandbox))
(allow file-read* (subpath "/"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
"""
_DESKTOP = """(deny mach-lookup (global-name-regex #"^com\\.apple\\.(SecurityServer|securityd|pasteboard|coreservices|lsd|ls|appleevents)"))
(deny appleevent-send)
"""


@dataclass(frozen=True)
class SeatbeltCage:
    """Starts one shell under a profile.

    Attributes:
        sandbox: whose homes are hidden.
        bounds: what may be reached.
        found: a survey made just before.
    """

    sandbox: Sandbox
    bounds: Bounds
    found: Survey

    async def start(self, launch: Launch) -> PlainShell:
        """Start it; see `started_shell.Cage`."""
        line = seatbelt_line(self.sandbox, self.bounds, self.found, launch)
        return await PlainShell.start(replace(launch, line=(*line, *launch.line)))


def seatbelt_line(sandbox: Sandbox, bounds: Bounds, found: Survey, launch: Launch) -> tuple[str, ...]:
    """Return the line up to the program that is to run."""
    closed = [path for path in (*found.steering, *found.protected) if not path.is_symlink()]
    roots = (bounds.workspace, *bounds.writable)
    fixed = {parent for path in (*closed, *found.repositories) for parent in path.parents if any(root in parent.parents for root in roots)}
    fixed.update(found.repositories)
    secrets = [path for path in found.secrets if str(path) not in bounds.revealed]
    rules = [
        ("deny file-read*", "subpath", hidden_places(sandbox, bounds)),
        ("allow file-read*", "subpath", (*seen_all_the_same(sandbox, bounds, launch.environment), *roots)),
        ("allow file-write*", "subpath", (*roots, *_scratch(launch))),
        ("allow file-read*", "subpath", tuple(_scratch(launch))),
        ("deny file-write*", "subpath", tuple(closed)),
        ("deny file-write-unlink", "literal", tuple(sorted(fixed))),  # a folder around them must not be moved away either
        ("deny file-read* file-write*", "subpath", tuple(secrets)),
    ]
    parameters: list[str] = []
    text = _HEAD
    for action, kind, places in rules:
        names = [f"P{len(parameters) + number}" for number in range(len(places))]
        parameters += [f"{name}={place}" for name, place in zip(names, places, strict=True)]
        text += _rule(action, kind, names)
    text += _DESKTOP + ("(allow network*)\n" if bounds.network else "(deny network*)\n")
    return (str(sandbox.program or PROGRAM), "-p", text, *(word for parameter in parameters for word in ("-D", parameter)), "--")


def _scratch(launch: Launch) -> list[Path]:
    folder = launch.environment.get("TMPDIR", "")
    return [Path("/private", folder.lstrip("/")) if folder.startswith("/var/") else Path(folder)] if folder else []


def _rule(action: str, kind: str, names: Iterable[str]) -> str:
    filters = " ".join(f'({kind} (param "{name}"))' for name in names)
    return f"({action} {filters})\n" if filters else ""
