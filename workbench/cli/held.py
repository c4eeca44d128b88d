"""Held requests in a terminal: what the provider would refuse, and what to do about it; without a person, what was decided."""

from __future__ import annotations

from typing import Protocol

from workbench.cli.output import colour, plain, say
from workbench.cli.terminal import Terminal
from workbench.conversation.checks import Finding, ReleaseDecision, RequestHeld
from workbench.words import _, tell_text


class Holding(Protocol):
    """Who holds requests: a session."""

    @property
    def held(self) -> RequestHeld | None:
        """The request that waits."""
        ...

    def release(self, hold_id: str, decision: ReleaseDecision) -> bool:
        """Decide about it."""
        ...


def show_held(held: RequestHeld) -> None:
    """Tell on stderr why a request was not sent."""
    say(colour(_("This request was not sent: its provider would refuse it."), "amber"))
    for finding in held.findings:
        for line in lines_of(finding):
            say(plain(line), fold=False)


def lines_of(finding: Finding) -> tuple[str, ...]:
    """Return a finding in lines: the rule and the place, what is wrong, what to do."""
    place = finding.pointer or _("(the whole request)")
    return (f"  {finding.rule}  {place}", f"    {tell_text(finding.message)}", *((f"    → {tell_text(finding.fix)}",) if finding.fix else ()))


def told_decision(decision: ReleaseDecision) -> str:
    """Return what was decided, for those who did not decide it."""
    match decision:
        case "repair":
            return _("It is sent repaired; the conversation stays as it is.")
        case "send":
            return _("It is sent as it is.")
        case "stop":
            return _("It is not sent.")


async def ask_held(session: Holding, terminal: Terminal, held: RequestHeld) -> None:
    """Ask what to do with a held request, until the answer is one; at the end of input the turn stops."""
    if session.held is None or session.held.hold_id != held.hold_id:
        return
    mendable = any(finding.edits for finding in held.findings)
    repair = (_("r repair and send") if held.mends else _("r repair what can be, and send")) + " · " if mendable else ""
    await terminal.guard()
    while True:
        line = await terminal.ask(colour(_("What now? {repair}s send as it is · x stop: ").format(repair=repair), "bold"))
        match line.strip().lower() if line is not None else "x":
            case "r" | "repair" if mendable:
                decision: ReleaseDecision = "repair"
            case "s" | "send":
                decision = "send"
            case "x" | "stop":
                decision = "stop"
            case _:
                say(_("Type one of these letters, then Enter."))
                continue
        session.release(held.hold_id, decision)
        return
