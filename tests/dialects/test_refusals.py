"""Refusals in the providers' own words: which rule is meant, which message, and the repair that goes with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dialects.chat_completions.test_rules import FUNCTION, USER, call, result, tool, turn
from workbench.conversation.messages import DialectName
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.refusal_texts import MEANINGS
from workbench.dialects.refusals import explain
from workbench.dialects.registry import names
from workbench.dialects.repairs import mended


def body(*messages: Any, **members: Any) -> bytes:
    return json.dumps({"model": "m", "messages": list(messages), **members}).encode()


OPEN_CALL = body(USER, turn(call("call_ab"), call("call_cd")), result("call_ab"), USER)
ORPHAN = body(USER, result("call_x"), USER)
MISTRAL = Quirks(call_id_format="mistral")
THINKS = Quirks(reasoning_replay="with_calls")

CHAT: list[tuple[str, bytes, str, Quirks, str, str]] = [
    (
        "OpenAI, unanswered",
        OPEN_CALL,
        ("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        "The following tool_call_ids did not have response messages: call_cd"),
        NORM, "chat.unanswered-call", "/messages/1/tool_calls/1",
    ),
    (
        "OpenAI, orphan", ORPHAN,
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. messages.[1].role",
        NORM, "chat.orphan-result", "/messages/1",
    ),
    (
        "DeepSeek, orphan", ORPHAN, "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        NORM, "chat.orphan-result", "/messages/1",
    ),
    (
        "DashScope, orphan", ORPHAN,
        '<400> InternalError.Algo.InvalidParameter: messages with role \\"tool\\" must be a response to a preceeding message with \\"tool_calls\\".',
        NORM, "chat.orphan-result", "/messages/1",
    ),
    (
        "OpenAI, tool name", body(USER, tools=[FUNCTION, tool(name="a.b")]),
        "Invalid 'tools[1].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
        NORM, "chat.tool-name", "/tools/1/function/name",
    ),
    (
        "OpenAI, long name", body(USER, tools=[tool(name="n" * 71)]),
        "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 71 instead.",
        NORM, "chat.tool-name-length", "/tools/0/function/name",
    ),
    (
        "DashScope, long name", body(USER, tools=[tool(name="n" * 71)]),
        "The length of the tool name cannot exceed 64.",
        NORM, "chat.tool-name-length", "/tools/0/function/name",
    ),
    (
        "too many tools", body(USER, tools=[tool(name=f"t{n}") for n in range(129)]),
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
        NORM, "chat.too-many-tools", "/tools",
    ),
    (
        "long description", body(USER, tools=[FUNCTION, tool(name="w", description="d" * 1025)]),
        "Invalid 'tools[1].function.description': string too long. Expected a string with maximum length 1024",
        NORM, "chat.description-length", "/tools/1/function/description",
    ),
    (
        "long id", body(USER, turn(call("k" * 45)), result("k" * 45), USER),
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 29",
        NORM, "chat.call-id-length", "/messages/1/tool_calls/0/id",
    ),
    (
        "choice", body(USER, tool_choice="auto"),
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        NORM, "chat.tool-choice-without-tools", "/tool_choice",
    ),
    (
        "strict", body(USER, tools=[tool(strict=True, parameters={"type": "object", "properties": {"y": {"type": "string"}}, "additionalProperties": False})]),
        "Invalid schema for function 'x': 'required' is required to be supplied and to be an array including every key in properties. Missing 'y'.",
        NORM, "chat.strict-schema", "/tools/0/function/parameters",
    ),
    (
        "DeepSeek, forced", body(USER, model="deepseek-v4", tools=[FUNCTION], tool_choice="required"),
        "Thinking mode does not support this tool_choice", NORM, "chat.thinking-tool-choice", "/tool_choice",
    ),
    (
        "DeepSeek, reasoning", body(USER, turn(call()), result(), USER),
        "The `reasoning_content` in the thinking mode must be passed back to the API.", THINKS, "chat.reasoning-missing", "/messages/1",
    ),
    (
        "Moonshot", body(USER, model="kimi-k2", tools=[tool(parameters={"type": "object", "properties": {"a": {"type": "string", "anyOf": [{}]}}})]),
        "type should be defined in anyOf items instead of the parent", NORM, "chat.moonshot-schema", "/tools/0/function/parameters/properties/a/anyOf",
    ),
    (
        "o3", body(USER, model="o3", max_tokens=5),
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        NORM, "chat.max-tokens-field", "/max_tokens",
    ),
    (
        "part", body(USER, {"role": "user", "content": [{"text": "x"}]}),
        "Missing required parameter: 'messages[1].content[0].type'.", NORM, "chat.part-type", "/messages/1/content/0/type",
    ),
    (
        "Mistral, id", body(USER, turn(call("call_x")), result("call_x")),
        "Tool call id was call_x but must be a-z, A-Z, 0-9, with a length of 9.", MISTRAL, "chat.mistral-id", "/messages/1/tool_calls/0/id",
    ),
    (
        "Mistral, order", body(turn(call("abcdefghi")), result("abcdefghi"), USER),
        "Unexpected role 'user' after role 'tool'",
        MISTRAL, "chat.user-after-tool", "/messages/2",
    ),
    ("Mistral, tool after user", ORPHAN, "Unexpected role 'tool' after role 'user'", MISTRAL, "chat.orphan-result", "/messages/1"),
    ("Mistral, count", OPEN_CALL, "Not the same number of function calls and responses", NORM, "chat.unanswered-call", "/messages/1/tool_calls/1"),
    (
        "Mistral, last", body(USER, {"role": "assistant", "content": "x"}),
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant", MISTRAL, "chat.ends-with-assistant", "/messages/1",
    ),
    (
        "Bedrock behind a gateway", body(USER, turn(call(), content=""), result(), USER),
        "text content blocks must be non-empty", NORM, "chat.empty-text-beside-calls", "/messages/1/content",
    ),
    ("llama.cpp, roles", body(USER, USER), "Conversation roles must alternate user/assistant/user/assistant/...", NORM, "chat.roles-alternate", ""),
    (
        "llama.cpp, prefill", body(USER, {"role": "assistant", "content": "x"}),
        "Cannot have 2 or more assistant messages at the end of the list.", NORM, "chat.ends-with-assistant", "/messages/1",
    ),
    (
        "vLLM, arguments", body(USER, turn(call(arguments="15 * 4")), result(), USER),
        "tool call arguments must be a valid JSON object", NORM, "chat.arguments-json", "/messages/1/tool_calls/0/function/arguments",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("request_body", "said", "quirks", "rule", "pointer"), [case[1:] for case in CHAT], ids=[case[0] for case in CHAT])
def test_a_chat_refusal_names_its_rule_and_message(request_body: bytes, said: str, quirks: Quirks, rule: str, pointer: str) -> None:
    found = explain("chat_completions", request_body, f"Here answered 400: {said}", 400, quirks)
    assert (found[0].rule, found[0].pointer, found[0].severity) == (rule, pointer, "error")


def test_the_repair_of_the_rule_comes_with_it() -> None:
    (finding,) = explain("chat_completions", OPEN_CALL, CHAT[0][2], 400)
    assert finding.edits
    assert mended(lambda _body: (), OPEN_CALL, found=(finding,)).applied == (finding,)


CALL_A = {"type": "function_call", "call_id": "call_a", "name": "read", "arguments": "{}"}
SECRET = {"type": "reasoning", "id": "rs_12", "summary": [], "encrypted_content": "x"}
OTHERS: list[tuple[str, DialectName, dict[str, Any], str, str, str]] = [
    (
        "Anthropic, missing", "anthropic",
        {"model": "c", "max_tokens": 9, "messages": [
            {"role": "user", "content": "a"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}]},
            {"role": "user", "content": "b"},
        ]},
        ("messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding "
        "`tool_result` block in the next message."),
        "anthropic.result-missing", "/messages/1",
    ),
    (
        "Anthropic, orphan", "anthropic",
        {"model": "c", "max_tokens": 9, "messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_9", "content": "x"}]}]},
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9.", "anthropic.result-orphan", "/messages/0",
    ),
    (
        "Anthropic, name", "anthropic",
        {"model": "c", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}], "tools": [{"name": "a.b", "input_schema": {"type": "object"}}]},
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", "anthropic.tool-name", "/tools/0",
    ),
    (
        "Anthropic, thinking changed", "anthropic",
        {"model": "c", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "x"}, {"role": "user", "content": "a"},
            {"role": "assistant", "content": [{"type": "text", "text": "x"}] * 9}, {"role": "user", "content": "a"}]},
        "messages.3.content.8: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        "anthropic.thinking-changed", "/messages/3/content/8",
    ),
    (
        "Responses, unanswered", "responses",
        {"model": "m", "store": False, "input": [CALL_A, {"role": "user", "content": "b"}]},
        "No tool output found for function call call_a.", "responses.call-unanswered", "/input/0",
    ),
    (
        "DeepSeek Responses, unanswered", "responses",
        {"model": "m", "store": False, "input": [{**CALL_A, "call_id": "call-a"}, {"role": "user", "content": "b"}]},
        "No tool output found for tool call call-a.", "responses.call-unanswered", "/input/0",
    ),
    (
        "Responses, orphan", "responses",
        {"model": "m", "store": False, "input": [{"role": "user", "content": "b"}, {"type": "function_call_output", "call_id": "call_x", "output": "y"}]},
        "No tool call found for function call output with call_id call_x", "responses.orphan-output", "/input/1",
    ),
    (
        "Responses, not stored", "responses",
        {"model": "m", "store": False, "input": [{"role": "user", "content": "b"}, {"type": "reasoning", "id": "rs_12", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}, {"role": "user", "content": "b"}]},
        "Item with id 'rs_12' not found. Items are not persisted when 'store' is set to false.", "responses.", "/input/1",
    ),
    (
        "Responses, other key", "responses",
        {"model": "m", "store": False, "input": [{"role": "user", "content": "b"}, SECRET,
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]}, {"role": "user", "content": "b"}]},
        "The encrypted content for item rs_12 could not be verified.", "responses.foreign-reasoning", "/input/1",
    ),
    (
        "Ollama, arguments", "ollama",
        {"model": "m", "messages": [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "read", "arguments": "{}"}}]},
            {"role": "tool", "tool_name": "read", "content": "x"}]},
        "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
        "ollama.arguments-type", "/messages/0",
    ),
    (
        "Ollama, content", "ollama",
        {"model": "m", "messages": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]},
        "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string", "ollama.content-type", "/messages/0",
    ),
    (
        "Gemini, count", "gemini",
        {"contents": [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
            {"role": "user", "parts": [{"text": "b"}]}]},
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        "gemini.result-missing", "/contents/1",
    ),
    (
        "Gemini, name", "gemini",
        {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "tools": [{"functionDeclarations": [{"name": "ok"}, {"name": "1 bad"}]}]},
        "GenerateContentRequest.tools[0].function_declarations[1].name: Invalid function name. Must start with a letter or an underscore.",
        "gemini.tool-name", "/tools/0",
    ),
    (
        "Gemini, parts", "gemini",
        {"contents": [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": []}]},
        "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.", "gemini.empty-parts", "/contents/1",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "said", "rule", "pointer"), [case[1:] for case in OTHERS], ids=[case[0] for case in OTHERS])
def test_a_refusal_of_another_dialect_names_its_rule_and_message(name: DialectName, value: dict[str, Any], said: str, rule: str, pointer: str) -> None:
    found = explain(name, json.dumps(value).encode(), said, 400)
    assert found[0].rule.startswith(rule)
    assert found[0].pointer.startswith(pointer)


def test_words_of_no_known_meaning_still_name_a_place() -> None:
    (finding,) = explain("chat_completions", body(USER, USER), "Something odd about messages[1].content here", 400)
    assert (finding.rule, finding.pointer) == ("chat.refused", "/messages/1/content")
    assert explain("chat_completions", body(USER), "Something odd", 400) == ()
    assert explain("chat_completions", body(USER), "messages[7] is odd", 400) == ()


@pytest.mark.parametrize("status", [200, 401, 403, 429, 500, 503])
def test_what_is_not_about_the_body_is_not_explained(status: int) -> None:
    assert explain("chat_completions", OPEN_CALL, CHAT[0][2], status) == ()


def test_every_meaning_has_words_for_people() -> None:
    for meaning in MEANINGS:
        assert meaning.message.endswith(".")
        assert meaning.fix.endswith(".")
        assert meaning.rules


@given(st.sampled_from(names()), st.text() | st.sampled_from([meaning.words.pattern for meaning in MEANINGS]), st.binary() | st.just(OPEN_CALL))
def test_no_words_and_no_body_break_it(name: DialectName, said: str, request_body: bytes) -> None:
    explain(name, request_body, said, 400)
