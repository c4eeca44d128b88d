"""The abilities that change files: replace a text, write a file. They look first where that is wise, as a careful model does."""

from __future__ import annotations

from workbench.practice.intents import Replace, WriteFile
from workbench.practice.looking import nearest_path
from workbench.practice.phrases import Phrases, code, shortened
from workbench.practice.reply import Draft, planned
from workbench.practice.results import Shown, first_line, read_shown
from workbench.practice.steps import conclude, make_calls, troubles
from workbench.practice.talk import Done, Talk

STEPS_AT_MOST = 5
"""After so many steps no further repair is tried."""

CHANGED_SINCE = {"stale_file", "changed_during_approval", "not_read"}
"""Errors that another read can cure."""


def replace(intent: Replace, talk: Talk, say: Phrases) -> Draft:
    """Read the file, count the text, replace it; when the file changed in between, once more."""
    if intent.old == intent.new:
        return Draft(text=say("replace.same"))
    if not talk.steps:
        return _first_step(intent, talk, say)
    done = talk.last[-1]
    if done.name == "read":
        return _after_read(intent, done, talk, say)
    if done.worked:
        return conclude(talk, say, _replaced(intent, done, say))
    if done.outcome.error in CHANGED_SINCE and len(talk.steps) < STEPS_AT_MOST and "read" in talk.tools:
        path = done.argument("file_path")
        return make_calls(talk, say, [planned("read", file_path=path)], say("replace.again", path=code(path)))
    return troubles(say, talk.last)


def _first_step(intent: Replace, talk: Talk, say: Phrases) -> Draft:
    rule = "replace"
    if "read" not in talk.tools and "edit" in talk.tools:
        call = planned("edit", file_path=intent.path, old_string=intent.old, new_string=intent.new)
        return make_calls(talk, say, [call], say("replace.direct"), rule=rule)
    words = say("replace.before", path=code(intent.path), old=shortened(intent.old))
    return make_calls(talk, say, [planned("read", file_path=intent.path)], words, rule=rule)


def _after_read(intent: Replace, done: Done, talk: Talk, say: Phrases) -> Draft:
    if not done.worked:
        path = nearest_path(done)
        if path and len(talk.steps) == 1:
            words = say("read.suggested", missing=code(done.argument("file_path")), path=code(path))
            return make_calls(talk, say, [planned("read", file_path=path)], words)
        return troubles(say, talk.last)
    path, shown = done.argument("file_path") or intent.path, read_shown(done.text())
    count = shown.text.count(intent.old) if intent.old else 0
    if not count and (shown.whole or not intent.old):
        return conclude(talk, say, _absent(intent, path, shown, say))
    phrase = "replace.edit_unseen" if not count else "replace.edit" if count == 1 else "replace.edit_all"
    every = True if count > 1 else None
    call = planned("edit", file_path=path, old_string=intent.old, new_string=intent.new, replace_all=every)
    return make_calls(talk, say, [call], say(phrase, old=shortened(intent.old), count=count))


def _absent(intent: Replace, path: str, shown: Shown, say: Phrases) -> str:
    """Return that the text is not there, and where it is in other letter case."""
    sentence = say("replace.absent", old=shortened(intent.old), path=path)
    wanted = intent.old.lower()
    for number, line in enumerate(shown.lines, shown.first):
        if wanted and wanted in line.lower():
            return f"{sentence} {say('replace.other_case', line=number, text=shortened(line))}"
    return sentence


def _replaced(intent: Replace, done: Done, say: Phrases) -> str:
    path = done.argument("file_path") or intent.path
    line = shortened(first_line(done.text()), 200)
    if done.outcome.edited:  # what stands in the file now is not what was asked for
        return say("write.done", line=line)
    old, new = shortened(intent.old), shortened(intent.new)
    return say("replace.done" if new else "replace.removed", path=path, old=old, new=new, line=line)


def write_file(intent: WriteFile, talk: Talk, say: Phrases) -> Draft:
    """Write a file; where one is in the way that was not read yet, read it and write again."""
    path = code(intent.path)
    if intent.content is None:
        return Draft(text=say("write.no_content", path=path))
    call = planned("write", file_path=intent.path, content=intent.content)
    if not talk.steps:
        count = intent.content.count("\n") + bool(intent.content and not intent.content.endswith("\n"))
        return make_calls(talk, say, [call], say("write.before", path=path, count=say.counted("lines", count)), rule="write")
    done = talk.last[-1]
    if done.name == "read" and done.worked and len(talk.steps) < STEPS_AT_MOST:
        return make_calls(talk, say, [call], say("write.again", path=path))
    if done.name == "write" and done.worked:
        return conclude(talk, say, say("write.done", line=shortened(first_line(done.text()), 200)))
    if done.outcome.error in CHANGED_SINCE | {"file_exists"} and len(talk.steps) < STEPS_AT_MOST and "read" in talk.tools:
        return make_calls(talk, say, [planned("read", file_path=intent.path)], say("write.read_first", path=path))
    return troubles(say, talk.last)
