"""What a folder brings, in words: what each thing would do, why it is not read, and what the state of trust is. No Qt."""

from __future__ import annotations

from typing import assert_never

from workbench.permissions.visible import visible
from workbench.settings.shipped import Kind, ShippedItem
from workbench.settings.trust import Shipped
from workbench.words import _, many, strung

KIND_ICONS: dict[Kind, str] = {
    "instructions": "thought",
    "rules": "shield",
    "allow_rule": "shield-off",
    "servers": "plug",
    "hooks": "terminal",
    "skills": "tool",
    "environment": "settings",
    "settings": "settings",
}


def in_order(shipped: Shipped) -> tuple[ShippedItem, ...]:
    """Return what a folder brings, what is new or changed first, then what has most effect."""
    kinds = list(KIND_ICONS)
    order = sorted(shipped.items, key=lambda item: (item.name != shipped.instructions_name, kinds.index(item.kind), item.name))
    return tuple(sorted(order, key=lambda item: item.name not in shipped.changes))


def effect_words(item: ShippedItem, shipped: Shipped) -> str:
    """Return what a thing does, or would do if the folder were trusted."""
    if item.problem:
        return _problem(item.problem)
    match item.kind:
        case "instructions":
            if item.name == shipped.instructions_name:
                return _("Goes to the model with every request, once you trust the folder.")
            return _("Instructions for other programs. They are not used.")
        case "rules":
            return _("What refuses or asks holds already, since it only tightens. What allows does not hold.")
        case "allow_rule":
            return _("Would let calls pass without a question. It does not hold, even if you trust the folder.")
        case "servers":
            return _("Names servers of tools: programs or addresses. None is started or connected.")
        case "hooks":
            return _("Programs that run when something happens. This program starts none of them; git or an editor may.")
        case "skills":
            return _("Texts and scripts for models. They are not used.")
        case "environment":
            return _("Sets variables for commands. It is not read.")
        case "settings":
            return _("Settings of editors and other programs. They are not used.")
        case _:
            assert_never(item.kind)


def _problem(problem: str) -> str:
    match problem:
        case "link":
            return _("It is a link, so it is never read.")
        case "special":
            return _("It is no regular file, so it is never read.")
        case "large":
            return _("It is too large, so it is never read.")
        case "too_many":
            return _("There are more files than are looked at. Those are never read.")
        case _:
            return _("It cannot be read.")


def size_words(size_bytes: int) -> str:
    """Return a size, short."""
    return _("{n} bytes").format(n=size_bytes) if size_bytes < 1_000 else _("{n} kB").format(n=f"{size_bytes / 1_000:.1f}")


def title_of(shipped: Shipped) -> str:
    """Return what is asked."""
    if shipped.answer == "changed":
        return _("What this folder brings has changed since you answered. Do you trust it as it is now?")
    number = len(shipped.items)
    return many(
        "This folder brings {n} thing that may change how the program works in it. Do you trust it?",
        "This folder brings {n} things that may change how the program works in it. Do you trust it?",
        number,
    )


def gone_words(shipped: Shipped) -> str:
    """Return what a folder brought when it was answered and does not bring any more; empty if nothing is gone."""
    here = {item.name for item in shipped.items}
    gone = [name for name in shipped.changes if name not in here]
    return _("Gone since then: {names}").format(names=visible(strung(*gone))) if gone else ""


def state_words(shipped: Shipped) -> str:
    """Return the state of trust for a chip: empty where nothing needs to be said."""
    if not shipped.digest or shipped.trusted:
        return ""
    name = visible(shipped.instructions_name)
    if shipped.answer == "no":
        return _("Not trusted: {file} is not read").format(file=name) if name else _("Not trusted")
    return _("Not trusted yet: {file} is not read").format(file=name) if name else _("Not trusted yet")
