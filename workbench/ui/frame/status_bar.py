"""The bar at the bottom: the mode, whether commands are confined, where requests go, and how far the turn is from its limits."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout
from typing_extensions import override

from workbench.conversation.events import Entry
from workbench.inspection.costs import Spent
from workbench.permissions.modes import effective_mode
from workbench.permissions.visible import visible
from workbench.ui.confinement_words import rung_look, testing_look
from workbench.ui.desk import Desk
from workbench.ui.frame.confinement_card import ConfinementCard
from workbench.ui.frame.menus import MODE_ICONS
from workbench.ui.frame.moments import elapsed_text
from workbench.ui.frame.turn_figures import TurnFigures, count_text
from workbench.ui.kit.buttons import Chip, Painted
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import Icon, Label, plain_tip
from workbench.ui.kit.layout import Ground
from workbench.ui.kit.paint import box, text, width_of
from workbench.ui.kit.theme import theme
from workbench.ui.trust.words import state_words
from workbench.words import _, cost_words, mode_name, paragraph, tell, tell_text

NARROW = 1200
"""Below this width of the window there is no room for the provider."""
LONG, ROOMY, NARROW_WORDS = 60, 1400, 1000
"""Words of so many characters need a window so wide; shorter ones that of `NARROW_WORDS`."""

TICK_MS = 1000
TIGHT = 0.8
BAR_WIDTH = 32


class Gauge(Painted):
    """How much of a limit is used: words, value and a short bar; amber with a warning sign above 80 %. Without a limit there is no bar."""

    def __init__(self, label: str) -> None:
        self.value, self.share = "", 0.0
        self.bounded = False
        super().__init__(label)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_value(self, used: float, maximum: float | None) -> None:
        """Show how much was used, and of how much."""
        self.bounded = maximum is not None
        self.share = used / maximum if maximum else 0.0
        self.value = f"{count_text(used)} / {count_text(maximum)}" if maximum is not None else count_text(used)
        self.setAccessibleName(f"{self.text()} {self.value}")
        self.updateGeometry()
        self.update()

    @property
    def tight(self) -> bool:
        """Whether more than four fifths are used."""
        return self.bounded and self.share > TIGHT

    @override
    def tall(self) -> int:
        return theme.status

    @override
    def measure(self) -> float:
        words = width_of(self.text(), theme.font("tiny")) + 6 + width_of(self.value, theme.font("tiny", "medium"))
        return words + (BAR_WIDTH + 6 if self.bounded else 0) + (18 if self.tight else 0) + 8

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        x, ink = 0.0, "level2" if self.tight else "muted"
        if self.tight:
            draw_icon(p, "warning", x, (rect.height() - 12) / 2, ink, 12)
            x += 18
        x += text(p, rect.adjusted(x, 0, 0, 0), self.text(), theme.font("tiny"), "faint") + 6
        x += text(p, rect.adjusted(x, 0, 0, 0), self.value, theme.font("tiny", "medium"), ink) + 6
        if self.bounded:
            middle = round(rect.height() / 2 - 2)
            box(p, QRectF(x, middle, BAR_WIDTH, 4), "edge", None, 2)
            box(p, QRectF(x, middle, min(BAR_WIDTH, max(2, BAR_WIDTH * self.share)), 4), "level2" if self.tight else "field", None, 2)


class StatusBar(Ground):
    """What holds for the session now.

    Signals:
        mode_wanted: the mode is to be changed.
    """

    mode_wanted = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__("window", "t")
        self._desk = desk
        self._figures, self._spent = TurnFigures(), Spent()
        self._mode, self._confinement = Chip("", "shield"), Chip("", "shield-off")
        self._trust = Chip("", "eye-off")
        self._failure, self._why = Chip(_("Not saved"), "warning", "fail"), Label("", "tiny", "fail", elide="right")
        self._divider = Ground("edge")
        self._divider.setFixedSize(1, 12)
        self._server, self._provider = Icon("server", "faint", 12), Label("", "tiny", "muted", elide="middle")
        self._steps, self._tokens = Gauge(_("steps")), Gauge(_("tokens"))
        self._cost, self._elapsed = Label("", "tiny", "muted"), Label("", "tiny", "muted")
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._show_elapsed)
        self._lay_out()
        self._connect()
        self._show_session()

    def _lay_out(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 1, 10, 0)
        layout.setSpacing(8)
        layout.addWidget(self._mode)
        layout.addWidget(self._confinement)
        layout.addWidget(self._trust)
        layout.addWidget(self._failure)
        layout.addWidget(self._why, 1)
        layout.addWidget(self._divider)
        layout.addWidget(self._server)
        layout.addWidget(self._provider, 1)
        layout.addStretch(1)
        layout.addWidget(self._steps)
        layout.addWidget(self._tokens)
        layout.addWidget(self._cost)
        layout.addWidget(self._elapsed)
        self._mode.setAccessibleDescription(_("Mode"))
        self._elapsed.setAccessibleName(_("Time of the turn"))
        self._cost.setAccessibleName(_("Cost of the session"))
        plain_tip(self._cost, _("What the session cost so far, by the prices the program knows."))
        self._failure.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._set_height()

    def _connect(self) -> None:
        bridge = self._desk.bridge
        self._mode.clicked.connect(self.mode_wanted)
        self._confinement.clicked.connect(self.open_confinement)
        self._trust.clicked.connect(self._desk.trust.wanted)
        self._desk.confinement.changed.connect(self._show_confinement)
        self._desk.trust.changed.connect(self._show_trust)
        bridge.attached.connect(self._show_session)
        bridge.state_changed.connect(self._show_state)
        bridge.facts.connect(self._hear)
        self._desk.settings_changed.connect(self._show_figures)
        self._desk.models_changed.connect(self._show_state)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_height()

    def _set_height(self) -> None:
        self.setFixedHeight(theme.status + 1)

    def _make_room(self) -> None:
        self._show_confinement()
        roomy = self.width() >= NARROW and bool(self._provider.text()) and self._failure.isHidden()
        for widget in (self._divider, self._server, self._provider):
            widget.setVisible(roomy)

    # What is shown

    def _show_session(self) -> None:
        self._figures = TurnFigures.of(self._desk.bridge.entries)
        self._spent = Spent().with_facts(self._desk.bridge.entries)
        self._show_state()
        self._show_figures()

    def _hear(self, entries: tuple[Entry, ...]) -> None:
        self._figures.add(entries)
        self._spent = self._spent.with_facts(entries)
        self._show_figures()

    def _show_state(self) -> None:
        self._show_mode()
        self._show_confinement()
        self._show_trust()
        self._show_failure()
        self._show_provider()
        self._show_elapsed()

    def _show_mode(self) -> None:
        """Show the mode that is used, and why if it is not the one that was chosen."""
        opened = self._desk.bridge.opened
        mode, why = self._desk.app.settings.mode, ""
        if opened is not None:
            chosen, keeper = opened.session.mode, opened.bench.gatekeeper
            mode = effective_mode(chosen, keeper.rules, keeper.facts)
            if mode != chosen:
                why = tell_text(keeper.rules.broken or keeper.facts.unconfined_because)
        self._mode.show_status(mode_name(mode), MODE_ICONS[mode], "wait" if why else "plain")
        plain_tip(self._mode, why)
        self._mode.setAccessibleDescription(paragraph(_("Mode"), why))

    def _show_confinement(self) -> None:
        """Show what holds commands, as the session's gate knows it; in few words where there is no room for all."""
        watch, opened = self._desk.confinement, self._desk.bridge.opened
        facts = opened.bench.gatekeeper.facts if opened is not None else watch.facts
        look = testing_look() if watch.testing else rung_look(facts.rung)
        roomy = self.width() >= (ROOMY if len(look.words) > LONG else NARROW_WORDS)
        self._confinement.show_status(look.words if roomy else look.short, look.icon, look.tone, outline=look.outline)
        why = "" if watch.testing else tell_text(facts.unconfined_because) if not facts.confined else ""
        sentence = "\n".join(filter(None, (look.words if not roomy else "", look.sentence, why)))
        plain_tip(self._confinement, sentence)
        self._confinement.setAccessibleDescription(sentence)

    def _show_trust(self) -> None:
        words = state_words(self._desk.trust.shipped)
        self._trust.setText(words)
        self._trust.setVisible(bool(words))

    def open_confinement(self) -> None:
        """Open what is known of the confinement over its chip."""
        ConfinementCard(self._desk.confinement, self._confinement).present()

    def _show_failure(self) -> None:
        opened = self._desk.bridge.opened
        failure = opened.session.failure if opened is not None else None
        sentence = tell(failure) if failure is not None else ""
        self._why.setText(visible(sentence))
        for widget in (self._failure, self._why):
            widget.setVisible(failure is not None)
            plain_tip(widget, sentence)
        self._failure.setAccessibleDescription(sentence)

    def _show_provider(self) -> None:
        opened = self._desk.bridge.opened
        if opened is None:
            self._provider.setText("")
        else:
            chosen, profile = opened.session.chosen, opened.choice.profile
            where = chosen.profile if profile.name != chosen.profile else profile.host if profile.is_local else profile.title or profile.name
            self._provider.setText(f"{visible(chosen.model)} · {visible(where)}")
        self._make_room()

    def _show_figures(self) -> None:
        limits, figures = self._desk.app.settings.limits, self._figures
        self._steps.show_value(figures.steps, figures.maximum("steps", limits))
        self._tokens.show_value(figures.tokens, figures.maximum("tokens", limits))
        self._cost.setText(cost_words(self._spent.amount, unknown=bool(self._spent.unknown)))
        self._cost.setVisible(bool(self._cost.text()))
        self._show_elapsed()

    def _show_elapsed(self) -> None:
        elapsed_s = self._figures.elapsed_s(time.time())
        self._elapsed.setText("" if elapsed_s is None else elapsed_text(elapsed_s))
        self._elapsed.setVisible(elapsed_s is not None)
        runs = elapsed_s is not None and self._figures.ended_at is None and self._desk.bridge.running
        if runs != self._timer.isActive():
            self._timer.start() if runs else self._timer.stop()
