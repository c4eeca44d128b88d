"""The side pane: the workspace's files, its sessions, what the session changed, and what it left running."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout

from workbench.conversation.events import Entry
from workbench.permissions.visible import visible
from workbench.ui.desk import Desk
from workbench.ui.frame.changes_section import ChangesSection
from workbench.ui.frame.errands import Errands
from workbench.ui.frame.job_rows import JobRows
from workbench.ui.frame.jobs_watch import JobsWatch
from workbench.ui.frame.menus import open_at
from workbench.ui.frame.section import Section, SectionColumn
from workbench.ui.frame.session_changes import SessionChanges
from workbench.ui.frame.sessions_section import SessionsSection
from workbench.ui.frame.tree import FolderTree
from workbench.ui.kit.layout import Ground
from workbench.ui.kit.popup import Entry as MenuEntry
from workbench.words import _, many

LEAST_WIDTH = 180


class SidePane(Ground):
    """Sections one below the other; see `section` for how they share the height.

    Signals:
        file_wanted: absolute path (str) of a file that a person wants to see.
        mention_wanted: relative path (str; absolute outside the workspace) that a person wants in the message.
        session_wanted: id of a session that a person wants to see.
        new_session_wanted: a new session is wanted.
        state_changed: what `state` returns is other than before.
    """

    file_wanted = Signal(object)
    mention_wanted = Signal(object)
    session_wanted = Signal(str)
    new_session_wanted = Signal()
    state_changed = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__("window")
        self.setAccessibleName(_("Side pane"))
        self._desk = desk
        self._session_changes = SessionChanges()
        self._shown: Path | None = None
        self._left: tuple[Any, list[str]] | None = None
        errands = Errands(desk, self)
        self.tree = FolderTree(lambda coroutine: errands.spawn(coroutine, "read a folder"))
        self.workspace = Section("workspace", _("Workspace"), self.tree, "")
        self.sessions = SessionsSection(desk)
        self.changes = ChangesSection()
        self._jobs, self._job_rows = JobsWatch(desk, self), JobRows()
        self.jobs = Section("jobs", _("Jobs"), self._job_rows, _("Commands that still run."))
        self._column = SectionColumn((self.workspace, self.sessions, self.changes, self.jobs))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._column)
        self.setMinimumWidth(LEAST_WIDTH)
        self._connect()
        self._show_workspace()
        self._show_session()

    def _connect(self) -> None:
        self.tree.file_wanted.connect(self.file_wanted)
        self.tree.menu_wanted.connect(self._open_file_menu)
        self.tree.expanded.connect(self.state_changed)
        self.tree.collapsed.connect(self.state_changed)
        self.sessions.session_wanted.connect(self.session_wanted)
        self.sessions.new_wanted.connect(self.new_session_wanted)
        self.changes.file_wanted.connect(self._want_file)
        self.changes.list_view.menu_wanted.connect(self._open_change_menu)
        self._job_rows.stop_wanted.connect(self._jobs.stop)
        self._job_rows.stop_call_wanted.connect(self._jobs.stop_call)
        self._jobs.changed.connect(self._show_jobs)
        for section in self._column.sections:
            section.opened_changed.connect(self.state_changed)
        self._desk.workspace_changed.connect(self._show_workspace)
        self._desk.bridge.attached.connect(self._show_session)
        self._desk.bridge.facts.connect(self._hear)

    # What is remembered

    def state(self) -> dict[str, Any]:
        """Return what is folded and opened, for `restore`; plain values that can be written as JSON or TOML."""
        workspace = self._desk.workspace
        return {
            "closed": [section.name for section in self._column.sections if not section.opened],
            "folder": str(workspace.path) if workspace is not None else "",
            "opened": self.tree.opened_folders(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Fold and open what `state` says; opened folders when the same workspace is open. Anything odd in it is passed over."""
        closed = state.get("closed")
        for section in self._column.sections:
            section.set_opened(opened=not (isinstance(closed, list) and section.name in closed))
        opened = state.get("opened")
        self._left = (state.get("folder"), [path for path in opened if isinstance(path, str)]) if isinstance(opened, list) else None
        self._shown = None
        self._show_workspace()

    def show_section(self, name: str) -> None:
        """Open a section (workspace, sessions, changes, jobs) and give it the keyboard."""
        section = next((section for section in self._column.sections if section.name == name), None)
        if section is not None:
            section.set_opened(opened=True)
            (section.rows if section.has_rows else section.head).setFocus()

    def refresh(self) -> None:
        """Read the opened folders again, and look for jobs."""
        self.tree.folders.refresh()
        self._jobs.refresh()

    # What is shown

    def _show_workspace(self) -> None:
        path = self._desk.workspace.path if self._desk.workspace is not None else None
        self.workspace.set_hint(_("This folder is empty.") if path is not None else _("Open a folder to begin."))
        if path != self._shown:  # else only the branch is another
            self._shown = path
            left, self._left = self._left, None if path is not None else self._left
            self.tree.show_folder(path, left[1] if left is not None and left[0] == str(path) else None)

    def _show_session(self) -> None:
        self._session_changes = SessionChanges()
        self._session_changes.add(self._desk.bridge.entries)
        self._show_changes()
        self._jobs.refresh()
        self._show_jobs()

    def _hear(self, entries: tuple[Entry, ...]) -> None:
        if self._session_changes.add(entries):
            self._show_changes()
            self.tree.folders.refresh()

    def _show_changes(self) -> None:
        self.tree.folders.set_changes(self._session_changes)
        self.changes.show_changes(self._session_changes)

    def _show_jobs(self) -> None:
        jobs, calls = self._jobs.jobs, self._jobs.calls
        count = len(jobs) + len(calls)
        self._job_rows.show_jobs(jobs, calls)
        self.jobs.set_note(str(count) if count else "", spoken=many("{n} job", "{n} jobs", count))

    # Menus

    def _open_file_menu(self, index: QModelIndex, point: QPoint) -> None:
        node = self.tree.folders.node_of(index)
        if node is not None and node.kind not in ("range", "gone"):
            self._open_path_menu(node.path, point)

    def _open_change_menu(self, index: QModelIndex, point: QPoint) -> None:
        self._open_path_menu(self.changes.path_of(index), point)

    def _open_path_menu(self, path: str, point: QPoint) -> None:
        entries = (MenuEntry(entry_id="mention", title=_("Add to message"), icon="at"), MenuEntry(entry_id="copy", title=_("Copy path"), icon="copy"))
        open_at(self, point, entries, lambda chosen: self._do(chosen, path), visible(path))

    def _do(self, chosen: str, path: str) -> None:
        if chosen == "mention":
            self.mention_wanted.emit(path)
        else:
            QGuiApplication.clipboard().setText(self._absolute(path))

    def _want_file(self, path: str) -> None:
        self.file_wanted.emit(self._absolute(path))

    def _absolute(self, path: str) -> str:
        workspace = self._desk.workspace
        return str(workspace.path / path) if workspace is not None else path
