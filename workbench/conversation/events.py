"""Facts of a session (numbered, kept) and live signs (neither), as frozen values.

A fact is written once, after it happened or, for an exchange and a tool run, before it may happen; what a window or terminal
shows is computed from facts alone. Live signs only make waiting visible and may be lost.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from msgspec import field

from workbench.conversation.calls import Answer, CallPart, Confinement, FileChange, Outcome, Preview, Reason, RuleScope, Target, ToolStatus
from workbench.conversation.checks import Finding, RefusalExplained, RequestHeld, RequestReleased
from workbench.conversation.exchange import BodyRef, Cost, Headers
from workbench.conversation.messages import DialectName, Message, ResultDecision, ToolResultPart
from workbench.conversation.stream import StreamEvent
from workbench.conversation.values import JsonObject, Value

TurnEnd: TypeAlias = Literal["answered", "stopped", "failed", "limit", "interrupted"]


class SessionOpened(Value, kw_only=True):
    """A session began, or was opened again (`resumed`). `workspace` is the folder's real path."""

    session_id: str
    workspace: str
    program_version: str
    resumed: bool = False


class TitleSet(Value, kw_only=True):
    """The session got a title."""

    title: str


class ModelChosen(Value, kw_only=True):
    """From here on requests go to this model. `profile` names the provider's profile; `dialect` the wire shape."""

    profile: str
    model: str
    dialect: DialectName


class ModeChosen(Value, kw_only=True):
    """From here on the gate uses this mode."""

    mode: Literal["read_only", "ask", "accept_edits", "auto"]


class TurnStarted(Value, kw_only=True):
    """A user message begins a turn."""

    turn_id: str


class UserMessageAdded(Value, kw_only=True):
    """A message that did not come from the model joined the history (a person's words, a note, synthetic results)."""

    turn_id: str
    message: Message


class StepStarted(Value, kw_only=True):
    """A request to the model and the calls it asks for begin; steps count from 1 in a turn."""

    turn_id: str
    step: int


class ExchangeOpened(Value, kw_only=True):
    """A request is about to leave. Nothing is sent before this fact is durable.

    Attributes:
        number, attempt: count the session's exchanges, and the tries of this step, from 1.
        url, headers: with secrets replaced.
        findings, repaired: what the linter says of the body; the rules by which it was changed before it left.
    """

    exchange_id: str
    number: int
    turn_id: str
    step: int
    attempt: int
    method: str
    url: str
    headers: Headers
    body: BodyRef
    dialect: DialectName
    profile: str
    model: str
    findings: tuple[Finding, ...] = ()
    repaired: tuple[str, ...] = ()


class ExchangeClosed(Value, kw_only=True):
    """A response ended, well or not. The bytes are with the keeper under `exchange_id`.

    Attributes:
        status: HTTP status; None if no response came.
        first_byte_s, duration_s: seconds after sending; None if that point was not reached.
        error, failure: when it went wrong, one sentence (`message_id`, `values`: for a translation), and its class (``rate_limit``, ``stopped``, …).
        retry_in_s, size_bytes: seconds after which the request will be repeated; length of the response body.
        cost: None where nothing has a price (servers of this machine, the practice model) or no answer came.
    """

    exchange_id: str
    status: int | None
    headers: Headers = ()
    http_version: str = ""
    first_byte_s: float | None = None
    duration_s: float | None = None
    size_bytes: int = 0
    error: str = ""
    failure: str = ""
    original: str = ""
    retry_in_s: float | None = None
    message_id: str = ""
    values: JsonObject = field(default_factory=dict)
    cost: Cost | None = None

    @property
    def text(self) -> str:
        """The sentence of the error, by the name that every message has."""
        return self.error


class ModelResponded(Value, kw_only=True):
    """The model's message, complete or as far as it came. `problems` are sentences the decoder noted."""

    turn_id: str
    step: int
    exchange_id: str
    message: Message
    problems: tuple[str, ...] = ()


class Decided(Value, kw_only=True):
    """The gate's answer on one call. No tool runs without it.

    Attributes:
        danger: 0–4, see permissions.danger.
        badges: ``outside``, ``secret``, ``protected``, ``hidden_characters``, … in a fixed order.
        arguments: the arguments the decision was made on, normalised.
        edited: the arguments are a person's, not the model's.
        digest: SHA-256 over tool, arguments, targets and base hashes; an approval holds only for this.
        confinement: how the command is held if it runs.
    """

    turn_id: str
    step: int
    call_id: str
    tool: str
    outcome: Outcome
    danger: int
    outside: bool
    badges: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    targets: tuple[Target, ...] = ()
    arguments: JsonObject = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    edited: bool = False
    digest: str = ""
    confinement: Confinement = ""


