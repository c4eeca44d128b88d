"""A workspace with its tools and gate, without a model: what a session stands on, and enough to run one tool by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from workbench.agent.confining import Confining
from workbench.agent.gatekeeper import Gatekeeper, roots_of
from workbench.agent.known_secrets import KnownSecrets
from workbench.permissions.modes import Mode
from workbench.tools.base import MemoryObjects, ObjectStore, ToolContext
from workbench.tools.read import ImageScaler
from workbench.tools.registry import ToolRegistry, builtin_tools
from workbench.workspace.environment import added_variables, child_environment
from workbench.workspace.files import SeenFiles
from workbench.workspace.jobs import Jobs
from workbench.workspace.paths import Workspace


@dataclass(frozen=True, kw_only=True)
class ToolBench:
    """A workspace, its tools, and what decides on their calls.

    Attributes:
        jobs: processes that commands leave running; whoever built the bench ends them.
    """

    workspace: Workspace
    registry: ToolRegistry
    gatekeeper: Gatekeeper
    context: ToolContext
    jobs: Jobs


async def build_bench(
    workspace: Workspace,
    *,
    data_folder: Path,
    environment: Mapping[str, str],
    outputs: Path,
    mode: Mode = "ask",
    objects: ObjectStore | None = None,
    scaler: ImageScaler | None = None,
    known: KnownSecrets | None = None,
    confining: Confining | None = None,
    keep: Collection[str] = (),
) -> ToolBench:
    """Return a workspace with all tools and the gate.

    Args:
        workspace: the folder.
        data_folder: the program's own data, which no tool may touch.
        environment: what commands inherit, without keys.
        outputs: where whole outputs go.
        mode: the gate's mode.
        objects: where old file contents go; memory if None.
        scaler: makes large pictures small, for the read tool.
        known: secrets that are taken out of what tools show; if None, those of the workspace's own files.
        confining: knows what holds commands; if None, nothing does.
        keep: names of further environment variables that a person lets commands see.
    """
    jobs, known = Jobs(), known or KnownSecrets([root.path for root in workspace.roots])
    known.learn({name: environment[name] for name in added_variables(environment, keep)})
    roots = await asyncio.to_thread(roots_of, workspace, data_folder=data_folder, outputs=outputs)
    gatekeeper = Gatekeeper(roots=roots, mode=mode)
    if confining is not None:
        confining.tell(gatekeeper)
    return ToolBench(
        workspace=workspace,
        registry=ToolRegistry(await asyncio.to_thread(builtin_tools, demo=True, jobs=jobs, scaler=scaler, environment=environment)),
        gatekeeper=gatekeeper,
        context=ToolContext(
            workspace=workspace,
            seen=SeenFiles(),
            outputs=outputs,
            objects=objects or MemoryObjects(),
            data_folder=data_folder,
            environment=child_environment(environment, keep=keep, roots=[root.path for root in workspace.roots]),
            added_variables=added_variables(environment, keep),
            sandbox=confining.known if confining else None,
            redactor=known.redactor(),
        ),
        jobs=jobs,
    )
