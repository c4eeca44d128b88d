"""Code gets its colours after it is first painted plain: the lexer runs in slices of a few milliseconds, between the events of the window."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.ui.kit.highlight import lexer_of, syntax_token, tokens_of

if TYPE_CHECKING:
    from pygments.lexer import Lexer

SLICE_S = 0.003
LARGEST_CODE = 200_000
LONGEST_LINE = 5_000
"""Longer code, and code with longer lines, stays plain: one step of a lexer could take as long as it likes."""
REST_S = 0.25
"""Code that still arrives is coloured anew this often at most, and never for more than a tenth of the time."""

_LOADER = ThreadPoolExecutor(1, thread_name_prefix="lexers")
_BUSY_MS, _LATER_MS = 0, 30


class Span(NamedTuple):
    """Characters of a line in one colour, as (start, end) in the line."""

    start: int
    end: int
    token: str


Spans: TypeAlias = list[list[Span]]


class Coloured(Protocol):
    """Something that shows code.

    Attributes:
        language: a Pygments alias.
        spans: the colours of each line, as far as they are known.
        coloured: the revision of the code that `spans` is of; -1 for none.
        rests_until: no colouring before this moment (`time.perf_counter`), as the code still arrives.
    """

    language: str
    spans: Spans
    coloured: int
    rests_until: float

    def revision(self) -> int:
        """Return what counts up when the code changes."""
        ...

    def code(self) -> str:
        """Return the code as it is now, without anything that is not shown."""
        ...


class _Job:
    """Colouring one piece of code once."""

    def __init__(self, target: Coloured, lexer: Lexer) -> None:
        self.target = target
        self.revision = target.revision()
        self.cost_s = 0.0
        self._spans: Spans = [[]]
        self._work = self._lexed(lexer, target.code())

    def run(self, until: float) -> bool:
        """Work until a point in time; True when it is done."""
        begun = time.perf_counter()
        done = True
        for _ in self._work:
            if time.perf_counter() >= until:
                done = False
                break
        self.cost_s += time.perf_counter() - begun
        self.target.spans = self._spans if done else self._spans + self.target.spans[len(self._spans) :]
        return done

    def _lexed(self, lexer: Lexer, code: str) -> Iterator[None]:
        if len(code) > LARGEST_CODE or max(map(len, code.split("\n"))) > LONGEST_LINE:
            return
        at = 0
        for kind, value in tokens_of(lexer, code):
            token = syntax_token(kind)
            for number, part in enumerate(value.split("\n")):
                if number:
                    self._spans.append([])
                    at = 0
                if token != "text" and part.strip():
                    self._spans[-1].append(Span(at, at + len(part), token))
                at += len(part)
            yield


class ColourQueue(QObject):
    """What waits for its colours, newest wish first: what was asked for last is what is in sight.

    Signals:
        coloured: something got colours; at most once a slice.
    """

    coloured = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: list[Coloured] = []
        self._lexers: dict[str, Future[Lexer | None]] = {}
        self._job: _Job | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._work)

    def want(self, target: Coloured) -> None:
        """Ask for the colours of what is being painted; does nothing if they are there or will be."""
        if not target.language or target.coloured == target.revision() or target in self._wanted:
            return
        if self._job is not None and self._job.target is target:
            return
        self._wanted.append(target)
        if not self._timer.isActive():
            self._timer.start(_BUSY_MS)

    def forget(self) -> None:
        """Drop all that waits."""
        self._wanted.clear()
        self._job = None
        self._timer.stop()

    @property
    def idle(self) -> bool:
        """Whether nothing waits for colours."""
        return self._job is None and not self._wanted

    def _work(self) -> None:
        if self._job is None:
            self._job = self._next_job()
        if self._job is not None:
            if self._job.run(time.perf_counter() + SLICE_S):
                self._finish(self._job)
                self._job = None
            self.coloured.emit()
        if not self.idle:
            self._timer.start(_BUSY_MS if self._job is not None else _LATER_MS)

    def _finish(self, job: _Job) -> None:
        job.target.coloured = job.revision
        job.target.rests_until = time.perf_counter() + max(REST_S, 10 * job.cost_s)

    def _next_job(self) -> _Job | None:
        now = time.perf_counter()
        for target in reversed(self._wanted):
            if now < target.rests_until:
                continue
            if target.language not in self._lexers:
                self._lexers[target.language] = _LOADER.submit(lexer_of, target.language)
            loading = self._lexers[target.language]
            if not loading.done():
                continue
            self._wanted.remove(target)
            lexer = loading.result()
            if lexer is not None:
                return _Job(target, lexer)
            target.coloured, target.language = target.revision(), ""
            return None
        return None
