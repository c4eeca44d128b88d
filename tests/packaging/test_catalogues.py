"""A catalogue is refused when a translation is missing, fills in what it does not get, or is no translation."""

from __future__ import annotations

import gettext
import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.packaging.scripts import load
from tests.shared import ROOT
from workbench.words import Catalogue


@pytest.fixture(scope="module")
def catalogues() -> ModuleType:
    return load("catalogues.py")


@pytest.mark.parametrize(
    ("key", "given", "translation", "complaint"),
    [
        ("room.gone", {"name"}, "{name} 不见了。", ""),
        ("room.gone", {"name"}, "不见了。", ""),
        ("room.gone", {"name"}, "{name:told} 不见了。", ""),
        ("room.gone", {"name"}, "{path} 不见了。", "fills in path, which it does not get"),
        ("room.gone", set(), "{ 不见了。", "expected '}' before end of string"),
        ("{n} left", None, "还剩 {n} 个", ""),
        ("{n} left", None, "还剩 {m} 个", "fills in m, which it does not get"),
        ("{n} left", None, "还剩 {n:told} 个", "asks for a word of the program"),
        ("an open ${", None, "${ 没有闭合", ""),
        ("an open ${", None, "没有闭合", ""),
        ("Reject", None, "Reject", "is the English text"),
        ("OpenAI", None, "OpenAI", ""),
        ("Reject", None, "", "no translation of 'Reject'"),
    ],
)
def test_a_wrong_translation_is_told(catalogues: ModuleType, key: str, given: set[str] | None, translation: str, complaint: str) -> None:
    form = "text" if given is None else "id"
    text = catalogues.Text(key, "", ("room.py",), None if given is None else frozenset(given), frozenset({form}))
    complaints = list(catalogues._complaints(text, [translation] if translation else []))
    assert len(complaints) == (1 if complaint else 0)
    assert complaint in "".join(complaints)


def test_what_argparse_fills_in_stays(catalogues: ModuleType) -> None:
    text = catalogues.Text("expected %s", "", ("argparse",), None, frozenset({"text"}))
    assert not list(catalogues._complaints(text, ["需要 %s"]))
    assert list(catalogues._complaints(text, ["需要 %d"]))


def test_an_id_given_in_several_places_fills_in_what_all_of_them_give(catalogues: ModuleType) -> None:
    one, other = (catalogues.Text("room.gone", "", (place,), frozenset(given), frozenset({"id"})) for place, given in (("a.py", "xy"), ("b.py", "yz")))
    joined = catalogues._joined(one, other)
    assert (joined.given, joined.places) == (frozenset("y"), ("a.py", "b.py"))


def test_a_text_that_counts_in_one_place_only_is_told(catalogues: ModuleType) -> None:
    several = [catalogues.Text("{n} line", plural, (place,), None, frozenset({"text"})) for plural, place in (("{n} lines", "a.py"), ("", "b.py"))]
    assert catalogues.clashes(several) == ["b.py: '{n} line' does not count here and counts with '{n} lines' in a.py: write it in one way."]
    assert catalogues.clashes([*several[:1], several[0]._replace(places=("c.py",))]) == []


def test_a_translation_stays_when_its_text_begins_or_ceases_to_count(catalogues: ModuleType, tmp_path: Path) -> None:
    po = tmp_path / "zh_CN" / "LC_MESSAGES" / "workbench.po"
    po.parent.mkdir(parents=True)
    po.write_text('msgid "{n} line"\nmsgstr "{n} 行"\n', encoding="utf-8")
    for plural, kept in (("{n} lines", 'msgid_plural "{n} lines"\nmsgstr[0] "{n} 行"'), ("", 'msgid "{n} line"\nmsgstr "{n} 行"')):
        stored, _binary, complaints = catalogues.updated(po, [catalogues.Text("{n} line", plural, ("a.py",), None, frozenset({"text"}))])
        po.write_text(stored, encoding="utf-8")
        assert (kept in stored, complaints) == (True, [])


def test_what_a_definition_says_of_the_arguments_is_a_text(catalogues: ModuleType, tmp_path: Path) -> None:
    schema = {"properties": {"path": {"type": "string", "description": "Folder to read"}, "depth": {"type": "integer"}}}
    (tmp_path / "list.json").write_text(json.dumps({"name": "list", "description": "For the model.", "input_schema": schema}), encoding="utf-8")
    assert list(catalogues.arguments(tmp_path)) == [("Folder to read", "resources/tools/list.json")]


def test_the_standard_library_reads_the_same_from_our_catalogue() -> None:
    path = ROOT / "resources" / "locale" / "zh_CN" / "LC_MESSAGES" / "workbench.mo"
    with path.open("rb") as file:
        standard = gettext.GNUTranslations(file)
    keys = [text.key for text in load("texts.py").texts()]
    ours = Catalogue(path.read_bytes())
    for key in keys:
        assert ours.get(key) in (standard.gettext(key), standard.ngettext(key, "", 2))
    assert ours.get("no such text") == ""
    assert ours.get("") == ""
