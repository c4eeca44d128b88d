"""Writes the facts and live signs of a turn by hand, and finds things in a timeline."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from tests.agent.dialogue import CHOSEN
from tests.inspection.following import Follower, Recording
from workbench.conversation.assembler import Assembler
from workbench.conversation.events import (
    Entry,
    Event,
    ExchangeClosed,
    ExchangeOpened,
    LiveEvent,
    ModelResponded,
    SessionOpened,
    StepStarted,
    StreamPieceArrived,
    TurnFinished,
    TurnStarted,
    UserMessageAdded,
)
from workbench.conversation.exchange import BodyRef
from workbench.conversation.journal import Journal
from workbench.conversation.messages import MessageState, ToolCallPart, text_message
from workbench.conversation.stream import (
    StreamEvent,
)
from workbench.inspection.timeline import Timeline
from workbench.inspection.timeline_items import Call, CallsItem, NoticeItem


class Wire:
    """Writes the facts and live signs of one turn into a journal as loop and client do, without a loop."""

    def __init__(self, workspace: str = "/ws") -> None:
        self.journal = Journal(clock=lambda: 1_700_000_000.0)
        self.recording = Recording(self.journal)
        self.step, self.exchanges = 0, 0
        self._assembler = Assembler()
        self.fact(SessionOpened(session_id="s", workspace=workspace, program_version="1"))
        self.fact(TurnStarted(turn_id="t"))
        self.fact(UserMessageAdded(turn_id="t", message=text_message("user", "Go")))

    def fact(self, event: Event) -> None:
        self.journal.append(event)

    def begin(self) -> None:
        self.step += 1
        self._assembler = Assembler()
        self.fact(StepStarted(turn_id="t", step=self.step))
        self.open()

    def open(self, attempt: int = 1) -> None:
        self.exchanges += 1
        self.fact(
            ExchangeOpened(
                exchange_id=f"x{self.exchanges}",
                number=self.exchanges,
                turn_id="t",
                step=self.step,
                attempt=attempt,
                method="POST",
                url="http://127.0.0.1/v1",
                headers=(),
                body=BodyRef(runs=(), sha256="0", size_bytes=0),
                dialect=CHOSEN.dialect,
                profile="p",
                model="m",
            )
        )

    def pieces(self, *pieces: StreamEvent) -> None:
        for piece in pieces:
            self._assembler.add(piece)
            self.journal.emit(StreamPieceArrived("t", self.step, f"x{self.exchanges}", piece))

    def close(self, **fields: Any) -> None:
        self.fact(ExchangeClosed(exchange_id=f"x{self.exchanges}", **{"status": 200} | fields))

    def respond(self, state: MessageState | None = None, problems: tuple[str, ...] = ()) -> None:
        message = self._assembler.message(f"m{self.step}", state=state)
        parts = [replace(part, call_id=f"{part.call_id}.{self.step}") if isinstance(part, ToolCallPart) and self.step > 1 else part for part in message.parts]
        message = replace(message, parts=tuple(parts))  # ids that came before get new ones
        self.fact(ModelResponded(turn_id="t", step=self.step, exchange_id=f"x{self.exchanges}", message=message, problems=problems))

    def end(self, end: str = "answered", text: str = "") -> None:
        self.fact(TurnFinished(turn_id="t", end=end, text=text))  # type: ignore[arg-type]

    @property
    def heard(self) -> list[Entry | LiveEvent]:
        return self.recording.heard


def live(wire: Wire) -> Timeline:
    """Return the timeline of what was heard so far, one event at a time, with every change checked."""
    follower = Follower()
    for event in wire.heard:
        follower.take([event])
    return follower.timeline


def kinds(timeline: Timeline) -> list[str]:
    return [type(item).__name__.removesuffix("Item") for item in timeline.items]


def only_call(timeline: Timeline) -> Call:
    (box,) = [item for item in timeline.items if isinstance(item, CallsItem)]
    (found,) = box.calls
    return found


def only_notice(timeline: Timeline) -> NoticeItem:
    (found,) = [item for item in timeline.items if isinstance(item, NoticeItem)]
    return found
