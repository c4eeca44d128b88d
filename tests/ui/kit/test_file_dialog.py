"""Qt's own file dialog speaks the chosen language throughout."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton, QWidget

from tests.ui.gui import Gui
from workbench.settings.tree import AppearanceSettings
from workbench.ui.kit.file_dialog import file_dialog
from workbench.ui.look import Look


async def test_no_label_and_no_button_of_it_stays_english(gui: Gui) -> None:
    look = Look()
    look.use(AppearanceSettings(language="zh_CN"))
    dialog = file_dialog(gui.show(QWidget()), "打开文件夹")
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    gui.show(dialog)
    texts = [label.text() for label in dialog.findChildren(QLabel)] + [button.text() for button in dialog.findChildren(QPushButton)]
    look.use(AppearanceSettings(language="en"))
    assert texts
    assert [text for text in texts if re.search("[A-Za-z]{2}", text)] == []


async def test_it_goes_away_when_it_is_closed(gui: Gui) -> None:
    parent = gui.show(QWidget())
    dialog = file_dialog(parent, "Open a folder")
    dialog.open()
    dialog.reject()
    await gui.until(lambda: not parent.findChildren(QFileDialog))
