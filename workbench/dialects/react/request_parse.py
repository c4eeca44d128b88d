"""Requests of ReAct text read into the neutral form: turns and observations as messages of their own, or grown into one user message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec.structs import replace

from workbench.conversation.messages import Message, ModelRequest, Part, RequestOptions, TextPart, ToolResultPart
from workbench.conversation.values import JsonObject
from workbench.dialects import chat_completions
from workbench.dialects.calls import derived_id
from workbench.dialects.react.labels import BLANKS, QUESTION, STOP, Found, label_at_start, quote, unquote
from workbench.dialects.react.template import names_in, read_system
from workbench.dialects.react.turns import own_text, parts_of, said_in, thoughts_of, written
from workbench.dialects.spelling import spelled


def parse_request(body: bytes) -> ModelRequest:
    """Return the neutral form of a request body.

    Raises:
        RequestUnreadable: not JSON, or not a request of Chat Completions; says where.
    """
    request = chat_completions.DIALECT.parse_request(body)
    own, tools = read_system("\n\n".join(filter(None, request.system)))
    options = _options(request.options)
    if not tools:
        known: dict[str, JsonObject | None] = dict.fromkeys(_listed_names(request))
        return replace(request, messages=tuple(_read(request.messages, known)), options=options)
    schemas: dict[str, JsonObject | None] = {tool.name: tool.input_schema for tool in tools}
    messages = tuple(_read(request.messages, schemas))
    return replace(request, system=(own,) if own else (), tools=tools, messages=messages, options=options)


def _listed_names(request: ModelRequest) -> tuple[str, ...]:
    texts = (*request.system, *(message.text() for message in request.messages[:1]))
    return next((names for text in texts if (names := names_in(text))), ())


def _options(options: RequestOptions) -> RequestOptions:
    """Return the settings without the stop that every request of this dialect has."""
    if options.stop[-1:] == (STOP,):
        return replace(options, stop=options.stop[:-1])
    return replace(options, wire={**options.wire, "react": {"stop": "own"}})


def _read(messages: tuple[Message, ...], tools: Mapping[str, JsonObject | None]) -> Iterator[Message]:
    """Yield the messages with calls and results where texts say so."""
    waiting: Message | None = None
    for place, message in enumerate(messages):
        if message.role == "assistant":
            read = list(_assistant(message, place, tools))
            yield from read
            waiting = read[-1] if read[-1].calls() else None
            continue
        found = _first_label(message)
        if message.role == "user" and waiting is not None and found is not None and found.label == "observation":
            yield _result(message, waiting, found)
        elif message.role == "user":
            yield from _user(message, place, tools)
        else:
            yield message
        waiting = None


def _first_label(message: Message) -> Found | None:
    first = message.parts[0] if message.parts else None
    return label_at_start(first.text.partition("\n")[0]) if isinstance(first, TextPart) else None


def _result(message: Message, turn: Message, found: Found) -> Message:
    """Return an observation as the result of the turn before it."""
    first, *rest = message.parts
    text = first.text if isinstance(first, TextPart) else ""
    label, said = _split_label(text, found)
    spelling: JsonObject = {}
    if label != "Observation: ":
        spelling["label"] = label
    if chat := message.wire.get("chat_completions"):
        spelling["members"] = chat
    (call,) = turn.calls()
    content = (TextPart(text=unquote(said)), *rest)
    part = ToolResultPart(call_id=call.call_id, name=call.name, content=content)  # type: ignore[arg-type]
    return Message(message_id=message.message_id, role="tool", parts=(part,), wire={"react": spelling} if spelling else {})


def _split_label(text: str, found: Found) -> tuple[str, str]:
    """Return a label with the one blank behind it, and the rest."""
    end = found.end + (text[found.end : found.end + 1] == " ")
    return text[:end], text[end:]


def _assistant(message: Message, place: int, tools: Mapping[str, JsonObject | None]) -> Iterator[Message]:
    """Yield a turn; one that another program put its observation into gives several messages."""
    text = message.text()
    if spelled(message, "chat_completions").get("content") == "list" or not text:
        yield message
        return
    pieces = _transcript(text)
    if len(pieces) > 1:
        yield from _whole(message, pieces, place, tools)
        return
    yield _turn(message, text, f"{place}", tools)


def _turn(message: Message, text: str, seed: str, tools: Mapping[str, JsonObject | None]) -> Message:
    beside = tuple(part for part in message.parts if not isinstance(part, TextPart))
    read = replace(message, parts=(*beside, *parts_of(text, derived_id(f"react {seed}"), tools)))
    calls = read.calls()
    if written(thoughts_of(read), said_in(read), calls[0] if calls else None) == text:
        return read
    kept = replace(read, wire={**read.wire, "react": {"text": text}})
    return kept if own_text(kept, None, {"text": text}) is not None else message


def _user(message: Message, place: int, tools: Mapping[str, JsonObject | None]) -> Iterator[Message]:
    """Yield what a person said, or the turns of a conversation that was grown into one message."""
    text = message.text()
    if len(message.parts) == 1 and isinstance(message.parts[0], TextPart) and (pieces := _transcript(text, question=True))[1:]:
        yield from _whole(message, pieces, place, tools)
        return
    at = next((number for number, part in enumerate(message.parts) if isinstance(part, TextPart)), None)
    first = message.parts[at] if at is not None else None
    said = first.text[len(QUESTION) :] if isinstance(first, TextPart) and first.text.startswith(QUESTION) else None
    if said is not None and quote(unquote(said)) == said:
        parts: list[Part] = list(message.parts)
        parts[at or 0] = TextPart(text=unquote(said))
        yield replace(message, parts=tuple(parts))
    else:
        yield replace(message, wire={**message.wire, "react": {"bare": True}}) if first is not None else message


def _transcript(text: str, *, question: bool = False) -> list[tuple[str, str]]:
    """Return a text taken apart into (kind, text): ``turn`` and ``result`` in turns; before them ``question`` in a grown user message.

    A user message is a grown conversation only if an action and its observation stand in it behind a question.
    """
    pieces: list[tuple[str, list[str]]] = [("question" if question else "turn", [])]
    acted = False
    for line in text.split("\n"):
        found = label_at_start(line)
        label = found.label if found is not None and not found.quoted else None
        if label == "observation" and pieces[-1][0] == "turn" and acted:
            pieces.append(("result", []))
        elif label in ("thought", "action") and pieces[-1][0] != "turn":
            pieces.append(("turn", []))
            acted = label == "action"
        elif label == "action":
            acted = True
        pieces[-1][1].append(line)
    done = [(kind, "\n".join(lines)) for kind, lines in pieces]
    if question and not any(kind == "result" for kind, _ in done):
        return [("question", text)]
    if done[-1][0] == "turn" and done[-1][1].strip(BLANKS).lower() in ("thought:", ""):
        done.pop()
    return done


def _whole(message: Message, pieces: list[tuple[str, str]], place: int, tools: Mapping[str, JsonObject | None]) -> Iterator[Message]:
    """Yield the messages that one text holds, so marked that it can be written again as it was; the message itself if they do not add up."""
    read: list[Message] = []
    for number, (kind, text) in enumerate(pieces):
        message_id = f"{message.message_id}-{number}"
        if kind == "question":
            said = text.rpartition(QUESTION)[2] if QUESTION in text else text
            read.append(Message(message_id=message_id, role="user", parts=(TextPart(text=said.strip(BLANKS)),)))
        elif kind == "turn":
            turn = Message(message_id=message_id, role="assistant", parts=parts_of(text, derived_id(f"react {place} {number}"), tools))
            read.append(turn)
        else:
            found = label_at_start(text.partition("\n")[0])
            if found is None or not read[-1].calls():
                break
            bare = Message(message_id=message_id, role="user", parts=(TextPart(text=text.rstrip(BLANKS)),))
            read.append(replace(_result(bare, read[-1], found), wire={}))
    answered = all(after.role == "tool" for before, after in pairwise(read) if before.calls()) and not read[-1].calls()
    if len(read) < len(pieces) or not answered or not all(one.parts for one in read):
        yield replace(message, wire={**message.wire, "react": {"bare": True, "text": message.text()}})
        return
    whole = {"role": message.role, "text": message.text(), "count": len(read)}
    yield replace(read[0], wire={**message.wire, "react": {"whole": whole}})
    for one in read[1:]:
        yield replace(one, wire={"react": {"within": True}})
