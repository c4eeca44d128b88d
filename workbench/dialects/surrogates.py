"""Characters cut in half: some servers split a text between the two UTF-16 units of one character and send each as an escape."""

from __future__ import annotations

from workbench.conversation.values import clean_text


class HalfJoiner:
    """Joins a high half at the end of one piece with the low half at the start of the next; other halves become U+FFFD.

    Attributes:
        waiting: a half is held back.
    """

    def __init__(self) -> None:
        self._half = ""

    @property
    def waiting(self) -> bool:
        """Whether a half is held back."""
        return bool(self._half)

    def feed(self, text: str) -> str:
        """Return the text that is certain now."""
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return clean_text(text)

    def finish(self) -> str:
        """Return what was held back."""
        half, self._half = self._half, ""
        return "\ufffd" if half else ""
