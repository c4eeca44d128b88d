"""The one dialect of file-name patterns: ``*`` within a folder, ``**`` across folders, ``?``, ``[abc]``, ``{a,b}``, ``{1..3}``.

Case matters, names that begin with a dot count. A pattern without a slash fits at any depth, one with a slash only from its base.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import bracex

from workbench.errors import ToolError

MAX_ALTERNATIVES = 1_000
MAX_CHARACTERS = 2_000
MAX_DOUBLE_STARS = 4
"""More could take for ever to compare with a deep path: what ``**`` may stand for is tried in all combinations."""

_MAGIC = re.compile(r"[*?\[\\]")


@dataclass(frozen=True)
class NamePattern:
    """A pattern, ready to be compared with paths relative to its base (slashes, no leading ``./``).

    Attributes:
        text: as it was given.
        alternatives: what its braces stand for, each compared from the base.
    """

    text: str
    alternatives: tuple[str, ...]

    def fits(self, path: str) -> bool:
        """Whether a path matches."""
        return self._exact.match(path) is not None

    def fits_in_other_case(self, path: str) -> bool:
        """Whether a path would match if upper and lower case were the same."""
        return self._folded.match(path) is not None

    @cached_property
    def _exact(self) -> re.Pattern[str]:
        return _compiled(self.alternatives, same_case=True)

    @cached_property
    def _folded(self) -> re.Pattern[str]:
        return _compiled(self.alternatives, same_case=False)


def name_pattern(text: str, *, is_folder: Callable[[str], bool] = lambda _path: False) -> NamePattern:
    """Read a pattern.

    Args:
        text: as the model wrote it; ``./x`` and ``/x`` are anchored at the base; a trailing slash means all files below.
        is_folder: tells whether a plain relative path names a folder, whose files are then meant.

    Raises:
        ToolError: empty, too long, too many alternatives (``invalid_arguments``); climbs out (``outside_workspace``).
    """
    if not text.strip() or "\0" in text:
        raise ToolError("invalid_arguments", "The pattern holds a NUL character." if text.strip() else "The pattern is empty.", "Give one such as '*.py'.")
    if len(text) > MAX_CHARACTERS:
        raise ToolError("invalid_arguments", f"The pattern has {len(text)} characters; {MAX_CHARACTERS} is the most.", "Search in several calls.")
    alternatives = _expanded(text)
    if any(one.startswith("~") or ".." in one.split("/") for one in alternatives):
        raise ToolError("outside_workspace", f"The pattern {text!r} leads out of the folder.", "Give the folder in 'path' and a pattern below it.")
    pattern = NamePattern(text, tuple(_from_base(one, is_folder) for one in alternatives))
    if any(one.split("/").count("**") > MAX_DOUBLE_STARS for one in pattern.alternatives):
        raise ToolError("invalid_arguments", f"The pattern has more than {MAX_DOUBLE_STARS} '**'.", "Use fewer, or set 'path'.")
    return pattern


def _expanded(text: str) -> list[str]:
    try:
        return bracex.expand(text, keep_escapes=True, limit=MAX_ALTERNATIVES)
    except bracex.ExpansionLimitException:
        problem = f"The braces of {text[:80]!r} stand for more than {MAX_ALTERNATIVES} patterns."
        raise ToolError("invalid_arguments", problem, "Use fewer alternatives.") from None


def _from_base(text: str, is_folder: Callable[[str], bool]) -> str:
    """Return one alternative in the form that is compared from the base."""
    anchored = "/" in text
    text = re.sub(r"^(\./+|/+)+", "", text)
    if text.endswith("/") or not text:
        text += "**"
    elif not _MAGIC.search(text) and is_folder(text):
        text += "/**"
    elif not anchored:
        text = f"**/{text}"
    return re.sub(r"(^|/)(?:\*\*/)+(?=\*\*(?:/|$))", r"\1", text)


def _compiled(alternatives: tuple[str, ...], *, same_case: bool) -> re.Pattern[str]:
    glob = importlib.import_module("wcmatch.glob")
    flags = glob.GLOBSTAR | glob.DOTGLOB | glob.FORCEUNIX | (glob.CASE if same_case else glob.IGNORECASE)
    wanted = [expression for one in alternatives for expression in glob.translate(one, flags=flags)[0]]
    return re.compile("|".join(f"(?:{expression})" for expression in wanted))
