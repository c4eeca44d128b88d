"""Recorded provider traffic as exchanges: VCR cassettes, httprr traces, bare streams and bodies, all in one form."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml


class Recorded(NamedTuple):
    """One recorded exchange; `request` is empty where only the response was kept."""

    url: str
    request: bytes
    status: int
    response: bytes


class IndexRow(NamedTuple):
    """One line of the recordings' index."""

    file: str
    dialect: str
    streaming: bool


class _Loader(yaml.CSafeLoader):
    """Reads cassettes of Ruby's VCR too, which mark bytes as binary."""


def _binary(_loader: Any, node: Any) -> bytes:
    return base64.b64decode(node.value)


_Loader.add_constructor("!binary", _binary)


def index(data: Path) -> list[IndexRow]:
    """Return all recordings there are."""
    lines = (data / "recordings/INDEX.tsv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [line.split("\t") for line in lines]
    return [IndexRow(row[0], row[4], row[5] == "yes") for row in rows]


def exchanges(file: Path) -> list[Recorded]:
    """Return the exchanges of a recording, in order."""
    match file.suffix:
        case ".yaml" | ".yml":
            return list(_cassette(file))
        case ".httprr":
            return list(_httprr(file.read_bytes()))
        case ".txt":
            lines = file.read_text(encoding="utf-8").strip().split("\n")
            return [Recorded("", b"", 200, "".join(f"data: {line}\n\n" for line in lines).encode() + b"data: [DONE]\n\n")]
        case ".sse" | ".json":
            body = file.read_bytes()
            return [Recorded("", b"", 400 if b'"error"' in body[:40] else 200, body)]
        case other:
            raise ValueError(f"no reader for {other}")


def _cassette(file: Path) -> Iterator[Recorded]:
    loaded = yaml.load(file.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 (a safe loader)
    for entry in loaded.get("interactions") or loaded["http_interactions"]:
        status = entry["response"]["status"]
        yield Recorded(entry["request"]["uri"], _body(entry["request"]), status["code"], _body(entry["response"]))


def _body(side: dict[str, Any]) -> bytes:
    if "parsed_body" in side:
        return json.dumps(side["parsed_body"], ensure_ascii=False).encode()
    body = side.get("body")
    text = body.get("string") if isinstance(body, dict) else body
    raw = text.encode() if isinstance(text, str) else text or b""
    return gzip.decompress(raw) if raw.startswith(b"\x1f\x8b") else raw


def _httprr(trace: bytes) -> Iterator[Recorded]:
    _, _, rest = trace.partition(b"\n")
    while rest.strip():
        sizes, _, rest = rest.partition(b"\n")
        asked, answered = (int(size) for size in sizes.split())
        request, response, rest = rest[:asked], rest[asked : asked + answered], rest[asked + answered :]
        head, _, body = response.replace(b"\r\n\r\n", b"\n\n", 1).partition(b"\n\n")
        url = request.split(b" ", 2)[1].decode()
        status = re.match(rb"HTTP/\S+ (\d+)", head)
        assert status
        yield Recorded(url, re.split(rb"\r?\n\r?\n", request, maxsplit=1)[1], int(status[1]), _dechunked(head, body))


def _dechunked(head: bytes, body: bytes) -> bytes:
    if b"transfer-encoding: chunked" not in head.lower():
        return body
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        count = int(size, 16)
        whole += body[:count]
        body = body[count + 2 :]
    return whole
