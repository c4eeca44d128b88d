"""Rules about the messages of a request to Ollama: types that its reader refuses, and the order that joins results to their calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.argument_text import replay_text
from workbench.dialects.findings import error, warning
from workbench.dialects.history import INTERRUPTED
from workbench.dialects.json_text import read_json, write_json

_ROLES = ("system", "user", "assistant", "tool")


def check_messages(messages: list[Any]) -> Iterator[Finding]:
    """Yield what is wrong with the messages."""
    if not messages:
        yield error("ollama.no-messages", "/messages", "There are no messages; Ollama would only load the model.", "Add a user message.")
        return
    for place, message in enumerate(messages):
        yield from _message(message, f"/messages/{place}")
    known = [message if isinstance(message, dict) else {} for message in messages]
    yield from _pairs(known)
    if known[-1].get("role") == "assistant" and not known[-1].get("tool_calls"):
        text = "The last message is the assistant's: Ollama goes on with it."
        yield warning("ollama.ends-with-assistant", f"/messages/{len(messages) - 1}", text, "End with a user message.")


def _message(message: Any, pointer: str) -> Iterator[Finding]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in _ROLES:
        edits = (Edit(op="replace", pointer=f"{pointer}/role", value="system"),) if role == "developer" else ()
        yield error("ollama.role", f"{pointer}/role", f"The role {role!r} is not one of system, user, assistant and tool.", "Use one of these.", *edits)
        return
    yield from _content(message, pointer)
    yield from _images(message.get("images"), f"{pointer}/images")
    if role == "assistant":
        yield from _assistant(message, pointer)
    elif role in ("user", "system") and not message.get("content") and not message.get("images"):
        yield warning("ollama.empty-content", pointer, "The message is empty.", "Leave it out.", Edit(op="remove", pointer=pointer))


def _content(message: JsonObject, pointer: str) -> Iterator[Finding]:
    content = message.get("content")
    if content is None or isinstance(content, str):
        return
    texts, pictures = _taken_apart(content)
    images = message.get("images")
    edits = [Edit(op="replace", pointer=f"{pointer}/content", value=texts)]
    if pictures:
        known = images if isinstance(images, list) else []
        edits.append(Edit(op="replace" if "images" in message else "add", pointer=f"{pointer}/images", value=[*known, *pictures]))
    fix = "Join the texts; put pictures into `images`."
    yield error("ollama.content-type", f"{pointer}/content", "The content must be a text; a list is refused.", fix, *edits)


def _taken_apart(content: Any) -> tuple[str, list[str]]:
    """Return the text of content of another dialect, and its pictures as base64."""
    texts: list[str] = []
    pictures: list[str] = []
    for part in content if isinstance(content, list) else [content]:
        match part:
            case str() as text:
                texts.append(text)
            case {"text": str() as text}:
                texts.append(text)
            case {"image_url": {"url": str() as url}} if ";base64," in url:
                pictures.append(url.partition(";base64,")[2])
            case {"image_url": {"url": str() as url}}:
                texts.append(f"[picture: {url}]")
            case _:
                texts.append(write_json(part).decode())
    return "\n\n".join(texts), pictures


def _images(images: Any, pointer: str) -> Iterator[Finding]:
    if images is None:
        return
    if not isinstance(images, list) or not all(isinstance(image, str) for image in images):
        edit = Edit(op="remove", pointer=pointer)
        yield error("ollama.images", pointer, "`images` is a list of pictures in base64.", "Leave it out.", edit)
        return
    for place, image in enumerate(images):
        where = f"{pointer}/{place}"
        if image.startswith("data:"):
            edit = Edit(op="replace", pointer=where, value=image.partition(",")[2])
            yield error("ollama.image-data", where, "A picture is base64 without the `data:` before it.", "Cut that off.", edit)
        elif image.startswith(("http://", "https://")):
            edit = Edit(op="remove", pointer=where)
            yield error("ollama.image-address", where, "A picture is base64; Ollama fetches no address.", "Leave it out, or attach the picture itself.", edit)


def _assistant(message: JsonObject, pointer: str) -> Iterator[Finding]:
    calls = message.get("tool_calls")
    if not calls:
        if not message.get("content") and not message.get("images"):
            text, edit = "The assistant's turn has neither text nor calls.", Edit(op="remove", pointer=pointer)
            yield warning("ollama.empty-turn", pointer, text, "Leave the turn out.", edit)
        return
    if not isinstance(calls, list):
        yield error("ollama.calls-shape", f"{pointer}/tool_calls", "`tool_calls` must be a list.")
        return
    seen: set[str] = set()
    for place, call in enumerate(calls):
        yield from _call(call, f"{pointer}/tool_calls/{place}", seen)


def _call(call: Any, pointer: str, seen: set[str]) -> Iterator[Finding]:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict) or not isinstance(function.get("name"), str) or not function["name"]:
        yield error("ollama.call-shape", pointer, "A tool call has a `function` with a name and arguments.")
        return
    call_id = call.get("id")
    if isinstance(call_id, str) and call_id in seen:
        edit = Edit(op="remove", pointer=f"{pointer}/id")
        yield warning("ollama.duplicate-call-id", f"{pointer}/id", f"Two calls of one turn have the id {call_id!r}.", "Leave it out: order decides.", edit)
    if isinstance(call_id, str):
        seen.add(call_id)
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        return
    where = f"{pointer}/function/arguments"
    value = read_json(replay_text(arguments)) if isinstance(arguments, str) else {} if arguments is None else {"INVALID_JSON": arguments}
    edit = Edit(op="replace" if "arguments" in function else "add", pointer=where, value=value)
    yield error("ollama.arguments-type", where, "`arguments` must be an object; a text is refused.", "Write them as an object.", edit)


def _pairs(messages: list[JsonObject]) -> Iterator[Finding]:
    """Yield calls without result, results without call, and results whose name does not fit the call that their place gives them."""
    waiting: list[str] = []
    missed: list[_Missed] = []
    found: list[Finding] = []
    start = 0
    for place, message in enumerate([*messages, {}]):
        if message.get("role") == "tool":
            continue
        results = messages[start:place]
        for number in range(min(len(results), len(waiting))):
            found += _result(results, number, waiting, start)
        found += [_stray(result, start + number, missed) for number, result in enumerate(results) if number >= len(waiting)]
        missed += [_Missed(name, start - 1, number + len(results), start + len(results)) for number, name in enumerate(waiting[len(results) :])]
        calls = message.get("tool_calls") if message.get("role") == "assistant" else None
        waiting = [_name_of(call) for call in calls] if isinstance(calls, list) else []
        start = place + 1
    yield from (_unanswered(call) for call in missed)
    yield from found


class _Missed(NamedTuple):
    """A call without a result: its name, its turn's place, its number in the turn, and where its result belongs."""

    name: str
    turn: int
    number: int
    place: int


