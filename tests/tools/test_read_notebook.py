"""A notebook is read as cells; what only looks like one is not."""

from __future__ import annotations

import json

import pytest

from workbench.tools.read_notebook import notebook_cells


def test_cells_with_outputs() -> None:
    outputs = [
        {"output_type": "stream", "text": ["hi\n", "ho\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "42", "image/png": "A" * 16384, "text/html": "<b>"}},
        {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["…"]},
    ]
    cells = [{"cell_type": "markdown", "source": "# Title"}, {"cell_type": "code", "source": ["a = 1\n", "a"], "outputs": outputs}]
    assert notebook_cells(json.dumps({"cells": cells}).encode()) == [
        "[1] markdown\n# Title",
        "[2] code\na = 1\na\n-> hi\nho\n-> 42\n-> [image/png 12 KB omitted]\n-> ValueError: bad",
    ]


def test_long_outputs_are_cut() -> None:
    cell = {"cell_type": "code", "source": "", "outputs": [{"text": "x" * 5000}]}
    (text,) = notebook_cells(json.dumps({"cells": [cell]}).encode()) or []
    assert text.endswith("x… [904 characters more]")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"cells": 1}', b'{"cells"', b"[" * 100_000, b'"x"'])
def test_other_content_is_no_notebook(content: bytes) -> None:
    assert notebook_cells(content) is None


@pytest.mark.parametrize("cell", [1, {}, {"source": 5, "outputs": 3}, {"source": None, "outputs": [1, {"data": []}, {"text": None}]}])
def test_damaged_cells_do_not_raise(cell: object) -> None:
    assert notebook_cells(json.dumps({"cells": [cell]}).encode()) is not None
