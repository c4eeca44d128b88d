"""How soon the window answers while 2,000 pieces a second stream into a chat of 10,000 messages, beside plain text widgets with the same text.

Ours is the whole way inside the window: live signs from a journal through the bridge and the timeline into the painted chat. The
references are what is written first: one QTextBrowser that shows the conversation as Markdown and appends each piece as it arrives, and
one QPlainTextEdit, which shows no Markdown at all. All run in one process on the same pieces, twice in turns, and of each the calmer run
counts. Lateness is that of a 5 ms timer, which is what a key or a click waits; the frame gap is the time between two paintings, which
the window does not make shorter than a frame of the screen.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

from lateness import Measured, Watch, row, share
from long_session import MESSAGES, facts, opened, pieces, texts
from PySide6.QtCore import QEvent, QEventLoop, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextBrowser, QWidget

from workbench.app import OpenSession
from workbench.conversation.events import StepStarted, StreamPieceArrived, TurnStarted
from workbench.conversation.journal import Journal
from workbench.conversation.stream import TextDelta
from workbench.settings.tree import Settings
from workbench.ui.bridge import Bridge
from workbench.ui.chat.chat_view import ChatView
from workbench.ui.desk import Desk
from workbench.ui.kit.theme import theme

PIECES_PER_S = 2_000
LASTS_S = 2.0
COUNT = int(PIECES_PER_S * LASTS_S)
REPEATS = 2
MOST_AT_ONCE = 200
"""Pieces handed over before the loop gets its turn, as a socket's reader does."""
SIZE = (720, 900)
PLAIN, BROWSER = "one QPlainTextEdit", "one QTextBrowser"


def conversation() -> tuple[Journal, str]:
    """Return a journal in which a last turn waits for its answer, and all texts as one piece of Markdown."""
    journal = Journal()
    for event in (*facts(), TurnStarted(turn_id="last"), StepStarted(turn_id="last", step=1), opened("last", MESSAGES, 1)):
        journal.append(event)
    return journal, "\n\n".join(texts(entry.event for entry in journal.entries))


# Measuring


@dataclass
class Run:
    """What one of the three did: how long it took to open, what was measured while pieces streamed, and how many it took a second."""

    opening_ms: float = 0.0
    pieces_per_s: float = 0.0
    measured: Measured = field(default_factory=Measured)


def stream(painted: QWidget, take: Callable[[str], None], run: Run) -> None:
    """Hand over pieces as they fall due, and measure meanwhile."""
    loop, watch, due_pieces = QEventLoop(), Watch(painted), pieces(COUNT)
    taken, begun = 0, time.perf_counter()

    def hand_over() -> None:
        nonlocal taken
        now = time.perf_counter()
        due = min(len(due_pieces), int((now - begun) * PIECES_PER_S), taken + MOST_AT_ONCE)
        while taken < due and time.perf_counter() - begun < 2 * LASTS_S:
            take(due_pieces[taken])
            taken += 1
        if taken >= len(due_pieces) or now - begun > LASTS_S:
            loop.quit()

    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(hand_over)
    watch.begin()
    timer.start(1)
    loop.exec()
    timer.stop()
    run.measured = watch.end()
    run.pieces_per_s = taken / (time.perf_counter() - begun)


def settle(app: QApplication, quiet_s: float = 0.3) -> None:
    """Let everything happen that is due, until nothing takes longer than a few milliseconds any more."""
    quiet_since = time.perf_counter()
    while time.perf_counter() - quiet_since < quiet_s:
        begun = time.perf_counter()
        app.processEvents()
        if time.perf_counter() - begun > 0.005:
            quiet_since = time.perf_counter()
        time.sleep(0.001)


def end(app: QApplication, widget: QWidget) -> None:
    """End a widget, with all it holds."""
    widget.hide()
    widget.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()


# The three


def ours(app: QApplication, journal: Journal) -> Run:
    """Measure the chat of the window."""
    run = Run()
    session = SimpleNamespace(journal=journal, pending=(), running=True)
    bridge = Bridge()
    view = ChatView(bridge, cast("Desk", SimpleNamespace(app=SimpleNamespace(settings=Settings()))))
    view.resize(*SIZE)
    view.show()
    settle(app)
    begun = time.perf_counter()
    bridge.attach(cast("OpenSession", SimpleNamespace(session=session)))
    view.viewport().repaint()
    run.opening_ms = (time.perf_counter() - begun) * 1000
    settle(app)
    stream(view.viewport(), lambda text: journal.emit(StreamPieceArrived("last", 1, f"x{MESSAGES}", TextDelta(text=text))), run)
    bridge.flush()
    assert "".join(pieces(COUNT)).startswith(view.views[-1].plain_text()), "what was streamed is not what is shown"
    bridge.detach()
    end(app, view)
    return run


