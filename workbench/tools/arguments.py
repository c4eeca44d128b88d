"""From the argument text a model sent to values that fit the tool's schema: parse, normalise, validate; what was changed is noted.

Text that is no JSON is never repaired: a write that was cut off must not become a shorter file. The rules are those of the tools'
specification, section 1.2; foreign schemas (MCP) are validated elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn
from urllib.parse import unquote, urlsplit

from workbench.conversation.values import clean_text
from workbench.errors import ToolError

ALIASES = {
    "filePath": "file_path",
    "path": "file_path",
    "filename": "file_path",
    "absolute_path": "file_path",
    "oldString": "old_string",
    "newString": "new_string",
    "replaceAll": "replace_all",
    "patchText": "patch",
    "input": "patch",
}
PATH_PARAMETERS = frozenset({"file_path", "path", "workdir"})

_ENUM_ALIASES = {
    "done": "completed",
    "complete": "completed",
    "finished": "completed",
    "in progress": "in_progress",
    "in-progress": "in_progress",
    "doing": "in_progress",
    "active": "in_progress",
    "todo": "pending",
    "open": "pending",
    "not_started": "pending",
    "canceled": "cancelled",
}
_ABSENT = ("", "null", "undefined")
_UNWRAP_LIMIT = 3
_INTEGER = re.compile(r"\s*[+-]?\d{1,300}(\.0*)?\s*")
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\s*")


@dataclass(frozen=True)
class Arguments:
    """Arguments that fit the schema.

    Attributes:
        values: by parameter name; optional parameters that were not given are missing.
        notices: what was changed, one sentence each, for the person who approves.
    """

    values: dict[str, Any]
    notices: tuple[str, ...] = ()


def parse_arguments(raw: str, schema: Mapping[str, Any]) -> Arguments:
    """Return the arguments of a call as its tool takes them.

    Args:
        raw: the exact argument text of the model; empty means no arguments.
        schema: the tool's `input_schema`, of the plain kind that our own tools use.

    Raises:
        ToolError: ``invalid_json`` if the text is no JSON; ``invalid_arguments``, naming every parameter that is wrong.
    """
    return fit_arguments(_decode(raw, schema), schema)


def fit_arguments(value: Any, schema: Mapping[str, Any]) -> Arguments:
    """Return arguments that are already decoded (a person's edit, a command line) as the tool takes them.

    Raises:
        ToolError: ``invalid_arguments``, naming every parameter that is wrong.
    """
    if not isinstance(value, dict):
        raise ToolError("invalid_arguments", f"The arguments must be an object, not {_type_word(value)}.", _shape(schema))
    fitting = _Fitting()
    values = fitting.members(value, schema, "")
    if fitting.problems:
        raise ToolError("invalid_arguments", "; ".join(fitting.problems) + ".", _shape(schema), detail={"problems": tuple(fitting.problems)})
    return Arguments(values, tuple(fitting.notices))


def _decode(raw: str, schema: Mapping[str, Any]) -> Any:
    """Parse the text, and look through the wrappings that models add: JSON in a JSON string, an object named ``arguments``."""
    value: Any = raw
    for _ in range(_UNWRAP_LIMIT):
        if isinstance(value, str):
            value = {} if not value.strip() else _parse_json(value)
        elif _is_wrapped(value, schema):
            value = value["arguments"]
        else:
            break
    return value


def _is_wrapped(value: Any, schema: Mapping[str, Any]) -> bool:
    if not isinstance(value, dict) or value.keys() != {"arguments"} or "arguments" in schema.get("properties", {}):
        return False
    return isinstance(value["arguments"], dict | str)


def _parse_json(text: str) -> Any:
    """Parse JSON; line breaks inside strings are let through, because they can mean only one thing."""
    try:
        return json.loads(text, strict=False, parse_constant=_refuse_constant, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        reason = f"{error.msg} at character {error.pos + 1} of {len(text)}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise ToolError("invalid_json", f"The arguments are not valid JSON: {reason}.", "Send the call again with complete, valid JSON.") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise ValueError(f"{key!r} is given twice with different values")
        found[key] = value
    return found


@dataclass
class _Fitting:
    """One pass over the arguments, collecting what was changed and what is wrong."""

    notices: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def members(self, value: dict[str, Any], schema: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Fit an object; one without named properties is taken as it is."""
        properties = schema.get("properties")
        if properties is None:
            return {str(key): _clean(item) for key, item in value.items()}
        given = self._renamed(value, properties, where)
        required = schema.get("required", ())
        fitted: dict[str, Any] = {}
        for name, parameter in properties.items():
            place = f"{where}{name}"
            if name not in given:
                if name in required:
                    self.problems.append(f"{place!r} is missing")
            elif name not in required and (given[name] is None or given[name] in _ABSENT):
                continue
            else:
                fitted[name] = self.value(given[name], parameter, place)
        return fitted

    def value(self, value: Any, schema: Mapping[str, Any], place: str) -> Any:
        """Fit one value to its schema; a value that cannot fit is noted and returned as it is."""
        kind = schema.get("type")
        fit: Callable[[Any, Mapping[str, Any], str], Any] | None = {
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
            "boolean": self._boolean,
            "array": self._array,
            "object": self._nested,
        }.get(kind if isinstance(kind, str) else "")
        return _clean(value) if fit is None else fit(value, schema, place)

    def _renamed(self, value: dict[str, Any], properties: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Give parameters the names of the schema, and drop those it does not have."""
        found: dict[str, Any] = {}
        ignored: list[str] = []
        for key, item in value.items():
            name = key if key in properties else ALIASES.get(key, "")
            if name not in properties:
                ignored.append(clean_text(f"{where}{key}"))
            elif name in found and found[name] != item:
                self.problems.append(f"{where + name!r} is given under two names with different values")
            else:
                found[name] = item
        if ignored:
            self.notices.append(f"Ignored, because the tool has no such parameter: {', '.join(sorted(ignored))}.")
        return found

    def _string(self, value: Any, schema: Mapping[str, Any], place: str) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            self._changed(place, value, str(value))
            value = str(value)
        if not isinstance(value, str):
            return self._wrong(value, place, "text")
        text = clean_text(value)
        if place.rpartition(".")[2] in PATH_PARAMETERS:
            text = self._path(text, place)
        return self._chosen(text, schema["enum"], place) if "enum" in schema else text

    def _chosen(self, text: str, choices: list[str], place: str) -> str:
        if text in choices:
            return text
        folded = text.strip().casefold()
        wanted = {choice.casefold(): choice for choice in choices}
        choice = wanted.get(folded) or wanted.get(_ENUM_ALIASES.get(folded, ""))
        if choice is None:
            self.problems.append(f"{place!r} must be one of {', '.join(choices)}, not {text[:60]!r}")
            return text
        self._changed(place, text, choice)
        return choice

    def _path(self, text: str, place: str) -> str:
        """Take off what models put around a path; what is left is judged by the workspace."""
        path = text
        if len(path) >= 2 and path[0] == path[-1] and path[0] in "\"'`":
            path = path[1:-1]
        path = path.removeprefix("@")
        if path[:7].lower() == "file://":
            path = self._file_address(path, place)
        if "\0" in path:
            self.problems.append(f"{place!r} holds a NUL character")
        if path != text:
            self._changed(place, text, path)
        return path

    def _file_address(self, address: str, place: str) -> str:
        parts = urlsplit(address)
        if parts.netloc not in {"", "localhost"}:
            self.problems.append(f"{place!r} names a file on another machine")
            return address
        path = clean_text(unquote(address.partition("://")[2].removeprefix(parts.netloc), errors="surrogateescape"))
        return path[1:] if re.match(r"/[A-Za-z]:[/\\]", path) else path

    def _integer(self, value: Any, schema: Mapping[str, Any], place: str) -> Any:
        if isinstance(value, str) and _INTEGER.fullmatch(value):
            number = int(value.partition(".")[0])
        elif isinstance(value, float) and value.is_integer():
            number = int(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            number = value
        else:
            return self._wrong(value, place, "a whole number")
        return self._in_range(number, schema, place)

    def _number(self, value: Any, schema: Mapping[str, Any], place: str) -> Any:
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = float(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self._wrong(value, place, "a number")
        return self._in_range(value, schema, place)

    def _in_range(self, number: float, schema: Mapping[str, Any], place: str) -> float:
        limited: float = max(number, schema.get("minimum", number))
        limited = min(limited, schema.get("maximum", limited))
        if limited != number:
            self._changed(place, number, limited)
        return limited

    def _boolean(self, value: Any, _schema: Mapping[str, Any], place: str) -> Any:
        if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
            return value.strip().lower() == "true"
        return value if isinstance(value, bool) else self._wrong(value, place, "true or false")

    def _array(self, value: Any, schema: Mapping[str, Any], place: str) -> Any:
        items = schema.get("items", {})
        if isinstance(value, str):
            decoded = _decoded(value)
            if isinstance(decoded, list):
                self.notices.append(f"{place!r} was JSON inside a string.")
                value = decoded
            elif items.get("type") == "string":
                self.notices.append(f"{place!r} was one text; taken as a list of one.")
                value = [value]
        if not isinstance(value, list):
            return self._wrong(value, place, "a list")
        return [self.value(item, items, f"{place}[{number}]") for number, item in enumerate(value)]

    def _nested(self, value: Any, schema: Mapping[str, Any], place: str) -> Any:
        if isinstance(value, str):
            decoded = _decoded(value)
            if isinstance(decoded, dict):
                self.notices.append(f"{place!r} was JSON inside a string.")
                value = decoded
        return self.members(value, schema, f"{place}.") if isinstance(value, dict) else self._wrong(value, place, "an object")

    def _wrong(self, value: Any, place: str, wanted: str) -> Any:
        self.problems.append(f"{place!r} must be {wanted}, not {_type_word(value)}")
        return value

    def _changed(self, place: str, old: object, new: object) -> None:
        self.notices.append(f"{place!r} was {_short(old)}; taken as {_short(new)}.")


def _decoded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def _clean(value: Any) -> Any:
    match value:
        case str():
            return clean_text(value)
        case list():
            return [_clean(item) for item in value]
        case dict():
            return {clean_text(str(key)): _clean(item) for key, item in value.items()}
        case _:
            return value


def _type_word(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {str(value)[:40]}"
        case str():
            return f"the text {_short(value)}"
        case list():
            return "a list"
        case _:
            return "an object"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"


def _shape(schema: Mapping[str, Any]) -> str:
    required = set(schema.get("required", ()))
    names = [f"{name} ({parameter.get('type', 'any')}{'' if name in required else ', optional'})" for name, parameter in schema.get("properties", {}).items()]
    return f"Parameters: {', '.join(names)}." if names else "The tool takes no parameters."
