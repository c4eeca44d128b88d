"""How soon the window answers while 2,000 pieces a second stream into a chat of 10,000 messages, beside plain text widgets with the same text.

Ours is the whole way inside the window: live signs from a journal through the bridge and the timeline into the painted chat. The
references are what is written first: one QTextBrowser that shows the conversation as Markdown and appends each piece as it arrives, and
one QPlainTextEdit, which shows no Markdown at all. All run in one process on the same pieces, twice in turns, and of each the calmer run
counts. Lateness is that of a 5 ms timer, which is what a key or a click waits; the frame gap is the time between two paintings, which
the window does not make shorter than a frame of the screen.
"""

from __future__ import annotations

import gc
import json
import math
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextBrowser, QWidget
from typing_extensions import override

from workbench.app import OpenSession
from workbench.conversation.events import (
    Decided,
    Event,
    ExchangeClosed,
    ExchangeOpened,
    ModelResponded,
    StepStarted,
    StreamPieceArrived,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    UserMessageAdded,
)
from workbench.conversation.exchange import BodyRef
from workbench.conversation.journal import Journal
from workbench.conversation.messages import Message, Part, TextPart, ToolCallPart, ToolResultPart, Usage, text_message
from workbench.conversation.stream import TextDelta
from workbench.settings.tree import Settings
from workbench.ui.bridge import Bridge
from workbench.ui.chat.chat_view import ChatView
from workbench.ui.desk import Desk
from workbench.ui.kit.theme import theme

MESSAGES = 10_000
PIECES_PER_S = 2_000
LASTS_S = 2.0
REPEATS = 2
TICK_MS = 5
MOST_AT_ONCE = 200
"""Pieces handed over before the loop gets its turn, as a socket's reader does."""
SIZE = (720, 900)
PLAIN, BROWSER = "one QPlainTextEdit", "one QTextBrowser"
WORDS = re.findall(
    r"\w+",
    "the agent reads a file then calls edit so that the loop can verify every step before approval is asked because permissions differ "
    "per tool and per path 工具 调用 需要 用户 批准 消息 列表 model context window tokens cache prefix request response",
)


# The conversation


def paragraph(draw: random.Random, words: int) -> str:
    """Return a paragraph with marks in it."""
    chosen = [draw.choice(WORDS) for _ in range(words)]
    for place in range(0, words, 11):
        chosen[place] = draw.choice(["**{}**", "`{}`", "*{}*", "[{}](https://example.invalid/x)"]).format(chosen[place])
    return " ".join(chosen) + "."


def answer(draw: random.Random) -> str:
    """Return an answer: paragraphs, sometimes a list, a heading or code."""
    parts = [paragraph(draw, draw.randint(12, 50)) for _ in range(draw.randint(1, 3))]
    if draw.random() < 0.25:
        parts.insert(1, "\n".join("- " + paragraph(draw, draw.randint(4, 12)) for _ in range(4)))
    if draw.random() < 0.25:
        parts.append("```python\n" + "def read(path: Path) -> list[str]:\n    return path.read_text().splitlines()  # all of it\n" * draw.randint(1, 6) + "```")
    if draw.random() < 0.1:
        parts.insert(0, "## " + paragraph(draw, 4))
    return "\n\n".join(parts)


def turn(number: int, draw: random.Random) -> Iterator[Event]:
    """Yield the facts of a turn of four messages: a prompt, an answer with a call, its result, a last answer."""
    turn_id, call_id = f"t{number}", f"c{number}"
    yield TurnStarted(turn_id=turn_id)
    yield UserMessageAdded(turn_id=turn_id, message=text_message("user", paragraph(draw, 20)))
    yield from step(turn_id, 2 * number, 1, answer(draw), call_id)
    yield Decided(turn_id=turn_id, step=1, call_id=call_id, tool="grep", outcome="allow", danger=0, outside=False, arguments={"pattern": "x"})
    yield ToolStarted(turn_id=turn_id, step=1, call_id=call_id, tool="grep", arguments={"pattern": "x"})
    output = "\n".join(f"src/module_{line:02}.py:{line}: result = compute(value, limit={line})" for line in range(draw.randint(1, 20)))
    result = ToolResultPart(call_id=call_id, name="grep", content=(TextPart(text=output),))
    yield ToolFinished(turn_id=turn_id, step=1, call_id=call_id, tool="grep", status="ok", result=result, facts="4 matches", duration_s=0.04)
    yield UserMessageAdded(turn_id=turn_id, message=Message(message_id=f"r{number}", role="tool", parts=(result,)))
    yield from step(turn_id, 2 * number + 1, 2, answer(draw))
    yield TurnFinished(turn_id=turn_id, end="answered", steps=2)


