"""What every test stands on: empty homes, no network but loopback, and ``async def test_…`` run under asyncio.

An async test fails if it leaves a task behind, if an exception is lost in the loop, or if it takes longer than its
``time_limit`` (45 s unless marked). Tests that ask for the ``gui`` fixture run on the window's own loop (tests/ui).
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import itertools
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests import isolation
from tests.left_behind import NewChildren, since_now

HOMES = Path(tempfile.mkdtemp(prefix="workbench-test-"))
isolation.isolate_environment(HOMES)  # here, not in a fixture: some packages read the environment when they are imported
isolation.block_network()

TIME_LIMIT_S = 45.0
LONGEST_BYTES_IN_A_NAME = 16
LONGEST_TEXT_IN_A_NAME = 200
NUMBERS = itertools.count(1)
WALKED_AFTER = 50
"""So many async tests after the last time, everything is walked for garbage."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "time_limit(seconds): how long an async test may take, 45 s unless marked")


def pytest_unconfigure() -> None:
    shutil.rmtree(HOMES, ignore_errors=True)


@pytest.fixture
def new_children() -> NewChildren:
    """The processes that a test started and that still are."""
    return since_now()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name long values after their parameter: packed bytes hold the time, and the workers of a run must agree on every name."""
    too_long = (isinstance(val, bytes) and len(val) > LONGEST_BYTES_IN_A_NAME) or (isinstance(val, str) and len(val) > LONGEST_TEXT_IN_A_NAME)
    return argname if too_long else None


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an async test on a fresh loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj) or "gui" in pyfuncitem.fixturenames:
        return None
    run_async_test(pyfuncitem)
    return True


def run_async_test(item: pytest.Function, loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None) -> None:
    """Run a test's coroutine to its end, on a loop of `loop_factory` if one is given; fail if it leaves or loses anything."""
    marker = item.get_closest_marker("time_limit")
    arguments = {name: item.funcargs[name] for name in inspect.signature(item.obj).parameters}
    _run(item.obj, arguments, marker.args[0] if marker else TIME_LIMIT_S, loop_factory)


def _run(function: Any, arguments: Mapping[str, Any], limit_s: float, loop_factory: Callable[[], asyncio.AbstractEventLoop] | None) -> None:
    lost: list[str] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: lost.append(_describe(context)))
        await _within(limit_s, function(**arguments))
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks left behind: {sorted(task.get_name() + ' ' + str(task.get_coro()) for task in left)}"

    _set_aside()
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        runner.run(main())
        gc.collect()  # a task whose exception nobody saw says so when it is collected, and tracebacks are cycles
        assert not lost, f"lost in the loop: {lost}"


def _set_aside() -> None:
    """Let the collection after a test walk only what the test made: it is most of a short test. Now and then all is walked, for what fixtures left."""
    if next(NUMBERS) % WALKED_AFTER == 0:
        gc.unfreeze()
        gc.collect()
    gc.freeze()


async def _within(limit_s: float, test: Any) -> None:
    """Await the test; say in its own words that the limit was reached, not with a bare TimeoutError."""
    try:
        async with asyncio.timeout(limit_s) as limit:
            await test
    except TimeoutError:
        if not limit.expired():
            raise
        pytest.fail(f"the test did not end within {limit_s:g} s")


def _describe(context: Mapping[str, Any]) -> str:
    exception = context.get("exception")
    return f"{context.get('message')} {exception!r}" if exception is not None else str(context.get("message"))
