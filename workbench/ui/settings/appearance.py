"""How the program looks: theme, language, zoom, motion. Every change shows at once."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.settings.tree import AppearanceSettings, Language, Settings, Theme
from workbench.ui.desk import Desk
from workbench.ui.kit.buttons import Check
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.layout import line
from workbench.ui.kit.theme import Name
from workbench.ui.settings.rows import FieldRow, PageTitle, Range, SettingRow, number_row, page
from workbench.ui.settings.saving import Saving
from workbench.ui.settings.theme_tile import ThemeTile
from workbench.words import _, marked

THEMES: tuple[tuple[Theme, tuple[Name, ...]], ...] = (("system", ("light", "dark")), ("light", ("light",)), ("dark", ("dark",)))
THEME_NAMES = marked("Like the system", "Light", "Dark")
LANGUAGES: tuple[tuple[Language, str], ...] = (("system", ""), ("en", "English"), ("zh_CN", "简体中文"))
"""Languages by their own names, which everybody finds who needs them."""
STEPS = (75, 100, 125, 150, 200)
ZOOM = Range(lowest=50, highest=300)


class AppearancePage(QWidget):
    """The page."""

    def __init__(self, desk: Desk, saving: Saving) -> None:
        super().__init__()
        self._desk, self._saving = desk, saving
        look = desk.app.settings.appearance
        self._tiles = ThemeRow(look.theme)
        self._tiles.chosen.connect(lambda name: self._apply(self._tiles, theme=name))
        self._language = self._language_row(look.language)
        self._zoom = self._zoom_row(look.zoom_percent)
        self._still = Check(_("Hold still"), look.hold_still)
        self._motion = SettingRow(_("Motion"), _("No turning arc, no blinking caret."), self._still)
        self._still.toggled.connect(lambda on: self._apply(self._motion, hold_still=on))
        title = PageTitle(_("Appearance"), _("Changes show at once."))
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.addWidget(page(title, self._tiles, self._language, self._zoom, self._motion, None))
        desk.settings_changed.connect(self._show)
        for row in (self._tiles, self._language, self._motion):
            row.refused.connect(self._show)

    def _language_row(self, language: Language) -> SettingRow:
        labels = [name or _("Like the system") for _code, name in LANGUAGES]
        codes = [code for code, _name in LANGUAGES]
        self._languages = Segments(labels, codes.index(language), name=_("Language"))
        row = SettingRow(_("Language"), "", self._languages)
        self._languages.changed.connect(lambda place: self._apply(row, language=codes[place]))
        return row

    def _zoom_row(self, zoom_percent: int) -> FieldRow:
        self._steps = Segments([f"{step} %" for step in STEPS], name=_("Zoom in steps"))
        row = number_row(_("Zoom"), _("From 50 to 300 %, of all fonts; everything else follows."), "%", ZOOM, zoom_percent, beside=(self._steps,))
        row.entered.connect(lambda value: self._apply(row, zoom_percent=value))
        self._show_step(zoom_percent)
        self._steps.changed.connect(lambda place: self._apply(row, zoom_percent=STEPS[place]))
        return row

    def _show_step(self, zoom_percent: int) -> None:
        """Show which step is in force; none if it is another zoom."""
        if zoom_percent in STEPS:
            self._steps.choose(STEPS.index(zoom_percent))
        else:
            self._steps.chosen = -1
            self._steps.update()

    def _apply(self, row: SettingRow, **changed: object) -> None:
        def change(settings: Settings) -> Settings:
            return replace(settings, appearance=replace(settings.appearance, **changed))

        if any(getattr(self._desk.app.settings.appearance, name) != value for name, value in changed.items()):
            self._saving.apply(change, row)

    def _show(self) -> None:
        """Show what is in force: another page, another program or a key may have changed it."""
        look: AppearanceSettings = self._desk.app.settings.appearance
        self._tiles.show_theme(look.theme)
        self._languages.choose([code for code, _name in LANGUAGES].index(look.language))
        self._show_step(look.zoom_percent)
        self._zoom.show_value(look.zoom_percent)
        self._still.setChecked(look.hold_still)


class ThemeRow(SettingRow):
    """The themes as tiles.

    Signals:
        chosen: name of the theme that a person chose.
    """

    chosen = Signal(str)

    def __init__(self, name: Theme) -> None:
        self._tiles = {theme: ThemeTile(_(label), names, theme == name) for (theme, names), label in zip(THEMES, THEME_NAMES, strict=True)}
        holder = line(*self._tiles.values(), None, gap=16)
        holder.setAccessibleName(_("Theme"))
        super().__init__("", "", holder)
        for theme, tile in self._tiles.items():
            tile.clicked.connect(lambda _checked=False, theme=theme: self.chosen.emit(theme))

    def show_theme(self, name: Theme) -> None:
        """Show which one is in force."""
        self._tiles[name].setChecked(True)
