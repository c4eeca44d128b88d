"""The buttons of mode and model in the composer, and the menus over them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget
from typing_extensions import override

from workbench.app import is_practice
from workbench.permissions.modes import MODES, Mode
from workbench.permissions.visible import visible
from workbench.ui.desk import Desk
from workbench.ui.frame.errands import Errands
from workbench.ui.frame.menus import ADD_PROVIDER, FIND_SERVERS, MODE_ICONS, Model, mode_entries, model_entries, model_of
from workbench.ui.inspector.dialects_words import short_title
from workbench.ui.kit.buttons import MenuButton
from workbench.ui.kit.popup import PopupMenu
from workbench.words import _, many, mode_name

MODE_KEYS = "Alt+M"
LEAST_MODEL_WIDTH = 72


class ChoicesRow(QWidget):
    """What the next message will use.

    Signals:
        provider_wanted: a provider is to be added.
        said: a sentence about what was asked for.
    """

    provider_wanted = Signal()
    said = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk, self._errands = desk, Errands(desk, self)
        self._mode, self._model = MenuButton("", "shield"), MenuButton("", "server")
        self._mode.setAccessibleName(_("Mode"))
        self._model.setAccessibleName(_("Model"))
        self._model.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._model.setMinimumWidth(LEAST_MODEL_WIDTH)
        self._mode.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._mode)
        layout.addWidget(self._model)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._mode.clicked.connect(self.open_mode_menu)
        self._model.clicked.connect(self.open_model_menu)
        for signal in (desk.bridge.attached, desk.bridge.state_changed, desk.models_changed, desk.workspace_changed):
            signal.connect(self._show)
        self._show()

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(self._mode.sizeHint().width() + LEAST_MODEL_WIDTH, super().minimumSizeHint().height())

    def open_mode_menu(self) -> None:
        """Open the menu of modes over its button."""
        opened = self._desk.bridge.opened
        if opened is not None:
            menu = PopupMenu(mode_entries(opened.session.mode, opened.bench.gatekeeper.facts), self, _("Mode of this session"), MODE_KEYS)
            menu.chosen.connect(self._choose_mode)
            menu.above(self._mode)

    def open_model_menu(self) -> None:
        """Open the menu of models over its button."""
        opened = self._desk.bridge.opened
        chosen = Model(opened.session.chosen.profile, opened.session.chosen.model) if opened is not None else None
        foot = _("Changing the model keeps the session.")
        menu = PopupMenu(model_entries(self._desk.models, chosen), self, filter_words=_("Filter models"), foot=foot)
        menu.chosen.connect(self._choose_model)
        menu.above(self._model)

    def _choose_mode(self, chosen: str) -> None:
        mode: Mode | None = next((mode for mode in MODES if mode == chosen), None)
        if mode is not None:
            self._desk.bridge.choose_mode(mode)

    def _choose_model(self, chosen: str) -> None:
        if chosen == ADD_PROVIDER:
            self.provider_wanted.emit()
        elif chosen == FIND_SERVERS:
            self._errands.spawn(self._find_servers(), "find local servers")
        else:
            self._desk.spawn(self._desk.choose_model(*model_of(chosen)), name="choose the model")

    async def _find_servers(self) -> None:
        count = await self._desk.find_local_servers()
        if count:
            self.open_model_menu()
        self.said.emit(servers_found(count))

    def _show(self) -> None:
        opened = self._desk.bridge.opened
        for button in (self._mode, self._model):
            button.setEnabled(opened is not None)
        mode = opened.session.mode if opened is not None else self._desk.app.settings.mode
        self._mode.show_choice(mode_name(mode), icon_name=MODE_ICONS[mode])
        if opened is None:
            self._model.show_choice(_("No model"))
        else:
            chosen = opened.session.chosen
            self._model.show_choice(visible(chosen.model), short_title(chosen.dialect) if is_practice(chosen.profile) else "")


def servers_found(count: int) -> str:
    """Say how many local servers answered."""
    if count:
        return many("{n} server answers on this machine; its models are in the model menu.", "{n} servers answer on this machine; see the model menu.", count)
    return _("No server answers on this machine. Ollama, llama.cpp, LM Studio and vLLM are looked for on their usual ports.")
