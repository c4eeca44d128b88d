"""A question as rows of a terminal: what would run, what it touches, why it asks. Nothing is cut off, and nothing foreign can pass for ours.

Every row of foreign text stands behind a gutter or a label, hidden characters are marks, and rows are cut here, not by the terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import NamedTuple, assert_never

from workbench.cli.columns import CONTINUED, cut, folded
from workbench.cli.output import USUAL_COLUMNS, colour, columns_of, say
from workbench.conversation.calls import CallPart, Preview, Reason
from workbench.conversation.events import ApprovalRequested
from workbench.permissions.visible import visible
from workbench.words import _, badge_name, level_name, tell, tell_text

TINTS = ("faint", "blue", "amber", "amber", "red")
GUTTER = "│ "


class Row(NamedTuple):
    """One row and how it is coloured."""

    text: str
    colours: tuple[str, ...] = ()


def show(requested: ApprovalRequested) -> None:
    """Show a question whole on stderr."""
    say("")
    for row in rows(requested, columns_of(sys.stderr) or USUAL_COLUMNS):
        say(colour(row.text, *row.colours) if row.colours else row.text, fold=False)


def rows(requested: ApprovalRequested, columns: int) -> Iterator[Row]:
    """Yield the rows of a question for a terminal of that width."""
    yield from _own(_head(requested), columns, "bold", TINTS[requested.danger])
    yield from _content(requested, columns)
    yield from _parts(requested.parts, columns)
    for target in requested.targets:
        if target.outside:
            yield from _own(_("outside the workspace: {path}").format(path=visible(target.name)), columns, "red")
    for note in requested.preview.notes:
        yield from _own(visible(tell_text(note)), columns, "faint")
    yield from _own_if(_hold(requested), columns, "red" if requested.confinement == "unconfined" else "faint")
    if requested.description:
        yield from _own(_("The model says: “{text}”").format(text=visible(requested.description)), columns, "faint")
    for reason in requested.reasons:
        if reason.outcome != "allow":
            yield from _own(_("asks because: {text}").format(text=visible(tell(reason)) + _subject(reason, requested)), columns, "amber")


def _hold(requested: ApprovalRequested) -> str:
    """Return how a command would be held; empty for what runs no command."""
    match requested.confinement:
        case "confined":
            return _("A sandbox keeps it to this folder, without network.")
        case "network":
            return _("A sandbox keeps it to this folder, but it may use the network.")
        case "unconfined":
            return _("No sandbox confines it: it can do whatever you can do.")
        case "":
            return _("No sandbox confines it: it can do whatever you can do.") if requested.preview.kind == "command" else ""
        case _:
            assert_never(requested.confinement)


def _subject(reason: Reason, requested: ApprovalRequested) -> str:
    """Return what a reason is about, unless it is the whole call or the sentence names it."""
    named = not reason.subject or reason.text.endswith(f": {reason.subject}.")
    known = named or reason.code.startswith("rule.") or reason.subject == requested.preview.body or reason.code.startswith("mode.")
    return "" if known else f" ({visible(reason.subject)})"


def _head(requested: ApprovalRequested) -> str:
    facts = [_level(requested.danger), visible(" › ".join((*requested.agent, requested.tool)))]
    facts += [", ".join(map(badge_name, requested.badges))] if requested.badges else []
    return "── " + " · ".join(facts)


def _content(requested: ApprovalRequested, columns: int) -> Iterator[Row]:
    preview = requested.preview
    if preview.title and not (preview.kind == "command" and preview.body):
        yield from _foreign(preview.title, columns, "bold")
    if preview.kind == "none" or not (preview.title or preview.body):
        yield from _foreign(json.dumps(requested.arguments, ensure_ascii=False, indent=2), columns)
    elif preview.body:
        yield from _body(preview, columns)
    elif preview.kind == "new_file":
        yield from _own(_("(the file is empty)"), columns, "faint")


def _body(preview: Preview, columns: int) -> Iterator[Row]:
    for line in preview.body.removesuffix("\n").split("\n"):
        yield from _foreign(line, columns, *(_diff_tint(line) if preview.kind == "diff" else ()))
    if preview.kind == "new_file" and not preview.body.endswith("\n"):
        yield from _own(_("(without a line end after the last line)"), columns, "faint")


def _diff_tint(line: str) -> tuple[str, ...]:
    match line[:1]:
        case "+":
            return ("green",)
        case "-":
            return ("red",)
        case _:
            return ()


def _parts(parts: tuple[CallPart, ...], columns: int) -> Iterator[Row]:
    """Yield the simple commands of a shell text with the real paths they name; a single one that names none says nothing new."""
    if len(parts) < 2 and not any(part.places for part in parts):
        return
    yield from _own(_("Its parts, with the real paths they name:"), columns, "faint")
    for number, part in enumerate(parts, 1):
        places = f"  → {', '.join(part.places)}" if part.places else ""
        yield from _foreign(f"{number} · {_level(part.danger)} · {part.text}{places}", columns, TINTS[part.danger])


def _level(danger: int) -> str:
    return f"{danger} {level_name(danger)}"


def _foreign(text: str, columns: int, *colours: str) -> Iterator[Row]:
    for line in text.split("\n"):
        shown = visible(line, keep="\t").replace("\t", "⇥   ")
        yield from (Row(row, colours) for row in cut(shown, columns, gutter=GUTTER))


def _own_if(text: str, columns: int, *colours: str) -> Iterator[Row]:
    return _own(text, columns, *colours) if text else iter(())


def _own(text: str, columns: int, *colours: str) -> Iterator[Row]:
    for number, line in enumerate(folded(text, columns - len(CONTINUED)).split("\n")):
        yield from (Row(row, colours) for row in cut(line, columns, gutter=CONTINUED if number else ""))
