"""What a lasting rule would let through, said in plain sentences with examples. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from workbench.conversation.calls import RuleScope
from workbench.inspection.rehearse_rule import RuleRehearsal
from workbench.permissions.rules import ArgvRule, GrantRule, HostRule, PathRule, Rule, ServerRule, TextRule, ToolRule
from workbench.permissions.suggestions import samples
from workbench.permissions.visible import visible
from workbench.ui.rule_names import rule_name
from workbench.words import _, many, strung

_FOLDER = "/**"
KEPT_SHOWN = 3


class Effect(NamedTuple):
    """What a rule would do: what it also lets through, and what still asks; one phrase each, foreign text in them."""

    also: str
    asks: str


def effect_of(rule: Rule, argv: Sequence[str] = ()) -> Effect:
    """Return what a rule would let through besides the call it is offered for, and what would still ask.

    Args:
        rule: the rule.
        argv: the words of the part that it is offered for.
    """
    match rule:
        case ArgvRule(argv=pattern):
            shown = samples(pattern, argv)
            also = _("also {commands}").format(commands=strung(*shown.also)) if shown.also else _("nothing else than these words")
            return Effect(also, _("{command} still asks").format(command=shown.not_) if shown.not_ else "")
        case TextRule():
            return Effect(_("exactly this text, whenever it comes"), _("any other text still asks"))
        case PathRule(tool=tool, path=path) if path.endswith(_FOLDER):
            folder = path.removesuffix("**")
            also = _("also every later {tool} below {folder}: {samples}").format(tool=tool, folder=folder, samples=strung(*_below(folder)))
            return Effect(also, _("{path} still asks, as protected files and secrets do").format(path=_beside(folder)))
        case PathRule(tool=tool, path=path):
            also = _("every later {tool} of this file, whatever it writes").format(tool=tool)
            return Effect(also, _("{path} still asks").format(path=_sibling(path)))
        case HostRule(tool=tool, host=host) if host.startswith("*."):
            below = strung(f"docs{host[1:]}", f"api{host[1:]}", f"a.b{host[1:]}")
            return Effect(_("also every {tool} of {hosts}").format(tool=tool, hosts=below), _("{host} still asks").format(host=f"{host[2:]}.example"))
        case HostRule(tool=tool, host=host):
            also = _("every later {tool} of this host: {addresses}").format(tool=tool, addresses=strung(f"{host}/", f"{host}/any/page", f"{host}/?any=query"))
            return Effect(also, _("{host} still asks").format(host=f"{host}.example"))
        case ServerRule():
            return Effect(_("every later call of this tool, whatever it is given"), _("it asks again when the server describes it in another way"))
        case ToolRule():
            return Effect(_("every later call of this tool"), _("what is dangerous still asks"))
        case GrantRule():
            also = _("reading, listing and searching everything in it, until the session ends or you remove the rule")
            return Effect(also, _("changes, commands, secrets and what links lead to are decided as before"))
        case _:
            assert_never(rule)


def rehearsal_words(rehearsal: RuleRehearsal) -> str:
    """Return how many of the last calls the rules would have let through, with the base of the figure."""
    if not rehearsal.total:
        return _("no earlier calls to compare with")
    words = _("{n} of your last {total} calls").format(n=len(rehearsal.allowed), total=rehearsal.total)
    rejected = sum(call.answer == "reject" for call in rehearsal.allowed)
    return strung(words, many("you rejected {n} of them", "you rejected {n} of them", rejected)) if rejected else words


def rehearsed_lines(rehearsal: RuleRehearsal) -> tuple[str, ...]:
    """Return the calls that would have been let through, one on a line each, hidden characters visible."""
    return tuple(
        strung(visible(f"{call.tool} {call.text}".strip()), _("you rejected it")) if call.answer == "reject" else visible(f"{call.tool} {call.text}".strip())
        for call in rehearsal.allowed
    )


def kept_sentence(rules: Sequence[Rule], scope: RuleScope) -> str:
    """Return what was kept and where, for after the answer; hidden characters are visible."""
    shown = [rule_name(rule) for rule in rules[:KEPT_SHOWN]]
    if len(rules) > KEPT_SHOWN:
        shown.append(many("and {n} more", "and {n} more", len(rules) - KEPT_SHOWN))
    match scope:
        case "session":
            words = _("Allowed for the rest of this session: {rules}")
        case "project":
            words = _("Allowed from now on in this project: {rules}")
        case "user":
            words = _("Allowed from now on everywhere: {rules}")
        case _:
            assert_never(scope)
    return words.format(rules=strung(*shown))


def _below(folder: str) -> tuple[str, ...]:
    return f"{folder}other.py", f"{folder}new/file.txt", f"{folder}README.md"


def _beside(folder: str) -> str:
    parent, _slash, name = folder.rstrip("/").rpartition("/")
    return f"{parent}/{name}-other/file.txt" if parent else f"{name}-other/file.txt"


def _sibling(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}other-{name}"
