"""Edits in place: the edited value is what RFC 6902 says, and all that is not edited keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.conversation.checks import Edit
from workbench.dialects.json_document import EditRefused, JsonDocument, pointer_to

BODY = b'{ "a" : 1.0 , "m/n":[ {"x":"\\u4e0a\\"}{" }, [] , {"y" : {"~":true}} ], "e":{} }\n'


def edited(op: str, pointer: str, value: Any = None, source: str = "", body: bytes = BODY) -> bytes:
    document = JsonDocument(body)
    document.apply(Edit(op=op, pointer=pointer, value=value, source=source))  # type: ignore[arg-type]
    return document.text()


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("replace", "/a", 2), BODY.replace(b"1.0", b"2")),
        (("replace", "/m~1n/2/y/~0", [1]), BODY.replace(b"true", b"[1]")),
        (("remove", "/m~1n/1"), BODY.replace(b", [] ,", b",")),
        (("add", "/m~1n/-", {}), BODY.replace(b"}} ]", b"}} , {}]")),
        (("add", "/m~1n/0", 5), BODY.replace(b'[ {"x"', b'[ 5, {"x"')),
        (("add", "/m~1n/1/0", 5), BODY.replace(b"[] ,", b"[5] ,")),
        (("add", "/e/k", "\u4e0a"), BODY.replace(b'"e":{}', '"e":{"k":"上"}'.encode())),
        (("add", "/a", 3), BODY.replace(b"1.0", b"3")),
        (("add", "/z", 3), BODY.replace(b"{} }", b'{} , "z":3}')),
    ],
)
def test_an_edit_leaves_all_else_byte_for_byte(edit: tuple[Any, ...], expected: bytes) -> None:
    found = edited(*edit)
    assert json.loads(found) == json.loads(expected)
    assert found.replace(b" ", b"") == expected.replace(b" ", b"")
    assert b'"\\u4e0a\\"}{"' in found


def test_move_takes_the_bytes_along() -> None:
    found = edited("move", "/m~1n/2", source="/m~1n/0")
    assert json.loads(found)["m/n"] == [[], {"y": {"~": True}}, {"x": '上"}{'}]
    assert b'{"x":"\\u4e0a\\"}{" }' in found
    assert edited("move", "/a", source="/a") == BODY


@pytest.mark.parametrize("pointer", ["a", "/b", "/m~1n/3", "/m~1n/01", "/m~1n/-", "/a/b", "/m~1n/x", "/m~1n/2/y/q", "/e/0"])
def test_what_leads_to_nothing_is_refused(pointer: str) -> None:
    document = JsonDocument(BODY)
    with pytest.raises(EditRefused):
        document.apply(Edit(op="remove", pointer=pointer))
    assert document.text() == BODY


def test_a_refused_move_changes_nothing() -> None:
    document = JsonDocument(BODY)
    for source, target in (("/m~1n/0", "/m~1n/9"), ("/e", "/e/x"), ("/q", "/a")):
        with pytest.raises(EditRefused):
            document.apply(Edit(op="move", pointer=target, source=source))
    assert document.text() == BODY


@pytest.mark.parametrize("body", [b"", b"{", b"[1", b'{"a"}', b'{"a":}', b"nonsense", b'{"a":1 "b":2}', b'["x]'])
def test_what_is_no_json_refuses_edits_and_stays(body: bytes) -> None:
    document = JsonDocument(body)
    with pytest.raises(EditRefused):
        document.apply(Edit(op="remove", pointer="/a"))
    assert document.text() == body == b"".join(document.pieces())


def test_of_equal_keys_the_last_is_edited() -> None:
    assert edited("replace", "/a", 3, body=b'{"a":1,"a":2}') == b'{"a":1,"a":3}'


def test_each_element_of_a_list_of_the_request_is_a_piece() -> None:
    document = JsonDocument(b'{"model":"m","messages":[{"a":[1,2]},{"b":1}],"tools":[{"t":1}],"x":[]}')
    document.apply(Edit(op="add", pointer="/messages/1", value={"c": 1}))
    assert document.pieces() == (b'{"model":"m","messages":[', b'{"a":[1,2]}', b',{"c":1}', b',{"b":1}', b'],"tools":[', b'{"t":1}', b'],"x":[]}')


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def places(value: Any, *names: str | int) -> list[str]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for name, one in inner for place in (pointer_to(*names, name), *places(one, *names, name))]


@given(JSON, st.data(), st.booleans())
def test_any_value_can_be_replaced_and_removed(value: Any, data: st.DataObject, spaced: bool) -> None:
    found = places(value)
    if not found:
        return
    pointer = data.draw(st.sampled_from(found))
    body = json.dumps(value, indent=2 if spaced else None).encode()
    assert JsonDocument(edited("replace", pointer, 7, body=body)).value(pointer) == 7
    document = JsonDocument(body)
    before = document.value(pointer)
    document.apply(Edit(op="remove", pointer=pointer))
    assert len(places(json.loads(document.text()))) == len(found) - 1 - len(places(before))
    assert b"".join(document.pieces()) == document.text()
