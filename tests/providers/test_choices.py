"""When another model goes on with a conversation, people are told what it is not given: what is new, each thing once."""

from __future__ import annotations

import pytest

from workbench.conversation.messages import (
    DialectName,
    Message,
    ModelRequest,
    Origin,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    text_message,
)
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.loss_rules import RULES
from workbench.errors import SettingsError, UsageError
from workbench.providers.choices import ModelChoice, choice_at, quirks_in, switch_notice
from workbench.providers.known_profiles import KNOWN_PROFILES
from workbench.providers.profiles import Profile

SIGNED = ReasoningPart(text="hm", signature="c2ln")


def choice(name: str, dialect: DialectName, model: str = "m", quirks: Quirks = NORM) -> ModelChoice:
    return ModelChoice(Profile(name=name, base_url="http://127.0.0.1:9", dialect=dialect, quirks=quirks), model)


def request(*messages: Message) -> ModelRequest:
    return ModelRequest(system=("s",), tools=(), messages=messages, options=RequestOptions(model="m"))


def thought(origin: str, dialect: DialectName, *parts: ReasoningPart | ToolCallPart) -> Message:
    made = Origin(dialect=dialect, provider=origin, model="m")
    return Message(message_id="a", role="assistant", parts=(*parts, TextPart(text="yes")), origin=made)


CLAUDE, CHAT, LEGACY = choice("c", "anthropic"), choice("o", "chat_completions"), choice("f", "functions")


def test_what_the_new_model_is_not_given_is_told_once_and_what_matters_first() -> None:
    two = (ToolCallPart(call_id="c1", name="a", arguments_raw="{}"), ToolCallPart(call_id="c2", name="b", arguments_raw="{}"))
    results = tuple(ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text="x"),)) for call in two)
    sealed = ReasoningPart(redacted_data="xx")
    said = (text_message("user", "q"), thought("c", "anthropic", SIGNED, SIGNED, sealed, *two), Message(message_id="t", role="tool", parts=results))
    notice = switch_notice(request(*said), CLAUDE, LEGACY)
    assert notice is not None
    lines = notice.text.split("\n")
    assert lines[0] == "m goes on with this conversation, but not everything that was said can be given to it:"
    assert lines[1] == RULES["reasoning-sealed"].text
    assert lines.count(RULES["reasoning-foreign"].text) == 1
    assert RULES["calls-serialised"].text in lines
    assert notice.level == "warning"
    assert notice.values["losses"] == "\n".join(lines[1:])


def test_what_was_lost_before_is_not_told_again() -> None:
    said = (text_message("user", "q"), thought("elsewhere", "anthropic", SIGNED))
    assert switch_notice(request(*said), CHAT, choice("other", "chat_completions")) is None


def test_words_alone_go_everywhere() -> None:
    assert switch_notice(request(text_message("user", "q"), thought("c", "anthropic")), CLAUDE, CHAT) is None


def test_nothing_is_lost_before_anything_was_said() -> None:
    assert switch_notice(request(), CHAT, choice("r", "react")) is None


def test_one_model_at_two_providers_is_told_by_the_provider() -> None:
    said = request(text_message("user", "q"), thought("c", "anthropic", SIGNED))
    profile = Profile(name="r", title="Second provider", base_url="http://127.0.0.1:9", dialect="functions")
    for model, name in (("m", "Second provider"), ("other", "other")):
        notice = switch_notice(said, CLAUDE, ModelChoice(profile, model))
        assert notice is not None
        assert notice.text.startswith(f"{name} goes on with")
        assert notice.values["model"] == name


def test_only_spelling_is_no_warning() -> None:
    notice = switch_notice(request(text_message("user", "q"), thought("c", "anthropic", SIGNED)), CLAUDE, CHAT)
    assert notice is not None
    assert (notice.level, notice.values["losses"]) == ("info", RULES["reasoning-foreign"].text)


def test_an_address_typed_by_hand_may_speak_any_dialect() -> None:
    there = choice_at("http://127.0.0.1:8080/v1/messages", "x", dialect="anthropic")
    assert (there.profile.base_url, there.profile.dialect, there.model) == ("http://127.0.0.1:8080", "anthropic", "x")
    with pytest.raises(UsageError, match="Which model answers"):
        choice_at("http://127.0.0.1:8080/v1", "")
    with pytest.raises(SettingsError):
        choice_at("nowhere", "x")


def test_a_translation_follows_the_quirks_of_who_speaks_the_dialect() -> None:
    mistral = next(ModelChoice(profile, "m") for profile in KNOWN_PROFILES if profile.name == "mistral")
    assert quirks_in("chat_completions", mistral, KNOWN_PROFILES).call_id_format == "mistral"
    assert quirks_in("anthropic", mistral, KNOWN_PROFILES).provider == "anthropic"
    assert quirks_in("react", mistral, KNOWN_PROFILES) == NORM
