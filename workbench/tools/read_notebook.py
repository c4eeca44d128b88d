"""A Jupyter notebook as a model reads it: numbered cells with their text outputs; pictures are only named."""

from __future__ import annotations

import json
from typing import Any

from workbench.workspace.files import size_text

OUTPUT_LIMIT_CHARACTERS = 4096


def notebook_cells(content: bytes) -> list[str] | None:
    """Return the text of each cell, ``[3] code`` and its source and outputs; None if `content` is no notebook."""
    try:
        notebook = json.loads(content)
    except (ValueError, RecursionError):
        return None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        return None
    return [_cell(number, cell) for number, cell in enumerate(cells, start=1) if isinstance(cell, dict)]


def _cell(number: int, cell: dict[str, Any]) -> str:
    outputs = cell.get("outputs")
    parts = [f"[{number}] {cell.get('cell_type', 'cell')}", _text(cell.get("source"))]
    parts += [shown for output in outputs if isinstance(output, dict) for shown in _output(output)] if isinstance(outputs, list) else []
    return "\n".join(part.rstrip("\n") for part in parts if part)


def _output(output: dict[str, Any]) -> list[str]:
    shown = []
    if "text" in output:
        shown.append(_limited(_text(output["text"])))
    if output.get("output_type") == "error":
        shown.append(_limited(f"{output.get('ename', 'error')}: {output.get('evalue', '')}"))
    data = output.get("data")
    for media_type, value in data.items() if isinstance(data, dict) else ():
        if media_type == "text/plain":
            shown.append(_limited(_text(value)))
        elif media_type.startswith("image/"):
            shown.append(f"[{media_type} {size_text(len(_text(value)) * 3 // 4)} omitted]")
    return [f"-> {text}" for text in shown if text]


def _text(value: object) -> str:
    """Return a notebook's text, which is one string or a list of lines."""
    if isinstance(value, list):
        return "".join(str(line) for line in value)
    return value if isinstance(value, str) else ""


def _limited(text: str) -> str:
    if len(text) <= OUTPUT_LIMIT_CHARACTERS:
        return text
    return f"{text[:OUTPUT_LIMIT_CHARACTERS]}… [{len(text) - OUTPUT_LIMIT_CHARACTERS} characters more]"
