"""The tool ``write``: create a file, or replace the whole content of one that the session has read."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from typing import Any

from workbench.conversation.calls import Preview
from workbench.conversation.values import clean_text
from workbench.errors import FileRefused, ToolError
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import BuiltinTool
from workbench.tools.edit_plan import Known, blank_text, changed_spans, stale_error, with_line_ends
from workbench.tools.file_change import Change, change_preview, changed_meanwhile, place_notes, still_as_planned, write_change
from workbench.tools.file_targets import Written, finish_in_thread, in_thread, on_one_line, path_target, planned_place, resolve_target, shown_name
from workbench.workspace.editorconfig import FileStyle, file_style
from workbench.workspace.files import FileBytes, read_file
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.saving import check_creatable, check_writable
from workbench.workspace.splice import replace_whole
from workbench.workspace.text import Text, model_text, read_text

_PLACEHOLDER = re.compile(
    r"\W{0,4}(\.{3}|…)?\s*\(?(the )?(rest|remainder|remaining|existing|other|previous|unchanged|same)\b.{0,60}"
    r"\b(code|file|unchanged|same|as before|here|implementation|methods?|functions?|content|above|below)\b.{0,20}(\.{3}|…)?\W{0,4}",
    re.IGNORECASE,
)
_ELLIPSIS_SIGNS = ("...", "…")


class WriteTool(BuiltinTool):
    """Writes a whole file."""

    def __init__(self) -> None:
        super().__init__("write", "edit")

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Work out the bytes the file would have. A file outside the roots is not read before it is allowed.

        Raises:
            ToolError: ``not_read``, ``stale_file``, ``no_change`` and what makes the place unfit; nothing was touched.
        """
        place = await in_thread(resolve_target, arguments["file_path"], context)
        name = shown_name(place, context.workspace)
        targets = (path_target(place, "write"),)
        if not place.inside:
            note = "The file is outside the workspace: whether it exists, and what it holds, is not looked at before you allow it."
            preview = Preview(kind="new_file", title=name, body=arguments["content"], after=arguments["content"], notes=(note,))
            return Plan(tool=self.name, arguments=arguments, targets=targets, preview=preview)
        change = await in_thread(_work_out, place, arguments["content"], Known.of(context.seen, place), context)
        change = replace(change, notes=(*change.notes, *await in_thread(place_notes, place, name)))
        return Plan(
            tool=self.name,
            arguments=arguments,
            targets=targets,
            preview=await in_thread(change_preview, change, name),
            base_hashes={clean_text(str(place.real)): change.base_sha256},
            tickets={clean_text(str(place.real)): change.ticket.identity},
            payload=change,
        )

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Write the planned bytes, if the place is as it was.

        Raises:
            ToolError: ``changed_during_approval`` and whatever refuses the write; the file is unchanged.
            Interrupted: cancelled while writing; the file was written.
        """
        place = await planned_place(plan, context)
        known = Known.of(context.seen, place)
        return await finish_in_thread(functools.partial(_carry_out, plan.payload, plan.arguments["content"], place, known, context), context.seen)


def _work_out(place: ResolvedPath, content: str, known: Known, context: ToolContext) -> Change:
    style = file_style(place.real, context.workspace.path)
    if not place.exists:
        check_creatable(place)
        blank = blank_text(style)
        return _change(place, None, blank, replace_whole(blank, with_line_ends(content, style)), None)
    check_writable(place)
    before = read_file(place)
    state = known.state(before.sha256)
    text = _old_text(before, known, style)
    if state == "never":
        raise ToolError("not_read", f"{place.request!r} exists and was not read in this session.", "Read it first, or change a part of it with edit.")
    if state == "stale":
        raise stale_error(known, text if text is not None else blank_text(style))
    after = replace_whole(text if text is not None else blank_text(style), content)
    if after == before.content:
        raise ToolError("no_change", "The file has exactly that content already.", "Nothing needs to be done.")
    return _change(place, before, text, after, placeholder_line(text.view if text is not None else "", content))


def _old_text(before: FileBytes, known: Known, style: FileStyle) -> Text | None:
    """Return the old content as text; None if it is binary, which a new text may replace."""
    try:
        return read_text(before.content, setting=known.setting, hint=style.charset or None)
    except FileRefused as refused:
        if refused.kind != "binary_file":
            raise
        return None


def _change(place: ResolvedPath, before: FileBytes | None, text: Text | None, after: bytes, placeholder: str | None) -> Change:
    encoding = text.encoding if text is not None else blank_text(FileStyle()).encoding
    new_text = after[len(encoding.mark) :].decode(encoding.codec)
    notes = []
    if text is None:
        notes.append("The old content is binary; it is replaced as a whole.")
    elif before is not None and encoding.guessed:
        notes.append(f"The file's encoding is guessed ({encoding.codec}).")
    if placeholder is not None:
        notes.append(f"Warning: the line {placeholder!r} looks like a stand-in for text of the old file, which would be lost.")
    old_text = text.raw if text is not None and before is not None else None
    spans = changed_spans(old_text or "", new_text)
    return Change(place, before, after, old_text, new_text, tuple(spans), tuple(notes))


def placeholder_line(old: str, new: str) -> str | None:
    """Return a line of the new text, such as ``# ... rest of code unchanged ...``, that the old text did not have; None if there is none."""
    known = {line.strip() for line in old.split("\n")}
    for line in model_text(new).split("\n"):
        stripped = line.strip()
        if stripped in known or len(stripped) > 120 or not any(sign in stripped for sign in _ELLIPSIS_SIGNS):
            continue
        if _PLACEHOLDER.search(stripped):
            return stripped
    return None


def _carry_out(change: Change | None, content: str, place: ResolvedPath, known: Known, context: ToolContext) -> Written:
    if change is None:
        change = _work_out(place, content, known, context)
    elif not still_as_planned(change, place):
        raise changed_meanwhile(place)
    change = replace(change, place=place)
    name = shown_name(place, context.workspace)
    written = write_change(change, context.objects, name)
    if change.before is None:
        text = f"Created {on_one_line(name)} ({written.added} {'line' if written.added == 1 else 'lines'})"
    else:
        text = f"Replaced {on_one_line(name)} (+{written.added} −{written.removed} lines)"
    result = Result(
        text="\n".join((text, *change.notes)),
        files_changed=(written,),
        facts=f"+{written.added} −{written.removed}",
        ui={"path": name, "created": change.before is None, "notes": list(change.notes)},
    )
    return Written(result, place.real, change.after, str(written.after_sha256))
