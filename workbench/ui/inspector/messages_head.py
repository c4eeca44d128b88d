"""What stands over the list of what goes out next: which request it is, a bar in the colours of the roles, how much it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.messages import DialectName
from workbench.inspection.outgoing import Outgoing
from workbench.inspection.outgoing_rows import BAR_ROLES, BarRole
from workbench.ui.frame.status_bar import TIGHT
from workbench.ui.inspector.dialects_words import title
from workbench.ui.inspector.messages_words import estimate_words, role_name, rule_words, short
from workbench.ui.kit.buttons import Chip
from workbench.ui.kit.labels import Icon, Label, plain_tip
from workbench.ui.kit.layout import Ground, line
from workbench.ui.kit.paint import bar, cached_line, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, many, strung

TALL = 10
"""Height of the bar."""
LEGEND_TOP = 22
SQUARE, SQUARE_GAP, ENTRY_GAP = 8, 13, 12


class Share(NamedTuple):
    """What a role has of a request; `tokens` is an estimate."""

    role: BarRole
    tokens: int


class TokenBar(QWidget):
    """One stacked bar of a request with its legend, in as many lines as it needs; a bracket below is what went out before too."""

    def __init__(self) -> None:
        super().__init__()
        self._shares: tuple[Share, ...] = ()
        self._before = 0.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_shares((), 0.0)

    def show_shares(self, shares: Sequence[Share], before: float) -> None:
        """Show shares in the order of the bar; `before` (0 to 1) is how much of it went out with the last request too."""
        if (tuple(shares), before) == (self._shares, self._before):
            return
        self._shares, self._before = tuple(shares), before
        self.setAccessibleName(strung(*(f"{role_name(share.role)} {share.tokens}" for share in self._shares)))
        self._fit()
        self.update()

    def _legend(self) -> list[list[tuple[BarRole, str]]]:
        lines: list[list[tuple[BarRole, str]]] = [[]]
        used = 0.0
        for role, tokens in self._shares:
            words = f"{role_name(role)} {short(tokens)}"
            wide = SQUARE_GAP + width_of(words, theme.font("tiny")) + ENTRY_GAP
            if used + wide - ENTRY_GAP > self.width() and lines[-1]:
                lines.append([])
                used = 0.0
            lines[-1].append((role, words))
            used += wide
        return lines

    def _fit(self) -> None:
        self.setFixedHeight(LEGEND_TOP + len(self._legend()) * (theme.lh + 2) - 2 if self._shares else TALL)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    @override
    def sizeHint(self) -> QSize:
        return QSize(240, self.height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        total = sum(share.tokens for share in self._shares)
        with QPainter(self) as p:
            area = QRectF(0, 0, self.width(), TALL)
            if not total:
                p.fillRect(area, theme["line"])
                return
            bar(p, area, [(share.tokens, f"role_{share.role}") for share in self._shares], total)
            if self._before:
                cached_line(p, area, min(1.0, self._before))
            for n, entries in enumerate(self._legend()):
                self._legend_line(p, entries, LEGEND_TOP + n * (theme.lh + 2))

    def _legend_line(self, p: QPainter, entries: Sequence[tuple[BarRole, str]], y: float) -> None:
        x = 0.0
        for role, words in entries:
            p.fillRect(QRectF(x, y + theme.lh / 2 - 4, SQUARE, SQUARE), theme[f"role_{role}"])
            x += SQUARE_GAP + text(p, QRectF(x + SQUARE_GAP, y, self.width(), theme.lh), words, theme.font("tiny"), "muted") + ENTRY_GAP


class MessagesHead(Ground):
    """Request, bar and figures.

    Signals:
        missing_wanted: a person wants to see the first result that is missing.
    """

    missing_wanted = Signal()

    def __init__(self) -> None:
        super().__init__("base", "b")
        self._request = Label("", "small", "faint", elide="right")
        self._missing = Chip("", "warning", "wait")
        self._missing.clicked.connect(self.missing_wanted)
        self._bar = TokenBar()
        self._tight = Icon("warning", "level2", 12)
        self._figures = Label("", "tiny", "faint", wrap=True)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(14, 12, 14, 10)
        stack.setSpacing(0)
        stack.addWidget(line(Label(_("Goes out next"), "body", weight="bold"), (self._request, 1), self._missing, gap=8))
        stack.addSpacing(8)
        stack.addWidget(self._bar)
        stack.addSpacing(6)
        stack.addWidget(line(self._tight, (self._figures, 1), gap=6))
        self.show_nothing()

    def show_nothing(self) -> None:
        """Show that no session is open."""
        self._request.setText("")
        self._missing.hide()
        self._bar.show_shares((), 0.0)
        self._figures.setText(_("No session is open."))
        self._warn(tight=False)

    def show_request(self, outgoing: Outgoing, dialect: DialectName, room_tokens: int | None) -> None:
        """Show the next request; `room_tokens` is the largest prompt of its model, if known."""
        self._request.setText(_("request #{number} · {dialect}").format(number=outgoing.number, dialect=title(dialect)))
        self._missing.setVisible(bool(outgoing.missing))
        if outgoing.missing:
            self._missing.show_status(many("{n} result missing", "{n} results missing", outgoing.missing), "warning", "wait")
        scale, sizes = outgoing.scale(), outgoing.sizes()
        total = sum(sizes.values())
        self._bar.show_shares([Share(role, scale.tokens(sizes[role])) for role in BAR_ROLES if sizes[role]], outgoing.sent_before() / total if total else 0.0)
        self._figures.setText(estimate_words(outgoing, room_tokens))
        self._warn(tight=room_tokens is not None and outgoing.tokens() > TIGHT * room_tokens)
        plain_tip(self._figures, rule_words(scale, outgoing.counted()))

    def _warn(self, *, tight: bool) -> None:
        """Show in amber, with a sign, that the room is nearly used up."""
        self._tight.setVisible(tight)
        self._figures.set_token("level2" if tight else "faint")
