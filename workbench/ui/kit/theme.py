"""Tokens, palette, fonts and metrics: the only place that knows a colour or a size.

`theme.use("dark", "zh")` switches everything; painters ask `theme["muted"]`, `theme.font("small")`, `theme.row`.
"""

from __future__ import annotations

import tomllib
from functools import cache
from math import ceil

from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPalette
from PySide6.QtWidgets import QApplication

from workbench.resources import resource

TOKENS = tomllib.loads(resource("themes", "tokens.toml").read_text("utf-8"))
ROLE, GROUP = QPalette.ColorRole, QPalette.ColorGroup
WEIGHTS = {"regular": QFont.Weight.Normal, "medium": QFont.Weight.Medium, "bold": QFont.Weight.DemiBold}

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


class Theme:
    """The current set of tokens with fonts and sizes made from them.

    Attributes:
        name: "light" or "dark".
        language: "en" or "zh".
        lh: height of one line of interface text, pixels; every row and control height comes from it.
        mh: height of one line of code.
    """

    def __init__(self):
        self.name, self.language, self.zoom = "light", "en", 1.0
        self._fonts: dict[tuple, QFont] = {}

    def use(self, name: str, language: str = "en", zoom: float = 1.0) -> None:
        self.name, self.language, self.zoom = name, language, zoom
        self._fonts.clear()
        fonts_metrics.cache_clear()
        app = QApplication.instance()
        app.setPalette(self.palette())
        app.setFont(self.font("body"))
        self.lh = max(16, ceil(self.metrics("body").height()))
        self.mh = ceil(self.metrics("code").height() * 1.05) + 1
        self.row = self.lh + 8  # list, tree and table rows
        self.control = self.lh + 12  # buttons, fields, menus
        self.compact = self.lh + 8  # buttons inside cards and bars
        self.card_row = self.lh + 14  # one tool call in the chat
        self.bar = self.lh + 20  # pane heads: tabs, tool bars
        self.status = self.lh + 12  # status bar
        self.icon = 16

    def __getitem__(self, token: str) -> QColor:
        return QColor(TOKENS[self.name][token])

    def hex(self, token: str) -> str:
        return TOKENS[self.name][token]

    def font(self, size: str = "body", weight: str = "regular", mono: bool = False, italic: bool = False) -> QFont:
        """A font by scale name (`tiny` … `display`, or `code`); never by number."""
        key = (size, weight, mono, italic)
        if key not in self._fonts:
            self._fonts[key] = self._make_font(*key)
        return self._fonts[key]

    def _make_font(self, size, weight, mono, italic) -> QFont:
        kind = TOKENS["type"]
        mono = mono or size == "code"
        font = QFont()
        font.setFamilies(installed(kind["mono"] if mono else kind["ui"]) + installed(kind["cjk"]))
        font.setPointSizeF(kind[size] * 0.75 * self.zoom)
        font.setWeight(WEIGHTS[weight])
        font.setItalic(italic)
        if mono:
            # A ligature would draw `!=` and `->` as other signs than the bytes that run.
            for feature in ("liga", "calt"):
                font.setFeature(QFont.Tag(feature), 0)
        else:
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def metrics(self, size: str = "body", weight: str = "regular", mono: bool = False) -> QFontMetricsF:
        return fonts_metrics(size, weight, mono)

    def palette(self) -> QPalette:
        palette = QPalette()
        for role, token in PALETTE.items():
            palette.setColor(role, self[token])
        for role in (ROLE.Text, ROLE.WindowText, ROLE.ButtonText):
            palette.setColor(GROUP.Disabled, role, self["faint"])
        return palette


@cache
def fonts_metrics(size: str, weight: str, mono: bool) -> QFontMetricsF:
    return QFontMetricsF(theme.font(size, weight, mono))


@cache
def _families() -> frozenset[str]:
    return frozenset(QFontDatabase.families())


def installed(families: list[str]) -> list[str]:
    """The families of the list that this machine has, in the same order."""
    return [family for family in families if family in _families()]


theme = Theme()
