"""Which test covers which edge case on the wire, rows 82 to 160: the other dialects, errors and retries."""

from __future__ import annotations

from tests.dialects.edge_cases_chat import Row, row

RESPONSES: dict[int, Row] = {
    82: row("item ids may change with every event", "responses/stream ids_that_change_from_event_to_event_do_not_matter"),
    83: row("an error that comes twice is told once", "responses/stream an_error_is_told_once_though_it_comes_twice"),
    84: row(
        "calls and outputs go whole, paired by call_id",
        "responses/request all_calls_come_before_all_outputs long_ids_are_mapped_on_call_and_output",
        "responses/rules a_broken_request_is_found_and_mended",
    ),
    85: row(
        "nothing is stored; a chain is not repeated",
        "responses/request nothing_is_stored_and_reasoning_is_asked_for_where_there_is_some a_chain_keeps_its_outputs_though_their_calls_are_elsewhere",
        "responses/rules a_chain_may_hold_an_output_alone",
    ),
    86: row("reasoning goes back sealed and without ids", "responses/request reasoning_goes_back_before_its_item_and_without_ids"),
    87: row(
        "reasoning and its item go together",
        "responses/request reasoning_that_led_to_nothing_stays_here",
        "responses/recordings the_rules_know_what_was_refused_and_nothing_else",
    ),
    88: row("sealed reasoning that is refused is dropped once", "providers/resends a_refusal_that_one_change_mends_is_asked_again_once"),
    89: row(
        "wrapped calls are taken apart if all is known",
        "responses/stream wrapped_calls_are_taken_apart_if_all_is_known wrapped_calls_stay_as_they_are_otherwise",
    ),
    90: row(
        "incomplete is an end that holds calls back",
        "responses/stream an_incomplete_answer_holds_its_calls_back an_answer_of_reasoning_only_was_probably_cut_off",
    ),
    91: row(
        "the last event fills in what was missed",
        "responses/stream the_last_event_fills_in_what_was_missed pieces_alone_are_enough_when_the_last_event_says_nothing",
    ),
    92: row("a message may stay open around a call", "responses/stream a_message_that_stays_open_while_a_call_comes_and_goes_is_two_texts"),
    93: row(
        "a summary in parts is one reasoning",
        "responses/stream several_parts_of_a_summary_are_one_reasoning",
        "responses/laws writing_is_pure_and_reading_it_again_gives_the_same_bytes",
    ),
    94: row("readable reasoning goes back to its server", "responses/request readable_reasoning_of_open_models_goes_back_to_the_same_server"),
    95: row(
        "strict is always said",
        "responses/request tools_are_flat_and_say_that_they_are_not_strict",
        "responses/rules a_broken_request_is_found_and_mended",
    ),
    96: row("shapes of chat are found and mended", "responses/rules a_broken_request_is_found_and_mended"),
    97: row(
        "patches grow as text and go back as they came",
        "responses/stream a_patch_grows_as_arguments_and_goes_back_as_it_came",
        "responses/request patches_and_shell_calls_go_back_as_they_came",
    ),
    98: row("reasoning is asked for where an answer is made", "responses/request nothing_is_stored_and_reasoning_is_asked_for_where_there_is_some"),
}

