"""The same homes and commands as in tests/cli."""

from __future__ import annotations

from tests.cli.conftest import home, inside

__all__ = ["home", "inside"]
