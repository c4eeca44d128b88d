"""Which lines differ between two texts: for splicing, for counting, and as a unified diff for people and models.

Python's own matcher drops frequent lines unless told not to, and is quadratic when told; here equal ends are cut off first and a
hopeless middle is given as one block.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

_PAIRS_LIMIT = 1_000_000


class Opcode(NamedTuple):
    """Lines ``a1:a2`` of the old text became ``b1:b2`` of the new one."""

    tag: Literal["equal", "replace", "delete", "insert"]
    a1: int
    a2: int
    b1: int
    b2: int


class LineCounts(NamedTuple):
    """How many lines a change adds and removes."""

    added: int
    removed: int


def split_lines(text: str) -> list[str]:
    """Split at LF only, each line with its LF; other characters that Unicode calls line ends are data."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def line_opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """Return the steps that turn `old` into `new`, in order and without gap."""
    head = _common_head(old, new)
    tail = _common_head(old[head:][::-1], new[head:][::-1])
    steps = [Opcode("equal", 0, head, 0, head)] if head else []
    steps += _middle(old[head : len(old) - tail], new[head : len(new) - tail], head)
    if tail:
        steps.append(Opcode("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return steps


def count_changes(old: Sequence[str], new: Sequence[str]) -> LineCounts:
    """Count the lines a change adds and removes."""
    changes = [step for step in line_opcodes(old, new) if step.tag != "equal"]
    return LineCounts(sum(step.b2 - step.b1 for step in changes), sum(step.a2 - step.a1 for step in changes))


def unified_diff(old: str, new: str, name: str, *, context: int = 3, limit_lines: int | None = None) -> str:
    """Return the change as a unified diff; empty if there is none.

    Args:
        old: the text before.
        new: the text after.
        name: path shown in the header.
        context: unchanged lines shown around a change.
        limit_lines: cut after so many lines, and say how many are missing.
    """
    old_lines, new_lines = split_lines(old), split_lines(new)
    out = [f"--- {name}", f"+++ {name}"]
    for group in _groups(line_opcodes(old_lines, new_lines), context):
        first, last = group[0], group[-1]
        out.append(f"@@ -{_extent(first.a1, last.a2)} +{_extent(first.b1, last.b2)} @@")
        for step in group:
            if step.tag == "equal":
                out += _marked(" ", old_lines[step.a1 : step.a2])
            else:
                out += _marked("-", old_lines[step.a1 : step.a2])
                out += _marked("+", new_lines[step.b1 : step.b2])
    if len(out) == 2:
        return ""
    if limit_lines is not None and len(out) > limit_lines:
        out[limit_lines:] = [f"… {len(out) - limit_lines} more lines of the diff"]
    return "\n".join(out) + "\n"


def _common_head(old: Sequence[str], new: Sequence[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count


def _middle(old: Sequence[str], new: Sequence[str], offset: int) -> list[Opcode]:
    if not old and not new:
        return []
    counts = Counter(new)
    if not old or not new or sum(counts[line] for line in old) > _PAIRS_LIMIT:
        tag: Literal["replace", "delete", "insert"] = "insert" if not old else "delete" if not new else "replace"
        return [Opcode(tag, offset, offset + len(old), offset, offset + len(new))]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [Opcode(tag, a1 + offset, a2 + offset, b1 + offset, b2 + offset) for tag, a1, a2, b1, b2 in matcher.get_opcodes()]


def _groups(steps: list[Opcode], context: int) -> Iterator[list[Opcode]]:
    """Cut the steps into hunks: a run of unchanged lines longer than twice the context ends one and begins the next."""
    group: list[Opcode] = []
    for number, step in enumerate(steps):
        if step.tag != "equal":
            group.append(step)
            continue
        if group and (step.a2 - step.a1 > 2 * context or number == len(steps) - 1):
            group.append(step._replace(a2=min(step.a2, step.a1 + context), b2=min(step.b2, step.b1 + context)))
            yield group
            group = []
        if not group:
            group = [step._replace(a1=max(step.a1, step.a2 - context), b1=max(step.b1, step.b2 - context))]
        else:
            group.append(step)
    if any(step.tag != "equal" for step in group):
        yield group


def _extent(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield "\\ No newline at end of file"
