"""The tool ``read``: a page of a text file with line numbers, a folder, a picture, a PDF or a notebook; nothing is changed."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from workbench.conversation.values import clean_text
from workbench.errors import FileRefused, ToolError
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import BuiltinTool
from workbench.tools.edit_plan import Known
from workbench.tools.file_targets import in_thread, missing_file, on_one_line, path_target, resolve_target, shown_name
from workbench.tools.images import ImageScaler as ImageScaler  # other rooms take it from here
from workbench.tools.images import attachment_of, picture_of
from workbench.tools.read_notebook import notebook_cells
from workbench.tools.read_page import PAGE_LIMIT_BYTES
from workbench.tools.read_pdf import PDF_LIMIT_BYTES, read_pdf
from workbench.tools.read_text import TextPage, page_of_content, page_of_stream
from workbench.tools.secret_page import holds_secrets, preview_of, secret_page
from workbench.workspace.beneath import Entry
from workbench.workspace.editorconfig import file_style
from workbench.workspace.files import EDIT_LIMIT_BYTES, FileBytes, check_kind, open_file, read_file, size_text
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.reaching import hold_folder

DEFAULT_LINES = 2000

_HEAD_BYTES = 32
_NOTE_WORDS = {
    "crlf": "line endings: CRLF, kept by the edit tools",
    "mixed_endings": "line endings: mixed CRLF and LF, kept by the edit tools",
    "cr_endings": "line endings: CR, kept by the edit tools",
    "lone_cr": "lone carriage returns are shown as ␍",
    "tabs": "indentation: tabs",
    "no_final_newline": "no newline at end of file",
    "long_lines": "long lines are cut",
    "capped": f"the page ends early at {PAGE_LIMIT_BYTES // 1024} KB",
}


class ReadTool(BuiltinTool):
    """Reads files and folders.

    Attributes:
        scaler: makes large pictures small; without it they are refused with a sentence.
    """

    def __init__(self, *, scaler: ImageScaler | None = None) -> None:
        super().__init__("read", "read")
        self.scaler = scaler

    async def prepare(self, arguments: dict[str, Any], context: ToolContext) -> Plan:
        """Find out what would be read, by its kind alone.

        Raises:
            ToolError: it does not exist (with near names), or is neither file nor folder.
        """
        place = await in_thread(_readable, arguments["file_path"], context)
        return Plan(tool=self.name, arguments=arguments, targets=(path_target(place, "read"),), preview=preview_of(place, arguments), notices=_notices(place))

    async def apply(self, plan: Plan, context: ToolContext) -> Result:
        """Read what was planned, and note that the session has seen it.

        Raises:
            ToolError: it cannot be read, or is not what it was when it was planned.
        """
        place = await in_thread(_readable, plan.arguments["file_path"], context)
        if path_target(place, "read") != plan.targets[0]:
            raise ToolError("changed_during_approval", f"{place.request!r} leads to another place by now.", "Call the tool again.")
        if place.is_folder:
            return await in_thread(_read_folder, place, plan.arguments, context)
        head = await in_thread(_head, place)
        if head.startswith(b"%PDF-"):
            return await self._pdf(place, plan.arguments.get("pages"), context)
        if "pages" in plan.arguments:
            raise ToolError("invalid_arguments", "'pages' is for PDF files only.", "Use offset and limit.")
        if picture_of(head) is not None:
            return await self._picture(place, context)
        return await self._text(place, plan.arguments, context)

    async def _text(self, place: ResolvedPath, arguments: dict[str, Any], context: ToolContext) -> Result:
        stop = threading.Event()
        try:
            file, result = await in_thread(_read_text, place, arguments, Known.of(context.seen, place), context, stop.is_set)
        except asyncio.CancelledError:
            stop.set()
            raise
        if file is not None:
            context.seen.record(place.real, file.content, file.sha256)
        return secret_page(result, arguments) if holds_secrets(place) else result

    async def _picture(self, place: ResolvedPath, context: ToolContext) -> Result:
        file = await in_thread(_hashed, place, EDIT_LIMIT_BYTES)
        content, picture = file.content, picture_of(file.content)
        assert picture is not None  # noqa: S101 - its head was one
        size = f"{picture.width_px}×{picture.height_px}" if picture.width_px else "of unknown size"
        facts = f"{picture.kind} {size}, {size_text(len(content))}"
        context.seen.record(place.real, content, file.sha256)
        if not context.can_see_images:
            return _described(place, context, "image", f"({facts}; this model cannot see images)", facts)
        attachment, scaled = await attachment_of(picture, content, facts, self.scaler)
        note = ", scaled down" if scaled else ""
        return replace(_described(place, context, "image", f"({facts}{note})", facts), attachments=(attachment,))

    async def _pdf(self, place: ResolvedPath, pages: str | None, context: ToolContext) -> Result:
        file = await in_thread(_hashed, place, PDF_LIMIT_BYTES)
        found = await read_pdf(file.content, pages)
        parts = [f"--- page {number} of {found.page_count} ---\n{text.strip()}" for number, text in sorted(found.texts.items())]
        if not any(text.strip() for text in found.texts.values()):
            parts.append("(These pages have no text; they are probably scanned pictures.)")
        context.seen.record_hash(place.real, file.sha256)
        facts = f"{len(found.texts)} of {found.page_count} pages"
        return await in_thread(_capped, place, context, "pdf", clean_text("\n".join(parts)), f"({facts})", facts)


def _notices(place: ResolvedPath) -> tuple[str, ...]:
    """Return what reading cannot find out: whether a file inside is also one outside."""
    if not place.is_file or place.status is None or place.status.st_nlink == 1:
        return ()
    return (f"The file has {place.status.st_nlink} names (hard links); others may lie outside the workspace.",)


def _readable(request: str, context: ToolContext) -> ResolvedPath:
    place = resolve_target(request, context)
    if place.is_folder:
        return place
    if not place.exists and not place.dangling and place.inside:
        raise missing_file(place, context.workspace)
    if place.exists or place.inside:
        check_kind(place)
    return place


def _head(place: ResolvedPath) -> bytes:
    with open_file(place) as file:
        return file.read(_HEAD_BYTES)


def _hashed(place: ResolvedPath, limit_bytes: int) -> FileBytes:
    """Read a file and compute its hash, both off the loop."""
    file = read_file(place, limit_bytes=limit_bytes)
    _ = file.sha256
    return file


def _read_text(
    place: ResolvedPath, arguments: dict[str, Any], known: Known, context: ToolContext, stopped: Callable[[], bool]
) -> tuple[FileBytes | None, Result]:
    """Return the page, and the whole file if it is small enough to be edited."""
    offset, limit = arguments.get("offset", 1), arguments.get("limit", DEFAULT_LINES)
    with open_file(place) as file:
        size_bytes = os.fstat(file.fileno()).st_size
        if size_bytes > EDIT_LIMIT_BYTES:
            page = page_of_stream(file, size_bytes, offset, limit, setting=known.setting, stopped=stopped)
            return None, _page_result(place, page, context)
    whole = _hashed(place, EDIT_LIMIT_BYTES)
    if place.real.suffix == ".ipynb" and (cells := notebook_cells(whole.content)) is not None:
        return whole, _notebook_result(place, cells, arguments, context)
    hint = file_style(place.real, context.workspace.path).charset or None
    return whole, _page_result(place, page_of_content(whole.content, offset, limit, setting=known.setting, hint=hint), context)


def _page_result(place: ResolvedPath, text: TextPage, context: ToolContext) -> Result:
    page, name = text.page, shown_name(place, context.workspace)
    lines = clean_text("\n".join(page.lines))
    body = f"<content>\n{lines}\n</content>" if page.lines else "(the file is empty)" if "empty" in page.notes else "(no lines)"
    notes = [*page.notes, *_encoding_notes(text)]
    facts = [*(_NOTE_WORDS[note] for note in page.notes if note in _NOTE_WORDS), *_encoding_words(text)]
    parts = [f"<path>{on_one_line(name)}</path>", "<type>file</type>", body, _position(text)]
    if facts:
        parts.append(f"({' · '.join(facts)})")
    return Result(
        text="\n".join(part for part in parts if part),
        facts=f"{len(page.lines)} {'line' if len(page.lines) == 1 else 'lines'}",
        truncated=page.more,
        ui={
            "kind": "text",
            "path": name,
            "first": page.first,
            "last": page.last,
            "total_lines": page.total_lines if page.counted_all else None,
            "more": page.more,
            "notes": notes,
        },
    )


def _position(text: TextPage) -> str:
    page = text.page
    if not page.lines:
        return ""
    if text.from_end:
        return "(line numbers count from the end: the file is too large to count its lines)"
    total = str(page.total_lines) if page.counted_all else f"at least {page.total_lines}"
    shown = f"line {page.first}" if len(page.lines) == 1 else f"lines {page.first}-{page.last}"
    return f"({shown} of {total}{f'; continue with offset={page.last + 1}' if page.more else ''})"


def _encoding_notes(text: TextPage) -> list[str]:
    notes = [f"encoding:{text.encoding.codec}"] if text.encoding.codec != "utf-8" else []
    return notes + ["guessed"] * text.encoding.guessed + ["bom"] * bool(text.encoding.mark) + ["damaged"] * text.damaged


def _encoding_words(text: TextPage) -> list[str]:
    encoding = text.encoding
    words = [f"encoding: {encoding.codec}{' (guessed)' if encoding.guessed else ''}, kept by the edit tools"] if encoding.codec != "utf-8" else []
    return words + ["byte order mark, kept"] * bool(encoding.mark) + ["bytes that are no text are shown as \ufffd"] * text.damaged


def _notebook_result(place: ResolvedPath, cells: Sequence[str], arguments: dict[str, Any], context: ToolContext) -> Result:
    offset, limit = arguments.get("offset", 1) or 1, arguments.get("limit", len(cells) or 1)
    first = max(1, len(cells) + offset + 1) if offset < 0 else offset
    shown = cells[first - 1 : first - 1 + limit]
    if cells and not shown:
        raise ToolError("offset_out_of_range", f"The notebook has {len(cells)} cells; cell {first} does not exist.", detail={"total_lines": len(cells)})
    position = f"(cells {first}-{first + len(shown) - 1} of {len(cells)}; edit works on the raw JSON)" if shown else "(the notebook is empty)"
    return _capped(place, context, "notebook", clean_text("\n\n".join(shown)), position, f"{len(shown)} cells")


def _read_folder(place: ResolvedPath, arguments: dict[str, Any], context: ToolContext) -> Result:
    offset, limit = arguments.get("offset", 1) or 1, arguments.get("limit", DEFAULT_LINES)
    try:
        with hold_folder(place) as folder:
            entries = sorted(map(_entry, folder.scan()))
    except OSError as error:
        raise FileRefused("permission_denied", f"{place.request!r} cannot be listed: {error.strerror or error}.") from error
    first = max(1, len(entries) + offset + 1) if offset < 0 else offset
    shown = entries[first - 1 : first - 1 + limit]
    if entries and not shown:
        text = f"The folder has {len(entries)} entries; entry {first} does not exist."
        raise ToolError("offset_out_of_range", text, detail={"total_lines": len(entries)})
    last = first + len(shown) - 1
    more = last < len(entries)
    name = shown_name(place, context.workspace)
    position = f"(entries {first}-{last} of {len(entries)}{f'; continue with offset={last + 1}' if more else ''})" if shown else "(the folder is empty)"
    body = ["<entries>", *(clean_text(entry) for entry in shown), "</entries>"] if shown else []
    text = "\n".join((f"<path>{on_one_line(name)}</path>", "<type>folder</type>", *body, position))
    ui = {"kind": "folder", "path": name, "entries": [clean_text(entry) for entry in shown], "total_lines": len(entries), "more": more}
    return Result(text=text, facts=f"{len(entries)} entries", truncated=more, ui=ui)


def _entry(entry: Entry) -> str:
    shown = entry.name.replace("\n", "⏎")
    match entry.kind:
        case "link":
            return f"{shown} -> {entry.target}"
        case "folder":
            return f"{shown}/"
        case _:
            return shown


def _capped(place: ResolvedPath, context: ToolContext, kind: str, text: str, position: str, facts: str) -> Result:
    """Return text that has no lines to continue from; what is too much for the model is kept whole in the outputs folder."""
    encoded = text.encode("utf-8", "replace")
    result = _described(place, context, kind, position, facts)
    if len(encoded) <= PAGE_LIMIT_BYTES:
        return replace(result, text=result.text.replace(position, f"<content>\n{text}\n</content>\n{position}", 1))
    cut = encoded[:PAGE_LIMIT_BYTES].decode("utf-8", "ignore")
    file_name = f"{_safe(context.call_id)}.txt"
    (context.outputs / file_name).write_bytes(encoded)
    path = Path(context.outputs, file_name)
    where = f"(cut after {PAGE_LIMIT_BYTES // 1024} KB of {size_text(len(encoded))}; the whole text is in {path}, which read and grep can use)"
    whole = f"<content>\n{cut}\n</content>\n{where}\n{position}"
    return replace(result, text=result.text.replace(position, whole, 1), truncated=True, output_file=file_name)


def _described(place: ResolvedPath, context: ToolContext, kind: str, position: str, facts: str) -> Result:
    name = shown_name(place, context.workspace)
    return Result(text=f"<path>{on_one_line(name)}</path>\n<type>{kind}</type>\n{position}", facts=facts, ui={"kind": kind, "path": name})


def _safe(call_id: str) -> str:
    return "".join(character if character.isalnum() or character in "-_" else "_" for character in call_id) or "call"
