"""An edit changes no byte outside the replaced span, whatever the encoding and the line ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import FileRefused
from workbench.workspace.splice import Replacement, replace_whole, splice
from workbench.workspace.text import Text, read_text

CODECS = ["utf-8", "utf-16-le", "utf-32-be", "gb18030", "big5", "cp932", "cp949", "cp1251", "latin-1"]
OLD = st.lists(st.sampled_from(["a", "b ", "\n", "\n", "\r\n", "\r\n", "\r", "é", "中", "я", "😀", "\x0c", "\u2028"]), max_size=30)
NEW = st.lists(st.sampled_from(["a", "x", "\n", "\n", "中", "é"]), max_size=8)


def edited(content: bytes, old: str, new: str, **options: str) -> bytes:
    text = read_text(content, **options)
    start = text.view.index(old)
    return splice(text, [Replacement(start, start + len(old), new)]).text.content


def draw_spans(text: Text, data: st.DataObject) -> list[Replacement]:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text.view)), min_size=2, max_size=6)))
    cuts = cuts[: len(cuts) // 2 * 2]
    codec = text.encoding.codec
    news = ["".join(data.draw(NEW)).encode(codec, "ignore").decode(codec) for _ in cuts[::2]]
    return [Replacement(start, end, new) for start, end, new in zip(cuts[::2], cuts[1::2], news, strict=True)]


@given(OLD, st.sampled_from(CODECS), st.booleans(), st.data())
def test_no_byte_outside_the_spans_changes(pieces: list[str], codec: str, marked: bool, data: st.DataObject) -> None:
    mark = b"\xef\xbb\xbf" if marked and codec == "utf-8" else b""
    content = mark + "".join(pieces).encode(codec, "ignore")
    text = read_text(content, setting=codec)
    spans = draw_spans(text, data)
    spliced = splice(text, spans)
    result = spliced.text.content
    assert [len(old) for old, _ in spliced.hunks] == [text.raw_index(end) - text.raw_index(start) for start, end, _ in spans]
    places = list(text.byte_indexes(text.raw_index(place) for span in spans for place in span[:2]))
    outside = [content[start:end] for start, end in zip([0, *places[1::2]], [*places[::2], len(content)], strict=True)]
    assert result.startswith(outside[0])
    assert result.endswith(outside[-1])
    rest = result
    for part in outside:
        assert part in rest
        rest = rest[rest.index(part) + len(part) :]
    wanted, done = "", 0
    for start, end, new in spans:
        wanted += text.view[done:start] + new
        done = end
    wanted += text.view[done:]
    line_end = "\n" if text.line_endings == "cr" else ""
    assert result[len(mark) :].decode(codec).replace("\r", line_end) == wanted.replace("\r", "")


@given(OLD)
def test_nothing_replaced_is_nothing_changed(pieces: list[str]) -> None:
    content = "".join(pieces).encode()
    assert splice(read_text(content), []).text.content == content
    text = read_text(content)
    assert splice(text, [Replacement(0, len(text.view), text.view)]).text.content == content


def test_mixed_ends_follow_the_lines_they_belong_to() -> None:
    assert edited(b"a\nb\r\nc\nd\r\n", "b\nc\n", "B\nC\n") == b"a\nB\r\nC\nd\r\n"
    assert edited(b"a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "a\nb\nX\nd\n") == b"a\r\nb\nX\r\nd\n"
    assert edited(b"a\r\nb\nc\r\n", "b\n", "b\nb2\n") == b"a\r\nb\nb2\nc\r\n"


def test_added_line_takes_the_end_of_its_neighbourhood() -> None:
    assert edited(b"a\nb\r\n", "b", "b\nc") == b"a\nb\r\nc\r\n"
    assert edited(b"a\nb\r\nc", "c", "c\nd") == b"a\nb\r\nc\r\nd"
    assert edited(b"a\r\nb\nc", "c", "c\nd") == b"a\r\nb\nc\nd"
    assert edited(b"x\r\ny\r\nz\nw\n", "x\ny\nz\n", "x\ny\nz\nq\n") == b"x\r\ny\r\nz\nq\r\nw\n"


def test_uniform_files_stay_uniform() -> None:
    assert edited(b"a\r\nb\r\n", "b", "1\n2") == b"a\r\n1\r\n2\r\n"
    assert edited(b"a\rb\r", "b", "1\n2") == b"a\r1\r2\r"
    assert edited(b"solo", "solo", "1\n2") == b"1\n2"


def test_text_the_encoding_cannot_hold_is_refused() -> None:
    with pytest.raises(FileRefused) as caught:
        edited(b"price: 5\n", "5", "5 \u2713", setting="cp1252")
    assert caught.value.kind == "unencodable_text"
    assert "U+2713" in caught.value.text


def test_guess_is_not_enough_for_new_characters_but_for_the_files_own() -> None:
    content = b"name: caf\xe9\nx: 1\n"
    with pytest.raises(FileRefused) as caught:
        edited(content, "x: 1", "x: na\u00efve")
    assert caught.value.kind == "encoding_uncertain"
    assert edited(content, "caf\u00e9", "th\u00e9") == b"name: th\xe9\nx: 1\n"


def test_codec_with_shift_states_is_not_torn() -> None:
    content = "a日本b\n".encode("iso2022_jp")
    text = read_text(content, setting="iso2022_jp")
    for start, end in ((1, 2), (2, 3)):
        with pytest.raises(FileRefused):
            splice(text, [Replacement(start, end, "x")])
    assert edited(content, "b", "c", setting="iso2022_jp").decode("iso2022_jp") == "a日本c\n"


def test_whole_new_content_keeps_mark_encoding_and_uniform_ends() -> None:
    assert replace_whole(read_text(b"\xef\xbb\xbfa\r\n"), "\ufeffb\nc\r\n") == b"\xef\xbb\xbfb\r\nc\r\n"
    assert replace_whole(read_text(b"\xff\xfea\x00\n\x00"), "b\n") == b"\xff\xfeb\x00\n\x00"
    assert replace_whole(read_text(b"a\r\nb\n"), "a\nb\r\nc\n") == b"a\nb\r\nc\n"
    assert replace_whole(read_text(b"a\rb"), "x\ny") == b"x\ry"


def test_many_replacements_in_a_large_file_are_linear() -> None:
    text = read_text("é,中,\r\n".encode() * 100_000)
    spans = [Replacement(index, index + 1, ";") for index, character in enumerate(text.view) if character == ","]
    assert splice(text, spans).text.content == "é;中;\r\n".encode() * 100_000
