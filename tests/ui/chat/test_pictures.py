"""Pictures of blocks look as the blocks do, and are not kept without end."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from tests.ui.chat.chats import Chat, answer, mixed, prompt
from tests.ui.gui import Gui
from workbench.ui.chat import pictures
from workbench.ui.chat.pictures import Frame, Pictures
from workbench.ui.chat.selection import Mark
from workbench.ui.kit.theme import theme

FRAME = Frame(QPointF(0, 0), (20, 10), "base")


class Drawn:
    """Counts how often something is drawn."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, p: QPainter) -> None:
        self.times += 1
        p.fillRect(QRectF(2, 2, 5, 5), theme["text"])


def painted(kept: Pictures, owner: Hashable, look: Hashable, draw: Drawn, frame: Frame = FRAME) -> QImage:
    image = QImage(20, 10, QImage.Format.Format_RGB32)
    image.fill(theme["base"])
    with QPainter(image) as p:
        kept.paint(p, owner, look, frame, draw)
    return image


async def test_what_looks_the_same_is_drawn_twice_and_then_copied(gui: Gui) -> None:
    kept, draw = Pictures(), Drawn()
    images = [painted(kept, "a", 1, draw) for _ in range(5)]
    assert draw.times == 2
    assert all(image == images[0] for image in images)


async def test_what_changes_is_drawn_and_no_picture_is_taken_of_it(gui: Gui) -> None:
    kept, draw = Pictures(), Drawn()
    for look in range(5):
        painted(kept, "a", look, draw)
    assert draw.times == 5
    assert len(kept) == 0


async def test_another_theme_is_drawn_again(gui: Gui) -> None:
    kept, draw = Pictures(), Drawn()
    light = [painted(kept, "a", 1, draw) for _ in range(3)][-1]
    theme.use("dark")
    assert painted(kept, "a", 1, draw) != light


async def test_no_more_pictures_are_kept_than_fit(gui: Gui) -> None:
    kept, draw = Pictures(), Drawn()
    large = Frame(QPointF(0, 0), (1_000, 1_000), "base")
    for owner in range(30):
        painted(kept, owner, 1, draw, large)
        painted(kept, owner, 1, draw, large)
    assert len(kept) == pictures.MOST_PIXELS // 1_000_000
    kept.clear()
    assert len(kept) == 0


async def test_a_chat_looks_the_same_from_pictures(gui: Gui) -> None:
    chat = Chat(gui, [*mixed(20), prompt("With `code`"), answer("**Bold**\n\n```py\nx = 1\n```\n\n> quote\n\n|a|b|\n|-|-|\n|1|2|")])
    await gui.until(lambda: chat.view.is_coloured)
    drawn = gui.picture(chat.view)
    for _ in range(3):
        assert gui.picture(chat.view) == drawn


async def test_what_is_selected_is_not_hidden_by_a_picture(gui: Gui) -> None:
    chat = Chat(gui, [answer("Some words")])
    before = [gui.picture(chat.view) for _ in range(3)][-1]
    chat.view.selecting.selection.anchor, chat.view.selecting.selection.head = Mark(0, 0), Mark(0, 4)
    assert gui.picture(chat.view) != before
    chat.view.selecting.clear()
    assert gui.picture(chat.view) == before
