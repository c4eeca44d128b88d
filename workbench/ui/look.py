"""Puts the appearance of the settings in force: theme, language, zoom, the caret, and the words of Qt's own dialogs."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QRectF, Qt, QTranslator
from PySide6.QtGui import QFontDatabase, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from workbench.settings.tree import AppearanceSettings
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import box
from workbench.ui.kit.theme import theme
from workbench.words import choose_language, language

NO_CHINESE_FONT = "No font with Chinese characters is installed, so they show as boxes: install one, on Debian or Ubuntu the package fonts-noto-cjk."
"""Not translated: whoever it is for could not read it."""


ICON_SIZES = (16, 24, 32, 48, 64, 128, 256)


class Look:
    """The appearance in force. One of it, for the life of the window."""

    def __init__(self) -> None:
        self._appearance = AppearanceSettings()
        self._translator: QTranslator | None = None
        self._translated = "en"
        self._flash_ms = QApplication.cursorFlashTime()

    def use(self, appearance: AppearanceSettings) -> bool:
        """Put an appearance in force; return whether widgets have to be built anew, because words or sizes are others now."""
        self._appearance = appearance
        before = (language(), theme.zoom)
        chosen = choose_language(appearance.language)
        theme.use(appearance.theme, chosen, appearance.zoom_percent / 100)
        self._translate_qt(chosen)
        QApplication.setCursorFlashTime(0 if appearance.hold_still else self._flash_ms)
        return before != (language(), theme.zoom)

    def follow_desktop(self) -> None:
        """Change between light and dark with the desktop from now on, if the settings say so."""
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._desktop_changed)

    def _desktop_changed(self) -> None:
        if self._appearance.theme == "system":
            self.use(self._appearance)

    def _translate_qt(self, chosen: str) -> None:
        if chosen == self._translated:
            return
        if self._translator is not None:
            QCoreApplication.removeTranslator(self._translator)
            self._translator = None
        self._translated = chosen
        translator = QTranslator()
        if chosen != "en" and translator.load(f"qtbase_{chosen}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            QCoreApplication.installTranslator(translator)
            self._translator = translator


def window_icon() -> QIcon:
    """Return the program's icon, drawn in the sizes that desktops ask for."""
    icon = QIcon()
    for side in ICON_SIZES:
        image = QPixmap(side, side)
        image.fill(Qt.GlobalColor.transparent)
        with QPainter(image) as p:
            box(p, QRectF(image.rect()), "accent_fill", None, side / 5)
            inner = round(side * 0.625)
            draw_icon(p, "terminal", (side - inner) / 2, (side - inner) / 2, "on_fill", inner)
        icon.addPixmap(image)
    return icon


def font_problem() -> str:
    """Return what to install so that the chosen language can be read; empty if it can."""
    if language() == "zh_CN" and not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        return NO_CHINESE_FONT
    return ""
