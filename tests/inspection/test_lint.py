"""A finding is led back to the message it speaks of, and its repair is shown as what it changes."""

from __future__ import annotations

import json

import pytest

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, TextPart, ToolCallPart, ToolResultPart, text_message
from workbench.inspection.lint import Change, Spot, change_of, spot_of

CALL = ToolCallPart(call_id="call_1", name="get weather!", arguments_raw="{}")
RESULT = ToolResultPart(call_id="call_1", name="get weather!", content=(TextPart(text="no such tool"),))
REQUEST = ModelRequest(
    system=("Be brief.",),
    tools=(),
    messages=(
        text_message("user", "What is it like outside?"),
        Message(message_id="m1", role="assistant", parts=(TextPart(text="I look."), CALL)),
        Message(message_id="m2", role="tool", parts=(RESULT,)),
        text_message("assistant", "I cannot tell."),
    ),
    options=RequestOptions(model="m"),
)
CHAT = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What is it like outside?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_1", "function": {"name": "get weather!", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "no such tool"},
        {"role": "assistant", "content": "I cannot tell."},
    ]
}
ANTHROPIC = {
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "What is it like outside?"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "call_1", "name": "get weather!", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "no such tool"}]},
    ],
}
RESPONSES = {
    "input": [
        {"type": "message", "role": "user", "content": "What is it like outside?"},
        {"type": "function_call", "call_id": "call_1", "name": "get weather!", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "no such tool"},
    ]
}


def finding(pointer: str, *edits: Edit) -> Finding:
    return Finding(rule="x.y", severity="error", pointer=pointer, message="It is wrong.", edits=edits)


@pytest.mark.parametrize(
    ("body", "pointer", "spot"),
    [
        (CHAT, "/messages/1/content", Spot(0)),
        (CHAT, "/messages/2/tool_calls/0/function/name", Spot(1, "call_1")),
        (CHAT, "/messages/2", Spot(1, "call_1")),
        (CHAT, "/messages/3/content", Spot(2, "call_1", is_result=True)),
        (CHAT, "/messages/4/role", Spot(3)),
        (CHAT, "/messages/0/role", None),
        (CHAT, "/tools/0", None),
        (CHAT, "/messages/9", None),
        (CHAT, "", None),
        (ANTHROPIC, "/messages/1/content/1/name", Spot(1, "call_1")),
        (ANTHROPIC, "/messages/2/content/0", Spot(2, "call_1", is_result=True)),
        (RESPONSES, "/input/1/name", Spot(1, "call_1")),
        (RESPONSES, "/input/2", Spot(2, "call_1", is_result=True)),
        ({"contents": [{"role": "user", "parts": [{"text": "What is it like outside?"}]}]}, "/contents/0/parts", Spot(0)),
    ],
)
def test_a_finding_leads_to_its_message(body: object, pointer: str, spot: Spot | None) -> None:
    assert spot_of(json.dumps(body).encode(), finding(pointer), REQUEST) == spot


def test_a_body_that_is_no_json_leads_nowhere() -> None:
    assert spot_of(b"{", finding("/messages/0"), REQUEST) is None
    assert change_of(b"{", finding("/messages/0", Edit(op="remove", pointer="/messages/0"))) is None


def test_a_repair_is_shown_by_the_smallest_piece_that_holds_it() -> None:
    edit = Edit(op="replace", pointer="/messages/2/tool_calls/0/function/name", value="get_weather_")
    change = change_of(json.dumps(CHAT).encode(), finding("/messages/2/tool_calls/0/function/name", edit))
    assert change is not None
    assert change.pointer == "/messages/2/tool_calls/0/function"
    assert json.loads(change.before) == {"name": "get weather!", "arguments": "{}"}
    assert json.loads(change.after) == {"name": "get_weather_", "arguments": "{}"}


def test_a_repair_in_several_places_is_shown_by_what_holds_them_all() -> None:
    edits = (Edit(op="move", pointer="/input/1", source="/input/2"), Edit(op="remove", pointer="/input/0"))
    change = change_of(json.dumps(RESPONSES).encode(), finding("/input/2", *edits))
    assert change is not None
    assert change.pointer == "/input"
    assert [item["type"] for item in json.loads(change.after)] == ["function_call_output", "function_call"]


def test_what_cannot_be_repaired_shows_no_change() -> None:
    body = json.dumps(CHAT).encode()
    assert change_of(body, finding("/messages/0")) is None
    assert change_of(body, finding("/messages/0", Edit(op="remove", pointer="/messages/77"))) is None


def test_a_long_excerpt_is_cut() -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "x" * 5000}]}).encode()
    change = change_of(body, finding("/messages/0", Edit(op="replace", pointer="/messages/0/role", value="system")))
    assert isinstance(change, Change)
    assert len(change.before) < 2000
    assert change.before.endswith("…")


def test_a_repair_far_down_in_a_long_list_is_shown_where_it_is() -> None:
    body = json.dumps({"contents": [{"role": "user", "parts": [{"text": f"line {number} " * 9}]} for number in range(40)]}).encode()
    edits = (Edit(op="replace", pointer="/contents/20/role", value="model"), Edit(op="replace", pointer="/contents/21/parts/0/text", value="new"))
    change = change_of(body, finding("/contents/20", *edits))
    assert change is not None
    assert change.pointer == "/contents"
    assert '"role": "user"' in change.before
    assert '"role": "model"' in change.after
    assert '"text": "new"' in change.after
    assert change.before.startswith("…\n")
    assert change.after.endswith("\n…")
    assert "line 5 " not in change.before + change.after
    assert "line 30 " not in change.before + change.after
