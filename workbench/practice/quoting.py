"""Take what a person put in quotation marks out of a sentence, so that patterns see short words, and put it back.

``replace "a b" with `c` in x.py`` becomes ``replace ⟦0⟧ with ⟦1⟧ in x.py`` with two private characters as brackets. One pass over the text,
whatever is in it: each kind of closing mark that is missing is looked for once.
"""

from __future__ import annotations

import re

OPEN, CLOSE = "\ue000", "\ue001"
QUOTED = f"{OPEN}\\d+{CLOSE}"
"""Pattern of one quoted piece."""

_PAIRS = {"```": "```", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", '"': '"', "'": "'"}
_OPENING = re.compile("```|[`“‘「『\"]|(?<![\\w\\\\])'")
_FENCE_HEAD = re.compile(r"[^\n`]*\n")
_MARK = re.compile(f"{OPEN}(\\d+){CLOSE}")


class Quoted:
    """A sentence whose quoted pieces were taken out.

    Attributes:
        text: the sentence with marks instead.
    """

    def __init__(self, sentence: str) -> None:
        self._inner: list[str] = []
        self._whole: list[str] = []
        self.text = self._take_out(sentence.replace(OPEN, "").replace(CLOSE, ""))

    def _take_out(self, sentence: str) -> str:
        kept: list[str] = []
        position = 0
        missing: set[str] = set()
        while opening := _OPENING.search(sentence, position):
            closing = _PAIRS[opening[0]]
            end = -1 if closing in missing else sentence.find(closing, opening.end())
            kept.append(sentence[position : opening.start()])
            if end < 0:
                missing.add(closing)
                kept.append(opening[0])
                position = opening.end()
            else:
                kept.append(self._mark(sentence[opening.start() : end + len(closing)], sentence[opening.end() : end]))
                position = end + len(closing)
        return "".join((*kept, sentence[position:]))

    def _mark(self, whole: str, inner: str) -> str:
        if whole.startswith("```"):
            inner = _FENCE_HEAD.sub("", inner, count=1).removesuffix("\n")
        self._inner.append(inner)
        self._whole.append(whole)
        return f"{OPEN}{len(self._inner) - 1}{CLOSE}"

    def back(self, text: str) -> str:
        """Return a piece of `text` as the person wrote it, with its quotation marks."""
        return _MARK.sub(lambda mark: self._whole[int(mark[1])], text)

    def value(self, text: str) -> str:
        """Return what a piece of `text` means: the inside if it is one quoted piece, else the words as written, trimmed."""
        text = text.strip()
        mark = _MARK.fullmatch(text)
        return self._inner[int(mark[1])] if mark else self.back(text)

    def content(self, text: str) -> str:
        """Return what a piece of `text` means as the content of a file: like `value`, but its first line keeps its indentation."""
        return self.value(text) if self.is_quoted(text) else self.back(text.strip("\n"))

    def is_quoted(self, text: str) -> bool:
        """Say whether a piece of `text` is exactly one quoted piece."""
        return _MARK.fullmatch(text.strip()) is not None
