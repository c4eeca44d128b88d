"""What the menus of mode and model offer: each choice with its sentence, and why one cannot be made now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from workbench.app import is_practice
from workbench.permissions.modes import MODES, GateFacts, Mode, mode_available
from workbench.permissions.visible import visible
from workbench.ui.desk import ModelEntry
from workbench.ui.inspector.dialects_words import title
from workbench.ui.kit.popup import Entry, PopupMenu
from workbench.words import _, marked, mode_name, tell

FIND_SERVERS, ADD_PROVIDER = "find servers", "add provider"
"""What the model menu tells beside a model."""

MODE_ICONS: dict[Mode, str] = {"read_only": "eye", "ask": "question", "accept_edits": "pen", "auto": "play"}
_MODE_SENTENCES: dict[Mode, str] = dict(
    zip(
        MODES,
        marked(
            "Looks, and changes nothing.",
            "Edits and commands wait for you.",
            "Edits in this folder pass; commands wait for you.",
            "Commands that are kept to this folder pass; levels 3 and 4 wait for you.",
        ),
        strict=True,
    )
)


class Model(NamedTuple):
    """A model as settings name it."""

    profile: str
    model: str


def mode_entries(chosen: Mode, facts: GateFacts) -> tuple[Entry, ...]:
    """Return the modes, the least free first; the entry's id is the mode."""
    return tuple(
        Entry(
            entry_id=mode,
            title=mode_name(mode),
            sentence=_(_MODE_SENTENCES[mode]),
            icon=MODE_ICONS[mode],
            chosen=mode == chosen,
            why_not=_first_sentence(tell(refused)) if (refused := mode_available(mode, facts)) is not None else "",
        )
        for mode in MODES
    )


def _first_sentence(text: str) -> str:
    """Return how a text begins: a menu has one line for a reason, and the chip of the confinement tells the rest."""
    return re.split(r"(?<=\.)\s|(?<=。)", text, maxsplit=1)[0]


def model_entries(models: Iterable[ModelEntry], chosen: Model | None) -> tuple[Entry, ...]:
    """Return the models by provider, then how to get more; see `model_of` for what the ids of models mean."""
    found = tuple(
        Entry(
            entry_id=f"{entry.profile}/{entry.model}",
            title=visible(entry.model),
            group=provider_name(entry),
            note=_model_note(entry),
            chosen=Model(entry.profile, entry.model) == chosen,
            why_not=visible(entry.why_not),
            lacks=entry.lacks,
        )
        for entry in models
    )
    return (
        *found,
        Entry(entry_id=FIND_SERVERS, title=_("Find local servers"), icon="search", rule=True),
        Entry(entry_id=ADD_PROVIDER, title=_("Add a provider…"), icon="key"),
    )


def model_of(entry_id: str) -> Model:
    """Return the model that an id of `model_entries` names; a model's own name may hold slashes."""
    return Model(*entry_id.split("/", 1))


def provider_name(entry: ModelEntry) -> str:
    """Return a provider's short name for a list."""
    return _("practice") if is_practice(entry.profile) else visible(entry.title or entry.profile)


def _model_note(entry: ModelEntry) -> str:
    if is_practice(entry.profile):
        return title(entry.dialect)
    return _("local") if entry.local else ""


def open_at(widget: QWidget, place: QPoint, entries: Sequence[Entry], chosen: Callable[[str], None], name: str) -> PopupMenu:
    """Open a menu of a few entries at a global point."""
    menu = PopupMenu(entries, widget, name=name)
    menu.chosen.connect(chosen)
    menu.at(widget.window().mapFromGlobal(place))
    return menu
