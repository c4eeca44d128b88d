"""What a folder brings is said in words that are true of this program."""

from __future__ import annotations

import pytest

from workbench.settings.shipped import ShippedItem
from workbench.settings.trust import Shipped
from workbench.ui.trust.words import KIND_ICONS, effect_words, gone_words, in_order, size_words, state_words, title_of

AGENTS = ShippedItem(kind="instructions", name="AGENTS.md", text="x")
OTHER = ShippedItem(kind="instructions", name="GEMINI.md", text="x")
SERVERS = ShippedItem(kind="servers", name=".mcp.json", text="{}")
SHIPPED = Shipped(items=(SERVERS, OTHER, AGENTS), digest="d", instructions="x", instructions_name="AGENTS.md")


def test_only_the_instructions_that_would_be_used_are_said_to_go_to_the_model() -> None:
    assert effect_words(AGENTS, SHIPPED) == "Goes to the model with every request, once you trust the folder."
    assert effect_words(OTHER, SHIPPED) == "Instructions for other programs. They are not used."


def test_every_kind_has_an_icon_and_a_sentence() -> None:
    for kind in KIND_ICONS:
        assert effect_words(ShippedItem(kind=kind, name="x"), SHIPPED).endswith(".")


@pytest.mark.parametrize("problem", ["link", "special", "large", "too_many", "unreadable"])
def test_what_was_not_read_says_so(problem: str) -> None:
    words = effect_words(ShippedItem(kind="servers", name="x", problem=problem), SHIPPED)
    assert "read" in words
    assert "server" not in words


def test_what_the_model_would_get_comes_first_and_what_changed_before_it() -> None:
    assert [item.name for item in in_order(SHIPPED)] == ["AGENTS.md", "GEMINI.md", ".mcp.json"]
    changed = Shipped(items=SHIPPED.items, digest="e", answer="changed", changes=(".mcp.json", "gone\u202e.md"), instructions_name="AGENTS.md")
    assert [item.name for item in in_order(changed)] == [".mcp.json", "AGENTS.md", "GEMINI.md"]
    assert gone_words(changed) == "Gone since then: gone⟨U+202E⟩.md"
    assert "has changed" in title_of(changed)


@pytest.mark.parametrize(
    ("shipped", "words"),
    [
        (Shipped(), ""),
        (SHIPPED, "Not trusted yet: AGENTS.md is not read"),
        (Shipped(digest="d", answer="no", instructions_name="AGENTS.md"), "Not trusted: AGENTS.md is not read"),
        (Shipped(digest="d", answer="no"), "Not trusted"),
        (Shipped(digest="d", answer="yes", instructions_name="AGENTS.md"), ""),
    ],
)
def test_the_chip_speaks_only_where_something_is_held_back(shipped: Shipped, words: str) -> None:
    assert state_words(shipped) == words


def test_sizes_are_short() -> None:
    assert (size_words(380), size_words(20_480)) == ("380 bytes", "20.5 kB")
