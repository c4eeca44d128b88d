"""Opens a window and ends the process when it was painted first: ``first_paint.py FOLDER DATA`` the program's, alone a bare one of PySide6.

Both are run by bench_start.py, which measures how long that takes.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any


def paints_and_ends() -> None:
    """Let the process end with the first painting of whatever the application shows."""
    from PySide6.QtCore import QEvent, QObject, QTimer
    from PySide6.QtWidgets import QApplication
    from typing_extensions import override

    class End(QObject):
        @override
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                QTimer.singleShot(0, lambda: os._exit(0))  # when everything that is due was painted
            return False

    app = QApplication.instance()
    assert app is not None
    app.installEventFilter(End(app))


def program(folder: str, data_folder: Path) -> None:
    """Open the program's window as its command does."""
    start = importlib.import_module("workbench.ui.start")
    why_not = start.why_no_window(os.environ)
    assert not why_not, why_not
    application: Any = importlib.import_module("workbench.ui.application")
    make = application.make_application

    def make_and_watch() -> object:
        app = make()
        paints_and_ends()
        return app

    application.make_application = make_and_watch
    start.run(folder, data_folder)


def bare() -> None:
    """Open a window of PySide6 with a word in it."""
    from PySide6.QtWidgets import QApplication, QLabel, QMainWindow

    app = QApplication([])
    paints_and_ends()
    window = QMainWindow()
    window.setCentralWidget(QLabel("Hello"))
    window.resize(1440, 900)
    window.show()
    app.exec()


if __name__ == "__main__":
    if sys.argv[1:]:
        program(sys.argv[1], Path(sys.argv[2]))
    else:
        bare()
    raise SystemExit("no window was painted")
