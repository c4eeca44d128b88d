"""Which values a workspace is known to hold: found wherever secret files lie, remembered when they go, never from what blocks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.agent.known_secrets import LARGEST_FILE_BYTES, KnownSecrets


def test_values_of_all_secret_files_are_known_and_stay_known(tmp_path: Path) -> None:
    for name, text in (
        (".env", "A=canary-root-1"), ("deep/er/.env.local", "B=canary-deep-2"), ("node_modules/x/.env", "C=canary-foreign-3"), ("main.py", "D='canary-code-4'"),
        (".aws/credentials", "aws_secret_access_key = canary-cloud-5"), ("big/.env", "E=canary-big-66\n" + "#" * LARGEST_FILE_BYTES),
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    known = KnownSecrets([tmp_path], lambda: ("canary-key-7",))
    assert known.values() == ("canary-key-7",)
    known.refresh()
    assert known.named() == {"canary-root-1": "A", "canary-deep-2": "B", "canary-cloud-5": "aws_secret_access_key", "canary-key-7": "key"}
    (tmp_path / ".env").write_text("A=canary-other-8")
    known.refresh(again=True)
    assert {"canary-root-1", "canary-other-8"} <= set(known.values())


def test_it_looks_again_only_after_a_while_or_when_told(tmp_path: Path) -> None:
    now = 100.0
    known = KnownSecrets([tmp_path], clock=lambda: now)
    known.refresh()
    (tmp_path / ".env").write_text("A=canary-root-1")
    known.refresh()
    assert known.values() == ()
    now += 3
    known.refresh()
    assert known.values() == ("canary-root-1",)


@pytest.mark.skipif(os.name != "posix", reason="pipes with names are POSIX")
def test_a_pipe_named_like_a_secret_file_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")
    (tmp_path / ".env.local").symlink_to("/dev/zero")
    (tmp_path / "gone.env").symlink_to(tmp_path / "nowhere")
    known = KnownSecrets([tmp_path, tmp_path / "missing"])
    known.refresh()
    assert known.values() == ()