class ApprovalRequested(Value, kw_only=True):
    """A person must answer. `approval_id` is new for each question, so a late answer cannot meet another one.

    `can_always` is False when no lasting rule may be offered; `agent` is the chain of sub-agents, empty for the main one.
    `always` holds the rules that "always" may add for the whole call, in the form in which rules are stored, narrowest first (for a
    shell call at most "exactly this text"); `parts` the simple commands of a shell call, each with the rules for itself. An approval
    grants just the `confinement` that was shown.
    """

    approval_id: str
    turn_id: str
    step: int
    call_id: str
    tool: str
    digest: str
    danger: int
    preview: Preview
    reasons: tuple[Reason, ...] = ()
    badges: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    arguments: JsonObject = field(default_factory=dict)
    input_schema: JsonObject = field(default_factory=dict)
    can_always: bool = False
    agent: tuple[str, ...] = ()
    description: str = ""
    always: tuple[JsonObject, ...] = ()
    parts: tuple[CallPart, ...] = ()
    confinement: Confinement = ""


class ApprovalResolved(Value, kw_only=True):
    """A question was answered, or became void (`answer` stop). `by` is ``person``, ``terminal``, ``policy`` or ``program``.

    `rules` are the lasting rules that the answer added, in their stored form, `scope` is how far they hold.
    """

    approval_id: str
    call_id: str
    answer: Answer
    by: str = "person"
    note: str = ""
    arguments: JsonObject | None = None
    rules: tuple[JsonObject, ...] = ()
    scope: RuleScope = "session"


class ToolStarted(Value, kw_only=True):
    """A tool begins to have effects; durable before it does."""

    turn_id: str
    step: int
    call_id: str
    tool: str
    arguments: JsonObject = field(default_factory=dict)


class ToolFinished(Value, kw_only=True):
    """A call has its result, whatever the way: run, denied, rejected, failed, unknown, cancelled.

    Attributes:
        kind: the stable error kind, empty when fine.
        exit_code: of a command, else None.
        facts: short figures for the card's right edge, e.g. ``84 lines``; English.
        output_file: name of a file in the session's outputs/ with the whole text, when the result was cut.
        ui: structured values for the window (matches, list entries, diff), by tool.
    """

    turn_id: str
    step: int
    call_id: str
    tool: str
    status: ToolStatus
    result: ToolResultPart
    kind: str = ""
    decision: ResultDecision = "none"
    files_changed: tuple[FileChange, ...] = ()
    duration_s: float = 0.0
    truncated: bool = False
    output_file: str = ""
    exit_code: int | None = None
    facts: str = ""
    ui: JsonObject = field(default_factory=dict)


class LimitReached(Value, kw_only=True):
    """The turn pauses at a limit and asks whether to go on."""

    turn_id: str
    limit: Literal["steps", "tokens", "cost", "time", "repeats"]
    value: float
    maximum: float


class LimitRaised(Value, kw_only=True):
    """A person let the turn go on; `maximum` is the new bound."""

    turn_id: str
    limit: str
    maximum: float


class TurnFinished(Value, kw_only=True):
    """A turn ended. `text` is one sentence when it did not end with an answer, `message_id` and `values` its error's; `failure` a stable class."""

    turn_id: str
    end: TurnEnd
    text: str = ""
    failure: str = ""
    steps: int = 0
    message_id: str = ""
    values: JsonObject = field(default_factory=dict)


class Notice(Value, kw_only=True):
    """Something a person should know that fits nowhere else: a stable id, values, and the English sentence."""

    message_id: str
    text: str
    level: Literal["info", "warning", "error"] = "info"
    values: JsonObject = field(default_factory=dict)


Event: TypeAlias = (
    SessionOpened | TitleSet | ModelChosen | ModeChosen | TurnStarted | UserMessageAdded | StepStarted | ExchangeOpened | ExchangeClosed
    | RequestHeld | RequestReleased | RefusalExplained | ModelResponded | Decided | ApprovalRequested | ApprovalResolved | ToolStarted
    | ToolFinished | LimitReached | LimitRaised | TurnFinished | Notice
)


class StepPlace(NamedTuple):
    """Which turn and step a request belongs to."""

    turn_id: str
    step: int


class StreamPieceArrived(NamedTuple):
    """Live: a decoded piece of the running response."""

    turn_id: str
    step: int
    exchange_id: str
    piece: StreamEvent


class ToolOutputArrived(NamedTuple):
    """Live: more output of a running tool, plain text without control characters but newline and tab."""

    call_id: str
    text: str


class RetryWaiting(NamedTuple):
    """Live: a request will be repeated after `delay_s` seconds, because `text`, which is an error's, as `message_id` and `values` are."""

    turn_id: str
    exchange_id: str
    delay_s: float
    text: str
    message_id: str = ""
    values: JsonObject | None = None


LiveEvent: TypeAlias = StreamPieceArrived | ToolOutputArrived | RetryWaiting | Notice  # a notice is live when no fact can be written any more


class Entry(NamedTuple):
    """A fact in the journal: its number (from 1, without gap), when it was written (seconds since 1970, UTC), and the fact."""

    seq: int
    at: float
    event: Event
