"""Requests that are JSON but not as they should be: read or refused in a sentence, judged by the rules, and never anything else."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workbench.dialects.registry import dialect
from workbench.dialects.repairs import mended
from workbench.errors import RequestUnreadable

NAMES = ["chat_completions", "functions", "ollama"]
_MEMBERS = ["role", "content", "function_call", "tool_calls", "tool_name", "tool_call_id", "name", "arguments", "function", "id", "images", "thinking", "type"]
_SETTINGS = ["model", "functions", "function_call", "tools", "tool_choice", "options", "think", "format", "stream", "stop", "max_tokens"]
_WORDS = ["", "user", "assistant", "function", "tool", "system", "f", "{}", '{"a":', "auto", "text", "data:x"]
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*_MEMBERS, "text"]), inner, max_size=4),
    max_leaves=10,
)
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "assistant", "function", "tool", "system"])},
    optional={name: ODD for name in _MEMBERS if name != "role"},
)
BODIES = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGES | ODD, max_size=5)},
    optional=dict.fromkeys(_SETTINGS, ODD),
)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=100)
@given(body=BODIES)
@example(body={"messages": [{"role": []}]})
@example(body={"messages": [{"role": "user", "tool_calls": []}]})
@example(body={"messages": [{"role": "user", "tool_calls": None}]})
def test_an_odd_request_is_read_or_refused_and_judged(name: str, body: object) -> None:
    codec, data = dialect(name), json.dumps(body).encode()
    with contextlib.suppress(RequestUnreadable):
        written = codec.encode_request(codec.parse_request(data)).body
        again = codec.encode_request(codec.parse_request(written)).body
        assert json.loads(again) == json.loads(written), "what was read once stays as it is"
    for finding in codec.check(data):
        assert finding.message.endswith(".")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=80)
@given(body=BODIES)
@example(body={"messages": [{"role": "assistant", "tool_calls": [None]}]})
@example(body={"messages": [{"role": "user", "tool_calls": {"role": None}}]})
@example(body={"messages": [{"role": "user", "tool_calls": [None]}]})
def test_repairs_of_an_odd_request_end_and_leave_nothing_that_they_could_mend(name: str, body: object) -> None:
    codec = dialect(name)
    done = mended(codec.check, json.dumps(body).encode())
    assert done.left == codec.check(done.body)
    assert [finding.rule for finding in done.left if finding.severity == "error" and finding.edits] == []
