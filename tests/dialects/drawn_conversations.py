"""Strategies that draw conversations as they come to be in real life, each part with a word of its own: signed reasoning of several
makers, calls without results, results without calls, broken arguments, pictures, ids of every kind."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hypothesis import strategies as st

from workbench.conversation.messages import (
    DialectName,
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    Origin,
    Part,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
)

MAKERS: tuple[DialectName, ...] = ("chat_completions", "functions", "responses", "anthropic", "gemini", "react", "ollama")
TOOLS = ("read", "write_file")
_SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "input": {"type": "string"}},
    "required": ["a", "input"],
    "additionalProperties": False,
}
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="


class _Drawing:
    """Draws the parts of one conversation and numbers its words."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._words = 0

    def one(self, *choices: str) -> str:
        return self._draw(st.sampled_from(choices))

    def often(self, *, times: int = 4) -> bool:
        return self._draw(st.integers(0, times - 1)) > 0

    def word(self) -> str:
        self._words += 1
        return f"w{self._words}x" + self.one("", " 你好", " “q”", " a\nb", " {}")

    def attachment(self) -> Part:
        match self.one("data", "url", "file"):
            case "data":
                return ImagePart(media_type="image/png", data=_PNG)
            case "url":
                return ImagePart(media_type="image/png", url=f"https://example.org/{self.word()[:3]}.png")
            case _:
                return FilePart(media_type="application/pdf", data="JVBERi0xLjQK", name="a.pdf")

    def user(self) -> Message:
        parts: list[Part] = [TextPart(text=self.word())]
        if not self.often():
            parts.append(self.attachment())
        return self.message("user", parts)

    def message(self, role: str, parts: list[Part], maker: DialectName | None = None) -> Message:
        self._words += 1
        origin = Origin(dialect=maker, provider="", model="m") if maker else None
        return Message(message_id=f"msg_{self._words}", role=role, parts=tuple(parts), origin=origin)  # type: ignore[arg-type]

    def reasoning(self, maker: DialectName) -> ReasoningPart:
        text = self.word()
        match maker:
            case "anthropic":
                return ReasoningPart(redacted_data="cmVk") if not self.often() else ReasoningPart(text=text, signature="c2ln" if self.often() else "")
            case "responses":
                return ReasoningPart(summary=(text,), encrypted="ZW5j" if self.often() else "")
            case "gemini":
                return ReasoningPart(text=text, signature="c2ln" if self.often() else "")
            case "ollama":
                return ReasoningPart(text=text)
            case "react":
                return ReasoningPart(text=text, field="thought")
            case _:
                return ReasoningPart(text=text, field="reasoning" if not self.often(times=2) else "reasoning_content")

    def arguments(self) -> str:
        word = self.word()
        match self.one("plain", "plain", "spaced", "escaped", "broken", "empty"):
            case "plain":
                return json.dumps({"a": word}, ensure_ascii=False)
            case "spaced":
                return json.dumps({"a": word}, ensure_ascii=False, indent=1)
            case "escaped":
                return json.dumps({"a": word, "n": 1.0})
            case "broken":
                return '{"a": "' + word.replace("\n", " ")
            case _:
                return ""

    def call(self) -> ToolCallPart:
        call_id = self.one("call_", "toolu_", "functions.read:", "call|fc_") + str(self._words)
        if not self.often():
            call_id = "call_again"
        raw = self.arguments()
        status = "invalid_json" if raw and not raw.endswith("}") else "complete"
        return ToolCallPart(call_id=call_id, name=self.one(*TOOLS), arguments_raw=raw, status=status)  # type: ignore[arg-type]

    def result(self, call: ToolCallPart) -> ToolResultPart:
        text = TextPart(text=self.one("", "Error: ") + self.word())
        content = (text,) if self.often() else (text, self.attachment())
        return ToolResultPart(call_id=call.call_id, name=call.name, content=content, is_error=not self.often())  # type: ignore[arg-type]

    def turn(self) -> Iterator[Message]:
        maker: DialectName = self.one(*MAKERS)  # type: ignore[assignment]
        calls = {call.call_id: call for call in (self.call() for _ in range(self._draw(st.integers(0, 3))))}
        parts: list[Part] = [self.reasoning(maker)] if not self.often(times=2) else []
        if self.often():
            parts.append(TextPart(text=self.word()))
        for call in calls.values():
            parts.append(call)
            if not self.often(times=5):
                parts.append(TextPart(text=self.word()))
        yield self.message("assistant", parts or [TextPart(text=self.word())], maker)
        results: list[Part] = [self.result(call) for call in calls.values() if self.often(times=6)]
        if not self.often(times=6):
            yield self.user()
        if not self.often(times=6):
            results.append(self.result(ToolCallPart(call_id="call_orphan", name="read", arguments_raw="{}")))
        if results:
            yield self.message("tool", results)


@st.composite
def conversations(draw: st.DrawFn) -> ModelRequest:
    """Draw a request; the first message is a person's, the last no assistant's."""
    drawing = _Drawing(draw)
    messages = [drawing.user()]
    for _ in range(draw(st.integers(0, 4))):
        messages.extend(drawing.turn())
        if drawing.often(times=2):
            messages.append(drawing.user())
        if not drawing.often(times=6):
            messages.append(drawing.message("system", [TextPart(text=drawing.word())]))
    messages.append(drawing.user())
    tools = tuple(ToolDefinition(name=name, description="d", input_schema=_SCHEMA, strict=not drawing.often(times=6)) for name in TOOLS)
    options = RequestOptions(
        model="m",
        max_output_tokens=draw(st.sampled_from([None, 1000])),
        temperature=draw(st.sampled_from([None, 0.5])),
        tool_choice=draw(st.sampled_from([None, None, "auto", "none", "required", "read"])),
        parallel_tool_calls=draw(st.sampled_from([None, None, True, False])),
        stop=draw(st.sampled_from([(), (), ("END",)])),
    )
    system = tuple(drawing.word() for _ in range(draw(st.integers(0, 2))))
    return ModelRequest(system=system, tools=tools, messages=tuple(messages), options=options)
