"""Results of calls, as parts of a Gemini content: an object with `output`, or with `error`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.conversation.messages import FilePart, ImagePart, TextPart, ToolResultPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.gemini.parts import member, write_part
from workbench.dialects.json_text import write_json


def read_result(response: JsonObject, call_id: str, name: str) -> ToolResultPart:
    """Return a `functionResponse` as a result. What is neither one text nor one error is shown as JSON."""
    given = response.get("response")
    is_error = isinstance(given, dict) and "error" in given and "output" not in given
    said = given.get("error") if isinstance(given, dict) and is_error else _only_member(given)
    text = said if isinstance(said, str) else "" if said is None else write_json(said).decode()
    pictures = [_picture(part) for part in _list(response.get("parts"))]
    content = [TextPart(text=clean_text(text)), *(picture for picture in pictures if picture is not None)]
    return ToolResultPart(call_id=call_id, name=name, content=tuple(content), is_error=is_error)


def write_result(result: ToolResultPart, name: str, *, wire_id: str, nested: bool) -> JsonObject:
    """Return the part that is a result.

    Args:
        result: the result.
        name: the name of its call, as that is written.
        wire_id: the id of its call; empty if that is written without.
        nested: pictures stand in the result (Gemini 3); else they are announced, and follow in a content of their own.
    """
    attached = attached_parts(result)
    function: JsonObject = {"id": wire_id} if wire_id else {}
    function |= {"name": name, "response": {"error" if result.is_error else "output": _text(result, 0 if nested else len(attached))}}
    if attached and nested:
        function["parts"] = attached
    return {"functionResponse": function}


def attached_parts(result: ToolResultPart) -> list[JsonObject]:
    """Return the pictures and documents of a result as parts."""
    written = [write_part(part, ours=False) for part in result.content if not isinstance(part, TextPart)]
    return [part for part in written if part is not None]


def following_parts(results: Sequence[ToolResultPart]) -> list[JsonObject]:
    """Return the parts of the content behind the results that shows their pictures; empty if there are none."""
    parts: list[JsonObject] = []
    for result in results:
        if attached := attached_parts(result):
            parts += [{"text": f"From the result of {result.name or 'the tool'}:"}, *attached]
    return parts


def _text(result: ToolResultPart, announced: int) -> str:
    text = clean_text(result.text())
    if not announced:
        return text
    note = f"[{announced} attached: see the next message]"
    return f"{text}\n{note}" if text else note


def _only_member(given: Any) -> Any:
    if isinstance(given, dict) and len(given) == 1:
        (value,) = given.values()
        return value if isinstance(value, str) or "output" in given else given
    return given


def _picture(part: Any) -> ImagePart | FilePart | None:
    inline = member(part, "inlineData") if isinstance(part, dict) else None
    if not isinstance(inline, dict):
        return None
    media_type, data = member(inline, "mimeType"), inline.get("data")
    if not isinstance(media_type, str) or not isinstance(data, str):
        return None
    kind = ImagePart if media_type.startswith("image/") else FilePart
    return kind(media_type=clean_text(media_type), data=clean_text(data))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
