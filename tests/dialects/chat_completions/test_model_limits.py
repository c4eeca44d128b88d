"""What a profile says that a model does not take is not sent to it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.conversation.messages import ModelRequest, RequestOptions, ToolDefinition, text_message
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT

TOOL = ToolDefinition(name="read", description="", input_schema={"type": "object", "properties": {}})


def sent(quirks: Quirks, **options: Any) -> Any:
    request = ModelRequest(system=(), tools=(TOOL,), messages=(text_message("user", "x"),), options=RequestOptions(model="m", **options))
    return json.loads(DIALECT.encode_request(request, quirks).body)


def test_stop_sequences_go_only_to_models_that_take_them() -> None:
    assert sent(Quirks(), stop=("\nObservation:",))["stop"] == ["\nObservation:"]
    assert "stop" not in sent(Quirks(stop=False), stop=("\nObservation:",))


@pytest.mark.parametrize(("wanted", "chosen"), [("required", "auto"), ("read", "auto"), ("auto", "auto"), ("none", "none")])
def test_a_model_that_cannot_be_forced_is_left_free(wanted: str, chosen: str) -> None:
    assert sent(Quirks(forced_choice=False), tool_choice=wanted)["tool_choice"] == chosen
    assert sent(Quirks(), tool_choice="required")["tool_choice"] == "required"
