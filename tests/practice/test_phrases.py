"""Every sentence exists in both languages with the same gaps, and every sentence is used."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from workbench.practice import phrases
from workbench.practice.phrases import ALL_PHRASES, Phrases, code, fenced, shortened


def gaps(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("name", ALL_PHRASES)
def test_both_languages_have_the_same_gaps(name: str) -> None:
    english, chinese = ALL_PHRASES[name]
    allowed = {"files"} if name == "search.found" else set()
    assert gaps(english) ^ gaps(chinese) <= allowed
    assert english or name in ("sentence.gap", "project.cut")


@pytest.mark.parametrize("name", [name for name in ALL_PHRASES if not name.endswith("_message")])
def test_chinese_sentences_are_chinese(name: str) -> None:
    english, chinese = ALL_PHRASES[name]
    words = re.sub(r"\{\w+\}", "", english)
    assert chinese != english or not re.search(r"[A-Za-z]{3}", words)


def test_every_sentence_is_used() -> None:
    folder = Path(phrases.__file__).parent
    code_text = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py") if "phrases" not in path.name)
    unused = [name for name in ALL_PHRASES if f'"{name}"' not in code_text and f"'{name}'" not in code_text]
    built = ("rule.", "drill.name.", "count.", "project.reason.", "unclear.replace", "unclear.weather", "cancelled", "missing")
    assert [name for name in unused if not name.startswith(built) and name not in ("more", "comma")] == []


def test_code_marks_hold_any_text() -> None:
    assert code("a") == "`a`"
    assert code("a`b") == "``a`b``"
    assert code("`a`") == "`` `a` ``"
    assert fenced("a\n```\nb").startswith("````\n")


def test_long_lists_say_how_many_are_left() -> None:
    assert Phrases("en").listed(["a", "b", "c"], 2) == "`a`, `b` and 1 more"
    assert Phrases("zh").listed(["a", "b"], 2, total=5) == "`a`、`b` 等，另有 3 项"
    assert shortened("a  b\nc" * 50, 10) == "a b ca bc…" or len(shortened("a  b\nc" * 50, 10)) <= 10
