"""How commands are held, in words: for the chip of the status bar, the dialog behind it, the settings and the cards of calls."""

from __future__ import annotations

from typing import NamedTuple, assert_never

from workbench.conversation.calls import Confinement
from workbench.permissions.modes import Rung
from workbench.words import _


class Look(NamedTuple):
    """A state of confinement as it is shown.

    Attributes:
        words: all of it.
        short: where there is no room.
        icon, tone: icon and tone of a chip.
        outline: the chip is an outline, not a wash.
        sentence: what it means, for a tool tip and for screen readers.
    """

    words: str
    short: str
    icon: str
    tone: str
    outline: bool
    sentence: str


def rung_look(rung: Rung) -> Look:
    """Return what is shown of what holds commands on this machine."""
    match rung:
        case "bwrap" | "seatbelt":
            sentence = _("A sandbox keeps commands to this folder and away from the network. What needs more asks, each time.")
            return Look(_("Confined: this folder only, no network"), _("Confined"), "shield-check", "ok", False, sentence)
        case "landlock":
            words = _("Partly confined: other programs' sockets and file attributes are not covered")
            sentence = _("The system keeps commands to this folder and away from the network, but not from everything. Auto cannot be chosen.")
            return Look(words, _("Partly confined"), "shield-part", "wait", False, sentence)
        case "none":
            words = _("Not confined: every command that may change something asks")
            sentence = _("There is no sandbox: a command that you allow can do whatever you can do.")
            return Look(words, _("Not confined"), "shield-off", "fail", True, sentence)
        case _:
            assert_never(rung)


def testing_look() -> Look:
    """Return what is shown while the sandbox is tested."""
    sentence = _("The sandbox is being tested. Until it is known to hold, commands count as not confined.")
    return Look(_("Testing the sandbox…"), _("Testing…"), "running", "plain", False, sentence)


def rung_name(rung: Rung) -> str:
    """Return the name of what holds commands, as its maker spells it."""
    return {"bwrap": "bubblewrap", "seatbelt": "sandbox-exec", "landlock": "Landlock", "none": ""}[rung]


def held_words(confinement: Confinement) -> str:
    """Return how one command was held, as a sentence; empty if that was not written down."""
    match confinement:
        case "confined":
            return _("Held by the sandbox: this folder only, no network.")
        case "network":
            return _("Held by the sandbox, with network: this folder only.")
        case "unconfined":
            return _("Not held by anything: it ran with all your rights.")
        case "":
            return ""
        case _:
            assert_never(confinement)


def held_aside(confinement: Confinement) -> str:
    """Return the same in a few words that follow others, e.g. ``sandbox on``; empty if that is not known."""
    match confinement:
        case "confined":
            return _("sandbox on")
        case "network":
            return _("sandbox on, with network")
        case "unconfined":
            return _("no sandbox")
        case "":
            return ""
        case _:
            assert_never(confinement)
