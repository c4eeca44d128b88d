"""The body of a request: exactly the bytes that left, as tree and raw, at any size, searched, with links and masked secrets."""

from __future__ import annotations

import gc
import hashlib
import json
import weakref
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QApplication

from tests.pace import turns
from tests.shared import needs_shared, shared_data
from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import Inspected, inspected
from workbench.inspection.bodies import path_words
from workbench.ui.inspector.body_view import RAW, TREE, WORDS
from workbench.wire.server import LoopbackServer, ServerRequest, ServerResponse

CHAT = {
    "messages": [
        {"role": "assistant", "tool_calls": [{"id": "call_abc", "type": "function", "function": {"name": "read", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_abc", "content": "first line\nsecond line with words"},
    ],
    "model": "m",
}


async def read(at: Inspected, exchange_id: str) -> None:
    """Show the body of a request and wait until it is read."""
    await at.show("body", exchange_id)
    await at.gui.until(lambda: at.tab.body._read is not None and at.tab.body._row is not None and at.tab.body._row.exchange_id == exchange_id)


def linked(at: Inspected) -> str:
    """Return which value is highlighted as the other one of a pair."""
    tree = at.tab.body.tree.rows.tree
    return path_words(tree._linked or ()) if tree is not None else ""


async def test_bytes_shown_are_those_the_server_received(gui: Gui, tmp_path: Path) -> None:
    received: list[bytes] = []

    async def handler(request: ServerRequest) -> ServerResponse:
        received.append(request.body)
        answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
        return ServerResponse(200, [("Content-Type", "application/json")], json.dumps(answer).encode())

    async with LoopbackServer(handler) as server, inspected(tmp_path, gui) as at:
        choice = await at.desk.app.choose("some-model", base_url=f"{server.base_url}/v1")
        at.desk.bridge.attach(at.desk.app.switch_model(at.opened, choice))
        await said(gui, at.desk, "Say 你好 \u202e <b>&amp;</b>")
        await read(at, at.rows[0].exchange_id)
        body = at.tab.body
        assert [body.raw.lines.data] == received
        assert body._read is not None
        assert body._read.json is not None
        assert body._read.json.data == received[0]
        assert hashlib.sha256(received[0]).hexdigest() in body._foot.text()
        assert "exact" in body._foot.text()
        assert body.tree.rows.header().labels[0] == f"POST /v1/chat/completions · {len(received[0]):,} bytes"  # type: ignore[attr-defined]  # a Head


async def test_chosen_call_highlights_its_result_and_leads_there(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await read(at, await at.exchange([json.dumps(CHAT).encode()]))
        rows = at.tab.body.tree.rows
        assert rows.tree is not None
        assert rows.isExpanded(rows.tree.index_of(("messages",)))
        answer = ("messages", 1, "tool_call_id")
        assert rows.show_path(("messages", 0, "tool_calls", 0, "id"))
        assert linked(at) == "messages[1].tool_call_id"
        jump = at.tab.body.tree._jump
        assert (jump.text(), jump.isVisible()) == ("messages[1]", True)
        rows.setFocus()
        gui.keys(rows, "Return")
        assert rows.tree.node(rows.currentIndex()).path == answer
        assert linked(at) == "messages[0].tool_calls[0].id"


async def test_long_value_stands_whole_below_and_can_be_copied(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await read(at, await at.exchange([json.dumps(CHAT).encode()]))
        pane = at.tab.body.tree
        pane.rows.show_path(("messages", 1, "content"))
        assert pane.value.isVisible()
        assert pane.value.plain_text() == "first line\nsecond line with words"
        gui.keys(pane.rows, "Ctrl+C")
        assert QApplication.clipboard().text() == "first line\nsecond line with words"
        pane.rows.show_path(("model",))
        assert not pane.value.isVisible()


async def test_words_are_found_in_tree_and_raw(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await read(at, await at.exchange([json.dumps(CHAT).encode()]))
        body = at.tab.body
        gui.type(body.search.edit, "call_abc")
        await gui.until(lambda: body.search.note == "1 of 2")
        assert body.tree.rows.tree is not None
        assert body.tree.rows.tree.node(body.tree.rows.currentIndex()).path == ("messages", 0, "tool_calls", 0, "id")
        gui.keys(body.search.edit, "Return")
        assert body.tree.rows.tree.node(body.tree.rows.currentIndex()).path == ("messages", 1, "tool_call_id")
        assert body.search.note == "2 of 2"
        gui.keys(body.search.edit, "Shift+Return")
        assert body.search.note == "1 of 2"
        body.form.choose(RAW)
        await gui.until(lambda: body.search.note == "1 of 2")
        assert body.raw.selected_text() == "call_abc"
        gui.keys(body.search.edit, "F3")
        assert body.search.note == "2 of 2"
        gui.keys(body.search.edit, "Escape")
        assert (body.search.text(), body.search.note) == ("", "")
        gui.type(body.search.edit, "not there")
        await gui.until(lambda: body.search.note == "none")


async def test_words_with_quotation_marks_are_found_as_json_writes_them(gui: Gui, tmp_path: Path) -> None:
    value = {"a": 'say "天气"', "b": 1}
    async with inspected(tmp_path, gui) as at:
        for ascii_only in (True, False):
            await read(at, await at.exchange([json.dumps(value, ensure_ascii=ascii_only).encode()]))
            at.tab.body.tree.search('"天气"')
            rows = at.tab.body.tree.rows
            assert rows.tree is not None
            assert rows.tree.node(rows.currentIndex()).path == ("a",)


async def test_masked_secret_is_told_where_it_stood(gui: Gui, tmp_path: Path) -> None:
    secret = "sk-CANARY-0123456789"
    async with inspected(tmp_path, gui) as at:
        at.opened.store._masks._secrets = lambda: [secret]
        await read(at, await at.exchange([json.dumps({"key": f"my key is {secret}", "other": "x"}).encode()]))
        body = at.tab.body
        assert secret.encode() not in body.raw.lines.data
        assert "not exact: a secret was replaced" in body._foot.text()
        assert (body._masked.text(), body._masked.isVisible()) == ("1 secret masked", True)
        tree = body.tree.rows.tree
        assert tree is not None
        assert tree.is_masked(tree.node(tree.index_of(("key",))))
        assert not tree.is_masked(tree.node(tree.index_of(("other",))))


@pytest.mark.parametrize(
    ("body", "words"), [(b"", "has no body"), (b'{"a":tru}', "is not JSON from byte 5 on"), (b"\xff\xfe\x00", "is not JSON from byte 0 on")]
)
async def test_body_that_is_no_json_is_shown_raw(gui: Gui, tmp_path: Path, body: bytes, words: str) -> None:
    async with inspected(tmp_path, gui) as at:
        await read(at, await at.exchange([body] if body else []))
        view = at.tab.body
        assert view._stack.currentIndex() == WORDS
        assert words in view._words.text()
        view.form.choose(RAW)
        assert view._stack.currentIndex() == RAW
        assert view.raw.lines.data == body


async def test_damaged_body_is_told_in_a_sentence_and_the_rest_goes_on(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        good = await at.exchange([b'{"a":1}'])
        bad = await at.open(body=replace(at.rows[0].opened.body, runs=((99, 1),)))
        await at.show("body", bad)
        await gui.until(lambda: "cannot be rebuilt" in at.tab.body._words.text())
        await read(at, good)
        assert at.tab.body._stack.currentIndex() == TREE


async def test_only_the_newest_choice_is_shown(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        ids = [await at.exchange([json.dumps({"n": n}).encode()]) for n in range(8)]
        for exchange_id in ids:
            at.inspector.show_request(exchange_id)
        await read(at, ids[-1])
        assert at.tab.body.raw.plain_text() == '{"n": 7}'


async def test_ten_megabytes_open_without_holding_up_the_window(gui: Gui, tmp_path: Path) -> None:
    text = "a line of a file, 一行 \\\"quoted\\\" \\n" * 50
    pieces = [b'{"model":"m","messages":[', *((b"," if n else b"") + f'{{"role":"user","n":{n},"content":"{text}"}}'.encode() for n in range(5_200)), b"]}"]
    assert sum(map(len, pieces)) > 10_000_000
    async with inspected(tmp_path, gui) as at:
        exchange_id = await at.exchange(pieces)
        async with turns() as coming:
            await at.show("body", exchange_id)
            assert at.tab.body._words.text() == "reading…"
            await gui.until(lambda: at.tab.body._read is not None, timeout_s=40)
            rows = at.tab.body.tree.rows
            assert rows.show_path(("messages", 5_199, "content"))
            at.tab.body.form.choose(RAW)
            for _ in range(5):
                await gui.settle()
        assert at.tab.body.raw.lines.data == b"".join(pieces)
        assert coming.worst_share < 0.25


@needs_shared
async def test_captured_requests_of_other_programs_are_shown(gui: Gui, tmp_path: Path) -> None:
    data = shared_data()
    assert data is not None
    files = sorted((data / "captures").glob("*/001-request.json"))[:8]
    async with inspected(tmp_path, gui) as at:
        for file in files:
            captured = json.loads(file.read_bytes())
            content = json.dumps(captured.get("body", captured), ensure_ascii=False).encode()
            await read(at, await at.exchange([content]))
            tree = at.tab.body.tree.rows.tree
            assert tree is not None, file.name
            assert tree.rowCount() == len(json.loads(content))


async def test_body_of_before_is_not_kept(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        first, second = await at.exchange([json.dumps(CHAT).encode()]), await at.exchange([b'{"n":2}'])
        await read(at, first)
        at.tab.body.search.set_text("call_abc")
        at.tab.body.tree.rows.show_path(("messages", 1, "content"))
        at.tab.body.form.choose(RAW)
        at.tab.body.raw.repaint()
        shown = at.tab.body._read
        assert shown is not None
        gone = weakref.ref(shown.lines), weakref.ref(shown.json or shown.lines)
        del shown
        gc.collect()
        gc.disable()
        try:
            await read(at, second)
            await gui.until(lambda: [ref() for ref in gone] == [None, None])
        finally:
            gc.enable()
