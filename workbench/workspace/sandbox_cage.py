"""Puts one command into the sandbox: what was there before, the cage itself, and what the command left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from workbench.errors import ToolError
from workbench.workspace.sandbox_bwrap import MOUNTS_AT_MOST
from workbench.workspace.sandbox_held import BubblewrapCage
from workbench.workspace.sandbox_landlock import LandlockCage
from workbench.workspace.sandbox_seatbelt import SeatbeltCage
from workbench.workspace.sandbox_shape import Bounds, Sandbox
from workbench.workspace.sandbox_survey import Survey, refuse_links, survey
from workbench.workspace.sandbox_watch import PutAside, put_aside
from workbench.workspace.started_shell import Cage


@dataclass(frozen=True)
class Held:
    """A cage for one command, made for the workspace as it is now.

    Attributes:
        cage: starts the shell.
        sandbox: what holds it.
        bounds: what it may reach.
        before: what was found before.
    """

    cage: Cage
    sandbox: Sandbox
    bounds: Bounds
    before: Survey

    def put_aside(self, quarantine: Path) -> tuple[PutAside, ...]:
        """Move what the command left and must not into quarantine. Blocking."""
        after = survey(self.bounds, keep=bool(self.before.kept))
        return put_aside(self.before, after, bounds=self.bounds, sandbox=self.sandbox, quarantine=quarantine)


def hold(sandbox: Sandbox, bounds: Bounds) -> Held:
    """Return a cage. Blocking.

    Raises:
        ToolError: there is no sandbox (``sandbox_unavailable``), or it cannot protect this workspace (``sandbox_refused``); the command must
            not be run then.
    """
    match sandbox.rung:
        case "bwrap":
            before = survey(bounds)
            if len(before.protected) > MOUNTS_AT_MOST:  # the others cannot be shut, so what is done to them is taken back
                before = survey(bounds, keep=True)
            refuse_links(before, bounds)
            return Held(BubblewrapCage(sandbox, bounds, before), sandbox, bounds, before)
        case "seatbelt":
            before = survey(bounds)
            refuse_links(before, bounds)
            return Held(SeatbeltCage(sandbox, bounds, before), sandbox, bounds, before)
        case "landlock":
            return Held(LandlockCage(sandbox, bounds), sandbox, bounds, survey(bounds, keep=True))
        case "none":
            why = sandbox.report.problem or "There is no sandbox."
            raise ToolError("sandbox_unavailable", f"The command was not run, since nothing can confine it: {why}", "Tell the user; send the call again.")
        case _:
            assert_never(sandbox.rung)
