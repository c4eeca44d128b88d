"""What all abilities share: making a call if its tool is offered, and answering to a call that did not go as planned."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.practice.outcomes import suggested_paths
from workbench.practice.phrases import Phrases, code, shortened
from workbench.practice.reply import Draft, Planned
from workbench.practice.results import first_line
from workbench.practice.talk import Done, Talk

MAIN_ARGUMENTS = ("command", "file_path", "pattern", "path", "city", "expression", "url")
"""Arguments by which a person recognises a call, in this order."""


def make_calls(talk: Talk, say: Phrases, calls: Sequence[Planned], text: str, *, rule: str = "") -> Draft:
    """Return a step that makes these calls, or says which of their tools is not offered."""
    missing = next((call.name for call in calls if call.name not in talk.tools), None)
    if missing is not None:
        offered = say.listed(sorted(talk.tools), at_most=12) or say("none_offered")
        return Draft(text=say("not_offered", tool=missing, offered=offered), thought=_rule(say, rule))
    names = say("comma").join(dict.fromkeys(call.name for call in calls))
    thought = say("sentence.gap").join(part for part in (_rule(say, rule), say("thought.next", step=names)) if part)
    return Draft(text=text, thought=thought, calls=tuple(calls))


def _rule(say: Phrases, rule: str) -> str:
    return say("thought.rule", rule=say(f"rule.{rule}")) if rule else ""


def conclude(talk: Talk, say: Phrases, text: str) -> Draft:
    """Return a last step: what the results say, with a word on calls that a person changed."""
    edited = [say("edited", line=shortened(done.outcome.edited, 200)) for done in talk.last if done.outcome.edited]
    thought = say("thought.results", count=len(talk.last)) if talk.last else ""
    return Draft(text="\n\n".join((*dict.fromkeys(edited), text)), thought=thought)


def troubles(say: Phrases, done: Sequence[Done]) -> Draft:
    """Return a last step that answers to calls none of which worked."""
    kinds = list(dict.fromkeys(one.outcome.error or one.outcome.kind for one in done))
    text = "\n\n".join(dict.fromkeys(trouble_sentences(say, done)))
    return Draft(text=text, thought=say("thought.trouble", kind=", ".join(kinds)))


def trouble_sentences(say: Phrases, done: Sequence[Done]) -> list[str]:
    """Return a sentence for each call that did not work; calls that a person rejected alike are named together."""
    rejected: dict[str, list[Done]] = {}
    sentences: list[str] = []
    for one in done:
        if one.outcome.kind == "rejected":
            rejected.setdefault(one.outcome.note, []).append(one)
        elif not one.worked:
            sentences.append(_trouble_sentence(say, one))
    for note, ones in rejected.items():
        calls = say("comma").join(described(one) for one in ones)
        without = say("sentence.gap").join((say("rejected", call=calls), say("rejected.next")))
        sentences.append(say("rejected.note", call=calls, note=shortened(note, 300)) if note else without)
    return sentences


def _trouble_sentence(say: Phrases, one: Done) -> str:
    outcome = one.outcome
    what = shortened(outcome.what or first_line(one.text()), 300)
    match outcome.kind:
        case "missing":
            return say("missing", call=described(one))
        case "cancelled" | "denied":
            return say(outcome.kind, call=described(one), what=what)
        case _:
            pass
    if outcome.error == "unknown_tool":
        return say("unknown_tool", tool=one.name, what=what)
    if outcome.error in ("file_not_found", "path_not_found") and (paths := suggested_paths(outcome)):
        return say("error.suggest", call=described(one), paths=say.listed(paths))
    more = shortened(outcome.more, 300)
    return say("error", call=described(one), kind=outcome.error, what=what) + (f"\n{more}" if more else "")


def described(one: Done) -> str:
    """Return a call as people recognise it: its tool and its main argument."""
    main = next((one.argument(name) for name in MAIN_ARGUMENTS if one.argument(name)), "")
    return code(shortened(f"{one.name} {main}".strip(), 100))
