"""Hosts that lead to this machine, its network or a metadata service are told from public ones by their spelling."""

from __future__ import annotations

import pytest

from workbench.permissions.hosts import host_kind


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
