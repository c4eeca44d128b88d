"""The figures of the running turn, or of the last one, for the gauges: steps, tokens, time, each with its bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from workbench.agent.limits import Limits
from workbench.conversation.events import Entry, LimitRaised, ModelResponded, StepStarted, TurnFinished, TurnStarted


@dataclass
class TurnFigures:
    """What a turn used so far.

    Attributes:
        steps, tokens: requests, and input and output tokens together as far as the provider said.
        started_at, ended_at: seconds since 1970; None before the first turn, and while it runs.
        raised: bounds a person raised in this turn, by limit.
    """

    steps: int = 0
    tokens: int = 0
    started_at: float | None = None
    ended_at: float | None = None
    raised: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> TurnFigures:
        """Return the figures of the last turn in a journal."""
        first = next((place for place in range(len(entries) - 1, -1, -1) if isinstance(entries[place].event, TurnStarted)), len(entries))
        figures = cls()
        figures.add(entries[first:])
        return figures

    def add(self, entries: Iterable[Entry]) -> None:
        """Take further facts."""
        for entry in entries:
            match entry.event:
                case TurnStarted():
                    self.steps, self.tokens, self.started_at, self.ended_at, self.raised = 0, 0, entry.at, None, {}
                case StepStarted(step=step):
                    self.steps = step
                case ModelResponded(message=message) if message.usage is not None:
                    self.tokens += (message.usage.input_tokens or 0) + (message.usage.output_tokens or 0)
                case LimitRaised(limit=limit, maximum=maximum):
                    self.raised[limit] = maximum
                case TurnFinished():
                    self.ended_at = entry.at
                case _:
                    pass

    def maximum(self, limit: str, limits: Limits) -> float | None:
        """Return the bound in force: as a person raised it, else as it is set; None if there is none."""
        configured = {"steps": limits.steps, "tokens": limits.tokens, "time": limits.time_s}[limit]
        return self.raised.get(limit, configured)

    def elapsed_s(self, now: float) -> float | None:
        """Return how long the turn has taken; None before the first."""
        return None if self.started_at is None else (now if self.ended_at is None else self.ended_at) - self.started_at


def count_text(count: float) -> str:
    """Return a number as the window shows it: exact under 1,000, above with one decimal and k or M."""
    if count < 1_000:
        return f"{count:.0f}"
    thousands = round(count / 1_000, 1)
    short, letter = (thousands, "k") if thousands < 1_000 else (round(count / 1_000_000, 1), "M")
    return f"{short:.1f}".removesuffix(".0") + letter