def browser(app: QApplication, markdown: str) -> Run:
    """Measure one QTextBrowser that holds everything as Markdown."""
    run = Run()
    view = QTextBrowser()
    view.resize(*SIZE)
    view.show()
    settle(app)
    begun = time.perf_counter()
    view.setMarkdown(markdown)
    view.moveCursor(QTextCursor.MoveOperation.End)
    view.viewport().repaint()
    run.opening_ms = (time.perf_counter() - begun) * 1000
    settle(app)

    def take(text: str) -> None:
        view.moveCursor(QTextCursor.MoveOperation.End)
        view.insertPlainText(text)

    stream(view.viewport(), take, run)
    end(app, view)
    return run


def plain_edit(app: QApplication, markdown: str) -> Run:
    """Measure one QPlainTextEdit: the least that shows the words."""
    run = Run()
    view = QPlainTextEdit()
    view.resize(*SIZE)
    view.show()
    settle(app)
    begun = time.perf_counter()
    view.setPlainText(markdown)
    view.moveCursor(QTextCursor.MoveOperation.End)
    view.viewport().repaint()
    run.opening_ms = (time.perf_counter() - begun) * 1000
    settle(app)

    def take(text: str) -> None:
        view.moveCursor(QTextCursor.MoveOperation.End)
        view.insertPlainText(text)

    stream(view.viewport(), take, run)
    end(app, view)
    return run


# Rows


def rows(mine: Run, other: Run, name: str) -> Iterator[str]:
    """Yield three lines: lateness, frame gap, opening."""
    late = {
        "ours_late_p50_ms": share(mine.measured.late_ms, 0.5),
        "ours_late_p99_ms": share(mine.measured.late_ms, 0.99),
        "ours_late_max_ms": max(mine.measured.late_ms),
        "reference_late_p99_ms": share(other.measured.late_ms, 0.99),
        "reference_late_max_ms": max(other.measured.late_ms),
        "ours_pieces_per_s": mine.pieces_per_s,
        "reference_pieces_per_s": other.pieces_per_s,
        "ours_cpu_share": mine.measured.cpu_share,
        "reference_cpu_share": other.measured.cpu_share,
    }
    yield row(f"lateness while streaming into {MESSAGES:,} messages, beside {name}", late["ours_late_p99_ms"] / late["reference_late_p99_ms"], late)
    gap = {
        "ours_gap_p50_ms": share(mine.measured.gaps_ms, 0.5),
        "ours_gap_p99_ms": share(mine.measured.gaps_ms, 0.99),
        "ours_gap_max_ms": mine.measured.longest_gap_ms,
        "reference_gap_p50_ms": min(share(other.measured.gaps_ms, 0.5), LASTS_S * 1000),
        "reference_gap_max_ms": other.measured.longest_gap_ms,
        "ours_frames": len(mine.measured.gaps_ms),
        "reference_frames": len(other.measured.gaps_ms),
    }
    yield row(f"frame gap while streaming into {MESSAGES:,} messages, beside {name}", gap["ours_gap_max_ms"] / gap["reference_gap_max_ms"], gap)
    opening = {"ours_ms": mine.opening_ms, "reference_ms": other.opening_ms}
    yield row(f"opening of {MESSAGES:,} messages, beside {name}", mine.opening_ms / other.opening_ms, opening)


def main() -> None:
    """Measure all three and print the rows."""
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    theme.use("light")
    journal, markdown = conversation()
    gc.collect()
    gc.freeze()
    found: dict[str, list[Run]] = {"ours": [], PLAIN: [], BROWSER: []}
    for _ in range(REPEATS):
        found["ours"].append(ours(app, journal))
        found[PLAIN].append(plain_edit(app, markdown))
        found[BROWSER].append(browser(app, markdown))
    calmest = {name: min(runs, key=lambda run: share(run.measured.late_ms, 0.99)) for name, runs in found.items()}
    for name in (PLAIN, BROWSER):
        for line in rows(calmest["ours"], calmest[name], name):
            print(line)


if __name__ == "__main__":
    main()
