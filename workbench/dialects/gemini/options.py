"""The members of a request other than its contents: system text, settings, the choice of tools.

Each member that a parsed request had is remembered as it was, and is written again that way as long as it still says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from workbench.conversation.messages import RequestOptions, ToolDefinition
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.base import Quirks
from workbench.dialects.gemini.parts import NAME, key_of, member, snake
from workbench.dialects.spelling import spelled

SYSTEM, GENERATION, CHOICE = "systemInstruction", "generationConfig", "toolConfig"
_READ = ("contents", "tools", *(name for each in (SYSTEM, GENERATION, CHOICE) for name in (each, snake(each))))
_SETTINGS = ("maxOutputTokens", "temperature", "stopSequences", "thinkingConfig")
_MODES = {"AUTO": "auto", "NONE": "none", "ANY": "required"}
_BUDGETS = {"none": 0, "minimal": 512, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 32768, "max": 32768}
_LEVELS = {"none": "LOW", "minimal": "LOW", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "HIGH", "max": "HIGH"}


class Settings(NamedTuple):
    """What `generationConfig` says in the neutral form."""

    max_output_tokens: int | None
    temperature: float | None
    effort: str | None
    stop: tuple[str, ...]


def read_options(body: JsonObject, entries: Any, tools: Sequence[ToolDefinition]) -> tuple[tuple[str, ...], RequestOptions]:
    """Return the system text and the settings of a parsed request.

    Args:
        body: the whole request.
        entries: how its tools are arranged, where that is unusual.
        tools: its tools.
    """
    spelling: JsonObject = {name: [key_of(body, name), member(body, name)] for name in (SYSTEM, GENERATION, CHOICE) if member(body, name) is not None}
    if entries is not None or (not tools and "tools" in body):
        spelling["tools"] = entries if entries is not None else []
    settings = read_settings(member(body, GENERATION))
    model = body.get("model")
    options = RequestOptions(
        model=clean_text(model).removeprefix("models/") if isinstance(model, str) else "",
        stream=False,
        max_output_tokens=settings.max_output_tokens,
        temperature=settings.temperature,
        reasoning_effort=settings.effort,
        tool_choice=read_choice(member(body, CHOICE)),
        stop=settings.stop,
        extra={name: value for name, value in body.items() if name not in _READ},
        wire={NAME: spelling} if spelling else {},
    )
    return read_system(member(body, SYSTEM)), options


def read_system(instruction: Any) -> tuple[str, ...]:
    """Return the texts of a system instruction."""
    parts = instruction.get("parts") if isinstance(instruction, dict) else None
    texts = [part.get("text") for part in (parts if isinstance(parts, list) else []) if isinstance(part, dict)]
    return tuple(clean_text(text) for text in texts if isinstance(text, str))


def write_system(texts: Sequence[str], options: RequestOptions) -> JsonObject:
    """Return the member with the system text; empty if there is none."""
    key, raw = _remembered(options, SYSTEM)
    if raw is not None and read_system(raw) == tuple(texts):
        return {key: raw}
    parts = [{"text": clean_text(text)} for text in texts if text]
    return {SYSTEM: {"parts": parts}} if parts else {}


def read_settings(config: Any) -> Settings:
    """Return what a `generationConfig` says; members of another type than they should be say nothing."""
    config = config if isinstance(config, dict) else {}
    limit, temperature, stop = (member(config, name) for name in ("maxOutputTokens", "temperature", "stopSequences"))
    words = stop if isinstance(stop, list) and all(isinstance(word, str) for word in stop) else []
    return Settings(
        limit if isinstance(limit, int) and not isinstance(limit, bool) else None,
        temperature if isinstance(temperature, int | float) and not isinstance(temperature, bool) else None,
        _read_effort(member(config, "thinkingConfig")),
        tuple(clean_text(word) for word in words),
    )


def write_settings(options: RequestOptions, quirks: Quirks) -> JsonObject:
    """Return the member with the settings; empty if nothing is set."""
    key, raw = _remembered(options, GENERATION)
    own = Settings(options.max_output_tokens, options.temperature, options.reasoning_effort, options.stop)
    if raw is not None and read_settings(raw) == own:
        return {key: raw}
    written = {
        "maxOutputTokens": own.max_output_tokens,
        "temperature": own.temperature,
        "stopSequences": list(own.stop) or None,
        "thinkingConfig": thinking_config(own.effort, quirks),
    }
    more = _unknown_of(raw, _SETTINGS)
    config = more | {name: value for name, value in written.items() if value is not None}
    return {GENERATION: config} if config else {}


def thinking_config(effort: str | None, quirks: Quirks) -> JsonObject | None:
    """Return how thinking is asked for: by a budget of tokens (2.5), or by a level (3); thoughts are always shown."""
    if quirks.thinking == "off":
        return None
    if quirks.thinking == "budget" and effort == "none":
        return {"thinkingBudget": 0}
    config: JsonObject = {"includeThoughts": True}
    if effort is not None and quirks.thinking == "budget" and effort in _BUDGETS:
        config["thinkingBudget"] = _BUDGETS[effort]
    elif effort is not None and quirks.thinking == "adaptive" and effort in _LEVELS:
        config["thinkingLevel"] = _LEVELS[effort]
    return config


def read_choice(config: Any) -> str | None:
    """Return the tool choice: a mode, or the name of the one tool that must be called."""
    calling = member(config, "functionCallingConfig") if isinstance(config, dict) else None
    if not isinstance(calling, dict):
        return None
    mode, names = calling.get("mode"), member(calling, "allowedFunctionNames")
    choice = _MODES.get(mode) if isinstance(mode, str) else None
    if choice == "required" and isinstance(names, list) and len(names) == 1 and isinstance(names[0], str) and names[0] not in _MODES.values():
        return clean_text(names[0])
    return choice


def write_choice(options: RequestOptions) -> JsonObject:
    """Return the member with the tool choice; empty if none was made."""
    key, raw = _remembered(options, CHOICE)
    if raw is not None and read_choice(raw) == options.tool_choice:
        return {key: raw}
    more = _unknown_of(raw, ("functionCallingConfig",))
    match options.tool_choice:
        case None:
            return {CHOICE: more} if more else {}
        case "auto" | "none" as mode:
            calling: JsonObject = {"mode": mode.upper()}
        case "required":
            calling = {"mode": "ANY"}
        case name:
            calling = {"mode": "ANY", "allowedFunctionNames": [name]}
    return {CHOICE: {**more, "functionCallingConfig": calling}}


def write_extra(options: RequestOptions) -> JsonObject:
    """Return the members that are not known here; none of a request that was read from another dialect.

    A `model` that the body named is left out once another is asked.
    """
    if options.wire and NAME not in options.wire:
        return {}
    named = options.extra.get("model")
    stale = isinstance(named, str) and named.removeprefix("models/") != options.model
    return {name: value for name, value in options.extra.items() if name not in _READ and not (name == "model" and stale)}


def _read_effort(config: Any) -> str | None:
    if not isinstance(config, dict):
        return None
    level, budget = member(config, "thinkingLevel"), member(config, "thinkingBudget")
    if isinstance(level, str) and level.lower() in _LEVELS:
        return level.lower()
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 0:
        return None
    return next(effort for effort in ("none", "low", "medium", "high") if budget <= _BUDGETS[effort] or effort == "high")


def _remembered(options: RequestOptions, name: str) -> tuple[str, Any]:
    """Return the key and the value that a parsed request had for a member; None as the value where nothing is remembered."""
    found = spelled(options, NAME).get(name)
    return (str(found[0]), found[1]) if isinstance(found, list) and len(found) == 2 else (name, None)


def _unknown_of(raw: Any, known: Sequence[str]) -> JsonObject:
    names = {*known, *map(snake, known)}
    return {name: value for name, value in raw.items() if name not in names} if isinstance(raw, dict) else {}
