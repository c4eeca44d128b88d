"""What providers say when they refuse a request, by the rule that was broken (the error columns of the wire specification).

``{place}`` is where, as the provider writes places; ``{value}`` what stands there; ``{id}`` the id of the call or result there; ``{turn}``
the message it stands in. Rules without a sentence here are refused in the linter's own words.
"""

from __future__ import annotations

_CHAT_NAME = "Invalid '{place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
_PAIRS = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
_ORDER = "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
_GEMINI_NAME = (
    "{place}: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.) or "
    "dashes (-), with a maximum length of 64."
)
_UNMARSHAL = "json: cannot unmarshal {kind} into Go struct field ChatRequest."

WORDS: dict[str, str] = {
    "chat.call-name": _CHAT_NAME,
    "chat.duplicate-result": "Duplicate value for 'tool_call_id' of '{id}' in messages.",
    "chat.tool-choice-without-tools": "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
    "chat.parallel-tool-calls-without-tools": "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
    "functions.call-name": _CHAT_NAME,
    "functions.name": _CHAT_NAME,
    "functions.no-messages": "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    "responses.call-name": _CHAT_NAME,
    "responses.tool-name": _CHAT_NAME,
    "responses.call-unanswered": "No tool output found for function call {id}.",
    "responses.orphan-output": "No tool call found for function call output with call_id {id}.",
    "responses.reasoning-alone": "Item '{id}' of type 'reasoning' was provided without its required following item.",
    "responses.id-length": "Invalid '{place}': string too long. Expected a string with maximum length 64, but got a string with length {size} instead.",
    "responses.content-null": "Invalid type for '{place}': expected one of an array of objects or string, but got null instead.",
    "responses.id-unstored": (
        "Item with id '{value}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item "
        "from your input."
    ),
    "anthropic.result-missing": (
        "messages.{turn}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` block must have a corresponding "
        "`tool_result` block in the next message."
    ),
    "anthropic.result-orphan": (
        "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the "
        "previous message."
    ),
    "anthropic.result-repeated": "{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}",
    "anthropic.results-first": (
        "messages.{turn}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}. Each `tool_use` block must have a corresponding "
        "`tool_result` block in the next message."
    ),
    "anthropic.id-twice": "messages: `tool_use` ids must be unique",
    "anthropic.id-letters": "{place}: String should match pattern '^[a-zA-Z0-9_-]+$'",
    "anthropic.call-name": "{place}: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    "anthropic.tool-name": "{place}: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    "anthropic.input-object": "{place}: Input should be an object",
    "anthropic.empty-text": "messages: text content blocks must be non-empty",
    "anthropic.empty-message": "messages.{turn}: all messages must have non-empty content except for the optional final assistant message",
    "anthropic.trailing-space": "messages: final assistant content cannot end with trailing whitespace",
    "anthropic.ends-with-assistant": "This model does not support assistant message prefill. The conversation must end with a user message.",
    "anthropic.no-max-tokens": "max_tokens: Field required",
    "anthropic.no-model": "model: Field required",
    "anthropic.no-messages": "messages: at least one message is required",
    "anthropic.thinking-choice": "Thinking may not be enabled when tool_choice forces tool use.",
    "anthropic.budget-limit": "`max_tokens` must be greater than `thinking.budget_tokens`.",
    "anthropic.budget-small": "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    "anthropic.thinking-temperature": "`temperature` may only be set to 1 when thinking is enabled.",
    "anthropic.thinking-unsigned": "{place}: Invalid `signature` in `thinking` block",
    "anthropic.cache-marks": "A maximum of 4 blocks with cache_control may be provided.",
    "anthropic.extra-member": "{place}: Extra inputs are not permitted",
    "gemini.result-missing": _PAIRS,
    "gemini.orphan-result": _PAIRS,
    "gemini.split-results": _PAIRS,
    "gemini.late-results": _PAIRS,
    "gemini.call-order": _ORDER,
    "gemini.starts-with-model": _ORDER,
    "gemini.signature-missing": (
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature "
        "may lead to degraded model performance. Additional data, function call `default_api:{name}`."
    ),
    "gemini.call-name": _GEMINI_NAME,
    "gemini.tool-name": _GEMINI_NAME,
    "gemini.tool-name-length": _GEMINI_NAME,
    "gemini.no-contents": "* GenerateContentRequest.contents: contents is not specified\n",
    "gemini.empty-parts": "* {place}: contents.parts must not be empty.\n",
    "ollama.content-type": f"{_UNMARSHAL}messages.content of type string",
    "ollama.arguments-type": f"{_UNMARSHAL}messages.tool_calls.function.arguments of type api.ToolCallFunctionArguments",
    "ollama.images": f"{_UNMARSHAL}messages.images of type []api.ImageData",
    "ollama.tools": f"{_UNMARSHAL}tools of type api.Tools",
    "ollama.no-model": "model is required",
}
