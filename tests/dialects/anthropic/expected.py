"""What each recorded answer of Anthropic Messages says: checked against the decoder, beside a second, naive reading.

Keys are file names of the recordings' index; the answers of one file are in order. Texts are given by their beginning and length.
"""

from __future__ import annotations

from typing import NamedTuple


class Expected(NamedTuple):
    """One answer.

    Attributes:
        text: beginning and length; likewise `thought`.
        calls: id, name and argument text of each.
        usage: tokens in, out, of these thinking; of the input read from and written to the cache.
        ends: neutral reason and the provider's word.
        failure: class, code and beginning of the text of the error that it is or holds.
        problems: codes of what the decoder noticed.
    """

    text: tuple[str, int] = ("", 0)
    thought: tuple[str, int] = ("", 0)
    calls: tuple[tuple[str, str, str], ...] = ()
    usage: tuple[int | None, int | None, int | None, int | None, int | None] | None = None
    ends: tuple[str, str] = ("error", "")
    failure: tuple[str, str, str] | None = None
    problems: tuple[str, ...] = ()


def ended(text: tuple[str, int], tokens: tuple[int, int], *, thought: tuple[str, int] = ("", 0), cached: int = 0, written: int = 0) -> Expected:
    """Return an answer of words alone."""
    return Expected(text=text, thought=thought, usage=(*tokens, None, cached, written), ends=("end", "end_turn"))


def called(*calls: tuple[str, str, str], tokens: tuple[int, int], text: tuple[str, int] = ("", 0), thought: tuple[str, int] = ("", 0)) -> Expected:
    """Return an answer with calls."""
    return Expected(text=text, thought=thought, calls=calls, usage=(*tokens, None, 0, 0), ends=("tool_use", "tool_use"))


