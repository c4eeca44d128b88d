"""A conversation with the brain, told as a dialogue: a person asks, the brain answers, results come back, it answers again."""

from __future__ import annotations

from workbench.conversation.messages import DialectName, Message, ModelRequest, RequestOptions, TextPart, ToolDefinition, ToolResultPart, text_message
from workbench.practice.brain import answer
from workbench.practice.reply import Reply

FILE_TOOLS = ("read", "list", "glob", "grep", "edit", "write", "bash", "webfetch")
DEMO_TOOLS = ("calculator", "get_current_time", "get_weather")


def tool_definitions(names: tuple[str, ...]) -> tuple[ToolDefinition, ...]:
    """Return bare definitions: the brain looks at names only."""
    return tuple(ToolDefinition(name=name, description="", input_schema={"type": "object", "properties": {}}) for name in names)


class Dialogue:
    """One session. Every answer of the brain is kept as the last message, as a client would."""

    def __init__(
        self, tools: tuple[str, ...] = FILE_TOOLS + DEMO_TOOLS, options: RequestOptions | None = None, dialect: DialectName = "chat_completions"
    ) -> None:
        self.dialect = dialect
        self.tools = tool_definitions(tools)
        self.options = options or RequestOptions(model="practice")
        self.messages: list[Message] = []
        self.reply = Reply(pieces=(), finish_reason="end", usage=answer(self.request()).usage)

    def request(self) -> ModelRequest:
        """Return what would be sent now."""
        return ModelRequest(system=("You are a helpful assistant.",), tools=self.tools, messages=tuple(self.messages), options=self.options)

    def ask(self, text: str) -> Reply:
        """Say something as the person; return the brain's answer."""
        self.messages.append(text_message("user", text))
        return self._answer()

    def give(self, *results: str) -> Reply:
        """Give back one text for each call of the last answer; return the next answer."""
        calls = self.reply.calls()
        assert len(calls) == len(results), f"{len(calls)} calls, {len(results)} results"
        parts = tuple(ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text=text),)) for call, text in zip(calls, results, strict=True))
        self.messages.append(Message(message_id=f"m{len(self.messages)}", role="tool", parts=parts))
        return self._answer()

    def _answer(self) -> Reply:
        self.reply = answer(self.request(), dialect=self.dialect)
        self.messages.append(Message(message_id=f"m{len(self.messages)}", role="assistant", parts=self.reply.pieces))
        return self.reply

    def calls(self) -> list[tuple[str, str]]:
        """Return name and argument text of each call of the last answer."""
        return [(call.name, call.arguments_raw) for call in self.reply.calls()]


def file_result(path: str, text: str, *, first: int = 1, total: int | None = None) -> str:
    """Return a file as the tool `read` shows it."""
    lines = text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")
    numbered = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, first))
    last = first + len(lines) - 1
    return f"<path>{path}</path>\n<type>file</type>\n<content>\n{numbered}\n</content>\n(lines {first}-{last} of {last if total is None else total})"
