"""The guard checks every address behind a name, and connections are made to what it checked."""

from __future__ import annotations

import asyncio
import socket
import ssl
from pathlib import Path

import pytest
from typing_extensions import override

from tests.wire.asking import answer_ok
from tests.wire.raw import RawServer
from workbench.errors import ProviderUnreachable, ToolError
from workbench.permissions.hosts import host_kind
from workbench.wire.client import HttpClient, HttpRequest
from workbench.wire.guard import AddressGuard, Grant, SystemResolver


class FakeResolver:
    """Gives each name its addresses; what was asked is kept. Lists of lists are given in turn."""

    def __init__(self, **names: list[str] | list[list[str]]) -> None:
        self._names = {name.replace("_", "."): answers for name, answers in names.items()}
        self.asked: list[tuple[str, int]] = []

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        self.asked.append((host, port))
        answers = self._names.get(host, [host])
        if isinstance(answers[0], list):
            return tuple(answers.pop(0))
        return tuple(str(answer) for answer in answers)


def guard(resolver: FakeResolver | None = None, *granted: Grant) -> AddressGuard:
    return AddressGuard(host_kind, granted=frozenset(granted), resolver=resolver or FakeResolver())


async def refused(found: AddressGuard, host: str, port: int = 80) -> ToolError:
    with pytest.raises(ToolError) as caught:
        await found.addresses(host, port)
    assert caught.value.kind == "blocked_host"
    return caught.value


async def test_all_addresses_of_a_public_name_are_given() -> None:
    resolver = FakeResolver(a_example=["93.184.216.34", "2606:2800:220:1::1"])
    assert await guard(resolver).addresses("a.example", 443) == ("93.184.216.34", "2606:2800:220:1::1")
    assert resolver.asked == [("a.example", 443)]


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "::1", "100.64.0.1", "198.18.0.1", "192.0.0.5", "224.0.0.1", "0.1.2.3", "fe80::1", "fe80::1%eth0", "::ffff:127.0.0.1",
                "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::1", "fc00::1"]
)  # fmt: skip
async def test_one_private_address_is_enough_to_refuse_a_name(address: str) -> None:
    for answers in ([address], ["93.184.216.34", address], [address, "93.184.216.34"]):
        error = await refused(guard(FakeResolver(a_example=answers)), "a.example")
        assert "nobody allowed that" in error.text
        assert address not in error.for_model()
        assert error.detail["address"] == address


@pytest.mark.parametrize("address", ["169.254.169.254", "fd00:ec2::254", "::ffff:169.254.169.254", "100.100.100.200"])
async def test_metadata_service_is_refused_even_where_a_person_granted_the_host(address: str) -> None:
    found = guard(FakeResolver(nas_local=[address]), Grant("nas.local", 80), Grant(address, 80))
    assert "always refused" in (await refused(found, "nas.local")).text
    assert "always refused" in (await refused(found, address)).text


async def test_private_host_is_refused_before_anybody_is_asked_for_its_address() -> None:
    resolver = FakeResolver()
    for host in ("localhost", "127.0.0.1", "2130706433", "0x7f.1", "metadata.google.internal"):
        await refused(guard(resolver), host)
    assert resolver.asked == []


async def test_grant_holds_for_its_host_and_port_alone() -> None:
    found = guard(FakeResolver(localhost=["127.0.0.1", "::1"], evil_example=["127.0.0.1"]), Grant("localhost", 8000))
    assert await found.addresses("localhost", 8000) == ("127.0.0.1", "::1")
    await refused(found, "localhost", 8001)
    await refused(found, "127.0.0.1", 8000)
    await refused(found, "evil.example", 8000)


async def test_name_without_addresses_cannot_be_resolved() -> None:
    class Empty(FakeResolver):
        @override
        async def resolve(self, host: str, port: int) -> tuple[str, ...]:
            return ()

    with pytest.raises(socket.gaierror):
        await guard(Empty()).addresses("a.example", 80)


async def test_spelling_that_passes_as_public_is_caught_by_its_address() -> None:
    """The system's look-up reads more spellings of numbers than anybody lists; what it gives is judged, not what was asked."""
    found = AddressGuard(lambda host: "public" if host == "odd.example" else host_kind(host), resolver=FakeResolver(odd_example=["127.0.0.1"]))
    await refused(found, "odd.example")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
async def test_system_is_asked_for_every_address_once(host: str) -> None:
    found = await SystemResolver().resolve(host, 80)
    assert "127.0.0.1" in found
    assert len(set(found)) == len(found)


