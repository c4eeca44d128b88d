"""Which test covers which edge case on the wire, rows 1 to 81: bytes and frames, Chat Completions, requests that get a 400."""

from __future__ import annotations

from typing import TypeAlias

Row: TypeAlias = tuple[str, tuple[str, ...]]
"""What must hold, in a few words, and the tests that show it."""

_FOLDERS = {
    "agent": "tests/agent",
    "chat": "tests/dialects/chat_completions",
    "dialects": "tests/dialects",
    "inspection": "tests/inspection",
    "providers": "tests/providers",
    "store": "tests/store",
    "tools": "tests/tools",
    "wire": "tests/wire",
    **{name: f"tests/dialects/{name}" for name in ("anthropic", "functions", "gemini", "ollama", "react", "responses")},
}


def row(claim: str, *tests: str) -> Row:
    """Return a row; each of `tests` is a module and functions of it, as in ``chat/stream any_line_end_will_do``."""
    found: list[str] = []
    for each in tests:
        module, *names = each.split()
        folder, _, file = module.partition("/")
        found += [f"{_FOLDERS[folder]}/test_{file}.py::test_{name}" for name in names]
    return claim, tuple(found)


BYTES: dict[int, Row] = {
    1: row(
        "a line ends at CR, LF or CRLF and nowhere else",
        "chat/stream line_separators_inside_of_text_are_text",
        "wire/framing events_are_read_by_the_rules",
        "responses/stream line_separators_inside_of_a_text_end_nothing",
        "ollama/stream line_separators_in_texts_end_no_line",
    ),
    2: row(
        "nor in JSON lines and sessions of our own",
        "wire/framing json_lines_split_on_line_feed_only",
        "store/line_separators a_session_with_odd_line_separators_opens_again",
    ),
    3: row(
        "a character may be cut by a chunk",
        "chat/recordings no_cut_changes_the_answer",
        "anthropic/recordings no_cut_changes_the_answer",
        "gemini/recordings no_cut_changes_the_answer",
        "responses/recordings no_cut_changes_the_answer",
        "ollama/recordings no_cut_changes_a_recorded_answer",
    ),
    4: row("CRLF ends events too", "chat/stream any_line_end_will_do", "gemini/answer any_line_end_will_do"),
    5: row("a CRLF may be cut in the middle", "wire/framing no_cut_changes_what_is_read event_is_delivered_before_the_line_feed_of_its_last_line_end_arrives"),
    6: row("CR alone ends lines", "chat/stream any_line_end_will_do", "anthropic/stream line_ends_and_separators_inside_of_texts_change_nothing"),
    7: row("the blank behind a field name may be missing", "chat/stream odd_frames_do_no_harm", "wire/framing events_are_read_by_the_rules"),
    8: row("only a blank line ends an event; the last one may lack it", "chat/stream odd_frames_do_no_harm", "wire/framing no_cut_changes_what_is_read"),
    9: row("comments say only that the server lives", "chat/stream odd_frames_do_no_harm", "wire/response heartbeats_alone_do_not_keep_a_dead_stream_open"),
    10: row("a field called error is one", "chat/failures an_error_in_a_stream_ends_the_answer", "chat/recordings the_answer_says_what_it_says"),
    11: row("an error may stand in a list", "gemini/answer an_error_is_read_alone_or_in_a_list", "chat/failures what_comes_instead_of_a_stream_is_told"),
    12: row(
        "an event or error may be no object",
        "chat/stream a_frame_that_is_no_chunk_is_told_and_left_out",
        "dialects/errors every_shape_is_read no_value_breaks_the_reader",
    ),
    13: row("streams are asked for unpacked", "wire/outgoing missing_headers_come_last", "wire/response packed_body_is_unpacked_although_it_was_not_asked_for"),
    14: row(
        "a stream of another dialect is named",
        "dialects/edge_streams the_stream_of_another_dialect_is_named_and_runs_nothing",
        "chat/failures another_dialect_is_named",
    ),
    15: row("blanks before the first field do no harm", "chat/stream odd_frames_do_no_harm"),
    16: row(
        "an event that is no JSON is told and left out",
        "responses/stream an_event_that_is_no_json_is_left_out",
        "responses/recordings the_answer_says_what_its_finished_items_say",
    ),
    17: row(
        "a body may come where a stream was asked for",
        "chat/failures a_body_instead_of_a_stream_is_read",
        "providers/retries a_plain_body_is_read_whatever_it_is_called",
        "responses/stream a_body_where_a_stream_was_asked_for_is_read",
        "ollama/stream a_body_in_place_of_lines_is_read",
    ),
    18: row(
        "a stop keeps what came and runs nothing",
        "providers/client stopping_closes_the_connection_at_once",
        "agent/session_stop stop_while_streaming_keeps_what_came",
        "anthropic/request unsigned_thinking_and_that_of_chat_servers_is_never_sent",
    ),
    19: row("nothing is asked again once something was shown", "providers/client a_lost_connection_is_repeated_only_before_anything_was_shown"),
}