def step(turn_id: str, request: int, number: int, text: str, call_id: str = "") -> Iterator[Event]:
    """Yield the facts of one request and its response."""
    yield StepStarted(turn_id=turn_id, step=number)
    yield opened(turn_id, request, number)
    yield ExchangeClosed(exchange_id=f"x{request}", status=200, duration_s=2.4)
    parts: list[Part] = [TextPart(text=text)]
    if call_id:
        parts.append(ToolCallPart(call_id=call_id, name="grep", arguments_raw='{"pattern": "x"}'))
    message = Message(message_id=f"m{request}", role="assistant", parts=tuple(parts), usage=Usage(input_tokens=13_312, output_tokens=391))
    yield ModelResponded(turn_id=turn_id, step=number, exchange_id=f"x{request}", message=message)


def opened(turn_id: str, request: int, number: int) -> ExchangeOpened:
    """Return the fact that a request goes out."""
    return ExchangeOpened(
        exchange_id=f"x{request}",
        number=request + 1,
        turn_id=turn_id,
        step=number,
        attempt=1,
        method="POST",
        url="http://127.0.0.1/v1",
        headers=(),
        body=BodyRef(runs=(), size_bytes=0, sha256=""),
        dialect="chat_completions",
        profile="bench",
        model="m",
    )


def conversation() -> tuple[Journal, str]:
    """Return a journal of so many messages, in which a last turn waits for its answer, and all texts as one piece of Markdown."""
    draw = random.Random(7)
    journal = Journal()
    for number in range(MESSAGES // 4):
        for event in turn(number, draw):
            journal.append(event)
    for event in (TurnStarted(turn_id="last"), StepStarted(turn_id="last", step=1), opened("last", MESSAGES, 1)):
        journal.append(event)
    return journal, "\n\n".join(texts(journal))


def texts(journal: Journal) -> Iterator[str]:
    """Yield what the messages say; results as code."""
    for entry in journal.entries:
        match entry.event:
            case UserMessageAdded(message=message) | ModelResponded(message=message):
                yield message.text() or "".join(f"```\n{result.text()}\n```" for result in message.results())
            case _:
                pass


def pieces() -> list[str]:
    """Return what streams: a long answer, cut into four characters each."""
    draw = random.Random(3)
    count = int(PIECES_PER_S * LASTS_S)
    text = ""
    while len(text) < 4 * count:
        text += answer(draw) + "\n\n"
    return [text[4 * number : 4 * number + 4] for number in range(count)]


# Measuring


@dataclass
class Measured:
    """What was measured while pieces streamed: milliseconds, and how many pieces were taken a second."""

    opening_ms: float = 0.0
    late_ms: list[float] = field(default_factory=list)
    gaps_ms: list[float] = field(default_factory=list)
    pieces_per_s: float = 0.0
    cpu_share: float = 0.0


class Paintings(QObject):
    """Notes when a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.at: list[float] = []
        self._widget = widget
        widget.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and watched is self._widget:
            self.at.append(time.perf_counter())
        return False


def stream(painted: QWidget, take: Callable[[str], None], measured: Measured) -> None:
    """Hand over pieces as they fall due, and measure what a timer waits meanwhile."""
    loop, paintings, due_pieces = QEventLoop(), Paintings(painted), pieces()
    taken, begun = 0, time.perf_counter()
    last = begun
    cpu = time.process_time()

    def hand_over() -> None:
        nonlocal taken
        now = time.perf_counter()
        due = min(len(due_pieces), int((now - begun) * PIECES_PER_S), taken + MOST_AT_ONCE)
        while taken < due and time.perf_counter() - begun < 2 * LASTS_S:
            take(due_pieces[taken])
            taken += 1
        if taken >= len(due_pieces) or now - begun > LASTS_S:
            loop.quit()

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        measured.late_ms.append(max(0.0, (now - last) * 1000 - TICK_MS))
        last = now

    timers = [QTimer(), QTimer()]
    for timer, interval, slot in zip(timers, (1, TICK_MS), (hand_over, tick), strict=True):
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(slot)
        timer.start(interval)
    loop.exec()
    ended = time.perf_counter()
    for timer in timers:
        timer.stop()
    measured.pieces_per_s = taken / (ended - begun)
    measured.cpu_share = (time.process_time() - cpu) / (ended - begun)
    measured.gaps_ms = [(after - before) * 1000 for before, after in zip(paintings.at, paintings.at[1:], strict=False)]


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


def ours(app: QApplication, journal: Journal) -> Measured:
    """Measure the chat of the window."""
    measured = Measured()
    session = SimpleNamespace(journal=journal, pending=(), running=True)
    bridge = Bridge()
    view = ChatView(bridge, cast("Desk", SimpleNamespace(app=SimpleNamespace(settings=Settings()))))
    view.resize(*SIZE)
    view.show()
    settle(app)
    begun = time.perf_counter()
    bridge.attach(cast("OpenSession", SimpleNamespace(session=session)))
    view.viewport().repaint()
    measured.opening_ms = (time.perf_counter() - begun) * 1000
    settle(app)
    stream(view.viewport(), lambda text: journal.emit(StreamPieceArrived("last", 1, f"x{MESSAGES}", TextDelta(text=text))), measured)
    bridge.flush()
    assert "".join(pieces()).startswith(view.views[-1].plain_text()), "what was streamed is not what is shown"
    bridge.detach()
    end(app, view)
    return measured


def browser(app: QApplication, markdown: str) -> Measured:
    """Measure one QTextBrowser that holds everything as Markdown."""
    measured = Measured()
    view = QTextBrowser()
    view.resize(*SIZE)
    view.show()
    settle(app)
    begun = time.perf_counter()
    view.setMarkdown(markdown)
    view.moveCursor(QTextCursor.MoveOperation.End)
    view.viewport().repaint()
    measured.opening_ms = (time.perf_counter() - begun) * 1000
    settle(app)

    def take(text: str) -> None:
        view.moveCursor(QTextCursor.MoveOperation.End)
        view.insertPlainText(text)

    stream(view.viewport(), take, measured)
    end(app, view)
    return measured


def plain_edit(app: QApplication, markdown: str) -> Measured:
    """Measure one QPlainTextEdit: the least that shows the words."""
    measured = Measured()
    view = QPlainTextEdit()
    view.resize(*SIZE)
    view.show()
    settle(app)
    begun = time.perf_counter()
    view.setPlainText(markdown)
    view.moveCursor(QTextCursor.MoveOperation.End)
    view.viewport().repaint()
    measured.opening_ms = (time.perf_counter() - begun) * 1000
    settle(app)

    def take(text: str) -> None:
        view.moveCursor(QTextCursor.MoveOperation.End)
        view.insertPlainText(text)

    stream(view.viewport(), take, measured)
    end(app, view)
    return measured


# Rows


def share(values: list[float], part: float) -> float:
    """Return the value under which a part of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.floor(len(ordered) * part))] if ordered else math.inf


