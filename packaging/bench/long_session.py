"""A session of 10,000 messages as facts, and an answer to stream into it: what measurements of the window have in common."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

from workbench.conversation.events import (
    Decided,
    Event,
    ExchangeClosed,
    ExchangeOpened,
    ModelResponded,
    StepStarted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    UserMessageAdded,
)
from workbench.conversation.exchange import BodyRef
from workbench.conversation.messages import Message, Part, TextPart, ToolCallPart, ToolResultPart, Usage, text_message

MESSAGES = 10_000
WORDS = re.findall(
    r"\w+",
    "the agent reads a file then calls edit so that the loop can verify every step before approval is asked because permissions differ "
    "per tool and per path 工具 调用 需要 用户 批准 消息 列表 model context window tokens cache prefix request response",
)


def paragraph(draw: random.Random, words: int) -> str:
    """Return a paragraph with marks in it."""
    chosen = [draw.choice(WORDS) for _ in range(words)]
    for place in range(0, words, 11):
        chosen[place] = draw.choice(["**{}**", "`{}`", "*{}*", "[{}](https://example.invalid/x)"]).format(chosen[place])
    return " ".join(chosen) + "."


def answer(draw: random.Random) -> str:
    """Return an answer: paragraphs, sometimes a list, a heading or code."""
    parts = [paragraph(draw, draw.randint(12, 50)) for _ in range(draw.randint(1, 3))]
    if draw.random() < 0.25:
        parts.insert(1, "\n".join("- " + paragraph(draw, draw.randint(4, 12)) for _ in range(4)))
    if draw.random() < 0.25:
        parts.append("```python\n" + "def read(path: Path) -> list[str]:\n    return path.read_text().splitlines()  # all of it\n" * draw.randint(1, 6) + "```")
    if draw.random() < 0.1:
        parts.insert(0, "## " + paragraph(draw, 4))
    return "\n\n".join(parts)


def turn(number: int, draw: random.Random) -> Iterator[Event]:
    """Yield the facts of a turn of four messages: a prompt, an answer with a call, its result, a last answer."""
    turn_id, call_id = f"t{number}", f"c{number}"
    yield TurnStarted(turn_id=turn_id)
    yield UserMessageAdded(turn_id=turn_id, message=text_message("user", paragraph(draw, 20)))
    yield from step(turn_id, 2 * number, 1, answer(draw), call_id)
    yield Decided(turn_id=turn_id, step=1, call_id=call_id, tool="grep", outcome="allow", danger=0, outside=False, arguments={"pattern": "x"})
    yield ToolStarted(turn_id=turn_id, step=1, call_id=call_id, tool="grep", arguments={"pattern": "x"})
    output = "\n".join(f"src/module_{line:02}.py:{line}: result = compute(value, limit={line})" for line in range(draw.randint(1, 20)))
    result = ToolResultPart(call_id=call_id, name="grep", content=(TextPart(text=output),))
    yield ToolFinished(turn_id=turn_id, step=1, call_id=call_id, tool="grep", status="ok", result=result, facts="4 matches", duration_s=0.04)
    yield UserMessageAdded(turn_id=turn_id, message=Message(message_id=f"r{number}", role="tool", parts=(result,)))
    yield from step(turn_id, 2 * number + 1, 2, answer(draw))
    yield TurnFinished(turn_id=turn_id, end="answered", steps=2)


def step(turn_id: str, request: int, number: int, text: str, call_id: str = "") -> Iterator[Event]:
    """Yield the facts of one request and its response."""
    yield StepStarted(turn_id=turn_id, step=number)
    yield opened(turn_id, request, number)
    yield ExchangeClosed(exchange_id=f"x{request}", status=200, duration_s=2.4)
    parts: list[Part] = [TextPart(text=text)]
    if call_id:
        parts.append(ToolCallPart(call_id=call_id, name="grep", arguments_raw='{"pattern": "x"}'))
    message = Message(message_id=f"m{request}", role="assistant", parts=tuple(parts), usage=Usage(input_tokens=13_312, output_tokens=391))
    yield ModelResponded(turn_id=turn_id, step=number, exchange_id=f"x{request}", message=message)


def opened(turn_id: str, request: int, number: int) -> ExchangeOpened:
    """Return the fact that a request goes out."""
    return ExchangeOpened(
        exchange_id=f"x{request}",
        number=request + 1,
        turn_id=turn_id,
        step=number,
        attempt=1,
        method="POST",
        url="http://127.0.0.1/v1",
        headers=(),
        body=BodyRef(runs=(), size_bytes=0, sha256=""),
        dialect="chat_completions",
        profile="bench",
        model="m",
    )


def facts(messages: int = MESSAGES) -> Iterator[Event]:
    """Yield the facts of so many messages, the same every time."""
    draw = random.Random(7)
    for number in range(messages // 4):
        yield from turn(number, draw)


def texts(events: Iterable[Event]) -> Iterator[str]:
    """Yield what the messages say, as Markdown; results as code."""
    for event in events:
        match event:
            case UserMessageAdded(message=message) | ModelResponded(message=message):
                yield message.text() or "".join(f"```\n{result.text()}\n```" for result in message.results())
            case _:
                pass


def pieces(count: int) -> list[str]:
    """Return what streams: a long answer, cut into so many pieces of four characters each."""
    draw = random.Random(3)
    text = ""
    while len(text) < 4 * count:
        text += answer(draw) + "\n\n"
    return [text[4 * number : 4 * number + 4] for number in range(count)]
