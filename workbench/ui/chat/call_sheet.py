"""One call of the chat as sheets: its row, and what stands under the row, closed or opened in place."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QRectF

from workbench.conversation.messages import FilePart, ImagePart, ToolResultPart
from workbench.inspection.timeline_items import Call, CallState
from workbench.permissions.visible import visible
from workbench.ui.approval.colouring import language_of
from workbench.ui.approval.exact_text import face
from workbench.ui.chat.call_trace import held_note, sandbox_notes, trace_of
from workbench.ui.chat.call_words import CHANGES_SHOWN, Changed, Note, Said, changed_arguments, note_of, pretty, terminal_lines
from workbench.ui.chat.code_rows import LONGEST_LINE, CodeLine, plain_lines, put_rows, rows_of, unified_lines
from workbench.ui.chat.item_view import INDENT, INSET, ClickTarget
from workbench.ui.chat.sheet import Sheet
from workbench.ui.kit.paint import width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, many, tell_text
from workbench.workspace.line_diff import unified_diff

RIGHT_INSET = 12
LINES_SHOWN = 200
"""Lines of an opened result; the inspector has the rest."""
COLOURED_LINES = 60
TAIL_LINES, OPENED_TAIL_LINES = 3, 24
NOTE_ROWS = 6
TRACE_ROWS = 12
QUOTE_ROWS = 12

ICONS: dict[CallState, tuple[str, str]] = {
    "arriving": ("running", "faint"),
    "queued": ("queued", "faint"),
    "running": ("running", "text"),
    "waiting": ("hand", "level2"),
    "ok": ("check", "ok"),
    "edited": ("pen", "accent"),
    "rejected": ("blocked", "muted"),
    "denied": ("shield-cross", "fail"),
    "failed": ("failed", "fail"),
    "stopped": ("stopped", "muted"),
}
"""Icon and colour of each state: the shape differs, not only the colour."""
TURNS = frozenset({"arriving", "running"})


@dataclass
class Body:
    """A part of a call's card.

    Attributes:
        sheet: its picture.
        targets: what can be clicked, in the sheet's coordinates.
    """

    sheet: Sheet
    targets: list[ClickTarget] = field(default_factory=list)


def row_sheet(call: Call, width: float, right: float, facts: Said) -> Sheet:
    """Return a call's row: name, target, facts with their right edge at `right`. A turning icon is painted by the view."""
    sheet, height = Sheet(width), theme.card_row
    sheet.height = height
    if call.state not in TURNS:
        icon, token = ICONS[call.state]
        sheet.icon(icon, INSET, round((height - 16) / 2), token)
    small, code = theme.font("small"), theme.font("code")
    used = min(width_of(facts.text, small), max(0.0, right - INDENT - 80))
    name = visible(call.tool) or _("a call")
    left = INDENT + sheet.words(name, QRectF(INDENT, 0, max(40.0, right - used - 16 - INDENT), height), theme.font("code", "bold")) + 8
    sheet.words(visible(call.title), QRectF(left, 0, right - used - 16 - left, height), code, "muted", elide="middle", before=" ")
    sheet.words(facts.text, QRectF(right - used, 0, used + 1, height), small, facts.token, right=True, before="  ")
    return sheet


def row_words(call: Call, facts: Said) -> str:
    """Return the text of `row_sheet`."""
    name, title = visible(call.tool) or _("a call"), visible(call.title)
    return name + (f" {title}" if title else "") + (f"  {facts.text}" if facts.text else "")


def has_notes(call: Call) -> bool:
    """Say whether anything stands under a closed call's row."""
    return bool(call.note or call.output or note_of(call) or changed_arguments(call) or sandbox_notes(call)) or _lists_files(call)


def notes_sheet(call: Call, width: float, *, opened: bool) -> Body:
    """Return what always stands under a call's row: why it did not go well, what a person changed, output as it comes, files."""
    body = Body(Sheet(width))
    inner = QRectF(INDENT, 0, width - INDENT - RIGHT_INSET, 0)
    y = _put_note(body.sheet, call, inner, 0.0)
    told = sandbox_notes(call)
    for number, note in enumerate(told, 1):
        y = _put_sentence(body.sheet, note, inner, y, gap=8 if number == len(told) else 2)
    y = _put_changes(body.sheet, changed_arguments(call), inner, y)
    y = _put_terminal(body.sheet, call, inner, y, OPENED_TAIL_LINES if opened else TAIL_LINES)
    body.sheet.height = _put_files(body, call, inner, y)
    return body


def contents_sheet(call: Call, width: float) -> Body:
    """Return what stands under the row of an opened call: the difference, the arguments and the result."""
    body = Body(Sheet(width))
    body.sheet.height = _put_contents(body, call, QRectF(INDENT, 0, width - INDENT - RIGHT_INSET, 0), 0.0)
    return body


