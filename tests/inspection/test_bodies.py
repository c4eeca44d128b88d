"""Bodies as JSON: every value where it stands, nothing accepted that is none, links between calls and results, large ones without holding up others."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pace import turns
from tests.shared import needs_shared, shared_data
from workbench.inspection.bodies import LARGE_BYTES, CallLinks, JsonBody, NotJson, Path, Value, call_links, path_words

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)

CHAT = {
    "model": "m",
    "messages": [
        {"role": "user", "content": 'Say "id": "x"'},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"id":"no"}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        {"role": "assistant", "tool_calls": [{"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
    ],
    "tools": [{"type": "function", "function": {"name": "read", "parameters": {"properties": {"id": {"type": "string"}}}}}],
}


def rebuilt(body: JsonBody, value: Value) -> Any:
    """Put a value together from its members, as a tree view would show it."""
    members = body.members(value)
    match body.kind(value):
        case "object":
            return {body.name(members, place): rebuilt(body, members.value(place)) for place in range(len(members))}
        case "array":
            return [rebuilt(body, members.value(place)) for place in range(len(members))]
        case "string":
            return body.text(value)
        case _:
            return json.loads(body.text(value))


@given(value=JSON, indent=st.sampled_from([None, 2]), ascii_only=st.booleans())
def test_every_value_is_found_as_it_is(value: Any, indent: int | None, ascii_only: bool) -> None:
    data = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    body = JsonBody(data)
    assert rebuilt(body, body.root) == value


@given(value=JSON, data=st.data())
def test_each_byte_leads_to_the_value_it_belongs_to(value: Any, data: st.DataObject) -> None:
    body = JsonBody(json.dumps(value).encode())
    offset = data.draw(st.integers(0, len(body.data) - 1))
    path = body.path_at(offset)
    found = body.find(path)
    assert found is not None
    inner: Any = value
    for step in path:
        inner = inner[step]
    assert json.loads(body.data[found.start : found.end]) == inner


@given(text=st.text(alphabet='{}[]",:0 tnfu\\e-.1\n', max_size=14))
def test_what_is_no_json_is_refused_and_nothing_else(text: str) -> None:
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        with pytest.raises(NotJson):
            JsonBody(text.encode())
    else:
        JsonBody(text.encode())


def _refuse(_constant: str) -> None:
    raise ValueError("JSON knows no such number")


AFTER_COMMA = 6 if sys.version_info >= (3, 13) else 7
"""Where the standard library sees the fault of a comma before a closing bracket: at the comma, or behind it."""


@pytest.mark.parametrize(
    ("data", "at"),
    [(b'{"a":1,}', AFTER_COMMA), (b"", 0), (b"<html>", 0), (b"[1 2]", 3), (b"{} x", 3), (b'{"a":tru}', 5), (b'"abc', 4), (b'{"a":[1,{]}}', 9), (b"[NaN]", 0)],
)
def test_place_of_the_fault_is_told(data: bytes, at: int) -> None:
    with pytest.raises(NotJson) as caught:
        JsonBody(data)
    assert caught.value.at == at


def test_fault_deep_inside_a_large_body_is_found() -> None:
    data = b'{"messages":[' + b",".join([b'{"content":"' + b"x" * 1000 + b'"}'] * 1000 + [b'{"content":tru}']) + b"]}"
    with pytest.raises(NotJson) as caught:
        JsonBody(data)
    assert data[caught.value.at :] == b"tru}]}"


def test_numbers_members_and_marks_stay_as_they_are_written() -> None:
    body = JsonBody(b'\xef\xbb\xbf {"a":1.0,"a":1e400,"b":123456789012345678901234567890,"\\u0041":"\\ud800"} ')
    members = body.members(body.root)
    assert [body.name(members, place) for place in range(len(members))] == ["a", "a", "b", "A"]
    assert [body.text(members.value(place)) for place in range(3)] == ["1.0", "1e400", "123456789012345678901234567890"]
    assert body.text(members.value(3)) == "\ud800"


@pytest.mark.parametrize("text", ["x" * 500, "天气" * 300, '\\"\n' * 200, "\U0001f30d" * 200, "a\\" * 250, "\ud800" * 200])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_beginning_of_a_long_text_is_its_beginning(text: str, ascii_only: bool) -> None:
    body = JsonBody(json.dumps([text], ensure_ascii=ascii_only).encode("utf-8", "surrogatepass" if ascii_only else "replace"))
    whole = body.text(body.members(body.root).value(0))
    for longest in range(1, 40):
        begun = body.text(body.members(body.root).value(0), longest)
        assert len(begun) >= longest
        assert begun[:longest] == whole[:longest]


@pytest.mark.parametrize("text", ["x" * 300_000, "\n" * 300_000, '"' * 300_000, "\\" * 300_000, "\\\"" * 200_000])
def test_string_of_any_length_ends_where_it_ends(text: str) -> None:
    body = JsonBody(json.dumps({"a": [{"b": [text, 1]}], "c": 2}).encode())
    found = body.find(("a", 0, "b", 0))
    assert found is not None
    assert body.text(found) == text
    assert body.find(("c",)) == Value(len(body.data) - 2, len(body.data) - 1)


def test_calls_and_results_are_linked_by_where_they_stand() -> None:
    body = JsonBody(json.dumps(CHAT).encode())
    links = call_links(body)
    call, answer = ("messages", 1, "tool_calls", 0, "id"), ("messages", 2, "tool_call_id")
    assert links == CallLinks({"c1": call, "c2": ("messages", 3, "tool_calls", 0, "id")}, {"c1": answer})
    assert links.partner("c1", call) == answer
    assert links.partner("c1", answer) == call
    assert links.partner("c2", links.calls["c2"]) is None
    assert links.partner("c1", ("messages", 0)) is None
    assert path_words(answer) == "messages[2].tool_call_id"
    assert path_words((0, "a")) == "[0].a"


@pytest.mark.parametrize(
    ("items", "call", "answer"),
    [
        (
            {"messages": [{"content": [{"type": "text"}, {"type": "tool_use", "id": "c"}]}, {"content": [{"type": "tool_result", "tool_use_id": "c"}]}]},
            ("messages", 0, "content", 1, "id"),
            ("messages", 1, "content", 0, "tool_use_id"),
        ),
        (
            {"input": [{"type": "function_call", "id": "fc", "call_id": "c"}, {"type": "function_call_output", "call_id": "c"}]},
            ("input", 0, "call_id"),
            ("input", 1, "call_id"),
        ),
    ],
    ids=["blocks", "items"],
)
def test_links_are_found_in_other_shapes(items: dict[str, Any], call: Path, answer: Path) -> None:
    assert call_links(JsonBody(json.dumps(items).encode())) == CallLinks({"c": call}, {"c": answer})


@pytest.mark.parametrize("data", [b"[]", b'"id"', b"{}", b'{"messages":{"id":"c"}}', b'{"messages":[1,null]}'])
def test_body_of_another_shape_has_no_links(data: bytes) -> None:
    assert call_links(JsonBody(data)) == CallLinks({}, {})


@needs_shared
def test_captured_requests_are_read_and_their_results_answer_calls() -> None:
    data = shared_data()
    assert data is not None
    files = sorted((data / "captures").glob("*/*-request.json"))
    assert len(files) > 20
    answered = 0
    for file in files:
        content = file.read_bytes()
        body = JsonBody(content)
        assert rebuilt(body, body.root) == json.loads(content)
        inside = json.loads(content).get("body")
        links = call_links(JsonBody(json.dumps(inside).encode())) if isinstance(inside, dict) else call_links(body)
        assert set(links.results) <= set(links.calls), file.name
        answered += len(links.results)
    assert answered >= 20


@pytest.mark.parametrize("shape", ["many small values", "long strings", "one string"])
async def test_large_body_holds_up_nobody(shape: str) -> None:
    value: Any = {
        "many small values": {"messages": [{"content": [{"type": "text", "k": [1, 2, None]} for _ in range(10)]} for _ in range(8_000)]},
        "long strings": {"messages": [{"content": "line 天气 one\n" * 300, "tool_call_id": f"c{n}"} for n in range(3_000)]},
        "one string": {"messages": [{"content": 'x\n"' * 700_000}]},
    }[shape]
    data = json.dumps(value, ensure_ascii=False).encode()
    assert len(data) > 10 * LARGE_BYTES
    async with turns() as coming:
        await asyncio.to_thread(lambda: call_links(JsonBody(data)))
    assert coming.worst_share < 0.25, "the thread lets the loop have its turns"
