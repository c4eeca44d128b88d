"""What `read` shows of a file that holds secrets: its names; the values only if the call asked for them and a person said yes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.conversation.calls import Preview
from workbench.permissions.names import is_secret
from workbench.redaction.secret_files import names_only
from workbench.tools.base import Result
from workbench.workspace.paths import ResolvedPath

NAMES_NOTE = "The model gets the names in this file, not the values."
VALUES_NOTE = "The model gets the values in this file too: they are sent to its provider."
_TOLD = "(a file that holds secrets: only its names are shown; show_secrets asks the user for the values. [REDACTED:NAME] is not what stands in the file)"


def holds_secrets(place: ResolvedPath) -> bool:
    """Say whether a file usually holds secrets, by its real name or the one it was asked for by."""
    return not place.is_folder and (is_secret(str(place.real)) or is_secret(place.request))


def preview_of(place: ResolvedPath, arguments: dict[str, Any]) -> Preview:
    """Return what a person should know before the file is read."""
    note = VALUES_NOTE if arguments.get("show_secrets") else NAMES_NOTE
    return Preview(kind="none", notes=(note,) if holds_secrets(place) else ())


def secret_page(result: Result, arguments: dict[str, Any]) -> Result:
    """Return a page of a file that holds secrets as the model may see it."""
    if arguments.get("show_secrets"):
        return replace(result, shows_secrets=True)
    head, opening, rest = result.text.partition("<content>\n")
    content, closing, tail = rest.rpartition("\n</content>")
    if not closing:
        return result
    shown = names_only(content)
    return replace(result, text=f"{head}{opening}{shown.text}{closing}{tail}\n{_TOLD}", secrets_replaced=shown.replaced)
