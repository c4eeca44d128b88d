"""Call ids as providers want them."""

from __future__ import annotations

import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from workbench.conversation.messages import ToolCallPart
from workbench.dialects.wire_ids import WireIds


def call(call_id: str) -> ToolCallPart:
    return ToolCallPart(call_id=call_id, name="read", arguments_raw="{}")


def test_a_good_id_stays() -> None:
    assert WireIds().of_calls([call("call_9af19d6503564492a3d6abc3"), call("functions.read:0")]) == {
        "call_9af19d6503564492a3d6abc3": "call_9af19d6503564492a3d6abc3",
        "functions.read:0": "functions.read:0",
    }


def test_the_first_use_of_an_id_keeps_it() -> None:
    ids = WireIds()
    first, second, third = (ids.of_calls([call("read:0")])["read:0"] for _ in range(3))
    assert first == "read:0"
    assert len({first, second, third}) == 3


def test_mistral_gets_nine_letters() -> None:
    ids = WireIds("mistral")
    assert ids.of_calls([call("call_9af19d6503564492a3d6abc3")]) == {
        "call_9af19d6503564492a3d6abc3": hashlib.sha1(b"call_9af19d6503564492a3d6abc3", usedforsecurity=False).hexdigest()[:9]
    }
    assert ids.of_calls([call("g6fVbXS8K")]) == {"g6fVbXS8K": "g6fVbXS8K"}


@given(st.lists(st.text(max_size=60), max_size=12), st.sampled_from(["any", "mistral"]))
def test_ids_are_unique_short_and_the_same_every_time(ids: list[str], id_format: str) -> None:
    def given_out() -> list[str]:
        table = WireIds(id_format)  # type: ignore[arg-type]
        return [table.of_calls([call(each)])[each] for each in ids]

    first = given_out()
    assert first == given_out()
    assert len(set(first)) == len(first)
    assert all(0 < len(each) <= 40 for each in first)
    assert first[:5] == given_out()[:5], "what came before does not depend on what follows"


@given(st.lists(st.text(max_size=80), max_size=8))
def test_plain_ids_are_made_of_letters_digits_underscores_and_hyphens(ids: list[str]) -> None:
    table = WireIds("plain", 64)
    given_out = [table.of_calls([call(each)])[each] for each in ids]
    assert len(set(given_out)) == len(given_out)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each) for each in given_out)
    assert WireIds("plain", 64).of_calls([call("toolu_01-A")]) == {"toolu_01-A": "toolu_01-A"}
