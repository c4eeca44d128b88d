"""Streams as Gemini sends them: CRLF, whole responses as chunks, calls whole and in their place, no end marker."""

from __future__ import annotations

import json
from typing import Any

from workbench.conversation.messages import OpaquePart, ReasoningPart, Usage
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallDropped,
    CallStarted,
    OpaqueItem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.dialects.gemini import DIALECT


def written(*events: StreamEvent) -> list[dict[str, Any]]:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=1)
    stream = b"".join(map(encoder.feed, events)) + encoder.finish()
    assert stream.replace(b"\r\n", b"").count(b"\n") == 0, "every line ends with CRLF"
    frames = stream.decode().split("\r\n\r\n")
    assert frames.pop() == ""
    return [json.loads(frame.removeprefix("data: ")) for frame in frames]


def parts(*events: StreamEvent) -> list[dict[str, Any]]:
    return [part for chunk in written(*events) for part in chunk["candidates"][0]["content"]["parts"]]


END = ResponseEnded(finish_reason="tool_use")


def test_each_chunk_is_a_whole_response_and_the_last_tells_the_end_and_the_tokens() -> None:
    usage = Usage(input_tokens=5, output_tokens=3, reasoning_tokens=1)
    chunks = written(ResponseStarted(), TextDelta(text="a"), UsageReported(usage=usage), ResponseEnded(finish_reason="length"))
    assert [(chunk["responseId"], chunk["modelVersion"], chunk["candidates"][0]["content"]["role"]) for chunk in chunks] == [("r", "m", "model")] * 2
    assert [chunk["candidates"][0].get("finishReason") for chunk in chunks] == [None, "MAX_TOKENS"]
    counts = {"promptTokenCount": 5, "candidatesTokenCount": 2, "thoughtsTokenCount": 1, "totalTokenCount": 8}
    assert [chunk.get("usageMetadata") for chunk in chunks] == [None, counts]


def test_calls_stand_where_they_began() -> None:
    first, second = (CallDone(key=key, call_id=f"k{key}", name="read", arguments_raw=f'{{"n":{key}}}') for key in (0, 1))
    begun = (CallStarted(key=0, call_id="k0"), TextDelta(text="between"), CallStarted(key=1, call_id="k1"), CallArgumentsDelta(key=1, text="{"))
    found = parts(*begun, second, first, END)
    assert [part.get("text", part.get("functionCall")) for part in found] == [
        {"id": "k0", "name": "read", "args": {"n": 0}},
        "between",
        {"id": "k1", "name": "read", "args": {"n": 1}},
        "",
    ]


def test_a_dropped_call_is_not_sent_and_holds_nothing_back() -> None:
    assert parts(CallStarted(key=0, call_id="k"), TextDelta(text="a"), CallDropped(key=0), END) == [{"text": "a"}, {"text": ""}]


def test_thoughts_are_marked_and_signatures_follow_them() -> None:
    done = ReasoningDone(part=ReasoningPart(text="hmm", signature="S"))
    assert parts(ReasoningDelta(text="hm"), done, END)[:2] == [
        {"text": "hm", "thought": True},
        {"text": "m", "thought": True, "thoughtSignature": "S"},
    ]


def test_what_only_gemini_understands_is_sent_whole() -> None:
    item = {"executableCode": {"code": "1"}}
    sent = OpaqueItem(part=OpaquePart(dialect="gemini", provider="", item=item))
    foreign = OpaqueItem(part=OpaquePart(dialect="anthropic", provider="", item={"type": "x"}))
    assert parts(sent, foreign, END) == [item, {"text": ""}]


def test_an_answer_that_broke_off_has_no_end() -> None:
    chunks = written(TextDelta(text="a"), CallStarted(key=0, call_id="k"), TextDelta(text="b"), ResponseEnded(finish_reason="incomplete"))
    assert [chunk["candidates"][0]["content"]["parts"][0]["text"] for chunk in chunks] == ["a", "b"]
    assert not any("finishReason" in chunk["candidates"][0] for chunk in chunks)


def test_an_error_is_a_chunk_of_its_own() -> None:
    assert written(ResponseFailed(kind="rate_limit", text="Slow down.")) == [{"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"}}]
