"""Documents are safe and look as the theme says."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextTable

from tests.ui.gui import Gui
from workbench.ui.chat.documents import Documents, Look, Written, write
from workbench.ui.kit.theme import theme

MARKDOWN = Look()
PLAIN = Look(markdown=False)


async def test_a_picture_is_named_and_never_loaded(gui: Gui, tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"not a picture")
    places = {
        "file:///dev/zero": "file",
        str(secret): f"…{str(secret)[-60:]}",
        f"file://{secret}": "file",
        "http://127.0.0.1:9/x.png?leak=1": "127.0.0.1",
        "data:image/png;base64,AAAA": "data",
        "a/x.png": "a/x.png",
    }
    for address, place in places.items():
        written = write(f'before ![words for it]({address} "title") after', MARKDOWN)
        written.lay_out(400)
        assert written.document.toPlainText() == f"before [picture: words for it ({place})] after"
    nameless = write("![](x.png)", MARKDOWN)
    assert nameless.document.toPlainText() == "[picture: x.png]"


async def test_bars_in_the_code_of_a_cell_are_bars_and_headings_stand_over_their_column(gui: Gui) -> None:
    written = write("| a | b |\n|---|--:|\n| `x \\| \U0001f30d \\|\\|` | `\\n` |\n| y \\| z | [k](http://h/) |\n", MARKDOWN)
    (table,) = [frame for frame in written.document.rootFrame().childFrames() if isinstance(frame, QTextTable)]
    cells = [[table.cellAt(row, column).firstCursorPosition().block() for column in (0, 1)] for row in range(3)]
    assert [[cell.text() for cell in row] for row in cells] == [["a", "b"], ["x | \U0001f30d ||", "\\n"], ["y | z", "k"]]
    assert [bool(row[1].blockFormat().alignment() & Qt.AlignmentFlag.AlignRight) for row in cells] == [True] * 3
    (link,) = written.links
    assert written.document.findBlock(link.start).text() == "k", "taking marks away moves no link"
    assert write("`a \\| b`", MARKDOWN).document.toPlainText() == "a \\| b", "outside a table it is code as it stands"


async def test_html_is_shown_as_it_was_sent(gui: Gui) -> None:
    source = "a <b>bold</b> <script>alert(1)</script> <img src=file:///dev/zero>"
    assert write(source, MARKDOWN).document.toPlainText() == source


async def test_hidden_characters_are_marks_and_honest_blanks_stay(gui: Gui) -> None:
    text = write("safe \u202egpj.exe\u200b nul\0 end\r\nnext", MARKDOWN).document.toPlainText()
    assert "⟨U+202E⟩" in text
    assert "⟨U+200B⟩" in text
    assert "⟨U+0000⟩" in text
    assert "\r" not in text
    assert "U+" not in write("1\u00a0000 \u3000 \u2764\ufe0f", MARKDOWN).document.toPlainText()


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "/etc/passwd", "x.md", "vbscript:x", "FILE:///x"])
async def test_links_that_may_not_be_opened_lead_nowhere(gui: Gui, address: str) -> None:
    (link,) = write(f"[words](<{address}>)", MARKDOWN).links
    assert link.address == ""
    assert link.shown.casefold() == address.casefold()


@pytest.mark.parametrize("address", ["http://a.example/x?y=1", "https://a.example", "mailto:a@b.example", "HTTPS://a.example"])
async def test_links_of_the_web_and_mail_lead_there(gui: Gui, address: str) -> None:
    (link,) = write(f"[words](<{address}>)", MARKDOWN).links
    assert link.address.casefold() == address.casefold()


async def test_a_link_tells_its_real_address_whatever_its_words_say(gui: Gui) -> None:
    (link,) = write("[https://good.example](https://evil.example/\u202e)", MARKDOWN).links
    assert link.shown.startswith("https://evil.example/")
    assert "\u202e" not in link.shown


async def test_markdown_is_styled_with_tokens(gui: Gui) -> None:
    document = write("# Head\n\ntext `code` **bold**", MARKDOWN).document
    pieces = {}
    block = document.begin()
    while block.isValid():
        walk = block.begin()
        while not walk.atEnd():
            pieces[walk.fragment().text()] = walk.fragment().charFormat()
            walk += 1
        block = block.next()
    assert pieces["code"].background().color() == theme["hover"]
    assert pieces["code"].font().pointSizeF() == theme.font("code").pointSizeF()
    assert pieces["Head"].font().pointSizeF() == theme.font("title").pointSizeF()
    assert pieces["bold"].fontWeight() == theme.font("body", "bold").weight()


async def test_what_a_person_wrote_is_not_changed_by_markdown(gui: Gui) -> None:
    source = "# no heading\n* no item\n<b>x</b> **y** `code` [a](b)"
    assert write(source, PLAIN).document.toPlainText() == "# no heading\n* no item\n<b>x</b> **y** code [a](b)"


async def test_rows_of_a_table_are_parted_by_lines(gui: Gui) -> None:
    written = write("|a|b|\n|-|-|\n|1|2|\n|3|4|", MARKDOWN)
    written.lay_out(400)
    above, below = written.rules()
    assert 0 < above < below < written.document.size().height()


class _Owner:
    def __init__(self) -> None:
        self.written: Written | None = None


async def test_only_documents_used_lately_are_kept(gui: Gui) -> None:
    documents, owners = Documents(3), [_Owner() for _ in range(5)]
    for owner in owners:
        owner.written = write("text", MARKDOWN)
        documents.used(owner)
    assert [owner.written is not None for owner in owners] == [False, False, True, True, True]
    documents.used(owners[2])
    owners[0].written = write("text", MARKDOWN)
    documents.used(owners[0])
    assert owners[2].written is not None
    assert owners[3].written is None
    documents.drop(owners[2])
    assert len(documents) == 2
