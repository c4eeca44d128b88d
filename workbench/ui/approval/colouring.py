"""Colours of code, worked out in slices of a few milliseconds while the text is already shown without them."""

from __future__ import annotations

import fnmatch
import importlib
import time
from collections.abc import Iterator, Mapping
from functools import cache

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.ui.approval.exact_text import Span
from workbench.ui.kit.highlight import lexer_of, syntax_token, tokens_of

LARGEST = 200_000
"""Characters; larger texts stay without colours."""
LONGEST_LINE = 5_000
SLICE_S = 0.003


class Colouring(QObject):
    """The colours of one text at a time, by line.

    Signals:
        grown: more lines have colours.
    """

    grown = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._lines: dict[int, list[Span]] = {}
        self._work: Iterator[tuple[int, Span]] = iter(())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._slice)

    @property
    def lines(self) -> Mapping[int, list[Span]]:
        """The spans of each line that has any, as far as they are known."""
        return self._lines

    def begin(self, source: str, language: str) -> None:
        """Colour another text; `language` is an alias of Pygments, or empty."""
        self._lines, self._work = {}, iter(())
        self._timer.stop()
        if language and len(source) <= LARGEST and max(map(len, source.split("\n"))) <= LONGEST_LINE:
            self._work = _coloured(source, language)
            self._timer.start(0)  # apart from what shows the text: a lexer that fails must not keep it from being shown

    def _slice(self) -> None:
        until = time.perf_counter() + SLICE_S
        for line, span in self._work:
            self._lines.setdefault(line, []).append(span)
            if time.perf_counter() > until:
                self._timer.start(0)
                break
        self.grown.emit()


def _coloured(source: str, language: str) -> Iterator[tuple[int, Span]]:
    lexer = lexer_of(language)
    if lexer is None:
        return
    line, column = 0, 0
    for kind, value in tokens_of(lexer, source):
        token = syntax_token(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                line, column = line + 1, 0
            if part and token != "text":
                yield line, Span(column, column + len(part), token)
            column += len(part)


def language_of(name: str) -> str:
    """Return the Pygments alias for a file of this name; empty if it is not known."""
    base = name.replace("\\", "/").rpartition("/")[2]
    suffixes, patterns = _languages()
    if alias := suffixes.get(base.rpartition(".")[2].lower() if "." in base else ""):
        return alias
    return next((alias for pattern, alias in patterns if fnmatch.fnmatchcase(base, pattern)), "")


@cache
def _languages() -> tuple[Mapping[str, str], tuple[tuple[str, str], ...]]:
    """Return the aliases by suffix, and by pattern of a name; no lexer is loaded for it."""
    suffixes, patterns = dict(_FIRST), []
    for _name, aliases, names, _types in importlib.import_module("pygments.lexers").get_all_lexers(plugins=False):
        for pattern in names if aliases else ():
            suffix = pattern.removeprefix("*.")
            if pattern.startswith("*.") and suffix.isalnum():
                suffixes.setdefault(suffix.lower(), aliases[0])
            else:
                patterns.append((pattern, aliases[0]))
    return suffixes, tuple(patterns)


_FIRST = {"py": "python", "html": "html", "h": "c", "sql": "sql", "ts": "typescript", "xml": "xml", "pl": "perl", "md": "markdown", "m": "objective-c"}
"""Where several languages claim a suffix."""
