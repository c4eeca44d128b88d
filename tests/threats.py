"""The threats that the permission system answers, in the numbers of its specification, and the tests that show each answer."""

from __future__ import annotations

from typing import NamedTuple


class Threat(NamedTuple):
    """A row: what must hold, the tests that show it, and where they cannot run or what is still missing (empty: everywhere, nothing)."""

    claim: str
    tests: tuple[str, ...]
    note: str = ""


def row(claim: str, *tests: str, note: str = "") -> Threat:
    """Return a row; each of `tests` is a module and functions of it, as in ``permissions/rules path_is_anchored``."""
    found: list[str] = []
    for each in tests:
        module, *names = each.split()
        folder, _, file = module.rpartition("/")
        found += [f"tests/{folder}/test_{file}.py::test_{name}" for name in names]
    return Threat(claim, tuple(found), note)


BOX = "needs bubblewrap and namespaces; skipped with a reason elsewhere, where the lower rung is tried"
CORPUS = "permissions/commands_cases command_is_judged_as_the_policy_says scores_of_the_whole_corpus"
MORE = "permissions/commands_more command_is_judged_by_the_same_policy"
FUZZ = "permissions/shell_fuzz what_is_allowed_changes_and_leaks_nothing"
PATHS = "workspace/paths_cases case every_case_is_run_or_belongs_to_another_system"


COMMANDS = {
    1: row(
        "chained commands take their strictest part",
        CORPUS,
        "permissions/bug_reports_gate rule_is_slipped_by_no_spelling",
    ),
    2: row(
        "substitutions and what they hide are refused or judged",
        CORPUS,
        MORE,
    ),
    3: row(
        "where parsers differ nothing is allowed",
        FUZZ,
        "permissions/shell_fields understood_words_are_those_that_bash_passes_on",
        note=BOX,
    ),
    4: row(
        "options that run or write are not in the lists",
        CORPUS,
        MORE,
        FUZZ,
    ),
    5: row(
        "names that patterns stand for are judged as if typed",
        CORPUS,
        "permissions/commands_more name_that_a_pattern_stands_for_is_judged_as_if_typed",
    ),
    6: row(
        "a repository's configuration runs nothing",
        CORPUS,
        "permissions/commands_more repository_that_may_run_something_asks configuration_in_any_spelling_asks"
        " repository_that_is_not_plainly_the_workspaces_own_asks",
    ),
    7: row(
        "environment prefixes and inherited variables",
        CORPUS,
        "workspace/sandbox child_environment_has_no_key",
    ),
    8: row(
        "wrappers and interpreters are not allowed and get no lasting rule",
        CORPUS,
        "permissions/suggestions nothing_is_offered_for_what_runs_something_else",
        "permissions/shell rule_for_an_interpreter_holds_where_the_script_is_spelled_out",
    ),
    9: row(
        "the program is the one that its bare name means",
        CORPUS,
        "permissions/shell parts_tell_program_words_and_what_would_let_them_pass",
    ),
    10: row(
        "redirects that write",
        CORPUS,
    ),
    11: row(
        "too long or too many parts ask after deny rules were checked",
        "permissions/shell more_parts_than_a_person_reads_ask_after_deny_rules long_and_hostile_text_is_judged_in_time"
        " what_was_not_looked_at_whole_is_refused",
    ),
}

FILES = {
    12: row(
        "a neighbour with a longer name is outside",
        PATHS,
        "permissions/places path_case escape_by_link_neighbour_or_climbing_is_outside",
    ),
    13: row(
        "links, climbing after links, dangling links",
        PATHS,
        "permissions/places path_case tool_that_says_inside_is_not_believed",
    ),
    14: row(
        "what is swapped between approval and use is found out",
        PATHS,
        "workspace/paths_cases what_happens_between_the_last_look_and_the_use",
        "workspace/tickets ticket_of_a_file_is_void_after",
        "workspace/reaching folder_that_is_swapped_all_the_time_never_leads_out",
    ),
    15: row(
        "hard links and recursive deletion reach nothing outside",
        PATHS,
        "workspace/saving name_outside_keeps_the_old_file",
        "workspace/removing folder_goes_with_all_in_it_but_not_what_links_in_it_lead_to",
    ),
    16: row(
        "protected names in any spelling",
        PATHS,
        "permissions/places protected_and_secret_cases_ask_with_their_mark",
        "permissions/names writing_a_governing_file_is_red",
    ),
    17: row(
        "pipes, devices, sockets and floods neither hang nor flood",
        PATHS,
        "workspace/files pipe_that_took_the_place_after_judging_does_not_block large_sparse_file_is_refused_by_its_size_without_reading",
        "tools/search_confined odd_files_neither_hang_nor_flood",
        "workspace/output_reader flood_reaches_those_who_watch_shortened",
    ),
}

