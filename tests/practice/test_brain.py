"""What holds for every answer: it is honest, in the person's language, made from the request alone, quick, and never an exception."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.practice.dialogue import Dialogue, file_result, tool_definitions
from workbench.conversation.messages import (
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    OpaquePart,
    Part,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    text_message,
)
from workbench.dialects.registry import dialect
from workbench.errors import RequestUnreadable
from workbench.practice.brain import answer

ENGLISH_WHO = "I am the practice model: a script, not an AI."
CHINESE_WHO = "我是练习模型：一个脚本，不是 AI。"


@pytest.mark.parametrize(
    ("question", "who"), [("tell me a joke", ENGLISH_WHO), ("讲个笑话", CHINESE_WHO), ("read a.py", ENGLISH_WHO), ("演练：未知工具", CHINESE_WHO)]
)
def test_first_answer_of_a_session_says_that_it_is_a_script(question: str, who: str) -> None:
    dialogue = Dialogue()
    assert dialogue.ask(question).text().startswith(who)
    dialogue.messages.append(text_message("user", question))
    assert who not in answer(dialogue.request()).text()


@pytest.mark.parametrize(("question", "who"), [("Are you an AI?", ENGLISH_WHO), ("你是谁？", CHINESE_WHO), ("help", ENGLISH_WHO), ("你能做什么", CHINESE_WHO)])
def test_it_says_so_whenever_asked(question: str, who: str) -> None:
    dialogue = Dialogue()
    dialogue.ask("tell me a joke")
    assert dialogue.ask(question).text().count(who) == 1


def test_token_counts_are_called_estimates() -> None:
    assert "estimates" in Dialogue().ask("who are you?").text()
    assert "估算" in Dialogue().ask("你是谁").text()


def test_help_names_every_ability_and_each_example_is_understood() -> None:
    text = Dialogue().ask("help").text()
    for example in ("Introduce this project", "Read README.md", "List src", "Find *.py", "Search TODO in src", "Run git status", "Fetch https://docs.python.org/3/",
                    "Calculate 12 * 34"):  # fmt: skip
        assert example in text
        assert Dialogue().ask(example).calls(), example


def test_unknown_words_are_answered_honestly_with_examples() -> None:
    for question, words in (("make me rich", "script"), ("让我发财", "脚本")):
        reply = Dialogue().ask(question)
        assert words in reply.text()
        assert reply.finish_reason == "end"
        assert not reply.calls()


def test_language_is_that_of_the_last_message_of_the_person() -> None:
    dialogue = Dialogue()
    assert "我来列出" in dialogue.ask("列出文件").text()
    dialogue.give("a.py")
    assert "I will list" in dialogue.ask("list the files").text()


def test_same_request_gets_the_same_reply() -> None:
    dialogue = Dialogue()
    dialogue.ask("read a.py")
    dialogue.messages.pop()
    assert answer(dialogue.request()) == answer(dialogue.request())


def test_call_ids_differ_within_a_session_and_are_short_enough_for_everyone() -> None:
    dialogue = Dialogue()
    ids: list[str] = []
    for _ in range(3):
        ids += [call.call_id for call in dialogue.ask("read a.py and b.py and a.py").calls()]
        dialogue.give(*[file_result("x", "y")] * 3)
    assert len(set(ids)) == 9
    assert all(len(call_id) <= 29 for call_id in ids)


NEED_TOOLS = (
    *("read a.py", "list", "find *.py", "search TODO", "replace a with b in c.txt", "write a.txt with content x"),
    *("run ls", "what time is it", "上海天气"),
)


@pytest.mark.parametrize("question", NEED_TOOLS)
def test_tool_that_is_not_offered_is_named_instead_of_called(question: str) -> None:
    reply = Dialogue(tools=("unrelated",)).ask(question)
    assert not reply.calls()
    assert reply.finish_reason == "end"
    assert "`unrelated`" in reply.text()


def test_tool_choice_none_means_that_nothing_is_offered() -> None:
    reply = Dialogue(options=RequestOptions(model="practice", tool_choice="none")).ask("read a.py")
    assert not reply.calls()
    assert "none are offered" in reply.text()


def test_continue_repeats_the_question_before() -> None:
    dialogue = Dialogue()
    dialogue.ask("read a.py")
    dialogue.give("Error (cancelled): Reading was stopped.")
    dialogue.ask("continue")
    assert dialogue.calls() == [("read", '{"file_path": "a.py"}')]


def test_request_without_a_question_is_answered() -> None:
    reply = answer(Dialogue().request())
    assert "no question" in reply.text()


def test_usage_is_an_estimate_of_the_size_sent() -> None:
    dialogue = Dialogue()
    dialogue.ask("tell me a joke")
    dialogue.messages.pop()
    reply = answer(dialogue.request(), size_bytes=4000)
    assert reply.usage.input_tokens == 1000
    assert reply.usage.output_tokens == len(reply.text().encode()) // 4 + bool(len(reply.text().encode()) % 4)


def test_output_limit_cuts_the_answer_as_a_model_would() -> None:
    reply = Dialogue(options=RequestOptions(model="practice", max_output_tokens=20)).ask("who are you?")
    assert reply.finish_reason == "length"
    assert reply.usage.output_tokens == 20
    assert reply.text() == Dialogue().ask("who are you?").text()[:80]


def test_output_limit_can_cut_a_call() -> None:
    whole = Dialogue().ask("run " + "x" * 400)
    limit = (whole.usage.output_tokens or 0) - 20
    reply = Dialogue(options=RequestOptions(model="practice", max_output_tokens=limit)).ask("run " + "x" * 400)
    (call,) = reply.calls()
    assert reply.finish_reason == "length"
    with pytest.raises(ValueError, match="Unterminated"):
        json.loads(call.arguments_raw)


def history(count: int) -> tuple[Message, ...]:
    messages: list[Message] = []
    while len(messages) < count:
        number = len(messages)
        call = ToolCallPart(call_id=f"call_{number}", name="read", arguments_raw='{"file_path": "a.py"}')
        messages += [
            text_message("user", f"read a.py, please, for the time number {number}"),
            Message(message_id=f"a{number}", role="assistant", parts=(TextPart(text="I read."), call)),
            Message(message_id=f"t{number}", role="tool", parts=(ToolResultPart(call_id=call.call_id, name="read", content=(TextPart(text="x" * 500),)),)),
            Message(message_id=f"b{number}", role="assistant", parts=(TextPart(text="It has one line."),)),
        ]
    return (*messages, text_message("user", "Introduce this project"))


def best_ms(request: ModelRequest, size_bytes: int) -> float:
    times = []
    for _ in range(7):
        started = time.perf_counter()
        answer(request, size_bytes=size_bytes)
        times.append((time.perf_counter() - started) * 1000)
    return min(times)


def test_ten_thousand_messages_are_answered_within_5_ms() -> None:
    request = ModelRequest(system=(), tools=tool_definitions(("list", "read")), messages=history(10_000), options=RequestOptions(model="practice"))
    assert best_ms(request, 5_000_000) < 5


def test_ten_thousand_messages_of_one_turn_are_answered_within_5_ms() -> None:
    steps = [message for message in history(20_000) if message.role != "user"][:10_000]
    messages = (text_message("user", "drill: endless loop"), *steps)
    request = ModelRequest(system=(), tools=tool_definitions(("list",)), messages=messages, options=RequestOptions(model="practice"))
    assert best_ms(request, 5_000_000) < 5
    assert answer(request, size_bytes=1).calls()


WORDS = st.sampled_from(
    [
        *("introduce this project", "read a.py", "replace “a” with “b” in a.py", "run the tests", "weather in Paris, if it rains 1 * 2", "continue", "help"),
        *("介绍一下这个项目", "把 a.py 里的“a”改成“b”", "写 a.txt，内容是：x", "明天上海天气怎么样？如果有雨，则计算一年有多少个小时"),
        *("演练：坏参数", "drill: unknown tool", "drill: loop"),
    ]
)
RESULTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "README.md\npyproject.toml\nsrc/\n  main.py",
            file_result("pyproject.toml", '[project]\nname = 1\ndependencies = "x"\nscripts = []'),
            file_result("package.json", '{"dependencies": 3, "bin": []}'),
            '{"report": 3, "x": [1], "demo": true}',
            '{"report": ""}',
            "[exit code 99999999999999999999 · x]",
            "Error (file_not_found): x\nDid you mean a.py or b.py?",
            "Error (denied): The user rejected this.\nNote: no",
            "Error (not_read): x",
            "Error ():",
            "{" * 2000,
        ]
    ),
)
NAMES = st.sampled_from(["list", "read", "glob", "grep", "edit", "write", "bash", "get_weather", "calculator", "teleport", ""])
ARGUMENTS = st.sampled_from(['{"file_path": "README.md"}', '{"file_path": "pyproject.toml"}', "{}", "{broken", "[1]", '{"file_path": 3}', '{"path": null}', ""])


@st.composite
def requests(draw: st.DrawFn) -> ModelRequest:
    messages: list[Message] = []
    for number in range(draw(st.integers(0, 6))):
        match draw(st.integers(0, 3)):
            case 0:
                messages.append(text_message("user", draw(st.one_of(WORDS, st.text(max_size=30)))))
            case 1:
                calls = [
                    ToolCallPart(call_id=f"c{number % 2}{index}", name=draw(NAMES), arguments_raw=draw(ARGUMENTS)) for index in range(draw(st.integers(0, 3)))
                ]
                odd: tuple[Part, ...] = (ReasoningPart(text="?"), OpaquePart(dialect="gemini", provider="x", item={}))
                messages.append(Message(message_id=f"m{number}", role="assistant", parts=(*odd[: draw(st.integers(0, 2))], *calls)))
            case 2:
                contents = draw(st.lists(RESULTS, max_size=3))
                picture = ImagePart(media_type="image/png", data="AA==")
                parts = [
                    ToolResultPart(call_id=f"c{(number + 1) % 2}{index}", name="x", content=(TextPart(text=text), picture))
                    for index, text in enumerate(contents)
                ]
                messages.append(Message(message_id=f"m{number}", role="tool", parts=tuple(parts)))
            case _:
                messages.append(Message(message_id=f"m{number}", role="user", parts=(FilePart(media_type="text/plain", data="eA=="),)))
    names = tuple(draw(st.sets(NAMES)))
    limit = draw(st.one_of(st.none(), st.integers(0, 40)))
    options = RequestOptions(model="practice", max_output_tokens=limit, tool_choice=draw(st.sampled_from([None, "auto", "none"])))
    return ModelRequest(system=("s",), tools=tool_definitions(names), messages=tuple(messages), options=options)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(requests())
def test_no_request_makes_the_brain_raise(request: ModelRequest) -> None:
    reply = answer(request)
    assert reply.finish_reason in ("end", "tool_use", "length")
    assert (reply.finish_reason == "tool_use") <= bool(reply.calls())
    dialect("chat_completions").encode_request(request)


MEMBERS = st.sampled_from(["type", "text", "function", "name", "arguments", "id"])
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=12), WORDS, RESULTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(MEMBERS, inner, max_size=4)),
    max_leaves=8,
)
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant", "tool", "developer", "x"])},
        optional={"content": JSON, "tool_calls": st.lists(JSON, max_size=2), "tool_call_id": JSON, "name": JSON, "reasoning_content": JSON},
    ),
    max_size=5,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.fixed_dictionaries({"model": st.text(max_size=5), "messages": MESSAGES}, optional={"tools": st.lists(JSON, max_size=2), "stream": st.booleans()}))
def test_no_body_that_parses_makes_the_brain_raise(body: dict[str, object]) -> None:
    try:
        request = dialect("chat_completions").parse_request(json.dumps(body).encode())
    except RequestUnreadable:
        return
    assert answer(request).pieces