async def test_client_connects_to_the_checked_address_and_keeps_the_host() -> None:
    resolver = FakeResolver(dev_local=["127.0.0.1"])
    async with RawServer(answer_ok) as server:
        http = HttpClient(environ={}, guard=guard(resolver, Grant("dev.local", server.port)))
        async with http.stream(HttpRequest("GET", f"http://dev.local:{server.port}/x")) as response:
            assert await response.body() == b"ok"
        await http.aclose()
        assert server.heads[0].split(b"\r\n")[:2] == [b"GET /x HTTP/1.1", f"Host: dev.local:{server.port}".encode()]
    assert resolver.asked == [("dev.local", server.port)]


async def test_name_is_resolved_once_so_it_cannot_mean_another_place_when_connecting() -> None:
    """Rebinding: public when it is checked, this machine a moment later. The connection goes where the check looked."""
    async with RawServer(answer_ok) as server:
        resolver = FakeResolver(rebind_example=[["127.0.0.2"], ["127.0.0.1"]])
        public_then = AddressGuard(lambda host: "public" if host in {"rebind.example", "127.0.0.2"} else host_kind(host), resolver=resolver)
        http = HttpClient(environ={}, guard=public_then)
        with pytest.raises(ProviderUnreachable):
            async with http.stream(HttpRequest("GET", f"http://rebind.example:{server.port}/")):
                pass
        assert server.connections == 0
        assert len(resolver.asked) == 1
        with pytest.raises(ToolError):  # the next look-up gives the private address, which is refused
            async with http.stream(HttpRequest("GET", f"http://rebind.example:{server.port}/")):
                pass
        assert server.connections == 0
        await http.aclose()


async def test_next_address_is_tried_when_one_does_not_answer() -> None:
    async with RawServer(answer_ok) as server:
        resolver = FakeResolver(dev_local=["::1", "127.0.0.1"])  # the server listens on the second alone
        http = HttpClient(environ={}, guard=guard(resolver, Grant("dev.local", server.port)))
        async with http.stream(HttpRequest("GET", f"http://dev.local:{server.port}/")) as response:
            assert await response.body() == b"ok"
        await http.aclose()
        assert server.connections == 1


async def test_proxies_of_the_environment_are_not_used() -> None:
    async with RawServer(answer_ok) as server, RawServer(answer_ok) as proxy:
        environ = {"http_proxy": f"http://127.0.0.1:{proxy.port}", "all_proxy": f"socks5://127.0.0.1:{proxy.port}"}
        http = HttpClient(environ=environ, guard=guard(FakeResolver(dev_local=["127.0.0.1"]), Grant("dev.local", server.port)))
        async with http.stream(HttpRequest("GET", f"http://dev.local:{server.port}/")) as response:
            assert (await response.body(), response.route) == (b"ok", "direct")
        await http.aclose()
        assert (server.connections, proxy.connections) == (1, 0)


async def test_certificate_is_asked_for_by_name_and_not_by_address(certificate: Path) -> None:
    tls, names = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), []
    tls.load_cert_chain(certificate)
    tls.sni_callback = lambda _socket, name, _context: names.append(name)
    async with RawServer(answer_ok, tls) as server:
        http = HttpClient(environ={"SSL_CERT_FILE": str(certificate)}, guard=guard(FakeResolver(localhost=["127.0.0.1"]), Grant("localhost", server.port)))
        async with http.stream(HttpRequest("GET", f"https://localhost:{server.port}/")) as response:
            assert await response.body() == b"ok"
        await http.aclose()
        assert names == ["localhost"]


async def test_slow_resolver_ends_with_the_wait_for_a_connection() -> None:
    class Silent(FakeResolver):
        @override
        async def resolve(self, host: str, port: int) -> tuple[str, ...]:
            await asyncio.Event().wait()
            raise AssertionError

    http = HttpClient(environ={}, guard=guard(Silent()), connect_timeout_s=0.05)
    with pytest.raises(ProviderUnreachable) as caught:
        async with http.stream(HttpRequest("GET", "http://a.example/")):
            pass
    assert caught.value.message_id == "wire.connect_timeout"
    await http.aclose()


async def test_unknown_name_is_told_as_one() -> None:
    class Unknown(FakeResolver):
        @override
        async def resolve(self, host: str, port: int) -> tuple[str, ...]:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    http = HttpClient(environ={}, guard=guard(Unknown()))
    with pytest.raises(ProviderUnreachable, match=r"Cannot resolve a\.example"):
        async with http.stream(HttpRequest("GET", "http://a.example/")):
            pass
    await http.aclose()