def _stray(result: JsonObject, place: int, missed: list[_Missed]) -> Finding:
    """Return what is wrong with a result that follows no open call; one that comes late is taken off `missed`."""
    pointer, name = f"/messages/{place}", result.get("tool_name")
    late = next((call for call in missed if name in (None, call.name)), None)
    if late is None:
        return error("ollama.orphan-result", pointer, "The result has no call before it.", "Leave the result out.", Edit(op="remove", pointer=pointer))
    missed.remove(late)
    edit = Edit(op="move", pointer=f"/messages/{late.place}", source=pointer)
    text = f"The result of {late.name!r} does not follow its call at once."
    return error("ollama.late-result", pointer, text, "Move it directly behind the call.", edit)


def _unanswered(call: _Missed) -> Finding:
    made_up = {"role": "tool", "tool_name": call.name, "content": f"Error: {INTERRUPTED}"}
    return error(
        "ollama.unanswered-call",
        f"/messages/{call.turn}/tool_calls/{call.number}",
        f"The call of {call.name!r} is not answered directly after it.",
        "Add a result that says the call was interrupted.",
        Edit(op="add", pointer=f"/messages/{call.place}", value=made_up),
    )


def _result(results: list[JsonObject], number: int, waiting: list[str], start: int) -> Iterator[Finding]:
    result, pointer = results[number], f"/messages/{start + number}"
    name, wanted = result.get("tool_name"), waiting[number]
    if name == wanted:
        return
    if not isinstance(name, str):
        edit = Edit(op="replace" if "tool_name" in result else "add", pointer=f"{pointer}/tool_name", value=wanted)
        yield warning("ollama.tool-name", f"{pointer}/tool_name", "The result does not say whose it is; only its place does.", "Name the tool.", edit)
        return
    later = next((place for place in range(number + 1, len(results)) if results[place].get("tool_name") == wanted), None)
    text = f"The result of {name!r} stands in the place of a result of {wanted!r}, and order decides."
    if later is not None:
        edit = Edit(op="move", pointer=pointer, source=f"/messages/{start + later}")
        yield error("ollama.result-order", pointer, text, "Put the results into the order of the calls.", edit)
    else:
        missing = Edit(op="add", pointer=pointer, value={"role": "tool", "tool_name": wanted, "content": f"Error: {INTERRUPTED}"})
        fits = name in waiting[number + 1 :]
        edit = missing if fits else Edit(op="replace", pointer=f"{pointer}/tool_name", value=wanted)
        yield error("ollama.result-name", pointer, text, "Answer each call in its turn.", edit)


def _name_of(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else ""
