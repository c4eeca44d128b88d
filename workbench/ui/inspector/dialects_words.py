"""What people read of dialects: their names, and the rows of what is lost or refused on the way to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workbench.inspection.side_by_side import Side, SideBySide
from workbench.inspection.translations import matters
from workbench.words import _, many, marked, tell_text

TITLES = dict(
    zip(
        ("chat_completions", "functions", "responses", "anthropic", "gemini", "react", "ollama"),
        marked("Chat Completions", "Chat functions (2023)", "OpenAI Responses", "Anthropic Messages", "Google Gemini", "ReAct text", "Ollama chat"),
        strict=True,
    )
)
SHORT = {
    "chat_completions": "Chat",
    "functions": "Functions",
    "responses": "Responses",
    "anthropic": "Anthropic",
    "gemini": "Gemini",
    "react": "ReAct",
    "ollama": "Ollama",
}
"""Names, which are the same in every language."""


class Told(NamedTuple):
    """One thing to tell of a pane: a rule by which something is lost, or one of the linter's.

    Attributes:
        pane: which pane, from 0.
        rows: where, ascending and each once; empty for what concerns the whole request.
        times: how often.
        tone: of the pill.
        weight: words of the pill.
        finding: it is the linter's.
        refused: the provider would refuse the body.
    """

    pane: int
    rule: str
    text: str
    rows: tuple[int, ...]
    times: int
    tone: str
    weight: str
    finding: bool = False
    refused: bool = False


def title(name: str) -> str:
    """Return what people call a dialect."""
    return _(TITLES.get(name, name))


def short_title(name: str) -> str:
    """Return the same in one word."""
    return SHORT.get(name, name)


def told_of(shown: SideBySide) -> list[Told]:
    """Return what there is to tell of all panes, by rule: what is refused first, then what matters, then the rest."""
    found = [told for pane, side in enumerate(shown.sides) for told in (*_findings(pane, side), *_losses(pane, side))]
    return sorted(found, key=lambda told: (not told.refused, told.tone != "wait", told.pane))


def _findings(pane: int, side: Side) -> Iterator[Told]:
    for line, finding in side.translation.findings or ():
        refused = finding.severity == "error"
        tone, weight = ("fail", _("refused")) if refused else ("wait", _("warning"))
        yield Told(pane, finding.rule, tell_text(finding.message), (side.rows[line],), 1, tone, weight, finding=True, refused=refused)


def _losses(pane: int, side: Side) -> Iterator[Told]:
    by_rule: dict[str, list[int]] = {}
    losses = {loss.rule: loss for _line, loss in side.translation.losses}
    for line, loss in side.translation.losses:
        by_rule.setdefault(loss.rule, []).append(side.rows[line] if line >= 0 else -1)
    for rule, rows in by_rule.items():
        heavy = matters(losses[rule])
        tone, weight = ("wait", _("matters")) if heavy else ("plain", _("harmless"))
        places = tuple(sorted({row for row in rows if row >= 0}))
        yield Told(pane, rule, tell_text(losses[rule].text), places, len(rows), tone, weight)


def times(count: int) -> str:
    """Return how often something is lost, for the end of a sentence; empty for once."""
    return many("{n} time", "{n} times", count) if count > 1 else ""


def head_words(names: Sequence[str]) -> str:
    """Return the head of the list below the panes."""
    return _("Lost on the way to {name}").format(name=short_title(names[0])) if len(names) == 1 else _("Lost in translation")
