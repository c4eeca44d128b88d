"""A request as a command line that sends it again: the same bytes, the key left out.

Headers and address were kept without secrets; where one stood, the command names a variable of the shell, so that nothing secret is ever
on a clipboard.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.conversation.events import ExchangeOpened
from workbench.redaction.marks import FINGERPRINT
from workbench.redaction.redactor import RedactedBytes, Redactor

LONGEST_ARGUMENT_BYTES = 100_000
"""A longer body goes through a pipe: systems limit one argument to 128 KB."""

LARGEST_INLINE_BYTES = 1 << 20
"""A larger body stands in a file of its own."""

_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
"""What does something to a terminal it is pasted into, a tab too."""

_OURS = {"content-length", "host", "connection", "transfer-encoding", "accept-encoding"}
"""Headers that curl writes itself, from the address and the body."""


class Curl(NamedTuple):
    """A command, and what it needs.

    Attributes:
        command: for a POSIX shell, several lines.
        body_file: name of a file in the current folder that must hold the exact body; empty if the body stands in the command.
        variables: names of the shell variables that stand for secrets, in the order of their use.
        masked: the body holds secrets that were replaced when it was kept.
        replaced: how many more were replaced in the command: it goes to places where a session does not.
    """

    command: str
    body_file: str = ""
    variables: tuple[str, ...] = ()
    masked: bool = False
    replaced: int = 0


def curl(opened: ExchangeOpened, body: bytes, redactor: Redactor | None = None) -> Curl:
    """Return the command that sends a request again.

    Args:
        opened: the request as it was recorded.
        body: its exact bytes.
        redactor: takes out of the body what still looks like a secret: what a person pasted, say.
    """
    body, replaced = redactor.data(body) if redactor else RedactedBytes(body, 0)
    variables: dict[str, str] = {}
    parts = [f"curl --no-buffer --request {_quoted(opened.method)}"]
    if re.search(r"[\[\]{}]", opened.url):
        parts.append("--globoff")
    if any(name.lower() == "accept-encoding" for name, _value in opened.headers):
        parts.append("--compressed")
    parts.append(_secret_free(opened.url, variables))
    parts += (f"--header {_secret_free(_header(name, value), variables)}" for name, value in opened.headers if name.lower() not in _OURS)
    text = _as_text(body)
    if text is None:
        file = f"request-{opened.number}-body"
        return Curl(_joined([*parts, f"--data-binary @{file}"]), file, tuple(variables.values()), not opened.body.exact, replaced)
    if len(body) > LONGEST_ARGUMENT_BYTES or body.startswith(b"@"):
        command = f"printf %s {_quoted(text)} | {_joined([*parts, '--data-binary @-'])}"
    else:
        command = _joined([*parts, f"--data-binary {_quoted(text)}"] if body else parts)
    return Curl(command, "", tuple(variables.values()), not opened.body.exact, replaced)


def _as_text(body: bytes) -> str | None:
    """Return a body that may stand in a command; None if it is not text, or too large to be pasted."""
    if len(body) > LARGEST_INLINE_BYTES:
        return None
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def _header(name: str, value: str) -> str:
    """Return a header as curl takes it: with nothing behind the colon it would leave the header out."""
    return f"{name}: {value}" if value.strip() else f"{name};"


def _secret_free(text: str, variables: dict[str, str]) -> str:
    """Quote for the shell, with a variable where a secret was; the same secret gets the same variable."""
    quoted = ""
    end = 0
    for found in FINGERPRINT.finditer(text):
        variable = variables.setdefault(found[0], "PROVIDER_KEY" if not variables else f"PROVIDER_KEY_{len(variables) + 1}")
        before = text[end : found.start()]
        quoted += (_quoted(before) if before else "") + f'"${variable}"'
        end = found.end()
    rest = text[end:]
    return quoted + (_quoted(rest) if rest or not quoted else "")


def _quoted(text: str) -> str:
    """Quote for a POSIX shell: between apostrophes nothing has a meaning but an apostrophe."""
    return text if _PLAIN.fullmatch(text) else "'" + text.replace("'", "'\\''") + "'"


def _joined(parts: list[str]) -> str:
    return " \\\n  ".join(parts)
