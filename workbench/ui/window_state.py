"""What the window remembers of its own shape between two starts: geometry, widths of panes, what is shown. Nothing else is kept here."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

WIDEST = 4000


@dataclass
class PaneSizes:
    """Widths in pixels, and which panes are open.

    Attributes:
        side, inspector: widths in a wide window.
        narrow_inspector: width of the inspector in a narrow one.
        side_open, inspector_open: whether they are shown in a wide window; in a narrow one each start begins anew.
        dialects: names of the dialects that are shown side by side, with blanks between; empty for the usual ones.
    """

    side: int = 236
    inspector: int = 560
    narrow_inspector: int = 390
    side_open: bool = True
    inspector_open: bool = True
    dialects: str = ""


class WindowState:
    """Reads and writes an ini file. Anything odd in it counts as not there.

    Attributes:
        panes: see `PaneSizes`; changed in place.
        side: what the side pane says of itself (`SidePane.state`).
    """

    def __init__(self, path: Path) -> None:
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)
        self.panes = _panes(self._json("panes"))
        self.side = self._json("side")

    @property
    def geometry(self) -> QByteArray | None:
        """What `QWidget.saveGeometry` returned; None the first time."""
        value = self._settings.value("geometry")
        return value if isinstance(value, QByteArray) else None

    def save(self, geometry: QByteArray, side: dict[str, Any]) -> None:
        """Write everything."""
        self.side = side
        self._settings.setValue("geometry", geometry)
        self._settings.setValue("panes", json.dumps(asdict(self.panes)))
        self._settings.setValue("side", json.dumps(side))
        self._settings.sync()

    def _json(self, name: str) -> dict[str, Any]:
        value = self._settings.value(name)
        try:
            read = json.loads(value) if isinstance(value, str) else None
        except ValueError:
            return {}
        return read if isinstance(read, dict) else {}


def _panes(read: dict[str, Any]) -> PaneSizes:
    panes = PaneSizes()
    for field in fields(PaneSizes):
        value = read.get(field.name)
        if field.name == "dialects":
            fits = isinstance(value, str)
        else:
            fits = type(value) is bool if field.name.endswith("_open") else type(value) is int and 0 < value < WIDEST
        if fits:
            setattr(panes, field.name, value)
    return panes
