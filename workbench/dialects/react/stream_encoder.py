"""Writes an answer as the stream of Chat Completions whose text is ReAct, for the practice server and for replays.

Text behind a thought is the final answer or belongs to the thought of an action, which only what follows shows. A piece whose phase is
``final`` or ``commentary`` says it at once; others wait until it is known.
"""

from __future__ import annotations

from workbench.conversation.messages import ToolCallPart
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallDropped,
    CallNamed,
    CallStarted,
    OpaqueItem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    StreamEvent,
    TextDelta,
)
from workbench.dialects.chat_completions.stream_encoder import ChatStreamEncoder
from workbench.dialects.react.labels import BLANKS, Quoter
from workbench.dialects.react.response import end_of
from workbench.dialects.react.turns import action_lines


class ReactStreamEncoder:
    """Encodes one streamed response; see `StreamEncoder`. Only the first call of an answer is written."""

    def __init__(self, *, response_id: str, model: str, created: int) -> None:
        self._chat = ChatStreamEncoder(response_id=response_id, model=model, created=created)
        self._where = ""
        self._line = "\n"
        self._waiting: list[str] = []
        self._key: int | None = None
        self._name = ""
        self._pieces: list[str] = []
        self._done = False
        self._quoter = Quoter(at_start=True)

    def feed(self, event: StreamEvent) -> bytes:
        """Return the bytes for one event; may be empty."""
        match event:
            case ReasoningDelta(field="thought" | ""):
                return self._think(event.text)
            case ReasoningDone(part=part) if part.field in ("thought", ""):
                return b"" if self._where == "thought" or not part.text else self._think(part.text)
            case TextDelta():
                return self._text(event)
            case CallStarted():
                return self._call(event)
            case CallNamed():
                self._name = event.name if event.key == self._key else self._name
                return b""
            case CallArgumentsDelta():
                if event.key == self._key:
                    self._pieces.append(event.text)
                return b""
            case CallDone():
                return self._finish_call(event)
            case CallDropped() | OpaqueItem():
                return b""
            case ResponseEnded():
                return self._end(event)
            case ResponseStarted() | ResponseFailed():
                return self._chat.feed(event)
            case _:
                return self._chat.feed(event)

    def finish(self) -> bytes:
        """Return the end marker; nothing if the answer broke off."""
        return self._chat.finish()

    def _think(self, text: str) -> bytes:
        before = self._settle(final=True) if self._where != "thought" else b""
        opening = "" if self._where == "thought" else self._fresh("Thought: ")
        self._where = "thought"
        return before + self._say(opening, text)

    def _text(self, event: TextDelta) -> bytes:
        if (self._where in ("thought", "waiting") or self._key is not None) and not event.phase:
            self._where = "waiting"
            self._waiting.append(event.text)
            return b""
        if event.phase == "commentary":
            opening = "" if self._where == "comment" else (self._fresh("\n") if self._where == "thought" else self._fresh("Thought: "))
            self._where = "comment"
            return self._say(opening, event.text)
        opening = self._fresh("Final Answer: ") if self._where in ("thought", "comment") or (self._where != "final" and event.phase == "final") else ""
        self._where = "final" if opening or self._where == "final" else "prose"
        return self._say(opening, event.text)

    def _call(self, event: CallStarted) -> bytes:
        if self._key is not None:
            return b""
        before = self._settle(final=False) + self._write(self._quoter.feed("", last=True))
        self._key, self._name = event.key, event.name
        return before

    def _finish_call(self, event: CallDone) -> bytes:
        if event.key != self._key or self._done:
            return b""
        self._done = True
        call = ToolCallPart(
            call_id=event.call_id, name=event.name, arguments_raw=event.arguments_raw, kind=event.kind, status=event.status, correction=event.correction
        )
        before = self._settle(final=False)
        return before + self._write(self._fresh("") + action_lines(call, faithful=True))

    def _end(self, event: ResponseEnded) -> bytes:
        before = self._settle(final=self._key is None) + self._write(self._quoter.feed("", last=True))
        return before + self._cut_call(event) + self._chat.feed(_as_text(event))

    def _cut_call(self, event: ResponseEnded) -> bytes:
        """Write what came of a call that never ended, as it was written."""
        if self._key is None or self._done or event.finish_reason == "incomplete":
            return b""
        return self._write(f"{self._fresh('')}Action: {self._name}\nAction Input: {''.join(self._pieces)}")

    def _settle(self, *, final: bool) -> bytes:
        """Write the text that waited: the final answer, or more of a thought."""
        text = "".join(self._waiting)
        self._waiting.clear()
        if not text.strip(BLANKS):
            return self._write(self._quoter.feed("", last=True))
        self._where = "final" if final else "comment"
        return self._say(self._fresh("Final Answer: ") if final else self._fresh("\n"), text)

    def _say(self, opening: str, text: str) -> bytes:
        """Write text that must not be taken for a label, behind a label or going on."""
        if opening:
            self._quoter = Quoter(at_start=opening.endswith("\n"))
        return self._write(opening + self._quoter.feed(text))

    def _fresh(self, label: str) -> str:
        """Return what text held back, and a label at the beginning of a line."""
        held = self._quoter.feed("", last=True)
        return held + (label if (held or self._line).endswith("\n") else f"\n{label}")

    def _write(self, text: str) -> bytes:
        if not text:
            return b""
        self._line = text
        return self._chat.feed(TextDelta(text=text))


def _as_text(event: ResponseEnded) -> ResponseEnded:
    return ResponseEnded(finish_reason=end_of(event.finish_reason) or "end", finish_raw="" if event.finish_reason == "tool_use" else event.finish_raw)
