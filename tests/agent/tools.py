"""Small tools for tests: their effects are lists, and the test decides when they go on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from workbench.conversation.calls import Preview, Target
from workbench.conversation.messages import ToolDefinition
from workbench.tools.base import Plan, Result, ToolClass, ToolContext

Work = Callable[[dict[str, Any], ToolContext], Awaitable[Result]]


class Probe:
    """A tool that says what it was asked and does what the test wants.

    Attributes:
        ran: the arguments it ran with, in order.
        now, most: how many of its calls run now, and ran at once at most.
        gate: opened by the test to let its calls go on.
    """

    def __init__(
        self, name: str, tool_class: ToolClass = "read", *, work: Work | None = None, gated: bool = False, path: str = "", broken: Exception | None = None
    ) -> None:
        schema = {"type": "object", "properties": {"value": {"type": "string"}, "number": {"type": "integer"}}, "required": []}
        self.definition = ToolDefinition(name=name, description="for tests", input_schema=schema)
        self.tool_class: ToolClass = tool_class
        self.ran: list[dict[str, Any]] = []
        self.prepared = 0
        self.now = self.most = 0
        self.gate = asyncio.Event()
        self._more = asyncio.Event()
        self.hashes: dict[str, str | None] = {}
        self.broken = broken
        self._work = work
        self._path = path
        if not gated:
            self.gate.set()

    @property
    def name(self) -> str:
        return self.definition.name

    async def running(self, calls: int = 1) -> None:
        """Return when that many of its calls run."""
        while self.now < calls:
            self._more.clear()
            await self._more.wait()

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        self.prepared += 1
        if self.broken is not None:
            raise self.broken
        targets: tuple[Target, ...] = ()
        if self._path:
            access: Any = "write" if self.tool_class == "edit" else "read"
            targets = (Target(kind="path", name=str(context.workspace.path / self._path), access=access),)
        command = arguments.get("value", "true") if self.tool_class == "exec" else None
        return Plan(
            tool=self.name, arguments=arguments, targets=targets, preview=Preview(kind="text", title=self.name), base_hashes=dict(self.hashes), command=command
        )

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        self.ran.append(plan.arguments)
        self.now += 1
        self.most = max(self.most, self.now)
        self._more.set()
        try:
            await self.gate.wait()
            if self._work is not None:
                return await self._work(plan.arguments, context)
            return Result(text=f"{self.name} {plan.arguments.get('value', '')}".strip())
        finally:
            self.now -= 1
