"""The dialog that asks for files and folders: the desktop's own where there is one, else Qt's, whose two labels that Qt leaves in English are ours."""

from __future__ import annotations

from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.words import _


def file_dialog(parent: QWidget, title: str, folder: str = "") -> QFileDialog:
    """Return a dialog, not yet shown, that deletes itself when it has been answered or closed.

    Args:
        parent: what it belongs to.
        title: what is asked.
        folder: where to look first; empty for the process's own.
    """
    dialog = QFileDialog(parent, title, folder)
    dialog.setLabelText(QFileDialog.DialogLabel.LookIn, _("Look in:"))
    dialog.setLabelText(QFileDialog.DialogLabel.FileType, _("Files of type:"))
    dialog.finished.connect(dialog.deleteLater)
    return dialog