CALLS: dict[int, Row] = {
    20: row("an index is only a hint", "dialects/calls an_index_may_have_holes_or_be_huge", "chat/stream calls_may_come_in_odd_forms"),
    21: row("a new id is a new call", "dialects/calls a_new_id_is_a_new_call_even_if_its_index_is_taken"),
    22: row(
        "there may be no index",
        "dialects/calls without_index_an_id_opens_and_nothing_continues without_index_and_id_another_name_after_a_whole_call_is_another_call",
    ),
    23: row("all calls may have index 0", "dialects/calls a_new_id_is_a_new_call_even_if_its_index_is_taken"),
    24: row("an index may change inside of a call", "dialects/calls an_index_that_changes_in_the_middle_of_the_arguments_goes_on_with_the_last_call"),
    25: row(
        "all entries of a chunk count",
        "dialects/calls one_chunk_may_hold_the_opener_and_the_first_piece",
        "chat/stream every_choice_of_index_zero_counts_and_no_other",
    ),
    26: row(
        "an empty id is none; one is made for call and result",
        "dialects/edge_streams pieces_with_an_empty_id_and_an_empty_name_go_on_with_the_open_call",
        "dialects/calls a_missing_id_is_derived_from_the_bytes",
        "chat/bug_reports a_stream_comes_to_what_was_right",
    ),
    27: row("a new id on every piece is one call", "dialects/calls a_new_id_on_every_piece_of_one_call_is_one_call"),
    28: row("a name in every piece is set once", "dialects/calls a_name_in_every_piece_is_set_once"),
    29: row("a name may come in pieces", "dialects/calls a_name_in_pieces_is_joined the_offered_names_decide_what_a_second_name_is"),
    30: row("a name may come last, or never", "dialects/calls the_name_may_come_after_the_arguments a_call_that_never_gets_a_name_cannot_run"),
    31: row("type, id and name may be missing", "chat/stream calls_may_come_in_odd_forms", "dialects/calls a_closing_piece_with_the_name_again_is_no_call"),
    32: row("the first piece may hold all", "chat/stream text_reasoning_and_a_call_in_one_delta_are_all_kept", "chat/recordings the_answer_says_what_it_says"),
    33: row("an empty name is none", "dialects/edge_streams pieces_with_an_empty_id_and_an_empty_name_go_on_with_the_open_call"),
    34: row("no arguments are an empty object", "dialects/calls no_arguments_are_an_empty_object"),
    35: row(
        "arguments are final at the end of the stream",
        "dialects/calls arguments_are_final_only_at_the_end more_after_a_complete_object_makes_it_invalid",
        "chat/stream a_call_is_final_only_at_the_end_of_the_stream",
    ),
    36: row(
        "glued calls are parted with a reason, and asked about",
        "dialects/calls glued_calls_are_parted_when_the_opener_was_repeated an_extra_brace_is_cut_off_and_told",
        "agent/harness call_split_out_of_glued_arguments_asks",
    ),
    37: row(
        "an inner object is never taken for the arguments",
        "dialects/edge_streams an_object_inside_of_broken_arguments_is_never_taken_for_them",
        "dialects/argument_text a_text_is_judged_without_guessing",
    ),
    38: row("arguments may be an object", "dialects/calls arguments_as_an_object_are_written_once"),
    39: row("all calls may be one text", "chat/stream calls_may_come_in_odd_forms calls_that_are_no_json_are_told"),
    40: row("text and a call may share a delta", "chat/stream text_reasoning_and_a_call_in_one_delta_are_all_kept"),
    41: row(
        "pieces of calls may be mixed",
        "dialects/calls pieces_without_id_belong_to_their_index",
        "anthropic/stream calls_whose_pieces_are_mixed_get_their_own",
    ),
    42: row(
        "a chunk may have no choices, an answer not",
        "chat/stream a_chunk_that_says_nothing_is_skipped",
        "chat/failures what_comes_instead_of_a_stream_is_told",
    ),
    43: row("empty ids and models do not stick", "chat/stream ids_that_come_late_are_kept"),
    44: row("reasoning that is no text is told", "chat/stream reasoning_of_another_form_is_told"),
    45: row(
        "blanks before calls are no answer, and go back",
        "dialects/edge_streams blanks_before_calls_are_no_answer_and_go_back_as_they_came",
        "inspection/arriving white_space_alone_shows_nothing",
    ),
    46: row("content may be a list with thinking in it", "chat/stream content_may_be_a_list"),
    47: row(
        "ids repeat from turn to turn",
        "agent/reported one_id_in_every_round_keeps_its_result",
        "chat/bug_reports one_id_in_every_round_is_unique_on_the_wire",
    ),
    48: row(
        "junk behind a name is cut off; odd names are found and mended",
        "dialects/calls junk_behind_a_name_is_cut_off",
        "chat/rule_repairs a_name_is_replaced_in_declaration_choice_call_and_result",
    ),
    49: row("a tool that is not there is answered", "agent/reported a_tool_that_is_not_there_is_answered_with_the_names"),
    50: row("a call begins once", "dialects/edge_streams a_call_begins_once"),
    51: row(
        "a call that leaked into the text is told, never run",
        "chat/stream a_call_that_leaked_into_the_text_is_told_and_not_run",
        "dialects/leaks markup_at_the_start_of_a_line_is_found prose_and_code_about_markup_is_not",
    ),
    52: row("a server that cannot read its model shows the text", "dialects/edge_streams a_server_that_cannot_read_its_own_model_says_so_with_the_raw_text"),
}

