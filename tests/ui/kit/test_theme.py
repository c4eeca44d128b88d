"""Tokens are whole and readable, the palette has no hole, a theme is put in force at once and once."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from tests.pace import not_hung
from tests.ui.gui import Gui
from workbench.ui.kit import theme as theme_module
from workbench.ui.kit.theme import NAMES, TOKENS, resolved, theme

LEAST = {"pairs": 4.5, "marks": 3.0}
GROUPS = (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive, QPalette.ColorGroup.Disabled)


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb`` after WCAG 2.2."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def grounds() -> Iterator[tuple[str, str, str, float]]:
    for section, least in LEAST.items():
        for front, backs in TOKENS[section].items():
            yield from ((name, front, back, least) for back in backs for name in NAMES)


def test_both_themes_have_the_same_tokens() -> None:
    assert TOKENS["light"].keys() == TOKENS["dark"].keys()


@pytest.mark.parametrize(("name", "front", "back", "least"), list(grounds()))
def test_what_is_read_stands_out_from_its_ground(name: str, front: str, back: str, least: float) -> None:
    assert contrast(TOKENS[name][front], TOKENS[name][back]) >= least


def test_every_text_colour_names_its_grounds() -> None:
    read = {token for token in TOKENS["light"] if token.startswith(("syn_", "level")) and not token.endswith(("_tint", "_fill"))}
    assert read | {"text", "muted", "faint", "on_fill", "accent", "ok", "fail"} <= TOKENS["pairs"].keys()


def test_black_on_white_is_the_greatest_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_the_palette_has_every_role_in_every_group(gui: Gui) -> None:
    roles = {role for role in QPalette.ColorRole if role not in (QPalette.ColorRole.NoRole, QPalette.ColorRole.NColorRoles)}
    assert roles == set(theme_module.PALETTE)
    known = {theme.hex(token) for token in TOKENS["light"]}
    assert {theme.palette().color(group, role).name() for group in GROUPS for role in roles} <= known


def test_what_is_disabled_looks_so(gui: Gui) -> None:
    palette = theme.palette()
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        assert palette.color(GROUPS[2], role) == theme["faint"] != palette.color(GROUPS[0], role)


def test_a_theme_is_in_force_for_the_whole_program(gui: Gui) -> None:
    theme.use("dark")
    assert QApplication.palette().color(QPalette.ColorRole.Window).name() == TOKENS["dark"]["window"]
    theme.use("light", zoom=1.5)
    assert QApplication.palette().color(QPalette.ColorRole.Window).name() == TOKENS["light"]["window"]
    assert QApplication.font().pointSizeF() == pytest.approx(13 * 0.75 * 1.5)
    assert theme.row > 24


def test_the_same_theme_twice_does_nothing(gui: Gui) -> None:
    told = []
    theme.changed.connect(lambda: told.append(theme.name))
    theme.use("dark", "zh_CN", 1.25)
    theme.use("dark", "zh_CN", 1.25)
    assert told == ["dark"]


def test_switching_again_and_again_does_not_hang(gui: Gui) -> None:
    gui.show(QWidget())
    with not_hung(1):
        for name in ("dark", "light") * 10:
            theme.use(name)


def test_an_unknown_theme_is_refused(gui: Gui) -> None:
    with pytest.raises(ValueError, match="light, dark and system"):
        theme.use("solarized")
    assert theme.name == "light"


@pytest.mark.parametrize(("scheme", "name"), [(Qt.ColorScheme.Dark, "dark"), (Qt.ColorScheme.Light, "light"), (Qt.ColorScheme.Unknown, "light")])
def test_system_is_what_the_desktop_says(gui: Gui, monkeypatch: pytest.MonkeyPatch, scheme: Qt.ColorScheme, name: str) -> None:
    monkeypatch.setattr(QGuiApplication, "styleHints", lambda: SimpleNamespace(colorScheme=lambda: scheme))
    assert resolved("system") == name
    theme.use("system")
    assert theme.name == name


def test_code_has_no_ligatures_and_figures_do_not_jump(gui: Gui) -> None:
    code, words = theme.font("code"), theme.font("small")
    assert [code.featureValue(QFont.Tag(feature)) for feature in ("liga", "calt")] == [0, 0]
    assert words.featureValue(QFont.Tag("tnum")) == 1


def test_chinese_takes_its_quotation_marks_from_a_chinese_font(gui: Gui, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(theme_module, "_here", lambda kind: {"ui": ["Inter"], "mono": ["Mono"], "cjk": ["Chinese"]}[kind])
    theme.use("light", "zh_CN", 1.01)
    assert theme.font("body").families() == ["Chinese", "Inter"]
    assert theme.font("code").families() == ["Mono", "Chinese"]
    theme.use("light", "en", 1.01)
    assert theme.font("body").families() == ["Inter", "Chinese"]


def test_rows_keep_their_height_in_chinese(gui: Gui) -> None:
    english = theme.lh, theme.mh, theme.row, theme.card_row
    theme.use("light", "zh_CN")
    assert (theme.lh, theme.mh, theme.row, theme.card_row) == english


def test_chinese_has_no_italics(gui: Gui) -> None:
    assert theme.font("body", italic=True).italic()
    theme.use("light", "zh_CN")
    assert not theme.font("body", italic=True).italic()


def test_a_colour_belongs_to_who_asks(gui: Gui) -> None:
    theme["accent"].setAlpha(0)
    assert theme["accent"].alpha() == 255


def test_a_zoom_out_of_range_is_brought_to_the_nearest(gui: Gui) -> None:
    theme.use("light", "en", 99)
    assert theme.zoom == 3.0
