"""Argument texts: whole, glued, cut off, broken; and as they are sent back."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.dialects.argument_text import Judged, TopLevelScan, judge, replay_text, same_value

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(), JSON_VALUES, max_size=4)


def scanned(pieces: list[str]) -> TopLevelScan:
    scan = TopLevelScan()
    for piece in pieces:
        scan.feed(piece)
    return scan


@given(st.lists(OBJECTS.map(json.dumps), min_size=1, max_size=4))
def test_the_scan_finds_the_end_of_every_object_however_the_text_is_cut(texts: list[str]) -> None:
    whole = " ".join(texts)
    ends = [len(" ".join(texts[: count + 1])) for count in range(len(texts))]
    by_letter = scanned(list(whole))
    assert by_letter.closed
    assert by_letter.ends == scanned([whole]).ends == ends


@given(OBJECTS.map(json.dumps))
def test_an_object_without_its_last_letter_is_unclosed(text: str) -> None:
    scan = scanned(list(text[:-1]))
    assert scan.unclosed
    assert not scan.closed


@pytest.mark.parametrize(("text", "stray"), [("x", 0), ("{}x", 2), ("  [1]", 2), ('{"a":"}"}  ]', 11)])
def test_the_scan_stops_at_the_first_letter_that_belongs_to_no_object(text: str, stray: int) -> None:
    assert scanned(list(text)).stray == scanned([text]).stray == stray
    assert not scanned([text]).closed


@pytest.mark.parametrize("backslash_cut", [['{"a":"\\', '"}"}'], ['{"a":"\\"}"', "}"]])
def test_an_escape_may_be_cut(backslash_cut: list[str]) -> None:
    assert scanned(backslash_cut).closed


@pytest.mark.parametrize(
    ("raw", "cut", "expected"),
    [
        ("", False, Judged(("{}",), "complete")),
        ("  ", False, Judged(("{}",), "complete")),
        ("", True, Judged(("",), "truncated")),
        ('{"city": "上海"}', False, Judged(('{"city": "上海"}',), "complete")),
        ('{"city": "上海"}', True, Judged(('{"city": "上海"}',), "complete")),
        ("12", True, Judged(("12",), "truncated")),
        ('{"command":"a\nb"}', False, Judged(('{"command":"a\nb"}',), "complete")),
        ('"{\\"path\\":\\"x\\"}"', False, Judged(('"{\\"path\\":\\"x\\"}"',), "complete")),
        ('{"path":"a', False, Judged(('{"path":"a',), "truncated")),
        ('{"path":"a', True, Judged(('{"path":"a',), "truncated")),
        ('{"a":1}}', False, Judged(('{"a":1}',), "complete", repaired=True)),
        ('{"a":1} }\n}', False, Judged(('{"a":1}',), "complete", repaired=True)),
        ('{"a":1}{"a": 1}', False, Judged(('{"a":1}',), "complete", repaired=True)),
        ('{"a":1}{"b":2}', False, Judged(('{"a":1}{"b":2}',), "invalid_json")),
        ('{"a":1} trailing', False, Judged(('{"a":1} trailing',), "invalid_json")),
        ('{}{"outer":{"value":42}', False, Judged(('{}{"outer":{"value":42}',), "invalid_json")),
        ("5 + 3", False, Judged(("5 + 3",), "invalid_json")),
        ("{'a': 1}", False, Judged(("{'a': 1}",), "invalid_json")),
        ('{"a":1}{"b":2}}', False, Judged(('{"a":1}{"b":2}}',), "invalid_json")),
    ],
)
def test_a_text_is_judged_without_guessing(raw: str, cut: bool, expected: Judged) -> None:
    assert judge(raw, cut=cut) == expected


def test_glued_objects_are_parted_only_with_a_reason() -> None:
    assert judge('{"a":1}{"a":2} {"a":1}', may_split=True) == Judged(('{"a":1}', '{"a":2}'), "complete", repaired=True)
    assert judge('{"a":1}{"a":2}{"a":', may_split=True).status == "invalid_json"


def test_true_is_not_one() -> None:
    assert not same_value('{"a":1}', '{"a":true}')
    assert same_value('{"a": 1, "b": 2}', '{"b":2,"a":1}')
    assert not same_value("x", "y")


@given(OBJECTS.map(lambda value: json.dumps(value, ensure_ascii=False)))
def test_a_proper_object_goes_back_byte_for_byte(raw: str) -> None:
    assert replay_text(raw) == raw


@given(st.text(st.characters(codec=None)))
def test_whatever_was_said_goes_back_as_an_object_in_utf8(raw: str) -> None:
    sent = replay_text(raw)
    sent.encode()
    assert isinstance(json.loads(sent), dict)


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        ("", "{}"),
        ("15 * 4", '{"INVALID_JSON":"15 * 4"}'),
        ("[1]", '{"INVALID_JSON":"[1]"}'),
        ('{"path":"a', '{"INVALID_JSON":"{\\"path\\":\\"a"}'),
        ('{"command":"a\nb"}', '{"command":"a\\nb"}'),
        ('"{\\"path\\":\\"x\\"}"', '{"path":"x"}'),
        ('{"text":"a\\ud99c b"}', '{"text":"a\ufffd b"}'),
        ('{"text":"a\ud99c b"}', '{"text":"a\ufffd b"}'),
    ],
)
def test_what_is_no_object_is_made_one(raw: str, sent: str) -> None:
    assert replay_text(raw) == sent


def test_a_long_text_in_small_pieces_is_looked_at_once() -> None:
    scan = TopLevelScan()
    started = time.process_time()
    for piece in ['{"content":"', *['a \\"line\\"\\n'] * 60_000, '"}']:
        scan.feed(piece)
        assert not scan.stray >= 0
    assert scan.closed
    assert time.process_time() - started < 5, "a scan that begins anew for each piece takes minutes"
