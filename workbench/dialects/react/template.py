"""The system text of a ReAct request: the person's own, the tools, and the form of an answer; written and read.

English, or Chinese where the system text or a tool's description is. The wording decides nothing: any prompt works whose labels are these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from workbench.conversation.messages import ToolDefinition
from workbench.conversation.values import clean_text
from workbench.dialects.react.labels import quote, unquote

_IDEOGRAPH = re.compile(r"[\u4e00-\u9fff]")
_SEPARATOR = "\n\n"


class _Words(NamedTuple):
    tools: str
    parameters: str
    form: str


_ENGLISH = _Words(
    "You can use these tools:\n",
    " Parameters: ",
    """Answer in this form:
Question: the person's question
Thought: what you think
Action: the name of the tool to use, one of [{names}]
Action Input: the tool's input (a JSON object)
Observation: the tool's result (filled in by the system)
... (Thought/Action/Action Input/Observation can repeat several times)
Thought: I now know the final answer
Final Answer: the final answer""",
)
_CHINESE = _Words(
    "你可以使用以下工具：\n",
    " 参数: ",
    """请按以下格式回答：
Question: 用户的问题
Thought: 你在思考什么
Action: 要使用的工具名，必须是 [{names}] 之一
Action Input: 工具的输入参数（JSON格式）
Observation: 工具的执行结果（系统填写）
... (Thought/Action/Action Input/Observation 可以重复多次)
Thought: 我现在知道最终答案了
Final Answer: 最终答案""",
)


def system_text(system: Sequence[str], tools: Sequence[ToolDefinition]) -> str:
    """Return the system text of a request; without tools it is the person's own."""
    own = _SEPARATOR.join(filter(None, system))
    if not tools:
        return own
    words = _CHINESE if _IDEOGRAPH.search(own) or any(_IDEOGRAPH.search(tool.description) for tool in tools) else _ENGLISH
    return _SEPARATOR.join(filter(None, (own, _section(words, tools))))


def read_system(text: str) -> tuple[str, tuple[ToolDefinition, ...]]:
    """Return the person's own system text and the tools; a prompt that is not of this form stays whole, without tools."""
    for words in (_CHINESE, _ENGLISH):
        start = text.rfind(words.tools)
        end = text.rfind(_SEPARATOR + words.form.partition("{names}")[0])
        if start < 0 or end < start or (start and not text[:start].endswith(_SEPARATOR)):
            continue
        tools = _read_tools(text[start + len(words.tools) : end], words)
        own = text[: max(start - len(_SEPARATOR), 0)]
        if tools and system_text((own,), tools) == text:
            return own, tools
    return text, ()


def names_in(text: str) -> tuple[str, ...]:
    """Return the names that a prompt's line ``Action: … [a, b]`` lists; empty where it has none."""
    lists = re.findall(r"(?m)^Action:[^\n]*\[([^\]\n]*)\]", text)
    return tuple(name.strip() for name in lists[-1].split(",") if name.strip()) if lists else ()


def _section(words: _Words, tools: Sequence[ToolDefinition]) -> str:
    lines = (f"{clean_text(tool.name)}: {quote(clean_text(tool.description))}{words.parameters}{_schema(tool)}" for tool in tools)
    names = ", ".join(clean_text(tool.name) for tool in tools)
    return words.tools + "\n".join(lines) + _SEPARATOR + words.form.replace("{names}", names)


def _schema(tool: ToolDefinition) -> str:
    return clean_text(json.dumps(tool.input_schema, ensure_ascii=False))


def _read_tools(text: str, words: _Words) -> tuple[ToolDefinition, ...]:
    """Return the tools of a section; a description may have several lines, and ends where a schema follows that ends its line."""
    tools: list[ToolDefinition] = []
    while text:
        name, colon, rest = text.partition(": ")
        found = _schema_in(rest, words.parameters) if colon else None
        if found is None:
            return ()
        description, schema, end = found
        tools.append(ToolDefinition(name=name, description=unquote(description), input_schema=schema))
        text = rest[end:]
    return tuple(tools)


def _schema_in(rest: str, mark: str) -> tuple[str, dict[str, object], int] | None:
    at = rest.find(mark)
    while at >= 0:
        try:
            schema, end = json.JSONDecoder().raw_decode(rest, at + len(mark))
        except (ValueError, RecursionError):
            schema, end = None, -1
        if isinstance(schema, dict) and (end == len(rest) or rest[end] == "\n"):
            return rest[:at], schema, end + 1
        at = rest.find(mark, at + 1)
    return None


