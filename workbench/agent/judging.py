"""What the gate would decide on a call that nobody made: for trying a command or a tool against the rules. Nothing is run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from workbench.agent.bench import ToolBench
from workbench.agent.gatekeeper import Gatekeeper, action_of
from workbench.conversation.messages import ToolCallPart, mint_call_id
from workbench.errors import ToolError
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.gate import Action, Decision, Touch
from workbench.permissions.reasons import Reason
from workbench.tools.arguments import parse_arguments

COMMAND_TOOL = "bash"
_SUBJECTS: Mapping[str, Literal["path", "host"]] = {"read": "path", "edit": "path", "net_read": "host", "net_write": "host"}
"""What a tool of a class is given."""


def command_call(text: str) -> tuple[str, dict[str, Any]]:
    """Return a shell command as the call a model would make: the tool and its arguments. The description, which weighs nothing, is ours."""
    return COMMAND_TOOL, {"command": text, "description": "Judge this command"}


async def judge_call(bench: ToolBench, name: str, values: dict[str, Any], gatekeeper: Gatekeeper | None = None) -> Decision:
    """Return what the gate would decide on one call.

    A call that cannot even be prepared (unknown tool, wrong arguments, a path that cannot be) is denied, as the harness would.

    Args:
        bench: the workspace with its tools.
        name: the tool.
        values: its arguments.
        gatekeeper: decides; the bench's own if None.
    """
    tool = bench.registry.get(name)
    if tool is None:
        return _denied("unknown_tool", f"There is no tool named {name}.")
    try:
        call = ToolCallPart(call_id=mint_call_id(), name=name, arguments_raw=json.dumps(values))
        arguments = parse_arguments(call.arguments_raw, tool.definition.input_schema)
        plan = await tool.prepare(arguments.values, bench.context)
    except ToolError as error:
        return _denied(error.kind, error.text)
    except RecursionError:
        return _denied("invalid_arguments", "The arguments are nested too deeply.")
    return await (gatekeeper or bench.gatekeeper).judge(action_of(tool, plan, call, repeats=1, edited=False))


def subject_tools(bench: ToolBench) -> dict[str, Literal["path", "host"]]:
    """Return the tools that `judge_subject` takes, and what each is given."""
    tools = filter(None, map(bench.registry.get, bench.registry.names()))
    return {tool.name: _SUBJECTS[tool.tool_class] for tool in tools if tool.tool_class in _SUBJECTS}


async def judge_subject(bench: ToolBench, name: str, subject: str, gatekeeper: Gatekeeper | None = None) -> Decision:
    """Return what the gate would decide on a tool that is given one path or one host, whatever else its arguments would be.

    Args:
        bench: the workspace with its tools.
        name: the tool.
        subject: a path, below the workspace's folder unless it is absolute; for a tool of the network a host.
        gatekeeper: decides; the bench's own if None.
    """
    tool = bench.registry.get(name)
    if tool is None:
        return _denied("unknown_tool", f"There is no tool named {name}.")
    kind = _SUBJECTS.get(tool.tool_class)
    if kind is None:
        return _denied("invalid_arguments", f"{name} is given no path.")
    touch = Touch(kind=kind, name=subject, access="reach" if kind == "host" else "write" if tool.tool_class == "edit" else "read")
    return await (gatekeeper or bench.gatekeeper).judge(Action(tool=name, tool_class=tool.tool_class, touches=(touch,)))


def _denied(code: str, text: str) -> Decision:
    outside = code == "outside_workspace"
    return Decision(
        outcome="deny",
        danger=Danger.LOOK,
        outside=outside,
        badges=(Badge.OUTSIDE,) if outside else (),
        reasons=(Reason(code, text, "", "deny"),),
    )
