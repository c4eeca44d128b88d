"""What a person may ask of the practice model, as values. `english` and `chinese` read sentences into these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Language: TypeAlias = Literal["en", "zh"]
DrillKind: TypeAlias = Literal[
    "rate_limit", "overloaded", "cut_stream", "cut_call", "broken_arguments", "unknown_tool", "broken_history", "endless_loop", "slow_first_token",
    "error_inside", "unknown"
]


@dataclass(frozen=True)
class Introduce:
    """Introduce this project."""


@dataclass(frozen=True)
class ReadFiles:
    """Read files; `offset` and `limit` when lines were named."""

    paths: tuple[str, ...]
    offset: int | None = None
    limit: int | None = None


@dataclass(frozen=True)
class ListFolder:
    """List a folder."""

    path: str = "."


@dataclass(frozen=True)
class FindFiles:
    """Find files by a pattern of their names."""

    pattern: str


@dataclass(frozen=True)
class SearchText:
    """Search a text in files below `path` (empty: everywhere)."""

    text: str
    path: str = ""


@dataclass(frozen=True)
class Replace:
    """Replace a text by another in a file."""

    old: str
    new: str
    path: str


@dataclass(frozen=True)
class WriteFile:
    """Write a file; None when no content was named."""

    path: str
    content: str | None


@dataclass(frozen=True)
class RunCommand:
    """Run a command."""

    command: str


@dataclass(frozen=True)
class RunTests:
    """Run the project's tests, however that is done here."""


@dataclass(frozen=True)
class FetchPage:
    """Fetch a page of the web by its whole address."""

    url: str


@dataclass(frozen=True)
class AskWeather:
    """The weather of a city and, if it rains there, a calculation. `day` is the person's own word, `reason` what is calculated."""

    city: str
    day: str = ""
    expression: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Calculate:
    """An arithmetic expression."""

    expression: str


@dataclass(frozen=True)
class AskTime:
    """Date and time."""


@dataclass(frozen=True)
class Drill:
    """Let something go wrong. `amount` is the number the person gave, in the drill's own unit."""

    kind: DrillKind
    amount: float | None = None


@dataclass(frozen=True)
class AskHelp:
    """What can you do?"""


@dataclass(frozen=True)
class AskWho:
    """Who are you, are you an AI?"""


@dataclass(frozen=True)
class Thank:
    """Thanks."""


@dataclass(frozen=True)
class GoOn:
    """Continue, again: the question before is meant."""


@dataclass(frozen=True)
class Unclear:
    """Nothing the script understands. `hint` names the ability whose words were there without what it needs."""

    hint: Literal["", "replace", "write", "weather"] = ""


Intent: TypeAlias = (
    Introduce | ReadFiles | ListFolder | FindFiles | SearchText | Replace | WriteFile | RunCommand | RunTests | FetchPage | AskWeather | Calculate | AskTime
    | Drill | AskHelp | AskWho | Thank | GoOn | Unclear
)


class Understood(NamedTuple):
    """An intent and the language it was said in."""

    intent: Intent
    language: Language
