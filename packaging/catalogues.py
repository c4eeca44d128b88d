"""Bring the translation catalogues up to date: merge the texts of the code (packaging/texts.py) into each .po, write the .mo.

    python packaging/catalogues.py          update the .po files, the .mo files and sentences.json
    python packaging/catalogues.py --check  change nothing; exit 1 and say what is missing, stale or wrong

A translation may fill in what its text fills in: ``{name}``, and of a message id the names of its ``values``. ``{name:told}`` fills in a
word or sentence of the program in the same language. Run with the development environment's Python: babel reads and writes the catalogues.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import string
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "resources" / "locale"
TOOLS = ROOT / "resources" / "tools"
HEADER = 'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=1; plural=0;\\n"\n\n'
PERCENT = re.compile(r"%\(\w+\)\w|%\w")

SAME_IN_ENGLISH = frozenset(
    {
        *("OpenAI", "DeepSeek", "DashScope (Qwen)", "Moonshot (Kimi)", "Mistral", "Groq", "OpenRouter"),
        *("Chat Completions", "OpenAI Responses", "Anthropic Messages", "Google Gemini"),
        *("bash", "bash: {argv}", "patch", "git", "bwrap", "bubblewrap", "null", "true", "JSON", "#", "%(prog)s: error: %(message)s\n"),
        *("do", "fi", "if", "in", "then", "git {verb}", "Del", ".workbench/permissions.json", "workbench.toml", "{n} kB"),
        *("{ms} ms", "{seconds} s", "{minutes} min {seconds} s", "{rate} B/s", "{rate} kB/s"),
    }
)
"""Names and units, which are the same in every language, and what only puts other texts side by side."""


ARGPARSE = (
    "usage: ",
    "%(heading)s:",
    "positional arguments",
    "options",
    "show this help message and exit",
    "show program's version number and exit",
    "%(prog)s: error: %(message)s\n",
    "the following arguments are required: %s",
    "unrecognized arguments: %s",
    "argument %(argument_name)s: %(message)s",
    "invalid choice: %(value)r (choose from %(choices)s)",
    "invalid %(type)s value: %(value)r",
    "expected one argument",
    "ignored explicit argument %r",
    "ambiguous option: %(option)s could match %(matches)s",
)
"""What the standard library's reader of command lines says."""


class Text(NamedTuple):
    """A text to translate, as packaging/texts.py lists it; `given` is None for a text that fills in what is found in itself."""

    key: str
    plural: str
    places: tuple[str, ...]
    given: frozenset[str] | None
    forms: frozenset[str]


def listed() -> list[Text]:
    """Return what the program says, once for each place where it does."""
    lister = [sys.executable, "-P", str(ROOT / "packaging" / "texts.py")]
    rows = [json.loads(line) for line in subprocess.run(lister, capture_output=True, check=True, encoding="utf-8").stdout.splitlines()]
    bare = (*((key, "argparse") for key in ARGPARSE), *arguments(TOOLS))
    rows += [{"key": key, "plural": "", "place": place, "given": None, "form": "text"} for key, place in bare]
    given = [None if row["given"] is None else frozenset[str](row["given"]) for row in rows]
    return [Text(row["key"], row["plural"], (row["place"],), names, frozenset({row["form"]})) for row, names in zip(rows, given, strict=True)]


