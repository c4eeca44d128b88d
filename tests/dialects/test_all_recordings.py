"""No recording and no reported fault is forgotten: each recorded exchange is held by the tests of exactly one dialect, each case is run somewhere."""

from __future__ import annotations

import ast
import json
from collections import Counter
from typing import Any

import pytest

from tests.dialects.anthropic import test_recordings as anthropic
from tests.dialects.chat_completions import test_recordings as chat_completions
from tests.dialects.functions import test_weather as functions
from tests.dialects.gemini import test_recordings as gemini
from tests.dialects.ollama import test_recordings as ollama
from tests.dialects.react import test_recordings as react
from tests.dialects.recordings import exchanges, index
from tests.dialects.responses import test_recordings as responses
from tests.shared import ROOT, needs_shared, shared_data

SAMPLES = "sample_responses.md"
"""Streams printed in a text of 2023; `functions` takes them out of it itself."""

ENDPOINTS = ("/chat/completions", "/messages", "/responses", "enerateContent", "/api/chat")
NO_MODEL = {
    "test_cancel_recorded_provider_stream[huggingface].yaml": 1,
    "test_crew_with_delegating_agents_should_not_override_agent_tools.yaml": 1,
    "test_google_model_armor_prompt_template_text_gets_blocked.yaml": 1,
    "test_lite_agent_created_with_correct_parameters[False].yaml": 1,
    "test_openai_conversation_id_tool_call_continuation.yaml": 2,
}
"""How many exchanges of a file are not with a model: tokens, settings of a conversation, measurements of the client that recorded it."""


def claims() -> dict[str, Counter[tuple[str, bytes]]]:
    """Return what each dialect's tests hold: file and request (empty where only the answer was kept) with how often."""
    whole: dict[str, Any] = {
        "chat": chat_completions.RECORDED, "anthropic": anthropic.RECORDED, "gemini": gemini.RECORDED, "ollama": ollama.RECORDED, "legacy": functions.RECORDED
    }
    held = {name: Counter((file, each.request) for file, found in recorded.items() for each in found) for name, recorded in whole.items()}
    held["react"] = Counter((file, each.request) for file, _number, each in react.RECORDED)
    held["responses"] = Counter((answer.name.rpartition(" ")[0], answer.exchange.request) for answer in responses.ANSWERS)
    held["legacy"][(SAMPLES, b"")] = len(functions.samples())
    return held


@needs_shared
def test_every_recorded_exchange_is_held_by_one_dialect() -> None:
    data = shared_data()
    assert data is not None
    held, rows, others = claims(), index(data), Counter[str]()
    assert len(rows) == 150
    for row in rows:
        name = row.file.rpartition("/")[2]
        expected = {word.removesuffix("-error").removesuffix("-mistral").removesuffix("-reasoning") for word in row.dialect.split("+")}
        assert {dialect for dialect, found in held.items() if any(file == name for file, _ in found)} == expected, name
        for each in exchanges(data / "recordings" / row.file) if name != SAMPLES else ():
            holders = [dialect for dialect, found in held.items() if (name, each.request) in found]
            if not each.url or any(endpoint in each.url for endpoint in ENDPOINTS):
                assert len(holders) == 1, (name, each.url, holders)
            else:
                others[name] += 1
    assert others == NO_MODEL


@needs_shared
def test_nothing_is_held_that_was_not_recorded_and_nothing_is_left_out_by_number() -> None:
    data = shared_data()
    assert data is not None
    held = claims()
    recorded = sum(len(exchanges(data / "recordings" / row.file)) for row in index(data) if not row.file.endswith(SAMPLES))
    apart = sum(count - 1 for (file, request), count in held["responses"].items() if not request and count > 1 and file.endswith(".txt"))
    assert sum(map(Counter.total, held.values())) == recorded - sum(NO_MODEL.values()) + len(functions.samples()) + apart


