"""What the linter says of a request: findings with their repairs, and the facts of a turn that stood still because of them."""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

from workbench.conversation.exchange import BodyRef
from workbench.conversation.messages import DialectName
from workbench.conversation.values import Value

ReleaseDecision: TypeAlias = Literal["repair", "send", "stop"]


class Edit(Value, kw_only=True):
    """One change of a JSON document, as RFC 6902 writes it.

    Attributes:
        pointer: JSON pointer (RFC 6901) to the member; for ``add`` the place of the new one, ``-`` for the end of a list.
        value: the new value; unused for ``remove`` and ``move``.
        source: where ``move`` takes the value from.
    """

    op: Literal["add", "remove", "replace", "move"]
    pointer: str
    value: Any = None
    source: str = ""


class Finding(Value, kw_only=True):
    """Something a provider will refuse, or refused.

    Attributes:
        rule: stable id, the dialect's word and the fault: ``anthropic.result-missing``.
        severity: ``error`` is refused, ``warning`` works on some servers and fails on others.
        pointer: JSON pointer into the request body, empty for the whole.
        message: one plain sentence.
        fix: what to do, in a sentence; empty where nothing can be said.
        edits: a repair: applied to the body in order they mend this finding, as the loss rules would. Empty where a person must decide.
    """

    rule: str
    severity: Literal["error", "warning"]
    pointer: str
    message: str
    fix: str = ""
    edits: tuple[Edit, ...] = ()


def explanation(finding: Finding) -> str:
    """Return what stands behind a provider's words when they are matched to a rule: rule, place and sentence."""
    return f"[{finding.rule}{f' at {finding.pointer}' if finding.pointer else ''}] {finding.message}"


class RequestHeld(Value, kw_only=True):
    """A request was not sent because its provider would refuse it; the turn waits for RequestReleased.

    Attributes:
        findings: those that hold it back, in the order of the rules.
        mends: whether a repair removes all of them.
        number: which request of the session it would have been; the one that is sent instead takes the same number. 0: not known.
        body: what would have been sent, kept with the bodies of requests; None where it was not kept.
    """

    hold_id: str
    turn_id: str
    step: int
    findings: tuple[Finding, ...]
    mends: bool
    number: int = 0
    dialect: DialectName = "chat_completions"
    profile: str = ""
    model: str = ""
    body: BodyRef | None = None


class RequestReleased(Value, kw_only=True):
    """A person (or a setting) decided about a held request: send it repaired, send it as it is, or end the turn."""

    hold_id: str
    turn_id: str
    decision: ReleaseDecision


class RefusalExplained(Value, kw_only=True):
    """A provider refused a request (4xx), and its words were matched to rules: which, and what in the request they mean."""

    exchange_id: str
    findings: tuple[Finding, ...]


class Review(Protocol):
    """Who is asked about requests that their provider would refuse. A session has one; a model asks it before it sends."""

    def answered(self, rule: str) -> ReleaseDecision | None:
        """Return what was decided about a rule earlier in this session: ``repair`` or ``send``; None if nothing was."""
        ...

    def refused(self, rule: str) -> bool:
        """Say whether a provider refused a request of this session because of a rule."""
        ...

    async def decide(self, held: RequestHeld) -> ReleaseDecision:
        """Write down that a request is held, and return the decision about it; from then on it is the answer about its rules."""
        ...
