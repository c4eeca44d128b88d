"""The text that tells the model where it is and how to work here: a resource with three facts filled in."""

from __future__ import annotations

import datetime
import platform
import re
from functools import cache
from pathlib import Path

from workbench.permissions.visible import visible
from workbench.resources import resource


def system_prompt(workspace: Path, *, today: datetime.date | None = None, system: str | None = None) -> tuple[str, ...]:
    """Return the system text, one entry a block.

    It changes only with the day, so that a provider's prompt cache holds; file contents never enter it.

    Args:
        workspace: the real path of the workspace folder.
        today: the person's date; asked of the clock if not given.
        system: name of the operating system; asked of it if not given.

    Raises:
        ResourceMissing: the installation is not whole.
    """
    facts = {
        "workspace": visible(str(workspace)),
        "platform": system or f"{platform.system()} {platform.machine()}",
        "date": (today or datetime.datetime.now().astimezone().date()).isoformat(),
    }
    return (re.sub(r"\{(\w+)\}", lambda match: facts[match[1]], _template()),)


@cache
def _template() -> str:
    return resource("prompts", "system.md").read_text(encoding="utf-8").strip()
