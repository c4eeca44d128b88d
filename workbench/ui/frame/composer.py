"""Where a message is written and what it will use is chosen: pictures, files, mode, model; Send, or Stop while a turn runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.events import Entry, UserMessageAdded
from workbench.permissions.visible import visible
from workbench.ui.commands import Commands
from workbench.ui.desk import Desk
from workbench.ui.frame.attachments import Attachments
from workbench.ui.frame.choices_row import ChoicesRow
from workbench.ui.frame.completing import Completing
from workbench.ui.frame.file_finder import mention
from workbench.ui.frame.message_edit import MessageEdit
from workbench.ui.frame.pictures_to_send import Picture
from workbench.ui.frame.queue_row import QueueRow
from workbench.ui.kit.buttons import Button, IconButton
from workbench.ui.kit.file_dialog import file_dialog
from workbench.ui.kit.labels import Label
from workbench.ui.kit.paint import box
from workbench.words import _

TOOLS_SPACE = 40
"""Pixels of margins and gaps in the row below the text."""


class Composer(QWidget):
    """The box below the chat.

    Signals:
        sent: a message went out, or waits for the running step.
        provider_wanted: a provider is to be added.

    Attributes:
        edit: the field.
        attachments: the pictures that go along.
    """

    sent = Signal()
    provider_wanted = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._recalled = ("", 0)
        self.edit = MessageEdit()
        self.edit.setAccessibleName(_("Message"))
        self.attachments = Attachments(desk)
        self._queue = QueueRow(desk.bridge)
        self._notice = Label("", "small", "fail", wrap=True)
        self._completing = Completing(desk, self.edit, self)
        self._attach, self._at, self._slash = IconButton("attach", _("Attach pictures…")), IconButton("at", _("Add a file")), IconButton("slash", _("Command"))
        self._choices = ChoicesRow(desk)
        self._send, self._stop = Button(_("Send"), "primary", "send"), Button(_("Stop"), "plain", "stop", "Esc")
        self._lay_out()
        self._connect()
        self._show_state()

    def _lay_out(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(6, 0, 8, 8)
        tools.setSpacing(0)
        for widget in (self._attach, self._at, self._slash):
            tools.addWidget(widget)
        tools.addSpacing(6)
        tools.addWidget(self._choices)
        tools.addStretch(1)
        tools.addSpacing(8)
        tools.addWidget(self._send)
        tools.addWidget(self._stop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.setSpacing(0)
        for row in (self._queue, self.attachments):
            layout.addWidget(row)
        layout.addWidget(self.edit)
        layout.addWidget(self._notice)
        layout.addLayout(tools)
        self._notice.setContentsMargins(12, 0, 12, 6)
        self._notice.hide()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAcceptDrops(True)

    def _connect(self) -> None:
        bridge = self._desk.bridge
        self.edit.submitted.connect(self.submit)
        self.edit.textChanged.connect(self._text_changed)
        self.edit.focus_changed.connect(self.update)
        self.edit.earlier_wanted.connect(self._recall)
        self.edit.pictures_given.connect(self.attachments.add_image)
        self.edit.files_given.connect(lambda paths: self.attachments.add_files([Path(path) for path in paths]))
        self.edit.recalls = self._recalls
        self.attachments.changed.connect(self._show_send)
        self.attachments.refused.connect(self.refuse)
        self.attachments.mentioned.connect(self.mention)
        self._queue.taken_back.connect(self._take_back)
        self._attach.clicked.connect(self._choose_files)
        self._at.clicked.connect(self._completing.begin_mention)
        self._slash.clicked.connect(self._completing.begin_command)
        self._choices.provider_wanted.connect(self.provider_wanted)
        self._choices.said.connect(self.tell)
        self._send.clicked.connect(self.submit)
        self._stop.clicked.connect(bridge.stop)
        for signal in (bridge.attached, bridge.state_changed, self._desk.workspace_changed):
            signal.connect(self._show_state)
        bridge.refused.connect(self.refuse)

    # What others ask of it

    def focus(self) -> None:
        """Give the field the keyboard."""
        self.edit.setFocus()

    def put(self, text: str) -> None:
        """Replace what is written, and give the field the keyboard."""
        self.edit.put(text)
        self.focus()

    def mention(self, path: str) -> None:
        """Name a file in the message, as the tools name it: relative to the workspace folder, absolute outside."""
        workspace = self._desk.workspace
        if workspace is not None and Path(path).is_relative_to(workspace.path):
            path = Path(path).relative_to(workspace.path).as_posix()
        self.edit.put_word(mention(path))
        self.focus()

    def refuse(self, sentence: str) -> None:
        """Say below the text why something was not done, until something is typed."""
        self._say(sentence, "fail")

    def tell(self, sentence: str) -> None:
        """Say something below the text, until something is typed."""
        self._say(sentence, "muted")

    def _say(self, sentence: str, token: str) -> None:
        self._notice.setText(visible(sentence))
        self._notice.set_token(token)
        self._notice.setAccessibleName(self._notice.text())
        self._notice.setVisible(bool(sentence))

    def set_commands(self, commands: Commands) -> None:
        """Offer these commands after ``/``."""
        self._completing.commands = commands.all

    def open_mode_menu(self) -> None:
        """Open the menu of modes over its button."""
        self._choices.open_mode_menu()

    def open_model_menu(self) -> None:
        """Open the menu of models over its button."""
        self._choices.open_model_menu()

    def submit(self) -> None:
        """Send what is written; it comes back if it is refused."""
        text, pictures = self.edit.toPlainText(), self.attachments.pictures
        if not text.strip() and not pictures:
            return
        if pictures and (why_not := self.attachments.why_not()):
            self.refuse(why_not)
            return
        self.edit.put("")
        self.attachments.show_pictures(())
        self._desk.spawn(self._submit(text, pictures), name="send")

    def state(self) -> dict[str, Any]:
        """Return what is written and attached, for `restore` in a composer that is built anew."""
        return {"text": self.edit.toPlainText(), "pictures": self.attachments.pictures, "caret": self.edit.textCursor().position()}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what `state` returned."""
        self.edit.put(state["text"])
        cursor = self.edit.textCursor()
        cursor.setPosition(min(state["caret"], len(state["text"])))
        self.edit.setTextCursor(cursor)
        self.attachments.show_pictures(state["pictures"])

    # Sending

    async def _submit(self, text: str, pictures: Sequence[Picture]) -> None:
        outcome = await self._desk.bridge.send(text, [picture.part for picture in pictures])
        if outcome == "refused":
            sentence = self._notice.text() or _("Nothing can be sent before a folder is open.")
            self._give_back(text, pictures)
            self.refuse(sentence)
        else:
            if outcome == "queued":
                self._queue.note(text, pictures)
            self.sent.emit()

    def _give_back(self, text: str, pictures: Sequence[Picture]) -> None:
        """Put words and pictures back, before whatever was written since."""
        written = self.edit.toPlainText()
        self.put(f"{text}\n{written}" if written.strip() and text else text or written)
        self.attachments.show_pictures((*pictures, *self.attachments.pictures))

    def _take_back(self, text: str, pictures: tuple[Picture, ...]) -> None:
        self._give_back(text, pictures)
        self._show_state()

    def _recalls(self) -> bool:
        return not self.edit.toPlainText() or (self._recalled[1] > 0 and self.edit.toPlainText() == self._recalled[0])

    def _recall(self, step: int) -> None:
        said = [text for entry in self._desk.bridge.entries if (text := _said(entry))]
        place = self._recalled[1] + step if self.edit.toPlainText() else step
        if 0 <= place <= len(said):
            text = said[-place] if place else ""
            self._recalled = (text, place)
            self.edit.put(text)

    # What is shown

    def _show_state(self) -> None:
        bridge = self._desk.bridge
        if bridge.running:
            self.edit.hint(_("Write ahead: Enter sends it after this step"))
        elif bridge.opened is None:
            self.edit.hint(_("Open a folder to begin"))
        else:
            self.edit.hint(_("Message the model. @ adds a file, / runs a command"))
        for button in (self._attach, self._at, self._slash):
            button.setEnabled(bridge.opened is not None)
        self._show_send()

    def _show_send(self) -> None:
        """Show Stop while a turn runs; what is written then is sent with Enter."""
        bridge = self._desk.bridge
        self._stop.setVisible(bridge.running)
        self._send.setVisible(not bridge.running)
        self._send.setEnabled(bridge.opened is not None and (bool(self.edit.toPlainText().strip()) or bool(self.attachments.pictures)))

    def _text_changed(self) -> None:
        self._say("", "muted")
        self._show_send()

    def _choose_files(self) -> None:
        dialog = file_dialog(self, _("Attach pictures"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        workspace = self._desk.workspace
        if workspace is not None:
            dialog.setDirectory(str(workspace.path))
        dialog.filesSelected.connect(lambda paths: self.attachments.add_files([Path(path) for path in paths]))
        dialog.open()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        send = max(self._send.sizeHint().width(), self._stop.sizeHint().width())
        icons = (self._attach, self._at, self._slash)
        roomy = sum(icon.sizeHint().width() for icon in icons) + self._choices.minimumSizeHint().width() + send + TOOLS_SPACE <= self.width()
        for icon in (self._at, self._slash):  # what they do can be typed
            icon.setVisible(roomy)

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.edit.canInsertFromMimeData(event.mimeData()):
            event.acceptProposedAction()

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        self.edit.insertFromMimeData(event.mimeData())  # as on the field itself, which is a part of the box only
        event.acceptProposedAction()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            # The caret already says where the keyboard is, and this box has it most of the day: one quiet pixel.
            box(p, QRectF(self.rect()), "raised", "focus" if self.edit.hasFocus() else "field", 8)


def _said(entry: Entry) -> str:
    """Return what a person said in words; empty for any other fact."""
    event = entry.event
    return event.message.text() if isinstance(event, UserMessageAdded) and event.message.role == "user" and not event.message.synthetic else ""
