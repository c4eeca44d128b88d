"""Characters that some readers take for line ends stand in texts of people, models and tools; a session that holds them opens again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.folders import entries, exchange, facts
from workbench.conversation.events import ModelResponded, UserMessageAdded
from workbench.conversation.messages import text_message
from workbench.store.session_store import SessionStore

SEPARATORS = ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\r", "\r\n", "\x00"]


@pytest.mark.parametrize("separator", SEPARATORS, ids=[each.encode("unicode_escape").decode() for each in SEPARATORS])
def test_a_session_with_odd_line_separators_opens_again(separator: str, tmp_path: Path) -> None:
    text = f"a{separator}b{separator}{separator}c{separator}"
    said = UserMessageAdded(turn_id="t", message=text_message("user", text))
    answered = ModelResponded(turn_id="t", step=1, exchange_id="e", message=text_message("assistant", text))
    written = entries([*facts(1), said, answered])
    store = SessionStore.create(tmp_path / "s", "s")
    for entry in written:
        store.write(entry)
    body, response = [b"[", f'"{text}"'.encode(), b"]"], [f"data: {text}".encode(), f"{text}\n\n".encode()]
    ref = exchange(store, "e2", body, response, len(written) + 1)
    store.close()
    again = SessionStore.open(tmp_path / "s")
    assert again.entries()[: len(written)] == written
    assert again.body(ref) == b"".join(body)
    assert b"".join(chunk.data for chunk in again.chunks("e2")) == b"".join(response)
    again.close()
