"""Putting calls together: which piece belongs where, for every way in which servers were seen to send them."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import pytest

from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import ToolCallPart
from workbench.conversation.stream import CallDone, CallStarted, StreamEvent
from workbench.dialects.calls import CallPiece, CallTable, derived_id


class Read(NamedTuple):
    """What pieces came to."""

    calls: tuple[ToolCallPart, ...]
    codes: list[str]
    truncated: bool
    events: list[StreamEvent]

    @property
    def said(self) -> list[tuple[str, str, str]]:
        return [(call.call_id, call.name, call.arguments_raw) for call in self.calls]


def piece(slot: int | None, wire_id: str = "", name: str = "", arguments: Any = None, **more: Any) -> CallPiece:
    return CallPiece(slot=slot, wire_id=wire_id, name=name, arguments=arguments, seed=f"{slot} {wire_id}", **more)


def read(*pieces: CallPiece, cut: bool = False, split: bool = False, tools: tuple[str, ...] = ()) -> Read:
    table = CallTable(split_glued=split, tools=tools)
    events: list[StreamEvent] = []
    for frame, each in enumerate(pieces):
        table.take(each, frame, events)
    truncated = table.finish(events, cut=cut)
    assembler = Assembler()
    for event in events:
        assembler.add(event)
    return Read(assembler.message("m").calls(), [problem.code for problem in assembler.problems], truncated, events)


def test_pieces_without_id_belong_to_their_index() -> None:
    openers = (piece(0, "A", "read", ""), piece(1, "B", "glob", ""))
    found = read(*openers, piece(0, arguments='{"path":'), piece(1, arguments='{"p":'), piece(0, arguments='"a"}'), piece(1, arguments="1}"))
    assert found.said == [("A", "read", '{"path":"a"}'), ("B", "glob", '{"p":1}')]


def test_a_new_id_is_a_new_call_even_if_its_index_is_taken() -> None:
    found = read(piece(0, "A", "read", '{"path":"a"}'), piece(0, "B", "read", '{"path":"b"}'))
    assert found.said == [("A", "read", '{"path":"a"}'), ("B", "read", '{"path":"b"}')]


def test_an_index_may_have_holes_or_be_huge() -> None:
    assert read(piece(7_000_000, "A", "read", "{"), piece(7_000_000, arguments="}")).said == [("A", "read", "{}")]


def test_without_index_an_id_opens_and_nothing_continues() -> None:
    found = read(piece(None, "x1", "get", '{"city":'), piece(None, arguments='"Paris"}'), piece(None, "x2", "time", '{"tz":"JST"}'))
    assert found.said == [("x1", "get", '{"city":"Paris"}'), ("x2", "time", '{"tz":"JST"}')]


def test_without_index_and_id_another_name_after_a_whole_call_is_another_call() -> None:
    found = read(piece(None, "", "get", '{"a":1}'), piece(None, "", "time", '{"b":2}'), piece(None, "", "time", '{"b":3}'))
    assert [said[1:] for said in found.said] == [("get", '{"a":1}'), ("time", '{"b":2}'), ("time", '{"b":3}')]
    assert len({said[0] for said in found.said}) == 3


def test_a_closing_piece_with_the_name_again_is_no_call() -> None:
    assert read(piece(None, "A", "get", '{"a":1}'), piece(None, "", "get", "")).said == [("A", "get", '{"a":1}')]


def test_an_index_that_changes_in_the_middle_of_the_arguments_goes_on_with_the_last_call() -> None:
    assert read(piece(0, "A", "read", '{"a":"x'), piece(1, arguments='\\"y"}')).said == [("A", "read", '{"a":"x\\"y"}')]


def test_a_new_id_on_every_piece_of_one_call_is_one_call() -> None:
    assert read(piece(0, "A", "read", '{"a":'), piece(0, "B", "", "1"), piece(0, "C", "", "}")).said == [("A", "read", '{"a":1}')]


def test_one_chunk_may_hold_the_opener_and_the_first_piece() -> None:
    assert read(piece(0, "c1", "calc", ""), piece(0, arguments='{"e": "'), piece(0, arguments='1"}')).said == [("c1", "calc", '{"e": "1"}')]


def test_the_name_may_come_after_the_arguments() -> None:
    found = read(piece(0, "A", "", '{"a":'), piece(0, "", "read", "1}"))
    assert found.said == [("A", "read", '{"a":1}')]
    assert isinstance(found.events[0], CallStarted)
    assert found.events[0].name == ""


def test_a_call_that_never_gets_a_name_cannot_run() -> None:
    found = read(piece(0, "A", "", '{"a":1}'))
    assert found.calls[0].status == "invalid_json"
    assert found.codes == ["call-without-name", "arguments-broken"]


def test_a_name_in_every_piece_is_set_once() -> None:
    assert read(piece(0, "A", "read_file", ""), piece(0, "A", "read_file", '{"a":'), piece(0, "", "read_file", "1}")).said == [("A", "read_file", '{"a":1}')]


@pytest.mark.parametrize("tools", [(), ("read_file",)])
def test_a_name_in_pieces_is_joined(tools: tuple[str, ...]) -> None:
    assert read(piece(0, "A", "read_"), piece(0, "", "file"), piece(0, arguments="{}"), tools=tools).said == [("A", "read_file", "{}")]


def test_a_name_that_grows_is_replaced() -> None:
    assert read(piece(0, "A", "read"), piece(0, "", "read_file", "{}")).said == [("A", "read_file", "{}")]


def test_the_offered_names_decide_what_a_second_name_is() -> None:
    assert read(piece(0, "A", "read"), piece(0, "", "er", "{}"), tools=("read",)).said == [("A", "read", "{}")]
    assert read(piece(0, "A", "?"), piece(0, "", "read", "{}"), tools=("read",)).said == [("A", "read", "{}")]


@pytest.mark.parametrize(("name", "shown"), [("get_location<|channel|>commentary", "get_location"), (" read ", "read")])
def test_junk_behind_a_name_is_cut_off(name: str, shown: str) -> None:
    assert read(piece(0, "A", name, "{}")).said == [("A", shown, "{}")]


@pytest.mark.parametrize("arguments", [("",), (None,), (None, "{}"), ("", "{}"), ("{}", "{}"), ("{}", "", "")])
def test_no_arguments_are_an_empty_object(arguments: tuple[Any, ...]) -> None:
    assert read(piece(0, "A", "now", arguments[0]), *(piece(0, arguments=more) for more in arguments[1:])).said == [("A", "now", "{}")]


def test_a_whole_object_said_twice_counts_once() -> None:
    assert read(piece(0, "A", "read", '{"a": "b"}'), piece(0, arguments='{"a":"b"}')).said == [("A", "read", '{"a": "b"}')]


def test_an_object_inside_of_the_arguments_is_not_taken_for_a_repeat() -> None:
    assert read(piece(0, "A", "read", '{"a":'), piece(0, arguments="{}"), piece(0, arguments="}")).said == [("A", "read", '{"a":{}}')]


def test_arguments_as_an_object_are_written_once() -> None:
    assert read(piece(0, "A", "read", {"path": "上海"}), piece(0, arguments="{}")).said == [("A", "read", '{"path":"上海"}')]


def test_arguments_are_final_only_at_the_end() -> None:
    found = read(piece(0, "A", "find", '{"query":"test"'), piece(0, arguments="}"), piece(0, arguments=""), piece(0, "A", "", ""))
    assert found.said == [("A", "find", '{"query":"test"}')]
    assert [type(event) for event in found.events].index(CallDone) == len(found.events) - 1
    assert read(piece(0, "A", "bash", '{"cmd":"rm'), piece(0, arguments=' -i x"}')).said == [("A", "bash", '{"cmd":"rm -i x"}')]


def test_more_after_a_complete_object_makes_it_invalid() -> None:
    found = read(piece(0, "A", "find", '{"query":"test"}'), piece(0, arguments=', "limit": 10}'))
    assert found.calls[0].status == "invalid_json"
    assert found.codes == ["arguments-broken"]


def test_glued_calls_are_parted_when_the_opener_was_repeated() -> None:
    found = read(piece(0, "A", "read", '{"a":1}'), piece(0, "", "read", '{"a":2}'), piece(0, "", "read", '{"a":3}'))
    assert [(call.name, call.arguments_raw, call.repaired) for call in found.calls] == [("read", f'{{"a":{count}}}', True) for count in (1, 2, 3)]
    assert found.calls[0].call_id == "A"
    assert len({call.call_id for call in found.calls}) == 3
    assert found.codes == ["arguments-repaired"]


def test_glued_calls_are_parted_for_a_server_that_is_known_for_it() -> None:
    assert len(read(piece(0, "A", "read", '{"a":1}{"a":2}'), split=True).calls) == 2
    assert read(piece(0, "A", "read", '{"a":1}{"a":2}')).calls[0].status == "invalid_json"


def test_an_extra_brace_is_cut_off_and_told() -> None:
    found = read(piece(0, "A", "read", '{"a":1}'), piece(0, arguments="}"))
    assert found.said == [("A", "read", '{"a":1}')]
    assert found.calls[0].repaired
    assert found.codes == ["arguments-repaired"]


def test_an_id_used_again_in_one_answer_gets_another_local_id() -> None:
    found = read(piece(0, "0", "read", '{"a":1}'), piece(1, "0", "read", ""), piece(1, "0", "", '{"a":2}'))
    assert [(call.arguments_raw, call.wire_id) for call in found.calls] == [('{"a":1}', ""), ('{"a":2}', "0")]
    assert found.calls[0].call_id == "0" != found.calls[1].call_id


def test_the_same_call_under_the_same_id_counts_once() -> None:
    assert read(piece(0, "0", "read", '{"a":1}'), piece(1, "0", "read", '{"a": 1}')).said == [("0", "read", '{"a":1}')]
    assert read(piece(None, "0", "read", '{"a":1}'), piece(None, "0", "read", '{"a":1}')).said == [("0", "read", '{"a":1}')]


def test_a_whole_call_under_a_used_id_without_index_is_another_call() -> None:
    found = read(piece(None, "0", "read", '{"a":1}'), piece(None, "0", "read", '{"a":2}'))
    assert [call.arguments_raw for call in found.calls] == ['{"a":1}', '{"a":2}']


def test_a_missing_id_is_derived_from_the_bytes() -> None:
    first, second = read(piece(0, "", "now", "{}")), read(piece(0, "", "now", "{}"))
    assert first.said == second.said == [(derived_id("0 0 "), "now", "{}")]
    assert len(first.calls[0].call_id) == 29


def test_an_id_that_comes_late_is_kept_beside_the_local_one() -> None:
    found = read(piece(0, "", "now", ""), piece(0, "A", "", "{}"))
    assert found.calls[0].wire_id == "A"
    assert found.calls[0].call_id.startswith("call_")


def test_a_cut_answer_leaves_open_calls_truncated() -> None:
    found = read(piece(0, "A", "read", '{"a":1}'), piece(1, "B", "read", '{"a":'), piece(2, "C", "now", ""), cut=True)
    assert [call.status for call in found.calls] == ["complete", "truncated", "truncated"]
    assert found.truncated
    assert found.calls[2].arguments_raw == ""


def test_an_open_call_is_truncated_even_if_the_answer_claims_to_be_complete() -> None:
    found = read(piece(0, "A", "read", '{"a":'))
    assert found.calls[0].status == "truncated"
    assert found.truncated


def test_a_custom_call_is_free_text() -> None:
    found = read(piece(0, "A", "sql", "SELECT ", kind="custom"), piece(0, arguments="{}"), piece(0, arguments="{}"))
    assert found.said == [("A", "sql", "SELECT {}{}")]
    assert found.calls[0].kind == "custom"


def test_what_only_the_provider_understands_stays_with_the_call() -> None:
    found = read(piece(0, "A", "now", "", metadata={"extra_content": {"google": 1}}), piece(0, metadata={"more": 2}))
    assert found.calls[0].metadata == {"extra_content": {"google": 1}, "more": 2}


def test_a_half_character_stays_as_an_escape() -> None:
    found = read(piece(0, "A", "say", '{"t":"\ud83d'), piece(0, arguments='\ude00 \ud99c"}'))
    assert found.said == [("A", "say", '{"t":"\\ud83d\\ude00 \\ud99c"}')]
    assert found.calls[0].arguments() == {"t": "\U0001f600 \ud99c"}


def test_an_empty_piece_opens_nothing() -> None:
    assert read(piece(0), piece(None, arguments="")).calls == ()


@pytest.mark.parametrize("part", ['{"', "{}", 'aa"'])
def test_many_odd_pieces_take_linear_time(part: str) -> None:
    started = time.process_time()
    read(piece(0, "A", "write", "{}"), *(piece(0, "", "write", part) for _ in range(20_000)))
    assert time.process_time() - started < 8
