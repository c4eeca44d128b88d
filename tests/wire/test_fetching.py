"""Pages are fetched hop by hop, each judged by itself, and what is too large, too slow or of the wrong kind is not read."""

from __future__ import annotations

import asyncio
import gzip
import zlib

import pytest

from tests.wire.raw import RawServer
from tests.wire.sites import PUBLIC, Names, packed, page, redirect, site, web
from workbench.errors import ToolError
from workbench.permissions.hosts import host_kind
from workbench.wire.fetching import REDIRECTS_AT_MOST, REFUSAL_BYTES, Web
from workbench.wire.guard import Grant


async def failure(found: Web, url: str, *, timeout_s: float = 10, granted: frozenset[Grant] = frozenset()) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await found.get(url, timeout_s=timeout_s, granted=granted, takes=lambda kind: kind.startswith("text/"))
    return caught.value


async def test_page_is_given_with_its_address_and_kind() -> None:
    async with site({"/x?a=1": page("<p>hello")}) as server:
        fetched = await web().get(f"http://a.example:{server.port}/x?a=1#there", timeout_s=10, accept="text/html")
    assert (fetched.status, fetched.body, fetched.hops) == (200, b"<p>hello", ())
    assert fetched.url == f"http://a.example:{server.port}/x?a=1"
    assert fetched.header("content-TYPE") == "text/html; charset=utf-8"
    head = server.heads[0].decode()
    assert f"Host: a.example:{server.port}\r\nAccept: text/html\r\n" in head
    assert not {"cookie", "authorization", "referer"} & {line.partition(":")[0].lower() for line in head.split("\r\n")}


@pytest.mark.parametrize(
    "url", ["ftp://a.example/", "file:///etc/passwd", "http://user@a.example/", "http://docs.python.org@127.0.0.1/", "http://", "a.example", "http://[::1"]
)
async def test_only_plain_web_addresses_are_asked(url: str) -> None:
    names = Names({})
    assert (await failure(web(names), url)).kind == "invalid_arguments"
    assert names.asked == []


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "127.0.0.1.nip.example",
             "[64:ff9b::7f00:1]", "①②⑦.⓪.⓪.①", "127。0。0。1"]
)  # fmt: skip
async def test_this_machine_is_reached_under_no_name(host: str) -> None:
    async with site({"/": page("secret")}) as server:
        names = Names(dict.fromkeys(("localhost", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "127.1", "127.0.0.1.nip.example"), ("127.0.0.1",)))
        error = await failure(Web(host_kind, resolver=names, environ={}), f"http://{host}:{server.port}/")
        assert (error.kind, server.connections) == ("blocked_host", 0)


async def test_granted_host_and_port_are_reached_and_no_other() -> None:
    async with site({"/": page("mine")}) as server, site({"/": page("other")}) as other:
        found = Web(host_kind, environ={})
        granted = frozenset({Grant("127.0.0.1", server.port)})
        assert (await found.get(f"http://127.0.0.1:{server.port}/", timeout_s=10, granted=granted)).body == b"mine"
        assert (await failure(found, f"http://127.0.0.1:{other.port}/", granted=granted)).kind == "blocked_host"
        assert (await failure(found, f"http://127.0.0.1:{server.port}/")).kind == "blocked_host"  # the grant is not kept
        assert other.connections == 0


async def test_redirects_on_the_same_host_are_followed() -> None:
    async with site({"/": redirect("/b"), "/b": redirect("c?d=1", "301 Moved"), "/c?d=1": page("end")}) as server:
        fetched = await web().get(f"http://a.example:{server.port}/", timeout_s=10)
    base = f"http://a.example:{server.port}"
    assert (fetched.body, fetched.url, fetched.hops) == (b"end", f"{base}/c?d=1", (f"{base}/", f"{base}/b"))


async def test_redirects_have_an_end() -> None:
    pages = {f"/{number}": redirect(f"/{number + 1}") for number in range(20)}
    async with site(pages) as server:
        error = await failure(web(), f"http://a.example:{server.port}/0")
        assert (error.kind, len(server.heads)) == ("redirect_blocked", REDIRECTS_AT_MOST + 1)


@pytest.mark.parametrize(
    ("location", "kind"),
    [
        ("http://b.example:{port}/", "redirect_blocked"),
        ("//b.example:{port}/", "redirect_blocked"),
        ("http://a.example:1/", "redirect_blocked"),
        ("http://a.example.evil.test:{port}/", "redirect_blocked"),
        ("http://127.0.0.1:{port}/", "redirect_blocked"),
        ("http://2130706433/", "redirect_blocked"),
        ("http://user@b.example/", "redirect_blocked"),
        ("file:///etc/passwd", "redirect_blocked"),
        ("javascript:alert(1)", "redirect_blocked"),
        ("http://[::1/", "redirect_blocked"),
        ("http://169.254.169.254/latest/meta-data/", "blocked_host"),
        ("http://2852039166/", "blocked_host"),
        ("http://[::ffff:a9fe:a9fe]/", "blocked_host"),
        ("http://metadata.google.internal/", "blocked_host"),
    ],
)
async def test_redirect_to_another_place_is_not_followed(location: str, kind: str) -> None:
    names = Names({"a.example": (PUBLIC,), "b.example": (PUBLIC,)})
    async with site({"/": redirect(location)}) as server:
        error = await failure(web(names), f"http://a.example:{server.port}/")
        assert (error.kind, len(server.heads), names.asked) == (kind, 1, ["a.example"])


