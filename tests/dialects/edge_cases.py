"""All 160 edge cases of the wire: number, what must hold, and the tests that show it."""

from __future__ import annotations

from tests.dialects.edge_cases_chat import BYTES, CALLS, ENDS, REQUESTS, Row
from tests.dialects.edge_cases_others import ANTHROPIC, ERRORS, GEMINI, OLLAMA, REACT, RESPONSES

EDGE_CASES: dict[int, Row] = {**BYTES, **CALLS, **ENDS, **REQUESTS, **RESPONSES, **ANTHROPIC, **GEMINI, **REACT, **OLLAMA, **ERRORS}
