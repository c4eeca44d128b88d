"""The question before a link is opened shows all of the address and opens it only when a person wants that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QPoint, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.approval.guard import GuardedButton
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.labels import Label
from workbench.ui.link_question import LinkQuestion

PAGE = "http://127.0.0.1:9/a?b=c%20d#e"


class Browser(QObject):
    """Stands in for whatever opens addresses here."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        """Note an address."""
        self.opened.append(url.toEncoded().toStdString())


@pytest.fixture
def browser(window_app: QApplication) -> Iterator[Browser]:
    browser = Browser()
    for scheme in ("http", "https", "mailto"):
        QDesktopServices.setUrlHandler(scheme, browser, "take")  # type: ignore[arg-type]
    yield browser
    for scheme in ("http", "https", "mailto"):
        QDesktopServices.unsetUrlHandler(scheme)


async def asked(gui: Gui, address: str, size: tuple[int, int] = (900, 600)) -> LinkQuestion:
    window = gui.show(QWidget())
    window.resize(*size)
    window.activateWindow()
    await gui.until(window.isActiveWindow)
    question = LinkQuestion(address, window)
    question.present()
    return question


async def test_nothing_is_opened_before_it_was_in_sight_for_a_moment(gui: Gui, browser: Browser) -> None:
    question = await asked(gui, PAGE)
    button = gui.find("Open", GuardedButton)
    gui.click_at(button, button.rect().center())
    gui.keys(button, "Space")
    button.setFocus()
    gui.keys(button, "Return")
    button.click()  # as a screen reader presses it
    assert question.is_open
    assert browser.opened == []
    await gui.until(lambda: question.guard.is_open)
    await gui.click("Open")
    assert browser.opened == [PAGE]


def labels(question: LinkQuestion) -> list[str]:
    return [label.text() for label in question.findChildren(Label)]


@pytest.mark.parametrize("way", ["Esc", "Enter", "button", "beside"])
async def test_every_other_way_opens_nothing(gui: Gui, browser: Browser, way: str) -> None:
    question = await asked(gui, PAGE)
    gone: list[bool] = []
    question.closed.connect(lambda: gone.append(True))
    await gui.until(lambda: question.guard.is_open)
    focused = QApplication.focusWidget()
    assert focused is not None
    match way:
        case "Esc":
            gui.keys(focused, "Esc")
        case "Enter":
            gui.keys(focused, "Return")
        case "button":
            await gui.click("Do not open")
        case _:
            gui.click_at(question, QPoint(3, 3))
    await gui.settle()
    assert gone == [True]
    assert browser.opened == []


async def test_the_address_is_shown_whole_with_what_hides_in_it_and_the_host_spelled_out(gui: Gui) -> None:
    question = await asked(gui, "https://ex\u0430mple.com@127.0.0.1/\u202egpj")
    assert "⟨U+202E⟩" in question.address.accessibleDescription()
    assert question.address.text() == "https://ex\u0430mple.com@127.0.0.1/\u202egpj"
    assert "It leads to 127.0.0.1." in labels(question)
    question.dismiss()
    await gui.settle()
    assert "It leads to xn--exmple-4nf.com." in labels(await asked(gui, "https://ex\u0430mple.com/"))


@pytest.mark.parametrize("size", [(900, 600), (300, 260)])
async def test_a_long_address_can_be_read_to_its_end(gui: Gui, size: tuple[int, int]) -> None:
    question = await asked(gui, "http://127.0.0.1/" + "0123456789" * 200, size)
    gui.picture(question)
    bar = question._place.verticalScrollBar()
    assert question.address.height() <= bar.maximum() + question._place.viewport().height()
    assert question.address.height() >= question.address.heightForWidth(question.address.width())
    assert question.rect().contains(question.card.geometry())


async def test_tab_goes_round_and_the_address_can_be_copied(gui: Gui, browser: Browser) -> None:
    await asked(gui, "mailto:a@b.example")
    gui.find("Open this address in your mail program?")
    seen = []
    for _ in range(3):
        focused = QApplication.focusWidget()
        assert isinstance(focused, Button)
        seen.append(focused.text())
        gui.keys(focused, "Tab")
    assert seen == ["Do not open", "Open", "Copy the address"]
    await gui.click("Copy the address")
    assert QGuiApplication.clipboard().text() == "mailto:a@b.example"
    assert browser.opened == []


async def test_it_is_plain(gui: Gui) -> None:
    assert_plain(await asked(gui, "http://h/<b>x</b>"))