ENDS: dict[int, Row] = {
    53: row(
        "calls decide, not the word stop",
        "chat/stream calls_run_after_a_known_good_end",
        "functions/response a_forced_call_ends_with_stop_and_is_a_tool_turn",
        "ollama/stream two_lines_in_one_slot_are_two_calls",
    ),
    54: row("arguments that were cut do not run", "dialects/edge_streams arguments_that_were_cut_do_not_run_whatever_the_end_claims"),
    55: row(
        "calls run after ends that are known to be good",
        "chat/stream calls_are_held_back_after_any_other_end",
        "anthropic/stream calls_run_only_after_the_ends_that_are_known",
        "gemini/answer every_other_end_than_stop_holds_calls_back",
    ),
    56: row("one unfinished call holds back all", "chat/stream one_unfinished_call_holds_back_the_whole_batch"),
    57: row(
        "what the schema demands must be there",
        "tools/arguments report_missing_content_is_not_empty_content",
        "agent/harness arguments_that_do_not_fit_are_an_error_result",
    ),
    58: row(
        "an end without a word is a lost connection",
        "chat/stream a_lost_connection_is_no_end",
        "providers/client a_stream_without_an_end_is_a_lost_connection",
    ),
    59: row(
        "broken arguments are never replaced",
        "agent/loop broken_stream_keeps_the_partial_answer_and_runs_none_of_its_calls",
        "chat/request broken_calls_go_back_as_objects_with_a_result",
    ),
    60: row(
        "a call cut by the limit says how to go on",
        "chat/bug_reports a_call_cut_by_the_limit_is_answered_and_goes_back_as_an_object",
        "agent/loop held_back_calls_end_the_turn_unless_it_was_only_cut",
    ),
    61: row("the first word stays, an error wins", "chat/stream the_word_at_the_end_is_understood", "chat/failures an_error_in_a_stream_ends_the_answer"),
    62: row("null never replaces a word", "chat/stream the_word_at_the_end_is_understood"),
    63: row("the words are an open set", "chat/stream the_word_at_the_end_is_understood"),
    64: row("a call that the server refused is fed back once", "providers/resends a_failed_call_inside_a_stream_is_asked_again_while_nothing_was_shown"),
    65: row("an error in a stream keeps its code", "providers/retries an_error_in_a_stream_keeps_its_code", "chat/failures what_came_with_the_error_is_kept"),
    66: row("the last usage counts, none is unknown", "chat/stream the_last_usage_that_says_something_counts a_stream_without_usage_says_so"),
}

