"""What the gate decided, in full: outcome, level, marks, how a command would be held, each reason and each part. For a trial, where nothing runs."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.agent.gatekeeper import fact_reasons
from workbench.permissions.gate import Decision
from workbench.permissions.reasons import CommandPart, Confinement
from workbench.permissions.visible import visible
from workbench.ui.approval.exact_label import ExactLabel, line_height
from workbench.ui.approval.pills import Pill, Pills
from workbench.ui.chat.call_trace import OUTCOMES, reason_words
from workbench.ui.kit.labels import Badge, Icon, Label
from workbench.ui.kit.layout import line
from workbench.ui.kit.paint import box
from workbench.words import _, badge_name, many, state_name, tell, titled

PARTS_SHOWN, REASONS_SHOWN = 20, 30
OUTCOME_TOKENS = {"allow": "ok", "ask": "level2", "deny": "fail"}
PAD = 12


class VerdictView(QWidget):
    """One verdict in a quiet box; hidden while there is none."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("What would be decided"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._content: QWidget | None = None
        self._stack = QVBoxLayout(self)
        self._stack.setContentsMargins(PAD, 8, PAD, 8)
        self.hide()

    def show_decision(self, decision: Decision | None) -> None:
        """Show another verdict, or none."""
        if self._content is not None:
            self._stack.removeWidget(self._content)
            self._content.hide()
            self._content.deleteLater()
            self._content = None
        if decision is not None:
            self._content = _content(decision)
            self._stack.addWidget(self._content)
        self.setAccessibleDescription(words_of(decision) if decision is not None else "")
        self.setVisible(decision is not None)
        self.updateGeometry()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "sunken", "line", 6)


def words_of(decision: Decision) -> str:
    """Return a verdict as lines of words."""
    return "\n".join((state_name(decision.outcome), *(words for _icon, _token, words in _rows(decision))))


def _content(decision: Decision) -> QWidget:
    holder = QWidget()
    stack = QVBoxLayout(holder)
    stack.setContentsMargins(0, 0, 0, 0)
    stack.setSpacing(6)
    stack.addWidget(_head(decision))
    grid = QGridLayout()
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(3)
    grid.setColumnStretch(1, 1)
    top = Qt.AlignmentFlag.AlignTop
    for number, (icon, token, words) in enumerate(_rows(decision)):
        if not icon:
            grid.addWidget(Label(words, "tiny", "faint"), number, 0, 1, 2)
            continue
        sign = Icon(icon, token, 12)
        sign.setFixedHeight(line_height("small"))
        grid.addWidget(sign, number, 0, top)
        grid.addWidget(ExactLabel(words, "small", "muted" if token == "ok" else "text", lines=True), number, 1)
    stack.addLayout(grid)
    return holder


def _head(decision: Decision) -> QWidget:
    icon, _token = OUTCOMES[decision.outcome]
    token = OUTCOME_TOKENS[decision.outcome]
    marks = [Pill(badge_name(badge), f"level{int(decision.danger)}" if decision.danger >= 1 else "plain") for badge in decision.badges]
    held = _held(decision.confinement) if decision.outcome != "deny" else None
    words = Label(state_name(decision.outcome).capitalize(), "body", token, "bold")
    return line(Icon(icon, token), words, Badge(int(decision.danger)), (Pills([*([held] if held else []), *marks]), 1), gap=8)


def _held(confinement: Confinement) -> Pill | None:
    match confinement:
        case "confined":
            return Pill(_("in the sandbox"), "ok", "shield-check")
        case "network":
            return Pill(_("in the sandbox, with network"), "level3", "globe")
        case "unconfined":
            return Pill(_("with all your rights"), "fail", "shield-off", outline=True)
        case _:
            return None


def _rows(decision: Decision) -> Iterator[tuple[str, str, str]]:
    """Yield icon, its colour, and the words of each reason and each part."""
    for reason in fact_reasons(decision.reasons[:REASONS_SHOWN]):
        yield OUTCOMES[reason.outcome][0], OUTCOME_TOKENS[reason.outcome], reason_words(reason)
    if len(decision.reasons) > REASONS_SHOWN:
        left = len(decision.reasons) - REASONS_SHOWN
        yield "more", "muted", many("… and {n} more reason", "… and {n} more reasons", left)
    if len(decision.parts) > 1:
        yield "", "muted", _("Parts")
        for number, part in enumerate(decision.parts[:PARTS_SHOWN], 1):
            yield OUTCOMES[part.outcome][0], OUTCOME_TOKENS[part.outcome], _part(number, part)
        if len(decision.parts) > PARTS_SHOWN:
            left = len(decision.parts) - PARTS_SHOWN
            yield "more", "muted", many("… and {n} more part", "… and {n} more parts", left)


def _part(number: int, part: CommandPart) -> str:
    words = titled(_("Part {n}").format(n=number), visible(part.text))
    why = next((reason for reason in fact_reasons(part.reasons) if reason.outcome == part.outcome), None)
    return words if why is None else f"{words} — {visible(tell(why))}"
