"""The base of all values that enter the journal: frozen, compared by content, written as JSON with a `type` tag.

msgspec gives encoding, validation on reading and cheap construction; `json_bytes`/`from_json` are the only way in and out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

import msgspec
from typing_extensions import dataclass_transform

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, Any]

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class Value(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True, omit_defaults=True, gc=False):
    """A frozen value whose JSON form carries the class name under ``type``; fields at their default are left out.

    Subclasses say `kw_only=True` themselves: msgspec does not hand that on. Values are made of what was there before them, so they are
    in no circle and the garbage collector need not walk them: a long session has hundreds of thousands.
    """


_encoder = msgspec.json.Encoder()


def json_bytes(value: Any) -> bytes:
    """Return a value (or list, dict of values) as compact UTF-8 JSON; bytes become base64 text.

    Lone surrogates, which no UTF-8 text can hold, are written as U+FFFD: text is cleaned at the edges where it enters
    (``clean_text``), so this concerns only what slipped through, and losing one unit beats losing the event.
    """
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_without_surrogates(msgspec.to_builtins(value)))


def from_json(data: bytes, kind: type[T]) -> T:
    """Return the value of type `kind` that `data` holds.

    Raises:
        msgspec.DecodeError: not JSON, or not of that type (ValidationError is a subclass).
    """
    return msgspec.json.decode(data, type=kind)


def clean_text(text: str) -> str:
    """Return `text` with each lone surrogate replaced by U+FFFD, so that it can be sent and stored as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def plain_values(values: Mapping[str, object]) -> JsonObject:
    """Return what a sentence fills in as it can be kept: texts, numbers and truth values; anything else is left out."""
    kept = {name: value for name, value in values.items() if isinstance(value, str | int | float)}
    return {name: clean_text(value) if isinstance(value, str) else value for name, value in kept.items()}


def _without_surrogates(value: Any) -> Any:
    match value:
        case str():
            return clean_text(value)
        case list() | tuple():
            return [_without_surrogates(item) for item in value]
        case dict():
            return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
        case _:
            return value
