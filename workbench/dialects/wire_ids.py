"""Call ids as a provider wants them: unique in the request, short enough, of the right letters, and the same every time.

A provider may have used one id in several turns, or ids that another provider refuses. The mapping depends only on the calls that
came before, so that the beginning of a request stays byte-equal from step to step (prompt caches).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Literal

from workbench.conversation.messages import ToolCallPart
from workbench.dialects.calls import derived_id

_MISTRAL = re.compile(r"[a-zA-Z0-9]{9}")
_PLAIN = re.compile(r"[a-zA-Z0-9_-]+")


class WireIds:
    """Gives out the ids of one request.

    Args:
        id_format: ``any``; ``mistral``: nine letters or digits; ``plain``: letters, digits, underscores and hyphens (Anthropic).
        longest: the most characters an id may have.
    """

    def __init__(self, id_format: Literal["any", "mistral", "plain"] = "any", longest: int = 40) -> None:
        self._format = id_format
        self._longest = longest
        self._used: set[str] = set()
        self._times: dict[str, int] = {}

    def copy(self) -> WireIds:
        """Return ids that go on behind the same calls."""
        other = WireIds(self._format, self._longest)
        other._used = set(self._used)
        other._times = dict(self._times)
        return other

    def of_calls(self, calls: Iterable[ToolCallPart]) -> dict[str, str]:
        """Return the wire id of each call of one message by its call id; call this for the messages in order."""
        return {call.call_id: self._unused(call.call_id) for call in calls}

    def _unused(self, call_id: str) -> str:
        again = self._times.get(call_id, 1)  # the names before are taken: an id that every turn has is not sought anew from the first
        wanted = self._formatted(call_id if again == 1 else f"{call_id} {again}")
        while wanted in self._used:
            again += 1
            wanted = self._formatted(f"{call_id} {again}")
        self._used.add(wanted)
        self._times[call_id] = again
        return wanted

    def _formatted(self, call_id: str) -> str:
        if self._format == "mistral":
            return call_id if _MISTRAL.fullmatch(call_id) else hashlib.sha1(call_id.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:9]
        allowed = _PLAIN.fullmatch(call_id) if self._format == "plain" else call_id and " " not in call_id and call_id.isprintable()
        return call_id if allowed and len(call_id) <= self._longest else derived_id(call_id)
