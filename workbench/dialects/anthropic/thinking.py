"""How a request asks for thinking, how much of it, and when it must do without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from workbench.conversation.messages import RequestOptions
from workbench.conversation.values import JsonObject
from workbench.dialects.anthropic.names import DEFAULT_MAX_TOKENS, EFFORTS, LEAST_BUDGET, NAME, THINKING
from workbench.dialects.base import Quirks
from workbench.dialects.spelling import spelled

_BUDGETS: Final = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16_384, "xhigh": 32_000, "max": 32_000}
_USUAL = "medium"


class Effort(NamedTuple):
    """The members that say how much to think, and the limit that goes with them; None for a member that is left out."""

    thinking: JsonObject | None
    output_config: JsonObject | None
    max_tokens: int

    @property
    def on(self) -> bool:
        """Whether the model is to think."""
        return self.thinking is not None and self.thinking.get("type") in ("enabled", "adaptive")


def effort(options: RequestOptions, quirks: Quirks, messages: Sequence[JsonObject]) -> Effort:
    """Return what a request says of thinking.

    A `thinking` member among the options' extra ones goes before the quirks. Thinking by budget is left out of a request where it
    would be refused: the tool loop at its end began without signed thinking, a tool is forced, or the limit leaves no room.
    """
    wanted = options.extra.get("thinking")
    config = options.extra.get("output_config")
    thinking = wanted if isinstance(wanted, dict) else _asked(options, quirks)
    told: JsonObject | None = dict(config) if isinstance(config, dict) else None
    if options.reasoning_effort is not None and _says_effort(options, quirks):
        told = {**(told or {}), "effort": _word(options)}
    if _budget(thinking) is not None and (must_do_without(messages) or _forces(options)):
        thinking = None
    return _fitting(thinking, told, options.max_output_tokens)


def must_do_without(messages: Sequence[JsonObject]) -> bool:
    """Say whether the request ends in a tool loop whose first turn does not start with thinking; then thinking by budget is refused."""
    first: JsonObject | None = None
    place = last = len(messages) - 1
    while place > 0 and messages[place].get("role") == "user" and _answers(messages[place], whole=place < last):
        place -= 1
        while place > 0 and messages[place].get("role") == "assistant" and messages[place - 1].get("role") == "assistant":
            place -= 1
        if messages[place].get("role") != "assistant":
            break
        first = messages[place]
        place -= 1
    if first is None and messages and messages[-1].get("role") == "assistant":
        first = messages[-1]
    blocks = first.get("content") if first else None
    opening = blocks[0] if isinstance(blocks, list) and blocks else None
    return first is not None and not (isinstance(opening, dict) and opening.get("type") in THINKING)


def _answers(message: JsonObject, *, whole: bool) -> bool:
    """Say whether a user message begins with results, or is nothing else as a `whole`, so that the loop goes on."""
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    results = [isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks]
    return bool(results) and (all(results) if whole else results[0])


def _asked(options: RequestOptions, quirks: Quirks) -> JsonObject | None:
    if quirks.thinking == "off" or options.reasoning_effort == "none":
        return None
    if quirks.thinking == "adaptive":
        return {"type": "adaptive"}
    return {"type": "enabled", "budget_tokens": _BUDGETS.get(options.reasoning_effort or _USUAL, _BUDGETS[_USUAL])}


def _says_effort(options: RequestOptions, quirks: Quirks) -> bool:
    if options.reasoning_effort == "none":
        return False
    return bool(spelled(options, NAME).get("effort")) or quirks.thinking != "budget"


def _word(options: RequestOptions) -> str:
    """Return the effort in the provider's words; one that was read from a request stays as it was."""
    word = options.reasoning_effort or ""
    return word if word in EFFORTS or spelled(options, NAME).get("effort") else {"minimal": "low"}.get(word, "high")


def _fitting(thinking: JsonObject | None, config: JsonObject | None, limit: int | None) -> Effort:
    """Return the members with a limit that is above the budget; where the limit is given, the budget gives way."""
    budget = _budget(thinking)
    if budget is None:
        return Effort(thinking, config, limit if limit is not None else DEFAULT_MAX_TOKENS)
    if limit is None:
        return Effort(thinking, config, budget + DEFAULT_MAX_TOKENS)
    if limit > budget >= LEAST_BUDGET:
        return Effort(thinking, config, limit)
    if limit <= LEAST_BUDGET:
        return Effort(None, config, limit)
    return Effort({**(thinking or {}), "budget_tokens": max(LEAST_BUDGET, min(budget, limit // 2))}, config, limit)


def _budget(thinking: JsonObject | None) -> int | None:
    if thinking is None or thinking.get("type") != "enabled":
        return None
    budget: Any = thinking.get("budget_tokens")
    return budget if isinstance(budget, int) else LEAST_BUDGET


def _forces(options: RequestOptions) -> bool:
    raw = options.extra.get("tool_choice")
    forced = isinstance(raw, dict) and raw.get("type") in ("any", "tool")
    return forced or options.tool_choice not in (None, "auto", "none")
