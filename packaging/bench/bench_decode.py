"""How fast a long streamed answer is decoded in each dialect: ours (decoder and assembler) beside the maker's own package, run in turns.

Prints one JSON object a line. Both get the same events from memory, one event a piece, as a fast local server sends them. Ollama's
package is not among what the project is tested with, so its lines are read with the standard library's JSON instead.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import anthropic
import httpx
import httpx2  # the HTTP library that the openai and anthropic packages bring along
import openai
from google import genai
from google.genai import types as genai_types
from typing_extensions import override

from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import Usage
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallStarted,
    ReasoningDelta,
    ResponseEnded,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.dialects import registry

EVENTS = 50_000
ROUNDS = 2
REASONING, CALL = EVENTS // 10, EVENTS // 5
FIELDS = {"chat_completions": "reasoning_content", "ollama": "thinking_content"}
WHOLE_CALLS = ("gemini", "ollama", "react")
"""Dialects that send a call in one piece, or as text."""


class Measured(NamedTuple):
    """Seconds of this process, and how much text was read."""

    seconds: float
    size: int


def answer(name: str) -> Iterator[StreamEvent]:
    """Yield an answer of about 50,000 events: some reasoning, much text, a long call."""
    arguments = json.dumps({"path": "a.txt", "content": "line of text\n" * 7_000})
    pieces = 1 if name in WHOLE_CALLS else CALL
    size = len(arguments) // pieces + 1
    yield ResponseStarted(response_id="r", model="m")
    if name not in ("functions", "react"):
        yield from (ReasoningDelta(text=f"step {number} ", field=FIELDS.get(name, "")) for number in range(REASONING))
    yield from (TextDelta(text=f"word{number} ") for number in range(EVENTS - REASONING - pieces))
    yield CallStarted(key=0, call_id="call_0", name="write")
    yield from (CallArgumentsDelta(key=0, text=arguments[start : start + size]) for start in range(0, len(arguments), size))
    yield CallDone(key=0, call_id="call_0", name="write", arguments_raw=arguments)
    yield UsageReported(usage=Usage(input_tokens=10, output_tokens=EVENTS))
    yield ResponseEnded(finish_reason="tool_use")


def stream(name: str) -> list[bytes]:
    """Return the answer's bytes in a dialect, one piece an event of it."""
    encoder = registry.dialect(name).stream_encoder(response_id="r", model="m", created=1775000000)
    pieces = [encoder.feed(event) for event in answer(name)]
    return [piece for piece in (*pieces, encoder.finish()) if piece]


def ours(name: str, data: list[bytes]) -> int:
    """Decode with our codec; return the length of text and arguments."""
    decoder, assembler = registry.dialect(name).stream_decoder(), Assembler()
    for chunk in data:
        for event in decoder.feed(chunk):
            assembler.add(event)
    for event in decoder.finish():
        assembler.add(event)
    message = assembler.message("m")
    return len(message.text()) + sum(len(call.arguments_raw) for call in message.calls())


def served(data: list[bytes]) -> httpx2.Client:
    """Return a client whose server answers with the pieces."""

    class Body(httpx2.SyncByteStream):
        @override
        def __iter__(self) -> Iterator[bytes]:
            return iter(data)

    headers = {"content-type": "text/event-stream"}
    return httpx2.Client(transport=httpx2.MockTransport(lambda _request: httpx2.Response(200, headers=headers, stream=Body())))


def by_openai_chat(data: list[bytes]) -> int:
    """Read chunks of Chat Completions and join the pieces, as the package's documentation shows."""
    read: list[str] = []
    with openai.OpenAI(api_key="none", base_url="http://127.0.0.1/v1", http_client=served(data)) as client:
        for chunk in client.chat.completions.create(model="m", messages=[], stream=True):
            for choice in chunk.choices:
                delta = choice.delta
                read.append(delta.content or "")
                read += [call.function.arguments or "" for call in delta.tool_calls or [] if call.function]
                if delta.function_call is not None:
                    read.append(delta.function_call.arguments or "")
    return len("".join(read))


