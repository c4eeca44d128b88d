"""A request in another dialect: every one passes the target's linter, keeps its words, and tells what is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.dialects.drawn_conversations import conversations
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import DialectName, ModelRequest
from workbench.dialects.registry import detect, dialect, names
from workbench.errors import RequestUnreadable
from workbench.inspection.translate import refused, sentence, translated

HARD = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def captures() -> list[tuple[str, dict[str, Any]]]:
    data = shared_data()
    files = sorted((data / "captures").glob("*/*-request.json")) if data else []
    loaded = [(f"{file.parent.name} {file.name[:3]}", json.loads(file.read_bytes())) for file in files]
    return [(name, capture) for name, capture in loaded if detect(capture["path"], json.dumps(capture["body"]).encode()) in names()]


CAPTURES = captures()


@needs_shared
@pytest.mark.parametrize("target", names())
@pytest.mark.parametrize("capture", [capture for _, capture in CAPTURES], ids=[name for name, _ in CAPTURES])
def test_a_real_request_is_not_refused_in_another_dialect(capture: dict[str, Any], target: DialectName) -> None:
    done = translated(json.dumps(capture["body"]).encode(), target, path=capture["path"])
    assert not refused(done), done.left
    assert not done.repairs
    if done.source == target:
        assert json.loads(done.body) == capture["body"]


@needs_shared
@pytest.mark.parametrize("target", names())
@pytest.mark.parametrize("source", names())
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_weather_conversation_goes_from_each_dialect_to_each(source: DialectName, target: DialectName, number: int) -> None:
    file = weather_request(source, number)
    if file is None:
        pytest.skip(f"there is no {source} weather request {number}")
    done = translated(file, target, source=source, model="m")
    assert not refused(done)
    request = dialect(target).parse_request(done.body)
    assert [call.name for message in request.messages for call in message.calls()] == ["get_weather", "calculator"][: number - 1]
    assert "上海" in done.body.decode() or "\\u4e0a" in done.body.decode()


def weather_request(name: str, number: int) -> bytes | None:
    data = shared_data()
    short = {"chat_completions": "chat", "functions": "legacy"}.get(name, name)
    found = sorted((data / "weather").glob(f"{short}.round{number}.request.json")) if data else []
    return found[0].read_bytes() if found else None


@pytest.mark.parametrize("source", names())
@pytest.mark.parametrize("target", names())
@given(request_drawn=conversations())
@HARD
def test_whatever_was_said_is_not_refused(source: DialectName, target: DialectName, request_drawn: ModelRequest) -> None:
    body = dialect(source).encode_request(request_drawn).body
    done = translated(body, target, source=source, model="m")
    assert not refused(done), done.left
    assert translated(body, target, source=source, model="m") == done


def test_what_only_its_own_dialect_knows_stays_behind() -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "seed": 7, "logprobs": True}
    done = translated(json.dumps(body).encode(), "ollama")
    assert json.loads(done.body) == {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "stream": False}
    assert json.loads(translated(json.dumps(body).encode(), "functions").body) == body
    assert [sentence(loss) for loss in done.losses] == ["setting-unknown: A setting that only another dialect knows is left out."]


def test_the_model_comes_from_the_address_or_is_given() -> None:
    body = b'{"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}'
    path = "/v1beta/models/gemini-2.5-pro:generateContent"
    assert json.loads(translated(body, "chat_completions", path=path).body)["model"] == "gemini-2.5-pro"
    assert json.loads(translated(body, "chat_completions", path=path, model="other").body)["model"] == "other"


def test_a_body_of_no_dialect_says_what_to_do() -> None:
    with pytest.raises(RequestUnreadable, match="name its dialect"):
        translated(b'{"question": "?"}', "chat_completions")


def test_another_family_of_the_same_dialect_gets_no_signatures() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "sealed"}
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [thought, {"type": "text", "text": "a"}]}, {"role": "user", "content": "q"}]
    body = json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 99, "messages": messages}).encode()
    assert b"sealed" in translated(body, "anthropic", source="anthropic", model="claude-opus-4-1").body
    elsewhere = translated(body, "anthropic", source="anthropic", model="kimi-k2")
    assert b"sealed" not in elsewhere.body
    assert [loss.rule for loss in elsewhere.losses] == ["reasoning-foreign"]
