"""Marks follow from facts alone: what a file was before the session and what it is now decide, not how often it was touched."""

from __future__ import annotations

import pytest

from tests.ui.frame.facts import change, decided, finished
from workbench.conversation.events import Entry
from workbench.ui.frame.session_changes import FileMark, LineSums, SessionChanges, folders_above


def marks(*entries: Entry) -> dict[str, str]:
    changes = SessionChanges()
    changes.add(entries)
    return {path: mark.letter for path, mark in changes.marks.items()}


def test_each_operation_has_its_letter() -> None:
    assert marks(finished(change("a", "1", "2"), change("b", None, "3"), change("c", "4", None))) == {"a": "M", "b": "A", "c": "D"}


def test_file_that_is_again_what_it_was_has_no_mark() -> None:
    assert marks(finished(change("a", "1", "2")), finished(change("a", "2", "1"))) == {}


def test_file_made_and_removed_again_has_no_mark() -> None:
    assert marks(finished(change("a", None, "1")), finished(change("a", "1", None))) == {}


def test_file_made_and_changed_is_a_new_one() -> None:
    assert marks(finished(change("a", None, "1")), finished(change("a", "1", "2"))) == {"a": "A"}


def test_renamed_file_is_gone_here_and_new_there() -> None:
    assert marks(finished(change("old", "1", "1", renamed_to="new/name"))) == {"old": "D", "new/name": "A"}


def test_lines_of_all_calls_are_summed() -> None:
    changes = SessionChanges()
    changes.add([finished(change("a", "1", "2", 3, 1)), finished(change("a", "2", "3", 4, 0), change("b", "9", "8", 1, 2))])
    assert changes.marks == {"a": FileMark("M", 7, 1), "b": FileMark("M", 1, 2)}
    assert changes.sums == LineSums(8, 3)
    assert changes.sums.text() == "+8 −3"


def test_folders_above_a_change_are_known_and_those_above_an_absolute_path_are_not() -> None:
    changes = SessionChanges()
    changes.add([finished(change("src/a/b.py", "1", "2"), change("/etc/hosts", "1", "2"))])
    assert changes.folders == {"src/a", "src", ""}
    assert folders_above("top.md") == ("",)


def test_deleted_files_are_listed_by_their_folder() -> None:
    changes = SessionChanges()
    changes.add([finished(change("a.py", "1", None), change("src/b.py", "1", None), change("src/deep/c.py", "1", None), change("src/d.py", "1", "2"))])
    assert changes.deleted_in("") == ("a.py",)
    assert changes.deleted_in("src") == ("b.py",)


@pytest.mark.parametrize(("danger", "expected"), [(0, False), (2, True)])
def test_call_that_may_have_written_says_so_without_naming_files(danger: int, expected: bool) -> None:
    changes = SessionChanges()
    assert not changes.add([decided("call_9", danger)])
    assert changes.add([finished(call_id="call_9")]) is expected
    assert not changes.add([finished(call_id="call_9")]), "a call ends once"
