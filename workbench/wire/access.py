"""Who may talk to a server on loopback: the Host it was called by, the page that calls, and the key, checked before a handler sees anything.

A web page in the person's browser can reach 127.0.0.1 too. It cannot know the key, and a name that it lets point to 127.0.0.1
is not the Host this server answers to.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote


class Refusal(NamedTuple):
    """Why a request goes no further: an HTTP status, a stable word and a sentence; `written` is the body where it is worded already."""

    status: int
    code: str
    message: str
    written: bytes = b""

    def body(self) -> bytes:
        """Return the JSON error that every dialect's client can show."""
        if self.written:
            return self.written
        kind = "authentication_error" if self.status == 401 else "invalid_request_error"
        return json.dumps({"error": {"message": self.message, "type": kind, "param": None, "code": self.code}}).encode()


@dataclass(frozen=True, slots=True)
class Access:
    """The rule of one server.

    Attributes:
        port: the port it listens on.
        key: what a client must show, empty for none: as ``Authorization: Bearer``, ``x-api-key``, ``x-goog-api-key``,
            ``api-key``, or as the first segment of the path.
    """

    port: int
    key: str = ""

    def admit(self, target: str, headers: Sequence[tuple[str, str]]) -> str | Refusal:
        """Return the target that the handler sees, without a key in its path, or why there is none."""
        own = (f"127.0.0.1:{self.port}", f"localhost:{self.port}")
        hosts = _values(headers, "host")
        if len(hosts) != 1 or hosts[0] not in own:
            return Refusal(403, "wrong_host", f"This server answers only to {own[0]} and {own[1]}.")
        if not {origin.removeprefix("http://") for origin in _values(headers, "origin")} <= set(own):
            return Refusal(403, "wrong_origin", "This server does not answer to web pages of others.")
        if not target.startswith("/") and target != "*":
            return Refusal(400, "not_a_proxy", "This server is no proxy: the request target must be a path.")
        if not self.key or self._in_headers(headers):
            return target
        path, mark, query = target.partition("?")
        first, _, rest = path[1:].partition("/")
        if self._is_key(unquote(first)):
            return f"/{rest}{mark}{query}"
        return Refusal(401, "invalid_api_key", "The key is missing or wrong: send it as Authorization: Bearer, as x-api-key, or as the first part of the path.")

    def _in_headers(self, headers: Sequence[tuple[str, str]]) -> bool:
        for name, value in headers:
            match name.lower(), value.split():
                case "authorization", [scheme, token] if scheme.lower() == "bearer" and self._is_key(token):
                    return True
                case ("x-api-key" | "x-goog-api-key" | "api-key"), [token] if self._is_key(token):
                    return True
                case _:
                    pass
        return False

    def _is_key(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode("utf-8", "surrogateescape"), self.key.encode())


def _values(headers: Sequence[tuple[str, str]], wanted: str) -> list[str]:
    return [value.strip().lower() for name, value in headers if name.lower() == wanted]
