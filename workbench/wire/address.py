"""The address of a request, read once and checked: what to connect to and what to ask for there."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

from workbench.errors import ProviderError
from workbench.wire.redaction import redact_url

_DEFAULT_PORTS = {"http": 80, "https": 443}
_AS_WRITTEN = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"  # what quote() must leave alone: every printable ASCII character but the blank
_BLANKS = re.compile(r"[\x00-\x20\x7f]")
_HOST = re.compile(r"[a-z0-9._~-]+|[0-9a-f:.]+(%\w+)?")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a request goes.

    Attributes:
        scheme: ``http`` or ``https``.
        host: name in ASCII (IDNA) and lower case, or an IP address; IPv6 without brackets.
        port: the scheme's own if the address names none.
        target: path and query, percent-encoded where HTTP needs it and otherwise as written; the fragment is left out.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """The value of the ``Host`` header: the port only where it is not the scheme's own."""
        host = in_brackets(self.host)
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether this is this very machine, which no proxy can reach for us."""
        return is_loopback(self.host)


def in_brackets(host: str) -> str:
    """Return a host as it stands before a port: an IPv6 address in brackets, everything else as it is."""
    return f"[{host}]" if ":" in host else host


def parse_address(url: str) -> Address:
    """Return the parts of an address.

    Raises:
        ProviderError: it is not ``http://…`` or ``https://…`` with a host that can exist; the sentence says what is wrong.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise _bad(url, f"{error}".lower()) from error
    if parts.scheme not in _DEFAULT_PORTS:
        raise _bad(url, "it must begin with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise _bad(url, "it must not hold a user name or password")
    if not parts.hostname:
        raise _bad(url, "there is no host in it")
    host = host_in_ascii(parts.hostname)
    if host is None or _BLANKS.search(parts.netloc):
        raise _bad(url, f"{parts.hostname!r} cannot be the name of a host")
    return Address(parts.scheme, host, _DEFAULT_PORTS[parts.scheme] if port is None else port, _target(url, parts))


def host_in_ascii(host: str) -> str | None:
    """Return a host name as the network knows it (IDNA, lower case, no dot at the end); None if it cannot be one."""
    host = host.lower().rstrip(".")
    if not is_ip(host):
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    return host if _HOST.fullmatch(host) else None


def is_ip(host: str) -> bool:
    """Say whether this is an IP address and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine: a loopback address, the unspecified address, or a ``localhost`` name."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def _target(url: str, parts: SplitResult) -> str:
    text = url.strip()
    if any(character in "\r\n\t\0" for character in text):  # urlsplit drops these silently
        raise _bad(url, "there is a line break, a tab or a NUL in it")
    query = f"?{parts.query}" if "?" in text.partition("#")[0] else ""
    return quote((parts.path or "/") + query, safe=_AS_WRITTEN)


def _bad(url: str, why: str) -> ProviderError:
    shown = redact_url(url if len(url) <= 200 else url[:200] + "…")
    return ProviderError(f"{shown!r} is not an address that can be asked: {why}.", message_id="wire.bad_address", values={"url": shown, "why": why})
