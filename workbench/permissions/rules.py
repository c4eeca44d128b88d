"""Rules a person made: what may run without a question, what must ask, what is refused. Values and how they match; no order among them.

A command is matched word by word (never as one string), a path after it was resolved, a host by its labels, a server's tool by the
hash of its definition. Which group of rules wins is the gate's business.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, assert_never, get_args

from workbench.errors import SettingsError
from workbench.permissions.running_options import runs_more

Effect: TypeAlias = Literal["allow", "ask", "deny"]
Scope: TypeAlias = Literal["session", "project", "user"]

ONE = "*"
REST = "**"


@dataclass(frozen=True, kw_only=True)
class _Base:
    """What every rule has.

    Attributes:
        effect: what it does to a call that it matches.
        scope: how far it holds: this session, this project, everywhere.
        rule_id: names it in traces and in the list of rules.
    """

    effect: Effect
    scope: Scope = "session"
    rule_id: str = ""


@dataclass(frozen=True, kw_only=True)
class ArgvRule(_Base):
    """A command by its words: ``*`` stands for exactly one word, ``**`` for any number."""

    argv: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TextRule(_Base):
    """A command by its exact text."""

    text: str


@dataclass(frozen=True, kw_only=True)
class PathRule(_Base):
    """A file tool by path: anchored at a root (``src/**``) or absolute; ``*`` and ``?`` stay within a name, ``**`` spans folders."""

    tool: str
    path: str


@dataclass(frozen=True, kw_only=True)
class HostRule(_Base):
    """A web tool by host: exact, or ``*.example.org`` for names below it."""

    tool: str
    host: str


@dataclass(frozen=True, kw_only=True)
class ServerRule(_Base):
    """A tool of an MCP server, as it was defined when the rule was made; another definition does not match."""

    server: str
    name: str
    definition: str


@dataclass(frozen=True, kw_only=True)
class ToolRule(_Base):
    """Every call of a tool."""

    tool: str


@dataclass(frozen=True, kw_only=True)
class GrantRule(_Base):
    """A folder outside of every root that may be read, with all below it, for one session; see `workbench.permissions.grants`.

    Attributes:
        folder: its real path.
        identity: what stood there when it was granted (`Stat.identity`); another folder of that name is not granted.
    """

    folder: str
    identity: str


Rule: TypeAlias = ArgvRule | TextRule | PathRule | HostRule | ServerRule | ToolRule | GrantRule


@dataclass(frozen=True)
class RuleSet:
    """All rules in force, of every scope.

    Attributes:
        rules: in the order in which they were made; the order has no weight.
        broken: why a rules file could not be used, one sentence; while it is set, nothing may be changed.
    """

    rules: tuple[Rule, ...] = ()
    broken: str = ""

    def with_rule(self, rule: Rule) -> RuleSet:
        """Return the rules with one more; it gets an id if it has none."""
        named = rule if rule.rule_id else replace(rule, rule_id=f"{rule.scope}-{len(self.rules) + 1}")
        return replace(self, rules=(*self.rules, named))

    def without(self, rule_id: str) -> RuleSet:
        """Return the rules without the one of that id."""
        return replace(self, rules=tuple(rule for rule in self.rules if rule.rule_id != rule_id))

    def for_argv(self, argv: Sequence[str], effect: Effect) -> Rule | None:
        """Return a command rule of that effect that matches the words; what allows any words allows no option that runs something else."""
        for rule in self._of(effect):
            if isinstance(rule, ArgvRule) and matches_argv(rule.argv, argv) and not (effect == "allow" and _stretches(rule.argv, argv)):
                return rule
        return None

    def for_text(self, text: str, effect: Effect) -> Rule | None:
        """Return a rule of that effect for exactly this command text."""
        return next((rule for rule in self._of(effect) if isinstance(rule, TextRule) and rule.text == text), None)

    def for_path(self, tool: str, relative: str, real: str, effect: Effect, *, folds_case: bool = False) -> Rule | None:
        """Return a rule of that effect for a file tool and a resolved place.

        Args:
            tool: the tool's name.
            relative: path below its root with slashes; empty outside every root.
            real: the real absolute path.
            effect: which group of rules.
            folds_case: the disk takes names in any case.
        """
        for rule in self._of(effect):
            if isinstance(rule, PathRule) and rule.tool == tool:
                subject = real if rule.path.startswith("/") else relative
                if subject and matches_path(rule.path, subject, folds_case=folds_case):
                    return rule
        return None

    def for_host(self, tool: str, host: str, effect: Effect) -> Rule | None:
        """Return a rule of that effect for a web tool and a parsed host."""
        return next((rule for rule in self._of(effect) if isinstance(rule, HostRule) and rule.tool == tool and matches_host(rule.host, host)), None)

    def for_server(self, server: str, name: str, definition: str, effect: Effect) -> Rule | None:
        """Return a rule of that effect for an MCP tool; to allow, the definition must be the one the rule was made for."""
        for rule in self._of(effect):
            if not isinstance(rule, ServerRule) or rule.server != server or rule.name not in {name, ONE}:
                continue
            if effect != "allow" or (definition and rule.definition == definition):
                return rule
        return None

    def for_tool(self, tool: str, effect: Effect) -> Rule | None:
        """Return a rule of that effect for every call of a tool."""
        return next((rule for rule in self._of(effect) if isinstance(rule, ToolRule) and rule.tool == tool), None)

    def _of(self, effect: Effect) -> Iterator[Rule]:
        return (rule for rule in self.rules if rule.effect == effect)


def matches_argv(pattern: Sequence[str], argv: Sequence[str]) -> bool:
    """Say whether words match a pattern of words. Takes at most as many steps as both lengths multiplied, whatever the pattern."""
    at = word = 0
    rest, taken = -1, 0
    while word < len(argv):
        if at < len(pattern) and pattern[at] == REST:
            rest, taken, at = at, word, at + 1
        elif at < len(pattern) and pattern[at] in {ONE, argv[word]}:
            at, word = at + 1, word + 1
        elif rest >= 0:  # let the last ** take one word more; an earlier one never needs to
            taken, at = taken + 1, rest + 1
            word = taken
        else:
            return False
    return all(left == REST for left in pattern[at:])


def _stretches(pattern: Sequence[str], argv: Sequence[str]) -> bool:
    """Say whether a wildcard would stand for an option that the person who made the rule did not mean."""
    return bool({ONE, REST}.intersection(pattern)) and runs_more(argv, but=pattern)


def matches_path(pattern: str, path: str, *, folds_case: bool = False) -> bool:
    """Say whether a resolved path matches an anchored pattern."""
    return _path_pattern(pattern, folds_case).fullmatch(path) is not None


def matches_host(pattern: str, host: str) -> bool:
    """Say whether a host matches; ``*.example.org`` needs at least one label in front and never matches ``evilexample.org``."""
    host, pattern = host.rstrip(".").casefold(), pattern.rstrip(".").casefold()
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and len(host) > len(pattern) - 1
    return host == pattern


@functools.lru_cache(maxsize=512)
def _path_pattern(pattern: str, folds_case: bool) -> re.Pattern[str]:
    parts = pattern.split("/")
    text = ""
    for at, part in enumerate(parts):
        last = at == len(parts) - 1
        if part == REST:
            text += ".*" if last else "(?:[^/]+/)*"
        else:
            text += "".join({"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character)) for character in part) + ("" if last else "/")
    return re.compile(text, re.DOTALL | (re.IGNORECASE if folds_case else 0))


def stored(rule: Rule) -> dict[str, Any]:
    """Return the form in which a rule is kept in a file and in the journal, without scope and id."""
    match rule:
        case ArgvRule():
            return {"tool": "bash", "argv": list(rule.argv), "effect": rule.effect}
        case TextRule():
            return {"tool": "bash", "text": rule.text, "effect": rule.effect}
        case PathRule():
            return {"tool": rule.tool, "path": rule.path, "effect": rule.effect}
        case HostRule():
            return {"tool": rule.tool, "host": rule.host, "effect": rule.effect}
        case ServerRule():
            return {"tool": "mcp", "server": rule.server, "name": rule.name, "def": rule.definition, "effect": rule.effect}
        case ToolRule():
            return {"tool": rule.tool, "effect": rule.effect}
        case GrantRule():
            return {"tool": "read", "grant": rule.folder, "identity": rule.identity, "effect": rule.effect}
        case _:
            assert_never(rule)


def rule_from(kept: Mapping[str, Any], *, scope: Scope = "session", rule_id: str = "") -> Rule:
    """Return the rule of a stored form.

    Raises:
        SettingsError: it is not one; the sentence says what is wrong.
    """
    tool, effect = kept.get("tool"), kept.get("effect")
    if not isinstance(tool, str) or not tool:
        raise _malformed(kept, "it names no tool")
    if effect not in get_args(Effect):
        raise _malformed(kept, 'its effect is not "allow", "ask" or "deny"')
    base: dict[str, Any] = {"effect": effect, "scope": scope, "rule_id": rule_id}
    match {key: value for key, value in kept.items() if key not in {"tool", "effect"}}:
        case {"argv": [*words], **rest} if tool == "bash" and words and not rest and all(isinstance(word, str) for word in words):
            return ArgvRule(argv=tuple(words), **base)
        case {"text": str(text), **rest} if tool == "bash" and text and not rest:
            return TextRule(text=text, **base)
        case {"path": str(path), **rest} if path and not rest:
            return PathRule(tool=tool, path=path, **base)
        case {"host": str(host), **rest} if host and not rest:
            return HostRule(tool=tool, host=host, **base)
        case {"server": str(server), "name": str(name), **rest} if tool == "mcp" and server and name and not set(rest) - {"def"}:
            return ServerRule(server=server, name=name, definition=str(rest.get("def", "")), **base)
        case {"grant": str(folder), "identity": str(identity), **rest} if tool == "read" and folder and identity and not rest:
            if effect != "allow" or scope != "session":
                raise _malformed(kept, "a folder is granted by a person, and for one session at most")
            return GrantRule(folder=folder, identity=identity, **base)
        case {**rest} if not rest:
            return ToolRule(tool=tool, **base)
        case _:
            raise _malformed(kept, "it matches by something that is not known here")


def is_grant(kept: Mapping[str, Any]) -> bool:
    """Say whether the stored form of a rule grants a folder."""
    return "grant" in kept


def rule_sentence(rule: Rule) -> str:
    """Return what a rule does to a call, as one sentence."""
    if isinstance(rule, GrantRule):
        return f"A grant allows it: {rule.folder}, reading only."
    match rule.effect:
        case "allow":
            return f"A rule allows it: {rule_text(rule)}."
        case "ask":
            return f"A rule makes it ask: {rule_text(rule)}."
        case "deny":
            return f"A rule refuses it: {rule_text(rule)}."


def rule_parts(rule: Rule) -> tuple[str, str, str]:
    """Return the tool of a rule (the server, for one of a server) and what it matches: a form with a blank for the subject, and the subject.

    The form is the program's own and is translated where it is shown; the subject, which may be empty, is foreign and stays as it is.
    """
    match rule:
        case TextRule():
            return "bash", "exactly {subject}", rule.text
        case ToolRule():
            return rule.tool, "every call", ""
        case GrantRule():
            return "read", "{subject}, reading only", rule.folder
        case _:
            tool, _colon, subject = rule_text(rule).partition(": ")
            return tool, "{subject}", subject


def rule_text(rule: Rule) -> str:
    """Return a rule as people read it, e.g. ``bash: npm run lint …``."""
    match rule:
        case ArgvRule():
            return "bash: " + " ".join({ONE: "‹any›", REST: "…"}.get(word, word) for word in rule.argv)
        case TextRule():
            return f"bash: exactly {rule.text}"
        case PathRule():
            return f"{rule.tool}: {rule.path}"
        case HostRule():
            return f"{rule.tool}: {rule.host}"
        case ServerRule():
            return f"{rule.server}: {rule.name}"
        case ToolRule():
            return f"{rule.tool}: every call"
        case GrantRule():
            return f"read: {rule.folder}, reading only"
        case _:
            assert_never(rule)


def _malformed(kept: Mapping[str, Any], what: str) -> SettingsError:
    return SettingsError(f"A permission rule cannot be used, because {what}: {dict(kept)!r}.", message_id="rules.malformed", values={"reason": what})
