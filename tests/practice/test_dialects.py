"""The practice server in every dialect: whole turns through the program's own client, with the lists, keys and refusals of each."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.practice.golden_weather import QUESTION, RESULTS, ROUNDS
from workbench.conversation.assembler import Assembler
from workbench.conversation.events import ExchangeClosed, StepPlace
from workbench.conversation.exchange import MemoryKeeper
from workbench.conversation.journal import Journal
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, TextPart, ToolDefinition, ToolResultPart, text_message
from workbench.errors import ProviderRefused, StreamBroken
from workbench.practice.server import PracticeServer
from workbench.providers.client import ProviderModel
from workbench.providers.profiles import practice_dialect, practice_names, practice_profile
from workbench.wire.client import HttpClient

NAMES = practice_names()
EACH = pytest.mark.parametrize("name", NAMES)
WAYS = pytest.mark.parametrize("stream", [True, False], ids=["stream", "body"])
PARAMETERS = {"get_weather": ("city",), "calculator": ("expression",), "get_current_time": (), "list": ("path",), "read": ("file_path",)}


def tools() -> tuple[ToolDefinition, ...]:
    made = []
    for name, parameters in PARAMETERS.items():
        schema: dict[str, Any] = {"type": "object", "properties": {one: {"type": "string"} for one in parameters}, "required": list(parameters)}
        made.append(ToolDefinition(name=name, description=f"Tool {name}.", input_schema=schema))
    return tuple(made)


class Talking:
    """One conversation with the practice model of one dialect."""

    def __init__(self, server: PracticeServer, http: HttpClient, name: str, *, stream: bool) -> None:
        self.journal = Journal()
        self.messages: list[Message] = []
        self.stream = stream
        profile = practice_profile(server.base_of(practice_dialect(name)), server.model_names, name)

        async def key() -> str:
            return server.key

        async def no_wait(_seconds: float) -> None:
            return None

        self.model = ProviderModel(profile, "practice", http=http, journal=self.journal, keeper=MemoryKeeper(), key=key, sleep=no_wait)

    async def ask(self, text: str = "") -> Message:
        """Say something, or go on after results; return the answer, which is in the history then."""
        if text:
            self.messages.append(text_message("user", text))
        options = RequestOptions(model="practice", stream=self.stream)
        request = ModelRequest(system=("You are a helpful assistant.",), tools=tools(), messages=tuple(self.messages), options=options)
        assembler = Assembler()
        async for event in self.model.stream(request, StepPlace("t", 1)):
            assembler.add(event)
        answer = assembler.message(f"m{len(self.messages)}", origin=self.model.origin)
        assert assembler.ended is not None
        assert assembler.ended.calls_may_run or not answer.calls()
        self.messages.append(answer)
        return answer

    def give(self, text: str, *, is_error: bool = False) -> None:
        """Answer every call of the last answer."""
        calls = self.messages[-1].calls()
        parts = tuple(ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text=text),), is_error=is_error) for call in calls)
        self.messages.append(Message(message_id=f"r{len(self.messages)}", role="tool", parts=parts))

    def statuses(self) -> list[int | None]:
        return [entry.event.status for entry in self.journal.entries if isinstance(entry.event, ExchangeClosed)]


@asynccontextmanager
async def talking(name: str, *, stream: bool = True) -> AsyncIterator[Talking]:
    async with PracticeServer(rate_per_s=0) as server:
        http = HttpClient(environ={})
        try:
            yield Talking(server, http, name, stream=stream)
        finally:
            await http.aclose()


def test_there_is_a_profile_for_every_dialect() -> None:
    assert NAMES == (
        "practice",
        "practice-functions",
        "practice-responses",
        "practice-anthropic",
        "practice-gemini",
        "practice-react",
        "practice-ollama",
    )
    titles = {name: practice_profile("http://127.0.0.1:1", ("practice",), name).title for name in NAMES}
    assert titles["practice-anthropic"] == "Practice model · Anthropic Messages"
    assert len(set(titles.values())) == 7


@EACH
@WAYS
async def test_the_weather_conversation_has_three_rounds_with_the_printed_usage(name: str, stream: bool) -> None:
    async with talking(name, stream=stream) as talk:
        question = QUESTION
        for number, printed in enumerate(ROUNDS):
            answer = await talk.ask(question)
            question = ""
            assert answer.usage is not None
            assert (answer.usage.input_tokens, answer.usage.output_tokens) == printed.usage[:2]
            if printed.call is None:
                assert answer.text() == printed.text
                assert answer.finish_reason == "end"
                break
            (call,) = answer.calls()
            assert (call.name, call.arguments()) == (printed.call[1], json.loads(printed.call[2]))
            assert answer.finish_reason == "tool_use"
            assert answer.reasoning() == ("" if name == "practice-functions" else printed.reasoning)
            talk.give(RESULTS[number])
        assert talk.statuses() == [200, 200, 200]


@EACH
@WAYS
async def test_a_second_turn_goes_on_in_the_same_conversation(name: str, stream: bool) -> None:
    async with talking(name, stream=stream) as talk:
        first = await talk.ask("list .")
        assert [call.name for call in first.calls()] == ["list"]
        talk.give("a.py\nb.py")
        assert "a.py" in (await talk.ask()).text()
        second = await talk.ask("read a.py")
        assert [(call.name, call.arguments()) for call in second.calls()] == [("read", {"file_path": "a.py"})]
        talk.give("<path>a.py</path>\n<type>file</type>\n<content>\n1: print(1)\n</content>\n(lines 1-1 of 1)")
        assert (await talk.ask()).text()
        assert talk.statuses() == [200] * 4


@EACH
async def test_a_rate_limit_is_a_429_and_the_client_asks_again(name: str) -> None:
    async with talking(name) as talk:
        answer = await talk.ask("drill: rate limit, 0.2 s")
        assert "429" in answer.text()
        assert talk.statuses() == [429, 200]


@EACH
async def test_overloaded_has_the_status_of_the_dialect(name: str) -> None:
    async with talking(name) as talk:
        answer = await talk.ask("演练：过载")
        status = 529 if name == "practice-anthropic" else 503
        assert talk.statuses() == [status, 200]
        assert str(status) in answer.text()


@EACH
async def test_an_error_inside_of_a_stream_is_understood(name: str) -> None:
    async with talking(name) as talk:
        with pytest.raises(ProviderRefused) as refused:
            await talk.ask("drill: error in the stream")
        assert refused.value.failure == ("overloaded" if name == "practice-anthropic" else "server")
        assert talk.statuses() == [200]


@EACH
async def test_a_cut_stream_is_a_broken_one(name: str) -> None:
    async with talking(name) as talk:
        with pytest.raises(StreamBroken):
            await talk.ask("drill: cut stream")


@EACH
async def test_broken_arguments_are_answered_and_then_put_right(name: str) -> None:
    async with talking(name) as talk:
        talk.messages.append(text_message("user", "drill: broken arguments"))
        options = RequestOptions(model="practice", stream=True)
        request = ModelRequest(system=(), tools=tools(), messages=tuple(talk.messages), options=options)
        assembler = Assembler()
        async for event in talk.model.stream(request, StepPlace("t", 1)):
            assembler.add(event)
        (call,) = assembler.message("m").calls()
        assert call.arguments() != {"path": "."}
        talk.messages.append(assembler.message("m", origin=talk.model.origin))
        talk.give("Error (invalid_json): The arguments are not valid JSON.\nSend the call again.", is_error=True)
        assert [call.arguments() for call in (await talk.ask()).calls()] == [{"path": "."}]


BROKEN = {
    "practice": "Invalid 'messages[2].tool_calls[0].function.name': string does not match pattern.",
    "practice-functions": "Invalid 'messages[2].function_call.name': string does not match pattern.",
    "practice-responses": "Invalid 'input[3].name': string does not match pattern.",
    "practice-anthropic": "messages.1.content.2.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    "practice-gemini": "GenerateContentRequest.contents[1].parts[1].functionCall.name: Invalid function name.",
}


@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_history_is_refused_in_the_words_of_the_provider(name: str) -> None:
    async with talking(name) as talk:
        (call,) = (await talk.ask("drill: broken history")).calls()
        assert call.name == "get weather!"
        talk.give("Error (unknown_tool): There is no tool named 'get weather!'.", is_error=True)
        with pytest.raises(ProviderRefused) as refused:
            await talk.ask()
        assert BROKEN[name] in refused.value.text
        assert talk.statuses() == [200, 400]


async def test_a_broken_history_of_react_is_seen_by_the_linter_alone() -> None:
    async with talking("practice-react") as talk:
        (call,) = (await talk.ask("演练：坏历史")).calls()
        assert call.correction.startswith("get weather! is not a valid tool, try one of [")
        talk.give(call.correction, is_error=True)
        assert "`get weather!`" in (await talk.ask()).text()


async def test_ollama_has_no_history_that_it_refuses_and_says_so() -> None:
    async with talking("practice-ollama") as talk:
        answer = await talk.ask("drill: broken history")
        assert answer.calls() == ()
        assert "Ollama checks neither the names nor the ids" in answer.text()


# Lists, keys, paths

LISTS: dict[str, tuple[dict[str, str], Callable[[dict[str, Any]], list[Any]]]] = {
    "/v1/models": ({"Authorization": "Bearer {key}"}, lambda body: [model["id"] for model in body["data"]]),
    "/v1/models?limit=1000": ({"x-api-key": "{key}", "anthropic-version": "2023-06-01"}, lambda body: [body["first_id"], body["has_more"]]),
    "/v1beta/models?pageSize=1000": ({"x-goog-api-key": "{key}"}, lambda body: [model["name"] for model in body["models"]]),
    "/api/tags": ({"Authorization": "Bearer {key}"}, lambda body: [model["name"] for model in body["models"]]),
}
LISTED: dict[str, list[Any]] = {
    "/v1/models": ["practice"],
    "/v1/models?limit=1000": ["practice", False],
    "/v1beta/models?pageSize=1000": ["models/practice"],
    "/api/tags": ["practice"],
}


@pytest.mark.parametrize("path", LISTS)
async def test_each_dialect_has_its_list_of_models(path: str) -> None:
    headers, names = LISTS[path]
    async with PracticeServer() as server, httpx.AsyncClient(trust_env=False) as http:
        shown = {name: value.replace("{key}", server.key) for name, value in headers.items()}
        response = await http.get(server.address + path, headers=shown)
        assert names(response.json()) == LISTED[path]
        version = await http.get(server.address + "/api/version", headers={"Authorization": f"Bearer {server.key}"})
        assert "version" in version.json()


ERRORS: dict[str, tuple[int, dict[str, Any]]] = {
    "/v1/messages": (401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}, "request_id": "req_practice"}),
    "/api/chat": (401, {"error": "unauthorized"}),
    "/v1beta/models/practice:generateContent": (
        400,
        {
            "error": {
                "code": 400,
                "message": "API key not valid. Please pass a valid API key.",
                "status": "INVALID_ARGUMENT",
                "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}],
            }
        },
    ),
}


@pytest.mark.parametrize("path", ERRORS)
async def test_a_wrong_key_is_refused_in_the_shape_of_the_dialect(path: str) -> None:
    async with PracticeServer() as server, httpx.AsyncClient(trust_env=False) as http:
        response = await http.post(server.address + path, json={}, headers={"x-api-key": "wrong", "x-goog-api-key": "wrong"})
        assert (response.status_code, response.json()) == ERRORS[path]
        assert server.received == []


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/v1/chat/completions", ["error", "message"]),
        ("/v1/responses", ["error", "message"]),
        ("/v1/messages", ["error", "message"]),
        ("/v1beta/models/practice:generateContent", ["error", "message"]),
        ("/api/chat", ["error"]),
    ],
)
@pytest.mark.parametrize("body", [b"", b'{"model": "practice", "messages"', b"[1]", b"{}", b'{"model": "practice", "messages": 3, "contents": 3, "input": 3}'])
async def test_a_malformed_body_is_refused_with_400_in_each_dialect(path: str, kind: list[str], body: bytes) -> None:
    async with PracticeServer() as server, httpx.AsyncClient(trust_env=False) as http:
        response = await http.post(server.address + path, content=body, headers={"Authorization": f"Bearer {server.key}"})
        assert response.status_code == 400
        told = response.json()
        for member in kind:
            told = told[member]
        assert isinstance(told, str)
        assert told


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/messages/batches", "/v1beta/nothing", "/api/nothing", "/chat/completions"])
async def test_paths_that_are_not_served_are_404(path: str) -> None:
    async with PracticeServer() as server, httpx.AsyncClient(trust_env=False) as http:
        response = await http.get(server.address + path, headers={"Authorization": f"Bearer {server.key}"})
        assert response.status_code == 404
        assert response.json()["error"]


async def test_waiting_times_are_told_as_each_dialect_tells_them() -> None:
    async with PracticeServer() as server, httpx.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {server.key}"}) as http:
        messages = [{"role": "user", "content": "drill: rate limit, 3 s"}]
        claude = await http.post(server.address + "/v1/messages", json={"model": "practice", "max_tokens": 100, "messages": messages})
        contents = [{"role": "user", "parts": [{"text": "drill: rate limit, 3 s"}]}]
        gemini = await http.post(server.address + "/v1beta/models/practice:generateContent", json={"contents": contents})
        ollama = await http.post(server.address + "/api/chat", json={"model": "practice", "messages": messages})
    assert (claude.status_code, claude.headers["retry-after"], claude.json()["error"]["type"]) == (429, "3", "rate_limit_error")
    assert (gemini.status_code, gemini.json()["error"]["details"][0]["retryDelay"], "retry-after" in gemini.headers) == (429, "3s", False)
    assert (ollama.status_code, ollama.headers["retry-after"], list(ollama.json())) == (429, "3", ["error"])


async def test_anthropic_and_google_tell_thoughts_only_when_asked() -> None:
    async with PracticeServer(rate_per_s=0) as server, httpx.AsyncClient(trust_env=False, headers={"Authorization": f"Bearer {server.key}"}) as http:
        body: dict[str, Any] = {"model": "practice", "max_tokens": 4000, "messages": [{"role": "user", "content": "drill: unknown tool"}]}
        plain = (await http.post(server.address + "/v1/messages", json=body)).json()
        asked = (await http.post(server.address + "/v1/messages", json={**body, "thinking": {"type": "enabled", "budget_tokens": 1024}})).json()
    assert [block["type"] for block in plain["content"]] == ["text", "tool_use"]
    assert [block["type"] for block in asked["content"]] == ["thinking", "text", "tool_use"]
    assert asked["content"][0]["signature"]
