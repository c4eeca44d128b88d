"""Requests of ReAct text: a body of Chat Completions without tools; they stand in the system text, calls and results in the messages.

Pure: the same request and quirks give the same bytes, and a longer conversation begins with the bytes of the shorter one.
"""

from __future__ import annotations

from msgspec.structs import replace

from workbench.conversation.messages import Message, ModelRequest, RequestOptions
from workbench.dialects.base import NORM, EncodedRequest, Quirks
from workbench.dialects.chat_completions.request import ChatRequestWriter
from workbench.dialects.react.labels import STOP
from workbench.dialects.react.template import system_text
from workbench.dialects.react.text_messages import segments, text_messages
from workbench.dialects.spelling import runnable_here, spelled

_ABOUT_TOOLS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")


def encode_request(request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
    """Return the request as bytes: one piece up to the messages, one for each message, one for the rest."""
    return ReactRequestWriter().encode(request, quirks)


class ReactRequestWriter:
    """Writes the requests of one conversation, one after the other; what an earlier request said alike is not written again.

    May be asked from any thread. The bytes are those of `encode_request`, whatever was written before.
    """

    def __init__(self) -> None:
        self._chat = ChatRequestWriter()
        self._before: tuple[str, Quirks, dict[tuple[int, ...], _Written]] = ("", NORM, {})
        self._system: tuple[ModelRequest, str] | None = None

    def encode(self, request: ModelRequest, quirks: Quirks = NORM) -> EncodedRequest:
        """Return the request as bytes."""
        return self._chat.encode(self._as_chat(request, quirks), _chat_quirks(quirks))

    def _as_chat(self, request: ModelRequest, quirks: Quirks) -> ModelRequest:
        """Return the request of Chat Completions that says the same in text."""
        request = runnable_here(request, "react")
        model, known_quirks, known = self._before
        if (model, known_quirks) != (request.options.model, quirks):
            known = {}
        messages: list[Message] = []
        now: dict[tuple[int, ...], _Written] = {}
        for segment in segments(request.messages):
            key = tuple(map(id, segment))
            found = known.get(key) or (segment, tuple(text_messages(segment, request.options.model, quirks)))
            now[key] = found
            messages.extend(found[1])
        self._before = (request.options.model, quirks, now)
        spelling = spelled(request.options, "chat_completions").get("system")
        asis = spelling and not request.tools
        system = request.system if asis else (system_text(request.system, request.tools),)
        return replace(request, system=system, tools=(), messages=tuple(messages), options=_options(request.options))


_Written = tuple[tuple[Message, ...], tuple[Message, ...]]
"""The messages of a segment (held, so that their ids stay theirs), and what was written for them."""


def _options(options: RequestOptions) -> RequestOptions:
    """Return the settings that a text can have, with the stop that keeps a model from inventing results."""
    stop = options.stop if spelled(options, "react").get("stop") == "own" else (*options.stop, STOP)
    extra = {name: value for name, value in options.extra.items() if name not in _ABOUT_TOOLS}
    return replace(options, tool_choice=None, parallel_tool_calls=None, stop=stop, extra=extra)


def _chat_quirks(quirks: Quirks) -> Quirks:
    """Return the quirks that chat's writer sees: reasoning is replayed by turn, not by calls, which are text here."""
    return replace(quirks, reasoning_replay="always" if quirks.reasoning_replay == "with_calls" else quirks.reasoning_replay)
