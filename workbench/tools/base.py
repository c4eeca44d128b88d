"""What every tool has in common: a plan made without side effects, a result, and the surroundings it runs in.

Two phases make the approval honest: `prepare` says exactly what would happen, a person sees that, and `apply` does just that
after checking that the world is still as it was.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

from workbench.conversation.calls import Confinement, FileChange, Preview, Target, ToolStatus
from workbench.conversation.messages import FilePart, ImagePart, ToolDefinition
from workbench.errors import ToolError
from workbench.redaction.redactor import Redactor
from workbench.workspace.files import SeenFiles
from workbench.workspace.paths import Workspace
from workbench.workspace.sandbox_shape import Sandbox

ToolClass: TypeAlias = Literal["none", "read", "edit", "exec", "net_read", "net_write", "task"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a call would do, worked out without side effects.

    Attributes:
        tool: the tool's name.
        arguments: normalised arguments.
        targets: everything it would touch, as real paths; what the gate judges.
        preview: what a person is shown.
        base_hashes: real path to SHA-256 (None = absent) of the bytes the plan was made from; `apply` re-checks them.
        tickets: real path to the identity of the file that the bytes came from (see workbench.workspace.tickets), likewise re-checked.
        notices: what normalising changed, one sentence each; for the window.
        command: exact command text of an exec tool, else None.
        payload: the tool's own data for `apply`; not shown, not stored.
    """

    tool: str
    arguments: dict[str, Any]
    targets: tuple[Target, ...] = ()
    preview: Preview = field(default_factory=lambda: Preview(kind="none"))
    base_hashes: dict[str, str | None] = field(default_factory=dict)
    tickets: dict[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    command: str | None = None
    payload: Any = None


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a tool gives back; `text` and `attachments` go to the model.

    Attributes:
        kind: the stable error kind; empty when status is ok.
        facts: short figures for the card, English, e.g. ``84 lines``.
        output_file: name in the session's outputs/ that holds the whole text when `truncated`.
        ui: structured values for the window.
        shows_secrets: a person approved that the values of a secret file are shown; nothing is taken out of it.
        secrets_replaced: how many secrets were taken out of it.
        stopped_by_sandbox: what the command would have needed, as far as its failure tells: a person may be asked to run it so.
    """

    status: ToolStatus = "ok"
    text: str = ""
    kind: str = ""
    attachments: tuple[ImagePart | FilePart, ...] = ()
    files_changed: tuple[FileChange, ...] = ()
    truncated: bool = False
    output_file: str = ""
    exit_code: int | None = None
    facts: str = ""
    ui: dict[str, Any] = field(default_factory=dict)
    shows_secrets: bool = False
    secrets_replaced: int = 0
    stopped_by_sandbox: Confinement = ""

    @classmethod
    def failed(cls, error: ToolError) -> Result:
        """Return the result that tells the model of an error."""
        status: ToolStatus = "timed_out" if error.kind == "timed_out" else "cancelled" if error.kind == "cancelled" else "error"
        return cls(status=status, text=error.for_model(), kind=error.kind)


class Interrupted(asyncio.CancelledError):
    """Cancelled, with what the tool had by then (its status is ``cancelled``, unless it was done already)."""

    def __init__(self, result: Result) -> None:
        super().__init__("the call was stopped")
        self.result = result


class ObjectStore(Protocol):
    """Keeps file contents by SHA-256, for undo."""

    def put(self, content: bytes) -> str:
        """Keep bytes, return their SHA-256 in hex; durable when it returns. Blocking: call from a worker thread."""
        ...

    def get(self, sha256: str) -> bytes:
        """Return kept bytes.

        Raises:
            KeyError: nothing is kept under that hash.
        """
        ...


class MemoryObjects:
    """An ObjectStore without a disk."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def put(self, content: bytes) -> str:
        """Keep bytes, return their SHA-256 in hex."""
        digest = hashlib.sha256(content).hexdigest()
        self._contents[digest] = content
        return digest

    def get(self, sha256: str) -> bytes:
        """Return kept bytes."""
        return self._contents[sha256]


def _nothing(_text: str) -> None:
    """Take live output and drop it."""


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """The surroundings of one call, the same object for `prepare` and `apply`.

    Attributes:
        workspace: the folder and its extra roots.
        seen: what this session has read or written, by content hash.
        outputs: folder for whole outputs that were cut for the model; exists.
        objects: old file contents, for undo.
        call_id: the call this is for; names its output file.
        on_output: takes live output text, on the loop's thread.
        can_see_images: whether the model takes pictures.
        data_folder: the program's own data folder, a floor for every file tool; None in bare tests.
        environment: what child processes get; already free of keys.
        confinement: how a command must be held, as it was decided and approved.
        sandbox: finds what holds commands; None in bare tests, where a command without a decision has all rights.
        revealed: real paths that the decision on this call named; a held command may read such files wherever they lie.
        redactor: takes secrets out of what tools show and keep; the result itself is done by the harness.
        added_variables: names in `environment` that a person added to the usual ones.
    """

    workspace: Workspace
    seen: SeenFiles
    outputs: Path
    objects: ObjectStore
    call_id: str = "call"
    on_output: Callable[[str], None] = _nothing
    can_see_images: bool = False
    data_folder: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)
    confinement: Confinement = ""
    sandbox: Callable[[], Awaitable[Sandbox]] | None = None
    revealed: frozenset[str] = frozenset()
    redactor: Redactor = field(default_factory=Redactor)
    added_variables: tuple[str, ...] = ()


class Tool(Protocol):
    """A tool: what the model is told, and the two phases.

    Both phases raise ToolError for everything that goes back to the model as an error. On cancel `apply` ends what it started
    (child processes, temporary files) before CancelledError leaves it; a tool with output so far raises `Interrupted` instead.
    """

    definition: ToolDefinition
    tool_class: ToolClass

    @property
    def name(self) -> str:
        """The name the model uses; equals ``definition.name``."""
        ...

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Work out what would happen, from normalised arguments. No side effects; may lstat outside the roots, never read there."""
        ...

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Do what the plan says, after checking that its base hashes still hold."""
        ...