def estimated_height(call: Call) -> int:
    """Return about how high a closed call is, without laying anything out."""
    height = theme.card_row
    if call.state in ("failed", "denied", "stopped") or call.note:
        height += theme.lh + 10
    if call.edited:
        height += 2 * theme.mh + 18
    told = len(sandbox_notes(call))
    height += (theme.lh + 4) * told + (6 if told else 0)
    if call.output:
        height += TAIL_LINES * theme.mh + 16 + theme.lh + 8
    return height + (theme.compact + 8 if _lists_files(call) else 0)


# Under the row, closed


def _put_note(sheet: Sheet, call: Call, inner: QRectF, y: float) -> float:
    small, height = theme.font("small"), theme.lh + 2
    if call.note:
        place = QRectF(inner.x() + 10, y - 2, inner.width() - 10, height)
        used = sheet.sentence(visible(call.note, keep="\n"), place, small, "text", most=QUOTE_ROWS)
        sheet.area(QRectF(inner.x(), y - 2, 2, used + 2), "accent_fill")
        return y + used + 8
    note = note_of(call)
    return y if note is None else _put_sentence(sheet, note, inner, y)


def _put_sentence(sheet: Sheet, note: Note, inner: QRectF, y: float, *, most: int = NOTE_ROWS, gap: int = 8) -> float:
    small, height = theme.font("small"), theme.lh + 2
    shift = 18 if note.icon else 0
    if note.icon:
        sheet.icon(note.icon, inner.x(), round(y - 2 + (height - 12) / 2), note.token, 12)
    place = QRectF(inner.x() + shift, y - 2, inner.width() - shift, height)
    return y + sheet.sentence(note.text, place, small, note.token, most=most) + gap


def _put_changes(sheet: Sheet, changes: tuple[Changed, ...], inner: QRectF, y: float) -> float:
    """Put what the model sent and what ran, one pair a changed argument, one row each."""
    if not changes:
        return y
    lines = [line for change in changes[:CHANGES_SHOWN] for line in _change_lines(change)]
    if len(changes) > CHANGES_SHOWN:
        lines.append(CodeLine(many("{n} more argument changed", "{n} more arguments changed", len(changes) - CHANGES_SHOWN), "@"))
    rows = [row for row in rows_of(lines, inner.width() - 16) if row.first]
    put_rows(sheet, rows, QRectF(inner.x(), y - 2, inner.width(), len(rows) * theme.mh + 8))
    return y + len(rows) * theme.mh + 18


def _change_lines(change: Changed) -> list[CodeLine]:
    sent = [] if change.sent is None else [CodeLine(f"{change.name}: {change.sent}", "-")]
    return sent + ([] if change.ran is None else [CodeLine(f"{change.name}: {change.ran}", "+")])


def _put_terminal(sheet: Sheet, call: Call, inner: QRectF, y: float, most: int) -> float:
    """Put the end of a running tool's output, each line cut at the edge as a terminal's would be out of sight."""
    if not call.output:
        return y
    lines = terminal_lines(call.output, most)
    height = len(lines) * theme.mh + 16
    sheet.area(QRectF(inner.x(), y, inner.width(), height), "sunken", "line", 5)
    for number, line in enumerate(lines):
        piece = face().pieces(line[:2_000], inner.width() - 18)[0]
        sheet.code(line, piece, QRectF(inner.x() + 10, y + 8 + number * theme.mh, inner.width() - 18, theme.mh), face())
    total = max(call.output_lines, len(lines))
    told = many("live · {n} line", "live · {n} lines", total)
    if total > len(lines):
        told = _("live · last {shown} of {n} lines").format(shown=len(lines), n=total)
    sheet.words(told, QRectF(inner.x(), y + height, inner.width(), theme.lh + 6), theme.font("tiny"), "faint")
    return y + height + theme.lh + 8


def _lists_files(call: Call) -> bool:
    """Say whether the files that a call changed need a line of their own: its facts do not count their lines already."""
    finished = call.finished
    return finished is not None and bool(finished.files_changed) and not (len(finished.files_changed) == 1 and finished.facts.startswith("+"))


def _put_files(body: Body, call: Call, inner: QRectF, y: float) -> float:
    if not _lists_files(call) or call.finished is None:
        return y
    changed, height, small = call.finished.files_changed, theme.compact, theme.font("small")
    top, left = y - 4, inner.x() + 18
    body.sheet.icon("diff", inner.x(), round(top + (height - 12) / 2), "muted", 12)
    right = inner.right() - _put_button(body, _("Show diff"), inner.right(), top, "show_diff", call.call_id) - 8
    pieces = (
        (many("{n} file changed", "{n} files changed", len(changed)), theme.font("small", "medium"), "text"),
        (f"+{sum(change.added for change in changed)}", small, "ok"),
        (f"−{sum(change.removed for change in changed)}", small, "fail"),
    )
    for number, (words, font, token) in enumerate(pieces):
        left += body.sheet.words(words, QRectF(left, top, right - left, height), font, token, before="\n" if number == 0 else " ") + 8
    return y + height + 8


def _put_button(body: Body, label: str, right: float, y: float, action: str, argument: str) -> float:
    """Put a small button with its right edge at `right`; return its width."""
    font = theme.font("small")
    width = round(width_of(label, font)) + 16
    area = QRectF(right - width, y, width, theme.compact)
    body.sheet.area(area, "raised", "edge", 5)
    body.sheet.words(label, area.adjusted(8, 0, 0, 0), font, said="", before="")
    body.targets.append(ClickTarget(area=area, action=action, argument=argument, name=label))
    return width


