"""Translations: whose line is whose in every dialect, where losses stand, and that a conversation that grows gives what a fresh one gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings

from tests.dialects.drawn_conversations import conversations
from workbench.conversation.messages import (
    DialectName,
    Message,
    ModelRequest,
    Origin,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    text_message,
)
from workbench.dialects.base import NORM
from workbench.dialects.losses import DROPS
from workbench.dialects.registry import names
from workbench.inspection import json_lines
from workbench.inspection.json_lines import JsonLines
from workbench.inspection.stains import Origin as Place
from workbench.inspection.translations import HEAD, Translation, Translator, offered

HARD = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
TOOL = ToolDefinition(name="read", description="Reads.", input_schema={"type": "object", "properties": {"path": {"type": "string"}}})


def asked(*messages: Message) -> ModelRequest:
    return ModelRequest(system=("Be brief.",), tools=(TOOL,), messages=messages, options=RequestOptions(model="m"))


def turn(n: int, text: str = "Looking.") -> tuple[Message, Message, Message]:
    call = ToolCallPart(call_id=f"call_{n}", name="read", arguments_raw=f'{{"path": "{n}.py"}}')
    result = ToolResultPart(call_id=f"call_{n}", name="read", content=(TextPart(text=f"lines of {n}"),))
    thought = ReasoningPart(text=f"thought {n}", field="reasoning_content")
    origin = Origin(dialect="chat_completions", provider="p", model="m")
    return (
        text_message("user", f"Read {n}."),
        Message(message_id=f"a{n}", role="assistant", parts=(thought, TextPart(text=text), call), origin=origin),
        Message(message_id=f"r{n}", role="tool", parts=(result,)),
    )


@contextmanager
def whole_texts() -> Iterator[None]:
    """Show long texts whole, so that lines can be read as JSON."""
    with mock.patch.object(json_lines, "LONGEST", 1 << 30):
        yield


def named(translation: Translation, call_id: str) -> list[int]:
    return [number for number, line in enumerate(translation.lines) if line.call_id == call_id]


@pytest.mark.parametrize("name", names())
def test_the_lines_are_the_body(name: DialectName) -> None:
    with whole_texts():
        translation = Translator(name, NORM).translate(asked(*turn(1), *turn(2)))
    assert json.loads("\n".join(line.text for line in translation.lines)) == json.loads(translation.body)


@pytest.mark.parametrize("name", names())
def test_call_and_result_are_named_once_each_in_every_dialect(name: DialectName) -> None:
    translation = Translator(name, NORM).translate(asked(*turn(1), *turn(2)))
    for n, (call, result) in enumerate((((1, 2), (2, 0)), ((4, 2), (5, 0))), 1):
        lines = [translation.lines[number] for number in named(translation, f"call_{n}")]
        assert [line.origin for line in lines if line.origin and line.origin.part != -1][-1:] == [Place(*result)]
        assert len(lines) == 2
        assert lines[0].message == call[0]
        assert lines[1].message == result[0]


@pytest.mark.parametrize("name", names())
def test_messages_begin_in_order_and_the_rest_stands_behind(name: DialectName) -> None:
    translation = Translator(name, NORM).translate(asked(*turn(1), *turn(2), text_message("user", "Thanks.")))
    messages = [message for message, _line in translation.blocks]
    assert messages == sorted(messages)
    assert set(range(7)) <= set(messages)
    assert translation.lines[0].message == HEAD
    for place, words in ((0, "Read 1."), (6, "Thanks.")):
        (line,) = (line for line in translation.lines if words in line.text)
        assert line.message == place


def test_a_loss_stands_at_its_part_or_where_its_message_begins() -> None:
    failed = ToolResultPart(call_id="call_1", name="read", content=(TextPart(text="gone"),), is_error=True)
    first = turn(1)
    request = asked(*first[:2], Message(message_id="r", role="tool", parts=(failed,)))
    translation = Translator("chat_completions", NORM).translate(request)
    at = {loss.rule: translation.lines[line] for line, loss in translation.losses}
    assert at["error-as-text"].origin == Place(2, 0)
    assert at["reasoning-not-replayed"].message == 1
    assert at["reasoning-not-replayed"].text.strip() == "{"


def test_a_finding_stands_at_the_value_it_means() -> None:
    bad = ToolDefinition(name="no good", description="", input_schema={"type": "object"})
    request = ModelRequest(system=(), tools=(TOOL, bad), messages=(text_message("user", "Hi"),), options=RequestOptions(model="m"))
    findings = Translator("chat_completions", NORM).translate(request).findings
    assert findings
    translation = Translator("chat_completions", NORM).translate(request)
    assert any("no good" in translation.lines[line].text for line, finding in translation.findings or ())


def test_how_a_conversation_ends_is_no_finding_while_a_person_is_to_speak() -> None:
    request = asked(text_message("user", "Hi"), text_message("assistant", "Hello."))
    for name in names():
        assert not Translator(name, NORM).translate(request).findings


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations())
@HARD
def test_what_is_sent_of_a_part_has_a_line(name: DialectName, request_drawn: ModelRequest) -> None:
    with whole_texts():
        translation = Translator(name, NORM).translate(request_drawn)
    gone = {(loss.message, loss.part) for _line, loss in translation.losses if loss.rule in DROPS}
    shown = {line.origin for line in translation.lines}
    for place, message in enumerate(request_drawn.messages):
        for at, part in enumerate(message.parts):
            if isinstance(part, ToolCallPart) and (place, at) not in gone:
                assert any(line.call_id == part.call_id for line in translation.lines)
            if isinstance(part, TextPart) and message.role == "user":
                assert {Place(place, at), Place(place, -1)} & shown
    assert all(-1 <= line < len(translation.lines) for line, _loss in translation.losses)
    assert json.loads("\n".join(line.text for line in translation.lines)) == json.loads(translation.body)


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations())
@HARD
def test_a_conversation_that_grew_gives_what_a_fresh_one_gives(name: DialectName, request_drawn: ModelRequest) -> None:
    grown = Translator(name, NORM)
    for count in range(1, len(request_drawn.messages) + 1):
        part = ModelRequest(
            system=request_drawn.system, tools=request_drawn.tools, messages=request_drawn.messages[:count], options=request_drawn.options
        )
        assert grown.translate(part) == Translator(name, NORM).translate(part)


def test_a_long_conversation_that_grows_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    feed = JsonLines.feed

    def noted(self: JsonLines, piece: str) -> None:
        read.append(len(piece))
        feed(self, piece)

    monkeypatch.setattr(JsonLines, "feed", noted)
    messages = tuple(message for n in range(700) for message in turn(n, text=str(n)))
    longer = (*messages, *turn(700))
    grown = Translator("anthropic", NORM)
    grown.translate(asked(*messages))
    whole = sum(read)
    grown.translate(asked(*longer))
    read.clear()
    again = grown.translate(asked(*longer, text_message("user", "more")))
    assert 0 < sum(read) < whole / 20
    assert again.lines == Translator("anthropic", NORM).translate(asked(*longer, text_message("user", "more"))).lines


def test_all_dialects_are_offered() -> None:
    assert offered() == names()
