"""Proxies from the environment: odd values never stop a start, and this machine is always reached directly."""

from __future__ import annotations

import asyncio
import contextlib
import re
from pathlib import Path

import pytest

from tests.wire.asking import OK, answer_ok, ask, tls_of
from tests.wire.cases import transport_case
from tests.wire.raw import RawServer, pairs_of
from workbench.errors import ProviderUnreachable
from workbench.wire.address import parse_address
from workbench.wire.client import HttpClient
from workbench.wire.proxies import Proxy, ProxyRules

CASE = transport_case("proxy-env-odd")


@pytest.mark.parametrize("environ", CASE["input"]["envs"], ids=str)
def test_odd_variables_stop_neither_the_start_nor_local_requests(environ: dict[str, str]) -> None:
    http = HttpClient(environ=environ)
    routes = {}
    for target in CASE["input"]["targets"]:
        with contextlib.suppress(ProviderUnreachable):
            routes[target] = http.route(target)
    direct = {target for target, route in routes.items() if route == "direct"}
    local = set(CASE["input"]["targets"][:2])
    assert local <= direct
    if "NO_PROXY" in environ:
        assert direct - local == set(CASE["expect"]["env5_direct"])
        assert routes["http://api.example/"] == "proxy http://127.0.0.1:3128 (HTTP_PROXY)"
    else:
        assert direct == local
    assert len(routes) == len(CASE["input"]["targets"])
    assert http.notices == []


def route(environ: dict[str, str], url: str) -> Proxy | None:
    return ProxyRules(environ).route(parse_address(url))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:3128", ("http", "127.0.0.1", 3128, "", "")),
        ("http://Proxy.Example", ("http", "proxy.example", 80, "", "")),
        ("https://p:8443/", ("https", "p", 8443, "", "")),
        ("http://us%40er:pa%3Ass@p:1", ("http", "p", 1, "us@er", "pa:ss")),
        ("socks://p", ("socks5", "p", 1080, "", "")),
        ("socks5://[::1]:9050", ("socks5", "::1", 9050, "", "")),
        (" SOCKS5H://p:1 ", ("socks5", "p", 1, "", "")),
    ],
)
def test_proxy_is_read(text: str, expected: tuple[str, str, int, str, str]) -> None:
    assert route({"all_proxy": text}, "http://h/") == Proxy(*expected, "all_proxy")  # type: ignore[arg-type]


def test_closest_variable_wins() -> None:
    environ = {"HTTP_PROXY": "u:1", "http_proxy": "l:1", "ALL_PROXY": "a:1", "https_proxy": " "}
    for url, host in (("http://h/", "l"), ("https://h/", "a")):
        proxy = route(environ, url)
        assert proxy is not None
        assert proxy.host == host
    assert route({}, "http://h/") is None


UNUSABLE = ["socks4://p:1", "http://", "http://p:99999", "http://p:x", "http://[::1", "http://us er@a b:1", "ftp://p", "http://u:geheim@a b:1", "u:geheim@"]


@pytest.mark.parametrize("value", UNUSABLE)
def test_proxy_that_cannot_be_used_is_told_and_never_gone_around(value: str) -> None:
    http = HttpClient(environ={"HTTPS_PROXY": value})
    (notice,) = http.notices
    assert notice.startswith("HTTPS_PROXY=")
    assert "is not a proxy this program can use" in notice
    assert "geheim" not in notice
    with pytest.raises(ProviderUnreachable, match=re.escape(notice)):
        http.route("https://api.example/")
    assert http.route("https://localhost/") == "direct"
    assert http.route("http://api.example/") == "direct"


@pytest.mark.parametrize(
    ("entries", "direct", "others"),
    [
        ("*", ["http://h/", "https://1.2.3.4/"], []),
        ("example.com", ["http://example.com/", "http://api.example.com/"], ["http://notexample.com/", "http://example.com.evil/"]),
        (".example.com , *.example.org", ["http://api.example.com/", "http://a.b.example.org/"], ["http://example.net/"]),
        ("10.0.0.0/8", ["http://10.200.1.2/"], ["http://11.0.0.1/", "http://10.example/"]),
        ("fd00::/8 192.168.1.7", ["http://[fd12::1]/", "http://192.168.1.7:99/"], ["http://[fe80::1]/", "http://192.168.1.8/"]),
        ("h:8080,[2001:db8::1]:443", ["http://h:8080/", "https://[2001:db8::1]/"], ["http://h/", "http://[2001:db8::1]/"]),
        ("2001:db8::1", ["http://[2001:db8::1]:5/"], ["http://[2001:db8::2]/"]),
        ("EXAMPLE.com", ["http://example.COM/"], []),
        ("10.0.0.0/99, ., :80, ,[", [], ["http://10.0.0.1/", "http://h/"]),
    ],
)
def test_exceptions_are_obeyed(entries: str, direct: list[str], others: list[str]) -> None:
    rules = ProxyRules({"ALL_PROXY": "http://p:1", "NO_PROXY": entries})
    assert [url for url in [*direct, *others] if rules.route(parse_address(url)) is None] == direct