# Under the row, opened


def _put_contents(body: Body, call: Call, inner: QRectF, y: float) -> float:
    """Put what was noted of a call's arguments, the difference, the arguments, why it was decided so, how it was held, and the result."""
    for notice in call.decided.notices if call.decided is not None else ():
        y += body.sheet.sentence(visible(tell_text(notice)), QRectF(inner.x(), y, inner.width(), theme.lh + 2), theme.font("small"), "muted") + 2
    diff = _difference(call)
    if diff:
        language = language_of(call.title) if len(diff) <= COLOURED_LINES else ""
        y = _put_text(body, call, _("Difference"), diff[:LINES_SHOWN], len(diff), inner, y, language)
    sent = call.ran if call.ran is not None else call.sent
    arguments = call.arguments_raw if sent is None else pretty(sent)
    if arguments:
        y = _put_text(body, call, _("Arguments"), plain_lines(arguments, LINES_SHOWN), arguments.count("\n") + 1, inner, y, copied=arguments)
    y = _put_trace(body.sheet, call, inner, y)
    if call.finished is not None:
        text = _result_text(call.finished.result)
        y = _put_text(body, call, _("Result"), plain_lines(text, LINES_SHOWN), text.count("\n") + 1, inner, y, copied=text, action="show_result")
    return y


def _put_trace(sheet: Sheet, call: Call, inner: QRectF, y: float) -> float:
    """Put the whole trace of the decision, and how a command was held."""
    notes = [*trace_of(call), *filter(None, (held_note(call),))]
    if not notes:
        return y
    height = theme.lh + 4
    sheet.words(_("Decision"), QRectF(inner.x(), y, inner.width(), height), theme.font("tiny"), "faint")
    y += height + 2
    for note in notes:
        y = _put_sentence(sheet, note, inner, y, most=TRACE_ROWS, gap=0)
    return y + 6


def _put_text(
    body: Body,
    call: Call,
    head: str,
    lines: list[CodeLine],
    total: int,
    inner: QRectF,
    y: float,
    language: str = "",
    *,
    copied: str = "",
    action: str = "show_call",
) -> float:
    """Put lines under a head, and how many more there are, which `action` shows; return where they end."""
    sheet, tiny, height = body.sheet, theme.font("tiny"), theme.lh + 4
    sheet.words(head, QRectF(inner.x(), y, inner.width() - 20, height), tiny, "faint")
    if copied:
        side = QRectF(inner.right() - 20, y, 20, height)
        sheet.icon("copy", side.x() + 6, round(y + (height - 12) / 2), "faint", 12)
        body.targets.append(ClickTarget(area=side, action="copy", argument=copied, name=_("Copy")))
    rows = list(rows_of(lines, inner.width() - 16))
    area = QRectF(inner.x(), y + height, inner.width(), len(rows) * theme.mh + 8)
    put_rows(sheet, rows, area, language=language)
    y = area.bottom() + 4
    more = _what_is_left(lines, total)
    if more:
        place = QRectF(inner.x(), y - 2, width_of(more, tiny) + 2, height)
        sheet.words(more, place, tiny, "accent", said="")
        body.targets.append(ClickTarget(area=place, action=action, argument=call.call_id, name=more))
        y += height
    return y + 4


def _what_is_left(lines: list[CodeLine], total: int) -> str:
    """Return what the inspector has beside the lines that are shown; empty if nothing."""
    if total > len(lines):
        return many("{n} more line, in the inspector", "{n} more lines, in the inspector", total - len(lines))
    return _("The long lines whole, in the inspector") if any(len(line.text) > LONGEST_LINE for line in lines) else ""


def _difference(call: Call) -> list[CodeLine]:
    """Return the difference that was shown before the call ran, else the one between the texts that its arguments name."""
    edited = call.edited and call.ran is not None
    if call.preview is not None and call.preview.kind == "diff" and not edited:
        return unified_lines(call.preview.body)
    values = (call.ran if call.ran is not None else call.sent) or {}
    pairs = [(edit.get("old_string"), edit.get("new_string")) for edit in [values, *_edits(values)]]
    lines: list[CodeLine] = []
    for old, new in pairs:
        if isinstance(old, str) and isinstance(new, str):
            lines += ([CodeLine("⋯", "@")] if lines else []) + unified_lines(unified_diff(f"{old}\n", f"{new}\n", ""))
    return lines


def _edits(values: dict[str, object]) -> list[dict[str, object]]:
    edits = values.get("edits")
    return [edit for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []


def _result_text(result: ToolResultPart) -> str:
    """Return what the model got, pictures and files by their kind and size."""
    texts = [result.text()] if result.text() else []
    media = [part for part in result.content if isinstance(part, ImagePart | FilePart)]
    return "\n".join([*texts, *(_("[{kind}, {n} characters of base64]").format(kind=part.media_type, n=len(part.data)) for part in media)])
