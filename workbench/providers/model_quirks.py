"""What depends on the model: one provider serves models that differ more from each other than providers do.

Names change faster than programs. What is not known here keeps the profile's quirks, and what a model refuses is learned from its
refusal (`resends`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from msgspec.structs import replace

from workbench.conversation.messages import DialectName
from workbench.dialects.base import NORM, Quirks
from workbench.providers.known_profiles import KNOWN_PROFILES, OLLAMA_CONTEXT_TOKENS
from workbench.providers.profiles import Profile

_CHAT: frozenset[DialectName] = frozenset({"chat_completions", "functions", "react"})


class Rule(NamedTuple):
    """Quirks of the models whose name, without a maker before a slash, matches.

    Attributes:
        dialects: where it holds.
        profiles: names of the profiles it holds for; none for every one.
        source: section of the wire specification, or the row of its edge cases.
    """

    dialects: frozenset[DialectName]
    models: re.Pattern[str]
    changes: Mapping[str, Any]
    source: str
    profiles: frozenset[str] = frozenset()


def _rule(dialects: str, models: str, source: str, profiles: str = "", **changes: Any) -> Rule:
    names = _CHAT if dialects == "chat" else frozenset[DialectName](name for name in _ALL if name in dialects.split())
    return Rule(names, re.compile(models), changes, source, frozenset(profiles.split()))


_ALL: tuple[DialectName, ...] = ("chat_completions", "functions", "responses", "anthropic", "gemini", "react", "ollama")
_OPENAI_REASONS = r"o\d|gpt-5(?!.*chat)"

RULES: tuple[Rule, ...] = (
    _rule("chat", _OPENAI_REASONS, "1, model limits", stop=False, max_tokens_field="max_completion_tokens"),
    _rule("chat", r"(?:o1(?!-mini|-preview)|o[3-9]|gpt-5(?!.*chat))", "1, model limits", "openai", system_role="developer"),
    _rule("chat", r"deepseek-r1|.*-r1-", "edge 69", reasoning_replay="never"),
    _rule("chat", r"deepseek-(?:v[4-9]|reasoner)", "edge 70", forced_choice=False),
    _rule("chat", r"kimi-k2.*thinking|kimi-thinking|kimi-k[3-9]", "1, reasoning replay", reasoning_replay="with_calls"),
    _rule("anthropic", r"claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[015])?(?:-\d{8}|$|@))", "4, thinking", thinking="budget"),
    _rule("anthropic", r"claude-(?:opus|sonnet|haiku)-(?:4-[6-9](?!\d)|[5-9])", "4, thinking", thinking="adaptive"),
    _rule("ollama", r"", "7, num_ctx", context_tokens=OLLAMA_CONTEXT_TOKENS),
    _rule("gemini", r"gemini-2\.5", "5", thinking="budget"),
    _rule("gemini", r"gemini-[3-9]", "5, signatures", thinking="adaptive", signature_stand_in=True),
    _rule("gemini", r"gemini-(?:1|2\.0)", "5, schema subset", json_schema=False),
)


def quirks_for(profile: Profile, model: str) -> Quirks:
    """Return the quirks of one model of a provider, named as its provider's; what a person set otherwise in the profile stays."""
    preset = next((known.quirks for known in KNOWN_PROFILES if known.name == profile.name), NORM)
    changes: dict[str, Any] = {}
    name = model.removeprefix("models/").rpartition("/")[2].lower()
    for rule in RULES:
        if profile.dialect in rule.dialects and rule.models.match(name) and (not rule.profiles or profile.name in rule.profiles):
            changes |= rule.changes
    untouched = {field: value for field, value in changes.items() if getattr(profile.quirks, field) in (getattr(NORM, field), getattr(preset, field))}
    return replace(profile.quirks, provider=profile.name, **untouched)