async def test_http_proxy_gets_the_whole_address_and_what_was_sent_is_known() -> None:
    async with RawServer(answer_ok) as proxy:
        http = HttpClient(environ={"http_proxy": f"http://us:pa@127.0.0.1:{proxy.port}"})
        response = await ask(http, "http://api.example:81/v1?x=1", b"abc")
        assert response.route == f"proxy http://127.0.0.1:{proxy.port} (http_proxy)"
        (head,) = proxy.heads
        assert head.partition(b"\r\n")[0] == b"POST http://api.example:81/v1?x=1 HTTP/1.1"
        assert pairs_of(head) == response.sent_headers
        assert response.sent_headers[:2] == (("Host", "api.example:81"), ("Proxy-Authorization", "Basic dXM6cGE="))
        assert proxy.bodies == [b"abc"]
        await http.aclose()


async def test_http_proxy_opens_a_tunnel_to_https_and_does_not_see_into_it(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.wire.address.is_loopback", lambda host: False)  # all servers of tests are on this machine
    requests: list[bytes] = []

    async def talk(proxy: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await relay(reader, writer, target.port)

    async with RawServer(answer_ok, tls=tls_of(certificate)) as target, RawServer(talk) as proxy:
        http = HttpClient(environ={"SSL_CERT_FILE": str(certificate), "HTTPS_PROXY": f"us:pa@127.0.0.1:{proxy.port}"})
        response = await ask(http, f"https://localhost:{target.port}/v1", b"abc")
        assert pairs_of(target.heads[0]) == response.sent_headers
        assert response.sent_headers[0] == ("Host", f"localhost:{target.port}")
        assert not any(name == "Proxy-Authorization" for name, _ in response.sent_headers)
        assert target.bodies == [b"abc"]
        assert requests[0].startswith(b"CONNECT localhost:%d HTTP/1.1\r\n" % target.port)
        assert b"Proxy-Authorization: Basic dXM6cGE=\r\n" in requests[0]
        await ask(http, f"https://localhost:{target.port}/v1")
        assert len(requests) == 1
        await http.aclose()


async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """Pass bytes both ways until one side ends."""
    far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        except ConnectionError:
            pass
        finally:
            sink.close()

    async with asyncio.TaskGroup() as group:
        group.create_task(pump(reader, far_writer))
        group.create_task(pump(far_reader, writer))


async def test_proxy_that_refuses_is_said_in_a_sentence() -> None:
    async def talk(proxy: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await proxy.read_request(reader)
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")

    async with RawServer(talk) as proxy:
        http = HttpClient(environ={"https_proxy": f"http://127.0.0.1:{proxy.port}"})
        sentence = rf"^The proxy http://127\.0\.0\.1:{proxy.port} \(https_proxy\) does not connect to api\.example:443: 407 Proxy Authentication Required\.$"
        with pytest.raises(ProviderUnreachable, match=sentence):
            await ask(http, "https://api.example/")
        await http.aclose()


async def test_proxy_that_is_not_there_is_named() -> None:
    for value in ("http://127.0.0.1:1", "socks5://127.0.0.1:1"):
        http = HttpClient(environ={"ALL_PROXY": value})
        sentence = rf"^Nothing answers at the proxy {re.escape(value)} \(ALL_PROXY\) \(connection refused\); check that it runs\.$"
        with pytest.raises(ProviderUnreachable, match=sentence):
            await ask(http, "http://api.example/")
        await http.aclose()


async def test_request_goes_through_a_socks_proxy_which_resolves_the_name() -> None:
    asked: list[bytes] = []

    async def talk(proxy: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readexactly(3) == b"\x05\x01\x00"
        writer.write(b"\x05\x00")
        asked.append(await reader.readexactly(4 + 1 + 11 + 2))
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await proxy.read_request(reader)
        writer.write(OK)

    async with RawServer(talk) as proxy:
        http = HttpClient(environ={"all_proxy": f"socks://127.0.0.1:{proxy.port}"})
        response = await ask(http, "http://api.example:81/", b"abc")
        assert asked == [b"\x05\x01\x00\x03\x0bapi.example\x00\x51"]
        assert pairs_of(proxy.heads[0]) == response.sent_headers
        assert response.route == f"proxy socks5://127.0.0.1:{proxy.port} (all_proxy)"
        await http.aclose()


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([b"\x05\xff"], r"it asks for a user name and password"),
        ([b"HTTP/1.1 400 Bad Request\r\n\r\n"], r"it does not speak SOCKS5"),
        ([b"\x05\x00", b"\x05\x05\x00\x01"], r"connection refused"),
        ([b"\x05"], r"it closed the connection"),
    ],
)
async def test_socks_proxy_that_refuses_is_said_in_a_sentence(answers: list[bytes], why: str) -> None:
    async def talk(proxy: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for answer in answers:
            await reader.read(100)
            writer.write(answer)

    async with RawServer(talk) as proxy:
        http = HttpClient(environ={"ALL_PROXY": f"socks5://127.0.0.1:{proxy.port}"})
        with pytest.raises(ProviderUnreachable, match=rf"^The proxy socks5://127\.0\.0\.1:\d+ \(ALL_PROXY\) does not connect to api\.example:80: {why}\.$"):
            await ask(http, "http://api.example/")
        await http.aclose()


async def test_socks_proxy_that_hangs_is_given_up() -> None:
    async def talk(proxy: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(100):
            pass

    async with RawServer(talk) as proxy:
        http = HttpClient(environ={"ALL_PROXY": f"socks5://127.0.0.1:{proxy.port}"}, connect_timeout_s=0.1)
        with pytest.raises(ProviderUnreachable, match=r"did not accept a connection within 0\.1 s\.$"):
            await ask(http, "http://api.example/")
        await http.aclose()
