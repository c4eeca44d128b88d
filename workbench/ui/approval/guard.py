"""The guard: for a moment after something appears, is moved or is raised, no answer is taken, so that no click or key meant for what was there before counts.

The moment begins when the new content was painted, not when it was asked for: a person cannot have read what was not on the screen.
"""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent, QPainter
from typing_extensions import override

from workbench.ui.kit.buttons import Button, Kind, State
from workbench.ui.kit.paint import box, text

GUARD_MS = 400
HOLD_MS = 1000
LATE_MS = 60
"""A timer that is so late shows that the loop stood still: what was pressed or let go meanwhile has not arrived yet."""
CATCH_UP_MS = 30
"""For what has not arrived yet."""
_FRAME_MS = 16
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Clock(QObject):
    """Tells that some time has passed, and that everything pressed in it has arrived: not at once if the loop stood still until then.

    Signals:
        over: the time has passed.
    """

    over = Signal()

    def __init__(self, parent: QObject, interval_ms: int) -> None:
        super().__init__(parent)
        self._interval_ms = interval_ms
        self._begun = QElapsedTimer()
        self._catching_up = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._end)

    @property
    def runs(self) -> bool:
        """Whether it was started and is not over."""
        return self._timer.isActive()

    @property
    def share(self) -> float:
        """How much of the time has passed, 0 to 1; 0 if it does not run."""
        return min(1.0, self._begun.elapsed() / self._interval_ms) if self.runs else 0.0

    def start(self) -> None:
        """Begin anew."""
        self._catching_up = False
        self._begun.start()
        self._timer.start(self._interval_ms)

    def stop(self) -> None:
        """Never be over."""
        self._timer.stop()

    def _end(self) -> None:
        if not self._catching_up and self._begun.elapsed() > self._interval_ms + LATE_MS:
            self._catching_up = True
            self._timer.start(CATCH_UP_MS)
        else:
            self.over.emit()


class Guard(QObject):
    """Says whether answers are taken.

    Signals:
        changed: answers are taken now, or no more. Whatever holds the answers paints itself anew then, and calls `painted`.
    """

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._open = False
        self._painted = False
        self._clock = Clock(self, GUARD_MS)
        self._clock.over.connect(self._end)

    @property
    def is_open(self) -> bool:
        """Whether answers are taken."""
        return self._open

    def begin(self) -> None:
        """Take no answers until the guard time has passed after the next painting; presses that have begun come to nothing."""
        self._open = self._painted = False
        self._clock.stop()
        self.changed.emit()

    def painted(self) -> None:
        """Note that what is shown now is on the screen."""
        if not self._painted:
            self._painted = True
            self._clock.start()

    def _end(self) -> None:
        self._open = True
        self.changed.emit()


class GuardedButton(Button):
    """A button that looks and is off while the guard is closed, but keeps the keyboard. Only the default one can be pressed with Enter."""

    def __init__(
        self, label: str, guard: Guard, kind: Kind = "plain", *, icon_name: str = "", keys: str = "", small: bool = False, default: bool = False
    ) -> None:
        self._guard = guard
        super().__init__(label, kind, icon_name, keys, small, default)
        guard.changed.connect(self._follow)

    @property
    def takes(self) -> bool:
        """Whether a press counts now."""
        return self._guard.is_open and self.isEnabled()

    @override
    def state(self, name: State) -> bool:
        match name:
            case "disabled":
                return not self.takes
            case "hover" | "press":
                return self.takes and super().state(name)
            case "focus":
                return super().state(name)

    def _follow(self) -> None:
        if not self._guard.is_open:
            self.setDown(False)
        self.update()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.takes:
            super().mousePressEvent(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            if self.default and self.takes and not event.isAutoRepeat():
                self.click()
        elif event.key() != Qt.Key.Key_Space or (self.takes and not event.isAutoRepeat()):
            super().keyPressEvent(event)


class HoldButton(GuardedButton):
    """A button that must be held for a second, with the pointer or with Space; a click does nothing. It fills while it is held.

    Signals:
        held: it was held long enough.
    """

    held = Signal()

    def __init__(self, label: str, guard: Guard) -> None:
        super().__init__(label, guard, "danger")
        self._filling = QTimer(self)
        self._filling.setInterval(_FRAME_MS)
        self._filling.timeout.connect(self.update)
        self._whole = Clock(self, HOLD_MS)
        self._whole.over.connect(self._done)

    @property
    def share(self) -> float:
        """How much of the second has passed, 0 to 1."""
        return self._whole.share

    def _begin(self) -> None:
        if self.takes and not self._whole.runs:
            self.setDown(True)
            self._whole.start()
            self._filling.start()

    def let_go(self) -> None:
        """Stop holding: nothing happens."""
        self._whole.stop()
        self._filling.stop()
        self.setDown(False)
        self.update()

    def _done(self) -> None:
        counts = self.takes and self.isVisible()
        self.let_go()
        if counts:
            self.held.emit()

    @override
    def _follow(self) -> None:
        if not self._guard.is_open:
            self.let_go()
        super()._follow()

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        super().draw(p, rect)
        if share := self.share:
            p.save()
            p.setClipRect(QRectF(0, 0, rect.width() * share, rect.height()))
            box(p, rect, "level4_fill", None, 5)
            left = max(4, round((rect.width() - self.measure()) / 2) + 12)
            text(p, QRectF(left, 0, rect.width() - left, rect.height()), self.text(), self._font(), "on_fill")
            p.restore()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._begin()

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.rect().contains(event.position().toPoint()):
            self.let_go()

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.let_go()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._begin()
            return
        super().keyPressEvent(event)

    @override
    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self.let_go()
            return
        super().keyReleaseEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.let_go()
        super().focusOutEvent(event)

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        self.let_go()
        super().hideEvent(event)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.WindowDeactivate, QEvent.Type.EnabledChange}:
            self.let_go()
        return super().event(event)
