"""The settings dialog: pages at the left, a strip for what must be said, the chosen page. It is shown, never run as a loop of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QDialog, QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid
from typing_extensions import override

from workbench import words
from workbench.errors import SettingsError
from workbench.settings.files import settings_problem
from workbench.ui.desk import Desk
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Ground, line
from workbench.ui.kit.theme import theme
from workbench.ui.settings.appearance import AppearancePage
from workbench.ui.settings.limits import LimitsPage
from workbench.ui.settings.page_list import PageEntry, PageList
from workbench.ui.settings.permissions import PermissionsPage
from workbench.ui.settings.provider_values import ProvidersState
from workbench.ui.settings.providers import ProvidersPage
from workbench.ui.settings.saving import Saving
from workbench.ui.settings.strip import Action, Strip
from workbench.words import _, many, tell

WIDE, TALL, PAGES_WIDE = 65, 45, 12.25
"""Size of the dialog and width of the list of pages, in lines of text: 1040, 720 and 196 pixels at 100 %."""
LEAST_WIDE, LEAST_TALL = 640, 420


class SettingsDialog(QDialog):
    """Shows and changes the settings.

    Args:
        desk: what they are changed through.
        parent: the window.
        page: ``providers``, ``limits``, ``permissions`` or ``appearance``.

    Attributes:
        providers: the page of providers, which may hold what is not saved.
    """

    providers: ProvidersPage

    def __init__(self, desk: Desk, parent: QWidget | None, page: str = "providers") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._desk = desk
        self._saving = Saving(desk, self)
        self._state = ProvidersState()
        self._warned = False
        self._chosen = page
        self._outer = QVBoxLayout(self)
        self._outer.setContentsMargins(0, 0, 0, 0)
        self._whole: QWidget | None = None
        self.setSizeGripEnabled(False)
        self.setMinimumSize(LEAST_WIDE, LEAST_TALL)
        self._build()
        self._fit()
        desk.told.connect(self._tell)
        desk.settings_changed.connect(self._follow_looks)
        QShortcut(QKeySequence("F5"), self).activated.connect(self._test)

    def show_page(self, name: str) -> None:
        """Show another page."""
        self._list.choose(name)

    @property
    def page(self) -> str:
        """Name of the page that is shown."""
        return self._chosen

    # Building

    def _build(self) -> None:
        """Build everything, in the language and at the zoom that are in force."""
        self._looks = (words.language(), theme.zoom, theme.language)
        self.setWindowTitle(_("Settings"))
        self._strip = Strip()
        self._list = self._page_list()
        self._stack = QStackedWidget()
        self._pages: dict[str, QWidget] = {}
        makers: dict[str, Callable[[], QWidget]] = {
            "providers": self._make_providers,
            "limits": lambda: LimitsPage(self._desk, self._saving),
            "permissions": lambda: PermissionsPage(self._desk, self._saving),
            "appearance": lambda: AppearancePage(self._desk, self._saving),
        }
        for name, make in makers.items():
            self._pages[name] = make()
            self._stack.addWidget(self._pages[name])
        right = Ground("base")
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._strip)
        column.addWidget(self._stack, 1)
        self._whole = line(self._left(), (right, 1), gap=0, ground="base")
        self._outer.addWidget(self._whole)
        self._list.chosen.connect(self._show_page)
        self._list.choose(self._chosen)
        self._fit_list()

    def _page_list(self) -> PageList:
        return PageList(
            (
                PageEntry("providers", _("Providers"), "server"),
                PageEntry("limits", _("Limits"), "gauge"),
                PageEntry("permissions", _("Permissions"), "shield"),
                PageEntry("appearance", _("Appearance"), "theme"),
            )
        )

    def _make_providers(self) -> ProvidersPage:
        self.providers = ProvidersPage(self._desk, self._saving, self._state)
        return self.providers

    def _left(self) -> QWidget:
        self._left_part = left = Ground("window", "r")
        stack = QVBoxLayout(left)
        stack.setContentsMargins(0, 14, 1, 8)
        stack.setSpacing(10)
        stack.addWidget(line(Label(_("Settings"), "title", weight="bold"), None, margins=(16, 0, 0, 0)))
        stack.addWidget(self._list, 1)
        return left

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_list()

    def _fit_list(self) -> None:
        """Leave the list of pages a quarter of the width at most."""
        self._left_part.setFixedWidth(min(round(PAGES_WIDE * theme.lh), self.width() // 4))

    def _fit(self) -> None:
        """Take the usual size, as far as the screen has room for it."""
        room = self.screen().availableGeometry()
        self.resize(min(WIDE * theme.lh, room.width() - 40), min(TALL * theme.lh, room.height() - 60))

    def _follow_looks(self) -> None:
        """Build anew when language or zoom changed; what was typed and not saved stays."""
        if self._looks == (words.language(), theme.zoom, theme.language):
            return
        whole = self._whole
        self.providers.stop()
        self._build()
        if whole is not None:
            self._outer.removeWidget(whole)
            whole.hide()
            whole.deleteLater()
        self._list.setFocus(Qt.FocusReason.OtherFocusReason)

    # Showing

    def _show_page(self, name: str) -> None:
        self._chosen = name
        self._stack.setCurrentWidget(self._pages[name])

    def _test(self) -> None:
        if self._chosen == "providers":
            self.providers.test()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._warned = False
        self._desk.spawn(self._look_at_file(), name="look at the settings file")

    @override
    def reject(self) -> None:
        """Close; what is not saved is spoken of once before."""
        unsaved = self.providers.unsaved()
        if unsaved and not self._warned:
            self._warned = True
            self.show_page("providers")
            sentence = many("{n} provider has changes that are not saved.", "{n} providers have changes that are not saved.", unsaved)
            actions = (Action(_("Save"), self._save_and_close), Action(_("Discard and close"), self.reject))
            self._strip.tell(sentence, "warning", actions)
            return
        self.providers.leave()
        self._strip.clear()
        super().reject()

    def _save_and_close(self) -> None:
        self._desk.spawn(self._save_all(), name="save providers")

    async def _save_all(self) -> None:
        self._strip.clear()
        self._warned = False
        if await self.providers.save_all() and isValid(self):
            self.reject()

    # What is told

    def _tell(self, sentence: str, level: str) -> None:
        if self.isVisible():
            self._strip.tell(sentence, level)
            self._desk.spawn(self._look_at_file(), name="look at the settings file")

    async def _look_at_file(self) -> None:
        """Tell of a settings file that cannot be used, with the way out of it."""
        problem = await asyncio.to_thread(settings_problem, self._desk.app.settings_path)
        if problem is not None and isValid(self) and self.isVisible():
            self._strip.tell(tell(problem), "error", (Action(_("Set it aside and begin a new one"), self._set_aside),))

    def _set_aside(self) -> None:
        self._desk.spawn(self._set_file_aside(), name="set the settings file aside")

    async def _set_file_aside(self) -> None:
        self._strip.clear()
        sentence, level = await self._begin_file()
        if sentence and isValid(self):
            self._strip.tell(sentence, level)

    async def _begin_file(self) -> tuple[str, str]:
        """Begin a new settings file in place of one that cannot be used; return what to tell of it, and its level."""
        app = self._desk.app
        if await asyncio.to_thread(settings_problem, app.settings_path) is None:
            return "", "info"  # somebody mended it meanwhile
        try:
            kept = await app.begin_settings_file()
        except SettingsError as error:
            return tell(error), "error"
        return _("The old file is kept as {path}. What is in force now stands in a new one.").format(path=kept), "info"
