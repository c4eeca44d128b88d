"""An inspector over a real session, whose journal and store also take exchanges that no server sent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.ui.desks import desk_in, project
from tests.ui.gui import Gui
from workbench.app import OpenSession
from workbench.conversation.events import ExchangeClosed, ExchangeOpened, StreamPieceArrived, TurnStarted
from workbench.conversation.exchange import Chunk
from workbench.conversation.stream import TextDelta
from workbench.inspection.requests import RequestRow
from workbench.ui.desk import Desk
from workbench.ui.inspector.panel import Inspector
from workbench.ui.inspector.requests_tab import RequestsTab

HEADERS = (("Content-Type", "application/json"), ("Authorization", "Bearer REDACTED-20-1a2b3c4d"))


class Inspected(NamedTuple):
    """What a test has in its hands."""

    desk: Desk
    inspector: Inspector
    gui: Gui

    @property
    def tab(self) -> RequestsTab:
        return self.inspector.requests

    @property
    def opened(self) -> OpenSession:
        assert self.desk.bridge.opened is not None
        return self.desk.bridge.opened

    @property
    def rows(self) -> list[RequestRow]:
        return self.tab.log.rows

    async def open(self, pieces: Sequence[bytes] = (b"{}",), **fields: Any) -> str:
        """Record that a request is about to leave; return its exchange id."""
        number = len(self.rows) + 1
        turn = fields.pop("turn_id", "turn")
        if not self.rows or self.rows[-1].opened.turn_id != turn:
            self.opened.session.journal.append(TurnStarted(turn_id=turn))
        known: dict[str, Any] = {"exchange_id": f"x{number}", "number": number, "turn_id": turn, "step": 1, "attempt": 1, "method": "POST", "url": "http://127.0.0.1:1/v1/chat"}
        known |= {"headers": HEADERS, "dialect": "chat_completions", "profile": "p", "model": "m", "body": self.opened.store.keep_body(pieces)}
        fact = ExchangeOpened(**(known | fields))
        self.opened.session.journal.append(fact)
        await self.flush()
        return fact.exchange_id

    def arrive(self, exchange_id: str, *chunks: Chunk) -> None:
        """Record bytes of a response, and give the live sign that comes with them."""
        for chunk in chunks:
            self.opened.store.keep_chunk(exchange_id, chunk)
            self.opened.session.journal.emit(StreamPieceArrived("turn", 1, exchange_id, TextDelta(text="x")))

    async def close(self, exchange_id: str, **fields: Any) -> None:
        """Record the end of a response."""
        known: dict[str, Any] = {"exchange_id": exchange_id, "status": 200, "http_version": "HTTP/1.1", "first_byte_s": 0.2, "duration_s": 1.0}
        self.opened.session.journal.append(ExchangeClosed(**(known | fields)))
        await self.flush()

    async def exchange(self, pieces: Sequence[bytes] = (b"{}",), *chunks: Chunk, **closed: Any) -> str:
        """Record a whole exchange."""
        exchange_id = await self.open(pieces)
        self.arrive(exchange_id, *chunks)
        await self.close(exchange_id, size_bytes=sum(len(chunk.data) for chunk in chunks), **closed)
        return exchange_id

    async def flush(self) -> None:
        """Let the window know what is in the journal."""
        self.desk.bridge.flush()
        await self.gui.settle()

    async def show(self, part: str, exchange_id: str) -> None:
        """Open a side of a request."""
        self.inspector.choose_tab(f"requests.{part}")
        self.inspector.show_request(exchange_id)
        await self.gui.settle()


@asynccontextmanager
async def inspected(folder: Path, gui: Gui, *, width: int = 900, height: int = 800) -> AsyncIterator[Inspected]:
    """Yield an inspector beside an open folder."""
    async with desk_in(folder) as desk:
        assert await desk.open_folder(project(folder))
        inspector = Inspector(desk.bridge, desk)
        inspector.resize(width, height)
        gui.show(inspector)
        inspector.choose_tab("requests")
        yield Inspected(desk, inspector, gui)
        inspector.hide()


def sse(*data: str) -> bytes:
    """Return an event stream."""
    return "".join(f"data: {one}\n\n" for one in data).encode()
