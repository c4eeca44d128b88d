"""A response as a whole: the answer joined, error bodies of every shape with a sentence, raw bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import Inspected, inspected, sse
from workbench.conversation.events import SessionOpened
from workbench.conversation.exchange import Chunk
from workbench.ui.inspector.response_view import RAW, ResponseView
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

HTML = b"<html><body><h1>502 Bad Gateway</h1><script>alert(1)</script></body></html>"


async def shown(at: Inspected, exchange_id: str) -> ResponseView:
    await at.show("response", exchange_id)
    view = at.tab.response
    await at.gui.until(lambda: view._response is not None and view._row is not None and view._row.exchange_id == exchange_id)
    return view


async def test_answer_is_joined_from_its_pieces(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "read README.md")
        row = at.rows[0]
        assert row.responded is not None
        view = await shown(at, row.exchange_id)
        text = view.text.plain_text()
        assert row.responded.message.text() in text
        (call,) = row.responded.message.calls()
        assert f"call {call.name}  {call.call_id}" in text
        assert '"file_path": "README.md"' in text
        view.form.choose(RAW)
        assert view.text.lines.data == b"".join(chunk.data for chunk in at.opened.store.chunks(row.exchange_id))
        assert not view.strip.isVisible()
        assert view._status.text() == "200"


async def test_refusal_is_told_in_a_sentence_with_the_providers_own_words(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "Drill: overloaded")
        view = await shown(at, at.rows[0].exchange_id)
        assert view.strip.isVisible()
        assert "503" in view.strip.sentence.text()
        assert view.strip.next.text().startswith("It is sent again after ")
        assert json.loads(view.text.plain_text())["error"]["message"] in view.strip.sentence.text()
        assert view.text.plain_text().startswith("{\n  ")


async def test_web_page_of_a_proxy_is_shown_as_text(gui: Gui, tmp_path: Path) -> None:
    async def handler(_request: ServerRequest) -> ServerResponse:
        return ServerResponse(400, [("Content-Type", "text/html")], HTML)

    async with LoopbackServer(handler) as server, inspected(tmp_path, gui) as at:
        choice = await at.desk.app.choose("some-model", base_url=f"{server.base_url}/v1")
        at.desk.bridge.attach(at.desk.app.switch_model(at.opened, choice))
        await said(gui, at.desk, "hello")
        view = await shown(at, at.rows[0].exchange_id)
        assert view.text.lines.data == HTML
        assert view.strip.isVisible()
        assert view._status.text() == "400"


async def test_stream_without_a_message_is_read_from_its_bytes(gui: Gui, tmp_path: Path) -> None:
    piece = json.dumps({"choices": [{"index": 0, "delta": {"content": "half an ans"}}]})
    async with inspected(tmp_path, gui) as at:
        view = await shown(at, await at.exchange([b"{}"], Chunk(0.1, sse(piece)[:-2]), failure="broken", error="The connection was lost."))
        assert view.text.plain_text() == "text\nhalf an ans"
        assert "connection was lost" in view.strip.sentence.text()


async def test_error_inside_a_stream_is_shown_in_the_providers_words(gui: Gui, tmp_path: Path) -> None:
    piece = json.dumps({"choices": [{"index": 0, "delta": {"content": "Half"}}]})
    original = '{"error":{"message":"Engine exploded","code":42}}'
    async with inspected(tmp_path, gui) as at:
        chunk = Chunk(0.1, sse(piece, original))
        view = await shown(at, await at.exchange([b"{}"], chunk, failure="server", error="P reported an error: Engine exploded", original=original))
        text = view.text.plain_text()
        assert text.startswith("text\nHalf\n\nerror, in the provider's words\n{\n")
        assert '"code": 42' in text


@pytest.mark.parametrize("status", [None, 204])
async def test_empty_response_is_told(gui: Gui, tmp_path: Path, status: int | None) -> None:
    async with inspected(tmp_path, gui) as at:
        view = await shown(at, await at.exchange(status=status))
        assert view.text.plain_text() == "No byte of a response came."


async def test_response_that_comes_is_shown_when_it_has_ended(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange_id = await at.open()
        await at.show("response", exchange_id)
        assert "still coming" in at.tab.response.text.plain_text()
        at.arrive(exchange_id, Chunk(0.1, b'{"a":1}'))
        await at.close(exchange_id)
        await gui.until(lambda: at.tab.response.text.plain_text() == '{\n  "a": 1\n}')


async def test_lost_end_is_told(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange_id = await at.open()
        at.opened.session.journal.append(SessionOpened(session_id="s", workspace="/ws", program_version="1", resumed=True))
        await at.flush()
        view = await shown(at, exchange_id)
        assert "the program ended first" in view.strip.sentence.text()


async def test_masked_secret_and_hidden_characters_are_told(gui: Gui, tmp_path: Path) -> None:
    secret = "sk-CANARY-0123456789"
    async with inspected(tmp_path, gui) as at:
        at.opened.store._masks._secrets = lambda: [secret]
        body = json.dumps({"echo": secret, "bidi": "\u202e"}, ensure_ascii=False).encode()
        view = await shown(at, await at.exchange([b"{}"], Chunk(0.1, body), status=400, failure="bad_request", error=f"Bad\u202e\n{'x' * 3000}"))
        assert secret not in view.text.plain_text()
        assert "not exact" in view._facts.text()
        assert "⟨U+202E⟩⏎" in view.strip.sentence.text()
        assert len(view.strip.sentence.text()) < 2_100


async def test_words_are_found(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        view = await shown(at, await at.exchange([b"{}"], Chunk(0.1, b'{"a":"needle","b":"needle"}')))
        gui.type(view.search.edit, "needle")
        await gui.until(lambda: view.search.note == "1 of 2")
        view.form.choose(RAW)
        await gui.until(lambda: view.search.note == "1 of 2")
        assert view.text.selected_text() == "needle"
