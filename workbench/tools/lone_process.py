"""Runs a parser of foreign content in a process of its own, which dies alone if the content is hostile."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

_LENT = ("SYSTEMROOT", "LD_LIBRARY_PATH")
"""Variables that Python itself may need to start."""


async def answer_of(script: Path, content: bytes, *arguments: str, time_limit_s: float) -> bytes:
    """Return what a script of ours writes to stdout when it is given `content` on stdin.

    The process is killed when the time is up or the call is cancelled. Of the environment, where keys are, it gets next to nothing.

    Args:
        script: a file that imports nothing of ours; it is run with ``-I``.
        content: what it reads.
        arguments: of its command line, where other users of the machine can see them.
        time_limit_s: until its end.

    Raises:
        TimeoutError: it took longer.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        str(script),
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={name: os.environ[name] for name in _LENT if name in os.environ},
    )
    try:
        async with asyncio.timeout(time_limit_s):
            output, _ = await process.communicate(content)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output
