"""Which way a request takes: directly, or through the proxy that the environment names.

Odd variables never stop the program. A proxy that cannot be used is told about, and requests that would have gone through it
fail with a sentence instead of going out directly, because who sets a proxy may have a reason. This machine is always reached directly.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from workbench.errors import ProviderUnreachable
from workbench.wire.address import Address, host_in_ascii, in_brackets
from workbench.wire.redaction import redact_url

Kind: TypeAlias = Literal["http", "https", "socks5"]

_KINDS: dict[str, Kind] = {"http": "http", "https": "https", "socks": "socks5", "socks5": "socks5", "socks5h": "socks5"}
_DEFAULT_PORTS: dict[Kind, int] = {"http": 80, "https": 443, "socks5": 1080}
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy that the environment names.

    Attributes:
        kind: how to talk to it. Names are resolved by the proxy, with SOCKS too.
        variable: the environment variable it comes from, as it is spelled there.
    """

    kind: Kind
    host: str
    port: int
    username: str
    password: str
    variable: str

    @property
    def label(self) -> str:
        """What people see: address and variable, without user and password."""
        return f"proxy {self.kind}://{in_brackets(self.host)}:{self.port} ({self.variable})"


class ProxyRules:
    """What the environment says about proxies, read once.

    Attributes:
        notices: one English sentence for each variable that cannot be used.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Read ``http_proxy``, ``https_proxy``, ``all_proxy`` and ``no_proxy``; lower case wins over upper case."""
        self._by_scheme: dict[str, Proxy | str] = {}
        self.notices: list[str] = []
        for scheme in ("http", "https", "all"):
            variable, text = _variable(environ, f"{scheme}_proxy")
            if text:
                self._by_scheme[scheme] = self._read(variable, text)
        self._exceptions = [entry.lower() for entry in _variable(environ, "no_proxy")[1].replace(",", " ").split()]

    def route(self, address: Address) -> Proxy | None:
        """Return the proxy for an address, None for the direct way.

        Raises:
            ProviderUnreachable: the variable that rules this address names a proxy that cannot be used.
        """
        if address.is_loopback or any(_excepts(entry, address) for entry in self._exceptions):
            return None
        proxy = self._by_scheme.get(address.scheme) or self._by_scheme.get("all")
        if isinstance(proxy, str):
            raise ProviderUnreachable(proxy, message_id="wire.bad_proxy", values={"host": address.host})
        return proxy

    def _read(self, variable: str, text: str) -> Proxy | str:
        proxy = _parse(variable, text)
        if isinstance(proxy, str):
            self.notices.append(proxy)
        return proxy


def _variable(environ: Mapping[str, str], name: str) -> tuple[str, str]:
    """Return (spelling, value) of the variable that counts; its value is empty if none is set."""
    for spelling in (name, name.upper()):
        if value := environ.get(spelling, "").strip():
            return spelling, value
    return name, ""


def _parse(variable: str, text: str) -> Proxy | str:
    """Return the proxy, or a sentence that says why it is none."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        kind, host, port = _KINDS.get(parts.scheme), host_in_ascii(parts.hostname or ""), parts.port
    except ValueError:
        kind = host = port = None
    if kind is None or host is None:
        shown = redact_url(text if "://" in text else f"//{text}").removeprefix("//" if "://" not in text else "")
        return f"{variable}={shown} is not a proxy this program can use: write http://host:port, https://host:port or socks5://host:port, or unset it."
    return Proxy(kind, host, port or _DEFAULT_PORTS[kind], unquote(parts.username or ""), unquote(parts.password or ""), variable)


def _excepts(entry: str, address: Address) -> bool:
    """Say whether an entry of ``no_proxy`` means this address: ``*``, a name with its sub-domains, an IP or a network, with or without a port."""
    if entry == "*":
        return True
    network = _network(entry)
    if network is not None:
        return _contains(network, address.host)
    name, port = _name_and_port(entry)
    if port not in ("", str(address.port)):
        return False
    network = _network(name.strip("[]"))
    if network is not None:
        return _contains(network, address.host)
    name = name.removeprefix("*").strip(".")
    return bool(name) and (address.host == name or address.host.endswith(f".{name}"))


def _name_and_port(entry: str) -> tuple[str, str]:
    name, _, port = entry.rpartition(":")
    return (name, port) if name and port.isdigit() else (entry, "")


def _network(text: str) -> _Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _contains(network: _Network, host: str) -> bool:
    try:
        return ipaddress.ip_address(host) in network
    except ValueError:
        return False