CASES = "tests/cases"
RUNS: dict[str, tuple[str, ...]] = {
    "sse-utf8-split": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "sse-unicode-newlines": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "chat-interleaved-index": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "chat-no-index": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "chat-empty-id-continuation": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "chat-usage-only-chunk": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "chat-stop-with-calls": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "think-tag-split": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "idle-timeout-ignores-heartbeats": ("tests/wire/test_response.py::test_heartbeats_alone_do_not_keep_a_dead_stream_open",),
    "anthropic-eof-no-stop": ("tests/dialects/anthropic/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "anthropic-error-in-200": ("tests/dialects/anthropic/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "anthropic-no-args-tool": ("tests/dialects/anthropic/test_bug_reports.py::test_a_stream_comes_to_what_was_right",),
    "anthropic-interleaved-thinking-replay": (
        "tests/dialects/anthropic/test_bug_reports.py::test_interleaved_thinking_goes_back_byte_for_byte_after_being_stored",
    ),
    "responses-out-of-order-items": (
        "tests/dialects/responses/test_bug_reports.py::test_items_that_finish_in_another_order_keep_their_places_and_their_encrypted_reasoning",
    ),
    "responses-incomplete-terminal": ("tests/dialects/responses/test_bug_reports.py::test_an_incomplete_end_is_no_good_end",),
    "reasoning-content-replay": ("tests/dialects/chat_completions/test_bug_reports.py::test_reasoning_goes_back_in_the_field_it_came_in",),
    "gemini-thought-signature": ("tests/dialects/gemini/test_bug_reports.py::test_a_signature_stays_on_its_call",),
    "blank-text-block-not-replayed": ("tests/dialects/anthropic/test_bug_reports.py::test_no_blank_text_and_no_empty_output_is_sent",),
    "args-raw-newline": (
        "tests/dialects/chat_completions/test_bug_reports.py::test_a_raw_line_break_in_the_arguments_is_accepted_and_sent_as_strict_json",
        "tests/tools/test_arguments.py::test_report_raw_newline_inside_a_string_is_accepted",
    ),
    "args-cut-by-length": ("tests/dialects/chat_completions/test_bug_reports.py::test_a_call_cut_by_the_limit_is_answered_and_goes_back_as_an_object",),
    "write-missing-content": ("tests/tools/test_arguments.py::test_report_missing_content_is_not_empty_content",),
    "args-double-encoded-array": ("tests/tools/test_arguments.py::test_report_double_encoding_is_undone_by_schema_only",),
    "unknown-tool-name": ("tests/agent/test_reported.py::test_a_tool_that_is_not_there_is_answered_with_the_names",),
    "extra-property-no-privilege": ("tests/tools/test_arguments.py::test_report_extra_property_gives_no_privilege",),
    "same-id-next-turn": (
        "tests/dialects/chat_completions/test_bug_reports.py::test_one_id_in_every_round_is_unique_on_the_wire",
        "tests/dialects/anthropic/test_bug_reports.py::test_one_id_in_every_round_is_unique_on_the_wire",
        "tests/dialects/responses/test_bug_reports.py::test_one_id_in_every_round_is_unique_on_the_wire",
        "tests/agent/test_reported.py::test_one_id_in_every_round_keeps_its_result",
    ),
    "lone-surrogate": (
        "tests/dialects/chat_completions/test_bug_reports.py::test_half_characters_do_not_stop_the_next_request",
        "tests/dialects/anthropic/test_bug_reports.py::test_half_characters_do_not_stop_the_next_request",
        "tests/tools/test_arguments.py::test_report_lone_surrogate_is_replaced",
    ),
    "huge-args-linear": ("tests/dialects/chat_completions/test_bug_reports.py::test_huge_arguments_take_linear_time",),
}
"""Which test runs each reported case about streams, arguments and requests."""


def copied() -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """Return the cases that stand in the repository, by id, each with the file it stands in."""
    found: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for file in sorted((ROOT / CASES).glob("bug_reports_*.jsonl")):
        for line in file.read_text(encoding="utf-8").split("\n")[:-1]:
            case = json.loads(line)
            found.setdefault(case["id"], []).append((file.name, case))
    return found


@needs_shared
def test_every_reported_case_of_streams_arguments_and_requests_is_copied_as_it_is() -> None:
    data = shared_data()
    assert data is not None
    lines = (data.parent / "cases/bug_reports.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    cases = {case["id"]: case for case in map(json.loads, lines) if case["area"] in ("stream", "tool_args", "requests")}
    here = copied()
    assert set(RUNS) == set(cases)
    for name, case in cases.items():
        assert name in here, f"{name} is in no file of {CASES}"
        assert all(each == case for _, each in here[name]), name


@pytest.mark.parametrize("name", RUNS)
def test_a_reported_case_is_run_by_a_test_that_reads_it(name: str) -> None:
    files = [file for file, _ in copied()[name]]
    for test in RUNS[name]:
        path, _, function = test.partition("::")
        source = (ROOT / path).read_text(encoding="utf-8")
        assert function in {each.name for each in ast.walk(ast.parse(source)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}, test
        assert any(reader in source for file in files for reader in (file, f"{file.removesuffix('.jsonl')}\"", *_READERS.get(file, ()))), (test, files)
        assert name in source or function == "test_a_stream_comes_to_what_was_right", "by its id, or with all streams of the file"


_READERS = {
    "bug_reports_files.jsonl": ("bug_report(",),
    "bug_reports_transport.jsonl": ("transport_case(",),
    "bug_reports_chat.jsonl": ("SHARED_CASES[",),
}
"""How a test may read a file that another module opens for it."""
