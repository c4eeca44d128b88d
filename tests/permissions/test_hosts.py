"""Hosts that lead to this machine, its network or a metadata service are told from public ones by their spelling."""

from __future__ import annotations

import socket

import pytest

from workbench.permissions.hosts import host_kind, host_rules, numeric_address, split_host


@pytest.mark.parametrize("host", ["docs.python.org", "example.test", "93.184.216.34", "[2606:2800:220:1::1]", "xn--bcher-kva.example"])
def test_public_host(host: str) -> None:
    assert host_kind(host) == "public"


@pytest.mark.parametrize(
    "host",
    ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.1", "10.0.0.1", "192.168.1.1", "[::1]", "[fe80::1%25eth0]", "2130706433", "0x7f000001",
     "0177.0.0.1", "100.64.0.1", "printer", "nas.local", "[::ffff:127.0.0.1]", "224.0.0.1", "0.0.0.1", ""],
)  # fmt: skip
def test_private_host(host: str) -> None:
    assert host_kind(host) == "private"


@pytest.mark.parametrize("host", ["169.254.169.254", "[fd00:ec2::254]", "metadata.google.internal", "METADATA.google.internal.", "[::ffff:169.254.169.254]"])
def test_metadata_service(host: str) -> None:
    assert host_kind(host) == "metadata"


@pytest.mark.parametrize(
    "host",
    ["198.18.0.1", "192.0.0.8", "192.88.99.1", "255.255.255.255", "240.0.0.1", "239.1.1.1", "172.31.255.255", "169.254.1.1", "203.0.113.7", "::", "ff02::1",
     "fe80::1", "fec0::1", "fc00::1", "2001:0:1::1", "2001:db8::1", "2002:808:808::1", "64:ff9b::808:808", "::ffff:8.8.8.8", "::8.8.8.8", "3fff::1", "5f00::1",
     "134744072", "0x8.8.8.8", "08.8.8.8", "1.2.3.4.5", "0x", "a.0x1", "1e100.7"],
)  # fmt: skip
def test_reserved_and_oddly_written_addresses_are_no_public_ones(host: str) -> None:
    assert host_kind(host) == "private"


@pytest.mark.parametrize("host", ["2852039166", "0xa9fea9fe", "169.254.43518", "0251.0376.0251.0376", "64:ff9b::a9fe:a9fe", "168.63.129.16", "fd20:ce::254"])
def test_metadata_service_in_any_spelling(host: str) -> None:
    assert host_kind(host) == "metadata"


@pytest.mark.parametrize(
    ("host", "address"),
    [("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("10.0.258", "10.0.1.2")],
)
def test_odd_spellings_are_read_as_the_network_reads_them(host: str, address: str) -> None:
    assert str(numeric_address(host)) == address == socket.inet_ntoa(socket.inet_aton(host))


@pytest.mark.parametrize("host", ["256.1.1.1", "1.2.3.256", "4294967296", "1.2.3.4.5", "docs.python.org", "", "1..2", "0x" + "f" * 40])
def test_what_is_no_number_stands_for_no_address(host: str) -> None:
    assert numeric_address(host) is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [("a.org", ("a.org", None)), ("a.org:8080", ("a.org", 8080)), ("[::1]:80", ("::1", 80)), ("[::1]", ("::1", None)), ("::1", ("::1", None)),
     ("a.org:", ("a.org", 0)), ("a.org:x", ("a.org", 0)), ("[::1]x", ("::1", 0)), ("a.org:123456", ("a.org", 0))],
)  # fmt: skip
def test_target_is_split_into_host_and_port(name: str, parts: tuple[str, int | None]) -> None:
    assert split_host(name) == parts


@pytest.mark.parametrize(
    ("host", "offered"),
    [
        ("docs.python.org", ["docs.python.org", "*.python.org"]),
        ("python.org", ["python.org"]),
        ("Docs.Python.ORG.", ["docs.python.org", "*.python.org"]),
        ("a.b.example.org", ["a.b.example.org", "*.b.example.org"]),
        ("someone.github.io", ["someone.github.io"]),
        ("bucket.s3.amazonaws.com", ["bucket.s3.amazonaws.com"]),
        ("example.co.uk", ["example.co.uk"]),
        ("www.example.co.uk", ["www.example.co.uk", "*.example.co.uk"]),
        ("127.0.0.1.nip.io", ["127.0.0.1.nip.io"]),
        ("127.0.0.1", []),
        ("93.184.216.34", []),
        ("2606:2800:220:1::1", []),
        ("printer", []),
        ("nas.local", []),
        ("metadata.google.internal", []),
        ("2130706433", []),
    ],
)
def test_rules_offered_for_a_host(host: str, offered: list[str]) -> None:
    rules = host_rules("webfetch", host)
    assert [rule.host for rule in rules] == offered
    assert all((rule.tool, rule.effect) == ("webfetch", "allow") for rule in rules)
