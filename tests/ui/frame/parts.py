"""Parts of the frame in a window, and what a person reads in them."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtWidgets import QApplication

from tests.ui.frame.sessions import shown
from tests.ui.gui import Gui
from workbench.conversation.events import UserMessageAdded
from workbench.ui.desk import Desk
from workbench.ui.frame.composer import Composer
from workbench.ui.frame.pills import Pill
from workbench.ui.kit.layout import column
from workbench.ui.kit.popup import PopupMenu


def composer_of(gui: Gui, desk: Desk) -> Composer:
    """Return a composer at the foot of a window that is active."""
    composer = Composer(desk)
    window = gui.show(column(None, composer, margins=(20, 0, 20, 12)))
    window.resize(700, 600)
    window.activateWindow()
    composer.focus()
    return composer


def messages(desk: Desk) -> list[str]:
    return [entry.event.message.text() for entry in desk.bridge.entries if isinstance(entry.event, UserMessageAdded) and entry.event.message.role == "user"]


def notice(composer: Composer) -> str:
    return composer._notice.text() if composer._notice.isVisible() else ""


def pills(composer: Composer) -> list[str]:
    return [pill.words for pill in composer.findChildren(Pill) if pill.isVisible()]


def sees_pictures(desk: Desk, *, sees: bool = True) -> None:
    opened = shown(desk)
    desk.bridge.opened = opened._replace(choice=opened.choice._replace(profile=replace(opened.choice.profile, can_see_images=sees)))


def menu_of() -> PopupMenu:
    """Return the menu that is open."""
    (found,) = [widget for widget in QApplication.allWidgets() if isinstance(widget, PopupMenu) and widget.isVisible()]
    return found
