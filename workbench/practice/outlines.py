"""Reads what a document or a source file is about: title, first paragraph, sections and a block of commands; names that it defines."""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.practice.phrases import shortened

PARAGRAPH_AT_MOST = 420
BLOCK_LINES_AT_MOST = 8
NAMES_AT_MOST = 8

_BADGE = re.compile(r"^\s*(?:\[?!\[.*|<.*|\[!\[.*|:\w[\w-]*:.*|\.\. .*|[-=*_~#]{3,}\s*|\|.*|---.*)$")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_SHELL = {"sh", "bash", "shell", "console", "zsh", ""}
_COMMAND = re.compile(r"^\s*(?:\$ |>? ?(?:python3?|pip|pipx|uv|npm|npx|yarn|pnpm|cargo|go|make|git|docker|cd|\./)\b)")


class Document(NamedTuple):
    """What a README shows; empty where it shows nothing."""

    title: str
    paragraph: str
    sections: tuple[str, ...]
    block: str
    block_language: str


def read_document(text: str) -> Document:
    """Return title, first paragraph, second-level sections and the first block of commands of a Markdown or plain document."""
    lines = text.split("\n")
    title = ""
    paragraph: list[str] = []
    sections: list[str] = []
    block: list[str] = []
    block_language = ""
    fence: tuple[str, str, list[str]] | None = None
    for index, line in enumerate(lines):
        if fence is not None:
            if line.strip().startswith(fence[0]):
                if not block and fence[1] in _SHELL and any(_COMMAND.match(inside) for inside in fence[2]):
                    block, block_language = fence[2], fence[1]
                fence = None
            else:
                fence[2].append(line)
        elif found := re.match(r"\s*(```+|~~~+)\s*([\w+-]*)", line):
            fence = (found[1], found[2].lower(), [])
        elif heading := _heading(lines, index):
            level, name = heading
            if not title:
                title = name
            elif level == 2:
                sections.append(name)
        elif _is_prose(line) and not sections and (not paragraph or paragraph[-1]):
            paragraph.append(line.strip())
        elif paragraph and not line.strip() and paragraph[-1]:
            paragraph.append("")
    prose = shortened(plain(" ".join(paragraph)), PARAGRAPH_AT_MOST)
    return Document(title, prose, tuple(sections), "\n".join(_trimmed(block)), block_language)


def _heading(lines: list[str], index: int) -> tuple[int, str] | None:
    """Return level and text if a heading begins in this line: with ``#``, or underlined in the next line."""
    line = lines[index]
    if found := re.match(r"\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$", line):
        return len(found[1]), shortened(plain(found[2]), 100)
    below = lines[index + 1] if index + 1 < len(lines) else ""
    if line.strip() and re.match(r"\s{0,3}(=+|-+)\s*$", below) and len(below.strip()) >= 3 and not _BADGE.match(line):
        return (1 if "=" in below else 2), shortened(plain(line), 100)
    return None


def _is_prose(line: str) -> bool:
    return bool(line.strip()) and not _BADGE.match(line)


def plain(text: str) -> str:
    """Return Markdown text without links' targets, pictures and emphasis."""
    text = re.sub(r"<[^<>]{1,200}>", "", _LINK.sub(r"\1", text[:4000]))
    return re.sub(r"(\*\*|__|`)", "", text).strip()


def _trimmed(block: list[str]) -> list[str]:
    rows = [line.rstrip()[:120] for line in block if line.strip()]
    return rows[:BLOCK_LINES_AT_MOST]


class Outline(NamedTuple):
    """What a source file defines at its top level, and its own words at its head."""

    names: tuple[str, ...]
    doc: str


_DEFINITIONS = {
    "Python": r"^(?:async )?(?:def|class) (\w+)",
    "JavaScript": r"^(?:export )?(?:default )?(?:async )?(?:function\*?|class|const|let) (\w+)",
    "TypeScript": r"^(?:export )?(?:default )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|enum|const|let) (\w+)",
    "Rust": r"^(?:pub(?:\([^)]*\))? )?(?:async )?(?:fn|struct|enum|trait|mod) (\w+)",
    "Go": r"^(?:func (?:\([^)]*\) )?|type )(\w+)",
    "Java": r"^\s*(?:public |final |abstract )*(?:class|interface|enum|record) (\w+)",
    "C": r"^[A-Za-z_][\w\s*]* \*?(\w+)\([^;]*$",
    "Ruby": r"^\s{0,2}(?:def|class|module) ([\w.]+)",
    "Shell": r"^(?:function )?(\w+)\s*\(\)",
}
_DEFINITIONS["C++"] = _DEFINITIONS["C"]


def read_outline(language: str, text: str) -> Outline:
    """Return the names a source file defines, public ones first, and its first comment or docstring."""
    pattern = _DEFINITIONS.get(language)
    names = [match[1] for line in text.split("\n") if len(line) < 400 and pattern and (match := re.match(pattern, line))]
    ordered = sorted(dict.fromkeys(names), key=lambda name: name.startswith("_"))
    return Outline(tuple(ordered), _own_words(text))


def _own_words(text: str) -> str:
    found = re.match(r"\s*(?:#!.*\n)?\s*(?:[rR]?\"\"\"|'''|/\*\*?|//[/!]?|#)\s*(.*)", text[:3000])
    if not found:
        return ""
    words = re.split(r"\"\"\"|'''|\*/", found[1])[0].strip(" *")
    words = plain(words)
    return shortened(words, 160) if re.search(r"[^\W\d_]{2}", words) and not re.match(r"(?i)copyright|spdx|-\*-|eslint|nosec|type:", words) else ""
