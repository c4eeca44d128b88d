"""What the card of a waiting call shows, laid out: which call, why it asks, and what it would do, as much of that as fits."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple, assert_never

from PySide6.QtCore import QRectF

from workbench.conversation.calls import Preview
from workbench.conversation.events import ApprovalRequested
from workbench.permissions.modes import Rung
from workbench.permissions.visible import visible
from workbench.ui.approval.colouring import language_of
from workbench.ui.approval.held import held_look
from workbench.ui.approval.subject import asking_reasons
from workbench.ui.chat.call_words import pretty
from workbench.ui.chat.code_rows import LONGEST_LINE, CodeLine, CodeRow, put_rows, rows_of, unified_lines
from workbench.ui.chat.item_view import INDENT, INSET
from workbench.ui.chat.sheet import Sheet
from workbench.ui.kit.paint import badge_width, badge_words, pill_width, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, badge_name, many, paragraph, tell, tell_text

ROWS_SHOWN = 8
RIGHT_INSET = 12
HIGHEST_HERE = 3
"""A call of a higher level is allowed in the dialog only."""
BUTTON_GAP = 8
NARROW = 420.0
"""A card narrower than this leaves out the words that the hand says too."""
QUIET_ARGUMENTS = frozenset({"command", "description"})
"""Arguments of a command that the card shows or that change nothing; with others the notes are shown too."""


class Mark(NamedTuple):
    """A small label of the card: left edge, middle, and how it looks."""

    x: float
    y: float
    words: str
    tone: str = "wait"
    icon: str | None = None
    outline: bool = False


class WaitingSheet(NamedTuple):
    """The card without its buttons.

    Attributes:
        sheet: its picture; its height leaves room for the buttons.
        whole: all that would happen is in it.
        buttons_y: where the buttons begin.
        badge_x: where the danger badge begins.
        pills: how the command would be held, and the call's marks; drawn by the card.
        hint: what stands beside the buttons.
        hint_below: the hint does not fit beside them and stands below.
    """

    sheet: Sheet
    whole: bool
    buttons_y: float
    badge_x: float
    pills: tuple[Mark, ...]
    hint: str
    hint_below: bool


def waiting_sheet(requested: ApprovalRequested, width: float, rung: Rung = "none") -> WaitingSheet:
    """Lay the card of a question out for a width; `rung` is what holds commands on this machine."""
    sheet, inner = Sheet(width), QRectF(INDENT, 0, width - INDENT - RIGHT_INSET, theme.lh + 2)
    badge_x, named = _put_row(sheet, requested, width)
    y = float(theme.card_row - 2)
    for sentence in why_it_asks(requested):
        y += sheet.sentence(visible(sentence), inner.translated(0, y), theme.font("small"), "muted")
    pills, y = _place_pills(requested, inner, y, rung)
    rows, whole, more = _rows(requested, inner.width() - 16)
    whole = whole and (named or requested.preview.kind == "command")  # a command's title is its beginning, which the rows show
    area = QRectF(inner.x(), y + 8, inner.width(), len(rows) * theme.mh + 8)
    if rows:
        put_rows(sheet, rows, area, ground="base", language=_language(requested.preview))
    y = area.bottom() if rows else y
    if more:
        y += sheet.sentence(more, inner.translated(0, y + 2), theme.font("tiny"), "faint") + 2
    for note in notes_of(requested):
        y += sheet.sentence(visible(tell_text(note)), inner.translated(0, y + 2), theme.font("small"), "muted")
    hint = _hint(requested, whole=whole)
    buttons_y = y + 10
    below = buttons_width() + 16 + width_of(hint, theme.font("tiny")) > inner.width()
    if not below:
        sheet.words(hint, QRectF(inner.x(), buttons_y, inner.width(), theme.compact), theme.font("tiny"), "faint", right=True)
    else:
        sheet.words(hint, QRectF(inner.x(), buttons_y + theme.compact, inner.width(), theme.lh + 6), theme.font("tiny"), "faint")
    sheet.height = round(buttons_y + theme.compact + (theme.lh + 6 if below else 0) + 16)
    return WaitingSheet(sheet, whole, buttons_y, badge_x, pills, hint, below)


def waiting_height(requested: ApprovalRequested, width: float, rung: Rung = "none") -> float:
    """Return how high the card of a question is."""
    return waiting_sheet(requested, width, rung).sheet.height


def button_labels() -> tuple[str, str]:
    """Return the words of the two buttons."""
    return _("Review…"), _("Reject")


def buttons_width() -> float:
    """Return how much room the buttons take."""
    review, reject = button_labels()
    return width_of(review, theme.font("small", "medium")) + 16 + BUTTON_GAP + width_of(reject, theme.font("small")) + 16


def why_it_asks(requested: ApprovalRequested) -> tuple[str, ...]:
    """Return the most telling reason as a whole sentence, and how many more there are."""
    reasons = asking_reasons(requested) or list(requested.reasons)
    if not reasons:
        return ()
    more = many("and {n} more reason", "and {n} more reasons", len(reasons) - 1) if len(reasons) > 1 else ""
    return (" · ".join(part for part in (tell(reasons[0]), more) if part),)


def notes_of(requested: ApprovalRequested) -> tuple[str, ...]:
    """Return what is worth knowing of what would happen; of a plain command in the workspace's folder nothing is."""
    if requested.preview.kind == "command" and set(requested.arguments) <= QUIET_ARGUMENTS:
        return ()
    return requested.preview.notes


