"""Takes secrets out of headers and addresses before they reach the journal, a log or an export.

By place (names of headers and query fields that carry keys: the permissions specification, section 5) and by value (secrets
that are known). A replaced value says its length and the first 8 hex digits of its SHA-256, so that people can see whether two
requests used the same key.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from urllib.parse import quote, quote_plus, unquote_plus

from workbench.redaction.marks import fingerprint

_HEADERS = """
    authorization proxy-authorization x-api-key api-key x-goog-api-key cookie set-cookie
    x-auth-token x-access-token x-amz-security-token ocp-apim-subscription-key
"""
_QUERY = """
    key token api_key apikey api-key access_token refresh_token auth_token client_secret secret password sig signature
    x-amz-signature x-amz-security-token x-goog-signature subscription-key
"""

SECRET_HEADERS = frozenset(_HEADERS.split())
"""Names of headers, in lower case, whose value is a secret."""

_TELLING_HEADER = re.compile(
    r"(?i)(?:.+-)?(?:auth|token|secret|password|passwd|credential|apikey)(?:-.+)?|(?:.+-)?(?:api|access|auth|secret|private|client|licen[cs]e|gateway)-key"
)
"""Names of headers of gateways and companies' own servers: by their words. Rate limits count ``tokens``, which is another word."""

SECRET_QUERY = frozenset(_QUERY.split())
"""Names of query fields, in lower case, whose value is a secret."""

SHORTEST_SECRET = 4
"""Known secrets of fewer characters are not looked for by value: they would be found everywhere."""

_SCHEME = re.compile(r"(?:Bearer|Basic|Digest|Token|ApiKey|Key|AWS4-HMAC-SHA256|Negotiate) +", re.IGNORECASE)
_QUERY_FIELD = re.compile(r"([?&;#])([^=&;#?]*)=([^&;#]*)")
_USER_INFO = re.compile(r"^((?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//)([^/?#]*)@")


def redact_headers(pairs: Iterable[tuple[str, str]], secrets: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return header pairs, same order and names, without secrets.

    Args:
        pairs: (name, value) as sent or received.
        secrets: known secret values; those of fewer than ``SHORTEST_SECRET`` characters are ignored.
    """
    known = _longest_first(secrets)
    return tuple((name, _header_value(name, value, known)) for name, value in pairs)


def redact_url(url: str, secrets: Collection[str] = ()) -> str:
    """Return an address without user information, secret query values and known secrets; every other character stays."""
    url = _USER_INFO.sub(lambda found: f"{found[1]}{fingerprint(found[2])}@", url, count=1)
    url = _QUERY_FIELD.sub(_query_field, url)
    for secret in _longest_first(secrets):
        for spelling in (secret, quote(secret), quote(secret, safe=""), quote_plus(secret)):
            url = url.replace(spelling, fingerprint(secret))
    return url


def _header_value(name: str, value: str, known: list[str]) -> str:
    if name.lower() in SECRET_HEADERS or _TELLING_HEADER.fullmatch(name):
        scheme = _SCHEME.match(value)
        start = scheme.end() if scheme else 0
        return value[:start] + fingerprint(value[start:]) if value[start:] else value
    for secret in known:
        value = value.replace(secret, fingerprint(secret))
    return redact_url(value) if "://" in value else value


def _query_field(found: re.Match[str]) -> str:
    before, name, value = found.groups()
    return f"{before}{name}={fingerprint(value)}" if value and unquote_plus(name).lower() in SECRET_QUERY else found[0]


def _longest_first(secrets: Collection[str]) -> list[str]:
    """Return the secrets to look for; a secret that is part of another one must not break it up first."""
    return sorted({secret for secret in secrets if len(secret) >= SHORTEST_SECRET}, key=len, reverse=True)
