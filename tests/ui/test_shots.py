"""The pictures of the window are written, of the size and look asked for, and none is empty."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from PySide6.QtGui import QImage

from workbench.ui.shots import SCENES


def colours(image: QImage) -> int:
    """Return how many colours a coarse look finds."""
    return len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)})


def test_pictures_of_one_scene_are_written(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "workbench.ui.shots", "--out", str(tmp_path / "out"), "--scene", "1024-dark-en"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
    files = sorted((tmp_path / "out").glob("*.png"))
    assert [file.name.removesuffix("-1024-dark-en.png") for file in files] == [
        "01-first-run",
        "02-answer",
        "03-turn",
        "04-approval",
        "05-turn-with-approval",
        "06-dialects",
        "06-requests-body",
        "06-requests-stream",
        "06-requests-timing",
        "07-settings-appearance",
        "07-settings-providers",
        "08-palette",
    ]
    pictures = {file.name[:2]: QImage(str(file)) for file in files}
    assert (pictures["01"].width(), pictures["01"].height()) == (1024, 700)
    assert all(colours(picture) > 20 for picture in pictures.values())
    assert pictures["01"].pixelColor(512, 300).lightness() < 80


def test_scenes_have_names_of_their_own() -> None:
    assert len({scene.name for scene in SCENES}) == len(SCENES)
    assert {"light-en", "dark-en", "light-zh", "dark-zh", "1024-light-en"} <= {scene.name for scene in SCENES}
