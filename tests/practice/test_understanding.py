"""Sentences people say, in English and Chinese, become the intent they mean; odd ones become none, and quickly."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.practice.intents import (
    AskHelp,
    AskTime,
    AskWeather,
    AskWho,
    Calculate,
    Drill,
    FetchPage,
    FindFiles,
    GoOn,
    Intent,
    Introduce,
    ListFolder,
    ReadFiles,
    Replace,
    RunCommand,
    RunTests,
    SearchText,
    Thank,
    Unclear,
    WriteFile,
)
from workbench.practice.understanding import understand

ENGLISH: list[tuple[str, Intent]] = [
    ("Introduce this project", Introduce()),
    ("what is this repository?", Introduce()),
    ("Can you please describe the codebase?", Introduce()),
    ("What does this project do?", Introduce()),
    ("give me an overview", Introduce()),
    ("Tell me about this repo", Introduce()),
    ("read README.md", ReadFiles(("README.md",))),
    ("Please read src/a.py and src/b.py", ReadFiles(("src/a.py", "src/b.py"))),
    ("read lines 3 to 5 of src/a.py", ReadFiles(("src/a.py",), 3, 3)),
    ("read the file setup.cfg, lines 10-20", ReadFiles(("setup.cfg",), 10, 11)),
    ("show me README.md.", ReadFiles(("README.md",))),
    ('read "my file.txt"', ReadFiles(("my file.txt",))),
    ("read 说明.md", ReadFiles(("说明.md",))),
    ("read @src/a.py", ReadFiles(("src/a.py",))),
    ("open Makefile", ReadFiles(("Makefile",))),
    ("cat notes", ReadFiles(("notes",))),
    ("look at src/main.py", ReadFiles(("src/main.py",))),
    ("list src", ListFolder("src")),
    ("list the files in src/tidewatch", ListFolder("src/tidewatch")),
    ("ls", ListFolder()),
    ("what's in this folder?", ListFolder()),
    ("what files are here?", ListFolder()),
    ("show me the files", ListFolder()),
    ("show src/", ListFolder("src/")),
    ("find *.py", FindFiles("*.py")),
    ("find all python files", FindFiles("*.py")),
    ("find files named test_*.py in src", FindFiles("src/**/test_*.py")),
    ("find dates", FindFiles("*dates*")),
    ('find "*.toml"', FindFiles("*.toml")),
    ('find "two digits"', SearchText("two digits")),
    ("find where parse_date is used", SearchText("parse_date")),
    ("search for TODO", SearchText("TODO")),
    ("search TODO in src", SearchText("TODO", "src")),
    ('search "def main" in src/tidewatch', SearchText("def main", "src/tidewatch")),
    ("grep parse_date", SearchText("parse_date")),
    ("where is parse_date defined?", SearchText("parse_date")),
    ("search the project for strptime", SearchText("strptime")),
    ("look for hello in docs", SearchText("hello", "docs")),
    ("Replace “two digits” with “one or two digits” in README.md", Replace("two digits", "one or two digits", "README.md")),
    ("replace foo with bar in a.txt", Replace("foo", "bar", "a.txt")),
    ('in src/a.py change "x = 1" to "x = 2"', Replace("x = 1", "x = 2", "src/a.py")),
    ("replace 'a b' by '' in notes.txt", Replace("a b", "", "notes.txt")),
    ("write notes.txt with content hello world", WriteFile("notes.txt", "hello world")),
    ('write a file hello.py with the content:\nif 1:\n    print("hi")', WriteFile("hello.py", 'if 1:\n    print("hi")')),
    ('create docs/new.md containing "# Title"', WriteFile("docs/new.md", "# Title")),
    ('write "hello" to notes.txt', WriteFile("notes.txt", "hello")),
    ("create an empty file x.txt", WriteFile("x.txt", "")),
    ("write notes.txt", WriteFile("notes.txt", None)),
    ("write config.toml:\n```toml\na = 1\n```", WriteFile("config.toml", "a = 1")),
    ("run ls -la", RunCommand("ls -la")),
    ('run python3 -c "print(1)"', RunCommand('python3 -c "print(1)"')),
    ("run the command `git status`", RunCommand("git status")),
    ("$ ls", RunCommand("ls")),
    ("run cat <<E\nhello\nE", RunCommand("cat <<E\nhello\nE")),
    ("run the tests", RunTests()),
    ("fetch https://docs.python.org/3/", FetchPage("https://docs.python.org/3/")),
    ("Please fetch the page https://docs.python.org/3/?a=1,2#b.", FetchPage("https://docs.python.org/3/?a=1,2#b")),
    ("fetch docs.python.org", FetchPage("https://docs.python.org")),
    ("get `http://127.0.0.1:8000/x`", FetchPage("http://127.0.0.1:8000/x")),
    ("visit localhost:8000", FetchPage("http://localhost:8000")),
    ("read https://a.example/README.md", FetchPage("https://a.example/README.md")),
    ("what's at http://a.example/?", FetchPage("http://a.example/")),
    ("https://a.example/", FetchPage("https://a.example/")),
    ("fetch notes.txt", Unclear()),
    ("search https://a.example in src", SearchText("https://a.example", "src")),
    ("run curl https://a.example/", RunCommand("curl https://a.example/")),
    ("execute the tests", RunTests()),
    (
        "What's the weather in Paris tomorrow? If it rains, calculate how many hours a year has",
        AskWeather("Paris", "tomorrow", "365 * 24", "hours"),
    ),
    ("weather in San Francisco", AskWeather("San Francisco")),
    ("will it rain in tokyo tomorrow?", AskWeather("Tokyo", "tomorrow")),
    ("weather in Springfield tomorrow", AskWeather("Springfield", "tomorrow")),
    ("weather in Paris; if it rains calculate 12 * 3", AskWeather("Paris", "", "12 * 3")),
    ("what is 3 * (4 + 5)?", Calculate("3 * (4 + 5)")),
    ("how many hours are in a year?", Calculate("365 * 24")),
    ("what time is it?", AskTime()),
    ("drill: rate limit", Drill("rate_limit")),
    ("drill: overloaded", Drill("overloaded")),
    ("drill: cut stream", Drill("cut_stream")),
    ("drill: cut call", Drill("cut_call")),
    ("drill: broken arguments", Drill("broken_arguments")),
    ("Drill: unknown tool", Drill("unknown_tool")),
    ("drill: endless loop", Drill("endless_loop")),
    ("drill: slow first token 0.2 s", Drill("slow_first_token", 0.2)),
    ("drill: error in the stream", Drill("error_inside")),
    ("drill", Drill("unknown")),
    ("help", AskHelp()),
    ("what can you do?", AskHelp()),
    ("Are you an AI?", AskWho()),
    ("hello", AskWho()),
    ("thanks!", Thank()),
    ("continue", GoOn()),
    ("tell me a joke", Unclear()),
    ("write a poem", Unclear()),
    ("replace the engine", Unclear("replace")),
    ("how is the weather?", Unclear("weather")),
]

CHINESE: list[tuple[str, Intent]] = [
    ("介绍一下这个项目", Introduce()),
    ("这个项目是做什么的？", Introduce()),
    ("请帮我介绍一下这个仓库", Introduce()),
    ("总结一下这个代码库", Introduce()),
    ("读 README.md", ReadFiles(("README.md",))),
    ("打开README.md", ReadFiles(("README.md",))),
    ("看看 src/a.py 的内容", ReadFiles(("src/a.py",))),
    ("读取文件 a.py 和 b.py", ReadFiles(("a.py", "b.py"))),
    ("看 a.py 第 3 到 5 行", ReadFiles(("a.py",), 3, 3)),
    ("请读一下 说明.md", ReadFiles(("说明.md",))),
    ("列出 src 目录", ListFolder("src")),
    ("列出文件", ListFolder()),
    ("src 里有什么", ListFolder("src")),
    ("有哪些文件", ListFolder()),
    ("看看这个项目有哪些文件", ListFolder()),
    ("获取 https://docs.python.org/3/", FetchPage("https://docs.python.org/3/")),
    ("获取网页 docs.python.org 的内容", FetchPage("https://docs.python.org")),
    ("请帮我访问一下“http://127.0.0.1:8000/”", FetchPage("http://127.0.0.1:8000/")),
    ("看看 https://a.example/README.md。", FetchPage("https://a.example/README.md")),
    ("抓取 http://a.example/x 这个页面", FetchPage("http://a.example/x")),
    ("查找 *.md", FindFiles("*.md")),
    ("找出所有 *.py 文件", FindFiles("*.py")),
    ("在 src 里找 *.py", FindFiles("src/**/*.py")),
    ("找一下 dates", FindFiles("*dates*")),
    ("搜索 TODO", SearchText("TODO")),
    ("在 src 里搜索 parse_date", SearchText("parse_date", "src")),
    ("搜索“两位”", SearchText("两位")),
    ("哪里用到了 parse_date？", SearchText("parse_date")),
    ("parse_date 在哪里定义的？", SearchText("parse_date")),
    ("把 README.md 里的“两位”改成“一位或两位”", Replace("两位", "一位或两位", "README.md")),
    ("把 a.txt 中的 foo 替换成 bar", Replace("foo", "bar", "a.txt")),
    ("在 src/a.py 里把 `x = 1` 改为 `x = 2`。", Replace("x = 1", "x = 2", "src/a.py")),
    ("用“新”替换 notes.txt 里的“旧”", Replace("旧", "新", "notes.txt")),
    ("把“旧”换成“新”，在 notes.txt 里", Replace("旧", "新", "notes.txt")),
    ("写文件 notes.txt，内容是：你好", WriteFile("notes.txt", "你好")),
    ("新建 a.md，内容为“# 标题”", WriteFile("a.md", "# 标题")),
    ("把“你好”写入 notes.txt", WriteFile("notes.txt", "你好")),
    ("创建一个空文件 x.txt", WriteFile("x.txt", "")),
    ("写 notes.txt，内容：\n第一行\n  第二行", WriteFile("notes.txt", "第一行\n  第二行")),
    ("运行 ls -la", RunCommand("ls -la")),
    ("执行命令：git status", RunCommand("git status")),
    ("跑一下测试", RunTests()),
    ("明天上海天气怎么样？如果有雨，则计算一年有多少个小时", AskWeather("上海", "明天", "365 * 24", "小时")),
    ("北京今天天气如何", AskWeather("北京", "今天")),
    ("绵阳明天天气怎么样", AskWeather("绵阳", "明天")),
    ("计算 12 × 3", Calculate("12 * 3")),
    ("一年有多少小时", Calculate("365 * 24")),
    ("现在几点了", AskTime()),
    ("演练：限流", Drill("rate_limit")),
    ("演练：限流 0.5 秒", Drill("rate_limit", 0.5)),
    ("演练：过载", Drill("overloaded")),
    ("演练：断流", Drill("cut_stream")),
    ("演练：参数中断", Drill("cut_call")),
    ("演练：坏参数", Drill("broken_arguments")),
    ("演练：未知工具", Drill("unknown_tool")),
    ("演练：死循环", Drill("endless_loop")),
    ("演练：慢首字", Drill("slow_first_token")),
    ("演练：流内错误", Drill("error_inside")),
    ("你能做什么？", AskHelp()),
    ("你是谁", AskWho()),
    ("你是AI吗？", AskWho()),
    ("你好", AskWho()),
    ("谢谢", Thank()),
    ("继续", GoOn()),
    ("写一首诗", Unclear()),
    ("把它改成蓝色", Unclear("replace")),
    ("天气", Unclear("weather")),
]


@pytest.mark.parametrize(("sentence", "intent"), ENGLISH, ids=[sentence for sentence, _ in ENGLISH])
def test_english_sentence_is_understood(sentence: str, intent: Intent) -> None:
    assert understand(sentence) == (intent, "en")


@pytest.mark.parametrize(("sentence", "intent"), CHINESE, ids=[sentence for sentence, _ in CHINESE])
def test_chinese_sentence_is_understood(sentence: str, intent: Intent) -> None:
    assert understand(sentence) == (intent, "zh")


def test_quoted_chinese_does_not_make_an_english_sentence_chinese() -> None:
    assert understand("Replace “两位” with “一位” in README.md").language == "en"


def test_continue_means_the_question_before_in_the_language_of_continue() -> None:
    assert understand("继续", ["again", "read a.py", "list src"]) == (ReadFiles(("a.py",)), "zh")
    assert understand("continue", []) == (GoOn(), "en")


def test_long_text_is_no_request_unless_it_is_what_a_file_shall_hold() -> None:
    long = "This project is about. " * 100
    assert understand(f"read a.py {long}").intent == Unclear()
    content = "\n".join(f"    line {number}" for number in range(1000))
    assert understand(f"write a.txt with content:\n{content}").intent == WriteFile("a.txt", content)


HEADS = (
    *("读", "写 a.txt", "把 a.txt 里", "在 a.txt", "列出", "搜索", "用", "如果有雨 天气"),
    *("run", "write a.txt", "replace", "read", "list", "find", "search", "in a.txt", "calculate 1", "weather"),
)
FILLINGS = (" ", "\n", "a", "一", "的", "a.", "和a", '"', "“", "1 ", "()", "（", "with ", "、a.b", "a, ", "- ", "in ")


@pytest.mark.parametrize("head", HEADS)
def test_no_sentence_takes_long_to_understand(head: str) -> None:
    for filling in FILLINGS:
        for tail in ("", "z", "。"):
            started = time.perf_counter()
            understand(head + filling * (480 // len(filling)) + tail)
            assert time.perf_counter() - started < 0.5, (head, filling, tail)


def test_a_million_quotation_marks_are_read_in_one_pass() -> None:
    started = time.perf_counter()
    understand("write a.txt with " + "“x ‘y \"z ` " * 100_000)
    assert time.perf_counter() - started < 5


WORDS = st.sampled_from(
    [
        *("read", "list", "replace", "with", "in", "a.py", "“x”", "drill", "run", "1 * 2", "\n", "```\n", "'"),
        *("读", "把", "里的", "改成", "写", "内容", "天气", "上海", "演练", "："),
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join), st.lists(WORDS, max_size=12).map("".join)))
def test_any_text_is_an_intent(text: str) -> None:
    assert understand(text, [text]).language in ("en", "zh")