# Parts


def _put_row(sheet: Sheet, requested: ApprovalRequested, width: float) -> tuple[float, bool]:
    """Put the first row; return where the badge begins, and whether the names of the tool and of what it touches had room."""
    height, right = theme.card_row, width - RIGHT_INSET
    sheet.icon("hand", INSET, round((height - 16) / 2), "level2")
    right -= badge_width(badge_words(requested.danger))
    badge_x = right
    right -= 10
    waits, font = _("waiting for you"), theme.font("small", "medium")
    wide = width_of(waits, font) if width >= NARROW else 0.0
    tool, title, bold, code = visible(requested.tool), visible(requested.preview.title), theme.font("code", "bold"), theme.font("code")
    room = right - wide - INDENT - 12
    left = INDENT + sheet.words(tool, QRectF(INDENT, 0, room, height), bold) + 8
    rest = right - wide - 12 - left
    sheet.words(title, QRectF(left, 0, rest, height), code, "muted", elide="middle", before=" ")
    named = width_of(tool, bold) <= room and width_of(title, code) <= rest
    if wide:
        sheet.words(waits, QRectF(right - wide, 0, wide + 1, height), font, "level2", before="  ")
    else:
        sheet.say(waits, "  ")
    return badge_x, named


def _place_pills(requested: ApprovalRequested, inner: QRectF, y: float, rung: Rung) -> tuple[tuple[Mark, ...], float]:
    """Return where it stands how a command would be held and what marks the call has (outside, secret, …), and where what follows begins."""
    held = held_look(requested, rung) if requested.preview.kind == "command" else None
    marks = [Mark(0, 0, held.words, held.tone, held.icon, held.outline)] if held is not None else []
    marks += [Mark(0, 0, badge_name(badge)) for badge in requested.badges]
    placed: list[Mark] = []
    x, height = inner.x(), theme.lh + 8
    for mark in marks:
        wide = pill_width(mark.words, mark.icon)
        if x > inner.x() and x + wide > inner.right():
            x, y = inner.x(), y + height
        placed.append(mark._replace(x=x, y=y + height / 2 + 2))
        x += wide + 6
    return tuple(placed), y + (height if placed else 0)


class _Rows(NamedTuple):
    rows: list[CodeRow]
    whole: bool
    more: str


def _rows(requested: ApprovalRequested, width: float) -> _Rows:
    """Return the rows of the preview that fit, and what is said of the rest."""
    lines = preview_lines(requested)
    rows = list(islice(rows_of(lines, width), ROWS_SHOWN + 1))
    if len(rows) <= ROWS_SHOWN:
        whole = all(len(line.text) <= LONGEST_LINE for line in lines)
        return _Rows(rows, whole, "")
    lines = _from_first_change(lines)
    shown = list(islice(rows_of(lines, width), ROWS_SHOWN))
    last = sum(row.first for row in shown) - 1
    characters = len(lines[last].text) - shown[-1].piece.end
    rest = len(lines) - 1 - last
    told = [many("… {n} more character of this line", "… {n} more characters of this line", characters)] if characters > 0 else []
    told += [many("… {n} more line", "… {n} more lines", rest)] if rest else []
    return _Rows(shown, whole=False, more=paragraph(*told))


def preview_lines(requested: ApprovalRequested) -> list[CodeLine]:
    """Return all lines of what the call would do; of a tool that shows nothing its arguments."""
    preview = requested.preview
    match preview.kind:
        case "diff":
            return unified_lines(preview.body)
        case "new_file":
            return [CodeLine(line, "+") for line in preview.body.removesuffix("\n").split("\n")]
        case "command":
            return [CodeLine(line, "$" if number == 0 else " ") for number, line in enumerate(preview.body.split("\n"))]
        case "text":
            return [CodeLine(line) for line in preview.body.split("\n")]
        case "none":
            return [CodeLine(line) for line in pretty(requested.arguments).split("\n")] if requested.arguments else []
        case _:
            assert_never(preview.kind)


def _from_first_change(lines: list[CodeLine]) -> list[CodeLine]:
    """Leave out unchanged lines at the beginning but one: what does not fit should not hide the change."""
    first = next((place for place, line in enumerate(lines) if line.sign in ("+", "-")), 0)
    return lines[max(0, first - 1) :]


def _language(preview: Preview) -> str:
    return preview.language or (language_of(preview.title) if preview.kind in ("diff", "new_file") else "")


def _hint(requested: ApprovalRequested, *, whole: bool) -> str:
    if requested.danger > HIGHEST_HERE:
        return _("no key allows level 4 · Alt+N reject")
    return _("Alt+Y allow once · Alt+N reject") if whole else _("Alt+Y review · Alt+N reject")
