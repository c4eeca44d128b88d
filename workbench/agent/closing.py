"""Ends what a stop, a broken answer or a crash left open: every call gets its result, and the results join the history."""

from __future__ import annotations

import time
from collections.abc import Callable

from workbench.agent.history import History
from workbench.agent.outcomes import Ended, finished
from workbench.conversation.events import UserMessageAdded
from workbench.conversation.journal import Journal
from workbench.conversation.messages import ToolCallPart, mint_id


def add_results(journal: Journal, history: History, turn_id: str) -> None:
    """Write the message with the results of the newest answer's calls, if it has calls that are not answered yet."""
    message = history.closing(mint_id("msg"), created_at=time.time())
    if message is not None:
        journal.append(UserMessageAdded(turn_id=turn_id, message=message))


def end_open_calls(journal: Journal, history: History, turn_id: str, ended: Callable[[ToolCallPart, bool], Ended]) -> None:
    """End every call without a result, then write the message with all results.

    Args:
        journal: takes the facts.
        history: a listener of that journal.
        turn_id: the turn they belong to.
        ended: says how a call ended, from the call and whether its tool was started.
    """
    for call in history.unanswered:
        journal.append(finished(call, history.place, ended(call, history.has_started(call.call_id))))
    add_results(journal, history, turn_id)
