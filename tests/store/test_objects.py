"""Tests of old file contents: kept once, durable, checked when read."""

from __future__ import annotations

import hashlib
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.errors import StoreError
from workbench.store.objects import Objects


@settings(deadline=None, database=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=2000))
def test_what_is_put_is_got(tmp_path: Path, content: bytes) -> None:
    objects = Objects(tmp_path)
    digest = objects.put(content)
    assert digest == hashlib.sha256(content).hexdigest() == objects.put(content)
    assert objects.get(digest) == content


def test_each_content_is_one_private_file_named_by_its_hash(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    digests = [objects.put(content) for content in (b"a", b"b", b"a", b"")]
    assert sorted(path.name for path in (tmp_path / "objects").iterdir()) == sorted(set(digests))
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "objects").iterdir()} == {0o600}


@pytest.mark.parametrize("name", ["0" * 64, "", "../../etc/passwd", "A" * 64, "0" * 63])
def test_what_was_never_put_is_a_key_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(KeyError):
        Objects(tmp_path).get(name)


def test_a_changed_file_is_told_and_mended_by_the_next_put(tmp_path: Path) -> None:
    objects = Objects(tmp_path)
    digest = objects.put(b"content")
    (tmp_path / digest).write_bytes(b"cont")
    with pytest.raises(StoreError, match=r"cannot be read: its bytes have changed\. The change it belongs to cannot be undone\."):
        objects.get(digest)
    objects.put(b"content")
    assert objects.get(digest) == b"content"


def test_a_folder_that_cannot_be_written_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match=r"cannot be kept in .*: .*\. Nothing was changed"):
        Objects(tmp_path / "file").put(b"x")


def test_many_threads_may_put_the_same(tmp_path: Path) -> None:
    objects = Objects(tmp_path)
    threads = [threading.Thread(target=objects.put, args=(b"same" * 1000,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(tmp_path.iterdir())) == 1
