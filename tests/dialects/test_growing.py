"""The writer of growing conversations: the bytes never depend on what was written before, and what is settled is written once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import requests
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, text_message
from workbench.conversation.values import JsonObject
from workbench.dialects.base import Quirks
from workbench.dialects.growing import GrowingRequestWriter, RequestForm
from workbench.dialects.registry import dialect

NAMES = ["chat_completions", "functions", "ollama"]


class Counting:
    """Writes texts, and remembers over all its copies what it was asked for."""

    asked: list[str]

    def __init__(self, _request: ModelRequest, _quirks: Quirks) -> None:
        self.asked = []

    def copy(self) -> Counting:
        return self

    def write(self, messages: Sequence[Message]) -> Iterator[JsonObject]:
        for message in messages:
            self.asked.append(message.text())
            yield {"text": message.text()}


def test_a_settled_message_is_written_once() -> None:
    counting = Counting(ModelRequest(system=(), tools=(), messages=(), options=RequestOptions(model="")), Quirks())
    writer = GrowingRequestWriter(RequestForm("/p", lambda _request, _quirks: iter(()), lambda _request, _quirks: counting, lambda _request, _quirks: {}))
    messages = tuple(text_message("user", text) for text in "abc")
    bodies = [
        writer.encode(ModelRequest(system=(), tools=(), messages=messages[:count], options=RequestOptions(model="m"))).body for count in (1, 2, 3)
    ]
    assert counting.asked == ["a", "b", "c"]
    assert bodies[2] == b'{"model":"m","messages":[{"text":"a"},{"text":"b"},{"text":"c"}]}'


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40)
@given(request=requests(), places=st.lists(st.integers(0, 12), max_size=4), quirks=st.sampled_from([Quirks(), Quirks(reasoning_replay="with_calls")]))
def test_the_bytes_do_not_depend_on_what_was_written_before(name: str, request: ModelRequest, places: list[int], quirks: Quirks) -> None:
    codec = dialect(name)
    writer = codec.request_writer()
    for place in [*places, 99]:
        part = replace(request, messages=request.messages[:place])
        assert writer.encode(part, quirks) == codec.encode_request(part, quirks)
