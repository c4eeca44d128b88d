"""Pictures of the window in its main states: the real parts, the sample project, the practice model; no screen is needed.

Run it as `python3 packaging/dev.py shots [--out DIR]`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from workbench.app import App
from workbench.resources import sample_project_copy
from workbench.settings.tree import AppearanceSettings, Language, PracticeSettings, Settings, Theme
from workbench.ui.application import make_application
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk
from workbench.ui.event_loop import new_event_loop
from workbench.ui.kit.paint import hline, vline
from workbench.ui.look import Look
from workbench.ui.main_window import MainWindow

SCREEN = (1920, 1080)
WIDE, SMALL = (1440, 900), (1024, 700)
PATIENCE_S = 30.0
POLL_S = 0.02
TURNS = {
    "en": ("Introduce this project", "Replace “two digits” with “one or two digits” in README.md"),
    "zh_CN": ("介绍一下这个项目", "把 README.zh.md 里的“两位”替换为“一位或两位”"),
}


class Scene(NamedTuple):
    """How the window looks in a picture."""

    theme: Theme = "light"
    language: Language = "en"
    size: tuple[int, int] = WIDE

    @property
    def name(self) -> str:
        """What stands at the end of a file's name."""
        width = f"{self.size[0]}-" if self.size != WIDE else ""
        return f"{width}{self.theme}-{self.language.partition('_')[0]}"


SCENES = (Scene(), Scene("dark"), Scene(language="zh_CN"), Scene("dark", "zh_CN"), Scene(size=SMALL), Scene("dark", size=SMALL))


def main(arguments: Sequence[str]) -> int:
    """Write all pictures; return 0."""
    parser = argparse.ArgumentParser(prog="dev.py shots", description="Write pictures of the window in its main states.")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("build/shots"), help="folder for the pictures (default: build/shots)")
    parser.add_argument("--scene", choices=[scene.name for scene in SCENES], help="only this one (default: all)")
    parsed = parser.parse_args(arguments)
    out: Path = parsed.out
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="workbench-shots-") as folder:
        _choose_platform(Path(folder))
        app = make_application()
        app.setCursorFlashTime(0)
        QCursor.setPos(SCREEN[0] - 1, SCREEN[1] - 1)  # it rests at the upper left corner otherwise, where the menu button is
        with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
            for scene in [scene for scene in SCENES if parsed.scene in (None, scene.name)]:
                runner.run(_shoot(scene, Path(folder) / scene.name, out))
    sys.stdout.write(f"{len(list(out.glob('*.png')))} pictures in {out}\n")
    return 0


def _choose_platform(folder: Path) -> None:
    """Draw without a screen, on one that is large enough for every window, at one dot a pixel."""
    screen = {"name": "shots", "x": 0, "y": 0, "width": SCREEN[0], "height": SCREEN[1], "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    (folder / "screens.json").write_text(json.dumps({"screens": [screen]}))
    os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={folder / 'screens.json'}"
    os.environ.update(QT_FONT_DPI="96", QT_SCALE_FACTOR="1")


async def _shoot(scene: Scene, data: Path, out: Path) -> None:
    """Take the pictures of one scene, in the order a person would meet them."""
    introduce, replace = TURNS[scene.language]
    async with _window(scene, data) as window:
        await _picture(out / f"01-first-run-{scene.name}.png", window)
        await _say(window, introduce)
        await _until(lambda: not window.desk.bridge.running)
        await _picture(out / f"02-answer-{scene.name}.png", window)
        await _say(window, replace)
        await _until(lambda: window.desk.bridge.pending and window.questions.dialog.guard.is_open)
        window.activateWindow()
        await _picture(out / f"03-turn-{scene.name}.png", window)
        await _picture(out / f"04-approval-{scene.name}.png", window.questions.dialog)
        await _picture(out / f"05-turn-with-approval-{scene.name}.png", window, window.questions.dialog)
        question = window.desk.bridge.pending[0]
        window.desk.bridge.answer(question.approval_id, "approve")
        await _until(lambda: not window.desk.bridge.running)
        for tab in ("body", "stream", "timing"):
            window.show_inspector(f"requests.{tab}")
            await _picture(out / f"06-requests-{tab}-{scene.name}.png", window)
        window.show_inspector("dialects")
        dialects = window.frame.inspector.dialects
        await _until(lambda: dialects.is_settled)
        await _picture(out / f"06-dialects-{scene.name}.png", window)
        for page in ("providers", "appearance"):
            await _picture(out / f"07-settings-{page}-{scene.name}.png", window.settings_shown(page))
        window.settings_shown().hide()
        window.open_palette()
        await _picture(out / f"08-palette-{scene.name}.png", window)


@asynccontextmanager
async def _window(scene: Scene, data: Path) -> AsyncIterator[MainWindow]:
    appearance = AppearanceSettings(theme=scene.theme, language=scene.language, hold_still=True)
    async with await App.open(data, dict(os.environ)) as program:
        await program.save_settings(msgspec.structs.replace(Settings(), appearance=appearance, practice=PracticeSettings(tokens_per_s=0)))
        look = Look()
        look.use(appearance)
        desk = Desk(program, Bridge())
        window = MainWindow(desk, look, data / "window.ini")
        window.resize(*scene.size)
        window.show()
        await desk.open_folder(sample_project_copy(data))
        await desk.begin()
        await _settle()
        try:
            yield window
        finally:
            window.close()
            await desk.aclose()
            window.finish()
            await _settle()
            shutil.rmtree(data, ignore_errors=True)


async def _say(window: MainWindow, text: str) -> None:
    window.frame.composer.put(text)
    window.frame.composer.submit()
    await _until(lambda: window.desk.bridge.running)


async def _picture(path: Path, window: QWidget, above: QWidget | None = None) -> None:
    """Write a picture of a window, with another window over it if one is given."""
    await _settle()
    image = window.grab().toImage()
    if above is not None:
        _draw_over(image, above, above.mapToGlobal(QPoint(0, 0)) - window.mapToGlobal(QPoint(0, 0)))
    if not image.save(str(path)):
        raise OSError(f"{path} cannot be written")


def _draw_over(image: QImage, above: QWidget, place: QPoint) -> None:
    """Draw a window over a picture of another, moved so that it is inside, with a line around it."""
    size = above.size()
    left = max(0, min(place.x(), image.width() - size.width() - 1))
    top = max(0, min(place.y(), image.height() - size.height() - 1))
    with QPainter(image) as p:
        p.drawPixmap(left, top, above.grab())
        for x in (left, left + size.width()):
            vline(p, x, top, top + size.height(), "edge")
        for y in (top, top + size.height()):
            hline(p, left, left + size.width(), y, "edge")


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - what is waited for has many parts, and this is a tool
            await asyncio.sleep(POLL_S)
    await _settle()


async def _settle() -> None:
    """Let everything be laid out and coloured that is on its way."""
    for _ in range(12):
        QApplication.sendPostedEvents()
        await asyncio.sleep(POLL_S)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
