"""The arguments of a question while a person edits them: what the model sent, what would be sent now, and what is wrong with it. No Qt."""

from __future__ import annotations

import json
import re
from typing import Any, Literal, NamedTuple, NoReturn, TypeAlias

from workbench.agent.rehearsal import Checked, check_arguments
from workbench.conversation.values import JsonObject, json_bytes
from workbench.permissions.visible import is_hidden
from workbench.words import _, paragraph, strung, tell_text

FieldKind: TypeAlias = Literal["line", "lines", "choice", "integer", "number", "boolean", "list", "json"]

FIELDS_AT_MOST = 60
"""A call with more arguments is edited as JSON only."""
LONGEST_TEXT = 100_000
LONGEST_LINE = 5_000
"""Characters; longer texts and lines freeze Qt's editor, so they are edited elsewhere or not at all."""
LONGEST_JSON = 300_000
LONGEST_CHOICE = 60
_SHORT = 120
_KINDS: dict[str, FieldKind] = {"integer": "integer", "number": "number", "boolean": "boolean"}
_ASTRAL = 0x10000


class Field(NamedTuple):
    """One argument as a form shows it.

    Attributes:
        name: as in the schema.
        kind: which control it gets; ``json`` for everything a form cannot show exactly.
        required: it must be given.
        choices: of a ``choice``.
        description: what the schema says of it.
        type_words: what it takes, in words.
        too_long: its value cannot be edited here.
    """

    name: str
    kind: FieldKind
    required: bool = False
    choices: tuple[str, ...] = ()
    description: str = ""
    type_words: str = ""
    too_long: bool = False


class Problem(NamedTuple):
    """Why a text is no arguments: a sentence, and where (line and column from 1; 0 if it has no place)."""

    text: str
    line: int = 0
    column: int = 0


class Draft:
    """The arguments of one question.

    Attributes:
        sent: what the model itself sent.
        asked: what the question is about; the same, unless a person edited it before.
        values: what would be sent now.
        unread: the text that was written for all of them and is no JSON object; empty if there is none.
    """

    def __init__(self, sent: JsonObject, asked: JsonObject, schema: JsonObject) -> None:
        self.sent, self.asked, self._schema = sent, asked, schema
        self.values: JsonObject = dict(asked)
        self._problems: dict[str, str] = {}
        self._text_problem: Problem | None = None
        self.unread = ""

    @property
    def edited(self) -> bool:
        """Whether anything is another than what the question is about, or cannot be read."""
        return bool(self._problems) or self._text_problem is not None or not _same(self.values, self.asked)

    def changed(self) -> list[str]:
        """Return the names of the arguments that are others than those the model sent, or cannot be read."""
        names = dict.fromkeys((*self.sent, *self.values, *self._problems))
        return [name for name in names if name in self._problems or not _same(self.sent.get(name, _ABSENT), self.values.get(name, _ABSENT))]

    def fields(self) -> list[Field]:
        """Return the arguments that a form shows: those of the schema, then others that were sent."""
        properties, required = _properties(self._schema), self._schema.get("required")
        wanted = required if isinstance(required, list) else []
        fields = [_field(name, schema, self.values.get(name), name in wanted) for name, schema in properties.items()]
        return fields + [_field(name, {}, value, False) for name, value in self.values.items() if name not in properties]

    def put(self, name: str, value: Any) -> None:
        """Give an argument a value."""
        self._problems.pop(name, None)
        self.values[name] = value

    def leave_out(self, name: str) -> None:
        """Send an argument no more."""
        self._problems.pop(name, None)
        self.values.pop(name, None)

    def cannot_read(self, name: str, problem: str) -> None:
        """Note that what was typed for an argument is no value for it."""
        self._problems[name] = problem

    def put_text(self, text: str) -> Problem | None:
        """Take all arguments as JSON; if it is none, say why and keep the ones before."""
        self._text_problem = None
        try:
            value = json.loads(text, parse_constant=_refuse)
        except json.JSONDecodeError as error:
            self._text_problem = Problem(_("This is not JSON: {reason}.").format(reason=error.msg), error.lineno, error.colno)
        except (ValueError, RecursionError) as error:
            self._text_problem = Problem(_("This is not JSON: {reason}.").format(reason=error))
        else:
            if isinstance(value, dict):
                self.values, self._problems = value, {}
            else:
                self._text_problem = Problem(_("The arguments must be a JSON object."), 1, 1)
        self.unread = text if self._text_problem is not None else ""
        return self._text_problem

    def reset(self) -> None:
        """Go back to what the question is about."""
        self.values = dict(self.asked)
        self._problems, self._text_problem, self.unread = {}, None, ""

    def check(self) -> Checked:
        """Say whether they can be sent; the problem is a sentence in the chosen language."""
        if self._text_problem is not None:
            return Checked({}, problem=self._text_problem.text)
        if self._problems:
            return Checked({}, problem=paragraph(*self._problems.values()))
        properties = _properties(self._schema)
        usable = bool(properties) and all(isinstance(schema, dict) for schema in properties.values())
        checked = check_arguments(self.values, self._schema if usable else {})
        return checked._replace(problem=tell_text(checked.problem))


