"""Granted folders as roots of the workspace: tools that only read open what lies in them through the folder that was granted, and no other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from workbench.agent.gatekeeper import Gatekeeper
from workbench.errors import WorkspaceError
from workbench.permissions.grants import grants_in_force
from workbench.permissions.rules import GrantRule
from workbench.tools.base import Tool
from workbench.workspace.paths import Workspace


async def workspace_for(tool: Tool, workspace: Workspace, gatekeeper: Gatekeeper) -> Workspace:
    """Return the workspace that a call of a tool works in: for one that only reads with the folders granted by now, else as it is.

    Args:
        tool: whose call it is; commands and changes get no granted folder.
        workspace: the session's own.
        gatekeeper: knows what is granted, and whether that still holds.
    """
    if tool.tool_class != "read" or not any(isinstance(rule, GrantRule) for rule in gatekeeper.rules.rules):
        return workspace
    return await asyncio.to_thread(_widened, workspace, gatekeeper)


def _widened(workspace: Workspace, gatekeeper: Gatekeeper) -> Workspace:
    grants = grants_in_force(gatekeeper.rules.rules, roots=gatekeeper.roots, disk=gatekeeper.disk)
    return _granting(workspace, grants)


def _granting(workspace: Workspace, grants: Sequence[GrantRule]) -> Workspace:
    """Add folders as roots for reading; one that cannot be opened, or is another one by now, is left out and stays outside."""
    for grant in grants:
        with suppress(WorkspaceError):
            wider = workspace.granting(Path(grant.folder), writable=False)
            root = wider.extra[-1]
            if root.path == Path(grant.folder) and f"{root.device}:{root.inode}" == grant.identity:
                workspace = wider
    return workspace
