"""What the tool grep shows of a search: by file, by line, long lines cut around the hit, with exact totals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.conversation.values import clean_text
from workbench.tools.file_targets import on_one_line
from workbench.tools.search_place import SearchPlace
from workbench.workspace.content_search import KEEP_OF_SEVERAL, Found, FoundFile, FoundLine

LINE_CHARACTERS = 240
UI_LINES = 1_000


@dataclass(frozen=True)
class Shown:
    """The text for the model, short figures for a person, values for the window."""

    text: str
    facts: str
    truncated: bool
    ui: dict[str, Any] = field(default_factory=dict)


@dataclass
class _Page:
    """What is shown, as it is gathered."""

    room: int
    lines: list[str] = field(default_factory=list)
    matches: list[dict[str, Any]] = field(default_factory=list)
    shown: int = 0


def shown_matches(found: Found, place: SearchPlace, *, mode: Literal["lines", "files", "count"], limit: int) -> Shown:
    """Return what is shown of a search, at most `limit` matches (or files)."""
    page = _Page(limit)
    files = found.text_files
    match mode:
        case "lines":
            truncated = _add_lines(page, files, place)
            head = _head(found, f" (first {page.shown})" if truncated else "")
        case "files" | "count":
            truncated = len(files) > limit
            page.lines = [place.path(file.path) + (f": {file.count}" if mode == "count" else "") for file in files[:limit]]
            head = _head(found, f" (first {limit} files)" if truncated else "")
    lines = [*([head, *page.lines] if files else ["No matches found."]), *_notes(found, place)]
    facts = _count(found.total, "match", "matches")
    return Shown("\n".join(lines), facts, truncated, _ui(found, place, page, mode, truncated=truncated))


def _add_lines(page: _Page, files: list[FoundFile], place: SearchPlace) -> bool:
    """Fill the page file by file; True if something was left out."""
    truncated = False
    for number, file in enumerate(files):
        if page.room <= 0:
            truncated = True
            break
        most = min(page.room, KEEP_OF_SEVERAL) if len(files) > 1 else page.room
        page.lines.append(on_one_line(place.path(file.path)))
        shown = _add_file(page, file, place, most)
        if shown < file.count:
            truncated = True
            if page.room > shown or number < len(files) - 1:
                page.lines.append(f"  ... {file.count - shown} more in this file")
        page.room -= shown
        page.shown += shown
    return truncated


def _add_file(page: _Page, file: FoundFile, place: SearchPlace, most: int) -> int:
    """Add at most `most` matches with the lines around them; return how many."""
    shown = last = 0
    with_context = any(not line.matches for line in file.lines)
    for line in file.lines:
        if line.matches and shown >= most:
            break
        if with_context and last and line.number > last + 1:
            page.lines.append("  --")
        shown += line.matches
        last = line.number + line.text.count("\n")
        page.lines.extend(_rows(line))
        if len(page.matches) < UI_LINES:
            page.matches.append(_ui_line(line, place.path(file.path)))
    return shown


def _rows(line: FoundLine) -> Iterator[str]:
    for offset, text in enumerate(window(line).split("\n")):
        yield f"  {line.number + offset}{':' if line.matches else '-'} {text}"


def window(line: FoundLine) -> str:
    """Return a line, or of a long one 240 characters around its first hit."""
    text = clean_text(line.text)
    if len(text) <= LINE_CHARACTERS or "\n" in text:
        return text if len(text) <= 4 * LINE_CHARACTERS else text[: 4 * LINE_CHARACTERS] + "…"
    first, last = line.spans[0] if line.spans else (0, 0)
    start = min(max(0, first - max(0, LINE_CHARACTERS - (last - first)) // 2), max(0, len(text) - LINE_CHARACTERS))
    end = start + LINE_CHARACTERS
    return f"{'…' if start else ''}{text[start:end]}{'…' if end < len(text) else ''}"


def _head(found: Found, cut: str) -> str:
    least = "" if found.complete else "at least "
    return f"Found {least}{_count(found.total, 'match', 'matches')} in {_count(len(found.text_files), 'file', 'files')}{cut}:"


def _notes(found: Found, place: SearchPlace) -> Iterator[str]:
    if found.taken_literally:
        yield "(the pattern is not a valid regular expression, so it was searched as plain text)"
    binary = [place.path(file.path) for file in found.files if file.binary]
    yield from (f"binary file matches: {path}" for path in binary[:20])
    if len(binary) > 20:
        yield f"(and {len(binary) - 20} more binary files)"
    if not found.complete:
        yield "(the search was stopped before it had seen everything: there may be more. Search in a folder further down.)"
    yield from (f"could not read: {clean_text(problem)}" for problem in found.problems)


def _ui(found: Found, place: SearchPlace, page: _Page, mode: str, *, truncated: bool) -> dict[str, Any]:
    return {
        "mode": mode,
        "matches": page.matches,
        "files": [{"path": place.path(file.path), "count": file.count} for file in found.text_files[:UI_LINES]],
        "binary": [place.path(file.path) for file in found.files if file.binary][:100],
        "total": found.total,
        "truncated": truncated,
        "complete": found.complete,
        "note": "literal_fallback" if found.taken_literally else "",
    }


def _ui_line(line: FoundLine, path: str) -> dict[str, Any]:
    text = window(line)
    spans = [list(span) for span in line.spans] if text == line.text else []
    return {"path": path, "line": line.number, "text": text, "match": line.matches, "spans": spans}


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
