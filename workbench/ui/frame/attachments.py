"""The pictures that go along with the next message, as pills; files of the workspace become mentions instead."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage

from workbench.permissions.visible import visible
from workbench.ui.desk import Desk
from workbench.ui.frame.errands import Errands
from workbench.ui.frame.pictures_to_send import PICTURES_AT_MOST, Picture, Refused, picture_of, read_picture
from workbench.ui.frame.pills import Pill, PillRow
from workbench.words import _

PICTURE_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".ico"})


class Attachments(PillRow):
    """Holds pictures.

    Signals:
        changed: `pictures` are others.
        refused: a sentence: something could not be attached.
        mentioned: relative path of a file of the workspace that is to be named in the text.

    Attributes:
        pictures: in the order in which they were given.
    """

    changed = Signal()
    refused = Signal(str)
    mentioned = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk, self._errands = desk, Errands(desk, self)
        self.pictures: tuple[Picture, ...] = ()
        self.setContentsMargins(10, 8, 10, 0)

    def why_not(self) -> str:
        """Return why no picture can go along just now, in a sentence; empty if one can."""
        opened = self._desk.bridge.opened
        if opened is None:
            return _("Open a folder first.")
        if not opened.choice.profile.can_see_images:
            return _("{model} cannot see pictures. Choose another model, or describe what is to be seen.").format(model=visible(opened.choice.model))
        return ""

    def add_files(self, paths: Sequence[Path]) -> None:
        """Take files: pictures are read in the background, other files of the workspace are mentioned."""
        for path in paths:
            relative = self._relative(path)
            if path.suffix.lower() in PICTURE_ENDINGS:
                self._add(lambda path=path: read_picture(path), path.name)  # type: ignore[misc]
            elif relative:
                self.mentioned.emit(relative)
            else:
                sentence = _("{name} is not in this folder, and not a picture. Copy it into the folder, then name it with @.")
                self.refused.emit(sentence.format(name=visible(path.name)))

    def add_image(self, image: QImage) -> None:
        """Take a picture from the clipboard."""
        self._add(lambda: picture_of(image, _("Pasted picture")), _("Pasted picture"))

    def show_pictures(self, pictures: Sequence[Picture]) -> None:
        """Hold these pictures instead of those before."""
        self.pictures = tuple(pictures)
        self.show_pills([self._pill(place, picture) for place, picture in enumerate(self.pictures)])
        self.changed.emit()

    def _add(self, read: Callable[[], Picture | Refused], name: str) -> None:
        why_not = self.why_not()
        if not why_not and len(self.pictures) >= PICTURES_AT_MOST:
            why_not = _("A message takes {limit} pictures at most.").format(limit=PICTURES_AT_MOST)
        if why_not:
            self.refused.emit(why_not)
        else:
            self._errands.spawn(self._read(read), f"read {name[:40]}")

    async def _read(self, read: Callable[[], Picture | Refused]) -> None:
        match await asyncio.to_thread(read):
            case Refused(sentence):
                self.refused.emit(sentence)
            case picture:
                self.show_pictures((*self.pictures, picture)[:PICTURES_AT_MOST])

    def _pill(self, place: int, picture: Picture) -> Pill:
        remove = _("Remove {name}").format(name=visible(picture.name))
        pill = Pill("image", picture.name, f"{picture.width} × {picture.height}", remove)
        pill.removed.connect(lambda: self.show_pictures((*self.pictures[:place], *self.pictures[place + 1 :])))
        return pill

    def _relative(self, path: Path) -> str:
        workspace = self._desk.workspace
        if workspace is None or not path.is_relative_to(workspace.path):
            return ""
        relative = path.relative_to(workspace.path).as_posix()
        return "" if relative == "." else relative
