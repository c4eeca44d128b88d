"""How far a turn goes by itself, how long an answer may be, and how fast the practice model writes."""

from __future__ import annotations

import dataclasses
from typing import Any

from msgspec.structs import replace
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.permissions.gate import REPEATS_ASK
from workbench.settings.tree import Settings
from workbench.ui.desk import Desk
from workbench.ui.kit.buttons import Check
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line
from workbench.ui.settings.rows import INSET, FieldRow, PageTitle, Range, SettingRow, heading, number_row, page
from workbench.ui.settings.saving import Saving
from workbench.words import _, many

MOST = 1_000_000_000
FASTEST = 100_000
LONGEST_EFFORT = 40


class LimitsPage(QWidget):
    """The page."""

    def __init__(self, desk: Desk, saving: Saving) -> None:
        super().__init__()
        self._desk, self._saving = desk, saving
        self._make_limits(desk.app.settings)
        self._make_answers(desk.app.settings)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.addWidget(
            page(
                PageTitle(_("Limits"), _("Limits hold from the next turn on, the settings of an answer from the next request on.")),
                *(heading(_("A turn")), self._steps, self._tokens, self._time, self._asking),
                line(Label(self._of_repeats(), "small", "faint", wrap=True), margins=(INSET, 4, INSET, 4)),
                *(heading(_("An answer")), self._output, self._effort),
                *(heading(_("The practice model")), self._rate, None),
            )
        )
        desk.settings_changed.connect(self._show)

    def _make_limits(self, settings: Settings) -> None:
        none = _("no limit")
        limits, endless = settings.limits, Range(lowest=1, highest=MOST, empty=none, endless=True)
        requests = _("Requests to the model; each may come with several calls.")
        self._steps = number_row(_("Steps"), requests, _("requests"), Range(lowest=1, highest=MOST, endless=True), limits.steps)
        self._tokens = number_row(_("Tokens"), _("Input and output of all its requests together."), _("tokens"), endless, limits.tokens)
        seconds = Range(lowest=1, highest=MOST, whole=False, empty=none, endless=True)
        self._time = number_row(_("Time"), _("While it waits for you at a limit, time stands still."), _("seconds"), seconds, limits.time_s)
        self._ask = Check(_("Pause and ask"), limits.ask)
        self._asking = SettingRow(_("When a limit is reached"), _("Else the turn ends there."), self._ask)
        self._asking.refused.connect(self._show)
        for row, name in ((self._steps, "steps"), (self._tokens, "tokens"), (self._time, "time_s")):
            row.entered.connect(lambda value, row=row, name=name: self._limit(row, name, value))
        self._ask.toggled.connect(lambda on: self._limit(self._asking, "ask", on))

    def _make_answers(self, settings: Settings) -> None:
        output = Range(lowest=1, highest=MOST, empty=_("the provider's limit"), endless=True)
        self._output = number_row(_("Longest answer"), _("Output of one request."), _("tokens"), output, settings.model.max_output_tokens)
        words = _("As the provider calls it, often low, medium or high.")
        usual = _("the provider's usual")
        self._effort = FieldRow(_("Reasoning effort"), words, _read_effort, lambda value: value or "", settings.model.reasoning_effort, placeholder=usual)
        speed = _("The script writes as slowly as a model does; 0 is as fast as possible.")
        self._rate = number_row(_("Pace"), speed, _("tokens/s"), Range(lowest=0, highest=FASTEST, whole=False), settings.practice.tokens_per_s)
        self._output.entered.connect(lambda value: self._model(self._output, "max_output_tokens", value))
        self._effort.entered.connect(lambda value: self._model(self._effort, "reasoning_effort", value))
        self._rate.entered.connect(lambda value: self._saving.apply(lambda now: replace(now, practice=replace(now.practice, tokens_per_s=value)), self._rate))

    @staticmethod
    def _of_repeats() -> str:
        times = many("{n} time", "{n} times", REPEATS_ASK)
        return _("A call that comes {times} with the same arguments in one turn asks, whatever rules and mode say.").format(times=times)

    def _limit(self, row: SettingRow, name: str, value: Any) -> None:
        if getattr(self._desk.app.settings.limits, name) != value:
            self._saving.apply(lambda now: replace(now, limits=dataclasses.replace(now.limits, **{name: value})), row)

    def _model(self, row: SettingRow, name: str, value: Any) -> None:
        self._saving.apply(lambda now: replace(now, model=replace(now.model, **{name: value})), row)

    def _show(self) -> None:
        """Show what is in force."""
        settings = self._desk.app.settings
        self._steps.show_value(settings.limits.steps)
        self._tokens.show_value(settings.limits.tokens)
        self._time.show_value(settings.limits.time_s)
        self._ask.setChecked(settings.limits.ask)
        self._output.show_value(settings.model.max_output_tokens)
        self._effort.show_value(settings.model.reasoning_effort)
        self._rate.show_value(settings.practice.tokens_per_s)


def _read_effort(typed: str) -> str | None:
    """Return the effort that was typed; None for an empty field.

    Raises:
        ValueError: it is no word.
    """
    word = typed.strip()
    if len(word) > LONGEST_EFFORT or not word.isprintable() or " " in word:
        raise ValueError(_("Write one word, as the provider's documentation has it. Empty means: the provider's usual."))
    return word or None
