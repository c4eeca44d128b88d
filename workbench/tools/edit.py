"""The tool ``edit``: replace one text in one file, found as quoted and shown as the exact bytes before it is made."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from workbench.conversation.calls import Preview
from workbench.conversation.values import clean_text
from workbench.errors import FileRefused, ToolError
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import BuiltinTool
from workbench.tools.edit_plan import TIER_WORDS, Edit, Known, PlannedEdit, edit_of, refuse_empty_edits, same_hunks, work_out_edit
from workbench.tools.file_change import change_preview, changed_meanwhile, current_ticket, numbered_lines, place_notes, still_as_planned, write_change
from workbench.tools.file_targets import Written, finish_in_thread, in_thread, on_one_line, path_target, planned_place, resolve_target, shown_name
from workbench.workspace.paths import ResolvedPath


class EditTool(BuiltinTool):
    """Replaces text in a file.

    Attributes:
        tolerant: also find text that differs in line numbers, blanks at line ends, indentation or typographic characters.
    """

    def __init__(self, *, tolerant: bool = True) -> None:
        super().__init__("edit", "edit")
        self.tolerant = tolerant

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Work out the file's new bytes; see `plan_edits`."""
        return await plan_edits(self.name, arguments, [edit_of(arguments)], context, tolerant=self.tolerant)

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Write the planned bytes; see `apply_edits`."""
        return await apply_edits(plan, [edit_of(plan.arguments)], context, tolerant=self.tolerant)


async def plan_edits(tool: str, arguments: dict[str, Any], edits: Sequence[Edit], context: ToolContext, *, tolerant: bool) -> Plan:
    """Work out what edits of one file would make of it. A file outside the roots is not read before it is allowed.

    Raises:
        ToolError: the edits cannot be made; nothing was touched.
    """
    refuse_empty_edits(edits)
    place = await in_thread(resolve_target, arguments["file_path"], context)
    name = shown_name(place, context.workspace)
    targets = (path_target(place, "write"),)
    if not place.inside:
        return Plan(tool=tool, arguments=arguments, targets=targets, preview=_unread_preview(name, edits))
    planned = await in_thread(work_out_edit, place, edits, Known.of(context.seen, place), context, tolerant=tolerant)
    change = replace(planned.change, notes=(*planned.change.notes, *await in_thread(place_notes, place, name)))
    return Plan(
        tool=tool,
        arguments=arguments,
        targets=targets,
        preview=await in_thread(change_preview, change, name),
        base_hashes={clean_text(str(place.real)): change.base_sha256},
        tickets={clean_text(str(place.real)): change.ticket.identity},
        payload=replace(planned, change=change),
    )


async def apply_edits(plan: Plan, edits: Sequence[Edit], context: ToolContext, *, tolerant: bool) -> Result:
    """Make planned edits. If the file changed meanwhile they are made only if they still replace the same text.

    Raises:
        ToolError: ``changed_during_approval`` and whatever refuses the write; the file is unchanged.
        Interrupted: cancelled while writing; the file was written.
    """
    place = await planned_place(plan, context)
    known = Known.of(context.seen, place)
    return await finish_in_thread(functools.partial(_carry_out, plan.payload, place, edits, known, context, tolerant), context.seen)


def _carry_out(planned: PlannedEdit | None, place: ResolvedPath, edits: Sequence[Edit], known: Known, context: ToolContext, tolerant: bool) -> Written:
    if planned is None:
        planned = work_out_edit(place, edits, known, context, tolerant=tolerant)
    elif not still_as_planned(planned.change, place):
        planned = _planned_again(planned, place, edits, known, context)
    change = replace(planned.change, place=place)
    name = shown_name(place, context.workspace)
    written = write_change(change, context.objects, name)
    counts = f"(+{written.added} −{written.removed})"
    if change.before is None:
        text = f"Created {on_one_line(name)} ({_amount(written.added, 'line')})"
    else:
        how = f", {TIER_WORDS[planned.tier]}" if TIER_WORDS[planned.tier] else ""
        text = f"Edited {on_one_line(name)}: {_amount(planned.replacements, 'replacement')}, {_lines(planned)} {counts}{how}"
        text = "\n".join(part for part in (text, numbered_lines(change.new_text, change.spans), *planned.change.notes) if part)
    ui = {"path": name, "tier": planned.tier, "replacements": planned.replacements, "spans": [list(span) for span in change.spans], "notes": list(change.notes)}
    result = Result(text=text, files_changed=(written,), facts=f"+{written.added} −{written.removed}", ui=ui)
    return Written(result, place.real, change.after, str(written.after_sha256))


def _planned_again(planned: PlannedEdit, place: ResolvedPath, edits: Sequence[Edit], known: Known, context: ToolContext) -> PlannedEdit:
    """Work the edits out on the same file with what somebody wrote to it meanwhile; they must replace the same text by the same text."""
    try:
        now = current_ticket(place)
        if not now.same_file(planned.change.ticket) or now.sha256 == planned.change.base_sha256:
            raise changed_meanwhile(place)  # another file took the name
        fresh = replace(known, sha256=now.sha256)
        again = work_out_edit(place, edits, fresh, context, tolerant=planned.tier != "exact")
    except (ToolError, FileRefused) as error:
        raise changed_meanwhile(place) from error
    if (planned.change.before is None) != (again.change.before is None) or not same_hunks(planned, again):
        raise changed_meanwhile(place)
    note = "The file was changed elsewhere while the edit waited; that change was kept."
    return replace(again, change=replace(again.change, notes=(*again.change.notes, note)))


def _unread_preview(name: str, edits: Sequence[Edit]) -> Preview:
    blocks = [f"- {edit.old}\n+ {edit.new}" for edit in edits]
    note = "The file is outside the workspace: it is not read before you allow it, so only the texts of the call can be shown."
    return Preview(kind="text", title=name, body="\n\n".join(blocks), notes=(note,))


def _lines(planned: PlannedEdit) -> str:
    spans = planned.change.spans
    if not spans:
        return "no lines"
    first, last = spans[0].first, max(spans[-1].last, spans[-1].first)
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _amount(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
