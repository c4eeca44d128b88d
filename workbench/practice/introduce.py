"""Introduces a project in three steps: list the folder, read the few files that tell most at once, sum up what really came back."""

from __future__ import annotations

from workbench.practice.choosing import Choice, choose
from workbench.practice.dressing import ONE_CALL
from workbench.practice.intents import Introduce
from workbench.practice.phrases import Phrases
from workbench.practice.reply import Draft, Planned, planned
from workbench.practice.results import Entry, Listing, read_found, read_listing
from workbench.practice.steps import conclude, make_calls, trouble_sentences, troubles
from workbench.practice.summary import Material, kinds_told, summarise
from workbench.practice.talk import Done, Talk

LISTINGS = ("list", "glob")


def introduce(_intent: Introduce, talk: Talk, say: Phrases) -> Draft:
    """Do the next of the three steps."""
    if not talk.steps:
        return make_calls(talk, say, [_first_look(talk)], say("project.look"), rule="introduce")
    listed = next((done for done in talk.done(*LISTINGS) if done.worked), None)
    if listed is None:
        draft = troubles(say, talk.last)
        return Draft(text=f"{draft.text}\n\n{say('project.no_list')}", thought=draft.thought)
    listing = _listing(listed)
    reads = talk.done("read")
    if not reads or (talk.dialect in ONE_CALL and all(done.worked for done in reads) and len(reads) < len(choose(listing, say.language))):
        return _read(listing, talk, say, read=len(reads))
    return _sum_up(listing, reads, talk, say)


def _first_look(talk: Talk) -> Planned:
    """Return the call that shows the folder: `glob` where `list` is not offered."""
    return planned("glob", pattern="*") if "list" not in talk.tools and "glob" in talk.tools else planned("list", path=".")


def _listing(done: Done) -> Listing:
    if done.name == "list":
        return read_listing(done.text())
    found = read_found(done.text())
    return Listing([Entry(path) for path in found.paths], found.total > len(found.paths))


def _read(listing: Listing, talk: Talk, say: Phrases, *, read: int) -> Draft:
    """Read what tells most; one file after another where an answer can have one call, of which `read` were read."""
    if not listing.entries:
        return conclude(talk, say, say("project.empty"))
    choices = choose(listing, say.language)
    if not choices:
        return conclude(talk, say, say("project.no_text", files=len(listing.files), kinds=kinds_told(listing, say)))
    if "read" not in talk.tools:
        return conclude(talk, say, summarise(Material(listing, {}, {}), say))
    phrase = "project.read_one" if len(choices) == 1 else "project.read"
    if talk.dialect in ONE_CALL and len(choices) > 1:
        choices, phrase = choices[read : read + 1], "project.read_next" if read else "project.read_first"
    words = say(phrase, count=len(choices), names=say.listed([choice.path for choice in choices]))
    draft = make_calls(talk, say, [planned("read", file_path=choice.path) for choice in choices], words)
    return Draft(text=draft.text, thought=_why(listing, choices, say), calls=draft.calls)


def _why(listing: Listing, choices: list[Choice], say: Phrases) -> str:
    reasons = say("comma").join(f"{choice.path} = {say(f'project.reason.{choice.why}')}" for choice in choices)
    return say("project.thought_choice", files=len(listing.files), reasons=reasons)


def _sum_up(listing: Listing, reads: list[Done], talk: Talk, say: Phrases) -> Draft:
    worked = {done.argument("file_path"): done.text() for done in reads if done.worked}
    reasons = {choice.path: choice.why for choice in choose(listing, say.language)}
    text = summarise(Material(listing, worked, reasons), say)
    failed = [done for done in reads if not done.worked]
    draft = conclude(talk, say, "\n\n".join((text, *dict.fromkeys(trouble_sentences(say, failed)))))
    return Draft(text=draft.text, thought=say("project.thought_summary", read=len(worked), asked=len(reads)))
