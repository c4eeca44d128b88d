"""What each recorded answer of Chat Completions says: checked against the decoder and against a second, naive reading.

Keys are file names of the recordings' index; the answers of one file are in order. Texts are given by their beginning and length.
"""

from __future__ import annotations

from typing import NamedTuple


class Expected(NamedTuple):
    """One answer.

    Attributes:
        text: beginning and length; likewise `thought`.
        calls: id, name and argument text of each.
        usage: tokens in, out, of these reasoning, and of the input cached.
        ends: neutral reason and the provider's word.
        failure: class, code and beginning of the text of the error that it is or holds.
        problems: codes of what the decoder noticed.
    """

    text: tuple[str, int] = ("", 0)
    thought: tuple[str, int] = ("", 0)
    calls: tuple[tuple[str, str, str], ...] = ()
    usage: tuple[int | None, int | None, int | None, int | None] | None = None
    ends: tuple[str, str] = ("error", "")
    failure: tuple[str, str, str] | None = None
    problems: tuple[str, ...] = ()


EXPECTED: dict[str, list[Expected]] = {
    "test_handle_streaming_tool_calls.yaml": [
        Expected(
            calls=(("call_bCEixqN8Y40SUyius8ZfVErH", "get_weather", '{"location":"New York, NY"}'),),
            usage=(68, 18, 0, 0),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "chat_function_calling_ollama_cloud_gpt-oss_120b_can_use_tools_with_multi-turn_streaming_conversations.yml": [
        Expected(
            thought=("We need to call weather ", 81),
            calls=(("call_x7rn5sl5", "weather", '{"latitude":"52.5200","longitude":"13.4050"}'),),
            usage=(169, 55, None, None),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The current weather in Berli", 102), usage=(252, 45, None, None), ends=("end", "stop")),
        Expected(
            thought=("We need to fetch weather", 61),
            calls=(("call_5zat23rg", "weather", '{"latitude":"48.8575","longitude":"2.3514"}'),),
            usage=(300, 45, None, None),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The current weather in Paris", 100), usage=(380, 45, None, None), ends=("end", "stop")),
    ],
    "chat_function_calling_ollama_qwen3_can_handle_multiple_tool_calls_in_a_single_response.yml": [
        Expected(
            thought=("Okay, the user wants me ", 385),
            calls=(("call_2qwy5kxj", "dice_roll", "{}"),
                ("call_bpkrefyu", "dice_roll", "{}"),
                ("call_7t3hvz5k", "dice_roll", "{}"),),
            usage=(152, 134, None, None),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The dice rolls resulted in:\n", 92), thought=("Okay, let me process thi", 414), usage=(323, 157, None, None), ends=("end", "stop")),
    ],
    "chat_function_calling_openrouter_claude-haiku-4-5_can_use_tools_with_multi-turn_streaming_conversations.yml": [
        Expected(
            calls=(("toolu_bdrk_01FnJwNhnbF7UbXLQGHJ5dda", "weather", '{"latitude": "52.5200", "longitude": "13.4050"}'),),
            usage=(633, 75, 0, 0),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The current weather in Berli", 186), usage=(748, 64, 0, 0), ends=("end", "stop")),
        Expected(
            calls=(("toolu_bdrk_01HVmcMRS4tqD3nYTceCxwWE", "weather", '{"latitude": "48.8575", "longitude": "2.3514"}'),),
            usage=(834, 75, 0, 0),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The current weather in Paris", 232), usage=(949, 73, 0, 0), ends=("end", "stop")),
    ],
    "test_ollama_cloud_tool_output.yaml": [
        Expected(text=("Paris.", 6), thought=("We need to answer questi", 490), usage=(134, 122, None, None), ends=("end", "stop")),
        Expected(
            thought=("The conversation: user a", 763),
            calls=(("call_o2vnpxrw", "final_result", '{"city":"Paris","country":"France"}'),),
            usage=(206, 194, None, None),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "test_compatible_api_with_tool_calls_without_id.yaml": [
        Expected(calls=(("call_1f8c7aea74574f17664c0e6e", "get_current_time", "{}"),), usage=(35, 12, None, None), ends=("tool_use", "tool_calls")),
        Expected(text=("The current time is Noon.", 25), usage=(66, 6, None, None), ends=("end", "stop")),
    ],
    "test_openai_model_cerebras_provider_harmony.yaml": [
        Expected(text=("The capital of France is **P", 35), thought=("User asks simple questio", 84), usage=(74, 36, None, 0), ends=("end", "stop")),
    ],
    "test_run_stream_sync_streams_real_model.yaml": [
        Expected(calls=(("call_ZR5UUuTt3pf61kjwAJIYdVMj", "get_capital", '{"country":"UK"}'),), usage=(53, 15, 0, 0), ends=("tool_use", "tool_calls")),
        Expected(text=("The capital of the UK is Lon", 32), usage=(78, 9, 0, 0), ends=("end", "stop")),
    ],
    "test_cancel_recorded_provider_stream[huggingface].yaml": [
        Expected(text=("Paris", 5), usage=(40, 2, None, None), ends=("end", "stop")),
    ],
    "test_tool_use_basic.yaml": [
        Expected(calls=(("call_1EYWDzueHEp8OsB8jJSEp7WB", "multiply", '{"a":1231,"b":2331}'),), usage=(54, 20, 0, 0), ends=("tool_use", "tool_calls")),
        Expected(text=("The result of \\( 1231 \\times", 56), usage=(87, 26, 0, 0), ends=("end", "stop")),
    ],
    "test_tool_use_chain_of_two_calls.yaml": [
        Expected(
            calls=(("call_TTY8UFNo7rNCaOBUNtlRSvMG", "lookup_population", '{"country":"Crumpet"}'),),
            usage=(92, 17, 0, 0),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(
            calls=(("call_aq9UyiSFkzX6W8Ydc33DoI9Y", "can_have_dragons", '{"population":123124}'),),
            usage=(118, 18, 0, 0),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("YES", 3), usage=(146, 3, 0, 0), ends=("end", "stop")),
    ],
    "test_tools_streaming_variant_a.yaml": [
        Expected(calls=(("0", "llm_version", "{}"),), usage=(57, 17, 0, 0), ends=("incomplete", ""), problems=("no-finish-reason",)),
        Expected(text=("The current version of *llm*", 52), usage=(107, 15, 0, 0), ends=("end", "stop")),
    ],
    "test_tools_streaming_variant_b.yaml": [
        Expected(calls=(("0", "llm_version", "{}"),), usage=(57, 17, 0, 0), ends=("incomplete", ""), problems=("no-finish-reason",)),
        Expected(text=("The current version of *llm*", 52), usage=(107, 15, 0, 0), ends=("end", "stop")),
    ],
    "test_tools_streaming_variant_c.yaml": [
        Expected(calls=(("llm_version:0", "llm_version", "{}"),), usage=(56, 12, 0, 0), ends=("tool_use", "tool_calls")),
        Expected(text=("The installed version of LLM", 63), usage=(105, 16, 0, 0), ends=("end", "stop")),
    ],
    "test_tools_streaming_variant_d.yaml": [
        Expected(calls=(("0", "llm_version", "{}"),), usage=(57, 17, 0, 0), ends=("tool_use", "tool_calls")),
        Expected(text=("The current version of *llm*", 52), usage=(107, 15, 0, 0), ends=("end", "stop")),
    ],
    "TestOpenAIFunctionsAgentWithHTTPRR.httprr": [
        Expected(calls=(("call_sgvhmmuASadOaDtd93TmrUsY", "calculator", '{"__arg1":"15 * 4"}'),), usage=(94, 19, 0, 0), ends=("tool_use", "tool_calls")),
        Expected(text=("15 multiplied by 4 is 60.", 25), usage=(115, 10, 0, 0), ends=("end", "stop")),
    ],
    "TestOpenRouterStreaming.httprr": [
        Expected(text=("test response", 13), usage=(586, 3, 0, 0), ends=("end", "stop")),
        Expected(failure=("rate_limit", "429", "Rate limit exceeded: limit_rpm")),
    ],
    "test_open_ai_function_calls_tools_streaming_parallel.yaml": [
        Expected(
            calls=(("call_cCPjAyfwTzboEKjVlqFrArNF", "get_current_weather", '{"location": "San Francisco"}'),
                ("call_Zi4He1Ns0mozwT6f85nW1BOW", "get_current_weather", '{"location": "Boston"}'),),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(
            calls=(("call_u0T52evs3Y0byXDiUv5Al8dG", "get_current_weather", '{"location": "San Francisco"}'),
                ("call_iXfR9wmFaDTHUw5YaVxD1uFH", "get_current_weather", '{"location": "Boston"}'),),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "alibaba-tool-call.chunks.txt": [
        Expected(
            calls=(("call_eee11723464a4b9eb8cee71d", "weather", '{"location": "San Francisco"}'),),
            usage=(295, 22, None, 0),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "groq-tool-call.chunks.txt": [
        Expected(calls=(("tk85n1k4m", "weather", "{}"),), usage=(210, 15, None, None), ends=("tool_use", "tool_calls")),
    ],
    "anthropic-fallback-tool-call.sse": [
        Expected(text=("Reading it.", 11), calls=(("toolu_sanitized", "read_file", '{"path": "a.txt"}'),), ends=("tool_use", "tool_calls")),
    ],
    "azure-model-router.1.chunks.txt": [
        Expected(text=("Capital of Denmark.", 19), usage=(15, 78, 64, 0), ends=("end", "stop")),
    ],
    "test_multiple_agent_tool_calls.yaml": [
        Expected(calls=(("call_SkEQ3ZGSJC8m6AvaIGNuuKdm", "get_capital", '{"country":"England"}'),), usage=(104, 16, 0, 0), ends=("tool_use", "tool_calls")),
        Expected(text=("The capital of England is Lo", 33), usage=(129, 9, 0, 0), ends=("end", "stop")),
    ],
    "test_custom_llm_within_crew.yaml": [
        Expected(failure=("bad_request", "missing_required_parameter", "Missing required parameter: 'm")),
        Expected(failure=("bad_request", "missing_required_parameter", "Missing required parameter: 'm")),
        Expected(failure=("bad_request", "missing_required_parameter", "Missing required parameter: 'm")),
    ],
    "test_llm_call_when_stop_is_unsupported.yaml": [
        Expected(failure=("bad_request", "unsupported_parameter", "Unsupported parameter: 'stop' ")),
        Expected(text=("The capital of France is **P", 35), usage=(14, 84, 64, 0), ends=("end", "stop")),
    ],
    "chat_error_handling_with_mistral_mistral-small-latest_raises_appropriate_auth_error.yml": [
        Expected(failure=("auth", "", "Invalid API Key")),
    ],
    "chat_real_error_scenarios_deepseek_deepseek-chat_handles_context_length_exceeded_errors.yml": [
        Expected(failure=("context_too_long", "invalid_request_error", "This model's maximum context l")),
    ],
    "chat_real_error_scenarios_openrouter_claude-haiku-4-5_handles_context_length_exceeded_errors.yml": [
        Expected(failure=("context_too_long", "400", "This endpoint's maximum contex")),
    ],
    "chat_with_extended_thinking_gpustack_qwen3_streams_thinking_content_when_available.yml": [
        Expected(
            text=("\n\n**Question to Ask the Mirr", 1033),
            thought=("\nOkay, the user is askin", 7964),
            failure=("server", "", "failed to decode, try again, i"),
        ),
    ],
    "test_tool_use_failed_error.yaml": [
        Expected(failure=("bad_request", "tool_use_failed", "Tool call validation failed: t")),
        Expected(
            thought=("We need to call with cor", 76),
            calls=(("fc_311ba17b-89f9-48d3-8fd9-7e74a1264855", "get_something_by_name", '{"name":"test"}'),),
            usage=(301, 52, 22, None),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The first call failed due to", 140), thought=("We need to respond to us", 275), usage=(336, 96, 59, 256), ends=("end", "stop")),
    ],
    "test_tool_use_failed_error_streaming.yaml": [
        Expected(thought=("We need to call the tool", 412), failure=("bad_request", "tool_use_failed", "Tool call validation failed: t")),
        Expected(
            thought=("We need to call the func", 92),
            calls=(("fc_bfb39741-3748-4def-9886-a93fc9c64a90", "get_something_by_name", '{"name":"example"}'),),
            usage=(304, 49, 23, None),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The tool returned the expect", 57), thought=("The user wants to test e", 176), usage=(339, 58, 38, None), ends=("end", "stop")),
    ],
    "test_tool_use_failed_error_with_text.yaml": [
        Expected(failure=("bad_request", "tool_use_failed", "Tool choice is required, but m")),
        Expected(
            thought=("The user wants me to fix", 670),
            calls=(("fc_beee8d84-e6d7-4980-bec6-298d3ec7a73f", "final_result", '{"response":"yes"}'),),
            usage=(254, 174, 147, None),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "test_openai_o1_mini_system_role[system].yaml": [
        Expected(failure=("bad_request", "unsupported_value", "Unsupported value: 'messages[0")),
    ],
    "test_openrouter_errors_raised.yaml": [
        Expected(failure=("rate_limit", "429", "Provider returned error: googl")),
        Expected(failure=("rate_limit", "429", "Provider returned error: googl")),
        Expected(failure=("rate_limit", "429", "Provider returned error: googl")),
    ],
    "test_openrouter_stream_error.yaml": [
        Expected(thought=("We need to respond to a ", 42), usage=(43, 10, 11, 0), failure=("bad_request", "400", "Token limit reached")),
    ],
    "test_prompt_content_filtering.yaml": [
        Expected(failure=("bad_request", "content_filter", "The response was filtered due ")),
        Expected(text=("Why did the developer break ", 92), usage=(16, 19, 0, 0), ends=("end", "stop")),
        Expected(text=("Sure! Here's a joke about Op", 164), usage=(16, 35, 0, 0), ends=("end", "stop")),
        Expected(text=("Why did the developer bring ", 105), usage=(16, 23, 0, 0), ends=("end", "stop")),
    ],
    "reasoning-model-legacy-parameter-error.json": [
        Expected(failure=("bad_request", "unsupported_parameter", "Unsupported parameter: 'max_to")),
    ],
    "chat_function_calling_mistral_mistral-small-latest_can_use_tools_with_multi-turn_streaming_conversations.yml": [
        Expected(
            calls=(("g6fVbXS8K", "weather", '{"latitude": "52.5200", "longitude": "13.4050"}'),),
            usage=(159, 28, None, 128),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The current weather in Berli", 109), usage=(222, 43, None, 192), ends=("end", "stop")),
        Expected(
            calls=(("VzeppoSaq", "weather", '{"latitude": "48.8575", "longitude": "2.3514"}'),),
            usage=(291, 27, None, 192),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("The current weather in Paris", 107), usage=(352, 42, None, 320), ends=("end", "stop")),
    ],
    "chat_mistral_hybrid_reasoning_replays_thinking_chunks_across_turns.yml": [
        Expected(text=("144", 3), thought=("The user is asking for t", 174), usage=(31, 66, None, 0), ends=("end", "stop")),
        Expected(text=("154", 3), thought=("The user wants me to add", 151), usage=(113, 58, None, 0), ends=("end", "stop")),
    ],
    "test_mistral_model_thinking_part_iter.yaml": [
        Expected(text=("To cross the street safely, ", 607), thought=("Okay, the user is asking", 421), usage=(10, 232, None, None), ends=("end", "stop")),
    ],
    "test_tool_choice_matrix[auto-mistral].yaml": [
        Expected(calls=(("KikbB849t", "get_weather", '{"city": "Paris"}'),), usage=(77, 12, None, None), ends=("tool_use", "tool_calls")),
        Expected(text=("The current weather in **Par", 95), usage=(100, 29, None, None), ends=("end", "stop")),
    ],
    "mistral-incremental-tool-call.chunks.txt": [
        Expected(
            calls=(("chatcmpl-tool-9f149c74c42f265b", "webSearchTool", '{"query": "current Berlin weather"}'),),
            usage=(171, 14, None, 128),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "mistral-reasoning.chunks.txt": [
        Expected(text=("2 + 2 = 4", 9), thought=("The user is asking for 2", 60), usage=(10, 46, None, None), ends=("end", "stop")),
    ],
    "mistral-tool-call.chunks.txt": [
        Expected(calls=(("gSIMJiOkT", "weather", '{"location": "San Francisco"}'),), usage=(124, 22, None, None), ends=("tool_use", "tool_calls")),
    ],
    "chat_function_calling_gpustack_qwen3_handles_object_params.yml": [
        Expected(
            thought=("\nOkay, the user wants me", 578),
            calls=(("call-OPxHIUDD4Kpd9UqUVgjXaII9LYhmO7Ak", "object_params", '{"window":{"end":"2025-01-02","start":"2025-01-01"}}'),),
            usage=(284, 190, 141, 0),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "test_deepseek_deferred_capability_with_thinking.yaml": [
        Expected(
            text=("Let me load the dice rolling", 40),
            thought=("The user wants to play a", 233),
            calls=(("call_00_sXqYgMESDht75NCLLZtt9804", "load_capability", '{"id": "DICE_ROLL"}'),),
            usage=(563, 116, 60, 512),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(
            text=("Let me get your name and rol", 38),
            thought=("Great, now I have access", 105),
            calls=(("call_00_6edlnw3Z1MgeMfey687g8451", "get_player_name", "{}"),
                ("call_01_km02sac7sHxNDPATKLZy7705", "roll_dice", "{}"),),
            usage=(875, 79, 26, 0),
            ends=("tool_use", "tool_calls"),
        ),
        Expected(text=("🎉 **Congratulations, Anne!**", 124), thought=("The player's name is Ann", 83), usage=(976, 61, 25, 896), ends=("end", "stop")),
    ],
    "test_deepseek_model_thinking_stream.yaml": [
        Expected(text=("Hello there! 😊 How can I hel", 40), thought=("Hmm, the user just said ", 882), usage=(6, 212, 198, 0), ends=("end", "stop")),
    ],
    "test_openrouter_preserve_reasoning_block.yaml": [
        Expected(text=("Hello! How can I help you to", 32), usage=(8, 15, 0, None), ends=("end", "stop")),
        Expected(text=("Short answer: Very large. Vo", 3868), thought=("**Structuring Voltaire’s", 574), usage=(41, 1457, 704, None), ends=("end", "stop")),
    ],
    "test_openrouter_streaming_reasoning.yaml": [
        Expected(text=("2 + 2 = 4", 9), thought=("This is a simple arithme", 51), usage=(43, 36, 13, 0), ends=("end", "stop")),
    ],
    "test_zai_preserved_thinking_round_trip.yaml": [
        Expected(text=("17 * 19 is 323.\n\nHere is one", 278), thought=("\nThe user is asking for ", 222), usage=(17, 172, 49, 0), ends=("end", "stop")),
        Expected(text=("323 * 2 is 646.", 15), thought=("\nThe user wants to multi", 304), usage=(198, 134, 122, 0), ends=("end", "stop")),
    ],
    "alibaba-reasoning.json": [
        Expected(text=('The word **"strawberry"** co', 950), thought=('We are asked: "How many ', 4213), usage=(24, 1668, 1353, 0), ends=("end", "stop")),
    ],
    "deepseek-tool-call.chunks.txt": [
        Expected(
            thought=("The user is asking for t", 191),
            calls=(("call_00_ioIn7yN9p1ZOMNpDLwd4MgAF", "weather", '{"location": "San Francisco"}'),),
            usage=(339, 83, 39, 320),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "deepseek-tool-call.json": [
        Expected(
            thought=("The user is asking for t", 242),
            calls=(("call_00_9V0vrf86Pc9aelHCJMZqnJBo", "weather", '{"location": "San Francisco"}'),),
            usage=(339, 92, 48, 320),
            ends=("tool_use", "tool_calls"),
        ),
    ],
    "xai-tool-call.chunks.txt": [
        Expected(
            thought=("First, the user is askin", 1069),
            calls=(("call_79382389", "weather", '{"location":"San Francisco"}'),),
            usage=(307, 253, 227, 306),
            ends=("tool_use", "tool_calls"),
        ),
    ],
}
