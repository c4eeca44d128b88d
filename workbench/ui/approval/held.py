"""How a call would be held if it were allowed, in words and as a chip: the approval grants just that. No Qt."""

from __future__ import annotations

from typing import assert_never

from workbench.conversation.events import ApprovalRequested
from workbench.permissions.modes import Rung
from workbench.ui.confinement_words import Look, rung_look
from workbench.words import _

STOPPED = "sandbox.stopped"
"""The code of the reason why a command is asked about again: the sandbox stopped it."""


def held_look(requested: ApprovalRequested, rung: Rung) -> Look | None:
    """Return the chip of a question; None where nothing can be said.

    Args:
        requested: the question; a command that says nothing of how it would be held counts as not held.
        rung: what holds commands on this machine.
    """
    match requested.confinement:
        case "confined":
            return _confined(rung)
        case "network":
            sentence = _("If you allow it, it runs with the network: what it sends cannot be taken back. It can change only this folder.")
            return Look(_("This folder, with network"), _("With network"), "globe", "level3", False, sentence)
        case "unconfined":
            return _free()
        case "":
            return _free() if requested.preview.kind == "command" else _file_tool(requested)
        case _:
            assert_never(requested.confinement)


def is_further(requested: ApprovalRequested) -> bool:
    """Say whether a command is asked about again because the sandbox stopped it."""
    return any(reason.code == STOPPED for reason in requested.reasons)


def further_title(requested: ApprovalRequested) -> str:
    """Return what such a question is about, for its head."""
    return _("the same command again, with network") if requested.confinement == "network" else _("the same command again, not confined")


def further_grant(requested: ApprovalRequested) -> str:
    """Return what yes and no to such a question mean."""
    if requested.confinement == "network":
        return _("Allow: it runs once more from its beginning, in this folder and with the network. Reject: the model gets the result of the stopped run.")
    return _("Allow: it runs once more from its beginning, with all your rights. Reject: the model gets the result of the stopped run.")


def _confined(rung: Rung) -> Look:
    look = rung_look(rung)
    match rung:
        case "bwrap" | "seatbelt":
            sentence = _("Even if allowed, it runs confined: it can change only this folder and reach no network. The rest is refused.")
            return look._replace(sentence=sentence)
        case "landlock":
            sentence = _("It runs partly confined: kept to this folder and off the network, but not from other programs' sockets and file attributes.")
            return look._replace(words=look.short, sentence=sentence)
        case "none":
            return _free()
        case _:
            assert_never(rung)


def _free() -> Look:
    words = _("With all your rights")
    return Look(words, words, "shield-off", "fail", True, _("No sandbox confines it: it can do whatever you can do."))


def _file_tool(requested: ApprovalRequested) -> Look | None:
    targets = requested.targets
    if requested.preview.kind not in {"diff", "new_file"} or any(target.outside or target.kind != "path" for target in targets):
        return None
    words = _("This folder only")
    return Look(words, words, "shield-check", "ok", False, _("It changes just what is shown, in this folder."))
