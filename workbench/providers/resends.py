"""Refusals that one change of the request mends: which words of a provider call for which change, and what a person is told.

Each is tried once a request, only while nothing of an answer was shown, and every try is an exchange of its own. What a model refused
is left out of later requests of the session, too, so that not every step begins with a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec.structs import replace

from workbench.conversation.events import Notice
from workbench.conversation.messages import DialectName, Message, ModelRequest, ReasoningPart, text_message
from workbench.dialects.base import Quirks
from workbench.dialects.json_text import read_json
from workbench.providers.failures import Failure

_CHAT: tuple[DialectName, ...] = ("chat_completions", "functions", "react")
_LONGEST_FAILED_CHARACTERS = 4_000


class Asked(NamedTuple):
    """What is asked of a model, before it is encoded."""

    request: ModelRequest
    quirks: Quirks


class Resend(NamedTuple):
    """A change that may mend a refusal.

    Attributes:
        rule: stable name; tried once a request.
        asked: the request as it goes out again.
        notice: what a person is told.
        later: makes the same change in later requests; None if it was about this one.
    """

    rule: str
    asked: Asked
    notice: Notice
    later: Callable[[Asked], Asked] | None


class _Rule(NamedTuple):
    name: str
    dialects: tuple[DialectName, ...]
    words: re.Pattern[str]
    notice: Callable[[str, str], Notice]
    change: Callable[[Asked, Failure], Asked | None]
    later: Callable[[Asked], Callable[[Asked], Asked]] | None = None


def resend_of(failure: Failure, dialect: DialectName, asked: Asked, tried: set[str], title: str) -> Resend | None:
    """Return the change that a refusal calls for; None if there is none, or it was tried already.

    Args:
        failure: the refusal.
        dialect: in which it was asked.
        asked: what was refused.
        tried: names of the changes made since this request was first sent.
        title: what people call the provider.
    """
    if failure.status >= 500 or failure.kind in ("auth", "quota", "rate_limit"):
        return None
    said = f"{failure.code} {failure.error.text} {failure.original}"
    for rule in _RULES:
        if dialect in rule.dialects and rule.name not in tried and rule.words.search(said):
            changed = rule.change(asked, failure)
            if changed is not None and changed != asked:
                notice = rule.notice(title, asked.request.options.model)
                return Resend(rule.name, changed, notice, rule.later(asked) if rule.later else None)
    return None


# The changes


def _with_options(asked: Asked, **options: Any) -> Asked:
    return asked._replace(request=replace(asked.request, options=replace(asked.request.options, **options)))


def _with_quirks(asked: Asked, **quirks: Any) -> Asked:
    return asked._replace(quirks=replace(asked.quirks, **quirks))


def _no_effort(asked: Asked, _failure: Failure | None = None) -> Asked | None:
    return _with_options(asked, reasoning_effort="none") if asked.request.tools else None


def _no_stop(asked: Asked, _failure: Failure | None = None) -> Asked:
    return _with_quirks(_with_options(asked, stop=()), stop=False)


def _other_limit(asked: Asked, _failure: Failure | None = None) -> Asked:
    return _with_quirks(asked, max_tokens_field="max_completion_tokens")


def _free_choice(asked: Asked, _failure: Failure | None = None) -> Asked:
    return _with_quirks(asked, forced_choice=False)


def _without_reasoning(asked: Asked, _failure: Failure | None = None) -> Asked:
    return _stripped(asked, {message.message_id for message in asked.request.messages})


def _thinking_off(asked: Asked, failure: Failure) -> Asked:
    return _with_quirks(_with_options(_without_reasoning(asked, failure), reasoning_effort=None), thinking="off")


def _failed_call_fed_back(asked: Asked, failure: Failure) -> Asked:
    """Show the model what it wrote: an extra message of this request, which is no part of the conversation."""
    failed = _failed_generation(failure.original)
    said = f" It was:\n{failed}" if failed else ""
    hint = f"Your last tool call could not be read, so nothing was run.{said}\nCall the tool again, with arguments that are one valid JSON object."
    return asked._replace(request=replace(asked.request, messages=(*asked.request.messages, text_message("user", hint))))


def _stripped(asked: Asked, message_ids: set[str]) -> Asked:
    """Return the request without what the model thought in those messages; it was made elsewhere, or changed on the way."""
    messages = tuple(_unthought(message) if message.message_id in message_ids else message for message in asked.request.messages)
    return asked._replace(request=replace(asked.request, messages=messages))


def _unthought(message: Message) -> Message:
    kept = tuple(part for part in message.parts if not isinstance(part, ReasoningPart))
    return message if len(kept) == len(message.parts) else replace(message, parts=kept)


def _strip_these_later(asked: Asked) -> Callable[[Asked], Asked]:
    """Leave the reasoning of the messages that were refused out of later requests; what the model thinks from now on goes back."""
    refused = {message.message_id for message in asked.request.messages}
    return lambda later: _stripped(later, refused)


def _failed_generation(original: str) -> str:
    try:
        value = read_json(original)
    except ValueError:
        return ""
    error = value.get("error") if isinstance(value, dict) else None
    failed = error.get("failed_generation") if isinstance(error, dict) else None
    return failed[:_LONGEST_FAILED_CHARACTERS] if isinstance(failed, str) else ""


_RULES: tuple[_Rule, ...] = (
    _Rule(
        "effort",
        _CHAT,
        re.compile(r"tools with reasoning_effort are not supported", re.IGNORECASE),
        lambda _name, model: Notice(
            message_id="provider.resent_effort",
            text=f"{model} takes no tools while it reasons over Chat Completions: asked again without reasoning. The Responses dialect allows both.",
            values={"model": model},
        ),
        _no_effort,
        lambda _asked: lambda later: _no_effort(later) or later,
    ),
    _Rule(
        "encrypted",
        ("responses",),
        re.compile(r"invalid_encrypted_content|encrypted content\b.{0,200}\bcould not be verified", re.IGNORECASE | re.DOTALL),
        lambda name, _model: Notice(
            message_id="provider.resent_encrypted",
            text=f"{name} does not accept the encrypted reasoning of this conversation (another key or organisation made it): asked again without it.",
            values={"name": name},
        ),
        _without_reasoning,
        _strip_these_later,
    ),
    _Rule(
        "stop",
        (*_CHAT, "anthropic", "gemini"),
        re.compile(r"(?:unsupported parameter|unsupported_parameter|not support\w*)\W.{0,40}'?\bstop\b|\bstop\b'? is not supported", re.IGNORECASE),
        lambda _name, model: Notice(
            message_id="provider.resent_stop",
            text=f"{model} takes no stop sequences: asked again without them; the answer is cut here instead.",
            values={"model": model},
        ),
        _no_stop,
        lambda _asked: _no_stop,
    ),
    _Rule(
        "limit",
        _CHAT,
        re.compile(r"'max_tokens' is not supported with this model", re.IGNORECASE),
        lambda _name, model: Notice(
            message_id="provider.resent_limit",
            text=f"{model} wants its output limit under another name: asked again with max_completion_tokens.",
            values={"model": model},
        ),
        _other_limit,
        lambda _asked: _other_limit,
    ),
    _Rule(
        "choice",
        _CHAT,
        re.compile(r"thinking mode does not support this tool_choice", re.IGNORECASE),
        lambda _name, model: Notice(
            message_id="provider.resent_choice",
            text=f"{model} cannot be made to call a tool while it thinks: asked again and left free to choose.",
            values={"model": model},
        ),
        _free_choice,
        lambda _asked: _free_choice,
    ),
    _Rule(
        "thinking",
        ("anthropic",),
        re.compile(
            r"invalid `?signature`? in `?thinking|thinking`? (?:or `?redacted_thinking`? )?blocks?\b.{0,80}cannot be modified"
            r"|expected `?thinking`? or `?redacted_thinking|must start with a thinking block|cannot contain `?thinking`?",
            re.IGNORECASE | re.DOTALL,
        ),
        lambda name, _model: Notice(
            message_id="provider.resent_thinking",
            text=f"{name} does not accept the thinking in this conversation: asked again without it, and with thinking off.",
            values={"name": name},
        ),
        _thinking_off,
        _strip_these_later,
    ),
    _Rule(
        "failed_call",
        _CHAT,
        re.compile(r"tool_use_failed"),
        lambda name, model: Notice(
            message_id="provider.resent_failed_call",
            text=f"{model} wrote a tool call that {name} could not read: it was shown what it wrote and asked again.",
            values={"model": model, "name": name},
        ),
        _failed_call_fed_back,
    ),
)