GOVERNING = {
    18: row(
        "no tool writes what governs",
        "permissions/shell programs_own_data_is_refused",
        "permissions/places data_folder_is_closed_but_for_outputs_and_the_sample",
        "settings/rule_files a_changed_rule_breaks_the_seal_until_a_person_accepts_it",
        "workspace/sandbox data_of_the_program_cannot_be_seen",
        note=BOX,
    ),
    19: row(
        "read-only mounts cannot be moved away",
        "workspace/sandbox_watch what_steers_later_runs_cannot_be_changed",
        note=BOX,
    ),
    20: row(
        "a protected file that appears is moved away",
        "workspace/sandbox_watch what_is_new_and_steers_is_moved_away no_file_is_left_for_what_was_guarded",
        "tools/bash_sandbox what_steers_later_runs_is_moved_away_and_told what_goes_on_running_plants_nothing_either",
        note=BOX,
    ),
    21: row(
        "a repository has no effect before it is trusted",
        "settings/trust looking_starts_nothing_and_opens_only_what_it_lists",
        "settings/rule_files repository_only_tightens",
        "ui/trust/panel nothing_of_the_folder_has_an_effect_before_the_answer",
        "cli/trust untrusted_folder_is_told_on_one_line_and_has_no_effect",
    ),
    22: row(
        "a rule for a server's tool ends with its definition",
        "settings/rule_files rule_for_a_servers_tool_expires_with_its_definition",
        "permissions/rules servers_tool_is_allowed_only_as_it_was_defined",
        note="the rule and the gate; there are no MCP servers yet whose change could be shown",
    ),
    23: row(
        "a name from a server shadows and hides nothing",
        "tools/registry two_tools_of_one_name_are_refused",
        "permissions/visible shown_text_holds_nothing_hidden",
        note="there are no MCP servers yet, so nothing is namespaced",
    ),
    24: row(
        "hints only raise",
        "permissions/gate claimed_danger_raises_and_then_asks",
        "permissions/gate_laws a_hint_never_lowers",
    ),
}

ASKING = {
    25: row(
        "no text is markup",
        "ui/approval/dialog no_widget_reads_html_and_none_is_cut_off",
        "ui/approval/commands_shown what_a_view_says_is_the_command",
    ),
    26: row(
        "hidden and look-alike characters are seen",
        "permissions/visible every_character_of_unicode_is_judged_by_its_category words_of_look_alike_alphabets_are_named",
        "ui/approval/commands_shown every_character_of_a_bypass_stands_in_a_row",
        "ui/approval/exact_text direction_override_moves_nothing",
    ),
    27: row(
        "padding and length hide nothing",
        "ui/approval/commands_shown padding_does_not_hide_the_end",
        "ui/approval/dialog unseen_content_is_not_allowed",
    ),
    28: row(
        "the model's description is a quote and weighs nothing",
        "ui/approval/dialog_reported full_command_visible extra_property_no_privilege",
        "agent/harness extra_properties_give_no_privilege",
    ),
    29: row(
        "no click or key approves what was not meant",
        "ui/approval/dialog nothing_is_answered_before_the_guard_time dialog_leaves_the_keyboard_to_the_composer highest_level_must_be_held",
        "ui/approval/dialog_keys enter_never_allows every_key_in_a_field_answers_nothing",
        "ui/approval/guard guard_does_not_open_before_what_was_pressed_while_the_loop_stood_still",
    ),
    30: row(
        "an answer meets its own question only",
        "agent/approvals first_answer_wins answer_meets_only_its_own_question",
        "agent/session_stop question_of_a_stopped_turn_answers_nothing",
    ),
    31: row(
        "what was approved is what runs",
        "agent/harness_edits plan_changed_after_its_approval_is_not_run",
        "agent/gatekeeper digest_changes_with_the_plan",
    ),
    32: row(
        "a sub-agent has at most its parent's rights",
        "permissions/gate_laws a_rule_that_asks_or_refuses_never_makes_anything_laxer",
        note="there are no sub-agents yet; the law is the one their rules will be joined by",
    ),
    33: row(
        "a mode stands above rules that allow",
        "permissions/gate mode_stands_above_rules_that_allow",
        "permissions/gate_laws read_only_is_never_laxer_than_the_other_modes",
    ),
    34: row(
        "what is read decides nothing",
        "agent/harness extra_properties_give_no_privilege",
        "agent/offered a_known_tool_that_was_not_offered_is_refused",
        "agent/system_prompt instructions_cannot_leave_their_fence_or_hide_text",
        note="decisions look at the call alone; that a call followed foreign text is not said yet",
    ),
    47: row(
        "everyday work asks seldom",
        CORPUS,
        "permissions/asking_seldom a_hundred_everyday_calls_ask_at_most_twelve_times",
    ),
    48: row(
        "a lasting rule matches again, and nothing it should not",
        "permissions/gate_laws a_saved_rule_matches_the_same_command_again no_saved_rule_is_too_broad_for_nested_tools"
        " rules_are_for_the_parts_and_not_for_the_whole_chain nothing_lasting_is_offered_for_what_is_opaque_or_dangerous",
        "ui/approval/dialog_session rule_for_a_part_lets_others_of_its_kind_pass_and_no_more",
    ),
    50: row(
        "what is opened does nothing by itself",
        "agent/resume question_left_open_becomes_void closed_session_has_nothing_to_end",
        note="sessions are opened again; files of other programs cannot be imported yet",
    ),
    51: row(
        "a command's folder widens nothing",
        "agent/workdir folder_outside_is_judged_as_outside_whatever_the_command approved_folder_outside_is_no_root_afterwards",
    ),
    52: row(
        "a half-written rules file closes the gate",
        "settings/rule_files a_file_cut_at_any_byte_means_that_nothing_may_be_changed",
        "permissions/gate broken_rules_mean_that_nothing_is_changed",
    ),
}