def longest_gap(measured: Measured) -> float:
    """Return the longest time without a painting; if there was none at all, the whole time."""
    return max(measured.gaps_ms, default=LASTS_S * 1000)


def rows(mine: Measured, other: Measured, name: str) -> Iterator[str]:
    """Yield three lines: lateness, frame gap, opening."""
    late = {
        "ours_late_p50_ms": share(mine.late_ms, 0.5),
        "ours_late_p99_ms": share(mine.late_ms, 0.99),
        "ours_late_max_ms": max(mine.late_ms),
        "reference_late_p99_ms": share(other.late_ms, 0.99),
        "reference_late_max_ms": max(other.late_ms),
        "ours_pieces_per_s": mine.pieces_per_s,
        "reference_pieces_per_s": other.pieces_per_s,
        "ours_cpu_share": mine.cpu_share,
        "reference_cpu_share": other.cpu_share,
    }
    yield row(f"lateness while streaming into {MESSAGES:,} messages, beside {name}", late["ours_late_p99_ms"] / late["reference_late_p99_ms"], late)
    gap = {
        "ours_gap_p50_ms": share(mine.gaps_ms, 0.5),
        "ours_gap_p99_ms": share(mine.gaps_ms, 0.99),
        "ours_gap_max_ms": longest_gap(mine),
        "reference_gap_p50_ms": min(share(other.gaps_ms, 0.5), LASTS_S * 1000),
        "reference_gap_max_ms": longest_gap(other),
        "ours_frames": len(mine.gaps_ms),
        "reference_frames": len(other.gaps_ms),
    }
    yield row(f"frame gap while streaming into {MESSAGES:,} messages, beside {name}", gap["ours_gap_max_ms"] / gap["reference_gap_max_ms"], gap)
    opening = {"ours_ms": mine.opening_ms, "reference_ms": other.opening_ms}
    yield row(f"opening of {MESSAGES:,} messages, beside {name}", mine.opening_ms / other.opening_ms, opening)


def row(name: str, ratio: float, numbers: dict[str, float]) -> str:
    """Return one measurement as a line."""
    return json.dumps({"name": name, "ratio": round(ratio, 3), "numbers": {key: round(value, 2) for key, value in numbers.items()}})


def main() -> None:
    """Measure all three and print the rows."""
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    theme.use("light")
    journal, markdown = conversation()
    gc.collect()
    gc.freeze()
    found: dict[str, list[Measured]] = {"ours": [], PLAIN: [], BROWSER: []}
    for _ in range(REPEATS):
        found["ours"].append(ours(app, journal))
        found[PLAIN].append(plain_edit(app, markdown))
        found[BROWSER].append(browser(app, markdown))
    calmest = {name: min(runs, key=lambda run: share(run.late_ms, 0.99)) for name, runs in found.items()}
    for name in (PLAIN, BROWSER):
        for line in rows(calmest["ours"], calmest[name], name):
            print(line)


if __name__ == "__main__":
    main()
