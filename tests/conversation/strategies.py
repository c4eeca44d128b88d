"""Draws any value of the conversation: built from the declared types of its fields, so that a new field or event is drawn too."""

from __future__ import annotations

import types
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from workbench.conversation.events import Entry, Event
from workbench.conversation.stream import StreamEvent
from workbench.conversation.values import Value

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
JSON_OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)

EVENT_TYPES: tuple[type[Value], ...] = get_args(Event)
STREAM_EVENT_TYPES: tuple[type[Value], ...] = get_args(StreamEvent)


def events() -> st.SearchStrategy[Event]:
    """Draw any fact."""
    return st.one_of([values(kind) for kind in EVENT_TYPES])


def entries(max_size: int = 12) -> st.SearchStrategy[list[Entry]]:
    """Draw facts numbered from 1."""
    facts = st.lists(st.tuples(st.floats(0, 2e9), events()), max_size=max_size)
    return facts.map(lambda drawn: [Entry(number, at, event) for number, (at, event) in enumerate(drawn, start=1)])


@cache
def values(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Draw a value of a class, each field at its default or of its type."""
    fields = msgspec.structs.fields(kind)
    required = {field.name: of_type(field.type) for field in fields if field.required}
    optional = {field.name: of_type(field.type) for field in fields if not field.required}
    return st.fixed_dictionaries(required, optional=optional).map(lambda drawn: kind(**drawn))


def of_type(kind: Any) -> st.SearchStrategy[Any]:
    """Draw something of a declared type."""
    simple = {str: TEXT, int: INTEGERS, float: FLOATS, bool: st.booleans(), type(None): st.none(), Any: JSON}
    if kind in simple:
        return simple[kind]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (types.UnionType, Union):
        return st.one_of([of_type(argument) for argument in arguments])
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(of_type(arguments[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*[of_type(argument) for argument in arguments])
    return JSON_OBJECTS if origin is dict else st.deferred(lambda: values(kind))
