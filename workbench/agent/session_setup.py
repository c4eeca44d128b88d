"""What a session is made of: everything that is built before it, handed over in one value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from workbench.agent.approvals import Headless
from workbench.agent.gatekeeper import Gatekeeper
from workbench.agent.limits import Limits
from workbench.agent.model import Model
from workbench.agent.rule_keeping import RuleKeeper
from workbench.conversation.events import ModelChosen
from workbench.conversation.journal import Journal
from workbench.conversation.messages import RequestOptions
from workbench.permissions.modes import Mode
from workbench.tools.base import ToolContext
from workbench.tools.registry import ToolRegistry
from workbench.workspace.jobs import Jobs

TITLE_CHARACTERS = 60

@dataclass(kw_only=True)
class SessionSetup:
    """What a session is made of.

    Attributes:
        session_id: its id; for a resumed session the one it has.
        journal: its facts; with entries if it is resumed.
        registry: its tools.
        context: the tools' surroundings, the workspace among them.
        gatekeeper: decides on calls.
        chosen: the model, as it is written down.
        model: the model itself.
        mode: the mode to begin with; None takes the one it was left in, or Ask.
        limits: how far a turn goes by itself.
        headless: who answers when no person can; None if a person can.
        system: gives the system text, one entry a block.
        options: settings of every request; the model's name is filled in.
        hidden: names of tools that are not offered to this model.
        jobs: processes that commands left running; ended with the session.
        keeper: keeps rules that outlive the session; None if nobody does.
        program_version: for the record.
    """

    session_id: str
    journal: Journal
    registry: ToolRegistry
    context: ToolContext
    gatekeeper: Gatekeeper
    chosen: ModelChosen
    model: Model
    mode: Mode | None = None
    limits: Limits = field(default_factory=Limits)
    headless: Headless | None = None
    system: Callable[[], tuple[str, ...]] | None = None
    options: RequestOptions = field(default_factory=lambda: RequestOptions(model=""))
    hidden: Collection[str] = ()
    jobs: Jobs | None = None
    keeper: RuleKeeper | None = None
    program_version: str = ""


def title_of(text: str) -> str:
    """Return a session's title from its first message: the first line, at most `TITLE_CHARACTERS`."""
    first = " ".join(text.split("\n", 1)[0].split()) or "Untitled"
    return first if len(first) <= TITLE_CHARACTERS else first[: TITLE_CHARACTERS - 1].rstrip() + "…"
