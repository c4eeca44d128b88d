"""Tests of masking: every usual spelling of a secret is found, lengths stay, and nothing else is touched."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.conversation.strategies import JSON_OBJECTS, TEXT
from workbench.store.masking import Masks, MaskSource, Span, cut_spans, masked

KEY = 'sk-a"b\\c/d+e äö=12345'
QUICK = settings(deadline=None, database=None)


@pytest.mark.parametrize(
    "spelled",
    [
        KEY,
        json.dumps(KEY)[1:-1],
        json.dumps(KEY, ensure_ascii=False)[1:-1],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
        quote(KEY),
        quote(KEY, safe=""),
        quote_plus(KEY),
    ],
)
def test_every_spelling_is_masked_and_the_length_stays(spelled: str) -> None:
    data = b"before " + spelled.encode() + b" after"
    clean = _clean(data, KEY)
    assert clean == b"before " + b"REDACTED".ljust(len(spelled.encode()), b"*") + b" after"


@pytest.mark.parametrize("before", range(6))
@pytest.mark.parametrize("after", range(3))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_secret_in_base64_is_masked_at_every_alignment(before: int, after: int, encode: Callable[[bytes], bytes]) -> None:
    raw = b"Bearer"[:before] + KEY.encode() + b"zzz"[:after]
    clean = _clean(encode(raw), KEY)
    assert b"REDACTED" in clean
    rest = base64.urlsafe_b64decode(clean.replace(b"*", b"A").replace(b"+", b"-").replace(b"/", b"_"))
    assert KEY.encode()[3:-3] not in rest
    assert len(clean) == len(encode(raw))


@QUICK
@given(TEXT.filter(lambda text: len(text) >= 8), st.binary(max_size=60), st.binary(max_size=60))
def test_the_bytes_around_a_secret_stay(secret: str, before: bytes, after: bytes) -> None:
    raw = secret.encode()
    assume(not Masks([secret]).spans(before + b"\xff" + after))
    clean = _clean(before + b"\xff" + raw + b"\xff" + after, secret)
    assert len(clean) == len(before) + len(raw) + len(after) + 2
    assert clean.startswith(before + b"\xff")
    assert clean.endswith(b"\xff" + after)
    assert raw not in clean or raw in b"REDACTED".ljust(len(raw), b"*")


def test_overlapping_secrets_are_one_span() -> None:
    masks = Masks(["abcdefghij", "ghijklmnop", "abcdefghijkl"])
    assert masks.spans(b"--abcdefghijklmnop--") == (Span(2, 16),)
    assert masks.spans(b"abcdefghij abcdefghij") == (Span(0, 10), Span(11, 10))


def test_short_secrets_are_not_looked_for() -> None:
    assert Masks(["1234567", ""]).longest == 0
    assert Masks(["1234567"]).spans(b"1234567") == ()
    assert Masks().spans(b"anything") == ()


@QUICK
@given(st.text("ab", min_size=8, max_size=12), st.text("ab", max_size=40))
def test_the_open_tail_is_the_longest_beginning_of_a_secret_at_the_end(secret: str, text: str) -> None:
    masks = Masks([secret])
    forms = [form.encode() for form in (secret,)]
    expected = max(length for form in forms for length in range(len(form)) if text.encode().endswith(form[:length]))
    assert masks.open_tail(text.encode()) >= expected
    assert masks.open_tail(b"") == 0


@QUICK
@given(JSON_OBJECTS)
def test_json_without_secrets_stays_the_same_object(tree: dict[str, object]) -> None:
    data = msgspec.json.encode(tree)
    assert Masks(["no such secret"]).json(data) is data


def test_json_is_masked_in_strings_and_keys_and_stays_json() -> None:
    data = msgspec.json.encode({KEY: [1, {"a": f"x{KEY}y"}], "other": None})
    mask = "REDACTED".ljust(len(KEY.encode()), "*")
    assert msgspec.json.decode(Masks([KEY]).json(data)) == {mask: [1, {"a": f"x{mask}y"}], "other": None}


def test_a_secret_of_digits_does_not_break_a_number() -> None:
    clean = Masks(["12345678"]).json(b'{"at":123456789,"text":"a12345678"}')
    assert clean == b'{"at":123456789,"text":"aREDACTED"}'


def test_the_masks_are_built_again_only_when_the_secrets_change() -> None:
    known = ["secret-0001"]
    source = MaskSource(lambda: known)
    first = source.current()
    assert source.current() is first
    known.append("secret-0002")
    assert source.current() is not first
    assert source.current().spans(b"secret-0002") == (Span(0, 11),)


def test_cut_spans_counts_from_the_window() -> None:
    spans = (Span(2, 4), Span(10, 5), Span(20, 2))
    assert cut_spans(spans, 4, 8) == (Span(0, 2), Span(6, 2))
    assert cut_spans(spans, 15, 5) == ()
    assert masked(b"", ()) == b""


def _clean(data: bytes, secret: str) -> bytes:
    return masked(data, Masks([secret]).spans(data))
