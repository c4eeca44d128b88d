"""Runs whole turns of the brain against the program's real tools in a real folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.practice.dialogue import Dialogue
from workbench.conversation.messages import ToolCallPart
from workbench.errors import FileRefused, ToolError
from workbench.practice.reply import Reply
from workbench.tools.arguments import parse_arguments
from workbench.tools.base import MemoryObjects, ToolContext
from workbench.tools.registry import ToolRegistry, builtin_tools
from workbench.workspace.files import SeenFiles
from workbench.workspace.paths import open_workspace

STEPS_AT_MOST = 8


class Room:
    """A workspace with tools, for any number of turns."""

    def __init__(self, folder: Path, outputs: Path, environment: Mapping[str, str]) -> None:
        self.registry = ToolRegistry(builtin_tools(demo=True))
        outputs.mkdir(exist_ok=True)
        workspace = open_workspace(folder)
        self.context = ToolContext(workspace=workspace, seen=SeenFiles(), outputs=outputs, objects=MemoryObjects(), environment=dict(environment))
        self.dialogue = Dialogue(tools=self.registry.names())

    async def turn(self, question: str) -> list[Reply]:
        """Ask, run every call for real, and go on until the brain makes none; return all its answers."""
        replies = [self.dialogue.ask(question)]
        while replies[-1].calls():
            assert len(replies) < STEPS_AT_MOST, "the brain does not come to an end"
            results = [await self.run(call) for call in replies[-1].calls()]
            replies.append(self.dialogue.give(*results))
        return replies

    async def run(self, call: ToolCallPart) -> str:
        """Return the text that goes to the model for one call."""
        tool = self.registry.get(call.name)
        assert tool is not None, call.name
        try:
            arguments = parse_arguments(call.arguments_raw, tool.definition.input_schema).values
            plan = await tool.prepare(arguments, self.context)
            return (await tool.apply(plan, self.context)).text
        except ToolError as error:
            return error.for_model()
        except FileRefused as error:
            return ToolError(error.kind, error.text, error.advice).for_model()