REQUESTS: dict[int, Row] = {
    67: row(
        "every call is answered before another role speaks",
        "agent/history call_without_a_result_after_a_crash_gets_one_in_its_place",
        "dialects/history every_call_is_answered_once_and_at_once",
        "dialects/translations any_conversation_can_be_sent_in_every_other_dialect",
    ),
    68: row(
        "results without a call are dropped",
        "agent/history results_are_put_in_call_order_and_orphans_are_dropped",
        "dialects/history results_without_call_are_dropped",
    ),
    69: row(
        "reasoning goes back where it must, and only there",
        "chat/request a_turn_without_reasoning_gets_an_empty_one_where_it_must_be_there",
        "chat/rules a_server_that_wants_reasoning_back_is_obeyed",
        "providers/model_quirks what_is_known_of_a_model",
    ),
    70: row(
        "a model that thinks cannot be forced",
        "chat/model_limits a_model_that_cannot_be_forced_is_left_free",
        "providers/resends a_refusal_that_one_change_mends_is_asked_again_once",
    ),
    71: row(
        "tools and reasoning exclude each other at some",
        "providers/resends a_refusal_that_one_change_mends_is_asked_again_once",
        "chat/rules a_fault_of_the_other_members_is_found",
    ),
    72: row("a turn of calls has the content that is wanted", "chat/request a_turn_with_only_calls_has_the_content_the_server_wants"),
    73: row("a turn of which nothing is left is dropped", "chat/request a_turn_with_neither_text_nor_calls_is_left_out"),
    74: row("nothing about tools without tools", "chat/request what_is_about_tools_is_left_out_without_tools"),
    75: row(
        "Mistral has ids and an order of its own",
        "chat/rules mistral_has_rules_of_its_own",
        "chat/request mistral_gets_a_turn_between_result_and_question",
        "chat/weather mistral_gets_its_own_ids_and_names",
    ),
    76: row("thinking chunks go back as chunks", "chat/request each_kind_of_reasoning_goes_back_where_it_stood"),
    77: row("no id is null", "dialects/edge_streams no_call_and_no_result_goes_out_without_an_id"),
    78: row(
        "numbers and names are checked before",
        "chat/rules too_many_calls_in_one_message_are_found a_fault_of_the_other_members_is_found",
        "agent/loop flood_of_calls_runs_no_more_than_a_provider_would_take",
    ),
    79: row("schemas are checked for the server", "dialects/schema_rules moonshot_wants_types_inside_of_the_alternatives"),
    80: row(
        "arguments go back byte for byte",
        "chat/request arguments_go_back_byte_for_byte",
        "chat/weather the_neutral_conversation_gives_the_recorded_request",
    ),
    81: row(
        "arguments that are no object are wrapped",
        "anthropic/request arguments_are_objects_and_what_is_none_is_wrapped",
        "gemini/request arguments_are_an_object",
        "dialects/argument_text what_is_no_object_is_made_one",
    ),
}
