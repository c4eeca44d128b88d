"""The log is private, holds no key, does not grow without end, and keeps nobody from working."""

from __future__ import annotations

import base64
import io
import json
import logging
import stat
from pathlib import Path
from urllib.parse import quote

import pytest

from workbench.redaction.logs import RedactingFormatter
from workbench.ui import log_file
from workbench.ui.log_file import log_to

log = logging.getLogger("tests.log")


def test_warnings_are_written_without_keys_for_the_owner_alone(tmp_path: Path) -> None:
    with log_to(tmp_path, lambda: ("canary-key",)):
        log.warning("the key canary-key was sent to %s", "canary-key")
        log.info("not important")
    file = tmp_path / "logs" / "workbench.log"
    assert "the key *** was sent to ***" in file.read_text()
    assert "not important" not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_log_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "workbench.log"
    file.parent.mkdir()
    file.write_text("before\n")
    file.chmod(0o644)
    with log_to(tmp_path, tuple):
        log.warning("after")
    assert file.read_text().startswith("before\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_error_is_written_with_where_it_came_from(tmp_path: Path) -> None:
    with log_to(tmp_path, tuple):
        try:
            int("canary")
        except ValueError:
            log.exception("it failed")
    text = (tmp_path / "logs" / "workbench.log").read_text()
    assert "ValueError: invalid literal" in text
    assert "test_log_file.py" in text


def test_log_that_grows_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_file, "LARGEST_BYTES", 1000)
    with log_to(tmp_path, tuple):
        for _ in range(200):
            log.warning("x" * 100)
    files = sorted((tmp_path / "logs").iterdir())
    assert [file.name for file in files] == ["workbench.log", "workbench.log.1", "workbench.log.2"]
    assert all(file.stat().st_size < 2000 and stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


def test_log_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file stands here")
    with log_to(tmp_path, tuple):
        log.warning("nobody reads this")
    assert (tmp_path / "logs").read_text() == "a file stands here"


def test_no_log_is_made_if_there_is_nothing_to_say(tmp_path: Path) -> None:
    with log_to(tmp_path, tuple):
        pass
    assert list((tmp_path / "logs").iterdir()) == []


def test_terminal_that_the_window_was_started_from_sees_no_key_either(tmp_path: Path) -> None:
    stream = io.StringIO()
    terminal = logging.StreamHandler(stream)
    terminal.setFormatter(RedactingFormatter("%(message)s", tuple))
    logging.getLogger().addHandler(terminal)
    try:
        with log_to(tmp_path, lambda: ("canary-key",)):
            log.warning("it is canary-key")
        log.warning("it was canary-key")
    finally:
        logging.getLogger().removeHandler(terminal)
    assert stream.getvalue() == "it is ***\nit was canary-key\n"


def test_key_is_not_written_in_another_spelling_either(tmp_path: Path) -> None:
    key = 'sk-"CANARY"/\\+tail'
    with log_to(tmp_path, lambda: (key,)):
        log.warning("%r", ValueError(key))
        log.warning("%s", json.dumps({"key": key}))
        log.warning("GET https://api.example/?key=%s", quote(key, safe=""))
        log.warning("Basic %s", base64.b64encode(f"user:{key}".encode()).decode())
    text = (tmp_path / "logs" / "workbench.log").read_text()
    assert text.count("\n") == 4
    assert "CANARY" not in text
    assert base64.b64encode(b"CANARY").decode()[1:6] not in text
    assert "tail" not in text


def test_of_a_key_that_begins_like_another_nothing_is_left(tmp_path: Path) -> None:
    with log_to(tmp_path, lambda: ("canary-key", "", "canary-key-and-more")):
        log.warning("it was canary-key-and-more")
    line = (tmp_path / "logs" / "workbench.log").read_text()
    assert "canary" not in line
    assert "and-more" not in line
    assert "it was" in line
