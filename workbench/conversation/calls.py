"""What is known of a call before it runs and after: targets, what a person is shown, why the gate decided as it did, effects on files.

Values that facts are made of, see `events`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from workbench.conversation.values import JsonObject, Value

Outcome: TypeAlias = Literal["allow", "ask", "deny"]
Answer: TypeAlias = Literal["approve", "approve_edited", "reject", "stop"]
ToolStatus: TypeAlias = Literal["ok", "error", "denied", "cancelled", "timed_out"]
Confinement: TypeAlias = Literal["", "confined", "network", "unconfined"]
"""How a command is held: ``confined`` to the workspace and without network, ``network`` to the workspace alone, ``unconfined`` not at
all: it has all the person's rights. Empty for calls that run no command."""

RuleScope: TypeAlias = Literal["session", "project", "user"]
"""How far a rule holds: this session, this project, everywhere."""


class Target(Value, kw_only=True):
    """What a call would touch: a path (real), a host, a program. `access` is read, write, delete, run or reach."""

    kind: Literal["path", "host", "command"]
    name: str
    access: Literal["read", "write", "delete", "run", "reach"]
    outside: bool = False


class FileChange(Value, kw_only=True):
    """One file effect, with the hashes that undo needs; None = absent before or after.

    `added`, `removed` count lines (0 for binary content). Both contents are kept under their hashes in the session's objects/ folder.
    """

    path: str
    operation: Literal["create", "modify", "delete", "rename"]
    before_sha256: str | None
    after_sha256: str | None
    added: int = 0
    removed: int = 0
    renamed_to: str = ""


class Preview(Value, kw_only=True):
    """What a person is shown before a call runs.

    Attributes:
        kind: ``diff`` (before, after are the file's text as it is and as it will be), ``new_file``, ``command``, ``text``, ``none``.
        title: path, command or name; plain text, one line.
        body: the command, or the text; for a diff the unified diff.
        language: for colouring, a Pygments alias or empty.
        notes: sentences worth reading (matched ignoring indentation, placeholder text found, …).
    """

    kind: Literal["diff", "new_file", "command", "text", "none"]
    title: str = ""
    body: str = ""
    before: str | None = None
    after: str | None = None
    language: str = ""
    notes: tuple[str, ...] = ()


class Reason(Value, kw_only=True):
    """Why the gate decided as it did: a stable code, an English sentence, and the part or path it concerns."""

    code: str
    text: str
    subject: str = ""
    outcome: Outcome = "ask"


class CallPart(Value, kw_only=True):
    """One simple command of a shell call, judged by itself: as typed, the real folder it runs in, the real paths it names.

    Attributes:
        argv: its words after quotes, globs and braces were resolved; empty if they are not all known.
        program: real path of the program it would start; empty for builtins and where it is not known.
        always: the rules that "always" may add for this part, in their stored form, narrowest first; empty if none may be offered.
    """

    text: str
    outcome: Outcome
    danger: int
    folder: str = ""
    places: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()
    argv: tuple[str, ...] = ()
    program: str = ""
    always: tuple[JsonObject, ...] = ()
