"""The entries of a conversation as a person reads it: prompts, steps, reasoning, text, calls and notices.

They are made by `timeline.Timeline` alone; whoever shows them only reads. `revision` counts up with every change of an item.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from workbench.conversation.calls import Preview
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Decided, ExchangeClosed, ExchangeOpened, LimitReached, ToolFinished, TurnEnd
from workbench.conversation.messages import Message, Usage
from workbench.conversation.values import JsonObject

CallState: TypeAlias = Literal["arriving", "queued", "running", "waiting", "ok", "edited", "rejected", "denied", "failed", "stopped"]


@dataclass(kw_only=True, eq=False)
class Item:
    """Base of all. `item_id` is unique in the session and stays the same when the journal is replayed."""

    item_id: str
    turn_id: str = ""
    revision: int = 0


@dataclass(kw_only=True, eq=False)
class PromptItem(Item):
    """What a person said; `at` is seconds since 1970."""

    message: Message
    at: float


@dataclass(kw_only=True, eq=False)
class Attempt:
    """One try of a step's request; `closed` is None while it runs. `opened_at` is seconds since 1970."""

    opened: ExchangeOpened
    opened_at: float = 0.0
    closed: ExchangeClosed | None = None


@dataclass(kw_only=True, eq=False)
class StepItem(Item):
    """Where one request to the model begins. `usage` is known when the model has answered."""

    step: int
    attempts: list[Attempt] = field(default_factory=list)
    usage: Usage | None = None


@dataclass(kw_only=True, eq=False)
class ReasoningItem(Item):
    """What the model thought; `duration_s` from its first to its last piece, None when replayed without times."""

    text: str = ""
    done: bool = False
    duration_s: float | None = None
    tokens: int | None = None


@dataclass(kw_only=True, eq=False)
class TextItem(Item):
    """The model's words, Markdown; grows until `done`. `cut` says that the answer broke off."""

    text: str = ""
    done: bool = False
    cut: bool = False


@dataclass(kw_only=True, eq=False)
class Call:
    """One tool call in its present state.

    Attributes:
        title: what it is about in one line (path, command, pattern), from the decision's targets and the arguments; plain text.
        arguments_raw: the model's own argument text, as far as it arrived.
        sent, ran: arguments of the model (as the gate saw them, once it did) and, if a person changed them, those that ran.
        approval: the open question; None if none is open.
        preview: what the newest question showed, also after it was answered.
        resolved: the newest answer.
        note: a person's words with a rejection.
        output: the last output of a running tool, at most 64 Ki characters; empty when it has ended.
        output_lines: how many lines it wrote so far.
        started_at: seconds since 1970.
        edited: a person changed the arguments.
        decided_before: decisions that a later one took the place of, oldest first, each with the answer it had got until then.
        asked: the newest question, also after it was answered.
    """

    call_id: str
    tool: str
    state: CallState
    title: str = ""
    arguments_raw: str = ""
    sent: JsonObject | None = None
    ran: JsonObject | None = None
    edited: bool = False
    decided: Decided | None = None
    decided_before: tuple[tuple[Decided, ApprovalResolved | None], ...] = ()
    approval: ApprovalRequested | None = None
    asked: ApprovalRequested | None = None
    preview: Preview | None = None
    resolved: ApprovalResolved | None = None
    note: str = ""
    output: str = ""
    output_lines: int = 0
    started_at: float | None = None
    finished: ToolFinished | None = None


@dataclass(kw_only=True, eq=False)
class CallsItem(Item):
    """The calls of one step, in the model's order."""

    step: int
    calls: list[Call] = field(default_factory=list)


@dataclass(kw_only=True, eq=False)
class NoticeItem(Item):
    """Something the program tells: a retry that waits, a limit, the end of a turn without an answer, a warning.

    Attributes:
        kind: which sort; a front end chooses icon and buttons by it.
        message_id, text, values: as an error's, for a translation (`words.tell` takes the item); `text` is empty where `kind`, `limit`
            or `end` says all.
        at: when it was written, seconds since 1970.
        retry_at: seconds since 1970 at which a waiting retry goes out.
        attempt: of a retry, the number of the try that comes.
        limit: the limit that was reached.
        waits: the turn waits at that limit for a person.
        raised: the new bound, after a person let it go on.
        end: how the turn ended, of a ``turn_end``, and of a ``limit`` at which it ended.
        stopped_calls: how many calls were stopped with the turn.
        original: a provider's own words.
        exchange_id: the exchange it is about.
    """

    kind: Literal["retry", "limit", "turn_end", "notice", "resumed", "problem"]
    text: str = ""
    message_id: str = ""
    values: JsonObject = field(default_factory=dict)
    level: Literal["info", "warning", "error"] = "info"
    at: float = 0.0
    retry_at: float | None = None
    attempt: int = 0
    limit: LimitReached | None = None
    waits: bool = False
    raised: float | None = None
    end: TurnEnd | None = None
    stopped_calls: int = 0
    original: str = ""
    exchange_id: str = ""


TimelineItem: TypeAlias = PromptItem | StepItem | ReasoningItem | TextItem | CallsItem | NoticeItem


@dataclass(kw_only=True, frozen=True)
class Changes:
    """What a batch of facts did to the list of items.

    Attributes:
        appended: how many new items stand at the end.
        changed: indexes of older items that changed, ascending.
        removed_from: items from this index on were taken away before anything was appended (a transient notice went); None if none.
    """

    appended: int = 0
    changed: tuple[int, ...] = ()
    removed_from: int | None = None

    def __bool__(self) -> bool:
        return bool(self.appended or self.changed or self.removed_from is not None)
