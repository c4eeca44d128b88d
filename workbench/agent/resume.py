"""What a session's facts say about how it was left: what was chosen, and what a crash left open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.agent.closing import end_open_calls
from workbench.agent.history import History
from workbench.agent.outcomes import interrupted
from workbench.agent.session_setup import SessionSetup
from workbench.conversation.checks import RequestHeld, RequestReleased
from workbench.conversation.events import (
    ApprovalRequested,
    ApprovalResolved,
    Entry,
    ModeChosen,
    ModelChosen,
    Notice,
    SessionOpened,
    StepStarted,
    TitleSet,
    TurnFinished,
    TurnStarted,
)
from workbench.conversation.journal import Journal
from workbench.conversation.values import clean_text
from workbench.permissions.modes import Mode, mode_available


@dataclass
class Left:
    """How a session was left.

    Attributes:
        mode: the mode chosen last; None if none was.
        chosen: the model chosen last.
        titled: it has a title.
        turn_id: a turn that did not end; empty if all did.
        steps: steps of that turn.
        approvals: questions nobody answered, by id.
        holds: held requests nobody decided about, by id.
    """

    mode: Mode | None = None
    chosen: ModelChosen | None = None
    titled: bool = False
    turn_id: str = ""
    steps: int = 0
    approvals: dict[str, ApprovalRequested] = field(default_factory=dict)
    holds: dict[str, RequestHeld] = field(default_factory=dict)


def how_left(entries: Iterable[Entry]) -> Left:
    """Return how a session was left, from its facts."""
    left = Left()
    for entry in entries:
        match entry.event:
            case ModeChosen(mode=mode):
                left.mode = mode
            case ModelChosen():
                left.chosen = entry.event
            case TitleSet():
                left.titled = True
            case TurnStarted(turn_id=turn_id):
                left.turn_id, left.steps = turn_id, 0
            case StepStarted(step=step):
                left.steps = step
            case TurnFinished():
                left.turn_id = ""
            case ApprovalRequested(approval_id=approval_id):
                left.approvals[approval_id] = entry.event
            case ApprovalResolved(approval_id=approval_id):
                left.approvals.pop(approval_id, None)
            case RequestHeld(hold_id=hold_id):
                left.holds[hold_id] = entry.event
            case RequestReleased(hold_id=hold_id):
                left.holds.pop(hold_id, None)
            case _:
                pass
    return left


def end_interrupted(journal: Journal, history: History, left: Left) -> None:
    """End what a crash left open: questions become void, held requests are dropped, calls get a result that says so, the turn ends as interrupted.

    The facts that are there stay as they are; this only adds to them.
    """
    for approval_id, requested in left.approvals.items():
        journal.append(ApprovalResolved(approval_id=approval_id, call_id=requested.call_id, answer="stop", by="program"))
    for held in left.holds.values():
        journal.append(RequestReleased(hold_id=held.hold_id, turn_id=held.turn_id, decision="stop"))
    turn_id = left.turn_id or history.place.turn_id
    end_open_calls(journal, history, turn_id, lambda _call, started: interrupted(running=started))
    if left.turn_id:
        text = "The program ended while this turn ran."
        journal.append(TurnFinished(turn_id=left.turn_id, end="interrupted", text=text, failure="interrupted", steps=left.steps))


def begin(setup: SessionSetup, history: History) -> Left:
    """Write the first facts of a new session, or of a resumed one, end what a crash left open, and take up the mode; return how it was left.

    Raises:
        StoreError: the journal takes nothing.
    """
    journal, left = setup.journal, how_left(setup.journal.entries)
    journal.append(
        SessionOpened(
            session_id=setup.session_id,
            workspace=clean_text(str(setup.context.workspace.path)),
            program_version=setup.program_version,
            resumed=bool(journal.entries),
        )
    )
    end_interrupted(journal, history, left)
    if left.chosen != setup.chosen:
        journal.append(setup.chosen)
    _begin_mode(setup, left.mode)
    return left


def _begin_mode(setup: SessionSetup, left: Mode | None) -> None:
    gatekeeper = setup.gatekeeper
    wanted = setup.mode or left or gatekeeper.mode
    refused = mode_available(wanted, gatekeeper.facts)
    if refused is not None:
        setup.journal.append(Notice(message_id=refused.code, text=refused.text, level="warning"))
        wanted = "ask"
    gatekeeper.mode = wanted
    if wanted != left:
        setup.journal.append(ModeChosen(mode=wanted))
