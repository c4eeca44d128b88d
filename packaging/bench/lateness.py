"""How long a person would wait: the lateness of a 5 ms timer, and the times between two paintings."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget
from typing_extensions import override

TICK_MS = 5


@dataclass
class Measured:
    """What was measured for some time, in milliseconds; `cpu_share` is of one core."""

    late_ms: list[float] = field(default_factory=list)
    gaps_ms: list[float] = field(default_factory=list)
    lasted_ms: float = 0.0
    cpu_share: float = 0.0

    @property
    def longest_gap_ms(self) -> float:
        """The longest time without a painting; if there was none at all, the whole time."""
        return max(self.gaps_ms, default=self.lasted_ms)


class Watch(QObject):
    """Measures from `begin` to `end`: what a key or a click would wait, and when a widget is painted.

    Args:
        painted: the widget whose paintings count; None if they do not matter.
    """

    def __init__(self, painted: QWidget | None = None) -> None:
        super().__init__()
        self._painted = painted
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def begin(self) -> None:
        """Begin, also again."""
        self._late: list[float] = []
        self._paintings: list[float] = []
        self._begun = self._last = time.perf_counter()
        self._cpu = time.process_time()
        if self._painted is not None:
            self._painted.installEventFilter(self)
        self._timer.start(TICK_MS)

    def end(self) -> Measured:
        """End and return what was measured."""
        self._tick()  # what was not interrupted any more is waited for too
        self._timer.stop()
        if self._painted is not None:
            self._painted.removeEventFilter(self)
        lasted = time.perf_counter() - self._begun
        gaps = [(after - before) * 1000 for before, after in zip(self._paintings, self._paintings[1:], strict=False)]
        return Measured(self._late, gaps, lasted * 1000, (time.process_time() - self._cpu) / lasted)

    def _tick(self) -> None:
        now = time.perf_counter()
        self._late.append(max(0.0, (now - self._last) * 1000 - TICK_MS))
        self._last = now

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and watched is self._painted:
            self._paintings.append(time.perf_counter())
        return False


def share(values: list[float], part: float) -> float:
    """Return the value under which a part of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.floor(len(ordered) * part))] if ordered else math.inf


def row(name: str, ratio: float, numbers: dict[str, float]) -> str:
    """Return one measurement as a line, see `run`."""
    return json.dumps({"name": name, "ratio": round(ratio, 3), "numbers": {key: round(value, 2) for key, value in numbers.items()}})
