"""Headers that are sent: completed once, checked, and told about without their value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ProviderError
from workbench.wire.address import parse_address
from workbench.wire.outgoing import Headers, final_headers

ADDRESS = parse_address("http://h:81/v1")


def final(headers: Headers, body: bytes = b"", method: str = "POST") -> Headers:
    return final_headers(method, ADDRESS, headers, body, "agent-workbench")


DEFAULTS = (("Accept", "*/*"), ("Accept-Encoding", "identity"), ("User-Agent", "agent-workbench"))


def test_missing_headers_come_last() -> None:
    assert final((("B", "2"), ("a", "1")), b"abc") == (("Host", "h:81"), ("B", "2"), ("a", "1"), *DEFAULTS, ("Content-Length", "3"))


def test_request_without_a_body_tells_no_length_unless_its_method_has_one() -> None:
    assert final((), method="GET") == (("Host", "h:81"), *DEFAULTS)
    assert final((), method="POST")[-1] == ("Content-Length", "0")
    assert final((), b"x", method="DELETE")[-1] == ("Content-Length", "1")


def test_what_the_caller_says_stays_where_and_as_it_is() -> None:
    given_headers = (("user-AGENT", "mine"), ("ACCEPT", "text/event-stream"), ("accept-encoding", "gzip"), ("hOST", "other"), ("content-LENGTH", "3"))
    assert final(given_headers, b"abc") == (("hOST", "other"), *(pair for pair in given_headers if pair[0] != "hOST"))


def test_wrong_framing_is_put_right() -> None:
    assert final((("Content-Length", "99"), ("Transfer-Encoding", "chunked"), ("X", "1")), b"abc")[1:3] == (("Content-Length", "3"), ("X", "1"))


def test_blanks_and_line_ends_of_a_pasted_key_are_taken_off() -> None:
    assert final((("Authorization", " Bearer k \r\n"),))[1] == ("Authorization", "Bearer k")


NAMES = st.sampled_from(["X-A", "x-a", "Host", "Accept", "Content-Length"])


@given(st.lists(st.tuples(NAMES, st.text(st.characters(codec="ascii", exclude_categories=["Cc"])))))
def test_completing_twice_changes_nothing(headers: list[tuple[str, str]]) -> None:
    once = final(tuple(headers), b"abc")
    assert final(once, b"abc") == once


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("Authorization", "Bearer geheim\nX: y", "The header Authorization holds a line break at position 14"),
        ("Authorization", "geheim：", r"holds the character U\+FF1A at position 7"),
        ("X", "geheim\0", r"holds the character U\+0000 at position 7"),
        ("X-ключ", "geheim", "cannot be the name"),
        ("", "geheim", "cannot be the name"),
        ("X:", "geheim", "cannot be the name"),
    ],
)
def test_what_http_cannot_carry_is_told_without_the_value(name: str, value: str, match: str) -> None:
    with pytest.raises(ProviderError, match=match) as caught:
        final(((name, value),))
    assert "geheim" not in caught.value.text
    assert caught.value.message_id == "wire.bad_header"
