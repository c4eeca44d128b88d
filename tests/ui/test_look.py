"""The appearance of the settings is put in force: theme, words, sizes, and the words of Qt's own dialogs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication, QStyleHints
from PySide6.QtWidgets import QApplication

from tests.ui.gui import Gui
from workbench.settings.tree import AppearanceSettings
from workbench.ui.kit.theme import theme
from workbench.ui.look import ICON_SIZES, NO_CHINESE_FONT, Look, font_problem, window_icon
from workbench.words import choose_language, language


def of_qt() -> str:
    """Return a word of Qt's own file dialog."""
    return QCoreApplication.translate("QPlatformTheme", "Cancel")


def test_widgets_are_built_anew_only_for_other_words_or_sizes(gui: Gui) -> None:
    look = Look()
    assert not look.use(AppearanceSettings(theme="light", language="en"))
    assert not look.use(AppearanceSettings(theme="dark", language="en"))
    assert theme.name == "dark"
    assert look.use(AppearanceSettings(theme="dark", language="zh_CN"))
    assert (language(), theme.language) == ("zh_CN", "zh")
    assert look.use(AppearanceSettings(theme="dark", language="zh_CN", zoom_percent=150))
    assert theme.zoom == 1.5
    assert not look.use(AppearanceSettings(theme="light", language="zh_CN", zoom_percent=150))
    look.use(AppearanceSettings(theme="light", language="en"))


def test_theme_follows_the_desktop_if_it_shall(gui: Gui, monkeypatch: pytest.MonkeyPatch) -> None:
    look, seen = Look(), list[str]()
    look.follow_desktop()

    def desktop_says(scheme: Qt.ColorScheme) -> None:
        monkeypatch.setattr(QStyleHints, "colorScheme", lambda _self: scheme)
        QGuiApplication.styleHints().colorSchemeChanged.emit(scheme)
        seen.append(theme.name)

    look.use(AppearanceSettings(theme="system"))
    desktop_says(Qt.ColorScheme.Dark)
    desktop_says(Qt.ColorScheme.Light)
    look.use(AppearanceSettings(theme="light"))
    desktop_says(Qt.ColorScheme.Dark)
    assert seen == ["dark", "light", "light"]


def test_dialogs_of_qt_follow_the_language(gui: Gui) -> None:
    look = Look()
    look.use(AppearanceSettings(language="zh_CN"))
    assert of_qt() == "取消"
    look.use(AppearanceSettings(language="en"))
    assert of_qt() == "Cancel"


def test_caret_holds_still_if_it_shall(gui: Gui) -> None:
    QApplication.setCursorFlashTime(1000)
    look = Look()
    look.use(AppearanceSettings(hold_still=True))
    assert QApplication.cursorFlashTime() == 0
    look.use(AppearanceSettings())
    assert QApplication.cursorFlashTime() == 1000
    QApplication.setCursorFlashTime(0)


def test_missing_font_is_told_to_those_who_need_it(gui: Gui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFontDatabase, "families", lambda *_system: [])
    assert font_problem() == ""
    choose_language("zh_CN")
    assert font_problem() == NO_CHINESE_FONT
    monkeypatch.setattr(QFontDatabase, "families", lambda *_system: ["A font"])
    assert font_problem() == ""


def test_icon_has_every_size(gui: Gui) -> None:
    sizes = window_icon().availableSizes()
    assert sorted(size.width() for size in sizes) == sorted(ICON_SIZES)
    image = window_icon().pixmap(64, 64).toImage()
    assert image.pixelColor(0, 0).alpha() == 0
    assert image.pixelColor(32, 4) == theme["accent_fill"]
