"""The view has LF only, and every place of it is found again in the raw text and in the bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import FileRefused
from workbench.workspace.text import model_text, read_text


@pytest.mark.parametrize(
    ("content", "view", "endings"),
    [
        (b"", "", "none"),
        (b"solo", "solo", "none"),
        (b"a\nb\n", "a\nb\n", "lf"),
        (b"a\r\nb\r\n", "a\nb\n", "crlf"),
        (b"a\r\nb\n", "a\nb\n", "mixed"),
        (b"a\rb\r", "a\nb\n", "cr"),
        (b"10%\r20%\rdone\nnext\n", "10%\r20%\rdone\nnext\n", "lf"),
        (b"a\r\r\nb\r\n", "a\r\nb\n", "crlf"),
        ("a\x0bb\x0cc\x85d\u2028e\n".encode(), "a\x0bb\x0cc\x85d\u2028e\n", "lf"),
    ],
)
def test_view_knows_only_lf(content: bytes, view: str, endings: str) -> None:
    text = read_text(content)
    assert (text.view, text.line_endings) == (view, endings)


CODECS = ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "gb18030", "big5", "cp932", "euc_jp", "cp949", "cp1251", "latin-1"]
PIECES = st.sampled_from(["a", "\n", "\r\n", "\r", "é", "中", "ア", "한", "я", "😀", " "])


@given(st.lists(PIECES, max_size=40), st.sampled_from(CODECS), st.data())
def test_every_place_of_the_view_has_its_place_in_the_bytes(pieces: list[str], codec: str, data: st.DataObject) -> None:
    raw = "".join(pieces).encode(codec, "ignore").decode(codec)
    text = read_text(raw.encode(codec), setting=codec)
    index = data.draw(st.integers(0, len(text.view)))
    raw_index = text.raw_index(index)
    before = raw[:raw_index]
    assert before.replace("\r", "\n" if text.line_endings == "cr" else "\r").replace("\r\n", "\n") == text.view[:index]
    assert list(text.byte_indexes([raw_index])) == [len(before.encode(codec))]


def test_bytes_that_encode_otherwise_are_still_found() -> None:
    content = b"x=\x87\x90\nmode=a\n"  # cp932 has two codes for that character and writes the other one
    text = read_text(content, setting="cp932")
    assert text.raw.encode("cp932") != content
    assert list(text.byte_indexes([text.raw.index("mode")])) == [content.index(b"mode")]


def test_place_inside_one_unit_is_refused() -> None:
    content = "\u00ca\u0304x".encode("big5hkscs")  # two characters from one pair of bytes
    text = read_text(content + b"\xf9\xfe", setting="big5hkscs")
    with pytest.raises(FileRefused):
        list(text.byte_indexes([1]))


def test_mark_is_outside_the_view() -> None:
    text = read_text(b"\xef\xbb\xbfa\n")
    assert (text.view, list(text.byte_indexes([0, 2]))) == ("a\n", [3, 5])


def test_line_numbers_count_from_one() -> None:
    text = read_text(b"a\r\nb\r\nc")
    assert [text.line_number(index) for index in range(5)] == [1, 1, 2, 2, 3]


def test_crlf_of_a_model_is_lf() -> None:
    assert model_text("a\r\nb\rc\n") == "a\nb\rc\n"
