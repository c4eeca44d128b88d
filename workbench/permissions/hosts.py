"""What a host says of where a request would go: a public place, this machine or its network, or a cloud's metadata service.

A name is judged by its spelling, an address by what it is reserved for. The addresses behind a name are judged here, too, when the
connection is made: whoever connects hands in each of them.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Literal, TypeAlias

from workbench.permissions.rules import HostRule

HostKind: TypeAlias = Literal["public", "private", "metadata"]
_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

USUAL_PORTS = frozenset({80, 443})

_METADATA_NAMES = frozenset(
    {"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal", "metadata.tencentyun.com"}
)
_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in ("169.254.169.254", "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254",
                 "fd00:ec2::23", "fd20:ce::254")
)  # fmt: skip
_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".intranet", ".lan", ".home", ".corp", ".private", ".home.arpa", ".localdomain")
_RESERVED_4 = tuple(
    ipaddress.IPv4Network(text)
    for text in ("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
                 "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3")
)  # fmt: skip
"""IANA's special-purpose registry and multicast. An own list, because `is_global` differs between versions of Python."""
_GLOBAL_6 = ipaddress.IPv6Network("2000::/3")
_RESERVED_6 = tuple(ipaddress.IPv6Network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
"""Inside the global space: Teredo and other protocols, documentation, 6to4."""
_CARRIERS = (
    (ipaddress.IPv6Network("::ffff:0:0/96"), 0),
    (ipaddress.IPv6Network("::ffff:0:0:0/96"), 0),
    (ipaddress.IPv6Network("::/96"), 0),
    (ipaddress.IPv6Network("64:ff9b::/96"), 0),
    (ipaddress.IPv6Network("64:ff9b:1::/48"), 0),
    (ipaddress.IPv6Network("2002::/16"), 80),
)
"""Networks whose addresses carry an IPv4 address, and how many bits stand behind it; such addresses never count as public."""

_NUMBER = re.compile(r"0x[0-9a-f]*|\d+")
_SHARED_ENDINGS = frozenset(
    {"github.io", "gitlab.io", "readthedocs.io", "pages.dev", "workers.dev", "web.app", "firebaseapp.com", "appspot.com", "run.app", "vercel.app",
     "netlify.app", "herokuapp.com", "onrender.com", "fly.dev", "railway.app", "surge.sh", "glitch.me", "repl.co", "replit.app", "ngrok.io", "ngrok.app",
     "ngrok-free.app", "trycloudflare.com", "amazonaws.com", "cloudfront.net", "azurewebsites.net", "windows.net", "azureedge.net", "googleapis.com",
     "googleusercontent.com", "githubusercontent.com", "blogspot.com", "wordpress.com", "tumblr.com", "substack.com", "hf.space", "streamlit.app",
     "sharepoint.com", "wixsite.com", "weebly.com", "aliyuncs.com", "myqcloud.com", "gitee.io", "nip.io", "sslip.io"}
)  # fmt: skip
"""Domains below which anybody can have a name: nobody wants to trust all of them at once."""


def host_kind(host: str) -> HostKind:
    """Return what kind of host a parsed host name or address is; odd spellings of numbers count as private."""
    name = host.strip("[]").rstrip(".").casefold().partition("%")[0]
    try:
        return _address_kind(ipaddress.ip_address(name))
    except ValueError:
        pass
    if name in _METADATA_NAMES:
        return "metadata"
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        meant = numeric_address(name)
        return "metadata" if meant in _METADATA else "private"
    return "private" if name == "localhost" or name.endswith(_LOCAL_ENDINGS) or "." not in name else "public"


def numeric_address(host: str) -> ipaddress.IPv4Address | None:
    """Return the address that a host in an odd spelling stands for (``2130706433``, ``0x7f.1``, ``0177.0.0.1``); None for anything else."""
    parts = host.strip("[]").rstrip(".").casefold().split(".")
    if len(parts) > 4 or not all(_NUMBER.fullmatch(part) and len(part) < 20 for part in parts):
        return None
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    if any(number > 255 for number in numbers[:-1]) or numbers[-1] >= 256 ** (5 - len(numbers)):
        return None
    value = numbers[-1] + sum(number << (24 - 8 * place) for place, number in enumerate(numbers[:-1]))
    return ipaddress.IPv4Address(value)


def split_host(name: str) -> tuple[str, int | None]:
    """Return the host of a target and its port: None if it names none, 0 if what stands there is no port."""
    if name.startswith("["):
        host, _, rest = name[1:].partition("]")
    elif name.count(":") == 1:
        host, colon, port = name.partition(":")
        rest = colon + port
    else:
        return name, None
    if not rest:
        return host, None
    port = rest.removeprefix(":")
    return host, int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else 0


def host_rules(tool: str, host: str) -> tuple[HostRule, ...]:
    """Return the rules that "always" may offer for a public host, narrowest first: the host, then all names of its domain.

    No rule is offered for addresses in numbers, for private hosts and for metadata services; none for a whole domain below which
    anybody can have a name.

    Args:
        tool: the tool that asks it.
        host: parsed, in ASCII, without a port.
    """
    name = host.rstrip(".").casefold()
    if host_kind(name) != "public" or ":" in name or numeric_address(name) is not None:
        return ()
    exact = HostRule(effect="allow", tool=tool, host=name)
    domain = name.partition(".")[2] if name.count(".") >= 2 else ""
    if not domain or _is_shared(domain):
        return (exact,)
    return (exact, HostRule(effect="allow", tool=tool, host=f"*.{domain}"))


def _address_kind(address: _Address) -> HostKind:
    if address in _METADATA:
        return "metadata"
    if isinstance(address, ipaddress.IPv4Address):
        return "private" if any(address in network for network in _RESERVED_4) else "public"
    if _carried(address) in _METADATA:
        return "metadata"
    reserved = address not in _GLOBAL_6 or any(address in network for network in _RESERVED_6)
    return "private" if reserved else "public"


def _carried(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address carries."""
    for network, behind in _CARRIERS:
        if address in network:
            return ipaddress.IPv4Address(int(address) >> behind & 0xFFFFFFFF)
    return None


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if text.startswith("0") else 10)


def _is_shared(domain: str) -> bool:
    """Say whether a domain belongs to nobody in particular: a shared one, or what is a suffix in a country (``co.uk``, ``com.cn``)."""
    labels = domain.split(".")
    suffix = len(labels) == 2 and len(labels[1]) == 2 and len(labels[0]) <= 3
    return suffix or any(domain == ending or domain.endswith(f".{ending}") for ending in _SHARED_ENDINGS)
