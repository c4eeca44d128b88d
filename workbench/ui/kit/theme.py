"""Tokens, palette, fonts and metrics: the only place that knows a colour or a size.

`theme.use("dark", "zh_CN")` switches everything; painters ask `theme["muted"]`, `theme.font("small")`, `theme.row`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from math import ceil
from typing import Any, Literal, TypeAlias, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from workbench.resources import resource

Name: TypeAlias = Literal["light", "dark"]
FontKey: TypeAlias = tuple[str, str, bool, bool]

TOKENS: dict[str, dict[str, Any]] = tomllib.loads(resource("themes", "tokens.toml").read_text("utf-8"))
NAMES: tuple[Name, ...] = ("light", "dark")
ROLE, GROUP = QPalette.ColorRole, QPalette.ColorGroup
WEIGHTS = {"regular": QFont.Weight.Normal, "medium": QFont.Weight.Medium, "bold": QFont.Weight.DemiBold}
CHINESE_BOLD = QFont.Weight.Bold
"""Chinese fonts have no 600; one without any bold is made bold from 700 on."""
SMALLEST_ZOOM, LARGEST_ZOOM = 0.5, 3.0

PALETTE = {
    ROLE.Window: "window",
    ROLE.WindowText: "text",
    ROLE.Base: "base",
    ROLE.AlternateBase: "sunken",
    ROLE.Text: "text",
    ROLE.Button: "raised",
    ROLE.ButtonText: "text",
    ROLE.BrightText: "fail",
    ROLE.Highlight: "select",
    ROLE.HighlightedText: "text",
    ROLE.Link: "accent",
    ROLE.LinkVisited: "accent",
    ROLE.PlaceholderText: "faint",
    ROLE.ToolTipBase: "raised",
    ROLE.ToolTipText: "text",
    ROLE.Accent: "accent_fill",
    ROLE.Light: "raised",
    ROLE.Midlight: "hover",
    ROLE.Mid: "edge",
    ROLE.Dark: "edge",
    ROLE.Shadow: "line",
}
IDLE = {ROLE.Highlight: "select_idle"}
"""What differs in a window that is not active."""
DISABLED = {
    **dict.fromkeys((ROLE.WindowText, ROLE.Text, ROLE.ButtonText, ROLE.HighlightedText, ROLE.Link, ROLE.LinkVisited), "faint"),
    **dict.fromkeys((ROLE.Base, ROLE.Button), "window"),
    ROLE.Highlight: "select_idle",
    ROLE.Accent: "edge",
}


class _Signals(QObject):
    changed = Signal()


class Theme:
    """The current set of tokens with fonts and sizes made from them; all lengths are device-independent pixels.

    Attributes:
        name: "light" or "dark".
        language: "en" or "zh".
        zoom: factor on all fonts.
        lh: height of one line of interface text; every row and control height comes from it.
        mh: height of one line of code.
        row: lists, tables, trees.
        control: buttons, fields, menus.
        compact: buttons inside cards and bars.
        card_row: one tool call in the chat.
        bar: heads of panes: tabs, tool bars.
        status: the status bar.
        icon: side of an icon; 12 beside small text.
        changed: a signal after everything is in force. Widgets that paint need no connection: Qt tells them of the new palette and font.
    """

    def __init__(self) -> None:
        self.name: Name = "light"
        self.language: Literal["en", "zh"] = "en"
        self.zoom = 1.0
        self.icon = 16
        self._fonts: dict[FontKey, QFont] = {}
        self._metrics: dict[int, QFontMetricsF] = {}
        self._used: tuple[str, str, float] | None = None
        self._signals = _Signals()
        self.changed = self._signals.changed
        self._measure(16, 18)

    def use(self, name: str, language: str = "en", zoom: float = 1.0) -> None:
        """Put a theme in force for the whole program; does nothing if it already is.

        Args:
            name: "light", "dark", or "system" for what the desktop says now.
            language: a language of `words.LANGUAGES`; it decides which fonts come first.
            zoom: factor on all fonts, 0.5 to 3; a value outside is brought to the nearest.

        Raises:
            ValueError: there is no theme of that name.
        """
        wanted = (resolved(name), language_of_fonts(language), min(max(zoom, SMALLEST_ZOOM), LARGEST_ZOOM))
        if wanted == self._used:
            return
        new_fonts = self._used is None or wanted[1:] != self._used[1:]
        self._used = wanted
        self.name, self.language, self.zoom = wanted
        if new_fonts:
            self._fonts.clear()
            self._metrics.clear()
            self._measure(max(16, ceil(self._latin_height())), ceil(self.metrics("code").height() * 1.05) + 1)
            QApplication.setFont(self.font("body"))
        QApplication.setPalette(self.palette())
        self.changed.emit()

    def _measure(self, lh: int, mh: int) -> None:
        self.lh, self.mh = lh, mh
        self.row = self.compact = lh + 8
        self.control = self.status = lh + 12
        self.card_row = lh + 14
        self.bar = lh + 20

    def _latin_height(self) -> float:
        """Height of a line in the interface's own family: rows keep their height in every language."""
        return QFontMetricsF(self._make_font("body", "regular", mono=False, italic=False, families=_here("ui"))).height()

    def __getitem__(self, token: str) -> QColor:
        """Return the colour of a token; it is the caller's own.

        Raises:
            KeyError: no such token.
        """
        return QColor(_colours(self.name)[token])

    def hex(self, token: str) -> str:
        """Return the colour of a token as ``#rrggbb``."""
        return cast("str", TOKENS[self.name][token])

    def font(self, size: str = "body", weight: str = "regular", mono: bool = False, italic: bool = False) -> QFont:
        """Return a font by the name of its size (`tiny`, `small`, `body`, `prose`, `title`, `display`, or `code`); never by number.

        Args:
            size: a name of the scale; ``code`` is always of fixed width.
            weight: regular, medium or bold (which is 600).
            mono: of fixed width, with no ligatures.
            italic: slanted; Chinese has none, so there it is upright.
        """
        key = (size, weight, mono or size == "code", italic and self.language == "en")
        if key not in self._fonts:
            font = self._make_font(size, weight, mono=key[2], italic=key[3], families=self._families(mono=key[2]))
            self._fonts[key], self._metrics[id(font)] = font, QFontMetricsF(font)
        return self._fonts[key]

    def _families(self, *, mono: bool) -> list[str]:
        """Chinese text takes its quotation marks from a Chinese font; code never does."""
        if mono:
            return _here("mono") + _here("cjk")
        return _here("cjk") + _here("ui") if self.language == "zh" else _here("ui") + _here("cjk")

    def _make_font(self, size: str, weight: str, *, mono: bool, italic: bool, families: list[str]) -> QFont:
        font = QFont()
        font.setFamilies(families)
        font.setPointSizeF(TOKENS["type"][size] * 0.75 * self.zoom)
        font.setWeight(CHINESE_BOLD if weight == "bold" and self.language == "zh" and not mono else WEIGHTS[weight])
        font.setItalic(italic)
        if mono:
            # A ligature would draw `!=` and `->` as other signs than the bytes that run.
            for feature in ("liga", "calt"):
                font.setFeature(QFont.Tag(feature), 0)
        else:
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def metrics(self, size: str = "body", weight: str = "regular", mono: bool = False) -> QFontMetricsF:
        """Return the metrics of a font by the name of its size, in fractions of a pixel."""
        return self.metrics_of(self.font(size, weight, mono))

    def metrics_of(self, font: QFont) -> QFontMetricsF:
        """Return the metrics of any font; those of a font that `font` gave are made once."""
        return self._metrics.get(id(font)) or QFontMetricsF(font)  # `_fonts` keeps the fonts, so the ids are theirs alone

    def palette(self) -> QPalette:
        """Return the palette of the tokens, every role in all three groups."""
        palette = QPalette()
        for group, different in ((GROUP.Active, {}), (GROUP.Inactive, IDLE), (GROUP.Disabled, DISABLED)):
            for role, token in (PALETTE | different).items():
                palette.setColor(group, role, self[token])
        return palette


def resolved(name: str) -> Name:
    """Return the theme that a name of the settings stands for; ``system`` is what the desktop says, light if it says nothing.

    Raises:
        ValueError: there is no theme of that name.
    """
    match name:
        case "light" | "dark":
            return name
        case "system":
            return "dark" if QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark else "light"
        case _:
            raise ValueError(f"no theme is called {name!r}; there are light, dark and system")


def language_of_fonts(language: str) -> Literal["en", "zh"]:
    """Return which fonts a language of the program wants first."""
    return "zh" if language.lower().startswith("zh") else "en"


def installed(families: Sequence[str]) -> list[str]:
    """Return the families of the list that this machine has, in the same order."""
    return [family for family in families if family in _all_families()]


@cache
def _all_families() -> frozenset[str]:
    return frozenset(QFontDatabase.families())


@cache
def _here(kind: str) -> list[str]:
    """Return the families of a kind (ui, mono, cjk) that this machine has."""
    return installed(TOKENS["type"][kind])


@cache
def _colours(name: str) -> dict[str, QColor]:
    return {token: QColor(value) for token, value in TOKENS[name].items()}


theme = Theme()
