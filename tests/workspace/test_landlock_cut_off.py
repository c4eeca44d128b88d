"""A shell that is still being started when nobody wants it any more is ended: none is ever left to itself."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import psutil
import pytest

from workbench.workspace.sandbox_landlock import _whole
from workbench.workspace.worker import in_thread


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Landlock is a part of Linux")
async def test_a_start_that_is_cancelled_ends_the_shell_that_comes_of_it() -> None:
    begun, go = threading.Event(), threading.Event()
    started: list[subprocess.Popen[bytes]] = []

    def start() -> subprocess.Popen[bytes]:
        begun.set()
        assert go.wait(10)
        started.append(subprocess.Popen(["/bin/sleep", "60"], start_new_session=True))
        return started[0]

    async with asyncio.TaskGroup() as group:
        task = group.create_task(_whole(in_thread(start)))
        assert await in_thread(lambda: begun.wait(10))
        task.cancel()
        asyncio.get_running_loop().call_soon(go.set)
    assert task.cancelled()
    assert started[0].returncode is not None
    assert not psutil.pid_exists(started[0].pid)
