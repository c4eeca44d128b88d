"""A choice among a few: segments in one outline, and the tabs of a pane."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import box, fill, pill, pill_width, text, width_of
from workbench.ui.kit.theme import theme


class Segments(QWidget):
    """Two to four exclusive choices in one outline; the chosen one has a filled ground and heavier type."""

    changed = Signal(int)

    def __init__(self, labels: list[str], chosen: int = 0, mono: bool = False, icons: list[str] | None = None):
        super().__init__()
        self.labels, self.chosen, self.mono, self.icons = labels, chosen, mono, icons or []
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(" | ".join(labels))

    def _font(self, n: int):
        size = "code" if self.mono else "small"
        return theme.font(size, "medium" if n == self.chosen else "regular")

    def _widths(self):
        return [
            width_of(label, theme.font("code" if self.mono else "small", "medium")) + 20 + (18 if self.icons else 0)
            for label in self.labels
        ]

    def sizeHint(self):
        return QSize(int(sum(self._widths()) + 4), theme.compact + 2)

    def mousePressEvent(self, event):
        x = 2.0
        for n, w in enumerate(self._widths()):
            if x <= event.position().x() < x + w:
                self.chosen = n
                self.changed.emit(n)
                self.update()
            x += w

    def paintEvent(self, event):
        with QPainter(self) as p:
            rect, x = QRectF(self.rect()), 2.0
            box(p, rect, *(("hover", None) if theme.name == "light" else ("window", "line")), 5)
            for n, (label, w) in enumerate(zip(self.labels, self._widths())):
                if n == self.chosen:
                    box(
                        p, QRectF(x, 2, w, rect.height() - 4), "raised" if theme.name == "light" else "press", "edge", 4
                    )
                left = x + 10
                if self.icons:
                    draw_icon(
                        p, self.icons[n], left - 2, (rect.height() - 16) / 2, "text" if n == self.chosen else "muted"
                    )
                    left += 18
                text(
                    p, QRectF(left, 0, w, rect.height()), label, self._font(n), "text" if n == self.chosen else "muted"
                )
                x += w



class Tabs(QWidget):
    """Pane tabs: text, an optional count, a 2-pixel line under the open one."""

    changed = Signal(int)

    def __init__(
        self,
        labels: list[str | tuple[str, str]],
        chosen: int = 0,
        tall: int = 0,
        inset: int = 8,
        tones: dict[int, str] | None = None,
        sub: bool = False,
    ):
        super().__init__()
        self.labels = [label if isinstance(label, tuple) else (label, "") for label in labels]
        self.chosen, self.inset, self.tones, self.sub = chosen, inset, tones or {}, sub
        self.tall = tall or (theme.bar - 4 if sub else theme.bar)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(60)

    def sizeHint(self):
        return QSize(int(sum(self._width(n) for n in range(len(self.labels))) + 2 * self.inset), self.tall)

    def _width(self, n):
        label, count = self.labels[n]
        w = width_of(label, theme.font("small" if self.sub else "body", "medium")) + 20
        return w + (pill_width(count) + 4 if count else 0)

    def paintEvent(self, event):
        with QPainter(self) as p:
            h, x = self.height(), float(self.inset)
            for n, (label, count) in enumerate(self.labels):
                w, on = self._width(n), n == self.chosen
                font = theme.font("small" if self.sub else "body", "medium" if on else "regular")
                used = text(p, QRectF(x + 10, 0, w, h - 1), label, font, "text" if on else "muted")
                if count:
                    pill(p, x + 10 + used + 6, h / 2, count, self.tones.get(n, "plain"))
                if on:
                    fill(p, QRectF(x + 8, h - 2, w - 16, 2), "accent_fill")
                x += w

