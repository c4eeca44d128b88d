"""Texts are found in the code: by the functions that translate, by message ids, and sentences wherever they are put together."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.packaging.scripts import load


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = load("texts.py")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "PROGRAM", tmp_path / "workbench")
    return module


def found(texts: ModuleType, code: str, place: str = "room.py") -> set[tuple[str, str]]:
    """Return form and key of the texts of a file."""
    path = texts.PROGRAM / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code, encoding="utf-8")
    return {(text.form, text.key) for text in texts.Module(path).texts()}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('_("Reject")', {("text", "Reject")}),
        ('many("{n} turn", "{n} turns", count)', {("text", "{n} turn")}),
        ('FACTS = counted("{n} page", "{n} pages")', {("text", "{n} page")}),
        ('NAMES = marked("Ask", "Read only")', {("text", "Ask"), ("text", "Read only")}),
        ('raise UsageError(f"{name} is gone.", message_id="room.gone", values={"name": name})', {("id", "room.gone")}),
        ('raise UsageError("Nothing is there.", message_id="room.empty")', {("id", "room.empty")}),
        ('ProbeLine("key", "ok", "No key is needed", "probe.no_key")', {("id", "probe.no_key")}),
        ('raise ValueError("for programmers")', set()),
        ('log.warning("for the log")', set()),
        ('Message(message_id="practice")', set()),
    ],
)
def test_a_text_is_found(texts: ModuleType, code: str, expected: set[tuple[str, str]]) -> None:
    assert found(texts, code) == expected


def test_an_id_whose_values_do_not_tell_all_is_told_by_its_sentence(texts: ModuleType) -> None:
    code = 'raise UsageError(f"{name} is gone: {why}.", message_id="room.gone", values={"name": name})'
    assert found(texts, code) == {("piece", "{name} is gone: {why}."), ("sentence", "{name} is gone: {why}.")}


def test_the_values_of_an_id_are_known_and_the_words_that_stand_in_them(texts: ModuleType) -> None:
    code = """
def fail(path, full):
    reason = "the disk is full" if full else str(path)
    values = {"path": path, "reason": reason}
    raise StoreError(f"{path}: {reason}.", message_id="store.failed", values=values)
"""
    assert found(texts, code) == {("id", "store.failed"), ("text", "the disk is full")}
    (identified,) = [text for text in texts.Module(texts.PROGRAM / "room.py").texts() if text.form == "id"]
    assert identified.given == {"path", "reason"}


def test_a_sentence_is_followed_to_where_it_is_put_together(texts: ModuleType) -> None:
    code = """
WAYS = {"a": "by hand", "b": "by itself"}

def judge(place, writes, way):
    text = f"It writes to {place.real} {WAYS[way]}." if writes else "It leads outside."
    return Reason("floor.outside", text, place.real)

def refuse(what):
    return ToolError("bad_path", f"This cannot be used: {what}.")

def check(count):
    raise refuse(f"it has {count} {'part' if count == 1 else 'parts'}")
"""
    expected = {
        ("id", "floor.outside"),
        ("id", "kind.bad_path"),
        ("text", "It leads outside."),
        ("sentence", "It writes to {real} {ways}."),
        ("text", "by hand"),
        ("text", "by itself"),
        ("sentence", "This cannot be used: {what}."),
        ("piece", "it has {count} part"),
        ("piece", "it has {count} parts"),
    }
    assert expected == {one for one in found(texts, code) if one not in {("piece", "It writes to {real} {ways}."), ("piece", "This cannot be used: {what}.")}}


def test_what_stands_for_itself_does_not_lead_in_a_circle(texts: ModuleType) -> None:
    code = 'def f(text):\n    text = f"{text} again"\n    text = text or f(text)\n    raise UsageError(text)\n'
    assert found(texts, code) == {("piece", "{text} again")}


@pytest.mark.parametrize("words", ["The {place}", "the {place}", "{place} the {name}", "A {place}", "{place} an, a {name}."])
def test_blanks_with_no_word_but_an_article_are_no_text(texts: ModuleType, words: str) -> None:
    code = f'def f(place, name):\n    raise UsageError(f"{{at(place)}} is gone.")\n\ndef at(place, name):\n    return f"{words}"\n'
    assert found(texts, code) == {("piece", "{place} is gone."), ("sentence", "{place} is gone.")}
    assert ("piece", "the proxy {place}") in found(texts, code.replace(words, "the proxy {place}"))


def test_no_pattern_of_the_program_is_blanks_and_an_article() -> None:
    module = load("texts.py")
    patterns = [text.key for text in module.texts() if text.form in ("sentence", "piece")]
    assert len(patterns) > 300
    literals = [re.findall(r"[^\W\d_]+", module.without_blanks(key)) for key in patterns]
    assert [key for key, words in zip(patterns, literals, strict=True) if not {word.lower() for word in words} - {"a", "an", "the"}] == []


def test_what_only_models_read_is_left_out(texts: ModuleType) -> None:
    assert found(texts, 'raise ToolError("x", "Not for people.")', "practice/brain.py") == {("id", "kind.x")}


def test_the_program_has_texts_of_every_kind() -> None:
    forms = [text.form for text in load("texts.py").texts()]
    assert {form: forms.count(form) > 50 for form in set(forms)} == dict.fromkeys(("text", "id", "sentence", "piece"), True)
