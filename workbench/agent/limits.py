"""Limits of a turn: when one is reached the turn pauses and asks, it does not just end; and the count of calls that repeat.

A limit is a question like an approval: the first answer wins, and stopping the turn takes it back.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from workbench.conversation.events import LimitRaised, LimitReached
from workbench.conversation.journal import Journal
from workbench.conversation.messages import Usage
from workbench.conversation.values import JsonObject, json_bytes

Limit: TypeAlias = Literal["steps", "tokens", "time"]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How far a turn goes by itself.

    Attributes:
        steps: requests to the model in one turn.
        tokens: input and output tokens of one turn together; None = no limit.
        time_s: seconds one turn may take, pauses at a limit not counted; None = no limit.
        ask: pause and ask at a limit; without a person to ask the turn ends there.
    """

    steps: int = 50
    tokens: int | None = None
    time_s: float | None = None
    ask: bool = True

    def __post_init__(self) -> None:
        """Refuse limits at which no turn could begin.

        Raises:
            ValueError: which one it is, and what it must be.
        """
        if self.steps < 1:
            raise ValueError("steps must be at least 1")
        if self.tokens is not None and self.tokens < 1:
            raise ValueError("tokens must be at least 1")
        if self.time_s is not None and not self.time_s > 0:
            raise ValueError("time_s must be above 0")


class Repeats:
    """Counts how often each call came in a turn, by tool and arguments."""

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def count(self, tool: str, arguments: JsonObject) -> int:
        """Count a call and return how often it came, this time included."""
        digest = hashlib.sha256(json_bytes([tool, sorted(arguments.items())])).digest()
        self._seen[digest] += 1
        return self._seen[digest]


class TurnLimits:
    """Watches one session's turns, one after the other.

    Attributes:
        limits: as configured; a raised limit holds for the running turn only.
    """

    def __init__(self, journal: Journal, limits: Limits, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._journal = journal
        self._clock = clock
        self._waiting: tuple[LimitReached, asyncio.Future[float | None]] | None = None
        self.begin("")

    def begin(self, turn_id: str) -> None:
        """Start counting for a new turn."""
        self._turn_id = turn_id
        self._started_s = self._clock()
        self._tokens = 0
        self._maximum: dict[Limit, float | None] = {"steps": self.limits.steps, "tokens": self.limits.tokens, "time": self.limits.time_s}

    @property
    def waiting(self) -> LimitReached | None:
        """The limit at which the turn waits for an answer; None if it does not."""
        return self._waiting[0] if self._waiting else None

    def add_usage(self, usage: Usage | None) -> None:
        """Count the tokens of a response; what the provider did not say is not guessed."""
        if usage:
            self._tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)

    async def may_begin(self, step: int) -> LimitReached | None:
        """Return None if step number `step` may begin; pause at a limit until a person answers.

        Returns:
            The limit at which the turn has to end.
        """
        while (reached := self._reached(step)) is not None:
            self._journal.append(reached)
            maximum = await self._ask(reached) if self.limits.ask else None
            if maximum is None:
                return reached
            self._journal.append(LimitRaised(turn_id=self._turn_id, limit=reached.limit, maximum=maximum))
            self._maximum[_limit(reached)] = maximum
        return None

    def raise_limit(self, maximum: float) -> bool:
        """Let the waiting turn go on up to `maximum`; False if none waits.

        Raises:
            ValueError: the new maximum is not above what was used, so the turn would stand still.
        """
        if self._waiting is None or self._waiting[1].done():
            return False
        if maximum <= self._waiting[0].value:
            raise ValueError(f"the new limit must be above {self._waiting[0].value:g}")
        self._waiting[1].set_result(maximum)
        return True

    def end(self) -> bool:
        """Let the waiting turn end; False if none waits."""
        if self._waiting is None or self._waiting[1].done():
            return False
        self._waiting[1].set_result(None)
        return True

    async def _ask(self, reached: LimitReached) -> float | None:
        future: asyncio.Future[float | None] = asyncio.get_running_loop().create_future()
        self._waiting = (reached, future)
        asked_s = self._clock()
        try:
            return await future
        finally:
            self._waiting = None
            self._started_s += self._clock() - asked_s

    def _reached(self, step: int) -> LimitReached | None:
        used: dict[Limit, float] = {"steps": step - 1, "tokens": self._tokens, "time": self._clock() - self._started_s}
        for limit, value in used.items():
            maximum = self._maximum[limit]
            if maximum is not None and value >= maximum:
                return LimitReached(turn_id=self._turn_id, limit=limit, value=value, maximum=maximum)
        return None


def _limit(reached: LimitReached) -> Limit:
    match reached.limit:
        case "steps" | "tokens" | "time":
            return reached.limit
        case _:
            raise ValueError(reached.limit)
