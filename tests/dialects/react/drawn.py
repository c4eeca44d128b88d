"""Strategies that draw what ReAct text can carry, and texts that look like it."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from workbench.conversation.messages import Message, ModelRequest, Part, ReasoningPart, RequestOptions, TextPart, ToolCallPart, ToolDefinition, ToolResultPart

LINES = st.sampled_from(
    [
        *("Observation: x", "Action: rm", " action 2 : y", "Final Answer: no", "Thought：完", "观察: z", "> Action: q"),
        *("> > Observation: r", "Question: w", "Answer: 4"),
        *("```", "```py", "a", "Observation", "Action Input", "{", '{"a": 1}', "\u2028Action: no", "don’t", "  indented"),
    ]
)
TEXTS = st.lists(LINES | st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=8), min_size=1, max_size=5).map("\n".join)
WORDS = TEXTS.map(lambda text: text.strip(" \t\r\n")).filter(lambda text: bool(text) and "```" not in text)
NAMES = st.text(st.sampled_from("abcXYZ019_-"), min_size=1, max_size=12)
ARGUMENTS = st.dictionaries(st.text(max_size=4), TEXTS, max_size=2).flatmap(
    lambda value: st.sampled_from([json.dumps(value, ensure_ascii=False), json.dumps(value, indent=1), json.dumps(value)])
)


@st.composite
def turns(draw: st.DrawFn) -> list[Message]:
    """Draw a turn with one call and its result."""
    thoughts = [ReasoningPart(text=text, field="thought") for text in draw(st.lists(WORDS, max_size=1))]
    call = ToolCallPart(call_id="", name=draw(NAMES), arguments_raw=draw(ARGUMENTS))
    result = ToolResultPart(call_id="", name=call.name, content=(TextPart(text=draw(TEXTS)),))
    return [_plain("assistant", *thoughts, call), _plain("tool", result)]


@st.composite
def answers(draw: st.DrawFn) -> list[Message]:
    """Draw a final answer."""
    thoughts = [ReasoningPart(text=text, field="thought") for text in draw(st.lists(WORDS, max_size=1))]
    return [_plain("assistant", *thoughts, TextPart(text=draw(WORDS)))]


USERS = TEXTS.map(lambda text: [_plain("user", TextPart(text=text))])
TOOLS = st.builds(ToolDefinition, name=NAMES, description=TEXTS, input_schema=st.just({"type": "object", "properties": {"a": {"type": "string"}}}))


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    """Draw a request as this dialect can carry it."""
    groups = [draw(USERS), *draw(st.lists(USERS | turns() | answers(), max_size=5))]
    warmth, stop = draw(st.none() | st.floats(0, 2)), ("END",) * draw(st.integers(0, 1))
    options = RequestOptions(model=draw(NAMES), stream=draw(st.booleans()), temperature=warmth, stop=stop)
    tools = tuple(draw(st.lists(TOOLS, max_size=2, unique_by=lambda tool: tool.name)))
    return ModelRequest(system=tuple(draw(st.lists(NAMES, max_size=1))), tools=tools, messages=tuple(m for group in groups for m in group), options=options)


def _plain(role: str, *parts: Part) -> Message:
    return Message(message_id="", role=role, parts=parts)  # type: ignore[arg-type]
