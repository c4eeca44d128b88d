"""The words in which providers refuse a request, and the rules they mean: the error columns of the wire specification as a table."""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.conversation.messages import DialectName

CHAT: tuple[DialectName, ...] = ("chat_completions", "functions", "react")


class Meaning(NamedTuple):
    """What a text means.

    Attributes:
        dialects: in which it is said.
        words: what it looks like, in any case.
        rules: the faults it may stand for, without the dialect's word, the likeliest first.
        message, fix: what is told where no rule finds the fault in the body.
        place: where the fault is, if the text names no place.
    """

    dialects: tuple[DialectName, ...]
    words: re.Pattern[str]
    rules: tuple[str, ...]
    message: str
    fix: str
    place: str = ""


def _said(dialects: tuple[DialectName, ...] | DialectName, words: str, rules: str, message: str, fix: str, place: str = "") -> Meaning:
    names = (dialects,) if isinstance(dialects, str) else dialects
    return Meaning(names, re.compile(words, re.IGNORECASE | re.DOTALL), tuple(rules.split()), message, fix, place)


_ADD_RESULT = "Add a result that says the call was interrupted."
_DROP_RESULT = "Leave the result out."
_RENAME = "Replace the characters that are not allowed, in the declaration and in the calls."

MEANINGS: tuple[Meaning, ...] = (
    # Chat Completions, and what claims to speak it
    _said(
        CHAT,
        r"did not have response messages|must be followed by tool messages|not the same number of function calls and responses",
        "unanswered-call late-result orphan-result duplicate-result",
        "A tool call has no result directly after it.",
        _ADD_RESULT,
    ),
    _said(
        CHAT,
        r"role .?['\"`]tool.?['\"`].? must be a response to a prece+ding message|unexpected role ['\"]tool['\"] after role",
        "orphan-result late-result duplicate-result",
        "A tool result has no call directly before it.",
        _DROP_RESULT,
    ),
    _said(CHAT, r"tool_calls'?: array too long", "too-many-calls", "One message has too many tool calls.", "Split the turn."),
    _said(CHAT, r"invalid 'tools'?: array too long", "too-many-tools too-many", "Too many tools are offered.", "Offer fewer tools.", "/tools"),
    _said(CHAT, r"description'?: string too long", "description-length", "A tool's description is too long.", "Shorten the description."),
    _said(CHAT, r"\bid'?: string too long", "call-id-length", "A tool call's id is too long.", "Shorten it, on the call and its result."),
    _said(
        CHAT,
        r"name'?: string too long|length of the tool name cannot exceed",
        "tool-name-length call-name tool-name name",
        "A tool's name is too long.",
        "Shorten it, in the declaration and in the calls.",
    ),
    _said(
        CHAT,
        r"name.{0,40}does not match pattern|expected a string that matches the pattern '\^\[a-z",
        "tool-name call-name name",
        "A tool's name has characters that are not allowed.",
        _RENAME,
    ),
    _said(
        CHAT,
        r"'tool_choice' is only allowed when",
        "tool-choice-without-tools choice-without-functions",
        "`tool_choice` is only allowed beside tools.",
        "Leave it out.",
        "/tool_choice",
    ),
    _said(
        CHAT,
        r"'parallel_tool_calls' is only allowed when",
        "parallel-tool-calls-without-tools",
        "`parallel_tool_calls` is only allowed beside tools.",
        "Leave it out.",
        "/parallel_tool_calls",
    ),
    _said(CHAT, r"invalid schema for function", "strict-schema schema-root", "A tool's schema is refused.", "Switch `strict` off, or close the schema."),
    _said(CHAT, r"thinking mode does not support this tool_choice", "thinking-tool-choice", "Thinking and a forced tool do not go together.", "Use 'auto'."),
    _said(
        CHAT,
        r"type should be defined in anyof items|items must be an object",
        "moonshot-schema",
        "A tool's schema is outside Moonshot's schema dialect.",
        "Move the type into the alternatives, use one schema for items.",
    ),
    _said(CHAT, r"'max_tokens' is not supported", "max-tokens-field two-limits", "The model takes `max_completion_tokens` only.", "Rename it.", "/max_tokens"),
    _said(CHAT, r"'stop' is not supported", "stop-unsupported", "The model takes no stop sequences.", "Leave `stop` out.", "/stop"),
    _said(CHAT, r"does not support 'system' with this model", "system-role", "The model takes no role 'system'.", "Send it as 'developer' or 'user'."),
    _said(
        CHAT,
        r"function tools with reasoning_effort are not supported",
        "tools-with-reasoning",
        "The model takes function tools here only without reasoning.",
        "Set `reasoning_effort` to 'none', or use the Responses dialect.",
        "/reasoning_effort",
    ),
    _said(CHAT, r"missing required parameter: 'messages\S+type'", "part-type", "A part of the content has no type.", 'Add "type": "text".'),
    _said(
        CHAT,
        r"content blocks are expected to be either text or image_url",
        "image-place part-type",
        "A part of the content is not allowed in this message.",
        "Send pictures in a user message.",
    ),
    _said(
        CHAT,
        r"text content blocks must be non-empty|must have non-empty content",
        "empty-text-beside-calls empty-turn empty-content",
        "A text is empty.",
        "Leave it out.",
    ),
    _said(
        CHAT,
        r"`?reasoning_content`?.{0,40}must be passed back",
        "reasoning-missing",
        "The reasoning of a turn with calls is missing.",
        'Send `reasoning_content`, "" if there was none.',
    ),
    _said(CHAT, r"tool call id was \S* ?but must be", "mistral-id", "A tool call's id is not nine letters or digits.", "Map it, on the call and its result."),
    _said(CHAT, r"unexpected role 'user' after role 'tool'", "user-after-tool", "A user message follows a result.", "Put a short answer between them."),
    _said(
        CHAT,
        r"expected last role user or tool|assistant response prefill|2 or more assistant messages at the end|must end with a user message",
        "ends-with-assistant",
        "The last message is the assistant's.",
        "End with a user message.",
    ),
    _said(CHAT, r"roles must alternate", "roles-alternate user-after-tool", "Two messages of one role follow each other.", "Join them."),
    _said(CHAT, r"system message must be (?:at )?the beginning", "system-place", "A system message stands behind others.", "Send it as a user message."),
    _said(CHAT, r"duplicate value for 'tool_call_id'", "duplicate-result duplicate-call-id", "An id is used twice.", "Keep the first."),
    _said(CHAT, r"invalid 'messages': empty array", "no-messages", "There are no messages.", "Add a user message.", "/messages"),
    _said(
        CHAT,
        r"(?:content'?.{0,60}(?:got null|must not be null|should be a valid string)|expected 'content')",
        "result-content no-content empty-turn empty-text-beside-calls",
        "A message has no content.",
        "Send a text.",
    ),
    _said(
        CHAT,
        r"arguments.{0,80}(?:valid json|json object|must be a json|not valid)|failed to parse tool call arguments|tool call arguments must be",
        "arguments-json arguments-type",
        "The arguments of a call are not a JSON object.",
        "Wrap them into an object.",
    ),
    _said((*CHAT, "ollama"), r"does not support tools", "tools-unsupported", "The model takes no tools.", "Choose another model, or ReAct.", "/tools"),
    # Responses
    _said(
        "responses",
        r"no tool output found for (?:function|tool|custom tool)? ?call",
        "call-unanswered output-late text-among-calls",
        "A call has no output.",
        _ADD_RESULT,
    ),
    _said(
        "responses",
        r"no tool call found for (?:function|custom tool) call output",
        "orphan-output duplicate-output",
        "An output has no call in this request.",
        _DROP_RESULT,
    ),
    _said(
        "responses",
        r"of type 'reasoning' was provided without its required following item",
        "reasoning-alone reasoning-parted",
        "A reasoning item stands without the item it led to.",
        "Leave the reasoning out.",
    ),
    _said(
        "responses",
        r"was provided without its required 'reasoning' item",
        "item-without-reasoning id-unstored",
        "An item with an id stands without its reasoning.",
        "Leave its id out.",
    ),
    _said(
        "responses",
        r"item with id '\S+' not found",
        "id-unstored reasoning-unstored reference-unstored",
        "An item is named that the server did not keep.",
        "Leave ids out.",
    ),
    _said(
        "responses",
        r"encrypted content for item \S+ could not be verified|invalid_encrypted_content",
        "foreign-reasoning",
        "Encrypted reasoning comes from another key or model.",
        "Leave all reasoning out.",
    ),
    _said(
        "responses",
        r"encrypted content is not supported",
        "encrypted-unsupported",
        "The model gives no encrypted reasoning.",
        "Leave it out of `include`.",
        "/include",
    ),
    _said(
        "responses",
        r"duplicate item found with id",
        "chain-repeats id-unstored duplicate-output",
        "An item is in the request twice.",
        "Send only what is new.",
    ),
    _said("responses", r"content'?: expected one of .{0,60}got null", "content-null", "A message has no content.", "Leave the message out."),
    _said("responses", r"id'?: string too long", "id-length call-id-length", "An id is too long.", "Leave it out, or shorten it."),
    # Anthropic
    _said(
        "anthropic",
        r"ids were found without `?tool_result`? blocks|did not find \d+ tool_result block",
        "result-missing results-first result-place",
        "A tool call has no result at the beginning of the next message.",
        _ADD_RESULT,
    ),
    _said("anthropic", r"unexpected `?tool_use_id`? found in `?tool_result`?", "result-orphan", "A result has no call in the message before.", _DROP_RESULT),
    _said("anthropic", r"found multiple `?tool_result`? blocks", "result-repeated", "A call has two results.", "Keep the first."),
    _said("anthropic", r"`?tool_use`? ids must be unique", "id-twice", "Two calls have one id.", "Rename one, on the call and its result."),
    _said("anthropic", r"tool_use\.id: string should match pattern", "id-letters", "A call's id has characters that are not allowed.", "Map it."),
    _said("anthropic", r"tool_use\.input: input should be", "input-object", "The input of a call is not an object.", "Wrap it into an object."),
    _said("anthropic", r"input tag '\w+_delta'", "delta-block block-type", "A piece of a stream stands where a block belongs.", "Leave it out."),
    _said(
        "anthropic",
        r"text content blocks must be non-empty|must have non-empty content",
        "empty-text empty-message",
        "A text or message is empty.",
        "Leave it out.",
    ),
    _said("anthropic", r"cannot end with trailing whitespace", "trailing-space", "The last assistant text ends in white space.", "Cut it off."),
    _said(
        "anthropic",
        r"does not support assistant message prefill|must end with a user message",
        "ends-with-assistant",
        "The last message is the assistant's.",
        "End with a user message.",
    ),
    _said(
        "anthropic",
        r"expected `?thinking`? or `?redacted_thinking`?, but found",
        "thinking-missing",
        "The turn does not begin with its thinking.",
        "Send this request with thinking off.",
    ),
    _said("anthropic", r"when thinking is disabled", "thinking-last thinking-off", "A thinking block stands in the last message.", "Leave it out."),
    _said(
        "anthropic",
        r"blocks in the latest assistant message cannot be modified|invalid `?signature`? in `?thinking`?",
        "thinking-changed thinking-unsigned",
        "A thinking block is not as the model made it.",
        "Leave the block out.",
    ),
    _said("anthropic", r"thinking may not be enabled when tool_choice", "thinking-choice", "Thinking and a forced tool do not go together.", "Use auto."),
    _said("anthropic", r"must be greater than `?thinking", "budget-limit", "`max_tokens` is not above the thinking budget.", "Raise it.", "/max_tokens"),
    _said("anthropic", r"budget_tokens: input should be", "budget-small", "The thinking budget is too small.", "Use 1024 or more.", "/thinking/budget_tokens"),
    _said("anthropic", r"temperature`? may only be set to 1", "thinking-temperature", "Thinking takes temperature 1 only.", "Leave it out.", "/temperature"),
    _said("anthropic", r"does not support effort level", "effort effort-model", "The model does not know this effort.", "Choose another.", "/output_config"),
    _said("anthropic", r"name: string should match pattern", "tool-name call-name", "A tool's name has characters that are not allowed.", _RENAME),
    _said("anthropic", r"oneof, allof, or anyof at the top level", "schema-combined", "A schema is combined at its root.", "Wrap it into an object."),
    _said("anthropic", r"property keys should match pattern", "property-name", "A parameter's name has characters that are not allowed.", "Rename it."),
    _said("anthropic", r"blocks with cache_control may be provided", "cache-marks", "There are too many cache marks.", "Remove the oldest."),
    _said("anthropic", r"extra inputs are not permitted", "extra-member", "A member is not known here.", "Leave it out."),
    # Gemini
    _said(
        "gemini",
        r"number of function response parts is equal",
        "result-missing split-results orphan-result late-results result-order",
        "There are not as many results as calls in one following content.",
        _ADD_RESULT,
    ),
    _said(
        "gemini",
        r"function call turn comes immediately after a user turn",
        "call-order starts-with-model late-results split-results",
        "A turn with calls does not follow a user's turn or results.",
        "Begin at a user's turn.",
    ),
    _said("gemini", r"missing a thought_signature", "signature-missing", "A call has no signature.", "Send the stand-in."),
    _said("gemini", r"invalid function name|name cannot be empty", "tool-name tool-name-length call-name", "A tool's name is not allowed.", _RENAME),
    _said("gemini", r"unknown name \"\w+\".{0,90}cannot find field", "schema-key", "A schema uses a word that is not known.", "Use `parametersJsonSchema`."),
    _said("gemini", r"should be non-empty for object type", "schema-empty-object", "An object schema has no properties.", "Leave `parameters` out."),
    _said("gemini", r"items: missing field", "schema-items", "A list in a schema does not say of what.", "Add `items`."),
    _said("gemini", r"enum.{0,20}(?:type_string|only allowed for string)", "schema-enum", "An enum holds more than texts.", "Write texts only."),
    _said("gemini", r"required\[\d+\]: property is not defined", "schema-required", "A required parameter is not declared.", "Leave it out of `required`."),
    _said("gemini", r"contents is not specified", "no-contents", "There are no contents.", "Add a user content.", "/contents"),
    _said("gemini", r"parts must not be empty", "empty-parts empty-part", "A content has no parts.", "Leave it out."),
    # Ollama
    _said("ollama", r"cannot unmarshal \w+ into .{0,60}arguments", "arguments-type", "Arguments are no object.", "Write an object."),
    _said("ollama", r"cannot unmarshal \w+ into .{0,40}content", "content-type", "A content is no text.", "Write one text."),
)
