"""All settings as one frozen tree; each part of the program takes its own small piece of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import field

from workbench.agent.limits import Limits
from workbench.providers.profiles import PRACTICE, Profile

Theme: TypeAlias = Literal["system", "light", "dark"]
Language: TypeAlias = Literal["system", "en", "zh_CN"]
ModeName: TypeAlias = Literal["read_only", "ask", "accept_edits", "auto"]


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which model answers.

    Attributes:
        profile: name of a profile; ``practice`` is the built-in one.
        model: the provider's model id; empty takes the profile's first.
        max_output_tokens: output limit of one response; None leaves the provider's default.
        reasoning_effort: as the provider names it; None leaves the default.
    """

    profile: str = PRACTICE
    model: str = ""
    max_output_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    reasoning_effort: str | None = None


class PracticeSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the practice model streams: `tokens_per_s`, 0 for as fast as possible."""

    tokens_per_s: Annotated[float, msgspec.Meta(ge=0, le=100_000)] = 60.0


class ToolSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which tools are offered, and what commands see.

    Attributes:
        demo: adds calculator, get_current_time and get_weather; None offers them to the practice model only.
        environment: further environment variables that a person lets commands see: ``NAME`` in every project, ``NAME@/folder`` in one;
            names that change how programs load code, or lead to the desktop or its keys, are not passed even so.
    """

    demo: bool | None = None
    environment: tuple[str, ...] = ()

    def environment_of(self, folder: Path) -> tuple[str, ...]:
        """Return the names that hold for a project."""
        entries = (entry.partition("@") for entry in self.environment)
        return tuple(name for name, _, place in entries if place in {"", str(folder)})


class AppearanceSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the program looks. `zoom_percent` multiplies fonts."""

    theme: Theme = "system"
    language: Language = "system"
    zoom_percent: Annotated[int, msgspec.Meta(ge=50, le=300)] = 100
    hold_still: bool = False


class Settings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The whole tree, as `settings.toml` holds it."""

    mode: ModeName = "ask"
    model: ModelSettings = field(default_factory=ModelSettings)
    limits: Limits = field(default_factory=Limits)
    practice: PracticeSettings = field(default_factory=PracticeSettings)
    tools: ToolSettings = field(default_factory=ToolSettings)
    appearance: AppearanceSettings = field(default_factory=AppearanceSettings)
    profiles: tuple[Profile, ...] = ()
