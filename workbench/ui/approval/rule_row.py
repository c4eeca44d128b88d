"""One line of the rule strip: a tick box for the part, the rules to choose among, and what the chosen one lets through."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.permissions.visible import visible
from workbench.ui.approval.exact_choice import ExactChoice
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.rule_offers import Offered
from workbench.ui.approval.rule_words import effect_of
from workbench.ui.approval.wrapped import Wrapped
from workbench.ui.kit.buttons import Check
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Icon
from workbench.ui.kit.layout import column
from workbench.words import _, many, strung

IN_SEGMENTS = 70
"""Characters of all widths together; longer ones stand one below the other."""
PARTS_NAMED = 8


class RuleRow(QWidget):
    """What is offered for one part, or for the whole call.

    Args:
        offered: the rules.
        on: it is ticked.
        width: place of the chosen rule.
        alone: nothing else is offered, so there is nothing to tick.
        before, after: widgets that stand in the first line, before and behind the rules.
        note: widgets at the end of the second line.

    Signals:
        ticked: it is, or is not, from now on.
        widened: another rule is chosen; its place.
    """

    ticked = Signal(bool)
    widened = Signal(int)

    def __init__(
        self,
        offered: Offered,
        *,
        on: bool,
        width: int,
        alone: bool,
        before: Sequence[QWidget] = (),
        after: Sequence[QWidget] = (),
        note: Sequence[QWidget] = (),
    ) -> None:
        super().__init__()
        self._offered = offered
        self.tick: Check | None = None
        self._also, self._asks = ExactLabel("", "small", "muted"), ExactLabel("", "small", "muted")
        first: list[list[QWidget]] = [list(before)] if before else []
        choices = self._choices(width)
        in_row = isinstance(choices, Segments | ExactLabel)
        if alone:
            tool = ExactLabel(offered.tool, "code", "text", weight="bold", mono=True)
            first.append([tool, choices] if in_row else [tool])
        else:
            self.tick = Check(parts_words(offered.parts), on)
            self.tick.toggled.connect(self.ticked)
            first += [[self.tick], [choices]] if in_row else [[self.tick]]
        effect: list[list[QWidget]] = [[Icon("check", "ok", 12), self._also], [Icon("question", "muted", 12), self._asks]]
        below = [] if in_row else [choices]
        lines = [Wrapped([*first, *([list(after)] if after else [])], last_right=bool(after)), *below]
        if alone or below:
            lines.append(Wrapped([*effect, *([list(note)] if note else [])], last_right=bool(note)))
        else:
            lines = [Wrapped([*first, *effect])]
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for widget in lines:
            layout.addWidget(widget)
        self.show_width(width)

    def show_width(self, place: int) -> None:
        """Tell what the rule at a place lets through."""
        effect = effect_of(self._offered.widths[place].rule, self._offered.argv)
        if self.tick is not None:
            self.tick.setAccessibleDescription(strung(visible(self._offered.text), visible(self._offered.widths[place].words)))
        self._also.show_text(effect.also)
        self._asks.show_text(effect.asks)

    def _choices(self, chosen: int) -> QWidget:
        widths = [width.words for width in self._offered.widths]
        if len(widths) == 1:
            return ExactLabel(widths[0], "code", mono=True)
        if sum(map(len, widths)) <= IN_SEGMENTS and all(visible(width) == width for width in widths):
            segments = Segments(widths, chosen, mono=True, name=_("How wide the rule is"))
            segments.changed.connect(self._widen)
            return segments
        choices = [ExactChoice(width, on=place == chosen) for place, width in enumerate(widths)]
        for place, choice in enumerate(choices):
            choice.clicked.connect(lambda _on=True, place=place: self._widen(place))
        return column(*choices, margins=(24, 0, 0, 0), gap=2)

    def _widen(self, place: int) -> None:
        self.show_width(place)
        self.widened.emit(place)


def parts_words(parts: Sequence[int]) -> str:
    """Return which parts a rule is for; no parts are the whole call."""
    if not parts:
        return _("The whole call")
    if len(parts) == 1:
        return _("Part {n}").format(n=parts[0])
    named = strung(*map(str, parts[:PARTS_NAMED]))
    if len(parts) > PARTS_NAMED:
        named = strung(named, many("and {n} more", "and {n} more", len(parts) - PARTS_NAMED))
    return _("Parts {numbers}").format(numbers=named)

