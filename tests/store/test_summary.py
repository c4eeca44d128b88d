"""Tests of the summary: what a list shows after each fact."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from workbench.conversation.events import Entry, Event, ModelChosen, SessionOpened, TitleSet, TurnFinished, TurnStarted, UserMessageAdded
from workbench.conversation.messages import Message, TextPart, ToolResultPart, text_message
from workbench.store.masking import Masks
from workbench.store.schema import create_tables
from workbench.store.summary import Summary, read_summary, write_summary


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create_tables(connection)
        yield connection


def test_it_counts_facts_and_turns_and_remembers_the_newest_choices() -> None:
    events: list[Event] = [
        SessionOpened(session_id="s", workspace="/a", program_version="1"),
        ModelChosen(profile="p", model="m1", dialect="gemini"),
        TurnStarted(turn_id="t1"),
        UserMessageAdded(turn_id="t1", message=text_message("user", "  What\n is\tthis? ")),
        TurnFinished(turn_id="t1", end="answered"),
        ModelChosen(profile="p", model="m2", dialect="gemini"),
        TurnStarted(turn_id="t2"),
    ]
    assert _folded(events) == Summary(
        session_id="s",
        title="What is this?",
        workspace="/a",
        created_at=11.0,
        updated_at=17.0,
        events=7,
        turns=2,
        model="m2",
        chosen=ModelChosen(profile="p", model="m2", dialect="gemini"),
        running=True,
    )
    assert not _folded([*events, TurnFinished(turn_id="t2", end="stopped")]).running


def test_only_a_persons_words_become_the_title() -> None:
    result = Message(message_id="m", role="tool", parts=(ToolResultPart(call_id="c", name="x", content=(TextPart(text="result"),)),))
    note = Message(message_id="m", role="user", parts=(TextPart(text="note"),), synthetic=True)
    events: list[Event] = [UserMessageAdded(turn_id="t", message=message) for message in (result, note)]
    assert _folded(events).title == ""
    assert _folded([*events, UserMessageAdded(turn_id="t", message=text_message("user", "mine"))]).title == "mine"
    assert _folded([TitleSet(title="set"), UserMessageAdded(turn_id="t", message=text_message("user", "mine"))]).title == "set"


def test_a_long_first_message_is_cut() -> None:
    title = _folded([UserMessageAdded(turn_id="t", message=text_message("user", "字" * 1_000_000))]).title
    assert title == "字" * 79 + "…"


def test_the_row_is_read_back_and_replaced(connection: sqlite3.Connection) -> None:
    assert read_summary(connection) is None
    for title in ("one", "two"):
        write_summary(connection, Summary(session_id="s", title=title), Masks())
    assert read_summary(connection) == Summary(session_id="s", title="two")


def test_a_changed_row_is_no_summary(connection: sqlite3.Connection) -> None:
    write_summary(connection, Summary(session_id="s", title="one"), Masks())
    connection.execute("UPDATE summary SET data = replace(data, 'one', 'two')")
    assert read_summary(connection) is None


def test_secrets_do_not_enter_it(connection: sqlite3.Connection) -> None:
    write_summary(connection, Summary(session_id="s", title="key secret-0001"), Masks(["secret-0001"]))
    found = read_summary(connection)
    assert found is not None
    assert found.title == "key REDACTED***"


def _folded(events: list[Event]) -> Summary:
    summary = Summary(session_id="s")
    for seq, event in enumerate(events, start=1):
        summary = summary.after(Entry(seq, 10.0 + seq, event))
    return summary
