"""The tool ``multiedit``: several edits of one file, each on the result of the one before, all or none."""

from __future__ import annotations

from typing import Any

from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import BuiltinTool
from workbench.tools.edit import apply_edits, plan_edits
from workbench.tools.edit_plan import edit_of


class MultieditTool(BuiltinTool):
    """Makes several edits of one file.

    Attributes:
        tolerant: as in `EditTool`.
    """

    def __init__(self, *, tolerant: bool = True) -> None:
        super().__init__("multiedit", "edit")
        self.tolerant = tolerant

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Work out the file's new bytes; an edit that does not fit is named by its number."""
        return await plan_edits(self.name, arguments, [edit_of(values) for values in arguments["edits"]], context, tolerant=self.tolerant)

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Write the planned bytes."""
        return await apply_edits(plan, [edit_of(values) for values in plan.arguments["edits"]], context, tolerant=self.tolerant)
