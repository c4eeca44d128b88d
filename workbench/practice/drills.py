"""The drills: something goes wrong on purpose, so that people can watch how it is handled.

A brain has no memory, so "only the first time" is the server's part: it refuses or cuts a request that carries a trouble, and lets the
same bytes pass when they come again.
"""

from __future__ import annotations

from typing import assert_never

from workbench.practice.intents import Drill
from workbench.practice.phrases import Phrases, shortened
from workbench.practice.reply import Cut, Draft, FailInside, Planned, Refuse, Trouble, Wait, planned
from workbench.practice.results import first_line
from workbench.practice.steps import make_calls, troubles
from workbench.practice.talk import Talk

RETRY_AFTER_S = 2.0
SILENCE_S = 5.0
LONGEST_S = 120.0
UNKNOWN_TOOL = "teleport"
REFUSED_NAME = "get weather!"
"""No provider that restricts names takes this one; in ReAct text it is no name that a tool can have."""

LOOK = (Planned("list", '{"path": "."}'), Planned("get_current_time", "{}"), Planned("glob", '{"pattern": "*"}'))
"""Calls without effect, one of which the drills make: the first whose tool is offered."""


def drill(intent: Drill, talk: Talk, say: Phrases) -> Draft:
    """Let go wrong what was asked for."""
    thought = say("drill.thought", name=say(f"drill.name.{intent.kind}"))
    match intent.kind:
        case "rate_limit" | "overloaded":
            return _refused(intent, talk, say, thought)
        case "cut_stream":
            return Draft(text=say("drill.text"), thought=thought, trouble=Cut(inside="text"))
        case "error_inside":
            inside = FailInside(kind="server_error", code=None, message=say("drill.inside_message"))
            return Draft(text=say("drill.failed"), thought=thought, trouble=inside)
        case "slow_first_token":
            delay = _seconds(intent, SILENCE_S)
            return Draft(text=say("drill.slow", delay=f"{delay:g}"), thought=thought, trouble=Wait(delay_s=delay))
        case "cut_call":
            return _cut_call(talk, say)
        case "broken_arguments":
            return _broken_arguments(talk, say)
        case "unknown_tool":
            return _unknown_tool(talk, say, thought)
        case "broken_history":
            return _broken_history(talk, say, thought)
        case "endless_loop":
            return _endless_loop(talk, say)
        case "unknown":
            return Draft(text=say("drill.list"))
        case _:
            assert_never(intent.kind)


def _seconds(intent: Drill, usual: float) -> float:
    return usual if intent.amount is None else min(intent.amount, LONGEST_S)


def _refused(intent: Drill, talk: Talk, say: Phrases, thought: str) -> Draft:
    if intent.kind == "rate_limit":
        delay = _seconds(intent, RETRY_AFTER_S)
        message = say("drill.rate_message", delay=f"{delay:g}")
        refusal = Refuse(status=429, kind="requests", code="rate_limit_exceeded", message=message, retry_after_s=delay)
        wait = say("drill.refused_wait", delay=f"{delay:g}")
    else:
        status = 529 if talk.dialect == "anthropic" else 503
        refusal = Refuse(status=status, kind="server_error", code=None, message=say("drill.overloaded_message"), retry_after_s=intent.amount)
        wait = ""
    return Draft(text=say("drill.refused", status=refusal.status, wait=wait), thought=thought, trouble=refusal)


def _look(talk: Talk) -> Planned:
    return next((call for call in LOOK if call.name in talk.tools), LOOK[0])


def _cut_call(talk: Talk, say: Phrases) -> Draft:
    if not talk.steps:
        draft = make_calls(talk, say, [_look(talk)], say("drill.call_text"))
        return _with_trouble(draft, Cut(inside="arguments")) if draft.calls else draft
    done = talk.last[-1]
    if done.outcome.kind == "cancelled" and len(talk.steps) == 1:
        return make_calls(talk, say, [_look(talk)], say("drill.call_again", what=shortened(done.outcome.what, 200)))
    return Draft(text=say("drill.call_done")) if done.worked else troubles(say, talk.last)


def _with_trouble(draft: Draft, trouble: Trouble) -> Draft:
    return Draft(text=draft.text, thought=draft.thought, calls=draft.calls, trouble=trouble)


def _broken_arguments(talk: Talk, say: Phrases) -> Draft:
    look = _look(talk)
    if not talk.steps:
        broken = look.arguments_raw.replace('"', "") if '"' in look.arguments_raw else "{now}"
        return make_calls(talk, say, [Planned(look.name, broken)], say("drill.broken"))
    done = talk.last[-1]
    if done.worked:
        return Draft(text=say("drill.broken_done"))
    if len(talk.steps) == 1 and done.outcome.kind in ("error", "missing", "cancelled"):
        what = shortened(done.outcome.what or first_line(done.text()), 200)
        return make_calls(talk, say, [look], say("drill.broken_again", what=what))
    return troubles(say, talk.last)


def _unknown_tool(talk: Talk, say: Phrases, thought: str) -> Draft:
    if not talk.steps:
        return Draft(text=say("drill.unknown"), thought=thought, calls=(planned(UNKNOWN_TOOL, destination="the moon"),))
    done = talk.last[-1]
    what = shortened(first_line(done.text()), 300)
    if done.worked:
        return Draft(text=say("drill.unknown_ran", tool=UNKNOWN_TOOL, what=what))
    return Draft(text=say("drill.unknown_done", what=what)) if done.outcome.kind == "error" else troubles(say, talk.last)


def _broken_history(talk: Talk, say: Phrases, thought: str) -> Draft:
    """Call under a name that must not stand in a history; the client holds the next request back, or the server refuses it."""
    if talk.dialect == "ollama":
        return Draft(text=say("drill.history_none"), thought=thought)
    if not talk.steps:
        return Draft(text=say("drill.history", tool=REFUSED_NAME), thought=thought, calls=(planned(REFUSED_NAME, city="Shanghai"),))
    name = talk.last[-1].name
    return Draft(text=say("drill.history_as_it_was" if name == REFUSED_NAME else "drill.history_repaired", tool=name))


def _endless_loop(talk: Talk, say: Phrases) -> Draft:
    """Make the same call whatever came back, unless somebody refused it."""
    if talk.last and talk.last[-1].outcome.kind in ("rejected", "denied", "cancelled"):
        draft = troubles(say, talk.last)
        return Draft(text=say("drill.loop_end", why=draft.text), thought=draft.thought)
    return make_calls(talk, say, [_look(talk)], say("drill.loop", count=talk.rounds + 1))
