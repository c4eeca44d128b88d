"""One item of the chat in a widget, as the scroller shows it: painted, its widgets placed, its targets clicked."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from workbench.ui.chat.item_view import ClickTarget, ItemView, Place
from workbench.ui.kit.paint import fill

NOW = 1_700_000_000.0
MARGIN = 10


class Stage(QWidget):
    """Shows one item.

    Attributes:
        view: the item's view.
        done: what was activated, as (action, argument).
        widgets: the real widgets over the item, by key.
    """

    def __init__(self, view: ItemView, width: int = 600) -> None:
        super().__init__()
        self.view, self.now = view, NOW
        self.done: list[tuple[str, str]] = []
        self.widgets: dict[str, QWidget] = {}
        self.pointer: QPointF | None = None
        self.selection: tuple[int, int] | None = None
        self.marks: tuple[tuple[int, int], ...] = ()
        self.mark: tuple[int, int] | None = None
        self.inner = width
        self.renew()

    def renew(self) -> None:
        """Measure again and place the widgets, as after a change of the item."""
        height = self.view.measure(self.inner)
        self.setFixedSize(self.inner + 2 * MARGIN, height + 2 * MARGIN)
        areas = dict(self.view.widget_areas(self.inner))
        for key in self.widgets.keys() - areas.keys():
            self.widgets.pop(key).deleteLater()
        for key, area in areas.items():
            if key not in self.widgets:
                self.widgets[key] = self.view.make_widget(key, self)
            self.widgets[key].setGeometry(area.translated(MARGIN, MARGIN).toRect())
            self.widgets[key].show()
        self.update()

    def target(self, action: str, name: str = "") -> ClickTarget:
        """Return the one target that does something (and has that in its name)."""
        found = [target for target in self.view.targets(self.inner) if target.action == action and name in target.name]
        assert len(found) == 1, [(target.action, target.name) for target in self.view.targets(self.inner)]
        return found[0]

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            fill(p, QRectF(self.rect()), "base")
            place = Place(
                x=MARGIN,
                y=MARGIN,
                width=self.inner,
                top=0,
                bottom=self.height(),
                pointer=self.pointer,
                selection=self.selection,
                marks=self.marks,
                mark=self.mark,
                now=self.now,
                turn_eighths=int(self.now * 8) % 8,
            )
            self.view.paint(p, place)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position() - QPointF(MARGIN, MARGIN)
        hit = [target for target in self.view.targets(self.inner) if target.area.contains(at)]
        assert len(hit) <= 1, "targets lie over each other"
        for target in hit:
            self.done.append((target.action, target.argument))
            if target.action == "toggle":
                self.view.toggle(target.argument)
                self.renew()

    def middle(self, target: ClickTarget) -> QPoint:
        """Return where a target is clicked."""
        return (target.area.center() + QPointF(MARGIN, MARGIN)).toPoint()


def keyboard_is_free(widget: QWidget) -> bool:
    """Say whether nothing in a widget has the keyboard."""
    return not any(child.hasFocus() for child in (widget, *widget.findChildren(QWidget)))
