"""What each recorded answer of Gemini says: written down once, checked against the raw traffic and against a second, naive reading.

Keys are file names of the recordings' index; the answers of one file are in order. Texts are given by their beginning and length.
"""

from __future__ import annotations

from typing import NamedTuple


class Expected(NamedTuple):
    """One answer.

    Attributes:
        text: beginning and length; likewise `thought`.
        calls: name, beginning of the argument text, and length of the signature of each.
        ids: the ids that the provider gave.
        usage: tokens in, out, of these reasoning.
        ends: neutral reason and the provider's word.
        failure: class, code and beginning of the text of the error that it is or holds.
        problems: codes of what the decoder noticed.
    """

    text: tuple[str, int] = ("", 0)
    thought: tuple[str, int] = ("", 0)
    calls: tuple[tuple[str, str, int], ...] = ()
    ids: tuple[str, ...] = ()
    usage: tuple[int | None, int | None, int | None] | None = None
    ends: tuple[str, str] = ("error", "")
    failure: tuple[str, str, str] | None = None
    problems: tuple[str, ...] = ()


EXPECTED: dict[str, list[Expected]] = {
    "TestGeminiNativeToolCalling.test_gemini_parallel_native_tool_calling_test_agent_kickoff.yaml": [
        Expected(
            calls=(
                ("parallel_local_search_one", '{"query":"latest OpenAI model release no', 412),
                ("parallel_local_search_two", '{"query":"latest Anthropic model release', 0),
                ("parallel_local_search_three", '{"query":"latest Gemini model release no', 0),
            ),
            usage=(291, 137, 67),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=("Here is a summary of the", 310),
            usage=(435, 89, 35),
            ends=("end", "STOP"),
        ),
    ],
    "TestGeminiToolCallStreaming.test_gemini_streaming_multiple_tool_calls_unique_ids.yaml": [
        Expected(
            calls=(("get_current_temperature", '{"city":"Paris"}', 0), ("get_current_temperature", '{"city":"London"}', 0)),
            usage=(37, 14, None),
            ends=("tool_use", "STOP"),
        ),
    ],
    "chat_function_calling_gemini_gemini-2_5-flash_can_handle_multiple_tool_calls_in_a_single_response.yml": [
        Expected(
            calls=(("dice_roll", "{}", 240),),
            usage=(61, 45, 35),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("dice_roll", "{}", 0),),
            usage=(101, 10, None),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("dice_roll", "{}", 0),),
            usage=(141, 10, None),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=("I rolled the dice 3 time", 52),
            usage=(181, 22, None),
            ends=("end", "STOP"),
        ),
    ],
    "chat_function_calling_gemini_gemini-2_5-flash_can_use_tools_with_multi-turn_streaming_conversations.yml": [
        Expected(
            calls=(("weather", '{"latitude":"52.5200","longitude":"13.40', 432),),
            usage=(103, 73, 43),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=("The weather in Berlin is", 53),
            usage=(233, 21, None),
            ends=("end", "STOP"),
        ),
        Expected(
            calls=(("weather", '{"longitude":"2.3514","latitude":"48.857', 0),),
            usage=(238, 29, None),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=("The weather in Paris is ", 52),
            usage=(323, 95, 74),
            ends=("end", "STOP"),
        ),
    ],
    "test_google_instructions_only_with_tool_calls.yaml": [
        Expected(
            calls=(("generate_topic", "{}", 964), ("generate_topic", "{}", 0), ("generate_topic", "{}", 0)),
            usage=(83, 220, 190),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("generate_topic", "{}", 296),),
            usage=(348, 50, 40),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("generate_topic", "{}", 616),),
            usage=(415, 115, 105),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("generate_topic", "{}", 604),),
            usage=(546, 116, 106),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("final_result", '{"response":["What kind of car does a sh', 1208),),
            usage=(679, 300, 235),
            ends=("tool_use", "STOP"),
        ),
    ],
    "test_google_model_iter_stream.yaml": [
        Expected(
            calls=(("get_capital", '{"country":"France"}', 0),),
            usage=(52, 5, None),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("get_temperature", '{"city":"Paris"}', 0),),
            usage=(64, 5, None),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=("The temperature in Paris", 34),
            usage=(79, 12, None),
            ends=("end", "STOP"),
        ),
    ],
    "test_google_model_max_tokens_thinking_model_empty_response.yaml": [
        Expected(
            usage=(15, 2, 2),
            ends=("length", "MAX_TOKENS"),
            problems=("budget-spent",),
        ),
    ],
    "test_google_streaming_tool_call_thought_signature.yaml": [
        Expected(
            calls=(("get_country", "{}", 1408),),
            usage=(29, 212, 202),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=("The capital of Mexico is", 37),
            usage=(257, 8, None),
            ends=("end", "STOP"),
        ),
    ],
    "test_google_tool_config_any_with_tool_without_args.yaml": [
        Expected(
            calls=(("bar", "{}", 0),),
            usage=(21, 1, None),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("final_result", '{"bar":"hello"}', 0),),
            usage=(27, 5, None),
            ends=("tool_use", "STOP"),
        ),
    ],
    "test_native_output_with_function_tools_stream.yaml": [
        Expected(
            calls=(("get_user_country", "{}", 540),),
            ids=("96c1su3s",),
            usage=(29, 81, 69),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=('{\n  "city": "Mexico City', 51),
            usage=(128, 51, 30),
            ends=("end", "STOP"),
        ),
    ],
    "TestGoogleAIToolCallResponse.httprr": [
        Expected(
            calls=(("calculate", '{"expression":"15 * 7"}', 0),),
            usage=(21, 7, None),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=('15 * 7 is 105.\n', 15),
            usage=(33, 12, None),
            ends=("end", "STOP"),
        ),
    ],
    "google-stream-no-args-tool-call.chunks.txt": [
        Expected(
            thought=("**Processing User Reques", 320),
            calls=(("read_theme", "{}", 1060), ("read_screen", '{"id":"A"}', 0), ("read_screen", '{"id":"B"}', 0), ("read_screen", '{"id":"C"}', 0)),
            usage=(249, 241, 183),
            ends=("tool_use", "STOP"),
        ),
    ],
    "google-stream-tool-call-arguments.chunks.txt": [
        Expected(
            calls=(("getWeather", '{"location":"Boston"}', 1032), ("getWeather", '{"location":"San Francisco"}', 0)),
            usage=(26, 155, 132),
            ends=("tool_use", "STOP"),
        ),
    ],
    "google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.txt": [
        Expected(
            calls=(("writeItems", '{"operations":[{"action":"add","descript', 732),),
            usage=(54, 195, 121),
            ends=("tool_use", "STOP"),
        ),
    ],
    "google-tool-call-gemini3.chunks.txt": [
        Expected(
            calls=(("weather", '{"location":"San Francisco"}', 5488),),
            usage=(29, 819, 804),
            ends=("tool_use", "STOP"),
        ),
    ],
    "google-tool-call.chunks.txt": [
        Expected(
            calls=(("weather", '{"location":"San Francisco"}', 396),),
            usage=(29, 60, 45),
            ends=("tool_use", "STOP"),
        ),
    ],
    "google-vertex-stream-tool-call-arguments-nested.1.chunks.txt": [
        Expected(
            calls=(("cookRecipe", '{"recipe":{"ingredients":[{"amount":"16 ', 5832),),
            usage=(31, 1710, 1026),
            ends=("tool_use", "STOP"),
        ),
    ],
    "test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5].yaml": [
        Expected(
            calls=(("load_capability", '{"id":"refunds"}', 388),),
            ids=("0usajhl5",),
            usage=(145, 73, 56),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            calls=(("lookup_refund_policy", '{"order_id":"order-123"}', 388),),
            ids=("8ci92gmp",),
            usage=(261, 85, 61),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=("Yes, a refund is allowed", 84),
            usage=(376, 104, 79),
            ends=("end", "STOP"),
        ),
    ],
    "test_thinking_with_tool_calls_from_other_model.yaml": [
        Expected(
            calls=(("final_result", '{"city":"Mexico City","country":"Mexico"', 724),),
            usage=(107, 146, 123),
            ends=("tool_use", "STOP"),
        ),
    ],
    "chat_error_handling_with_gemini_gemini-2_5-flash_raises_appropriate_auth_error.yml": [
        Expected(
            failure=("auth", "INVALID_ARGUMENT", "API key not valid. Pleas"),
        ),
    ],
    "chat_real_error_scenarios_gemini_gemini-2_5-flash_handles_context_length_exceeded_errors.yml": [
        Expected(
            failure=("rate_limit", "RESOURCE_EXHAUSTED", "You exceeded your curren"),
        ),
    ],
    "test_model_name_suggestion[google].yaml": [
        Expected(
            failure=("bad_request", "NOT_FOUND", "models/gemini-3.6-flahs "),
        ),
    ],
    "test_google_model_armor_prompt_template_text_gets_blocked.yaml": [
        Expected(
            ends=("content_filter", "MODEL_ARMOR"),
            problems=("prompt-blocked",),
        ),
    ],
    "TestGoogleAIErrorHandling.httprr": [
        Expected(
            failure=("auth", "PERMISSION_DENIED", "Method doesn't allow unr"),
        ),
    ],
    "google-429-retry-info.json": [
        Expected(
            failure=("rate_limit", "RESOURCE_EXHAUSTED", "You exceeded your curren"),
        ),
    ],
    "test_multiple_agent_tool_calls.yaml": [
        Expected(
            calls=(("get_capital", '{"country":"France"}', 0),),
            usage=(23, 5, None),
            ends=("tool_use", "STOP"),
        ),
        Expected(
            text=("The capital of France is", 32),
            usage=(35, 8, None),
            ends=("end", "STOP"),
        ),
    ],
}