def arguments(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what the definitions of tools say of arguments, each with its file: people read it when they edit a call."""
    for path in sorted(folder.glob("*.json")):
        for argument in json.loads(path.read_text(encoding="utf-8"))["input_schema"]["properties"].values():
            if "description" in argument:
                yield argument["description"], f"resources/tools/{path.name}"


def joined(several: list[Text]) -> list[Text]:
    """Return each key once; what it gives is what all its places give."""
    found: dict[str, Text] = {}
    for one in several:
        found[one.key] = _joined(found[one.key], one) if one.key in found else one
    return list(found.values())


def clashes(several: list[Text]) -> list[str]:
    """Return a sentence for each text that is counted in one place and not, or otherwise, in another: a catalogue holds it only once."""
    forms: dict[str, dict[str, str]] = {}
    for text in several:
        forms.setdefault(text.key, {}).setdefault(text.plural, text.places[0])
    said = ((key, *sorted(places.items())[:2]) for key, places in sorted(forms.items()) if len(places) > 1)
    return [f"{here}: {key!r} {_form(one)} here and {_form(other)} in {there}: write it in one way." for key, (one, here), (other, there) in said]


def _form(plural: str) -> str:
    return f"counts with {plural!r}" if plural else "does not count"


def _joined(one: Text, other: Text) -> Text:
    given = one.given if other.given is None else other.given if one.given is None else one.given & other.given
    return Text(one.key, one.plural or other.plural, tuple(dict.fromkeys((*one.places, *other.places))), given, one.forms | other.forms)


def sentences(found: list[Text]) -> str:
    """Return sentences.json: the sentences with blanks, and the pieces that can stand in a blank."""
    by_form = {name: sorted(text.key for text in found if form in text.forms) for name, form in (("sentences", "sentence"), ("pieces", "piece"))}
    return json.dumps(by_form, ensure_ascii=False, indent=1) + "\n"


def updated(po: Path, found: list[Text]) -> tuple[str, bytes, list[str]]:
    """Return the .po text as it should be, the .mo bytes, and complaints."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import read_po, write_po

    old = read_po(io.BytesIO(po.read_bytes())) if po.exists() else Catalog(locale=po.parts[-3])
    new = Catalog(locale=po.parts[-3], project="agent-workbench", fuzzy=False)
    new.creation_date = new.revision_date = None  # type: ignore[assignment]
    complaints: list[str] = []
    for text in found:
        before = old.get(text.key)
        message = new.add((text.key, text.plural) if text.plural else text.key, string=_kept(before, text), locations=[(place, 0) for place in text.places])
        complaints += _complaints(text, [part for part in _strings(message.string) if part])
    po_file = io.BytesIO()
    write_po(po_file, new, width=0, include_lineno=False, sort_output=True, omit_header=True)
    return HEADER.format(language=po.parts[-3]) + po_file.getvalue().decode(), compiled(new), sorted(set(complaints))


def compiled(catalogue: Any) -> bytes:
    """Return a catalogue as an .mo file (https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html), without what changes with the tool."""
    entries = {"": "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=1; plural=0;\n"}
    for message in catalogue:
        strings = _strings(message.string)
        if message.id and all(strings):
            entries["\0".join(_strings(message.id))] = "\0".join(strings)
    texts = [text.encode() for text in (*sorted(entries, key=str.encode), *(entries[key] for key in sorted(entries, key=str.encode)))]
    count, offset, table = len(entries), 28 + 16 * len(entries), b""
    for text in texts:
        table += struct.pack("<2I", len(text), offset)
        offset += len(text) + 1
    return struct.pack("<7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0) + table + b"".join(text + b"\0" for text in texts)


def _kept(before: Any, text: Text) -> Any:
    """Return the translation of an entry of the old catalogue; babel wants a tuple for counted texts and a string for others."""
    strings = _strings(before.string) if before is not None else [""]
    return tuple(strings) if text.plural else strings[0]


def _strings(translation: object) -> list[str]:
    return [str(part) for part in (translation if isinstance(translation, list | tuple) else [translation])]


def _complaints(text: Text, translations: list[str]) -> Iterator[str]:
    where = f"{text.places[0]}: the translation of {text.key!r}"
    if not translations:
        yield f"{text.places[0]}: no translation of {text.key!r}"
    for translation in translations:
        try:
            unknown = sorted(fields(translation) - given(text))
        except ValueError as error:  # a text without blanks may hold a brace that opens nothing
            unknown = [] if text.given is None and not is_pattern(text.key) else [str(error)]
        if unknown:
            yield f"{where} fills in {', '.join(unknown)}, which it does not get"
        if text.forms == {"text"} and ":told}" in translation:
            yield f"{where} asks for a word of the program, but is filled in where it is shown"
        if text.places[0] == "argparse" and sorted(PERCENT.findall(translation)) != sorted(PERCENT.findall(text.key)):
            yield f"{where} must fill in the same as the English"
        if translation in (text.key, text.plural) and text.key not in SAME_IN_ENGLISH:
            yield f"{where} is the English text"


def given(text: Text) -> frozenset[str]:
    """Return the names that a translation may fill in; for a bare text those that it fills in itself."""
    return frozenset(fields(text.plural or text.key)) if text.given is None else text.given


def is_pattern(text: str) -> bool:
    """Say whether a text's braces are blanks."""
    try:
        fields(text)
    except ValueError:
        return False
    return True


def fields(text: str) -> set[str]:
    """Return the names of the blanks in a text.

    Raises:
        ValueError: its braces do not fit.
    """
    return {name for _literal, name, _spec, _conversion in string.Formatter().parse(text) if name is not None}


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    several = listed()
    if said := clashes(several):
        sys.stderr.write("".join(f"{sentence}\n" for sentence in said))
        return 1
    found = joined(several)
    wanted: dict[Path, bytes] = {LOCALE / "sentences.json": sentences(found).encode()}
    complaints: list[str] = []
    for po in sorted(LOCALE.glob("*/LC_MESSAGES/workbench.po")):
        text, binary, said = updated(po, found)
        complaints += said
        wanted |= {po: text.encode(), po.with_suffix(".mo"): binary}
    for path, content in wanted.items():
        if not check:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            complaints.append(f"{path.relative_to(ROOT)} is not up to date: run packaging/catalogues.py")
    sys.stderr.write("".join(f"{complaint}\n" for complaint in complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
