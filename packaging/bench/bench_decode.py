"""How fast a long streamed answer is decoded: ours (decoder and assembler) beside the official openai package, run in turns.

Prints one JSON object a line. Both get the same chunks from memory, one event a chunk, as a fast local server sends them.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2  # the HTTP library that the openai package brings along
import openai
from typing_extensions import override

from workbench.conversation.assembler import Assembler
from workbench.dialects.registry import dialect

CHUNKS = 50_000
ROUNDS = 3
HEAD = {"id": "chatcmpl-0", "object": "chat.completion.chunk", "created": 1775000000, "model": "some-model", "system_fingerprint": "fp_0"}


def stream() -> list[bytes]:
    """Return an answer of 50,000 events: some reasoning, much text, a long call, usage."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": f"step {number} "} for number in range(5_000)]
    deltas += [{"content": f"word{number} "} for number in range(CHUNKS - 15_004)]
    deltas.append({"tool_calls": [{"index": 0, "id": "call_0", "type": "function", "function": {"name": "write", "arguments": ""}}]})
    arguments = json.dumps({"path": "a.txt", "content": "line of text\n" * 7_000})
    size = len(arguments) // 10_000 + 1
    pieces = [arguments[start : start + size] for start in range(0, len(arguments), size)]
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces]
    deltas += [{"content": ""}] * (CHUNKS - 2 - len(deltas))
    choices: list[dict[str, Any]] = [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "logprobs": None, "finish_reason": "tool_calls"})
    chunks = [{**HEAD, "choices": [choice], "usage": None} for choice in choices]
    chunks.append({**HEAD, "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": CHUNKS, "total_tokens": CHUNKS + 10}})
    assert len(chunks) == CHUNKS
    return [f"data: {json.dumps(chunk, separators=(',', ':'))}\n\n".encode() for chunk in chunks] + [b"data: [DONE]\n\n"]


def ours(data: list[bytes]) -> int:
    """Decode with our codec; return the length of text and arguments."""
    decoder, assembler = dialect("chat_completions").stream_decoder(), Assembler()
    for chunk in data:
        for event in decoder.feed(chunk):
            assembler.add(event)
    for event in decoder.finish():
        assembler.add(event)
    message = assembler.message("m")
    return len(message.text()) + len(message.calls()[0].arguments_raw)


def theirs(data: list[bytes]) -> int:
    """Decode with the openai package and join the pieces, as its documentation shows."""

    class Body(httpx2.SyncByteStream):
        @override
        def __iter__(self) -> Iterator[bytes]:
            return iter(data)

    def answer(_request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Body())

    transport = httpx2.Client(transport=httpx2.MockTransport(answer))
    text: list[str] = []
    arguments: list[str] = []
    with openai.OpenAI(api_key="none", base_url="http://127.0.0.1/v1", http_client=transport) as client:
        for chunk in client.chat.completions.create(model="m", messages=[], stream=True):
            for choice in chunk.choices:
                text.append(choice.delta.content or "")
                arguments += [call.function.arguments or "" for call in choice.delta.tool_calls or [] if call.function]
    return len("".join(text)) + len("".join(arguments))


def measured(decode: Callable[[list[bytes]], int], data: list[bytes]) -> tuple[float, int]:
    """Return how long one run took, in seconds of this process, and its result."""
    gc.collect()
    started = time.process_time()
    length = decode(data)
    return time.process_time() - started, length


def main() -> None:
    """Measure in turns and print the row."""
    data = stream()
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(ROUNDS):
        took, length = measured(ours, data)
        times["ours"].append(took)
        took, other_length = measured(theirs, data)
        times["theirs"].append(took)
        assert length == other_length, "both read the same answer"
    ours_s, theirs_s = statistics.median(times["ours"]), statistics.median(times["theirs"])
    numbers = {
        "ours_s": round(ours_s, 3),
        "openai_s": round(theirs_s, 3),
        "ours_us_a_chunk": round(ours_s / CHUNKS * 1e6, 2),
        "stream_bytes": sum(map(len, data)),
        "rounds": ROUNDS,
    }
    row = {"name": f"chat decode, {CHUNKS:,} chunks: ours / openai package", "ratio": round(ours_s / theirs_s, 3), "numbers": numbers}
    sys.stdout.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