LEAVING = {
    35: row(
        "the chat loads nothing",
        "ui/chat/no_requests shown_text_asks_nobody streamed_text_asks_nobody",
    ),
    36: row(
        "nothing leaves the sandbox",
        "workspace/sandbox connections_leave_only_with_the_network names_cannot_be_looked_up sockets_of_other_programs_are_out_of_reach",
        note=BOX,
    ),
    37: row(
        "the checked address is the one that is reached",
        "wire/guard name_is_resolved_once_so_it_cannot_mean_another_place_when_connecting"
        " spelling_that_passes_as_public_is_caught_by_its_address metadata_service_is_refused_even_where_a_person_granted_the_host",
        "wire/fetching redirect_to_another_place_is_not_followed this_machine_is_reached_under_no_name",
    ),
    38: row(
        "hosts are matched by labels",
        "permissions/rules host_is_matched_by_labels",
        "permissions/gate_hosts rule_for_a_host_matches_whole_labels",
    ),
    39: row(
        "pages of others drive no server of ours",
        "practice/server_strangers request_of_a_page_is_refused_and_changes_nothing",
        "wire/access pages_of_others_are_refused_even_with_the_key",
    ),
    40: row(
        "keys are written nowhere",
        "whole/canaries no_canary_is_written_sent_or_given_to_a_child",
        "ui/canaries a_window_writes_no_secret",
    ),
    41: row(
        "the keyring cannot be asked from inside",
        "workspace/sandbox a_keyring_cannot_be_asked",
        note=BOX,
    ),
    42: row(
        "terminal sequences in output",
        "workspace/terminal_text text_is_what_a_terminal_would_show cuts_make_no_difference_and_nothing_dangerous_passes",
    ),
    43: row(
        "secret files by any way of reading",
        CORPUS,
        "agent/redacting a_file_of_secrets_shows_its_names_unless_a_person_lets_it_show_all a_removed_file_of_secrets_is_not_shown_by_the_history",
        "workspace/sandbox secret_files_show_nothing_unless_they_were_named",
    ),
    44: row(
        "nothing outlives its command",
        "workspace/sandbox what_left_its_session_is_gone_after_a_cancel all_inside_ends_when_bubblewrap_is_killed",
        note=BOX,
    ),
    45: row(
        "a flood of processes is bounded",
        "workspace/sandbox a_fork_bomb_is_bounded_and_gone",
        note=BOX,
    ),
    46: row(
        "without a sandbox nothing is silently unconfined",
        "workspace/sandbox without_bubblewrap_there_is_less_and_it_says_so nothing_runs_where_there_is_no_sandbox",
        "agent/second_run nothing_runs_silently_unconfined_where_there_is_no_sandbox",
        "agent/confining without_bubblewrap_auto_is_off",
    ),
    49: row(
        "an approved script does no damage outside",
        "workspace/sandbox writing_outside_is_refused",
        "workspace/sandbox_watch what_steers_later_runs_cannot_be_changed",
        note="what it does inside the workspace cannot be taken back yet: there are no checkpoints of commands",
    ),
}

THREATS: dict[int, Threat] = dict(sorted({**COMMANDS, **FILES, **GOVERNING, **ASKING, **LEAVING}.items()))
