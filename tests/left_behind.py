"""What a test left running: the children of this process that were not there when it began."""

from __future__ import annotations

from typing import Protocol

import psutil


class NewChildren(Protocol):
    """Called at the end of a test: the processes under this one that its beginning did not have. The display and the window
    manager of a test that ran earlier in the same worker are not among them."""

    def __call__(self, *, zombies: bool = True) -> list[psutil.Process]: ...


def since_now() -> NewChildren:
    """Remember the children of this moment."""
    before = set(psutil.Process().children(recursive=True))

    def new_children(*, zombies: bool = True) -> list[psutil.Process]:
        new = [child for child in psutil.Process().children(recursive=True) if child not in before]
        return [child for child in new if zombies or child.status() != psutil.STATUS_ZOMBIE]

    return new_children
