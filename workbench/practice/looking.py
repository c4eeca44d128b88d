"""The abilities that only look: read files, list a folder, find files by name, search a text."""

from __future__ import annotations

import difflib
import re

from workbench.practice.choosing import may_hold_secrets
from workbench.practice.intents import FindFiles, ListFolder, ReadFiles, SearchText
from workbench.practice.outcomes import suggested_paths
from workbench.practice.phrases import Phrases, code, fenced, shortened
from workbench.practice.reply import Draft, planned
from workbench.practice.results import first_line, read_found, read_listing, read_matches, read_shown
from workbench.practice.steps import conclude, make_calls, trouble_sentences, troubles
from workbench.practice.talk import Done, Talk

FILES_AT_ONCE = 8
SHOWN_LINES = 12
"""Files of at most so many lines are shown whole in the answer."""


def read_files(intent: ReadFiles, talk: Talk, say: Phrases) -> Draft:
    """Read the named files in one message; where a name is slightly wrong, read the nearest one that the tool offers."""
    if not talk.steps:
        calls = [planned("read", file_path=path, offset=intent.offset, limit=intent.limit) for path in intent.paths[:FILES_AT_ONCE]]
        return make_calls(talk, say, calls, say("read.before", paths=say.listed(list(intent.paths), FILES_AT_ONCE)), rule="read")
    if len(talk.steps) == 1 and (nearest := {done.argument("file_path"): path for done in talk.last if (path := nearest_path(done))}):
        calls = [planned("read", file_path=path, offset=intent.offset, limit=intent.limit) for path in nearest.values()]
        words = [say("read.suggested", missing=code(missing), path=code(path)) for missing, path in nearest.items()]
        return make_calls(talk, say, calls, "\n".join(words))
    reads = talk.done("read")
    sentences = [sentence_on_read(say, done) for done in reads if done.worked]
    if not sentences:
        return troubles(say, talk.last)
    return conclude(talk, say, "\n\n".join((*sentences, *trouble_sentences(say, talk.last))))


def nearest_path(done: Done) -> str:
    """Return the path to read instead of one that does not exist: offered by the tool, and nearly the same name; else an empty text."""
    if done.outcome.error not in ("file_not_found", "path_not_found"):
        return ""
    wanted = done.argument("file_path").rsplit("/", 1)[-1].lower()
    near = [path for path in suggested_paths(done.outcome) if _likeness(wanted, path.rsplit("/", 1)[-1].lower()) >= 0.6]
    return near[0] if near else ""


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one[:200], other[:200]).ratio()


def sentence_on_read(say: Phrases, done: Done) -> str:
    """Return what one read showed: how long the file is and how it begins; short files and parts of files whole."""
    path, shown = done.argument("file_path"), read_shown(done.text())
    if shown.folder:
        return say("read.folder", path=path, count=len(shown.lines), names=say.listed(shown.lines))
    if shown.plain:
        return say("read.other", path=path, line=shortened(first_line(done.text()), 200))
    if not shown.lines:
        return say("read.empty", path=path)
    if may_hold_secrets(path):
        return say("read.secret", path=path, count=say.counted("lines", shown.total))
    start = shortened(next((line for line in shown.lines if line.strip()), ""))
    if shown.whole and shown.total == 1:
        return say("read.one_line", path=path, start=start)
    short = len(shown.lines) <= SHOWN_LINES
    names = ("read.short", "read.lines") if shown.whole else ("read.short_part", "read.part")
    last = shown.first + len(shown.lines) - 1
    sentence = say(names[0] if short else names[1], path=path, first=shown.first, last=last, count=shown.total, start=start)
    return f"{sentence}\n\n{fenced(shown.text)}" if short else sentence


def list_folder(intent: ListFolder, talk: Talk, say: Phrases) -> Draft:
    """List a folder and say what is in it."""
    here = say("list.here") if intent.path == "." else code(intent.path)
    if not talk.steps:
        return make_calls(talk, say, [planned("list", path=intent.path)], say("list.before", path=here), rule="list")
    done = talk.last[-1]
    if not done.worked:
        return troubles(say, talk.last)
    listing = read_listing(done.text())
    if not listing.entries:
        return conclude(talk, say, say("list.empty", path=_upper(here)))
    top = [entry.path + "/" * entry.is_folder for entry in listing.entries if "/" not in entry.path] or [entry.path for entry in listing.entries]
    names = say.listed(top, at_most=8)
    folders, files = say.counted("folders", len(listing.folders)), say.counted("files", len(listing.files))
    return conclude(talk, say, say("list.found", path=_upper(here), folders=folders, files=files, names=names))


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def find_files(intent: FindFiles, talk: Talk, say: Phrases) -> Draft:
    """Find files by name and say which."""
    if not talk.steps:
        return make_calls(talk, say, [planned("glob", pattern=intent.pattern)], say("find.before", pattern=intent.pattern), rule="find")
    done = talk.last[-1]
    if not done.worked:
        return troubles(say, talk.last)
    found = read_found(done.text())
    if not found.total:
        return conclude(talk, say, _with_hint(say("find.none", pattern=intent.pattern), done))
    name = "find.one" if found.total == 1 else "find.found"
    return conclude(talk, say, say(name, pattern=intent.pattern, count=found.total, names=say.listed(found.paths, total=found.total)))


def search_text(intent: SearchText, talk: Talk, say: Phrases) -> Draft:
    """Search a text as it stands, not as a pattern, and say where it occurs."""
    where = say("search.where", path=code(intent.path)) if intent.path else ""
    text = shortened(intent.text)
    if not talk.steps:
        literal = True if re.search(r"[^\w\s]", intent.text) else None
        call = planned("grep", pattern=intent.text, path=intent.path or None, literal=literal)
        return make_calls(talk, say, [call], say("search.before", text=text, where=where), rule="search")
    done = talk.last[-1]
    if not done.worked:
        return troubles(say, talk.last)
    matches = read_matches(done.text())
    if not matches.total:
        return conclude(talk, say, _with_hint(say("search.none", text=text, where=where), done))
    name = "search.once" if matches.total == 1 else "search.one_file" if matches.file_total == 1 else "search.found"
    names = say.listed(list(matches.files), total=matches.file_total)
    return conclude(talk, say, say(name, text=text, count=matches.total, files=matches.file_total, names=names))


def _with_hint(sentence: str, done: Done) -> str:
    """Add what the tool says below "nothing found", such as that matches lie in ignored folders."""
    more = [line.strip() for line in done.text().split("\n")[1:4] if line.strip()]
    return f"{sentence} ({shortened(' '.join(more), 200)})" if more else sentence
