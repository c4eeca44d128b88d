"""JSON as it comes over the wire, not as the standard wants it."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.dialects.json_text import NotStrict, escape_halves, read_json, read_strict, write_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(VALUES)
def test_both_readers_agree_with_the_standard_library(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert read_strict(text) == read_json(text) == read_json(text.encode()) == json.loads(text)


@given(VALUES)
def test_what_is_written_is_read_again(value: object) -> None:
    assert json.loads(write_json(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1,"a":2}', {"a": 2}),
        ('{"a":"\\ud99c"}', {"a": "\ud99c"}),
        ('{"a":"x\ny"}', {"a": "x\ny"}),
        ('{"a":123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        ('{"a":1e400}', {"a": math.inf}),
        ("\ufeff[1]", [1]),
        (b"\xef\xbb\xbf[1]", [1]),
        (b'"a\xffb"', "a\ufffdb"),
        ('"a\x00b"', "a\x00b"),
        ('"a\\u0000b"', "a\x00b"),
    ],
)
def test_what_servers_send_is_read(text: str | bytes, value: object) -> None:
    assert read_json(text) == value


def test_nan_is_read_and_written_as_null() -> None:
    assert math.isnan(read_json('{"a":NaN}')["a"])
    assert write_json({"a": math.nan, "b": [math.inf]}) == b'{"a":null,"b":[null]}'


@pytest.mark.parametrize("text", ["", "{", "[1]x", "[" * 100_000, "1" * 5000, b"\xff\xfe", "'a'"])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_json(text)
    with pytest.raises(NotStrict):
        read_strict(text)


@pytest.mark.parametrize("text", ['{"a":"\\ud99c"}', '{"a":NaN}', '{"a":"x\ny"}', '{"a":"\ud99c"}'])
def test_the_strict_reader_leaves_the_rest_to_the_other(text: str) -> None:
    with pytest.raises(NotStrict):
        read_strict(text)
    read_json(text)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("\ud99c", '"\ufffd"'),
        ({"\ud99c": ["\ud99c", math.nan, 1]}, '{"\ufffd":["\ufffd",null,1]}'),
        (("上海", 10**30), '["上海",1000000000000000000000000000000]'),
    ],
)
def test_halves_and_big_numbers_are_written(value: object, written: str) -> None:
    assert write_json(value).decode() == written


@given(st.text(st.characters(codec=None)))
def test_escaped_halves_mean_the_same(text: str) -> None:
    raw = json.dumps(text, ensure_ascii=False)
    escaped = escape_halves(raw)
    escaped.encode()
    assert json.loads(escaped).encode("utf-16-le", "surrogatepass") == text.encode("utf-16-le", "surrogatepass")