def by_openai_responses(data: list[bytes]) -> int:
    """Read events of Responses and join the pieces."""
    read: list[str] = []
    with openai.OpenAI(api_key="none", base_url="http://127.0.0.1/v1", http_client=served(data)) as client:
        events = client.responses.create(model="m", input="x", stream=True)
        read.extend(event.delta for event in events if event.type in ("response.output_text.delta", "response.function_call_arguments.delta"))
    return len("".join(read))


def by_anthropic(data: list[bytes]) -> int:
    """Read events of Messages and let the package put the message together, as ours does."""
    with (
        anthropic.Anthropic(api_key="none", base_url="http://127.0.0.1", http_client=served(data)) as client,
        client.messages.stream(model="m", max_tokens=1, messages=[]) as events,
    ):
        message = events.get_final_message()
    texts = [block.text for block in message.content if block.type == "text"]
    inputs = [json.dumps(block.input) for block in message.content if block.type == "tool_use"]
    return len("".join((*texts, *inputs)))


def by_google_genai(data: list[bytes]) -> int:
    """Read chunks of Gemini and join the pieces."""

    class Body(httpx.SyncByteStream):
        @override
        def __iter__(self) -> Iterator[bytes]:
            return iter(data)

    headers = {"content-type": "text/event-stream"}
    transport = httpx.Client(transport=httpx.MockTransport(lambda _request: httpx.Response(200, headers=headers, stream=Body())))
    client = genai.Client(api_key="none", http_options=genai_types.HttpOptions(base_url="http://127.0.0.1:9", httpx_client=transport))
    read: list[str] = []
    for chunk in client.models.generate_content_stream(model="m", contents="x"):
        for candidate in chunk.candidates or ():
            for part in (candidate.content.parts if candidate.content else None) or ():
                read.append("" if part.thought else part.text or "")
                if part.function_call is not None:
                    read.append(json.dumps(part.function_call.args, separators=(",", ":")))
    return len("".join(read))


def by_json_lines(data: list[bytes]) -> int:
    """Read Ollama's lines with the standard library and join the pieces."""
    read: list[str] = []
    for line in data:
        message = json.loads(line).get("message") or {}
        read.append(message.get("content") or "")
        read += [json.dumps(call["function"]["arguments"], separators=(",", ":")) for call in message.get("tool_calls") or ()]
    return len("".join(read))


THEIRS: dict[str, tuple[str, Callable[[list[bytes]], int]]] = {
    "chat_completions": ("openai package", by_openai_chat),
    "functions": ("openai package", by_openai_chat),
    "responses": ("openai package", by_openai_responses),
    "anthropic": ("anthropic package", by_anthropic),
    "gemini": ("google-genai package", by_google_genai),
    "react": ("openai package, text alone", by_openai_chat),
    "ollama": ("json.loads of each line", by_json_lines),
}


def measured(decode: Callable[[], int]) -> Measured:
    """Return how long one run took, and its result."""
    gc.collect()
    started = time.process_time()
    size = decode()
    return Measured(time.process_time() - started, size)


def row(name: str) -> dict[str, Any]:
    """Measure one dialect in turns."""
    data = stream(name)
    package, theirs = THEIRS[name]
    runs = [(measured(lambda: ours(name, data)), measured(lambda: theirs(data))) for _ in range(ROUNDS)]
    mine, other = runs[0]
    if name != "react":  # there the package reads the call as part of the text
        assert abs(mine.size - other.size) <= other.size // 50, f"{name}: both read the same answer, {mine.size} and {other.size}"
    ours_s, theirs_s = (statistics.median(run[side].seconds for run in runs) for side in (0, 1))
    numbers = {
        "ours_s": round(ours_s, 3),
        "theirs_s": round(theirs_s, 3),
        "ours_us_an_event": round(ours_s / len(data) * 1e6, 2),
        "events": len(data),
        "stream_bytes": sum(map(len, data)),
        "rounds": ROUNDS,
    }
    return {"name": f"{name} decode, {EVENTS:,} events: ours / {package}", "ratio": round(ours_s / theirs_s, 3), "numbers": numbers}


def main() -> None:
    """Measure all dialects, or those that are named, and print their rows."""
    for name in sys.argv[1:] or registry.names():
        sys.stdout.write(json.dumps(row(name)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
