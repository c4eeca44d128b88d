"""How many tokens a text may be: an estimate, because each model cuts text in its own way and none of the providers' rules is at hand.

The rule: four characters a token, but one for each character of Chinese, Japanese or Korean. It is off by a fifth or so for prose and more
for code; a provider's own count for a request, once known, scales it.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from workbench.conversation.messages import FilePart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolDefinition, ToolResultPart
from workbench.conversation.values import JsonValue

CHARACTERS_PER_TOKEN = 4
SAMPLE = 20_000
"""Characters of a long text that are looked at."""
LEAST_FACTOR, MOST_FACTOR = 0.25, 4.0
_WIDE = re.compile("[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


class Scale(NamedTuple):
    """What makes tokens of a size; 1 unless a provider counted."""

    factor: float = 1.0

    @classmethod
    def fitted(cls, size: float, tokens: int) -> Scale:
        """Return the scale by which `size` is `tokens`; at most four times and at least a quarter of the rule, or something else was counted too."""
        return cls(min(max(tokens / size, LEAST_FACTOR), MOST_FACTOR)) if size > 0 and tokens > 0 else cls()

    def tokens(self, size: float) -> int:
        """Return a size as tokens; what is not empty is at least one."""
        return max(1, round(size * self.factor)) if size > 0 else 0


def size_of_text(text: str) -> float:
    """Return the estimated tokens of a text, unscaled. Of a long text the beginning stands for the whole: at most 50 µs whatever its length."""
    if text.isascii():
        return len(text) / CHARACTERS_PER_TOKEN
    sample = text[:SAMPLE]
    wide = len(sample) - len(_WIDE.sub("", sample))
    return (wide + (len(sample) - wide) / CHARACTERS_PER_TOKEN) * len(text) / len(sample)


def size_of_json(value: JsonValue) -> float:
    """Return the estimated tokens of a JSON value in its shortest spelling, unscaled."""
    return size_of_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def size_of_part(part: Part) -> float:
    """Return the size of what a part says; pictures and documents, of which only a provider knows the worth, count nothing."""
    match part:
        case TextPart(text=text):
            return size_of_text(text)
        case ReasoningPart():
            return size_of_text(part.text) + sum(map(size_of_text, part.summary))
        case ToolCallPart():
            return size_of_text(part.name) + size_of_text(part.arguments_raw)
        case ToolResultPart():
            return sum(size_of_text(piece.text) for piece in part.content if isinstance(piece, TextPart))
        case OpaquePart(item=item):
            return size_of_json(item)
        case ImagePart() | FilePart():
            return 0.0


def size_of_tool(tool: ToolDefinition) -> float:
    """Return the size of what the model is told of a tool."""
    return size_of_text(tool.name) + size_of_text(tool.description) + size_of_json(tool.input_schema)
