"""Rules about thinking and its limits, and about how a request may end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.anthropic.names import DEFAULT_MAX_TOKENS, EFFORTS, LEAST_BUDGET, THINKING, is_server_call, is_server_result
from workbench.dialects.anthropic.thinking import must_do_without
from workbench.dialects.anthropic.turns import Placed, Turn, drop, joined
from workbench.dialects.findings import error, warning

_NO_PREFILL = re.compile(r"claude-(?:[a-z]+-)?(?:4[-.](?:[6-9]|\d\d)(?!\d)|[5-9])")

_NO_XHIGH = re.compile(r"claude-(?:[a-z]+-)?(?:3|4(?:[-.][0-6](?!\d)|(?=-\d{8})|$))")


def check_thinking(body: JsonObject, messages: Sequence[Any], turns: Sequence[Turn]) -> Iterator[Finding]:
    """Yield what is wrong with thinking, given what the messages hold."""
    thinking = body.get("thinking")
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    off = Edit(op="remove", pointer="/thinking")
    if thinking is not None and kind not in ("enabled", "adaptive", "disabled"):
        yield error("anthropic.thinking-type", "/thinking", "`thinking` is an object with a `type`: enabled, adaptive or disabled.", "Leave it out.", off)
    if kind == "enabled" and isinstance(thinking, dict):
        yield from _budget(body, thinking)
        if must_do_without(joined(turns)):
            message = "Thinking is on, but the turn that began this tool loop does not start with signed thinking."
            yield error("anthropic.thinking-missing", "/thinking", message, "Send this request with thinking off.", off)
    if kind in ("enabled", "adaptive"):
        yield from _beside(body, enabled=kind == "enabled")
    else:
        yield from _final_thinking(messages, turns)
    yield from _effort(body)


def _budget(body: JsonObject, thinking: JsonObject) -> Iterator[Finding]:
    budget: Any = thinking.get("budget_tokens")
    limit: Any = body.get("max_tokens")
    if not _is_number(budget) or budget < LEAST_BUDGET:
        yield error(
            "anthropic.budget-small",
            "/thinking/budget_tokens",
            f"The budget for thinking is less than {LEAST_BUDGET} tokens.",
            f"Use {LEAST_BUDGET}.",
            Edit(op="add", pointer="/thinking/budget_tokens", value=LEAST_BUDGET),
            *_room(limit, LEAST_BUDGET),
        )
    elif _is_number(limit) and limit <= budget:
        yield error("anthropic.budget-limit", "/max_tokens", "`max_tokens` must be greater than the budget for thinking.", "Raise it.", *_room(limit, budget))


def _room(limit: Any, budget: int) -> list[Edit]:
    tight = _is_number(limit) and limit <= budget
    return [Edit(op="replace", pointer="/max_tokens", value=budget + DEFAULT_MAX_TOKENS)] if tight else []


def _beside(body: JsonObject, *, enabled: bool) -> Iterator[Finding]:
    """Yield settings that do not go with thinking."""
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") in ("any", "tool"):
        free = {**{name: value for name, value in choice.items() if name == "disable_parallel_tool_use"}, "type": "auto"}
        say = error if enabled else warning
        text = "Thinking may not be on when a tool is forced." if enabled else "Only the newest models think when a tool is forced."
        yield say("anthropic.thinking-choice", "/tool_choice", text, "Let the model choose.", Edit(op="replace", pointer="/tool_choice", value=free))
    if body.get("temperature") not in (None, 1):
        gone = Edit(op="remove", pointer="/temperature")
        yield error("anthropic.thinking-temperature", "/temperature", "The temperature may only be 1 when thinking is on.", "Leave it out.", gone)


def _final_thinking(messages: Sequence[Any], turns: Sequence[Turn]) -> Iterator[Finding]:
    if not turns or turns[-1].role != "assistant":
        return
    by_message: dict[int, list[Placed]] = {}
    for placed in turns[-1].of(*THINKING):
        by_message.setdefault(placed.message, []).append(placed)
    for found in by_message.values():
        message = "Thinking is off, so an assistant's message at the end may hold none."
        yield error("anthropic.thinking-last", found[0].pointer, message, "Leave it out.", *drop(messages, *found))


def _effort(body: JsonObject) -> Iterator[Finding]:
    config = body.get("output_config")
    effort = config.get("effort") if isinstance(config, dict) else None
    if effort is not None and effort not in EFFORTS:
        fix = Edit(op="remove", pointer="/output_config/effort")
        yield error("anthropic.effort", "/output_config/effort", f"The effort {effort!r} is not one of {', '.join(EFFORTS)}.", "Leave it out.", fix)
    elif effort == "xhigh" and _NO_XHIGH.search(str(body.get("model", "")).lower()):
        fix = Edit(op="replace", pointer="/output_config/effort", value="high")
        yield error("anthropic.effort-model", "/output_config/effort", "This model does not support the effort 'xhigh'.", "Use 'high'.", fix)


def check_end(body: JsonObject, messages: Sequence[Any], turns: Sequence[Turn]) -> Iterator[Finding]:
    """Yield what is wrong with an assistant's message at the end."""
    if not turns or turns[-1].role != "assistant" or not turns[-1].blocks:
        return
    last = turns[-1].blocks[-1]
    text = last.block.get("text")
    if last.block.get("type") == "text" and isinstance(text, str) and text.strip() and text != text.rstrip():
        fix = Edit(op="replace", pointer=last.pointer if last.number < 0 else f"{last.pointer}/text", value=text.rstrip())
        yield error("anthropic.trailing-space", last.pointer, "The assistant's text at the end may not end with white space.", "Take it away.", fix)
    if turns[-1].of("tool_use") or is_server_call(last.block) or is_server_result(last.block):
        return
    refused = _NO_PREFILL.search(str(body.get("model", "")).lower()) is not None
    say = error if refused else warning
    text = "This model does not go on with an assistant's message." if refused else "The last message is the assistant's; newer models refuse that."
    go_on = Edit(op="add", pointer=f"/messages/{len(messages)}", value={"role": "user", "content": "Continue."})
    yield say("anthropic.ends-with-assistant", f"/messages/{len(messages) - 1}", text, "End with a user message.", go_on)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
