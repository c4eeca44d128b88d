"""Tasks have an owner: it reports failures and leaves nothing behind."""

from __future__ import annotations

import asyncio

import pytest

from workbench.agent.tasks import Owner


async def test_closing_ends_every_task() -> None:
    owner = Owner()
    ended: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    owner.spawn(work(), name="a")
    owner.spawn(work(), name="b")
    await asyncio.sleep(0)
    assert owner.count == 2
    await owner.aclose()
    assert (owner.count, ended) == (0, ["ended", "ended"])
    late = work()
    with pytest.raises(RuntimeError, match="its owner was closed"):
        owner.spawn(late, name="c")
    await owner.aclose()


async def test_failure_is_logged_with_its_place_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    reported: list[BaseException] = []
    owner = Owner(where=lambda: "journal 7", on_failure=reported.append)

    async def fail() -> None:
        raise ZeroDivisionError("bug")

    async def return_one() -> int:
        return 1

    failing = owner.spawn(fail(), name="failing")
    assert await owner.spawn(return_one(), name="fine") == 1
    await asyncio.wait({failing})
    assert [type(error) for error in reported] == [ZeroDivisionError]
    assert "task failing failed (journal 7)" in caplog.text
    await owner.aclose()
