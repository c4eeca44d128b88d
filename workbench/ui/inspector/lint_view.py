"""The Lint side of a request: each rule it breaks, what the provider said, and what the repair changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from workbench.conversation.checks import Finding, explanation
from workbench.conversation.exchange import BodyRef
from workbench.inspection.lint import Change, change_of
from workbench.inspection.requests import RequestRow
from workbench.permissions.visible import visible
from workbench.store.session_store import SessionStore
from workbench.ui.approval.scroll_page import ScrollPage
from workbench.ui.desk import Desk
from workbench.ui.inspector.figures import one_line
from workbench.ui.inspector.recorded import Recorded
from workbench.ui.kit.buttons import Button, Chip
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import Ground, column, line
from workbench.words import _, many, paragraph, tell_text

MOST_SHOWN = 50
"""So many findings are laid out; the line below says how many more there are."""


class Explained(NamedTuple):
    """A finding and what its repair changes; None where a person must decide."""

    finding: Finding
    change: Change | None


class LintView(QWidget):
    """The findings of the chosen request.

    Signals:
        message_wanted: a person wants to see the message that a finding speaks of; the request's row and the finding.
        place_wanted: a person wants to see the place in the body; its JSON pointer.
    """

    message_wanted = Signal(object, object)
    place_wanted = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._recorded = Recorded(desk, self)
        self._row: RequestRow | None = None
        self.page = ScrollPage(_("Findings of the request"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.page, 1)
        self.show_row(None)

    def show_row(self, row: RequestRow | None) -> None:
        """Show the findings of a request, or that none is chosen; called again when more of the same is known."""
        known = row is not None and self._row is not None and _shown_of(row) == _shown_of(self._row)
        self._row = row
        if known:
            return
        self._recorded.forget()
        if row is None:
            self._say(_("Choose a request to see what its provider refuses in it."))
        elif not row.findings:
            self._say(_nothing_found(row))
        else:
            body, findings = row.opened.body, row.findings[:MOST_SHOWN]
            self._recorded.read(lambda store: _explained(store, body, findings), self._put, self._say)

    def _say(self, words: str) -> None:
        self._put_widget(column(Label(words, "body", "muted", wrap=True), None, margins=(20, 16, 20, 12), ground="base"))

    def _put(self, found: Sequence[Explained]) -> None:
        row = self._row
        if row is None:
            return
        cards = [self._card(row, one, first=place == 0) for place, one in enumerate(found)]
        left = len(row.findings) - len(found)
        more = [Label(many("and {n} more", "and {n} more", left), "small", "faint")] if left > 0 else []
        self._put_widget(column(*cards, *more, None, margins=(20, 8, 20, 12), ground="base"))

    def _put_widget(self, widget: QWidget) -> None:
        self.page.setWidget(widget)  # the one before is deleted by the area
        self.page.to_top()

    def _card(self, row: RequestRow, explained: Explained, *, first: bool) -> QWidget:
        finding = explained.finding
        refused = finding.severity == "error"
        name = Label(one_line(finding.rule), "title", "fail" if refused else "level2", "bold", mono=True, wrap=True)
        chip = Chip(_severity(row, finding), "", "fail" if refused else "wait")
        chip.setFocusPolicy(chip.focusPolicy().NoFocus)
        parts = [
            line(Icon("failed" if refused else "warning", "fail" if refused else "level2"), (name, 1), chip, gap=10),
            _section(_("What is wrong"), _readable(visible(paragraph(tell_text(finding.message), tell_text(finding.fix))), _("What is wrong"), "body")),
        ]
        if finding in row.explained and row.closed is not None and row.closed.error:
            said = str(row.closed.values.get("text") or row.closed.error).removesuffix(explanation(finding)).rstrip()  # our own words stand above
            parts.append(_section(_("What the provider said"), _readable(visible(said), _("What the provider said"), "small")))
        if explained.change is not None:
            parts.append(_section(_("The repair"), _before_after(explained.change)))
        parts.append(self._links(row, finding))
        return column(*parts, margins=(0, 8, 0, 12), gap=10, ground="base", lines="" if first else "t")

    def _links(self, row: RequestRow, finding: Finding) -> QWidget:
        message, place = Button(_("Show the message"), small=True), Button(_("Show in the body"), small=True)
        message.clicked.connect(lambda: self.message_wanted.emit(row, finding))
        place.clicked.connect(lambda: self.place_wanted.emit(finding.pointer))
        for button, what in ((message, finding.rule), (place, finding.pointer)):
            button.setAccessibleDescription(what)
        pointer = Label(one_line(finding.pointer or "/"), "code", "faint", mono=True, elide="middle")
        return line(message, place, 6, (pointer, 1), gap=6)


def _explained(store: SessionStore, ref: BodyRef, findings: Sequence[Finding]) -> Sequence[Explained]:
    """Return findings with what their repairs change. Blocking, for a thread.

    Raises:
        StoreError: the body cannot be rebuilt.
    """
    body = store.body(ref)
    return [Explained(finding, change_of(body, finding)) for finding in findings]


def _shown_of(row: RequestRow) -> tuple[object, ...]:
    return row.exchange_id, row.findings, row.state, row.opened.repaired, row.closed.error if row.closed else ""


def _nothing_found(row: RequestRow) -> str:
    if row.opened.repaired:
        rules = ", ".join(row.opened.repaired)
        return _("Nothing is wrong with this request: it was repaired before it was sent ({rules}). The conversation keeps what was said.").format(rules=rules)
    return _("No rule of this dialect is broken.")


def _severity(row: RequestRow, finding: Finding) -> str:
    if finding in row.explained:
        return _("refused by the provider")
    if finding.severity == "error":
        return _("will be refused") if row.state == "held" else _("is refused")
    return _("some servers refuse it")


def _section(heading: str, content: QWidget) -> QWidget:
    return column(Label(heading, "small", "muted", "bold"), content, gap=4)


def _before_after(change: Change) -> QWidget:
    """Return the smallest piece that holds the repair, as it is and as it will be, side by side."""
    sides = [
        column(line(Icon(icon, token), (Label(words, "small", token, "bold"), 1), gap=6), _code(text, words), None, gap=4)
        for icon, token, words, text in (
            ("failed", "fail", _("As it is"), change.before),
            ("check", "ok", _("Repaired"), change.after),
        )
    ]
    return line((sides[0], 1), (sides[1], 1), gap=12)


def _readable(text: str, name: str, size: str) -> Label:
    """Return foreign words that can be chosen and copied."""
    label = Label(text, size, "text", wrap=True, select=True)
    label.setAccessibleName(name)
    return label


def _code(text: str, name: str) -> QWidget:
    label = Label("\n".join(visible(row) for row in text.split("\n")), "code", "text", mono=True, wrap=True, select=True)
    label.setAccessibleName(name)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    ground = Ground("sunken")
    inside = QVBoxLayout(ground)
    inside.setContentsMargins(10, 6, 10, 6)
    inside.addWidget(label)
    return ground
