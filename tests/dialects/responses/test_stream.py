"""Streams as real servers send them, good and bad; each rule by one stream made for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.feeding import Outcome, cut_every, outcome_of
from workbench.conversation.messages import OpaquePart, ReasoningPart, TextPart, ToolCallPart
from workbench.dialects.responses import DIALECT


def stream(*events: dict[str, Any], named: bool = True) -> bytes:
    lines = [(f"event: {event.get('type')}\n" if named else "") + f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events]
    return "".join(lines).encode("utf-8", "surrogatepass")


def read(*events: dict[str, Any], tools: tuple[str, ...] = ()) -> Outcome:
    data = stream(*events)
    whole = outcome_of(DIALECT.stream_decoder(tools=tools), [data])
    assert outcome_of(DIALECT.stream_decoder(tools=tools), cut_every(data, 1)) == whole
    return whole


def added(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, **item: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def text(delta: str, index: int = 0, place: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "output_index": index, "content_index": place, "delta": delta, **more}


def arguments(delta: str, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "response.function_call_arguments.delta", "output_index": index, "delta": delta, **more}


def completed(*output: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"type": "response.completed", "response": {"id": "r", "object": "response", "status": "completed", "output": list(output), **members}}


def call(call_id: str = "c1", name: str = "bash", given: str = "{}", **members: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": given, **members}


def said(words: str, **members: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": words}], **members}


def test_ids_that_change_from_event_to_event_do_not_matter() -> None:
    found = read(
        added(0, **said("", id="a1", content=[])),
        text("Hel", item_id="a2"),
        text("lo", item_id="a3"),
        added(1, **call(given="", id="b1")),
        arguments('{"a":', 1, item_id="b2"),
        arguments("1}", 1, item_id="b3"),
        done(0, **said("Hello", id="a4")),
        done(1, **call(given='{"a":1}', id="b4")),
        completed(),
    )
    assert found.message.text() == "Hello"
    assert [(part.call_id, part.arguments_raw) for part in found.message.calls()] == [("c1", '{"a":1}')]
    assert (found.codes, found.may_run) == ([], True)


@pytest.mark.parametrize(
    "error",
    [
        {"type": "error", "error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "No money left."}},
        {"type": "error", "code": "insufficient_quota", "message": "No money left.", "param": None},
    ],
    ids=["nested", "flat"],
)
def test_an_error_is_told_once_though_it_comes_twice(error: dict[str, Any]) -> None:
    failed = {"type": "response.failed", "response": {"status": "failed", "error": {"code": "server_error", "message": "Again."}}}
    found = read(text("He"), error, failed)
    assert found.failure is not None
    assert (found.failure.kind, found.failure.text) == ("quota", "No money left.")
    assert found.message.text() == "He"


def test_a_failed_response_alone_is_the_error() -> None:
    failed = {"type": "response.failed", "response": {"status": "failed", "error": {"code": "context_length_exceeded", "message": "Too long."}}}
    found = read(added(0, **call(given="")), arguments("{}"), failed)
    assert found.failure is not None
    assert (found.failure.kind, found.failure.code) == ("context_too_long", "context_length_exceeded")
    assert not found.may_run


def test_what_the_item_says_when_it_is_done_counts_more_than_its_pieces() -> None:
    found = read(text("Hxllo"), done(0, **said("Hello")), arguments("x", 1), done(1, **call(given='{"a":1}')), completed())
    assert found.message.text() == "Hello"
    assert found.codes == ["text-differs"]
    found = read(added(0, **call(given="")), arguments('{"a":'), done(0, **call(given='{"a":2}')), completed())
    assert found.message.calls()[0].arguments_raw == '{"a":2}'


def test_the_last_event_fills_in_what_was_missed() -> None:
    found = read(added(0, **said("", content=[])), text("Hi"), completed(said("Hi there"), call(given='{"a":1}')))
    assert (found.message.text(), [part.arguments_raw for part in found.message.calls()], found.may_run) == ("Hi there", ['{"a":1}'], True)


def test_pieces_alone_are_enough_when_the_last_event_says_nothing() -> None:
    found = read(added(0, **call(given="")), arguments('{"a":'), arguments("1}"), completed())
    assert (found.message.calls()[0].arguments_raw, found.may_run) == ('{"a":1}', True)
    cut = read(added(0, **call(given="")), arguments('{"a":'), completed())
    assert (cut.message.calls()[0].status, cut.may_run) == ("truncated", False)


def test_a_message_that_stays_open_while_a_call_comes_and_goes_is_two_texts() -> None:
    found = read(
        added(0, **said("", content=[])), text("Before."), added(1, **call()), done(1, **call()), text("After."), done(0, **said("Before.After.")), completed()
    )
    assert [part.text if isinstance(part, TextPart) else "call" for part in found.message.parts] == ["Before.", "call", "After."]


def test_several_parts_of_a_summary_are_one_reasoning() -> None:
    def summary(delta: str, place: int) -> dict[str, Any]:
        return {"type": "response.reasoning_summary_text.delta", "output_index": 0, "summary_index": place, "delta": delta}

    item = {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": words} for words in ("One.", "Two.")], "encrypted_content": "E"}
    found = read(added(0, type="reasoning", id="rs", summary=[]), summary("One.", 0), summary("Two.", 1), done(0, **item), done(1, **said("ok")), completed())
    assert found.message.parts == (ReasoningPart(text="One.\n\nTwo.", summary=("One.", "Two."), encrypted="E", item_id="rs"), TextPart(text="ok"))
    lost = read(added(0, type="reasoning", id="rs", summary=[]), summary("One.", 0), summary("Two.", 1), done(1, **said("ok")), completed())
    assert lost.message.parts[0] == ReasoningPart(text="One.\n\nTwo.", summary=("One.", "Two."))


@pytest.mark.parametrize(("reason", "neutral"), [("max_output_tokens", "length"), ("content_filter", "content_filter"), (None, "length"), ("else", "unknown")])
def test_an_incomplete_answer_holds_its_calls_back(reason: str | None, neutral: str) -> None:
    end = {"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": reason and {"reason": reason}}}
    found = read(done(0, **call(given='{"a":1}')), end)
    assert (found.message.finish_reason, found.may_run) == (neutral, False)


def test_a_call_that_is_incomplete_in_a_completed_answer_does_not_run() -> None:
    found = read(done(0, **call(given='{"a":1}', status="incomplete")), completed())
    assert (found.message.finish_reason, found.may_run) == ("length", False)


def test_an_answer_of_reasoning_only_was_probably_cut_off() -> None:
    assert read(done(0, type="reasoning", summary=[], encrypted_content="E"), completed()).codes == ["reasoning-only"]
    assert read(completed()).codes == ["empty-answer"]


def test_a_stream_without_an_end_is_broken_and_runs_nothing() -> None:
    found = read(done(0, **call(given='{"a":1}')))
    assert (found.message.finish_reason, found.codes, found.may_run) == ("incomplete", ["stream-broken"], False)


def test_an_event_that_is_no_json_is_left_out() -> None:
    data = stream(text("Hi")) + b'data: {"type":"response.output_text.delta","delta":\n\n' + stream(done(0, **said("Hi!")), completed())
    found = outcome_of(DIALECT.stream_decoder(), [data])
    assert (found.message.text(), found.codes) == ("Hi!", ["frame-broken"])


def test_a_refusal_is_one() -> None:
    refusal = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]}
    found = read({"type": "response.refusal.delta", "output_index": 0, "delta": "I will"}, done(0, **refusal), completed())
    assert (found.message.text(), found.message.finish_reason) == ("I will not.", "refusal")


WRAPPED = json.dumps({"tool_uses": [{"recipient_name": f"functions.{name}", "parameters": {"x": name}} for name in ("read", "bash")]})


def test_wrapped_calls_are_taken_apart_if_all_is_known() -> None:
    found = read(done(0, **call(name="parallel", given=WRAPPED)), completed(), tools=("read", "bash"))
    assert [(part.name, part.arguments_raw, part.repaired) for part in found.message.calls()] == [
        ("read", '{"x":"read"}', True),
        ("bash", '{"x":"bash"}', True),
    ]
    assert len({part.call_id for part in found.message.calls()}) == 2
    assert (found.codes, found.may_run, found.message.finish_reason) == (["calls-unwrapped"], True, "tool_use")


@pytest.mark.parametrize("tools", [(), ("read",), ("read", "bash", "parallel")], ids=["nothing known", "one unknown", "a tool of that name"])
def test_wrapped_calls_stay_as_they_are_otherwise(tools: tuple[str, ...]) -> None:
    found = read(done(0, **call(name="parallel", given=WRAPPED)), completed(), tools=tools)
    assert [part.name for part in found.message.calls()] == ["parallel"]


def test_a_patch_grows_as_arguments_and_goes_back_as_it_came() -> None:
    def diff(delta: str) -> dict[str, Any]:
        return {"type": "response.apply_patch_call_operation_diff.delta", "output_index": 0, "delta": delta}

    operation = {"type": "update_file", "diff": '+a "b"\n-c', "path": "x.md"}
    begun = added(0, type="apply_patch_call", call_id="p1", status="in_progress", operation={**operation, "diff": ""})
    pieces = [begun, diff('+a "b"\n'), diff("-c")]
    found = read(*pieces, done(0, type="apply_patch_call", call_id="p1", status="completed", operation=operation), completed())
    part = found.message.calls()[0]
    assert (part.name, part.arguments(), part.status) == ("apply_patch", operation, "complete")
    shown = [event.text for event in DIALECT.stream_decoder().feed(stream(*pieces)) if hasattr(event, "text") and hasattr(event, "key")]
    assert json.loads("".join(shown) + '"}') == operation
    deleted = read(done(0, type="apply_patch_call", call_id="p1", operation={"type": "delete_file", "path": "x.md"}), completed())
    assert deleted.message.calls()[0].arguments() == {"type": "delete_file", "path": "x.md"}


def test_a_shell_in_the_providers_container_is_not_for_us() -> None:
    action = {"commands": ["ls"]}
    ours = read(done(0, type="shell_call", call_id="s", action=action, environment={"type": "local"}), completed())
    assert (ours.message.calls()[0].name, ours.message.calls()[0].arguments()) == ("shell", action)
    theirs = read(done(0, type="shell_call", call_id="s", action=action, environment={"type": "container_reference"}), completed())
    assert [type(part) for part in theirs.message.parts] == [OpaquePart]


def test_items_that_nobody_knows_are_kept_whole() -> None:
    item = {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search"}}
    found = read(added(0, type="web_search_call"), done(0, **item), done(1, **said("ok")), completed())
    assert found.message.parts == (OpaquePart(dialect="responses", provider="", item=item), TextPart(text="ok"))


def test_free_text_is_no_json_and_stays_as_it_is() -> None:
    delta = {"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": "SELECT "}
    item = {"type": "custom_tool_call", "call_id": "q", "name": "sql"}
    found = read(added(0, **item, input=""), delta, {**delta, "delta": "1"}, done(0, **item, input="SELECT 1"), completed())
    assert found.message.parts == (ToolCallPart(call_id="q", name="sql", arguments_raw="SELECT 1", kind="custom"),)
    assert found.may_run


def test_a_character_cut_in_two_is_one_again() -> None:
    data = b'data: {"type":"response.output_text.delta","output_index":0,"delta":"\\ud83d"}\n\n'
    data += b'data: {"type":"response.output_text.delta","output_index":0,"delta":"\\ude00"}\n\n' + stream(completed())
    assert outcome_of(DIALECT.stream_decoder(), [data]).message.text() == "\U0001f600"


def test_line_separators_inside_of_a_text_end_nothing() -> None:
    assert read(text("a\u2028b\u0085c\x0bd"), completed()).message.text() == "a\u2028b\u0085c\x0bd"


def test_an_event_without_an_index_is_about_the_item_it_names() -> None:
    found = read(
        {"type": "response.output_item.added", "item": call(given="", id="f1")},
        {"type": "response.function_call_arguments.delta", "item_id": "f1", "delta": '{"a":1}'},
        {"type": "response.output_item.done", "item": call(given='{"a":1}', id="f1")},
        completed(),
    )
    assert [part.arguments_raw for part in found.message.calls()] == ['{"a":1}']


def test_another_dialect_is_named() -> None:
    found = outcome_of(DIALECT.stream_decoder(), [b'data: {"choices":[{"index":0,"delta":{"content":"a"}}],"object":"chat.completion.chunk"}\n\n'])
    assert found.failure is not None
    assert (found.failure.code, "Chat Completions" in found.failure.text) == ("wrong_dialect", True)


def test_a_body_where_a_stream_was_asked_for_is_read() -> None:
    body = json.dumps({"object": "response", "status": "completed", "output": [said("Hi")], "id": "r", "model": "m"}).encode()
    assert outcome_of(DIALECT.stream_decoder(), [body]).message.text() == "Hi"
    error = outcome_of(DIALECT.stream_decoder(), [b'{"error":{"message":"No.","code":"invalid_api_key"}}'])
    assert error.failure is not None
    assert error.failure.kind == "auth"
