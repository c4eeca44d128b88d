"""The practice model's brain: a pure function from a request to a reply. It remembers nothing; like a real model it sees only the request.

It reads the last question, finds the ability for it, and lets that decide the next step from the results that came back so far.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace as replace_fields
from typing import Any, TypeAlias

from workbench.conversation.messages import DialectName, FinishReason, ModelRequest, ReasoningPart, TextPart, ToolCallPart, Usage
from workbench.practice import intents
from workbench.practice.changing import replace, write_file
from workbench.practice.drills import drill
from workbench.practice.fetching import fetch_page
from workbench.practice.introduce import introduce
from workbench.practice.looking import find_files, list_folder, read_files, search_text
from workbench.practice.phrases import Phrases
from workbench.practice.reply import Draft, Piece, Reply
from workbench.practice.running import calculate, run_command, run_tests, tell_time
from workbench.practice.talk import Talk, read_talk
from workbench.practice.tokens import cut_to_tokens, request_tokens, tokens_in
from workbench.practice.understanding import understand
from workbench.practice.weather import ask_weather

Ability: TypeAlias = Callable[[Any, Talk, Phrases], Draft]


def answer(request: ModelRequest, *, size_bytes: int | None = None, dialect: DialectName = "chat_completions") -> Reply:
    """Return the reply to a request; the same request always gets the same.

    Args:
        request: the whole conversation with the offered tools.
        size_bytes: length of the request as it was sent, from which input tokens are estimated; None counts the texts.
        dialect: what the request was written in; some drills depend on what its providers refuse.
    """
    talk = read_talk(request, dialect)
    understood = understand(talk.question, talk.before)
    say = Phrases(understood.language)
    draft = _ABILITIES[type(understood.intent)](understood.intent, talk, say)
    if draft.trouble is not None and isinstance(understand(talk.question).intent, intents.GoOn):
        draft = replace_fields(draft, trouble=None)  # who says "continue" after a drill wants the rest, not the same break again
    return _finish(draft, talk, say, request, size_bytes)


def _finish(draft: Draft, talk: Talk, say: Phrases, request: ModelRequest, size_bytes: int | None) -> Reply:
    """Make a reply of a draft: the sentence that begins a session, ids, an end, usage, and the limit the request sets."""
    text = draft.text
    if talk.first and not draft.bare and say("who") not in text:
        text = f"{say('who')}{say('sentence.gap')}{text}".strip()
    pieces: list[Piece] = []
    if draft.thought:
        pieces.append(ReasoningPart(text=draft.thought, field="reasoning_content"))
    if text:
        pieces.append(TextPart(text=text))
    pieces += [_call(draft, talk, index) for index in range(len(draft.calls))]
    limited = cut_to_tokens(tuple(pieces), request.options.max_output_tokens)
    end: FinishReason = "tool_use" if draft.calls else "end"
    usage = draft.printed.usage if draft.printed else _usage(limited.pieces, request, size_bytes)
    return Reply(pieces=limited.pieces, finish_reason="length" if limited.cut else end, usage=usage, trouble=draft.trouble, aside=draft.aside)


def _call(draft: Draft, talk: Talk, index: int) -> ToolCallPart:
    """Return a call with an id that no other call of the conversation has: made from its place in it, or the printed one."""
    planned = draft.calls[index]
    seed = f"{talk.serial} {index} {talk.question[:1000]} {planned.name} {planned.arguments_raw}"
    call_id = "call_" + hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:24]
    if draft.printed and draft.printed.call_id:
        call_id = draft.printed.call_id
    return ToolCallPart(call_id=call_id, name=planned.name, arguments_raw=planned.arguments_raw)


def _usage(pieces: tuple[Piece, ...], request: ModelRequest, size_bytes: int | None) -> Usage:
    thought = sum(tokens_in(piece) for piece in pieces if isinstance(piece, ReasoningPart))
    said = sum(tokens_in(piece) for piece in pieces if not isinstance(piece, ReasoningPart))
    return Usage(input_tokens=request_tokens(request, size_bytes), output_tokens=thought + said, reasoning_tokens=thought)


def _who(_intent: intents.AskWho, _talk: Talk, say: Phrases) -> Draft:
    return Draft(text=f"{say('who')}{say('sentence.gap')}{say('who.long')}\n\n{_help_table(say)}")


def _help(_intent: intents.AskHelp, _talk: Talk, say: Phrases) -> Draft:
    return Draft(text=f"{say('who')}\n\n{_help_table(say)}")


def _help_table(say: Phrases) -> str:
    return say("help", drills="Drill: rate limit · Drill" if say.language == "en" else "演练：限流 · 演练")


def _thank(_intent: intents.Thank, _talk: Talk, say: Phrases) -> Draft:
    return Draft(text=say("thanks"))


def _go_on(_intent: intents.GoOn, _talk: Talk, say: Phrases) -> Draft:
    return Draft(text=say("unclear.go_on"))


def _unclear(intent: intents.Unclear, talk: Talk, say: Phrases) -> Draft:
    if not talk.question:
        return Draft(text=say("unclear.nothing"))
    name = "unclear" if intent.hint not in ("replace", "weather") else f"unclear.{intent.hint}"
    return Draft(text=say(name))


_ABILITIES: dict[type, Ability] = {
    intents.Introduce: introduce,
    intents.ReadFiles: read_files,
    intents.ListFolder: list_folder,
    intents.FindFiles: find_files,
    intents.SearchText: search_text,
    intents.Replace: replace,
    intents.WriteFile: write_file,
    intents.RunCommand: run_command,
    intents.RunTests: run_tests,
    intents.FetchPage: fetch_page,
    intents.AskWeather: ask_weather,
    intents.Calculate: calculate,
    intents.AskTime: tell_time,
    intents.Drill: drill,
    intents.AskHelp: _help,
    intents.AskWho: _who,
    intents.Thank: _thank,
    intents.GoOn: _go_on,
    intents.Unclear: _unclear,
}