class _Absent:
    """Stands for an argument that is not there; equal to nothing else."""


_ABSENT = _Absent()


def _same(one: Any, other: Any) -> bool:
    """Compare as JSON does: true is not 1. What is nested too deeply to be told apart counts as another."""
    if one is other:
        return True
    try:
        match one, other:
            case dict(), dict():
                return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
            case list(), list():
                return len(one) == len(other) and all(map(_same, one, other))
            case _:
                return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
    except RecursionError:
        return False


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def json_text(value: Any) -> str:
    """Return a value as JSON for reading and editing: every hidden character is an escape, so that nothing in the text is unseen."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=2)
    except RecursionError:
        text = json_bytes(value).decode()  # nested a few hundred deep: on one line, but whole
    return text if text.isascii() and _NO_CONTROLS.fullmatch(text) else "".join(map(_escaped, text))


_NO_CONTROLS = re.compile(r"[\n\x20-\x7e]*")


def _escaped(character: str) -> str:
    if character == "\n" or not is_hidden(character):
        return character
    code = ord(character)
    if code < _ASTRAL:
        return f"\\u{code:04x}"
    high, low = divmod(code - _ASTRAL, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def is_editable_text(text: str) -> bool:
    """Say whether Qt's editor shows and keeps this text exactly: no hidden character in it but line breaks and tabs."""
    return not any(character not in "\n\t" and is_hidden(character) for character in text)


def _properties(schema: JsonObject) -> dict[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, dict) else {}


def _field(name: str, schema: Any, value: Any, required: bool) -> Field:
    schema = schema if isinstance(schema, dict) else {}
    kind, choices = _kind(schema, value)
    described = schema.get("description")
    return Field(name, kind, required, choices, tell_text(described) if isinstance(described, str) else "", _type_words(kind, required), _too_long(value))


def _kind(schema: JsonObject, value: Any) -> tuple[FieldKind, tuple[str, ...]]:
    """Return the control for a value: one that holds it exactly, or JSON."""
    declared, choices = schema.get("type"), schema.get("enum")
    if declared == "string" and (value is None or isinstance(value, str)):
        if isinstance(choices, list) and all(map(_is_short_choice, choices)) and value in (None, *choices):
            return "choice", tuple(choices)
        if not is_editable_text(value or ""):
            return "json", ()
        return ("lines" if value and ("\n" in value or "\t" in value or len(value) > _SHORT) else "line"), ()
    if isinstance(declared, str) and declared in _KINDS and _fits(declared, value):
        return _KINDS[declared], ()
    if declared == "array" and _is_list_of_lines(schema, value):
        return "list", ()
    return "json", ()


def _is_short_choice(choice: object) -> bool:
    return isinstance(choice, str) and len(choice) <= LONGEST_CHOICE


def _fits(declared: str, value: Any) -> bool:
    if value is None:
        return True
    match declared:
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list_of_lines(schema: JsonObject, value: Any) -> bool:
    items = schema.get("items")
    if not isinstance(items, dict) or items.get("type") != "string" or "enum" in items:
        return False
    return value is None or (
        isinstance(value, list) and all(isinstance(item, str) and item and "\n" not in item and is_editable_text(item) for item in value)
    )


def _too_long(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) > LONGEST_TEXT or any(len(line) > LONGEST_LINE for line in value.split("\n"))
    return isinstance(value, dict | list) and len(json_text(value)) > LONGEST_TEXT


def _type_words(kind: FieldKind, required: bool) -> str:
    words = {
        "line": _("text"),
        "lines": _("text"),
        "choice": _("one of these"),
        "integer": _("whole number"),
        "number": _("number"),
        "boolean": _("true or false"),
        "list": _("list, one a line"),
        "json": _("JSON"),
    }[kind]
    return strung(words, _("required") if required else _("optional"))
