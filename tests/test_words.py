"""Both languages are whole: every text is translated, every placeholder gets its value, an unknown id falls back to English."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench import words
from workbench.errors import WorkbenchError

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    words.choose_language("en", {})


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LANG": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_MESSAGES": "zh_TW"}, "zh_CN"),
        ({"LANG": "de_DE"}, "en"),
    ],
)
def test_the_language_follows_the_environment(environment: dict[str, str], expected: str) -> None:
    assert words.choose_language("system", environment) == expected


def test_a_message_is_told_in_chinese_with_its_values() -> None:
    words.choose_language("zh_CN")
    error = WorkbenchError("English.", message_id="resource.missing", values={"name": "a", "path": "/b"})
    assert "/b" in words.tell(error)
    assert words.tell(error) != "English."


@pytest.mark.parametrize("message_id", ["", "no.such.id", "resource.missing"])
def test_a_message_that_cannot_be_translated_is_told_in_english(message_id: str) -> None:
    words.choose_language("zh_CN")
    assert words.tell(WorkbenchError("English.", message_id=message_id)) == "English."


def test_every_text_is_translated_and_the_catalogues_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "-P", ROOT / "packaging" / "catalogues.py", "--check"], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0
