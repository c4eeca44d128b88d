"""The one exception tree of the program; everything a caller may want to catch stands here.

WorkbenchError                  one sentence for a person: what, where, what to do
├── UsageError                  wrong arguments of a command, unreadable input (exit status 2)
├── SettingsError               a settings or rules file that cannot be used
├── ResourceMissing             a file of resources/ is not where the program expects it
├── WorkspaceError              a folder that cannot serve as a workspace
│   └── FileRefused             a path or file in it that cannot be used; carries a stable kind
├── ToolError                   what a tool tells the model: a stable kind and a text
├── StoreError                  a session's files
│   ├── SessionLocked           another process holds the session for writing
│   ├── SessionCorrupt          damage was found; `seq` says up to where events are sound
│   └── StoreFailed             a commit failed: the session is frozen, nothing more is accepted
├── DialectError                bytes that are not what the dialect says
│   ├── RequestUnreadable       a request body that cannot be parsed
│   └── ResponseUnreadable      a response body or stream that cannot be parsed
└── ProviderError               a request to a provider did not give an answer
    ├── ProviderUnreachable     no connection, reset, time-out
    ├── ProviderRefused         an error status or an error inside a stream
    └── StreamBroken            the stream ended without its end marker

Catch broadly at a border, recover narrowly inside. Mistakes of the programmer are builtins (ValueError, RuntimeError, …).
"""

from __future__ import annotations

from collections.abc import Mapping


class WorkbenchError(Exception):
    """Something a person must be told, in one sentence.

    Attributes:
        message_id: stable name by which front ends find a translation, e.g. ``workspace.missing``; empty if there is none.
        values: what the translated sentence fills in, by name.
    """

    def __init__(self, text: str, *, message_id: str = "", values: Mapping[str, object] | None = None) -> None:
        super().__init__(text)
        self.message_id = message_id
        self.values: dict[str, object] = dict(values or {})

    @property
    def text(self) -> str:
        """The sentence in English, complete."""
        return str(self.args[0])


class UsageError(WorkbenchError):
    """A command was called wrongly, or its input cannot be read."""


class SettingsError(WorkbenchError):
    """A settings or rules file cannot be used."""


class ResourceMissing(WorkbenchError):
    """A file of resources/ is not where the program expects it."""


class WorkspaceError(WorkbenchError):
    """A folder cannot serve as a workspace."""


class FileRefused(WorkspaceError):
    """A path cannot be followed, or a file cannot be read or written.

    Attributes:
        kind: one of the stable error kinds of the tools' specification, e.g. ``symlink_loop``.
        advice: what to do next, one line; may be empty.
    """

    def __init__(self, kind: str, text: str, advice: str = "") -> None:
        super().__init__(text, message_id=f"file.{kind}")
        self.kind = kind
        self.advice = advice


class ToolError(WorkbenchError):
    """What a tool tells the model when it cannot do what was asked.

    Attributes:
        kind: one of the stable error kinds of the tools' specification, e.g. ``file_not_found``.
        advice: what to do next, one line; may be empty.
        detail: values that belong to the error (index, line, candidates), for the window.
    """

    def __init__(self, kind: str, text: str, advice: str = "", *, detail: Mapping[str, object] | None = None) -> None:
        super().__init__(text, message_id=f"tool.{kind}", values=detail)
        self.kind = kind
        self.advice = advice
        self.detail: dict[str, object] = dict(detail or {})

    def for_model(self) -> str:
        """Return the text that goes to the model: ``Error (kind): what happened.`` and, on its own line, what to do next."""
        head = f"Error ({self.kind}): {self.text}"
        return f"{head}\n{self.advice}" if self.advice else head


class StoreError(WorkbenchError):
    """A session's files cannot be used."""


class SessionLocked(StoreError):
    """Another process holds the session for writing; it can be read."""


class SessionCorrupt(StoreError):
    """Damage was found in a session's file.

    Attributes:
        seq: number of the last event that is sound (0 = none).
    """

    def __init__(self, text: str, *, seq: int = 0) -> None:
        super().__init__(text, message_id="store.corrupt", values={"seq": seq})
        self.seq = seq


class StoreFailed(StoreError):
    """A commit failed; the session takes nothing more."""


class DialectError(WorkbenchError):
    """Bytes are not what the dialect says."""


class RequestUnreadable(DialectError):
    """A request body cannot be parsed."""


class ResponseUnreadable(DialectError):
    """A response body or stream cannot be parsed."""


class ProviderError(WorkbenchError):
    """A request to a provider did not give an answer."""


class ProviderUnreachable(ProviderError):
    """No connection, a reset or a time-out before anything was answered."""


class ProviderRefused(ProviderError):
    """The provider answered with an error.

    Attributes:
        failure: class of the failure, e.g. ``auth``, ``rate_limit``, ``context_too_long``.
        status: HTTP status, 200 for an error inside a stream.
        original: the body as it came, redacted, at most 8 KB.
    """

    def __init__(
        self, text: str, *, failure: str, status: int, original: str = "", message_id: str = "", values: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(text, message_id=message_id, values=values)
        self.failure = failure
        self.status = status
        self.original = original


class StreamBroken(ProviderError):
    """The stream ended without its end marker."""
