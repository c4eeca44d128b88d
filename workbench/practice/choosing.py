"""Chooses from a listing the few files that tell most about a project: its description, manifest, entry point, a test or document."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from workbench.practice.intents import Language
from workbench.practice.results import Entry, Listing

AT_MOST = 4

MANIFESTS = ("pyproject.toml", "package.json", "Cargo.toml", "go.mod", "setup.cfg", "setup.py", "pom.xml", "build.gradle", "build.gradle.kts", "composer.json",
             "Gemfile", "mix.exs", "CMakeLists.txt", "Makefile", "makefile", "requirements.txt")  # fmt: skip
"""The one that stands first here is read."""

LANGUAGES = {
    "py": "Python", "pyi": "Python", "js": "JavaScript", "mjs": "JavaScript", "cjs": "JavaScript", "jsx": "JavaScript", "ts": "TypeScript",
    "tsx": "TypeScript", "rs": "Rust", "go": "Go", "java": "Java", "kt": "Kotlin", "c": "C", "h": "C", "cpp": "C++", "cc": "C++", "hpp": "C++",
    "cs": "C#", "rb": "Ruby", "php": "PHP", "swift": "Swift", "sh": "Shell", "lua": "Lua", "ex": "Elixir", "exs": "Elixir", "html": "HTML",
    "css": "CSS", "scss": "CSS", "vue": "Vue", "sql": "SQL", "md": "Markdown", "rst": "reStructuredText", "txt": "Text", "json": "JSON", "toml": "TOML",
    "yml": "YAML", "yaml": "YAML", "csv": "CSV", "xml": "XML", "ini": "INI", "cfg": "INI",
}  # fmt: skip
_NO_SOURCE = {"Markdown", "reStructuredText", "Text", "JSON", "TOML", "YAML", "CSV", "XML", "INI", "HTML", "CSS", "SQL", ""}

_SECRET = re.compile(r"\.env(?:\..*)?|.*\.(?:pem|key|p12|pfx)|id_\w+|credentials.*|\.netrc|\.npmrc|\.pypirc|\.envrc", re.IGNORECASE)
_APART = re.compile(
    r"(?:.*/)?(?:\.[^/]+|node_modules|site-packages|venv|env|dist|build|target|vendor|third_party|__pycache__|[^/]*\.egg-info)/.*", re.IGNORECASE
)
"""Folders that hold what is not the project's own text."""
_LOCK = re.compile(r".*(?:\.lock|-lock\.json|lock\.yaml)|go\.sum", re.IGNORECASE)
_README = re.compile(r"readme(?:[._-][\w-]+)*(?:\.(?:md|rst|txt|markdown))?", re.IGNORECASE)
_CHINESE_README = re.compile(r"readme[._-](?:zh|cn|chinese)", re.IGNORECASE)
_ENTRY = re.compile(r"(?:__main__|main|cli|app|index|server|program|lib|mod|manage)\.\w+", re.IGNORECASE)
_TEST = re.compile(r"(?:^|.*/)(?:tests?|spec|__tests__)/.*|(?:^|.*/)(?:test_[^/]*|[^/]*_test\.\w+|[^/]*\.(?:test|spec)\.\w+)", re.IGNORECASE)
_ENTRY_ORDER = ("cli", "main", "app", "server", "index", "lib", "__main__", "program", "manage", "mod")


class Choice(NamedTuple):
    """A file to read, and why: ``readme``, ``manifest``, ``entry``, ``source``, ``test`` or ``document``."""

    path: str
    why: str


def choose(listing: Listing, language: Language) -> list[Choice]:
    """Return at most four files, the most telling first; never one that may hold secrets, nor a lock file."""
    files = [entry for entry in listing.files if _may_be_read(entry)]
    sources = [entry for entry in files if is_source(entry)]
    inner = [entry for entry in sources if not is_test(entry)]
    entries = sorted((entry for entry in inner if _ENTRY.fullmatch(entry.name)), key=_entry_order)
    tests = [entry for entry in sources if is_test(entry) and entry.name != "__init__.py"]
    documents = [entry for entry in files if language_of(entry) in ("Markdown", "reStructuredText", "Text")]
    wanted: list[Choice] = []
    for why, candidates in (
        ("readme", _readmes(files, language)),
        ("manifest", _manifests(files)),
        ("entry", entries),
        ("source", [entry for entry in inner if entry.name != "__init__.py"]),
        ("test", tests),
        ("document", [entry for entry in documents if entry.path.startswith("doc")] + documents),
        ("source", inner),
        ("document", [entry for entry in files if language_of(entry)]),
    ):
        chosen = next((entry.path for entry in candidates if all(entry.path != choice.path for choice in wanted)), None)
        if chosen and not (why == "source" and any(choice.why == "entry" for choice in wanted)):
            wanted.append(Choice(chosen, why))
    return wanted[:AT_MOST]


def may_hold_secrets(path: str) -> bool:
    """Say whether a file's name is one of those that keys and passwords are kept under."""
    name = path.rsplit("/", 1)[-1]
    return _SECRET.fullmatch(name) is not None and not name.endswith((".example", ".sample", ".template"))


def _may_be_read(entry: Entry) -> bool:
    apart = may_hold_secrets(entry.path) or _LOCK.fullmatch(entry.name) or _APART.fullmatch(entry.path)
    return bool(entry.path) and not apart


def _readmes(files: list[Entry], language: Language) -> list[Entry]:
    found = [entry for entry in files if _README.fullmatch(entry.name)]
    return sorted(found, key=lambda entry: (entry.path.count("/"), bool(_CHINESE_README.match(entry.name)) != (language == "zh"), len(entry.name)))


def _manifests(files: list[Entry]) -> list[Entry]:
    found = [entry for entry in files if entry.name in MANIFESTS]
    return sorted(found, key=lambda entry: (entry.path.count("/"), MANIFESTS.index(entry.name)))


def _entry_order(entry: Entry) -> tuple[int, int]:
    stem = entry.name.rsplit(".", 1)[0].lower()
    return entry.path.count("/"), _ENTRY_ORDER.index(stem) if stem in _ENTRY_ORDER else len(_ENTRY_ORDER)


def language_of(entry: Entry) -> str:
    """Return the language a file's ending stands for, empty if unknown."""
    _, dot, ending = entry.name.rpartition(".")
    return LANGUAGES.get(ending.lower(), "") if dot else ""


def is_source(entry: Entry) -> bool:
    """Say whether a file is program source."""
    return language_of(entry) not in _NO_SOURCE


def is_test(entry: Entry) -> bool:
    """Say whether a file belongs to the tests, by its name or folder."""
    return _TEST.fullmatch(entry.path) is not None


def kinds(listing: Listing) -> list[tuple[str, int]]:
    """Return how many files of each language a listing shows, the most frequent first, then the others by their ending, empty for none."""
    names = Counter(language_of(entry) or _ending(entry.name) for entry in listing.files if not _APART.fullmatch(entry.path))
    return sorted(names.items(), key=lambda item: (not item[0][:1].isupper(), -item[1]))


def _ending(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return f".{ending}" if dot and stem else ""
