"""A body as a tree: every value under its way, long arrays in ranges, links, hidden characters, all without reading ahead."""

from __future__ import annotations

import json
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.pace import not_hung, steps
from tests.ui.gui import Gui
from workbench.inspection.bodies import JsonBody, Path, call_links
from workbench.ui.inspector.json_tree import MOST_ROWS, NOTE, VALUE, JsonTree, Marked
from workbench.ui.kit.cells import CELL, Cell

CHAT = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "Hi \u202e there"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"a":1}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "x" * 5000},
    ],
    "tools": [{"type": "function", "function": {"name": "read"}}],
    "stream": True,
    "n": 1.50,
    "empty": {},
}


def tree_of(value: Any, masks: tuple[tuple[int, int], ...] = ()) -> JsonTree:
    body = JsonBody(json.dumps(value, ensure_ascii=False).encode())
    return JsonTree(body, Marked(call_links(body), masks))


def words(tree: JsonTree, path: Path, column: int = VALUE) -> str:
    index = tree.index_of(path).siblingAtColumn(column)
    assert index.isValid(), path
    return str(index.data(Qt.ItemDataRole.DisplayRole))


def cell(tree: JsonTree, path: Path, column: int = VALUE) -> Cell:
    found = tree.index_of(path).siblingAtColumn(column).data(CELL)
    assert isinstance(found, Cell)
    return found


async def test_model_keeps_the_rules_of_models(gui: Gui) -> None:
    tree = tree_of(CHAT | {"long": list(range(1234))})
    QAbstractItemModelTester(tree, QAbstractItemModelTester.FailureReportingMode.Fatal)
    pending = [QModelIndex()]
    count = 0
    while pending:
        parent = pending.pop()
        assert tree.hasChildren(parent) == bool(tree.rowCount(parent))
        for row in range(tree.rowCount(parent)):
            index = tree.index(row, 0, parent)
            assert index.parent() == parent
            assert isinstance(index.data(CELL), Cell)
            count += 1
            pending.append(index)
    assert count > 1234


async def test_rows_say_what_is_there(gui: Gui) -> None:
    tree = tree_of(CHAT)
    assert words(tree, ("model",)) == 'model: "m"'
    assert words(tree, ("stream",)) == "stream: true"
    assert words(tree, ("n",)) == "n: 1.5"
    assert words(tree, ("messages",)) == "messages: [3 messages]"
    assert words(tree, ("messages", 1)) == "1: assistant"
    assert words(tree, ("messages", 1, "content")) == "content: null"
    assert words(tree, ("messages", 1, "tool_calls", 0)) == "0: { read }"
    assert words(tree, ("tools", 0)) == "0: { read }"
    assert words(tree, ("messages", 0, "content")) == 'content: "Hi ⟨U+202E⟩ there"'
    assert words(tree, ("empty",)) == "empty: { 0 members }"
    assert not tree.hasChildren(tree.index_of(("empty",)))


async def test_long_text_is_cut_in_its_row(gui: Gui) -> None:
    tree = tree_of(CHAT)
    shown = words(tree, ("messages", 2, "content"))
    assert len(shown) < 200
    assert shown.endswith('x…"')
    assert words(tree, ("messages", 2, "content"), NOTE) == "5,000 characters"


async def test_call_and_result_know_each_other(gui: Gui) -> None:
    tree = tree_of(CHAT)
    call, answer = ("messages", 1, "tool_calls", 0, "id"), ("messages", 2, "tool_call_id")
    assert words(tree, call, NOTE) == "answered in messages[2]"
    assert words(tree, answer, NOTE) == "answers messages[1].tool_calls[0]"
    assert tree.partner(tree.node(tree.index_of(call))) == answer
    changed: list[Path] = []
    tree.dataChanged.connect(lambda first, _last: changed.append(tree.node(first).path))
    tree.show_partner(answer)
    assert cell(tree, answer).wash == "accent_tint"
    tree.show_partner(None)
    assert cell(tree, answer).wash == ""
    assert changed == [answer, answer]


async def test_masked_secret_is_marked(gui: Gui) -> None:
    data = json.dumps({"key": "REDACTED***", "other": "x"}).encode()
    start = data.index(b"REDACTED")
    tree = JsonTree(JsonBody(data), Marked(call_links(JsonBody(data)), ((start, start + 11),)))
    assert cell(tree, ("key",), NOTE) == Cell("a secret was replaced", icon="eye-off", token="muted")
    assert cell(tree, ("other",), NOTE) == Cell()


@pytest.mark.parametrize("count", [MOST_ROWS, MOST_ROWS + 1, 12_345, 150_000])
async def test_no_value_has_more_rows_than_can_be_looked_over(gui: Gui, count: int) -> None:
    data = b"[" + b",".join([b"7"] * count) + b"]"
    tree = JsonTree(JsonBody(data), Marked(call_links(JsonBody(b"[]"))))
    index, levels = QModelIndex(), 0
    while tree.rowCount(index):
        assert tree.rowCount(index) <= MOST_ROWS
        index = tree.index(tree.rowCount(index) - 1, 0, index)
        levels += 1
    assert tree.node(index).path == (count - 1,)
    for place in {0, 1, 99, 100, count // 2, count - 1} & set(range(count)):
        assert tree.node(tree.index_of((place,))).path == (place,)
    assert not tree.index_of((count,)).isValid()


async def test_members_with_strange_names_are_found(gui: Gui) -> None:
    tree = tree_of({"a.b": 1, "": 2, "x\ny": {"0": 3}} | {f"k{n}": n for n in range(300)})
    assert words(tree, ("x\ny",)).startswith("x⏎y: ")
    assert words(tree, ("x\ny", "0")) == "0: 3"
    assert words(tree, ("k250",)) == "k250: 250"
    assert not tree.index_of(("x\ny", 0)).isValid()


async def test_a_large_body_costs_no_more_to_open_than_a_small_one(gui: Gui) -> None:
    record = json.dumps({"role": "user", "content": "x" * 2_000}).encode()

    def cost_with(count: int) -> int:
        body = JsonBody(b'{"messages":[' + b",".join([record] * count) + b"]}")
        return steps(lambda: open_all(JsonTree(body, Marked(call_links(JsonBody(b"{}"))))))

    with not_hung(10):
        few, many = cost_with(500), cost_with(5_000)
    assert 0 < many < 15 * few, (few, many)


def open_all(tree: JsonTree) -> None:
    """Look at every row of the list of messages, and at every row of the hundredth of them."""
    messages = tree.index_of(("messages",))
    for row in range(tree.rowCount(messages)):
        tree.index(row, 0, messages).data(CELL)
    part = tree.index(100, 0, messages)
    for row in range(tree.rowCount(part)):
        tree.index(row, 0, part).data(CELL)
