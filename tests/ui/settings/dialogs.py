"""A settings dialog on a real desk, and a server that plays a provider."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from tests.ui.desks import FAST, desk_in, project
from tests.ui.gui import Gui
from workbench.settings.credentials import Credentials, KeyringBackend
from workbench.ui.desk import Desk
from workbench.ui.kit.theme import theme
from workbench.ui.settings.dialog import SettingsDialog
from workbench.ui.settings.result_lines import ResultLine, ResultLines
from workbench.wire.server import ServerRequest, ServerResponse
from workbench.words import choose_language

KEY = "canary/key+7fd1c05b92=="
JSON = (("Content-Type", "application/json"),)


@asynccontextmanager
async def dialog_in(
    gui: Gui,
    folder: Path,
    *,
    page: str = "providers",
    settings: str = FAST,
    environment: Mapping[str, str] | None = None,
    ring: KeyringBackend | None = None,
) -> AsyncIterator[tuple[Desk, SettingsDialog]]:
    """Yield a desk with an open folder and the dialog on it, shown. As the window does, a change of looks is put in force."""
    async with desk_in(folder, settings=settings, environment=environment) as desk:
        if ring is not None:
            desk.app.credentials = Credentials(environment or {}, backend=ring)
        desk.settings_changed.connect(lambda: put_looks_in_force(desk))
        await desk.begin()
        assert await desk.open_folder(project(folder) if not (folder / "ws").exists() else folder / "ws")
        dialog = SettingsDialog(desk, None, page)
        dialog.show()
        await gui.until(lambda: page != "providers" or gui.find("Name", QLineEdit).text())
        yield desk, dialog
        await gui.settle()


def put_looks_in_force(desk: Desk) -> None:
    look = desk.app.settings.appearance
    language = choose_language("en" if look.language == "system" else look.language)
    theme.use("light" if look.theme == "system" else look.theme, language, look.zoom_percent / 100)


def lines_of(gui: Gui, name: str = "What the test found") -> tuple[ResultLine, ...]:
    """Return the lines that can be read."""
    return gui.find(name, ResultLines).lines


class Provider:
    """A provider's server: wants a key if it has one, lists models, refuses an empty chat request. Keeps the keys that came."""

    def __init__(self, *models: str, key: str = "") -> None:
        self.models, self.key = models or ("m-1", "m-2"), key
        self.came: list[str] = []

    async def __call__(self, request: ServerRequest) -> ServerResponse:
        shown = (request.header("authorization") or "").removeprefix("Bearer ")
        self.came.append(shown)
        if self.key and shown != self.key:
            return ServerResponse(401, JSON, json.dumps({"error": {"message": f"Incorrect API key provided: {shown}."}}).encode())
        if request.target.endswith("/models"):
            return ServerResponse(200, JSON, json.dumps({"data": [{"id": model} for model in self.models]}).encode())
        return ServerResponse(400, JSON, b'{"error": {"message": "messages is required"}}')


class Silent:
    """A server that takes a request and says nothing.

    Attributes:
        asked: a request came.
        gone: whoever asked has hung up.
    """

    def __init__(self) -> None:
        self.asked, self.gone = asyncio.Event(), asyncio.Event()

    async def __call__(self, request: ServerRequest) -> ServerResponse:
        self.asked.set()
        await request.client_gone.wait()
        self.gone.set()
        return ServerResponse(200)
