"""What a person could say first, so that it really works on the open folder: the practice model understands exactly these sentences.

Sentences are not translated by the catalogues: they go to the practice model, which knows English and Chinese phrases, so each language has
its own here. What a suggestion will show is told by the front end in its words.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from workbench.workspace.ignore_rules import IgnoreRules
from workbench.workspace.walk import FolderEntry, read_folder

SuggestionKind: TypeAlias = Literal["introduce", "replace", "write", "drill"]

FILE_LIMIT_BYTES = 100_000
FILES_READ = 20
PHRASE_WORDS_AT_LEAST, PHRASE_WORDS_AT_MOST = 3, 4

_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(?:md|txt|rst|markdown)", re.ASCII)
_FIRST = re.compile(r"readme(?:[._-].*)?", re.IGNORECASE)
_PHRASE = re.compile(r"[A-Za-z][A-Za-z'-]*(?: [A-Za-z][A-Za-z'-]*)*|[\u4e00-\u9fff]{2,6}")

_REWORDED = (
    ("two digits", "one or two digits"),
    ("两位", "一位或两位"),
    ("in order to", "to"),
    ("is able to", "can"),
    ("due to the fact that", "because"),
    ("a large number of", "many"),
    ("a number of", "several"),
    ("utilize", "use"),
    ("prior to", "before"),
    ("at this point in time", "now"),
    ("进行测试", "测试"),
    ("使用者", "用户"),
)
"""Words that read better otherwise; the first pair of which a file holds the old words exactly once is offered."""

_SENTENCES: dict[str, dict[str, str]] = {
    "en": {
        "introduce": "Introduce this project",
        "replace": "Replace “{old}” with “{new}” in {path}",
        "write": "Write {path} with content: {content}",
        "content": "What this folder is for, in one sentence.",
        "drill": "Drill: rate limit",
    },
    "zh_CN": {
        "introduce": "介绍一下这个项目",
        "replace": "把 {path} 里的“{old}”改成“{new}”",
        "write": "写文件 {path}，内容是：{content}",
        "content": "用一句话说明这个文件夹的用途。",
        "drill": "演练：限流",
    },
}


class Suggestion(NamedTuple):
    """A sentence to say, and what kind of thing it shows."""

    kind: SuggestionKind
    words: str


class Rewording(NamedTuple):
    """Words that a file holds exactly once, and what could stand there instead."""

    path: str
    old: str
    new: str


def suggestions_for(folder: Path, language: str, *, reads: bool = True) -> tuple[Suggestion, ...]:
    """Return three sentences that work on a folder as it is now. Blocking: reads a few small files at its top.

    Args:
        folder: a real path.
        language: one of `words.LANGUAGES`.
        reads: whether files may be opened; else only their names are looked at.
    """
    say = _SENTENCES.get(language, _SENTENCES["en"])
    entries = _entries(folder)
    found = next(_rewordings(folder, entries, chinese=language.startswith("zh")), None) if reads else None
    change = Suggestion("replace", say["replace"].format(**found._asdict())) if found else _new_file(folder, say)
    introduce = (Suggestion("introduce", say["introduce"]),) if entries else ()
    return (*introduce, change, Suggestion("drill", say["drill"]))


def _entries(folder: Path) -> tuple[FolderEntry, ...]:
    try:
        found = read_folder(folder, IgnoreRules.of(folder))
    except OSError:
        return ()
    return tuple(entry for entry in found if not entry.ignored)


def _new_file(folder: Path, say: dict[str, str]) -> Suggestion:
    names = ("NOTES.md", *(f"NOTES-{number}.md" for number in range(2, 100)))
    path = next((name for name in names if not os.path.lexists(folder / name)), "NOTES-100.md")
    return Suggestion("write", say["write"].format(path=path, content=say["content"]))


def _rewordings(folder: Path, entries: tuple[FolderEntry, ...], *, chinese: bool) -> Iterator[Rewording]:
    """Yield the best of each text file at the top, those named README first, words of the asked language first."""
    texts = [(name, text) for name in _text_files(entries)[:FILES_READ] if (text := _text(folder / name))]
    known = sorted(_REWORDED, key=lambda pair: pair[0].isascii() == chinese)
    for name, text in texts:
        pair = next((pair for pair in known if _stands_once(pair[0], text)), None)
        if pair is not None:
            yield Rewording(name, *pair)
    for name, text in texts:
        old = next((phrase for phrase in _phrases(text) if _stands_once(phrase, text)), None)
        if old is not None:
            yield Rewording(name, old, _emphasised(old))


def _emphasised(phrase: str) -> str:
    """Return a phrase so that the change is seen at once; Chinese has no upper case."""
    return phrase.upper() if phrase.upper() != phrase else f"{phrase}（示例）"


def _text_files(entries: tuple[FolderEntry, ...]) -> list[str]:
    names = [entry.name for entry in entries if entry.kind == "file" and 0 < entry.size_bytes <= FILE_LIMIT_BYTES and _PLAIN_NAME.fullmatch(entry.name)]
    return sorted(names, key=lambda name: (_FIRST.fullmatch(name) is None, name.casefold() != "readme.md", name.casefold()))


def _text(path: Path) -> str:
    try:
        return path.read_bytes()[: FILE_LIMIT_BYTES + 1].decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _stands_once(words: str, text: str) -> bool:
    """Say whether words stand in a text once, in one line and not inside longer words."""
    if text.count(words) != 1:
        return False
    return not words.isascii() or re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", text) is not None


def _phrases(text: str) -> Iterator[str]:
    """Yield short runs of words from the text's sentences, headings and code left out."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and not line.startswith(("#", "    ", "\t", "|", ">", "<", "!", "[")):
            for run in _PHRASE.finditer(re.sub(r"`[^`]*`|\[[^\]]*\]\([^)]*\)|https?://\S+", "\n", line)):
                words = run[0].split(" ")
                if not run[0].isascii():
                    yield run[0]
                elif len(words) >= PHRASE_WORDS_AT_LEAST:
                    yield " ".join(words[:PHRASE_WORDS_AT_MOST])
