"""Tells where the named widgets are, so that a test can drive the real window from outside. Only if WORKBENCH_DEBUG_SOCKET names a path.

A line with a name goes in, one line of JSON comes back: the visible widgets of that accessible name or object name, of all names if the
line is empty. Nothing can be changed by it, and only the user's own processes can connect (mode 0600).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

VARIABLE = "WORKBENCH_DEBUG_SOCKET"


@asynccontextmanager
async def debug_server(environment: Mapping[str, str]) -> AsyncIterator[None]:
    """Answer as long as the context lasts, if the variable is set."""
    path = environment.get(VARIABLE, "")
    if not path:
        yield
        return
    before = os.umask(0o177)
    try:
        server = await asyncio.start_unix_server(_answer, path)
    finally:
        os.umask(before)
    try:
        async with server:
            yield
    finally:
        _remove(Path(path))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, ValueError):
        name = (await reader.readline()).decode("utf-8", "replace").strip()
        writer.write(json.dumps(widgets_named(name)).encode() + b"\n")
        await writer.drain()
    writer.close()


def widgets_named(name: str) -> list[dict[str, Any]]:
    """Return what is visible under a name, each with its place on the screen in pixels."""
    visible = (widget for widget in QApplication.allWidgets() if widget.isVisible())
    names = ((widget, {widget.accessibleName(), widget.objectName()} - {""}) for widget in visible)
    return [_told(widget) for widget, own in names if (name in own if name else own)]


def _told(widget: QWidget) -> dict[str, Any]:
    corner = widget.mapToGlobal(QPoint(0, 0))
    ratio = widget.devicePixelRatioF()
    return {
        "name": widget.accessibleName() or widget.objectName(),
        "kind": type(widget).__name__,
        "rect": [round(value * ratio) for value in (corner.x(), corner.y(), widget.width(), widget.height())],
        "enabled": widget.isEnabled(),
        "focus": widget.hasFocus(),
        "active": widget.isActiveWindow(),
        "text": _text_of(widget),
    }


def _text_of(widget: QWidget) -> str:
    """Return what a person can read in a widget: of a field for a key its dots."""
    if isinstance(widget, QLineEdit):
        return widget.displayText()
    for method in ("toPlainText", "text", "windowTitle"):
        read = getattr(widget, method, None)
        if callable(read):
            text = read()
            if isinstance(text, str) and text:
                return text
    return ""
