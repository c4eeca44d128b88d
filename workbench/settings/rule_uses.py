"""How often kept rules decided a call, and when last. A matter of the list of rules alone: it weighs nothing in a decision, so it has no seal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench.settings.sealed_file import read_small
from workbench.settings.whole_file import write_whole

RULES_AT_MOST = 10_000


class RuleUses:
    """Counts uses of rules, by id; kept in one small file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, tuple[int, float]] = {}
        self._fresh: dict[str, tuple[int, float]] = {}
        self._loaded = False

    def note(self, rule_ids: Iterable[str]) -> None:
        """Note one use of each rule, now."""
        now = time.time()
        for rule_id in set(rule_ids):
            self._fresh[rule_id] = (self._fresh.get(rule_id, (0, 0.0))[0] + 1, now)

    def of(self, rule_id: str) -> tuple[int, float | None]:
        """Return how often a rule was used, and when last in seconds since 1970."""
        kept, fresh = self._kept.get(rule_id), self._fresh.get(rule_id)
        count = (kept[0] if kept else 0) + (fresh[0] if fresh else 0)
        return count, fresh[1] if fresh else kept[1] if kept else None

    async def load(self) -> None:
        """Read what was counted before; a file that cannot be read counts as none."""
        if not self._loaded:
            self._loaded = True
            self._kept = await asyncio.to_thread(_read, self._path)

    async def flush(self) -> None:
        """Add what was counted to the file; if that fails, it is only counted for this run."""
        if not self._fresh:
            return
        fresh, self._fresh = self._fresh, {}
        self._kept = await asyncio.to_thread(_added, self._path, fresh)


def _added(path: Path, fresh: dict[str, tuple[int, float]]) -> dict[str, tuple[int, float]]:
    kept = _read(path)
    for rule_id, (count, used_at) in fresh.items():
        kept[rule_id] = (kept.get(rule_id, (0, 0.0))[0] + count, used_at)
    newest = dict(sorted(kept.items(), key=lambda item: -item[1][1])[:RULES_AT_MOST])
    with contextlib.suppress(OSError):
        write_whole(path, json.dumps(newest).encode())
    return newest


def _read(path: Path) -> dict[str, tuple[int, float]]:
    with contextlib.suppress(OSError, ValueError, RecursionError):
        value: Any = json.loads(read_small(path) or b"{}")
        if isinstance(value, dict):
            return {rule_id: (int(count), float(used_at)) for rule_id, (count, used_at) in value.items()}
    return {}
