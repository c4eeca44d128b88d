"""The look at a request before it leaves: what its provider would refuse is held for a decision, and mended where that is the decision.

A repair changes only what goes out. It gives the same bytes in every later request, so that the provider's cache still hits.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple, TypeVar

from workbench.conversation.checks import Finding, RequestHeld, Review
from workbench.conversation.events import StepPlace
from workbench.conversation.exchange import BodyRef
from workbench.conversation.messages import mint_id
from workbench.dialects.base import Dialect, EncodedRequest, Quirks
from workbench.dialects.json_document import EditRefused, JsonDocument
from workbench.dialects.repairs import Mended, is_error, mended
from workbench.providers.profiles import Profile

IN_THREAD_FROM_BYTES = 100_000
MOST_OF_A_RULE = 20
"""So many findings of one rule are written down with a request: a fault that is in every turn would fill the journal otherwise."""

T = TypeVar("T")


class Ready(NamedTuple):
    """A request that may leave.

    Attributes:
        encoded: what is sent.
        findings: what the linter says of it.
        repaired: the rules by which it was changed, each once.
    """

    encoded: EncodedRequest
    findings: tuple[Finding, ...] = ()
    repaired: tuple[str, ...] = ()


class Refused(NamedTuple):
    """Something that a provider refused, and that no rule sees by itself: the finding, and what stood at its place."""

    finding: Finding
    value: object


class Checking:
    """Checks the requests of one model before they leave.

    Args:
        profile: whose requests they are.
        model: the model's name.
        keep: keeps a body that was held, so that it can be read.
        number: gives the number that the request would have.
    """

    def __init__(
        self, profile: Profile, model: str, dialect: Dialect, *, keep: Callable[[EncodedRequest], Awaitable[BodyRef]], number: Callable[[], int]
    ) -> None:
        self._profile = profile
        self._model = model
        self._dialect = dialect
        self._keep = keep
        self._number = number
        self._refused: list[Refused] = []

    async def ready(self, encoded: EncodedRequest, quirks: Quirks, place: StepPlace, review: Review | None) -> Ready:
        """Return the request as it may leave; one that would be refused waits here for a decision.

        Raises:
            StoreFailed: the journal takes nothing more.
        """
        body = encoded.body
        found = await _away(len(body), lambda: self._dialect.check(body, quirks))
        if review is None:
            return Ready(encoded, told(found))
        if not found and not self._refused:
            return Ready(encoded)
        mend = await self._mended(body, quirks, lambda finding: review.answered(finding.rule) == "repair", found)
        applied = mend.applied
        if new := self._holding(mend, review):
            trial = await self._mended(mend.body, quirks, lambda finding: _is_new(finding, review) or review.answered(finding.rule) == "repair", mend.left)
            held = await self._held(new, trial, _encoded(encoded, mend, applied), place, review)
            if await review.decide(held) == "repair" and trial.applied:
                mend, applied = trial, (*applied, *trial.applied)
        return Ready(_encoded(encoded, mend, applied), told(mend.left), tuple(dict.fromkeys(finding.rule for finding in applied)))

    def remember(self, body: bytes, explained: tuple[Finding, ...]) -> None:
        """Note what a provider refused in a body, so that the same is not sent again unasked."""
        for finding in explained:
            if finding.pointer and not finding.edits:
                value = _value_at(body, finding.pointer)
                self._refused = [other for other in self._refused if other.finding.pointer != finding.pointer]
                if value is not None:
                    self._refused.append(Refused(finding, value))

    async def _mended(self, body: bytes, quirks: Quirks, wanted: Callable[[Finding], bool], found: tuple[Finding, ...]) -> Mended:
        if not any(finding.edits and wanted(finding) for finding in found):
            return Mended(body, (), found, ())
        return await _away(len(body), lambda: mended(lambda text: self._dialect.check(text, quirks), body, wanted=wanted, found=found))

    def _holding(self, mend: Mended, review: Review) -> tuple[Finding, ...]:
        """Return what holds a body back: what would be refused and was not decided about."""
        known = {(finding.rule, finding.pointer) for finding in mend.left}
        again = (one.finding for one in self._refused if _value_at(mend.body, one.finding.pointer) == one.value)
        more = [finding for finding in again if (finding.rule, finding.pointer) not in known and review.answered(finding.rule) is None]
        return (*(finding for finding in mend.left if _is_new(finding, review)), *more)

    async def _held(self, new: tuple[Finding, ...], trial: Mended, encoded: EncodedRequest, place: StepPlace, review: Review) -> RequestHeld:
        rules = {finding.rule for finding in new}
        more = tuple(finding for finding in trial.applied if finding.rule not in rules and review.answered(finding.rule) is None)
        return RequestHeld(
            hold_id=mint_id("hold"),
            turn_id=place.turn_id,
            step=place.step,
            findings=told((*new, *more)),
            mends=not self._holding(trial, review),
            number=self._number(),
            dialect=self._profile.dialect,
            profile=self._profile.name,
            model=self._model,
            body=await self._keep(encoded),
        )


def told(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the first findings of each rule, in their order."""
    counts: Counter[str] = Counter()
    kept = []
    for finding in findings:
        counts[finding.rule] += 1
        if counts[finding.rule] <= MOST_OF_A_RULE:
            kept.append(finding)
    return tuple(kept)


def _is_new(finding: Finding, review: Review) -> bool:
    """Say whether a finding holds a request back: it would be refused, or was, and nothing was decided about its rule."""
    return review.answered(finding.rule) is None and (is_error(finding) or review.refused(finding.rule))


def _encoded(encoded: EncodedRequest, mend: Mended, applied: tuple[Finding, ...]) -> EncodedRequest:
    return EncodedRequest(encoded.path, mend.pieces) if applied and mend.pieces else encoded


def _value_at(body: bytes, pointer: str) -> object:
    try:
        return JsonDocument(body).value(pointer)
    except (EditRefused, ValueError):
        return None


async def _away(size_bytes: int, work: Callable[[], T]) -> T:
    """Do work on a body, on a large one in a thread."""
    return await asyncio.to_thread(work) if size_bytes >= IN_THREAD_FROM_BYTES else work()
