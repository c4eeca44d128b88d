"""Which tools the settings offer to a model."""

from __future__ import annotations

from workbench.providers.choices import ModelChoice
from workbench.providers.profiles import is_practice
from workbench.settings.tree import Settings


def demo_offered(settings: Settings, choice: ModelChoice) -> bool:
    """Say whether the demo tools are offered: as set, else to the practice model alone."""
    return settings.tools.demo if settings.tools.demo is not None else is_practice(choice.profile.name)
