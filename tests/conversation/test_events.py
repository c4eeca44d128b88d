"""Tests of events: every fact can be written as JSON and read back equal, whatever stands in it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversation.strategies import EVENT_TYPES, events, values
from workbench.conversation.events import Event, Notice, ToolFinished, TurnStarted
from workbench.conversation.messages import TextPart, ToolResultPart
from workbench.conversation.values import Value, json_bytes

READER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


@pytest.mark.parametrize("kind", EVENT_TYPES, ids=lambda kind: kind.__name__)
def test_every_kind_of_fact_survives_json(kind: type[Value]) -> None:
    @settings(max_examples=25, deadline=None, database=None)
    @given(values(kind))
    def check(event: Value) -> None:
        assert READER.decode(json_bytes(event)) == event

    check()


def test_every_kind_of_fact_has_a_name_of_its_own() -> None:
    names = [kind.__struct_config__.tag for kind in EVENT_TYPES]
    assert len(set(names)) == len(EVENT_TYPES) >= 19


@settings(max_examples=30, deadline=None, database=None)
@given(events(), st.data())
def test_a_fact_cannot_be_changed(event: Event, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(type(event).__struct_fields__))
    with pytest.raises(AttributeError):
        setattr(event, name, None)


def test_fields_at_their_default_are_left_out() -> None:
    assert json_bytes(TurnStarted(turn_id="t1")) == b'{"type":"TurnStarted","turn_id":"t1"}'
    assert b"values" not in json_bytes(Notice(message_id="m", text="x"))


def test_a_fact_of_unknown_kind_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        READER.decode(b'{"type":"SomethingNewer"}')


def test_a_fact_with_a_member_of_a_newer_version_can_be_read() -> None:
    assert READER.decode(b'{"type":"TurnStarted","turn_id":"t1","colour":"red"}') == TurnStarted(turn_id="t1")


def test_the_default_object_of_one_fact_is_not_that_of_another() -> None:
    first, second = (ToolFinished(turn_id="t", step=1, call_id="c", tool="x", status="ok", result=_result()) for _ in range(2))
    first.ui["seen"] = True
    assert second.ui == {}


def _result() -> ToolResultPart:
    return ToolResultPart(call_id="c", name="x", content=(TextPart(text="fine"),))


@pytest.mark.parametrize(
    "fact",
    [
        {"type": "ApprovalResolved", "approval_id": "a", "call_id": "c", "answer": "approve", "rule": {"tool": "bash", "argv": ["ls"], "effect": "allow"}},
        {"type": "Decided", "turn_id": "t", "step": 1, "call_id": "c", "tool": "bash", "outcome": "ask", "danger": 2, "outside": False},
        {"type": "ApprovalRequested", "approval_id": "a", "turn_id": "t", "step": 1, "call_id": "c", "tool": "bash", "digest": "d", "danger": 2,
         "preview": {"type": "Preview", "kind": "command", "body": "ls"}, "parts": [{"type": "CallPart", "text": "ls", "outcome": "ask", "danger": 2}]},
    ],
)  # fmt: skip
def test_facts_of_the_version_before_are_read(fact: dict[str, Any]) -> None:
    read = READER.decode(msgspec.json.encode(fact))
    assert type(read).__name__ == fact["type"]
    assert getattr(read, "rules", ()) == ()
    assert getattr(read, "confinement", "") == ""