EXPECTED: dict[str, list[Expected]] = {
    "chat_function_calling_anthropic_claude-haiku-4-5_can_use_tools_with_multi-turn_streaming_conversations.yml": [
        called(("toolu_01MKSN7NHsBVKr7Jvw5pqCQq", "weather", '{"latitude": "52.5200", "longitude": "13.4050"}'), tokens=(633, 75)),
        ended(("The weather in Berli", 158), (748, 49)),
        called(("toolu_01WyBDTrFVoidP92YhrB1xZ2", "weather", '{"latitude": "48.8575", "longitude": "2.3514"}'), tokens=(819, 75)),
        ended(("The weather in Paris", 172), (934, 53)),
    ],
    "chat_tool_choice_and_calls_control_anthropic_claude-haiku-4-5_respects_specific_tool_choice.yml": [
        called(("toolu_01MeWJcfZEJ1yc7Fae57Ne93", "weather", '{"latitude":"41.9028","longitude":"12.4964"}'), tokens=(716, 56)),
        ended(("I notice you've aske", 1412), (736, 333)),
    ],
    "test_anthropic_cache_real_api.yaml": [
        ended(("# What is Python?\n\nP", 1561), (1114, 406), cached=1111),
        ended(("Python is a beginner", 164), (1532, 33), cached=1111, written=418),
    ],
    "test_anthropic_model_empty_message_on_history.yaml": [ended(("I can't physically g", 364), (41, 88))],
    "test_anthropic_model_thinking_part_redacted.yaml": [
        ended(("I notice that your m", 341), (92, 196)),
        ended(("That message appeare", 500), (168, 232)),
    ],
    "test_anthropic_model_thinking_part_redacted_stream.yaml": [ended(("I notice that you've", 359), (92, 189))],
    "test_anthropic_model_thinking_part_stream.yaml": [ended(("Here are the basic s", 1021), (43, 282), thought=("This is a strai", 202))],
    "test_anthropic_tool_with_thinking.yaml": [
        called(
            ("toolu_01YGzqpRE16Vricda3Aqcejo", "get_user_country", "{}"),
            text=("I'll help you find t", 103),
            thought=("The user is ask", 376),
            tokens=(398, 155),
        ),
        ended(("Based on the informa", 604), (566, 126)),
    ],
    "test_multiple_parallel_tool_calls.yaml": [
        called(
            ("toolu_0167cfEnoQaPviGdVXA95zcu", "retrieve_entity_info", '{"name":"Alice"}'),
            ("toolu_01EEe2V5HD1Ac4rKiUR4HD2T", "retrieve_entity_info", '{"name":"Bob"}'),
            ("toolu_01XFyAjstT3966qvRynZyVPo", "retrieve_entity_info", '{"name":"Charlie"}'),
            ("toolu_013mnQZbgtK2oe3Mo3XKJsx3", "retrieve_entity_info", '{"name":"Daisy"}'),
            text=("I'll help you find o", 156),
            tokens=(423, 202),
        ),
        ended(("Based on the retriev", 340), (771, 77)),
    ],
    "test_mid_conversation_system_prompt_anchor_keeps_tool_pair_intact.yaml": [
        Expected(text=("Based on the style g", 1458), usage=(447, 492, 0, 0, 0), ends=("end", "end_turn")),
    ],
    "test_anthropic_tools_streaming_legacy.yaml": [
        called(
            ("toolu_014x5X91kx3fvdhpLvwXZWE2", "get_weather", '{"location": "San Francisco, CA", "unit": "celsius"}'),
            ("toolu_0121kXsENLvoDZ72LCuAnCCz", "get_time", '{"timezone": "America/Los_Angeles"}'),
            text=("Certainly! I can hel", 175),
            tokens=(506, 153),
        ),
    ],
    "test_anthropic_prompt_caching_stream_legacy.yaml": [
        ended(("Here are concise sum", 913), (1169, 201), written=1165),
        ended(("Here are concise sum", 1016), (1169, 221), cached=1165),
    ],
    "anthropic-message-delta-input-tokens.chunks.txt": [
        Expected(text=("pong", 4), usage=(61, 2, None, None, None), ends=("end", "end_turn")),
    ],
    "anthropic-refusal.chunks.txt": [Expected(usage=(18, 5, None, 0, 0), ends=("refusal", "refusal"), problems=("refusal",))],
    "anthropic-tool-no-args.chunks.txt": [
        called(("toolu_01QE1WLsSVp5hy5Q3GmGTmjP", "updateIssueList", "{}"), text=("I'll update the issu", 35), tokens=(565, 48)),
    ],
    "duplicate-message-start.chunks.txt": [
        Expected(text=("Hello, World!", 13), usage=(17, 227, None, None, None), ends=("end", "end_turn")),
    ],
    "spliced-message-start.chunks.txt": [
        Expected(
            thought=("I will call the", 21),
            calls=(("toolu_first", "test-tool", '{"value":"Spark'),),
            usage=(17, None, None, None, None),
            failure=("server", "spliced-stream", "A second answer (msg_second) b"),
        ),
    ],
    "test_cross_provider_capability_replay[anthropic-claude-sonnet-4-5-openai-responses-gpt-5.4].yaml": [
        called(("toolu_01FupCqh9WiFLKTeXddq4ZXH", "load_capability", '{"id":"refunds"}'), text=("I'll help you with y", 104), tokens=(632, 81)),
        called(("toolu_017ZWRrNd2wfiSf4RowmwaXE", "lookup_refund_policy", '{"order_id":"order-123"}'), tokens=(907, 60)),
        ended(("Good news! Your orde", 355), (991, 89)),
    ],
    "test_anthropic_model_thinking_part_from_other_model.yaml": [ended(("Great analogy! Here'", 1648), (1343, 538), thought=("The user is ask", 782))],
    "chat_error_handling_with_anthropic_claude-haiku-4-5_raises_appropriate_auth_error.yml": [
        Expected(failure=("auth", "authentication_error", "invalid x-api-key")),
    ],
    "chat_real_error_scenarios_anthropic_claude-haiku-4-5_handles_context_length_exceeded_errors.yml": [
        Expected(failure=("context_too_long", "invalid_request_error", "prompt is too long: 3333404 to")),
    ],
    "test_anthropic_explicit_effort_xhigh_unsupported_model_errors.yaml": [
        Expected(failure=("bad_request", "invalid_request_error", "This model does not support ef")),
    ],
    "test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5].yaml": [
        called(("toolu_01P1KHB7WG1b5n2MX4Z1UQu4", "lookup_refund_policy", '{"order_id":"order-456"}'), tokens=(1016, 60)),
        ended(("Yes, a refund is als", 89), (1101, 29)),
    ],
}