async def test_blocked_redirect_names_the_address_for_a_call_of_its_own() -> None:
    async with site({"/": redirect("https://b.example/new page?x=1")}) as server:
        error = await failure(web(), f"http://a.example:{server.port}/")
    assert "https://b.example/new%20page?x=1" in error.text
    assert error.detail["url"] == "https://b.example/new%20page?x=1"


async def test_each_hop_is_connected_by_itself_so_a_name_cannot_move_between_two() -> None:
    """Rebinding between two hops: the first connection is closed by the server, the second look-up gives this machine."""

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(page("", "", "302 Found", "Location: /again", "Connection: close"))
        await writer.drain()

    async with RawServer(talk) as server:
        names = Names({"a.example": [(PUBLIC,), ("10.0.0.1",)]})
        error = await failure(web(names), f"http://a.example:{server.port}/")
        assert (error.kind, server.connections, names.asked) == ("blocked_host", 1, ["a.example"] * 2)


async def test_page_that_is_too_large_is_not_read() -> None:
    async with site({"/declared": page(b"x" * 3000, "text/plain"), "/fits": page(b"x" * 2000, "text/plain")}) as server:
        small = web(size_limit_bytes=2000)
        assert (await failure(small, f"http://a.example:{server.port}/declared")).kind == "response_too_large"
        assert len((await small.get(f"http://a.example:{server.port}/fits", timeout_s=10)).body) == 2000


async def test_page_without_end_is_cut_off_at_the_limit() -> None:
    sent = 0

    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await server.read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()
            sent += 65536

    async with RawServer(talk) as server:
        error = await failure(web(size_limit_bytes=1 << 20), f"http://a.example:{server.port}/", timeout_s=30)
    assert error.kind == "response_too_large"
    assert sent < 64 << 20


async def test_bomb_is_not_unpacked_beyond_the_limit() -> None:
    bomb = packed(b"\0" * (200 << 20))
    assert len(bomb) < 300_000
    twice = page(gzip.compress(gzip.compress(b"x" * 100)), "text/plain", "200 OK", "Content-Encoding: gzip, gzip")
    deflated = page(zlib.compress(b"\0" * (100 << 20)), "text/plain", "200 OK", "Content-Encoding: deflate")
    async with site({"/": bomb, "/twice": twice, "/deflate": deflated}) as server:
        base = f"http://a.example:{server.port}"
        assert (await failure(web(), f"{base}/")).kind == "response_too_large"
        assert (await failure(web(), f"{base}/deflate")).kind == "response_too_large"
        assert (await failure(web(), f"{base}/twice")).kind == "network_error"


async def test_slow_page_ends_when_the_time_is_up_although_something_comes() -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n")
        while True:
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    async with RawServer(talk) as server:
        error = await failure(web(), f"http://a.example:{server.port}/", timeout_s=0.3)
    assert error.kind == "timed_out"


async def test_silent_server_ends_when_the_time_is_up() -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        await asyncio.Event().wait()

    async with RawServer(talk) as server:
        error = await failure(web(), f"http://a.example:{server.port}/", timeout_s=0.2)
    assert error.kind in {"timed_out", "network_error"}


async def test_page_of_an_unwanted_kind_is_not_read() -> None:
    async with site({"/": page(b"x" * 100, "video/mp4")}) as server:
        error = await failure(web(), f"http://a.example:{server.port}/")
    assert (error.kind, error.detail["content_type"]) == ("unsupported_content_type", "video/mp4")


async def test_of_a_refusal_only_the_beginning_is_read() -> None:
    async with site({"/": page("no " * 5000, "video/mp4", "403 Forbidden")}) as server:
        fetched = await web().get(f"http://a.example:{server.port}/", timeout_s=10, takes=lambda _kind: False)
    assert (fetched.status, len(fetched.body)) == (403, REFUSAL_BYTES)


async def test_server_that_breaks_off_is_told() -> None:
    async def talk(server: RawServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nabc")
        await writer.drain()

    async with RawServer(talk) as server:
        assert (await failure(web(), f"http://a.example:{server.port}/")).kind == "network_error"
        assert (await failure(web(Names({"a.example": ()})), "http://a.example/")).kind == "network_error"


async def test_proxies_of_the_environment_are_not_asked() -> None:
    async with site({"/": page("direct")}) as server, site({}) as proxy:
        found = Web(host_kind, environ={"http_proxy": f"http://127.0.0.1:{proxy.port}", "ALL_PROXY": f"http://127.0.0.1:{proxy.port}"})
        granted = frozenset({Grant("127.0.0.1", server.port)})
        assert (await found.get(f"http://127.0.0.1:{server.port}/", timeout_s=10, granted=granted)).body == b"direct"
        assert proxy.connections == 0


async def test_cancelled_fetch_leaves_no_connection() -> None:
    asked, left = asyncio.Event(), asyncio.Event()

    async def talk(server: RawServer, reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await server.read_request(reader)
        asked.set()
        await reader.read()
        left.set()

    async with RawServer(talk) as server, asyncio.TaskGroup() as group:
        task = group.create_task(web().get(f"http://a.example:{server.port}/", timeout_s=30))
        await asked.wait()
        task.cancel()
        await asyncio.wait_for(left.wait(), 5)
    assert task.cancelled()
