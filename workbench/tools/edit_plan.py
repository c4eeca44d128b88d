"""Working out an edit: which bytes a file will have, by which tier the text was found, and whether the session may change it unread.

Pure but for reading the file; the tools edit and multiedit share it, before the approval and, if the file changed meanwhile, again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import FileRefused, ToolError
from workbench.tools.base import ToolContext
from workbench.tools.file_change import Change, LineSpan, outside_change
from workbench.tools.file_targets import missing_file
from workbench.tools.matching import TIERS, Match, Tier, find_match
from workbench.workspace.editorconfig import FileStyle, file_style
from workbench.workspace.encoding import TextEncoding, canonical_codec
from workbench.workspace.files import FileBytes, SeenFiles, SeenState, read_file
from workbench.workspace.line_diff import line_opcodes, split_lines
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.saving import check_creatable, check_writable
from workbench.workspace.splice import Replacement, splice
from workbench.workspace.text import Text, model_text, read_text

TIER_WORDS: dict[Tier, str] = {
    "exact": "",
    "line_numbers": "matched after taking off line numbers",
    "trailing_whitespace": "matched ignoring blanks at line ends",
    "indentation": "matched ignoring indentation",
    "unicode": "matched ignoring typographic characters",
}


@dataclass(frozen=True)
class Edit:
    """One replacement as a model asks for it, with LF."""

    old: str
    new: str
    replace_all: bool = False


@dataclass(frozen=True)
class Known:
    """What the session knew of a file before it is read again: taken on the loop's thread, used in a worker thread.

    Attributes:
        sha256: hash last seen; None = never.
        content: the bytes last seen, if still at hand.
        setting: the encoding a person set.
    """

    sha256: str | None = None
    content: bytes | None = None
    setting: str | None = None

    @classmethod
    def of(cls, seen: SeenFiles, place: ResolvedPath) -> Known:
        """Return what the session knows of a place."""
        return cls(seen.hashes().get(str(place.real)), seen.content(place.real), seen.encoding(place.real))

    def state(self, sha256: str) -> SeenState:
        """Compare with the content now."""
        if self.sha256 is None:
            return "never"
        return "fresh" if self.sha256 == sha256 else "stale"


@dataclass(frozen=True)
class PlannedEdit:
    """A change that edits make, and how they found their places.

    Attributes:
        tier: the loosest tier that was needed.
        replacements: how many places change.
        hunks: old and new exact text of every replacement, in order: what must stay the same if the file changes elsewhere.
    """

    change: Change
    tier: Tier
    replacements: int
    hunks: tuple[tuple[str, str], ...]


def edit_of(values: Mapping[str, Any]) -> Edit:
    """Return one edit from normalised arguments."""
    return Edit(model_text(values["old_string"]), model_text(values["new_string"]), bool(values.get("replace_all", False)))


def refuse_empty_edits(edits: Sequence[Edit]) -> None:
    """Refuse what can be refused without looking at the file.

    Raises:
        ToolError: ``no_change``; ``invalid_arguments`` if there is no edit at all.
    """
    if not edits:
        raise ToolError("invalid_arguments", "'edits' is empty.", "Give at least one edit.")
    for number, edit in enumerate(edits):
        if edit.old and edit.old == edit.new:
            error = ToolError("no_change", "old_string and new_string are the same text.", "Nothing needs to be done, or the new text is missing.")
            raise _numbered(error, number, len(edits))


def work_out_edit(place: ResolvedPath, edits: Sequence[Edit], known: Known, context: ToolContext, *, tolerant: bool) -> PlannedEdit:
    """Return the change that `edits`, made one after the other, would make. Blocking; changes nothing.

    Raises:
        FileRefused: the file cannot be read, or cannot hold the new text.
        ToolError: an edit does not fit; in a list of several its number, from 0, is ``index`` in the detail.
    """
    style = file_style(place.real, context.workspace.path)
    if not place.exists and not place.dangling:
        if edits[0].old:
            raise missing_file(place, context.workspace)
        check_creatable(place)
        first = Edit("", with_line_ends(edits[0].new, style))
        return _planned(place, None, blank_text(style), [first, *edits[1:]], Known(), tolerant=tolerant)
    check_writable(place)
    before = read_file(place)
    text = read_text(before.content, setting=known.setting, hint=style.charset or None)
    planned = _planned(place, before, text, edits, known, tolerant=tolerant)
    if planned.change.after == before.content:
        raise ToolError("no_change", "The edit leaves the file as it is.", "Nothing needs to be done.")
    return planned


def _planned(place: ResolvedPath, before: FileBytes | None, text: Text, edits: Sequence[Edit], known: Known, *, tolerant: bool) -> PlannedEdit:
    state = "fresh" if before is None else known.state(before.sha256)
    current, tier, hunks, spans = text, TIERS[0], list[tuple[str, str]](), list[LineSpan]()
    for number, edit in enumerate(edits):
        try:
            match = _match(current, _without_mark(edit, text), known, state, tolerant=tolerant)
            spliced = splice(current, match.replacements)
        except (ToolError, FileRefused) as error:
            raise _numbered(error, number, len(edits)) from error
        tier = max(tier, match.tier, key=TIERS.index)
        hunks += spliced.hunks
        spans = _line_spans(spliced.text.view, match.replacements)
        current = spliced.text
    if len(edits) > 1:
        spans = changed_spans(text.view, current.view)
    change = Change(
        place=place,
        before=before,
        after=current.content,
        old_text=None if before is None else text.raw,
        new_text=current.raw,
        spans=tuple(spans),
        notes=() if before is None else _notes(text, tier, state, known),
    )
    return PlannedEdit(change, tier, len(hunks), tuple(hunks))


def _match(text: Text, edit: Edit, known: Known, state: SeenState, *, tolerant: bool) -> Match:
    """Find an edit's place; in a file that the session does not know as it is, only one exact quote proves knowledge."""
    if not edit.old:
        if text.view:
            advice = "Quote the text to replace, or use write to replace the whole file."
            raise ToolError("empty_old_string", "old_string is empty, but the file is not; nothing was changed.", advice)
        return Match("exact", (Replacement(0, 0, edit.new),))
    if state == "fresh":
        return find_match(text.view, edit.old, edit.new, replace_all=edit.replace_all, tolerant=tolerant)
    if not edit.replace_all:
        with contextlib.suppress(ToolError):
            return find_match(text.view, edit.old, edit.new, tolerant=False)
    if state == "never":
        reason = "The file was not read in this session, and the text does not occur in it exactly once."
        raise ToolError("not_read", reason, "Read the file first, then edit it.")
    raise stale_error(known, text)


