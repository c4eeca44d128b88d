"""What a host name says of where a request would go: a public place, this machine or its network, or a cloud's metadata service.

Only the spelling is judged here; the addresses behind a name are checked again when the connection is made.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Literal, TypeAlias

HostKind: TypeAlias = Literal["public", "private", "metadata"]

_METADATA = frozenset({"169.254.169.254", "fd00:ec2::254", "metadata.google.internal", "metadata.goog", "100.100.100.200", "169.254.170.2"})
_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".localdomain")
_ODD_NUMBER = re.compile(r"(0x[0-9a-f]+|\d+)(\.(0x[0-9a-f]+|\d+)){0,3}")


def host_kind(host: str) -> HostKind:
    """Return what kind of host a parsed host name or address is; odd spellings of numbers count as private."""
    name = host.strip("[]").rstrip(".").casefold().partition("%")[0]
    if name in _METADATA:
        return "metadata"
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        local = name == "localhost" or name.endswith(_LOCAL_ENDINGS) or "." not in name or _ODD_NUMBER.fullmatch(name)
        return "private" if local else "public"
    mapped = getattr(address, "ipv4_mapped", None) or address
    if str(mapped) in _METADATA:
        return "metadata"
    return "public" if mapped.is_global and not mapped.is_multicast else "private"
