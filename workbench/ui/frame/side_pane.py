"""The side pane: the workspace's files, its sessions, what the session changed, and what it left running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.conversation.events import Entry
from workbench.ui.desk import Desk
from workbench.ui.frame.changes_section import ChangesSection
from workbench.ui.frame.job_rows import JobRows
from workbench.ui.frame.jobs_watch import JobsWatch
from workbench.ui.frame.section import Section, SectionColumn
from workbench.ui.frame.session_changes import SessionChanges
from workbench.ui.frame.sessions_section import SessionsSection
from workbench.ui.frame.tree import FolderTree
from workbench.ui.kit.popup import MenuEntry, PopupMenu
from workbench.words import _, many
