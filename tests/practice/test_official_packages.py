"""The official packages talk to the practice server over a real connection: a call, its result, an answer; as body and as stream."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from workbench.practice.server import PracticeServer

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
QUESTION = "What is the weather in Berlin?"
RESULT = "Berlin: sunny, 21°C"


@asynccontextmanager
async def serving() -> AsyncIterator[PracticeServer]:
    async with PracticeServer(rate_per_s=0) as server:
        yield server


async def test_openai_chat_completions() -> None:
    async with serving() as server, openai.AsyncOpenAI(api_key=server.key, base_url=server.base_url, max_retries=0) as client:
        tools: Any = [{"type": "function", "function": {"name": "get_weather", "description": "d", "parameters": SCHEMA}}]
        messages: Any = [{"role": "user", "content": QUESTION}]
        answer = await client.chat.completions.create(model="practice", messages=messages, tools=tools)
        call: Any = (answer.choices[0].message.tool_calls or [])[0]
        assert (call.function.name, answer.choices[0].finish_reason) == ("get_weather", "tool_calls")
        messages += [answer.choices[0].message.model_dump(exclude_none=True), {"role": "tool", "tool_call_id": call.id, "content": RESULT}]
        stream = await client.chat.completions.create(model="practice", messages=messages, tools=tools, stream=True)
        said = "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])
        assert "sunny" in said
        assert [model.id async for model in client.models.list()] == ["practice"]


async def test_openai_functions() -> None:
    async with serving() as server, openai.AsyncOpenAI(api_key=server.key, base_url=server.base_url, max_retries=0) as client:
        functions: Any = [{"name": "get_weather", "description": "d", "parameters": SCHEMA}]
        messages: Any = [{"role": "user", "content": QUESTION}]
        answer = await client.chat.completions.create(model="practice", messages=messages, functions=functions)
        call = answer.choices[0].message.function_call
        assert call is not None
        assert (call.name, answer.choices[0].finish_reason) == ("get_weather", "function_call")
        called = {"role": "assistant", "content": None, "function_call": {"name": call.name, "arguments": call.arguments}}
        messages += [called, {"role": "function", "name": call.name, "content": RESULT}]
        answer = await client.chat.completions.create(model="practice", messages=messages, functions=functions)
        assert "sunny" in (answer.choices[0].message.content or "")


async def test_openai_responses() -> None:
    async with serving() as server, openai.AsyncOpenAI(api_key=server.key, base_url=server.base_url, max_retries=0) as client:
        tools: Any = [{"type": "function", "name": "get_weather", "description": "d", "parameters": SCHEMA, "strict": False}]
        items: Any = [{"role": "user", "content": QUESTION}]
        settings: Any = {"model": "practice", "tools": tools, "store": False, "include": ["reasoning.encrypted_content"]}
        answer = await client.responses.create(input=items, **settings)
        call: Any = next(item for item in answer.output if item.type == "function_call")
        assert (call.name, answer.status) == ("get_weather", "completed")
        for item in answer.output:
            sent = item.model_dump(exclude_none=True)
            sent.pop("id", None)
            items.append(sent)
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": RESULT})
        async with client.responses.stream(input=items, **settings) as stream:
            async for _event in stream:
                pass
            final = await stream.get_final_response()
        assert "sunny" in final.output_text


async def test_anthropic_messages() -> None:
    async with serving() as server, anthropic.AsyncAnthropic(api_key=server.key, base_url=server.address, max_retries=0) as client:
        tools: Any = [{"name": "get_weather", "description": "d", "input_schema": SCHEMA}]
        messages: Any = [{"role": "user", "content": QUESTION}]
        settings: Any = {"model": "practice", "max_tokens": 4000, "tools": tools, "thinking": {"type": "enabled", "budget_tokens": 1024}}
        answer = await client.messages.create(messages=messages, **settings)
        call: Any = next(block for block in answer.content if block.type == "tool_use")
        assert (call.name, call.input, answer.stop_reason) == ("get_weather", {"city": "Berlin"}, "tool_use")
        blocks = [block.model_dump(exclude_none=True) for block in answer.content]
        result = {"type": "tool_result", "tool_use_id": call.id, "content": RESULT}
        messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": [result]}]
        async with client.messages.stream(messages=messages, **settings) as stream:
            final = await stream.get_final_message()
        assert "sunny" in "".join(block.text for block in final.content if block.type == "text")
        assert [model.id async for model in client.models.list()] == ["practice"]


async def test_anthropic_errors_are_of_its_classes() -> None:
    async with serving() as server, anthropic.AsyncAnthropic(api_key=server.key, base_url=server.address, max_retries=0) as client:
        ask: Any = {"model": "practice", "max_tokens": 100}
        with pytest.raises(anthropic.RateLimitError) as limited:
            await client.messages.create(messages=[{"role": "user", "content": "drill: rate limit, 2 s"}], **ask)
        assert limited.value.response.headers["retry-after"] == "2"
        orphan: Any = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_x", "content": "y"}]}]
        with pytest.raises(anthropic.BadRequestError, match="unexpected `tool_use_id` found in `tool_result` blocks: toolu_x"):
            await client.messages.create(messages=orphan, **ask)


async def test_google_genai() -> None:
    async with serving() as server:
        await asyncio.to_thread(_talk_to_gemini, server.address, server.key)


def _talk_to_gemini(address: str, key: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the package's own; what is tested here is what it reads
        client = genai.Client(api_key=key, http_options=types.HttpOptions(base_url=address, api_version="v1beta"))
        declaration = types.FunctionDeclaration(name="get_weather", description="d", parameters_json_schema=SCHEMA)
        config = types.GenerateContentConfig(
            tools=[types.Tool(function_declarations=[declaration])],
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
            thinking_config=types.ThinkingConfig(include_thoughts=True),
        )
        contents: Any = [types.Content(role="user", parts=[types.Part(text=QUESTION)])]
        answer = client.models.generate_content(model="practice", contents=contents, config=config)
        (call,) = answer.function_calls or []
        assert (call.name, call.args) == ("get_weather", {"city": "Berlin"})
        candidates = answer.candidates or []
        result = types.Part.from_function_response(name="get_weather", response={"output": RESULT})
        contents += [candidates[0].content, types.Content(role="user", parts=[result])]
        chunks = list(client.models.generate_content_stream(model="practice", contents=contents, config=config))
        said = "".join(part.text or "" for chunk in chunks for part in ((chunk.candidates or [])[0].content.parts or []) if not part.thought)  # type: ignore[union-attr]
        assert "sunny" in said
        assert [model.name for model in client.models.list()] == ["models/practice"]
        client.close()
