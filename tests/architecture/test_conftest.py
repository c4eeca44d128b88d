"""The rules of tests/conftest.py catch what they are there for: each bad test, run in a child, fails for its own reason."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.child_pytest import report_of, section_of
from tests.isolation import NetworkBlocked, isolate_environment

BAD_TESTS = '''
import asyncio, socket
import pytest

async def test_task_left_behind():
    task = asyncio.get_running_loop().create_task(asyncio.sleep(60), name="forgotten")

async def test_exception_lost():
    async def fail(): raise ValueError("nobody saw this")
    tasks = [asyncio.get_running_loop().create_task(fail())]
    await asyncio.sleep(0); await asyncio.sleep(0)

async def test_callback_failed():
    asyncio.get_running_loop().call_soon(lambda: 1 / 0)
    await asyncio.sleep(0)

@pytest.mark.time_limit(0.05)
async def test_too_slow():
    await asyncio.Event().wait()

async def test_own_failure():
    assert 1 == 2

async def test_network_from_the_loop():
    await asyncio.open_connection("192.0.2.1", 80)

async def test_good(tmp_path):
    assert tmp_path.is_dir()
    await asyncio.sleep(0)
'''

REASONS = {
    "test_task_left_behind": "tasks left behind: ['forgotten",
    "test_exception_lost": "ValueError('nobody saw this')",
    "test_callback_failed": "ZeroDivisionError('division by zero')",
    "test_too_slow": "did not end within 0.05 s",
    "test_own_failure": "assert 1 == 2",
    "test_network_from_the_loop": "a test may only talk to this machine, not to 192.0.2.1:80",
}


COPIED = ("pyproject.toml", "tests/__init__.py", "tests/conftest.py", "tests/isolation.py", "tests/left_behind.py")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says about the bad tests under the real conftest."""
    return report_of(tmp_path_factory.mktemp("project"), COPIED, "tests/test_bad.py", BAD_TESTS)


@pytest.mark.parametrize("name", REASONS)
def test_bad_async_test_fails_for_its_own_reason(report: str, name: str) -> None:
    assert f"FAILED tests/test_bad.py::{name}" in report
    assert REASONS[name] in section_of(report, name)


def test_good_async_test_passes(report: str) -> None:
    assert "PASSED tests/test_bad.py::test_good" in report
    assert f"{len(REASONS)} failed, 1 passed" in report


def test_connection_that_leaves_the_machine_raises() -> None:
    with socket.socket() as tcp, pytest.raises(NetworkBlocked):
        tcp.connect(("192.0.2.1", 80))
    with socket.socket() as tcp, pytest.raises(NetworkBlocked):
        tcp.connect_ex(("example.com", 80))
    with socket.socket(type=socket.SOCK_DGRAM) as udp, pytest.raises(NetworkBlocked):
        udp.sendto(b"?", ("192.0.2.1", 53))


def test_loopback_connection_works() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()[:2]):
        server.accept()[0].close()


def test_name_is_not_looked_up() -> None:
    with pytest.raises(NetworkBlocked):
        socket.getaddrinfo("example.com", 80)
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nothing.invalid", 80)
    assert socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)


def test_keys_proxies_and_display_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        monkeypatch.setenv(name, os.environ[name])  # so that every variable comes back afterwards
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MY_TOKEN", "https_proxy", "ALL_PROXY", "DISPLAY", "WORKBENCH_DATA", "LANG"):
        monkeypatch.setenv(name, "somebody's")
    monkeypatch.setenv("WORKBENCH_SHARED", "kept")
    isolate_environment(tmp_path)
    assert "somebody's" not in os.environ.values()
    assert os.environ["WORKBENCH_SHARED"] == "kept"
    assert Path(os.environ["HOME"]).parent == tmp_path


def test_home_and_data_folders_are_empty_ones() -> None:
    import platformdirs

    assert "workbench-test-" in platformdirs.user_data_dir("agent-workbench")
    assert "workbench-test-" in str(Path.home())
