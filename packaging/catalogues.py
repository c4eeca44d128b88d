"""Bring the translation catalogues up to date: find the texts in the code, merge them into each .po, write the .mo.

    python packaging/catalogues.py          update .po files, write .mo files
    python packaging/catalogues.py --check  change nothing; exit 1 and say what is missing, stale or wrong

A text is what `_("…")` or `many("…", "…", n)` is called with, or a message id (`message_id="…"`), whose English sentence stays in the code.
Run with the development environment's Python: babel reads and writes the catalogues.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "resources" / "locale"
HEADER = 'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: nplurals=1; plural=0;\\n"\n\n'
PLACEHOLDER = re.compile(r"\{(\w*)[^}]*\}")


class Text(NamedTuple):
    """A text to translate: its key, the plural form if it is counted, where it stands."""

    key: str
    plural: str
    place: str


def texts() -> Iterator[Text]:
    """Yield every text of the program, in the order of files and lines."""
    for path in sorted((ROOT / "workbench").rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield from _of_call(node, place)


def _of_call(node: ast.Call, place: str) -> Iterator[Text]:
    name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
    words = [argument.value for argument in node.args if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
    if name in ("_", "tr") and words:
        yield Text(words[0], "", place)
    if name == "many" and len(words) >= 2:
        yield Text(words[0], words[1], place)
    for keyword in node.keywords:
        if keyword.arg == "message_id" and isinstance(keyword.value, ast.Constant) and keyword.value.value:
            yield Text(str(keyword.value.value), "", place)


def updated(po: Path) -> tuple[str, bytes, list[str]]:
    """Return the .po text as it should be, the .mo bytes, and complaints."""
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po, write_po

    old = read_po(io.BytesIO(po.read_bytes())) if po.exists() else Catalog(locale=po.parts[-3])
    new = Catalog(locale=po.parts[-3], project="agent-workbench", fuzzy=False, header_comment="# Words of the program. Keys are English text or message ids.")
    new.creation_date = new.revision_date = None  # type: ignore[assignment]
    complaints: list[str] = []
    for text in texts():
        key: str | tuple[str, str] = (text.key, text.plural) if text.plural else text.key
        before = old.get(text.key)
        message = new.add(key, string=before.string if before else "", locations=[(text.place, 0)])
        complaints += _complaints(text, message.string)
    po_file, mo_file = io.BytesIO(), io.BytesIO()
    write_po(po_file, new, width=0, include_lineno=False, sort_output=True, omit_header=True)
    write_mo(mo_file, new)
    return HEADER.format(language=po.parts[-3]) + po_file.getvalue().decode(), mo_file.getvalue(), sorted(set(complaints))


def _complaints(text: Text, translation: object) -> Iterator[str]:
    strings = [part for part in (translation if isinstance(translation, list | tuple) else [translation]) if part]
    if not strings:
        yield f"{text.place}: no translation of {text.key!r}"
    wanted = set(PLACEHOLDER.findall(text.plural or text.key))
    for string in strings:
        found = set(PLACEHOLDER.findall(str(string)))
        if "." not in text.key and found - wanted:
            yield f"{text.place}: the translation of {text.key!r} fills in {sorted(found - wanted)}, which it does not get"


def main() -> int:
    """Read the command line and do it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    complaints: list[str] = []
    for po in sorted(LOCALE.glob("*/LC_MESSAGES/workbench.po")):
        text, binary, found = updated(po)
        mo = po.with_suffix(".mo")
        complaints += found
        if not check:
            po.write_text(text, encoding="utf-8")
            mo.write_bytes(binary)
        elif po.read_text(encoding="utf-8") != text or not mo.exists() or mo.read_bytes() != binary:
            complaints.append(f"{po.relative_to(ROOT)} is not up to date: run packaging/catalogues.py")
    sys.stderr.write("".join(f"{complaint}\n" for complaint in complaints))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
