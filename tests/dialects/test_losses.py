"""What `losses` does not name survives being written and read again, and what it names as left out is not sent: for each dialect."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dialects.drawn_conversations import conversations
from workbench.conversation.messages import (
    DialectName,
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    text_message,
)
from workbench.dialects.base import NORM, Loss, Quirks
from workbench.dialects.loss_rules import CARRIES, RULES
from workbench.dialects.losses import DROPS, lost
from workbench.dialects.registry import dialect, names

WORD = re.compile(r"w\d+x")
HARD = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def rules(losses: tuple[Loss, ...], message: int, part: int) -> set[str]:
    return {loss.rule for loss in losses if loss.message == message and loss.part in (part, -1)}


def word(part: object) -> str:
    """Return the word of its own that a part has; empty if it has none."""
    match part:
        case TextPart(text=text) | ReasoningPart(text=text) if text:
            source = text
        case ReasoningPart(summary=summary):
            source = "".join(summary)
        case ToolCallPart(arguments_raw=raw):
            source = raw
        case ToolResultPart():
            source = part.text()
        case _:
            source = ""
    found = WORD.search(source)
    return found[0] if found else ""


def words_of(message: Message) -> str:
    thoughts = " ".join(text for part in message.parts if isinstance(part, ReasoningPart) for text in (part.text, *part.summary))
    return f"{message.text()} {thoughts} {' '.join(call.arguments_raw for call in message.calls())} {' '.join(result.text() for result in message.results())}"


def text_roles(request: ModelRequest) -> dict[str, str]:
    """Return who says each word, or what it is part of."""
    found: dict[str, str] = {hit: "system" for text in request.system for hit in WORD.findall(text)}
    for message in request.messages:
        for part in message.parts:
            kind = message.role if isinstance(part, TextPart) else type(part).__name__
            found.update(dict.fromkeys(WORD.findall(words_of(Message(message_id="", role="user", parts=(part,)))), kind))
    return found


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations(), replay=st.sampled_from(["never", "with_calls", "always"]))
@HARD
def test_what_is_not_named_survives(name: DialectName, request_drawn: ModelRequest, replay: str) -> None:
    quirks = Quirks(reasoning_replay=replay)  # type: ignore[arg-type]
    losses = lost(request_drawn, name, quirks)
    body = dialect(name).encode_request(request_drawn, quirks).body
    read = dialect(name).parse_request(body)
    roles = text_roles(read)
    for place, message in enumerate(request_drawn.messages):
        for at, part in enumerate(message.parts):
            mine, own = rules(losses, place, at), word(part)
            if mine & DROPS or "message-empty" in mine or not own:
                continue
            wanted = type(part).__name__ if not isinstance(part, TextPart) else "user" if "system-as-user" in mine else message.role
            wanted = "ReasoningPart" if "text-as-thought" in mine and isinstance(part, TextPart) else wanted
            assert roles.get(own) == wanted, (name, place, at, part, mine)
    for text in request_drawn.system:
        assert all(roles.get(hit) == "system" for hit in WORD.findall(text))


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations(), replay=st.sampled_from(["never", "with_calls", "always"]))
@HARD
def test_what_is_named_as_left_out_is_not_sent(name: DialectName, request_drawn: ModelRequest, replay: str) -> None:
    quirks = Quirks(reasoning_replay=replay)  # type: ignore[arg-type]
    sent = set(WORD.findall(dialect(name).encode_request(request_drawn, quirks).body.decode()))
    for loss in lost(request_drawn, name, quirks):
        if loss.rule in DROPS and not loss.rule.startswith(("picture", "file")):
            assert word(request_drawn.messages[loss.message].parts[loss.part]) not in sent, loss


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations())
@HARD
def test_calls_keep_their_meaning_and_their_results(name: DialectName, request_drawn: ModelRequest) -> None:
    losses = lost(request_drawn, name)
    read = dialect(name).parse_request(dialect(name).encode_request(request_drawn, NORM).body)
    calls = {word(call): call for message in read.messages for call in message.calls() if word(call)}
    answers = {(place, result.call_id): result for place, message in enumerate(read.messages) for result in message.results()}
    for place, message in enumerate(request_drawn.messages):
        for at, part in enumerate(message.parts):
            if not isinstance(part, ToolCallPart) or not word(part):
                continue
            mine, sent = rules(losses, place, at), calls[word(part)]
            if "name-changed" not in mine:
                assert sent.name == part.name
            if "arguments-wrapped" in mine:
                assert sent.arguments() == {"INVALID_JSON": part.arguments_raw}
            else:
                assert sent.arguments() == part.arguments()
            if "arguments-respelled" not in mine and "arguments-wrapped" not in mine and CARRIES[name].raw_arguments:
                assert sent.arguments_raw == part.arguments_raw
            if CARRIES[name].tied == "id" and "id-mapped" not in mine:
                assert sent.call_id == part.call_id or sent.wire_id == part.call_id
            given_answers = [result for (_place, call_id), result in answers.items() if call_id == sent.call_id]
            assert len(given_answers) >= 1
    named = Counter(loss.rule for loss in losses)
    total = sum(len(message.calls()) for message in request_drawn.messages)
    assert len(answers) == total
    kept = sum(len(message.results()) for message in request_drawn.messages) - named["result-orphan"] - named["result-repeated"]
    assert kept + named["result-made-up"] == total


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations())
@HARD
def test_a_failed_call_is_told_as_failed(name: DialectName, request_drawn: ModelRequest) -> None:
    losses = lost(request_drawn, name)
    read = dialect(name).parse_request(dialect(name).encode_request(request_drawn, NORM).body)
    results = {word(result): result for message in read.messages for result in message.results() if word(result)}
    for place, message in enumerate(request_drawn.messages):
        for at, part in enumerate(message.parts):
            mine = rules(losses, place, at)
            if isinstance(part, ToolResultPart) and not mine & DROPS:
                assert ("error-as-text" in mine) == (part.is_error and not CARRIES[name].error_flag)
                sent = results[word(part)]
                assert sent.is_error == part.is_error if "error-as-text" not in mine else sent.text().startswith("Error")


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations())
@HARD
def test_pictures_that_are_not_named_are_sent(name: DialectName, request_drawn: ModelRequest) -> None:
    losses = lost(request_drawn, name)
    read = dialect(name).parse_request(dialect(name).encode_request(request_drawn, NORM).body)
    sent = sum(isinstance(part, ImagePart | FilePart) for message in read.messages for part in message.parts)
    sent += sum(isinstance(part, ImagePart | FilePart) for message in read.messages for result in message.results() for part in result.content)
    wanted = 0
    for place, message in enumerate(request_drawn.messages):
        for at, part in enumerate(message.parts):
            if rules(losses, place, at) & DROPS:
                continue
            wanted += isinstance(part, ImagePart | FilePart)
            wanted += sum(isinstance(inner, ImagePart | FilePart) for inner in part.content) if isinstance(part, ToolResultPart) else 0
    assert sent == wanted


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations())
@HARD
def test_settings_that_are_not_named_survive(name: DialectName, request_drawn: ModelRequest) -> None:
    named = {loss.rule.replace("tools-withheld", "tool-choice") for loss in lost(request_drawn, name)}
    options, read = request_drawn.options, dialect(name).parse_request(dialect(name).encode_request(request_drawn, NORM).body).options
    for rule, field in (
        *(("setting-stop", "stop"), ("setting-temperature", "temperature"), ("setting-limit", "max_output_tokens")),
        *(("parallel-calls", "parallel_tool_calls"), ("tool-choice", "tool_choice")),
    ):
        given_value = getattr(options, field)
        if field == "parallel_tool_calls" and options.tool_choice == "none":
            continue  # says nothing then
        if given_value not in (None, (), "auto") and rule not in named:
            assert getattr(read, field) == given_value, rule


@pytest.mark.parametrize("name", names())
@given(request_drawn=conversations())
@HARD
def test_losses_stand_in_order_and_point_into_the_request(name: DialectName, request_drawn: ModelRequest) -> None:
    losses = lost(request_drawn, name)
    assert losses == lost(request_drawn, name)
    places = [(loss.message, loss.part) for loss in losses]
    assert places == sorted(places)
    for loss in losses:
        assert loss.text == RULES[loss.rule].text
        assert loss.message == -1 or loss.part < len(request_drawn.messages[loss.message].parts)


def asked(*messages: Message, **options: object) -> ModelRequest:
    tool = ToolDefinition(name="read", description="", input_schema={"type": "object"})
    return ModelRequest(system=(), tools=(tool,), messages=messages, options=RequestOptions(model="m", **options))  # type: ignore[arg-type]


def found(request: ModelRequest, name: DialectName, quirks: Quirks = NORM) -> list[tuple[str, int, int]]:
    return [(loss.rule, loss.message, loss.part) for loss in lost(request, name, quirks)]


CALLS = Message(
    message_id="1",
    role="assistant",
    parts=(
        ToolCallPart(call_id="functions.read:0", name="read", arguments_raw='{"a": 1}'),
        TextPart(text="and"),
        ToolCallPart(call_id="b", name="read", arguments_raw='{"a":  2}'),
    ),
)
RESULTS = Message(
    message_id="2",
    role="tool",
    parts=(
        ToolResultPart(call_id="functions.read:0", name="read", content=(TextPart(text="no"),), is_error=True),
        ToolResultPart(call_id="b", name="read", content=(TextPart(text="x"), ImagePart(media_type="image/png", data="iVBO"))),
    ),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("chat_completions", [("order-changed", 1, -1), ("error-as-text", 2, 0), ("picture-moved", 2, 1)]),
        ("anthropic", [("id-mapped", 1, 0), ("arguments-respelled", 1, 2)]),
        ("responses", [("error-as-text", 2, 0)]),
        ("gemini", [("ids-by-position", -1, -1), ("arguments-respelled", 1, 2)]),
        (
            "functions",
            [("ids-by-name", -1, -1), ("calls-serialised", 1, -1), ("order-changed", 1, -1), ("error-as-text", 2, 0), ("picture-moved", 2, 1)],
        ),
    ],
)
def test_one_turn_loses_in_each_dialect_what_the_table_says(name: DialectName, expected: list[tuple[str, int, int]]) -> None:
    request = asked(text_message("user", "go"), CALLS, RESULTS, text_message("user", "on"))
    assert found(request, name) == expected


def test_settings_that_cannot_be_said_are_named() -> None:
    request = asked(text_message("user", "go"), stop=("END",), tool_choice="required", parallel_tool_calls=False)
    assert [rule for rule, *_ in found(request, "functions")] == ["tool-choice", "parallel-calls"]
    assert [rule for rule, *_ in found(request, "responses")] == ["setting-stop"]
    assert found(request, "chat_completions") == []


def test_every_rule_is_one_sentence() -> None:
    for rule, (text, _matters) in RULES.items():
        assert re.fullmatch(r"[a-z-]+", rule)
        assert text[0].isupper()
        assert text.endswith(".")
        assert ". " not in text
