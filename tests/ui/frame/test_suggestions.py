"""Every suggested sentence is understood by the practice model, and says something that is true of the folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import ROOT
from workbench.practice.intents import Drill, Intent, Introduce, Replace, WriteFile
from workbench.practice.understanding import understand
from workbench.ui.frame.suggestions import Suggestion, suggestions_for
from workbench.words import LANGUAGES

SAMPLE = ROOT / "resources" / "sample_project"


def intents(folder: Path, language: str) -> list[Intent]:
    return [understand(suggestion.words).intent for suggestion in suggestions_for(folder, language)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("folder", [SAMPLE, ROOT], ids=["sample", "this project"])
def test_sentences_are_understood_and_the_words_stand_in_the_file_once(folder: Path, language: str) -> None:
    introduce, replace, drill = intents(folder, language)
    assert introduce == Introduce()
    assert isinstance(drill, Drill)
    assert drill.kind == "rate_limit"
    assert isinstance(replace, Replace)
    assert replace.old != replace.new
    assert (folder / replace.path).read_text(encoding="utf-8").count(replace.old) == 1


def test_sample_project_offers_what_its_readme_is_about() -> None:
    assert suggestions_for(SAMPLE, "en")[1] == Suggestion("replace", "Replace “two digits” with “one or two digits” in README.md")
    assert suggestions_for(SAMPLE, "zh_CN")[1] == Suggestion("replace", "把 README.md 里的“两位”改成“一位或两位”")


@pytest.mark.parametrize("language", LANGUAGES)
def test_empty_folder_is_not_to_be_introduced(tmp_path: Path, language: str) -> None:
    write, drill = intents(tmp_path, language)
    assert isinstance(write, WriteFile)
    assert write.content
    assert isinstance(drill, Drill)


def test_file_that_is_suggested_does_not_exist_yet(tmp_path: Path) -> None:
    (tmp_path / "NOTES.md").write_bytes(b"")
    (tmp_path / "NOTES-2.md").symlink_to("nowhere")
    intent = understand(next(s.words for s in suggestions_for(tmp_path, "en") if s.kind == "write")).intent
    assert isinstance(intent, WriteFile)
    assert intent.path == "NOTES-3.md"


ODD = {
    "binary": b"\x00\xff\xfe" * 50,
    "not UTF-8": "ein kleines Wort für alle".encode("latin-1"),
    "words that come twice": b"the same four words\nthe same four words\n",
    "nothing but headings and code": b"# A heading of words\n\n```\nsome code that runs here\n```\n    indented code that runs\n",
    "marks that end a quotation": "“‘ ’” \"a' b\n".encode(),
    "one word a line": b"one\ntwo\nthree\n",
}


@pytest.mark.parametrize("kind", ODD)
def test_file_without_a_phrase_leads_to_a_new_file_instead(tmp_path: Path, kind: str) -> None:
    (tmp_path / "README.md").write_bytes(ODD[kind])
    assert [suggestion.kind for suggestion in suggestions_for(tmp_path, "en")] == ["introduce", "write", "drill"]


def test_words_inside_longer_words_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("untwo digitsy\n")
    assert suggestions_for(tmp_path, "en")[1].kind == "write"


def test_folder_that_is_gone_still_has_its_drill(tmp_path: Path) -> None:
    assert [suggestion.kind for suggestion in suggestions_for(tmp_path / "gone", "en")] == ["write", "drill"]


def test_chinese_text_gets_a_chinese_rewording(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# 标题\n\n这里说明用法。\n", encoding="utf-8")
    intent = understand(suggestions_for(tmp_path, "zh_CN")[1].words).intent
    assert intent == Replace("这里说明用法", "这里说明用法（示例）", "README.md")


def test_a_folder_that_is_not_trusted_yet_is_not_read_for_a_suggestion(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Each row has two digits here.\n")
    assert "README.md" in "".join(suggestion.words for suggestion in suggestions_for(tmp_path, "en"))
    (tmp_path / "README.md").chmod(0)
    unread = suggestions_for(tmp_path, "en", reads=False)
    assert [suggestion.kind for suggestion in unread] == ["introduce", "write", "drill"]