def stale_error(known: Known, text: Text) -> ToolError:
    """Return the error for a file that changed on disk since the session saw it, with a short diff of that change."""
    diff = outside_change(known.content, text.raw, "on disk")
    advice = "Read it again, then repeat the change."
    return ToolError("stale_file", "The file changed on disk since it was last read; nothing was changed.", f"{advice}\n{diff}".rstrip())


def blank_text(style: FileStyle) -> Text:
    """Return the text of a new file: empty UTF-8, unless .editorconfig asks for another encoding or a byte order mark."""
    try:
        codec = canonical_codec(style.charset) if style.charset else "utf-8"
    except FileRefused:
        codec = "utf-8"
    mark = "\ufeff".encode(codec) if style.charset.startswith(("utf-16", "utf-8-bom")) else b""
    return Text(mark, TextEncoding(codec, mark), "")


def with_line_ends(text: str, style: FileStyle) -> str:
    """Return text for a new file with the line ends .editorconfig asks for; as given if it asks for none."""
    return model_text(text).replace("\n", style.line_end) if style.line_end else text


def same_hunks(one: PlannedEdit, other: PlannedEdit) -> bool:
    """Whether two plans replace the same texts by the same texts, wherever they stand."""
    return (one.tier, one.hunks) == (other.tier, other.hunks)


def _without_mark(edit: Edit, text: Text) -> Edit:
    if not text.encoding.mark:
        return edit
    return Edit(edit.old.removeprefix("\ufeff"), edit.new.removeprefix("\ufeff"), edit.replace_all)


def _line_spans(view: str, replacements: Sequence[Replacement]) -> list[LineSpan]:
    """Return the lines of the new view that replacements cover."""
    spans, gained, line, counted = list[LineSpan](), 0, 1, 0
    for start, end, new in replacements:
        new_start = start + gained
        line += view.count("\n", counted, new_start)
        counted = new_start
        spans.append(LineSpan(line, line + new.removesuffix("\n").count("\n") - (not new)))
        gained += len(new) - (end - start)
    return spans


def changed_spans(before: str, after: str) -> list[LineSpan]:
    """Return the lines of the new text that differ from the old one."""
    steps = line_opcodes(split_lines(before), split_lines(after))
    return [LineSpan(step.b1 + 1, step.b2) for step in steps if step.tag != "equal"]


def _numbered(error: ToolError | FileRefused, number: int, count: int) -> ToolError:
    detail = error.detail if isinstance(error, ToolError) else {}
    if count == 1:
        return ToolError(error.kind, error.text, error.advice, detail=detail)
    text = f"Edit {number + 1} of {count}: {error.text} None of the edits was made."
    return ToolError(error.kind, text, error.advice, detail={**detail, "index": number})


def _notes(text: Text, tier: Tier, state: SeenState, known: Known) -> tuple[str, ...]:
    notes = [f"The text was {TIER_WORDS[tier]}, not exactly."] if tier != "exact" else []
    if text.encoding.guessed:
        notes.append(f"The file's encoding is guessed ({text.encoding.codec}); bytes outside the edit stay as they are.")
    if state == "never":
        notes.append("The file was not read in this session; the quoted text occurs in it exactly once.")
    elif state == "stale":
        diff = outside_change(known.content, text.raw, "on disk")
        notes.append(f"The file changed on disk since it was read; the quoted text is still there once.\n{diff}".rstrip())
    return tuple(notes)
