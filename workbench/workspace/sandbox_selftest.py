"""Finds out whether a sandbox holds: everything it must prevent is tried from inside, with what the trial needs standing ready outside."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.workspace.sandbox import Sandbox, SelfTestReport, people_homes


def tested(environment: Mapping[str, str], *, fresh: bool = False) -> Sandbox:
    """Return the best sandbox that holds. Blocking."""
    return Sandbox(report=SelfTestReport(problem="Commands are not confined: no sandbox was tested yet."), homes=people_homes(environment))
