"""The words of SOCKS5, byte by byte: login, kinds of address, and answers in pieces."""

from __future__ import annotations

import pytest

from workbench.wire.socks import SocksRefused, open_tunnel


class Scripted:
    """A connection whose other end has said everything beforehand; gives it byte by byte."""

    def __init__(self, answers: bytes) -> None:
        self.answers = answers
        self.sent = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        data, self.answers = self.answers[: min(max_bytes, 1)], self.answers[min(max_bytes, 1) :]
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.sent += buffer


@pytest.mark.parametrize(
    ("host", "address"),
    [("h.example", b"\x03\x09h.example"), ("10.1.2.3", b"\x01\x0a\x01\x02\x03"), ("::1", b"\x04" + b"\0" * 15 + b"\x01")],
)
async def test_each_kind_of_address_is_asked_for(host: str, address: bytes) -> None:
    stream = Scripted(b"\x05\x00" + b"\x05\x00\x00\x01" + b"\0" * 6)
    await open_tunnel(stream, host, 443)
    assert stream.sent == b"\x05\x01\x00" + b"\x05\x01\x00" + address + b"\x01\xbb"
    assert stream.answers == b""


@pytest.mark.parametrize("bound", [b"\x01" + b"\0" * 6, b"\x04" + b"\0" * 18, b"\x03\x05proxy\0\0"])
async def test_answer_is_read_to_its_end_and_not_further(bound: bytes) -> None:
    stream = Scripted(b"\x05\x00" + b"\x05\x00\x00" + bound + b"REST")
    await open_tunnel(stream, "h", 80)
    assert stream.answers == b"REST"


async def test_login_is_given_when_asked_for() -> None:
    stream = Scripted(b"\x05\x02" + b"\x01\x00" + b"\x05\x00\x00\x01" + b"\0" * 6)
    await open_tunnel(stream, "h", 80, "user", "pässword")
    assert stream.sent.startswith(b"\x05\x02\x00\x02" + b"\x01\x04user\x09p\xc3\xa4ssword")


async def test_login_is_not_given_when_not_asked_for() -> None:
    stream = Scripted(b"\x05\x00" + b"\x05\x00\x00\x01" + b"\0" * 6)
    await open_tunnel(stream, "h", 80, "user", "secret")
    assert b"secret" not in stream.sent


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (b"\x05\x02\x01\x01", "does not accept the user name"),
        (b"\x04\x00", "does not speak SOCKS5"),
        (b"\x05\x00\x05\x02\x00\x01", "rules do not allow"),
        (b"\x05\x00\x05\x63\x00\x01", "failure 99"),
        (b"\x05\x00\x04\x00\x00\x01", "does not speak SOCKS5"),
        (b"", "closed the connection"),
    ],
)
async def test_refusals_say_why(answers: bytes, why: str) -> None:
    with pytest.raises(SocksRefused, match=why):
        await open_tunnel(Scripted(answers), "h", 80, "user", "secret")


async def test_name_that_does_not_fit_is_refused() -> None:
    with pytest.raises(SocksRefused, match="longer than 255"):
        await open_tunnel(Scripted(b"\x05\x00"), "h" * 256, 80)
