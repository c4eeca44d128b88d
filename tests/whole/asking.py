"""Runs commands beside a server that lives in the test's own loop."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from tests.cli.program import Done, Home

KEY = "canary-key-7fd1c05b92"
KEY_VARIABLE = "CANARY_KEY"
WITH_KEY = {KEY_VARIABLE: KEY}


async def run(home: Home, *words: str, environment: Mapping[str, str] | None = None, anywhere: bool = False) -> Done:
    """Run a command to its end while the loop serves."""
    async with started(home, *words, environment=environment, anywhere=anywhere) as process:
        out, err = await process.communicate()
    assert process.returncode is not None
    return Done(process.returncode, out, err.decode())


@asynccontextmanager
async def started(
    home: Home, *words: str, environment: Mapping[str, str] | None = None, anywhere: bool = False
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a command; it is killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *home.command(*words, anywhere=anywhere), stdin=DEVNULL, stdout=PIPE, stderr=PIPE, env=home.environment(environment), limit=1 << 24
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def at(base_url: str, model: str = "practice") -> tuple[str, ...]:
    """Return the arguments that send a turn to an address, with our key."""
    return ("--base-url", base_url, "--model", model, "--key-variable", KEY_VARIABLE)
