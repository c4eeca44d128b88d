"""What the practice model takes from a request: the last question, what was done for it so far, and the offered tools.

It looks only at the end of the history, so a long one costs no more than a short one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.conversation.messages import DialectName, Message, ModelRequest, ToolCallPart
from workbench.conversation.values import JsonObject
from workbench.practice.outcomes import Outcome, outcome_of, text_below_edit

LOOKED_AT = 200
"""Messages of the current turn that are looked at, counted from the end; no ability needs more than its last few steps."""


@dataclass(frozen=True)
class Done:
    """A call of the current turn and the text that came back; None when nothing did."""

    call: ToolCallPart
    result: str | None
    decision: str = "none"

    @property
    def name(self) -> str:
        """The tool that was called."""
        return self.call.name

    @cached_property
    def arguments(self) -> JsonObject:
        """The arguments; empty when they are not an object."""
        return self.call.arguments() or {}

    @cached_property
    def outcome(self) -> Outcome:
        """What the result says about the call."""
        return outcome_of(self.result, self.decision)

    @property
    def worked(self) -> bool:
        """Whether there is a result, and it is not an error."""
        return self.outcome.kind == "ok"

    def text(self) -> str:
        """Return what the tool said, without the line on a person's edit; empty when nothing came back."""
        return text_below_edit(self.result or "")

    def argument(self, name: str) -> str:
        """Return an argument as text, empty when it is missing or something else."""
        value = self.arguments.get(name)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True)
class Talk:
    """One request, as the abilities see it.

    Attributes:
        question: the text of the last message of the user.
        before: the user's earlier messages, newest first, at most a few.
        first: the model has not answered in this session yet.
        steps: the calls made since the question, one tuple a step, with what came back; the newest last. Of a very long turn the last ones.
        rounds: how often the model has answered since the question.
        tools: names of the tools that may be called.
        serial: number of messages, for ids.
        dialect: what the request was written in.
    """

    question: str
    before: tuple[str, ...]
    first: bool
    steps: tuple[tuple[Done, ...], ...]
    rounds: int
    tools: frozenset[str]
    serial: int
    dialect: DialectName = "chat_completions"

    @property
    def last(self) -> tuple[Done, ...]:
        """What the newest step did; empty before the first."""
        return self.steps[-1] if self.steps else ()

    def done(self, *names: str) -> list[Done]:
        """Return every call of these tools in this turn, in order."""
        return [done for step in self.steps for done in step if done.name in names]


def read_talk(request: ModelRequest, dialect: DialectName = "chat_completions") -> Talk:
    """Return what concerns the last question of a request."""
    messages = request.messages
    asked = _last_question(messages, len(messages))
    since = messages[max(asked + 1, len(messages) - LOOKED_AT) :]
    barred = request.options.tool_choice == "none"
    return Talk(
        question=messages[asked].text().strip() if asked >= 0 else "",
        before=_earlier_questions(messages, asked),
        first=not any(message.role == "assistant" for message in messages),
        steps=_steps(since),
        rounds=sum(message.role == "assistant" for message in messages[asked + 1 :]),
        tools=frozenset() if barred else frozenset(tool.name for tool in request.tools),
        serial=len(messages),
        dialect=dialect,
    )


def _last_question(messages: Sequence[Message], end: int) -> int:
    """Return the index of the last message before `end` in which a user says something, -1 if there is none."""
    for index in range(end - 1, -1, -1):
        if messages[index].role == "user" and messages[index].text().strip():
            return index
    return -1


def _earlier_questions(messages: Sequence[Message], asked: int, count: int = 3) -> tuple[str, ...]:
    texts: list[str] = []
    for _ in range(count):
        asked = _last_question(messages, max(asked, 0))
        if asked < 0:
            break
        texts.append(messages[asked].text().strip())
    return tuple(texts)


def _steps(messages: Sequence[Message]) -> tuple[tuple[Done, ...], ...]:
    results = {result.call_id: result for message in messages for result in message.results()}
    steps = []
    for message in messages:
        if message.role == "assistant" and (calls := message.calls()):
            found = [(call, results.get(call.call_id)) for call in calls]
            steps.append(tuple(Done(call, result.text(), result.decision) if result else Done(call, None) for call, result in found))
    return tuple(steps)
