"""The reported faults of other programs that concern transport, as data: tests/cases/bug_reports_transport.jsonl."""

from __future__ import annotations

import base64
import json
from typing import Any

from tests.shared import ROOT

_CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for line in (ROOT / "tests/cases/bug_reports_transport.jsonl").read_bytes().split(b"\n") if line for case in [json.loads(line)]
}


def transport_case(name: str) -> dict[str, Any]:
    """Return the case with this id."""
    return _CASES[name]


def sse_chunks(given: dict[str, Any]) -> list[bytes]:
    """Return the network reads of a case's ``input``."""
    if "chunks_b64" in given:
        return [base64.b64decode(chunk) for chunk in given["chunks_b64"]]
    return [chunk.encode() for chunk in given["chunks"]]