ANTHROPIC: dict[int, Row] = {
    99: row(
        "overloaded as the first event is as 529",
        "providers/retries overloaded_as_first_event_of_a_good_answer_is_as_529",
        "anthropic/stream an_error_as_the_first_event_is_a_failure_with_nothing_shown",
    ),
    100: row("a second start is ignored or an error", "anthropic/stream a_second_start_of_the_same_message_is_ignored_and_of_another_an_error"),
    101: row("later counts win", "anthropic/stream later_counts_win_unless_they_say_nothing", "anthropic/recordings the_answer_says_what_it_says"),
    102: row(
        "pieces of arguments are joined before they are read",
        "anthropic/stream no_arguments_at_all_mean_an_empty_object arguments_that_lost_a_piece_do_not_run",
    ),
    103: row("no brace is guessed", "anthropic/stream arguments_that_lost_a_piece_do_not_run"),
    104: row(
        "eager arguments may be cut; we do not ask for them",
        "dialects/edge_streams json_that_eager_streaming_did_not_check_is_held_back_and_we_never_ask_for_it",
    ),
    105: row(
        "a stream without an end is broken, tokens without a block are told",
        "anthropic/stream a_stream_that_breaks_off_is_incomplete tokens_without_a_block_are_said",
    ),
    106: row("a start may hold no message", "anthropic/stream a_start_without_a_message_is_tolerated"),
    107: row("hidden thinking is not redacted thinking", "anthropic/stream hidden_and_redacted_thinking_are_kept_as_they_came"),
    108: row(
        "interrupted thinking is never sent",
        "anthropic/stream interrupted_thinking_has_no_signature",
        "anthropic/request unsigned_thinking_and_that_of_chat_servers_is_never_sent",
    ),
    109: row(
        "thinking goes back byte for byte",
        "anthropic/request thinking_goes_back_byte_for_byte",
        "anthropic/recordings an_answer_goes_back_as_the_recorded_client_sent_it",
        "anthropic/bug_reports interleaved_thinking_goes_back_byte_for_byte_after_being_stored",
    ),
    110: row("thinking is not switched inside of a loop", "anthropic/request a_loop_that_began_without_signed_thinking_goes_on_without"),
    111: row(
        "results stand first in one message",
        "anthropic/request all_results_stand_first_in_one_message_with_what_follows only_results_of_the_turn_before_move_to_the_front",
    ),
    112: row(
        "a result follows its call in every history",
        "dialects/history every_call_is_answered_once_and_at_once",
        "dialects/translations any_conversation_can_be_sent_in_every_other_dialect",
    ),
    113: row(
        "tools of the provider travel as a pair",
        "anthropic/request tools_of_the_provider_travel_as_a_pair_or_not_at_all",
        "anthropic/rules a_fault_is_found_and_its_repair_leaves_nothing",
    ),
    114: row("calls come behind tools of the provider", "anthropic/request calls_come_behind_the_tools_of_the_provider_but_thinking_does_not_move"),
    115: row("members beside a delta are kept", "anthropic/stream unknown_members_of_the_last_delta_are_kept"),
    116: row("pieces of a stream are no blocks", "anthropic/rules a_fault_is_found_and_its_repair_leaves_nothing"),
    117: row("a refusal says why, and is no turn", "anthropic/stream a_refusal_says_why", "anthropic/request a_refusal_without_words_is_no_turn"),
    118: row("an answer at the end is found", "anthropic/rules a_fault_is_found_and_its_repair_leaves_nothing what_only_some_servers_take_is_a_warning"),
    119: row("blanks at the very end are taken off", "anthropic/request an_answer_at_the_very_end_has_no_thinking_and_no_blanks_behind_it"),
    120: row(
        "four marks at most, on the newest turns",
        "anthropic/request at_most_four_marks_on_system_tools_and_the_newest_two_turns",
        "anthropic/rules a_fault_is_found_and_its_repair_leaves_nothing",
    ),
    121: row(
        "a block's number counts in its request only",
        "inspection/timeline_practice a_practice_turn_reads_the_same_live_and_replayed",
        "agent/loop reused_call_id_gets_a_new_one_and_results_stay_with_their_calls",
    ),
}

GEMINI: dict[int, Row] = {
    122: row("a call without arguments is one", "gemini/answer a_call_without_arguments_has_an_empty_object", "gemini/recordings the_answer_says_what_it_says"),
    123: row("the next call or the end closes an open one", "gemini/answer the_next_call_or_the_end_closes_an_open_one"),
    124: row(
        "signatures stay on their parts, stored too",
        "dialects/edge_streams signatures_of_gemini_survive_being_stored",
        "gemini/request signatures_go_back_on_their_very_parts_to_their_maker_only",
    ),
    125: row(
        "a history from elsewhere gets the stand-in",
        "gemini/weather gemini_3_gets_the_stand_in_for_signatures_that_nobody_made",
        "gemini/request only_the_first_call_of_each_step_gets_the_stand_in",
    ),
    126: row("a call and the stop may come apart", "gemini/answer a_call_in_one_chunk_and_the_stop_in_the_next_is_a_tool_turn"),
    127: row("an id goes back only where it was given", "gemini/request an_id_goes_back_only_where_this_provider_gave_it"),
    128: row(
        "results of equal names go by place",
        "gemini/answer equal_calls_without_ids_are_two_calls",
        "gemini/request_parse results_without_ids_are_matched_by_name_and_place",
    ),
    129: row(
        "one part may be text and call",
        "gemini/answer one_part_may_hold_a_text_and_a_call",
        "gemini/request_parse a_text_and_a_call_in_one_part_are_both_read",
    ),
    130: row("no call goes without a name", "gemini/request a_call_is_never_without_a_proper_name", "gemini/answer a_call_without_a_name_cannot_run"),
    131: row(
        "results stand in one content, in order",
        "gemini/request results_stand_in_one_content_in_the_order_of_their_calls",
        "gemini/rules results_are_put_in_order_by_name_and_together",
    ),
    132: row("a history starts with the user", "gemini/request a_conversation_starts_with_the_user", "gemini/rules a_fault_is_found_and_its_repair_mends_it"),
    133: row("content and parts may be missing", "gemini/answer content_and_parts_may_be_missing"),
    134: row(
        "a malformed call is asked for again, twice",
        "agent/misread it_is_told_and_asked_again_and_the_answer_counts the_third_time_the_turn_ends",
        "gemini/answer a_malformed_call_is_told_with_what_the_provider_says_of_it",
    ),
    135: row(
        "an empty answer is told",
        "gemini/answer content_and_parts_may_be_missing",
        "agent/loop silent_answer_is_said_to_be_one",
        "agent/misread an_empty_answer_that_ends_well_is_not_asked_again",
    ),
    136: row(
        "schemas go whole or reduced",
        "gemini/schema a_schema_is_reduced references_go_in_with_what_stands_beside_them circles_and_floods_of_references_end",
        "gemini/weather schemas_go_whole_where_the_server_takes_them",
    ),
    137: row(
        "the time to wait stands in the details",
        "gemini/failures the_time_to_wait_stands_in_the_details",
        "providers/retries a_refusal_is_waited_for_as_told_or_not_at_all",
    ),
    138: row("a result is an object", "gemini/request a_result_is_an_object", "gemini/rules a_fault_is_found_and_its_repair_mends_it"),
}

