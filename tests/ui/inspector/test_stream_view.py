"""A response event by event: after it came, while it comes, cut off, and with a hundred thousand events."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.dialects.recordings import exchanges, index
from tests.pace import not_hung, turns
from tests.shared import needs_shared, shared_data
from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import Inspected, inspected, sse
from workbench.conversation.exchange import Chunk
from workbench.ui.inspector.stream_lanes import StreamLanes
from workbench.ui.inspector.stream_model import StreamColumn
from workbench.ui.inspector.stream_view import SO_FAR, StreamView


def delta(**members: object) -> str:
    return json.dumps({"id": "r", "model": "m", "choices": [{"index": 0, "delta": members}]})


def call(arguments: str, **members: object) -> str:
    return delta(tool_calls=[{"index": 0, "function": {"name": "read", "arguments": arguments}, **members}])


ANSWER = [delta(content="Hi"), call("", id="c1", type="function"), call('{"a":'), call("1}")]


def rows(view: StreamView, column: StreamColumn) -> list[str]:
    events = view.table.events
    return [str(events.index(row, column).data(Qt.ItemDataRole.DisplayRole)) for row in range(events.rowCount())]


async def shown(at: Inspected, exchange_id: str) -> StreamView:
    """Show the stream of a request that has ended, and wait until it is read."""
    await at.show("stream", exchange_id)
    view = at.tab.stream
    await at.gui.until(lambda: view._complete and not view._waiting and view.lanes.height() == view.lanes.sizeHint().height())
    return view


async def test_stream_of_the_practice_model_is_told_event_by_event(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "read README.md")
        view = await shown(at, at.rows[0].exchange_id)
        chunks = at.opened.store.chunks(at.rows[0].exchange_id)
        raw = b"".join(chunk.data for chunk in chunks)
        assert view._bytes == raw
        assert len(rows(view, StreamColumn.NUMBER)) == raw.count(b"data: ")
        assert sum(int(size.replace(",", "")) for size in rows(view, StreamColumn.SIZE)) == len(raw)
        times = [float(at_s) for at_s in rows(view, StreamColumn.AT)]
        assert times == sorted(times)
        assert {"text", "arguments", "usage", "end"} <= set(rows(view, StreamColumn.KIND))
        assert view._facts.text().startswith(f"{len(times)} events · {len(raw):,} bytes")


async def test_choosing_a_row_or_a_tick_shows_the_event_and_what_it_means(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        chunks = [Chunk(0.5 + n * 0.2, sse(event)) for n, event in enumerate(ANSWER)]
        view = await shown(at, await at.exchange([b"{}"], *chunks))
        view.choose(3)
        text = view.detail.plain_text()
        assert text.startswith(f"data: {ANSWER[3]}\n\nDecoded as:\n")
        assert json.loads(text.splitlines()[3]) == {"type": "CallArgumentsDelta", "frame": 3, "key": 0, "text": "1}"}
        assert view.lanes._cursor == 3
        view.form.choose(SO_FAR)
        assert view.detail.plain_text() == 'read · 1.1 s · a whole JSON object\n\n{"a":1}'
        view.choose(2)
        assert "not yet a JSON object" in view.detail.plain_text()
        x = round(view.lanes._x(0.7))
        QTest.mouseClick(view.lanes, Qt.MouseButton.LeftButton, pos=QPoint(x, view.lanes.height() // 2))
        assert view.table.currentIndex().row() == 1
        gui.keys(view.lanes, "Left")
        assert view.table.currentIndex().row() == 0


async def test_last_event_tells_what_the_end_of_the_stream_said(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        view = await shown(at, await at.exchange([b"{}"], Chunk(0.1, sse(delta(content="a")))))
        view.choose(0)
        events = [json.loads(line) for line in view.detail.plain_text().splitlines()[3:]]
        assert [event["type"] for event in events] == ["ResponseStarted", "TextDelta", "Problem", "ResponseEnded"]
        assert events[-1]["finish_reason"] == "incomplete"


def rows_are(view: StreamView, count: int) -> Callable[[], bool]:
    return lambda: view.table.events.rowCount() == count


async def test_events_appear_while_the_response_comes(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange_id = await at.open()
        await at.show("stream", exchange_id)
        view = at.tab.stream
        resets: list[int] = []
        view.table.events.modelReset.connect(lambda: resets.append(1))
        for n, event in enumerate(ANSWER):
            at.arrive(exchange_id, Chunk(0.1 * (n + 1), sse(event)))
            await at.flush()
            await gui.until(rows_are(view, n + 1))
        assert view.lanes._lanes == 3
        view.choose(1)
        at.arrive(exchange_id, Chunk(0.6, b'data: {"choices"'))
        await at.flush()
        assert view.table.events.rowCount() == 4
        await at.close(exchange_id)
        await gui.until(lambda: view._complete and not view._waiting)
        assert view.table.events.rowCount() == 5
        assert view.table.currentIndex().row() == 1
        assert resets == []


async def test_stream_opened_in_the_middle_shows_its_beginning_too(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange_id = await at.open()
        at.arrive(exchange_id, *[Chunk(0.1 * n, sse(event)) for n, event in enumerate(ANSWER)])
        await at.flush()
        await at.show("stream", exchange_id)
        await gui.until(lambda: at.tab.stream.table.events.rowCount() == len(ANSWER))


async def test_cut_stream_shows_what_came(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "Drill: cut stream")
        row = at.rows[0]
        assert row.state == "failed"
        view = await shown(at, row.exchange_id)
        assert view.table.events.rowCount() > 3
        assert "error" not in rows(view, StreamColumn.KIND)


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b'{"error":{"message":"No."}}'])
async def test_body_that_is_no_stream_is_one_event(gui: Gui, tmp_path: Path, body: bytes) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange_id = await at.open()
        at.arrive(exchange_id, Chunk(0.2, body[:5]), Chunk(0.3, body[5:]))
        await at.show("stream", exchange_id)
        await at.close(exchange_id, status=502, failure="server", error="Bad.", headers=(("Content-Type", "text/html"),))
        view = await shown(at, exchange_id)
        assert view.table.events.rowCount() == 1
        view.choose(0)
        assert view.detail.lines.data.startswith(body)


async def test_narrow_view_puts_the_event_below_and_leaves_columns_away(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui, width=390) as at:
        view = await shown(at, await at.exchange([b"{}"], Chunk(0.1, sse(*ANSWER))))
        assert view._panes.orientation() == Qt.Orientation.Vertical
        assert view.table.isColumnHidden(StreamColumn.GAP)
        at.inspector.resize(900, 800)
        await gui.settle()
        assert view._panes.orientation() == Qt.Orientation.Horizontal
        assert not view.table.isColumnHidden(StreamColumn.GAP)


async def test_thirty_thousand_events_hold_up_nobody(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        block = [sse(*[delta(content=f"w{n} ")] * 10) for n in range(100)]
        chunks = [Chunk(0.005 * n, block[n % 100]) for n in range(3_000)]
        exchange_id = await at.exchange([b"{}"], *chunks, duration_s=50.0)
        view = at.tab.stream
        async with turns() as coming:
            await at.show("stream", exchange_id)
            await gui.until(lambda: view.table.events.rowCount() == 30_000, timeout_s=40)
        assert coming.worst_share < 0.25
        with not_hung(1):
            view.choose(29_999)
            view.table.repaint()
            view.lanes.repaint()


@needs_shared
async def test_recorded_streams_of_real_providers_are_shown(gui: Gui, tmp_path: Path) -> None:
    data = shared_data()
    assert data is not None
    chat = [row for row in index(data) if row.dialect.startswith("chat") and row.streaming][:12]
    assert len(chat) == 12
    async with inspected(tmp_path, gui) as at:
        for row in chat:
            for recorded in exchanges(data / "recordings" / row.file)[:1]:
                view = await shown(at, await at.exchange([recorded.request], Chunk(0.1, recorded.response), status=recorded.status))
                assert view.table.events.rowCount() >= 1, row.file
                assert bytes(view._bytes) == recorded.response
                view.choose(view.table.events.rowCount() - 1)
                assert "Decoded as:" in view.detail.plain_text() or "made nothing" in view.detail.plain_text()


async def test_axis_without_a_response_can_be_used(gui: Gui) -> None:
    lanes = gui.show(StreamLanes())
    lanes.show_stream(None)
    QTest.mouseClick(lanes, Qt.MouseButton.LeftButton, pos=QPoint(30, 10))
    gui.keys(lanes, "Right")
    lanes.repaint()
    assert lanes._nearest(QPoint(5, 5).toPointF()) is None
