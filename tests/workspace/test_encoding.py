"""Encodings are found by mark, setting, UTF-8, empty high bytes, and a guess that must give back the same bytes."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import FileRefused
from workbench.workspace.encoding import TextEncoding, canonical_codec, detect_encoding


@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_mark_decides_also_against_a_setting(mark: bytes, codec: str) -> None:
    content = mark + "aé中\n".encode(codec)
    assert detect_encoding(content, setting="gb18030") == TextEncoding(codec, mark)
    assert detect_encoding(content[:-1], whole=False).codec == codec


def test_mark_that_the_bytes_do_not_bear_out_is_not_believed() -> None:
    with pytest.raises(FileRefused) as caught:
        detect_encoding(b"\xff\xfe\x00\x01\x00")
    assert caught.value.kind == "binary_file"
    assert detect_encoding(codecs.BOM_UTF8 + b"caf\xe9 au lait\n") == TextEncoding("cp1250", codecs.BOM_UTF8, guessed=True)


def test_setting_must_fit_and_exist() -> None:
    assert detect_encoding("旧".encode("gb18030"), setting="GBK").codec == "gbk"
    for setting in ("utf-8", "klingon", "base64", "rot13"):
        with pytest.raises(FileRefused) as caught:
            detect_encoding(b"\x81\xff\xff\n", setting=setting)
        assert caught.value.kind == "undecodable"


def test_hint_is_taken_only_if_it_fits() -> None:
    assert detect_encoding(b"caf\xe9\n", hint="latin1").codec == "iso8859-1"
    assert detect_encoding("é".encode(), hint="utf-16le") == TextEncoding("utf-16-le")
    assert detect_encoding(b"plain", hint="klingon") == TextEncoding()
    with pytest.raises(FileRefused):
        detect_encoding(b"\x89PNG\0\0", hint="utf-8")


def test_nul_means_binary_unless_it_is_utf_16() -> None:
    assert detect_encoding("key = 1\r\n".encode("utf-16-le")).codec == "utf-16-le"
    assert detect_encoding("key = 1\r\n".encode("utf-16-be")).codec == "utf-16-be"
    for content in (b"text\0text", b"MZ\x90\0\3\0\0\0", b"\0" * 100, b"a\0b\0\x07\0", b"\x01\0" * 50):
        with pytest.raises(FileRefused) as caught:
            detect_encoding(content)
        assert caught.value.kind == "binary_file"


def test_character_cut_at_the_end_of_a_sample_is_no_error() -> None:
    content = "中文" * 100
    assert detect_encoding(content.encode()[:-1], whole=False) == TextEncoding()
    assert detect_encoding(content.encode()[:-1]).guessed


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("这是一个文本文件，用于测试编码识别。\n第二行内容也是中文。\n", "gb18030"),
        ("# Привет, мир\nn=1\n", "koi8_r"),
        ("한국어 설명\nkey=1\n", "cp949"),
        ("設定ファイルの説明です。\n値は一つ。\n", "cp932"),
    ],
)
def test_legacy_text_is_guessed_and_said_to_be_guessed(text: str, codec: str) -> None:
    found = detect_encoding(text.encode(codec))
    assert found.guessed
    assert text.encode(codec).decode(found.codec).encode(found.codec) == text.encode(codec)


@given(st.binary(max_size=400).filter(lambda content: b"\0" not in content))
def test_whatever_is_found_gives_back_the_same_bytes(content: bytes) -> None:
    found = detect_encoding(content)
    body = content[len(found.mark) :]
    assert content.startswith(found.mark)
    assert body.decode(found.codec).encode(found.codec) == body


def test_names_of_codecs_are_one_per_codec() -> None:
    names = ("UTF8", "utf_16_le", "utf-16le", "GB18030", "latin1")
    assert [canonical_codec(name) for name in names] == ["utf-8", "utf-16-le", "utf-16-le", "gb18030", "iso8859-1"]