REACT: dict[int, Row] = {
    139: row(
        "an invented observation ends the turn",
        "react/response an_invented_observation_ends_the_turn_and_is_shown_as_a_problem only_the_first_of_several_actions_runs",
    ),
    140: row("an action before an answer wins", "react/response an_action_before_a_final_answer_wins"),
    141: row(
        "what models make of the form is read",
        "react/response what_models_make_of_the_form_is_read",
        "react/recordings the_answer_asks_for_what_it_asks",
    ),
    142: row(
        "a server without stop gets none",
        "react/weather a_server_without_stop_gets_none",
        "providers/resends a_refusal_that_one_change_mends_is_asked_again_once",
    ),
    143: row("bare text is the only parameter", "react/response what_models_make_of_the_form_is_read free_text_without_a_known_schema_is_the_parameter_input"),
    144: row(
        "a broken form is corrected, three times",
        "react/response text_without_any_label_is_the_final_answer a_broken_form_is_a_call_that_brings_the_correction",
        "agent/loop a_model_that_does_not_keep_to_the_form_is_corrected_three_times_at_most",
    ),
    145: row(
        "a label inside of a string or file is none",
        "react/response a_label_inside_of_an_open_string_is_no_label a_label_in_the_middle_of_a_line_is_prose",
        "react/request a_file_with_labels_in_it_is_quoted_and_comes_back",
    ),
}

OLLAMA: dict[int, Row] = {
    146: row("two lines in one slot are two calls", "ollama/stream two_lines_in_one_slot_are_two_calls equal_calls_without_ids_are_two_calls"),
    147: row("arguments are objects both ways", "ollama/request arguments_are_always_an_object", "ollama/rules a_fault_is_found_and_mended"),
    148: row(
        "content is a text, pictures stand apart",
        "ollama/request pictures_stand_beside_the_text_and_what_cannot_go_is_named",
        "ollama/rules a_fault_is_found_and_mended",
    ),
    149: row("a call the server could not read is shown", "ollama/stream a_call_that_the_server_could_not_read_is_shown_raw"),
    150: row("the limit holds back whole-looking calls", "ollama/stream a_cut_by_the_limit_holds_whole_looking_calls"),
    151: row(
        "lines end at a line feed, not at chunks",
        "ollama/recordings no_cut_changes_a_recorded_answer",
        "ollama/stream two_lines_come_as_soon_as_they_are_there",
    ),
    152: row(
        "a model without tools is offered ReAct",
        "providers/resends a_model_without_tools_is_told_the_way_out",
        "ollama/recordings a_model_without_tools_says_so_in_its_own_words",
    ),
}

ERRORS: dict[int, Row] = {
    153: row("no money is not waited for", "providers/retries a_refusal_is_waited_for_as_told_or_not_at_all", "dialects/errors every_shape_is_read"),
    154: row("a reset may be in milliseconds", "providers/retries a_refusal_is_waited_for_as_told_or_not_at_all", "dialects/errors every_shape_is_read"),
    155: row("a bad key may be a 400", "providers/retries a_refusal_is_waited_for_as_told_or_not_at_all", "gemini/recordings the_answer_says_what_it_says"),
    156: row("an error may stand in detail", "providers/retries a_refusal_is_waited_for_as_told_or_not_at_all", "dialects/errors every_shape_is_read"),
    157: row(
        "too long a text is known by its words",
        "providers/retries a_refusal_is_waited_for_as_told_or_not_at_all",
        "chat/recordings the_answer_says_what_it_says",
    ),
    158: row(
        "an unknown model is one class",
        "providers/retries a_refusal_is_waited_for_as_told_or_not_at_all",
        "responses/recordings an_error_is_told_once_with_its_class",
    ),
    159: row("a spend limit is not waited for", "providers/retries a_refusal_is_waited_for_as_told_or_not_at_all"),
    160: row(
        "an error may come with status 200",
        "chat/response an_error_inside_of_status_200_is_one",
        "providers/retries a_plain_body_is_read_whatever_it_is_called",
    ),
}
