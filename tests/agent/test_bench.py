"""A bench holds every tool and a gate over the folder, and its commands inherit no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.agent.bench import build_bench
from workbench.workspace.paths import open_workspace


@pytest.fixture(autouse=True)
def folders(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "out").mkdir()


async def test_a_bench_has_the_tools_and_judges_by_the_folder(tmp_path: Path) -> None:
    environment = {"PATH": "/usr/bin", "OPENAI_API_KEY": "sk-canary"}
    workspace = open_workspace(tmp_path / "ws")
    bench = await build_bench(workspace, data_folder=tmp_path / "data", environment=environment, outputs=tmp_path / "out", mode="read_only")
    assert {"read", "write", "bash", "calculator"} <= set(bench.registry.names())
    assert bench.gatekeeper.mode == "read_only"
    assert bench.gatekeeper.roots.workspace.path == str(tmp_path / "ws")
    assert "sk-canary" not in bench.context.environment.values()
    await bench.jobs.aclose()
