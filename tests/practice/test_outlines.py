"""Documents give their title, first paragraph, sections and commands; source files the names they define."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.practice.outlines import read_document, read_outline


def test_badges_pictures_and_html_are_no_paragraph() -> None:
    text = "<p align=center>\n<img src=x>\n</p>\n\n# Boat\n\n[![a](b)](c)\n![pic](x.png)\n\nCounts [boats](x) in **bold** `ways`.\n\n## Use\n\nNot this.\n"
    document = read_document(text)
    assert (document.title, document.paragraph, document.sections) == ("Boat", "Counts boats in bold ways.", ("Use",))


def test_underlined_headings_are_headings() -> None:
    document = read_document("Boat\n====\n\nText one,\nline two.\n\nUse\n---\n\nMore.\n")
    assert (document.title, document.paragraph, document.sections) == ("Boat", "Text one, line two.", ("Use",))


def test_first_block_of_commands_is_found() -> None:
    text = "# A\n\n```json\n{}\n```\n\n```\nplain words\n```\n\n```sh\n# set up\n$ pip install a\n```\n\n```sh\nmake\n```\n"
    document = read_document(text)
    assert (document.block, document.block_language) == ("# set up\n$ pip install a", "sh")


def test_hash_inside_of_a_block_is_no_heading() -> None:
    assert read_document("```sh\n# not a title\nls\n```\n# Title\n").title == "Title"


def test_document_without_anything_is_empty() -> None:
    assert read_document("") == ("", "", (), "", "")


@pytest.mark.parametrize(
    ("language", "text", "names", "doc"),
    [
        ("Python", '"""Does it."""\n\nasync def run():\n    def inner(): ...\n\nclass _A: ...\n\ndef main(): ...\n', ("run", "main", "_A"), "Does it."),
        ("JavaScript", "// Starts.\nexport default function start() {}\nconst x = 1\n  function inner() {}\n", ("start", "x"), "Starts."),
        ("TypeScript", "export interface A {}\nexport abstract class B {}\n", ("A", "B"), ""),
        ("Rust", "//! Crate.\npub(crate) async fn go() {}\nstruct A;\n", ("go", "A"), "Crate."),
        ("Go", "package main\nfunc (s *S) Run() {}\nfunc main() {}\ntype S struct{}\n", ("Run", "main", "S"), ""),
        ("Shell", "#!/bin/sh\n# Builds.\nbuild() {\n", ("build",), "Builds."),
        ("Kotlin", "fun main() {}", (), ""),
    ],
)
def test_names_at_top_level_are_found(language: str, text: str, names: tuple[str, ...], doc: str) -> None:
    assert read_outline(language, text) == (names, doc)


@given(st.text(alphabet=st.sampled_from("#=-`~ \n[]()!<>ab\"'*/"), max_size=120))
def test_any_text_is_read(text: str) -> None:
    assert len(read_document(text).paragraph) <= 420
    assert isinstance(read_outline("Python", text).doc, str)
