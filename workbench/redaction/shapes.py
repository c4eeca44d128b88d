"""Finds secrets by their shape: the keys of known services, web tokens, private keys.

Each shape begins with letters of its own, which are looked for as plain bytes; only there a bounded pattern is tried. So the cost is that
of a search, whatever the text holds, and hashes, ids and pictures in base64 are never mistaken for keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from workbench.redaction.known import Found

LONGEST_OPEN_BYTES = 12_000
"""What may be the beginning of a key or web token is waited for this long."""

LONGEST_PEM_BYTES = 32_768

_TOKEN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_HEX = frozenset(b"0123456789abcdefABCDEF")
_RUN = re.compile(rb"[A-Za-z0-9_.:/+=%-]*\Z")
_PEM_BEGIN = re.compile(rb"-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(rb"-----END (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(rb"(?:[A-Za-z0-9+/=\s]|\\[nr]|[:,.\"'|>-](?!-{4})){0,%d}" % LONGEST_PEM_BYTES)
_PEM_ANCHOR = b"-----BEGIN "
_LONGEST_PEM_LINE = 80


class _Shape(NamedTuple):
    name: str
    anchor: bytes
    pattern: re.Pattern[bytes]
    needs_digits: int = 0


def _shape(name: str, anchor: str, rest: str, needs_digits: int = 0) -> _Shape:
    return _Shape(name, anchor.encode(), re.compile((re.escape(anchor) + rest).encode()), needs_digits)


_END = r"(?![A-Za-z0-9_-])"
_SHAPES = (
    _shape("API key", "sk-", r"[A-Za-z0-9_-]{20,512}", 2),
    *(_shape("Stripe key", f"{kind}_{mode}_", r"[A-Za-z0-9]{16,256}") for kind in ("sk", "rk") for mode in ("live", "test")),
    _shape("webhook secret", "whsec_", r"[A-Za-z0-9+/=]{24,256}"),
    *(_shape("GitHub token", f"gh{kind}_", r"[A-Za-z0-9]{30,255}", 1) for kind in "pousr"),
    _shape("GitHub token", "github_pat_", r"[A-Za-z0-9_]{30,255}"),
    *(_shape("AWS key id", kind, r"[A-Z2-7]{16}(?![A-Za-z0-9])") for kind in ("AKIA", "ASIA")),
    _shape("Google key", "AIza", r"[A-Za-z0-9_-]{35}" + _END),
    _shape("Google token", "ya29.", r"[A-Za-z0-9_-]{20,1024}"),
    _shape("Google secret", "GOCSPX-", r"[A-Za-z0-9_-]{20,64}"),
    *(_shape("Slack token", f"xox{kind}-", r"[A-Za-z0-9-]{10,250}", 2) for kind in "abeoprs"),
    _shape("Slack token", "xapp-", r"[A-Za-z0-9-]{20,250}", 2),
    _shape("Slack webhook", "hooks.slack.com/services/T", r"[A-Z0-9]{6,16}/B[A-Z0-9]{6,16}/[A-Za-z0-9]{16,64}"),
    _shape("GitLab token", "glpat-", r"[A-Za-z0-9_.-]{20,300}"),
    _shape("npm token", "npm_", r"[A-Za-z0-9]{36}" + _END),
    _shape("Hugging Face token", "hf_", r"[A-Za-z]{30,64}|hf_[A-Za-z0-9]{30,64}"),
    _shape("PyPI token", "pypi-AgE", r"[A-Za-z0-9_-]{40,1024}"),
    _shape("Docker token", "dckr_pat_", r"[A-Za-z0-9_-]{20,128}"),
    _shape("Vault token", "hvs.", r"[A-Za-z0-9_-]{24,300}"),
    _shape("SendGrid key", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    _shape("Shopify token", "shpat_", r"[a-fA-F0-9]{32}" + _END),
    _shape("DigitalOcean token", "dop_v1_", r"[a-f0-9]{64}" + _END),
    _shape("Groq key", "gsk_", r"[A-Za-z0-9]{40,128}"),
    _shape("xAI key", "xai-", r"[A-Za-z0-9]{40,128}"),
    _shape("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,128}"),
    _shape("NVIDIA key", "nvapi-", r"[A-Za-z0-9_-]{40,128}"),
    _shape("Replicate token", "r8_", r"[A-Za-z0-9]{37}" + _END),
    _shape("age key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,64}"),
    _shape("Azure key", "AccountKey=", r"[A-Za-z0-9+/]{86}=="),
    _shape("web token", "eyJ", r"[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{0,1024}"),
)
_ANCHORS = tuple(shape.anchor for shape in _SHAPES)
_OPENINGS = frozenset(anchor[:length] for anchor in (*_ANCHORS, _PEM_ANCHOR) for length in range(1, len(anchor)))
_LONGEST_OPENING = max(map(len, _OPENINGS))


def find_shapes(data: bytes) -> Iterator[Found]:
    """Yield where keys and tokens of known shapes stand, in no order."""
    for shape in _SHAPES:
        at = data.find(shape.anchor)
        while at >= 0:
            end = at + 1
            if _begins(data, at) and (found := shape.pattern.match(data, at)) and _has_digits(found[0], shape.needs_digits):
                end = found.end()
                yield Found(at, end, shape.name)
            at = data.find(shape.anchor, end)
    yield from _private_keys(data)


def open_shape(data: bytes) -> int:
    """Return how many bytes at the end may be the beginning of a shape whose rest has not come yet."""
    begun = data.rfind(_PEM_ANCHOR, max(0, len(data) - LONGEST_PEM_BYTES))
    if begun >= 0 and _is_open_pem(data, begun):
        return len(data) - begun
    window = data[-LONGEST_OPEN_BYTES:]
    run = _RUN.search(window, _run_start(window))
    start = run.start() if run else len(window)
    tail = window[start:]
    starts = [at for anchor in _ANCHORS if (at := _first_begin(window, anchor, start)) >= 0]
    if starts:
        return len(window) - min(starts)
    for length in range(min(len(tail), _LONGEST_OPENING), 0, -1):
        if tail[-length:] in _OPENINGS:
            return length
    # the beginning of a PEM line has blanks, which no run has
    return next((length for length in range(len(_PEM_ANCHOR) - 1, 0, -1) if data.endswith(_PEM_ANCHOR[:length])), 0)


def _run_start(window: bytes) -> int:
    """Return where to begin looking for the run of token characters at the end: behind the last blank or quote."""
    return max(window.rfind(stop) for stop in (b"\n", b" ", b'"', b"'")) + 1


def _first_begin(window: bytes, anchor: bytes, start: int) -> int:
    at = window.find(anchor, start)
    while at >= 0 and not _begins(window, at):
        at = window.find(anchor, at + 1)
    return at


def _begins(data: bytes, at: int) -> bool:
    """Say whether a word begins here: not inside another one, but behind an escaped line break, a diff's minus or a ``%3D`` of an address."""
    if at == 0 or data[at - 1] not in _TOKEN:
        return True
    before = data[max(0, at - 3) : at]
    if before[-1:] in (b"n", b"r", b"t") and before[-2:-1] == b"\\":
        return True
    if before[-1:] == b"-":
        return len(before) == 1 or before[-2:-1] in (b"\n", b" ", b"-", b"'", b'"')
    return len(before) == 3 and before[:1] == b"%" and before[1] in _HEX and before[2] in _HEX


def _has_digits(found: bytes, count: int) -> bool:
    return count == 0 or sum(byte in b"0123456789" for byte in found) >= count


def _private_keys(data: bytes) -> Iterator[Found]:
    at = data.find(_PEM_ANCHOR)
    while at >= 0:
        begin = _PEM_BEGIN.match(data, at)
        end = at + 1
        if begin is not None:
            border = data.find(b"-----", begin.end(), begin.end() + LONGEST_PEM_BYTES)
            body = _PEM_BODY.match(data, begin.end(), border if border >= 0 else len(data))
            end = border if border >= 0 and _PEM_END.match(data, border) else body.end() if body else begin.end()
            if data[begin.end() : end].strip():
                yield Found(begin.end(), end, "private key")
        at = data.find(_PEM_ANCHOR, max(end, at + 1))


def _is_open_pem(data: bytes, begun: int) -> bool:
    """Say whether a private key that began here may go on."""
    begin = _PEM_BEGIN.match(data, begun)
    if begin is None:
        return len(data) - begun < _LONGEST_PEM_LINE and b"\n" not in data[begun:]
    border = data.find(b"-----", begin.end())
    return border < 0 or (len(data) - border < _LONGEST_PEM_LINE and b"\n" not in data[border:])
