"""The words people read, in their language: gettext catalogues of resources/locale, shared by window and terminal.

Front ends call `_` with English text. Rooms below them raise errors and write notices that carry a message id, values and the English
sentence; `tell` finds the translation by the id, and falls back to that sentence, so an untranslated message is still whole.
"""

from __future__ import annotations

import gettext
import locale
import os
from collections.abc import Mapping
from typing import Protocol

from workbench.resources import resource

DOMAIN = "workbench"
LANGUAGES: tuple[str, ...] = ("en", "zh_CN")

_catalogue: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"


class Told(Protocol):
    """What `tell` needs of an error or a notice."""

    @property
    def message_id(self) -> str:
        """Stable name of the message."""
        ...

    @property
    def values(self) -> Mapping[str, object]:
        """What the sentence fills in."""
        ...

    @property
    def text(self) -> str:
        """The sentence in English."""
        ...


def choose_language(wanted: str = "system", environment: Mapping[str, str] | None = None) -> str:
    """Switch to a language of LANGUAGES and return it.

    Args:
        wanted: one of LANGUAGES, or ``system`` for what the environment says (LC_ALL, LC_MESSAGES, LANG, in that order).
        environment: the environment to look at; None means this process's.
    """
    global _catalogue, _language  # noqa: PLW0603  one language a process, like the standard library's own
    _language = wanted if wanted in LANGUAGES else _system_language(os.environ if environment is None else environment)
    _catalogue = gettext.NullTranslations()
    if _language != "en":
        with resource("locale", _language, "LC_MESSAGES", f"{DOMAIN}.mo").open("rb") as file:
            _catalogue = gettext.GNUTranslations(file)
    return _language


def language() -> str:
    """Return the language in force."""
    return _language


def _(text: str) -> str:
    """Return `text`, which is English, in the chosen language."""
    return _catalogue.gettext(text) if text else ""


def many(one: str, more: str, count: int) -> str:
    """Return the form of a counted phrase that fits `count`, with ``{n}`` filled in."""
    return _catalogue.ngettext(one, more, count).format(n=count)


def tell(message: Told) -> str:
    """Return the sentence of an error or a notice in the chosen language; its English text if there is no translation."""
    pattern = _catalogue.gettext(message.message_id) if message.message_id else ""
    if not pattern or pattern == message.message_id:
        return message.text
    try:
        return pattern.format_map(message.values)
    except (KeyError, IndexError, ValueError):
        return message.text


def _system_language(environment: Mapping[str, str]) -> str:
    """Return the one of LANGUAGES the environment asks for; on a system without these variables, the user's locale."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name, ""):
            return "zh_CN" if value.lower().startswith("zh") else "en"
    return "zh_CN" if (locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"
