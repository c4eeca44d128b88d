"""Icons are drawn in any colour, at both sizes and sharp at double density."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QImage

from tests.ui.gui import Gui
from workbench.errors import ResourceMissing
from workbench.ui.kit.icons import icon, names, pixmap
from workbench.ui.kit.theme import theme


def inked(image: QImage) -> int:
    """Return how many pixels are not empty."""
    return sum(image.pixelColor(x, y).alpha() > 0 for x in range(image.width()) for y in range(image.height()))


def strongest(image: QImage) -> str:
    """Return the colour of the pixel that covers most."""
    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    return max(pixels, key=lambda colour: colour.alpha()).name()


@pytest.mark.parametrize("name", names())
def test_every_icon_shows_something_at_each_size(gui: Gui, name: str) -> None:
    for size, ratio in ((16, 1.0), (12, 1.0), (16, 2.0), (12, 1.5)):
        drawn = pixmap(name, "text", size, ratio)
        assert drawn.width() == round(size * ratio)
        assert inked(drawn.toImage()) > 5


def test_an_icon_has_the_colour_of_its_token_in_either_theme(gui: Gui) -> None:
    for name in ("light", "dark"):
        theme.use(name)
        assert strongest(pixmap("stop", "fail", 16).toImage()) == theme.hex("fail")


def test_an_icon_is_drawn_once(gui: Gui) -> None:
    assert pixmap("check", "ok").cacheKey() == pixmap("check", "ok").cacheKey() != pixmap("check", "fail").cacheKey()


def test_what_is_at_work_turns(gui: Gui) -> None:
    assert pixmap("running", "text", turn=1).toImage() != pixmap("running", "text").toImage()
    assert pixmap("running", "text", turn=8).cacheKey() == pixmap("running", "text").cacheKey()


def test_an_icon_of_a_menu_is_sharp_at_double_density(gui: Gui) -> None:
    drawn = icon("file").pixmap(QSize(16, 16), 2.0)
    assert (drawn.width(), drawn.devicePixelRatio()) == (32, 2.0)
    assert strongest(icon("stop").pixmap(QSize(16, 16), QIcon.Mode.Disabled).toImage()) == theme.hex("faint")


def test_an_unknown_icon_is_told(gui: Gui) -> None:
    with pytest.raises(ResourceMissing, match="no-such-icon"):
        pixmap("no-such-icon", "text")
