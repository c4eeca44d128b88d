"""Addresses: what is asked for where, and what cannot be asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import ProviderError
from workbench.wire.address import Address, is_loopback, parse_address


@pytest.mark.parametrize(
    ("url", "expected", "authority"),
    [
        ("http://h", Address("http", "h", 80, "/"), "h"),
        ("https://API.Example.COM./v1?a=1#part", Address("https", "api.example.com", 443, "/v1?a=1"), "api.example.com"),
        (" http://127.0.0.1:11434/v1\n", Address("http", "127.0.0.1", 11434, "/v1"), "127.0.0.1:11434"),
        ("http://[::1]:8080/x", Address("http", "::1", 8080, "/x"), "[::1]:8080"),
        ("https://h:443/", Address("https", "h", 443, "/"), "h"),
        ("http://h:443/", Address("http", "h", 443, "/"), "h:443"),
        ("http://bücher.example/ä b?ö=ü%2F", Address("http", "xn--bcher-kva.example", 80, "/%C3%A4%20b?%C3%B6=%C3%BC%2F"), "xn--bcher-kva.example"),
        ("http://h?x", Address("http", "h", 80, "/?x"), "h"),
        ("http://h/p?", Address("http", "h", 80, "/p?"), "h"),
        ("http://h/a/../b//c;d=e?f[]=g|h", Address("http", "h", 80, "/a/../b//c;d=e?f[]=g|h"), "h"),
        ("http://my_host-1/", Address("http", "my_host-1", 80, "/"), "my_host-1"),
    ],
)
def test_parts_are_read(url: str, expected: Address, authority: str) -> None:
    assert parse_address(url) == expected
    assert expected.authority == authority


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "must begin with"),
        ("localhost:1234/v1", "must begin with"),
        ("api.example.com/v1", "must begin with"),
        ("ftp://h/", "must begin with"),
        ("http://", "no host"),
        ("http:///v1", "no host"),
        ("http://user:secret@h/", "user name or password"),
        ("http://h:99999/", "port out of range"),
        ("http://h:x/", "port could not be cast"),
        ("http://[::1/", "invalid ipv6"),
        ("http://a b/", "cannot be the name of a host"),
        ("http://a..b/", "cannot be the name of a host"),
        (f"http://{'a' * 64}.com/", "cannot be the name of a host"),
        ("http://h/a\nb", "line break"),
        ("http://ho\nst/", "line break"),
    ],
)
def test_what_is_no_address_is_said_in_a_sentence(url: str, why: str) -> None:
    with pytest.raises(ProviderError, match=why) as caught:
        parse_address(url)
    assert "secret" not in caught.value.text
    assert caught.value.message_id == "wire.bad_address"


@given(st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    for url in (text, f"http://{text}", f"https://h/{text}"):
        try:
            address = parse_address(url)
        except ProviderError:
            continue
        assert address.target.isascii()
        assert address.host.isascii()
        assert not any(character in address.target for character in " \r\n\t")


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "127.0.0.1", "127.255.1.2", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1"])  # noqa: S104
def test_this_machine_is_recognised(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["localhost.example", "10.0.0.1", "128.0.0.1", "::2", "h", "127.0.0.1.nip.io", "notlocalhost"])
def test_other_machines_are_recognised(host: str) -> None:
    assert not is_loopback(host)
