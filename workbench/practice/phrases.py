"""The sentences of the practice model in English and Chinese, side by side, and how they are filled in."""

from __future__ import annotations

from workbench.practice.drill_phrases import DRILL_PHRASES
from workbench.practice.intents import Language
from workbench.practice.project_phrases import PROJECT_PHRASES

PHRASES: dict[str, tuple[str, str]] = {
    "who": ("I am the practice model: a script, not an AI.", "我是练习模型：一个脚本，不是 AI。"),
    "who.long": (
        ("I run on this computer and match what you write against fixed patterns; I understand nothing beyond them. What I do is real all the same: "
        "the requests, the streams, the tool calls and their results. Token counts are estimates, one token for four bytes of text."),
        ("我在本机运行，只会拿固定的句式去对照你写的话，除此之外什么都不懂。不过我做的事都是真的：请求、流、工具调用和结果。"
        "token 数是估算值：每四个字节的文本算一个 token。"),
    ),
    "help": (
        ("I understand these, and a few other ways of saying them:\n\n"
        "| say | what happens |\n|---|---|\n"
        "| Introduce this project | lists the folder, reads three or four files at once, sums them up |\n"
        "| Read README.md · Read lines 3 to 9 of src/a.py | `read` |\n"
        "| List src | `list` |\n"
        "| Find *.py | `glob` |\n"
        "| Search TODO in src | `grep` |\n"
        "| Replace “one” with “two” in notes.txt | `read`, then `edit` |\n"
        "| Write notes.txt with content: hello | `write` |\n"
        "| Run git status · Run the tests | `bash` |\n"
        "| Fetch https://docs.python.org/3/ | `webfetch` |\n"
        "| What's the weather in Shanghai? If it rains, calculate how many hours a year has | `get_weather`, `calculator` |\n"
        "| What time is it? · Calculate 12 * 34 | `get_current_time`, `calculator` |\n"
        "| {drills} | something goes wrong on purpose |"),
        ("下面这些话我能懂，换几种说法也可以：\n\n"
        "| 你说 | 会发生什么 |\n|---|---|\n"
        "| 介绍一下这个项目 | 列出文件夹，同时读取三四个文件，然后总结 |\n"
        "| 读 README.md · 看 src/a.py 第 3 到 9 行 | `read` |\n"
        "| 列出 src 目录 | `list` |\n"
        "| 查找 *.py | `glob` |\n"
        "| 在 src 里搜索 TODO | `grep` |\n"
        "| 把 notes.txt 里的“一”改成“二” | 先 `read`，再 `edit` |\n"
        "| 写文件 notes.txt，内容是：你好 | `write` |\n"
        "| 运行 git status · 运行测试 | `bash` |\n"
        "| 获取 https://docs.python.org/3/ | `webfetch` |\n"
        "| 明天上海天气怎么样？如果有雨，则计算一年有多少个小时 | `get_weather`、`calculator` |\n"
        "| 现在几点了？· 计算 12 * 34 | `get_current_time`、`calculator` |\n"
        "| {drills} | 故意出一点问题 |"),
    ),
    "unclear": (
        ("That fits none of my patterns, and being a script I cannot guess. Try “Introduce this project”, “Read README.md”, “Search TODO”, "
        "“Replace “one” with “two” in notes.txt”, “Run git status” or “Drill: rate limit”; “help” shows the whole list."),
        ("这句话不符合我的任何句式；我是脚本，不会猜。可以试试“介绍一下这个项目”“读 README.md”“搜索 TODO”"
        "“把 notes.txt 里的‘一’改成‘二’”“运行 git status”或“演练：限流”；说“帮助”可以看到全部。"),
    ),
    "unclear.replace": (
        "To replace something I need three things: what, by what, and in which file. For example: Replace “one” with “two” in notes.txt",
        "要替换，我需要知道三件事：换什么、换成什么、在哪个文件里。例如：把 notes.txt 里的“一”改成“二”",
    ),
    "unclear.weather": ("Which city? For example: What's the weather in Shanghai?", "哪个城市？例如：上海天气怎么样？"),
    "unclear.nothing": ("I see no question in this request.", "这个请求里没有问题。"),
    "unclear.go_on": ("There is nothing before this that I could go on with.", "前面没有可以继续的事情。"),
    "thanks": ("You are welcome. A script is glad in its own way.", "不客气。脚本也有脚本的高兴。"),
    "thought.rule": ("The words fit the pattern “{rule}”.", "这句话符合句式“{rule}”。"),
    "thought.next": ("Next: {step}.", "下一步：{step}。"),
    "thought.results": ("Results that came back: {count}. I read them and go on by the script.", "返回了 {count} 个结果；我读取它们，然后按脚本继续。"),
    "thought.trouble": ("Something did not go as planned: {kind}. The script has a branch for that.", "有一步没有按计划进行：{kind}。脚本里有对应的分支。"),
    "sentence.gap": (" ", ""),
    "rule.introduce": ("introduce this project", "介绍这个项目"),
    "rule.read": ("read FILE", "读 文件"),
    "rule.list": ("list FOLDER", "列出 文件夹"),
    "rule.find": ("find PATTERN", "查找 文件名"),
    "rule.search": ("search TEXT in PATH", "在 路径 里搜索 文字"),
    "rule.replace": ("replace X with Y in FILE", "把 文件 里的 X 改成 Y"),
    "rule.write": ("write FILE with content TEXT", "写 文件，内容是 文字"),
    "rule.run": ("run COMMAND", "运行 命令"),
    "rule.tests": ("run the tests", "运行测试"),
    "rule.fetch": ("fetch ADDRESS", "获取 网址"),
    "rule.calculate": ("calculate EXPRESSION", "计算 算式"),
    "rule.time": ("what time is it", "现在几点"),
    "not_offered": (
        "For this I would call `{tool}`, but it is not among the tools of this request ({offered}).",
        "这需要调用 `{tool}`，但这个请求没有提供它（提供的有：{offered}）。",
    ),
    "none_offered": ("none are offered", "一个也没有"),
    "comma": (", ", "、"),
    "quote": ("“{text}”", "“{text}”"),
    # what a result says when it is not what was hoped for
    "rejected": ("You rejected {call}. I leave it at that and do not try the same call again.", "你拒绝了 {call}。我就此打住，不会再发同样的调用。"),
    "rejected.note": (
        "You rejected {call} and wrote: “{note}” I follow that and do not try the same call again.",
        "你拒绝了 {call}，并写道：“{note}”。我照办，不会再发同样的调用。",
    ),
    "rejected.next": ("Say what I should do instead.", "请告诉我应该怎么做。"),
    "denied": ("The program does not allow {call}: {what}", "程序不允许 {call}：{what}"),
    "cancelled": ("{call} did not finish: {what} Say “continue” if I should try again.", "{call} 没有完成：{what} 想再试一次就说“继续”。"),
    "missing": ("No result came back for {call}.", "{call} 没有返回结果。"),
    "unknown_tool": ("There is no tool `{tool}` here. The answer to my call was: {what}", "这里没有 `{tool}` 这个工具。对这次调用的回答是：{what}"),
    "error": ("{call} did not work ({kind}): {what}", "{call} 没有成功（{kind}）：{what}"),
    "error.suggest": ("{call} did not work: that file does not exist. Perhaps you mean {paths}?", "{call} 没有成功：没有这个文件。你是不是指 {paths}？"),
    "edited": (
        "You changed the call before it ran, so this is about what really ran. {line}",
        "你在运行之前修改了这个调用，所以下面说的是真正运行的内容。{line}",
    ),
    # read, list, find, search
    "read.before": ("I will read {paths}.", "我来读取 {paths}。"),
    "read.suggested": ("{missing} does not exist; the nearest name is {path}, so I read that.", "{missing} 不存在；最接近的名字是 {path}，我改读它。"),
    "read.lines": ("`{path}` has {count} lines; it begins with “{start}”.", "`{path}` 共 {count} 行，开头是“{start}”。"),
    "read.short": ("`{path}` has {count} lines:", "`{path}` 共 {count} 行："),
    "read.secret": (
        "`{path}` has {count}. Its name says that it may hold secrets, so I do not repeat what stands there.",
        "`{path}` 共 {count}。从名字看它可能含有机密，所以我不复述其中的内容。",
    ),
    "read.one_line": ("`{path}` has one line: “{start}”.", "`{path}` 只有一行：“{start}”。"),
    "read.part": (
        "Lines {first} to {last} of {count} of `{path}`; they begin with “{start}”.",
        "`{path}` 共 {count} 行，这是第 {first} 到 {last} 行，开头是“{start}”。",
    ),
    "read.short_part": ("Lines {first} to {last} of {count} of `{path}`:", "`{path}` 共 {count} 行，这是第 {first} 到 {last} 行："),
    "read.empty": ("`{path}` is empty.", "`{path}` 是空文件。"),
    "read.folder": ("`{path}` is a folder with {count} entries: {names}.", "`{path}` 是文件夹，有 {count} 项：{names}。"),
    "read.other": ("`{path}`: {line}", "`{path}`：{line}"),
    "list.before": ("I will list {path}.", "我来列出 {path}。"),
    "list.here": ("this folder", "当前文件夹"),
    "list.found": ("{path} shows {folders} and {files}: {names}.", "{path}：{folders}、{files}，有 {names}。"),
    "count.files": ("{n} file|{n} files", "{n} 个文件"),
    "count.folders": ("{n} folder|{n} folders", "{n} 个文件夹"),
    "count.lines": ("{n} line|{n} lines", "{n} 行"),
    "list.empty": ("{path} is empty.", "{path} 是空的。"),
    "more": (" and {count} more", " 等，另有 {count} 项"),
    "find.before": ("I will look for files named `{pattern}`.", "我来查找名为 `{pattern}` 的文件。"),
    "find.found": ("{count} files match `{pattern}`: {names}.", "有 {count} 个文件符合 `{pattern}`：{names}。"),
    "find.one": ("One file matches `{pattern}`: {names}.", "有一个文件符合 `{pattern}`：{names}。"),
    "find.none": ("No file matches `{pattern}`.", "没有文件符合 `{pattern}`。"),
    "search.before": ("I will search for “{text}”{where}.", "我来搜索“{text}”{where}。"),
    "search.where": (" in {path}", "，范围是 {path}"),
    "search.found": ("“{text}” occurs {count} times in {files} files: {names}.", "“{text}”在 {files} 个文件中出现 {count} 次：{names}。"),
    "search.one_file": ("“{text}” occurs {count} times, all in {names}.", "“{text}”出现 {count} 次，都在 {names} 里。"),
    "search.once": ("“{text}” occurs once, in {names}.", "“{text}”出现一次，在 {names} 里。"),
    "search.none": ("“{text}” does not occur{where}.", "没有找到“{text}”{where}。"),
    # replace, write, run
    "replace.before": ("I read {path} first, to see where “{old}” stands.", "我先读取 {path}，看看“{old}”在哪里。"),
    "replace.edit": ("“{old}” stands there once. Now the change:", "“{old}”在那里出现一次。现在修改："),
    "replace.edit_all": ("“{old}” stands there {count} times. I replace all of them:", "“{old}”在那里出现 {count} 次，全部替换："),
    "replace.edit_unseen": ("“{old}” is not in the part I was shown, so I leave it to `edit` to find it:", "给我看到的部分里没有“{old}”，交给 `edit` 去找："),
    "replace.direct": ("`read` is not offered, so I change it without looking:", "没有提供 `read`，我直接修改："),
    "replace.again": ("{path} has changed since I read it. I read it again:", "{path} 在我读取之后变了。我重新读取："),
    "replace.absent": ("“{old}” does not stand in `{path}`, so there is nothing to replace.", "`{path}` 里没有“{old}”，没有可替换的内容。"),
    "replace.other_case": ("In other letter case it stands in line {line}: “{text}”.", "大小写不同的写法在第 {line} 行：“{text}”。"),
    "replace.same": ("Both texts are the same, so there is nothing to replace.", "两段文字相同，没有可替换的内容。"),
    "replace.done": (
        "Done: `{path}` now has “{new}” in place of “{old}”. The tool says: {line}",
        "完成：`{path}` 里的“{old}”已改成“{new}”。工具的回答：{line}",
    ),
    "replace.removed": ("Done: “{old}” is gone from `{path}`. The tool says: {line}", "完成：`{path}` 里的“{old}”已删除。工具的回答：{line}"),
    "write.before": ("I will write {path} ({count}).", "我来写入 {path}（{count}）。"),
    "write.read_first": ("{path} exists already and must be read before it is replaced:", "{path} 已经存在，替换之前必须先读取："),
    "write.again": ("Now I know what stands in {path}. Again:", "现在我知道 {path} 里有什么了。再来一次："),
    "write.done": ("Done: {line}", "完成：{line}"),
    "write.no_content": ("What should stand in {path}? For example: Write {path} with content: hello", "{path} 里要写什么？例如：写文件 {path}，内容是：你好"),
    "fetch.before": ("I will fetch {url}.", "我来获取 {url}。"),
    "fetch.moved": (
        "That page is at {url} now. That is another place, so I ask for it by a call of its own.",
        "这个页面现在在 {url}。那是另一个地方，所以我另发一个调用。",
    ),
    "fetch.done": ("{url} gave {lines} of text; it begins with “{start}”.", "{url} 返回了 {lines}文本，开头是“{start}”。"),
    "fetch.empty": ("{url} gave an empty page.", "{url} 返回的是空页面。"),
    "run.before": ("I will run this command:", "我来运行这个命令："),
    "run.description": ("Run the command the user asked for", "运行用户要求的命令"),
    "run.tests_before": ("I look at the folder first, to see how its tests are run.", "我先看看文件夹，判断怎样运行测试。"),
    "run.tests": ("{file} is here, so the tests should run with this command:", "这里有 {file}，测试应该这样运行："),
    "run.tests_description": ("Run the tests of this project", "运行这个项目的测试"),
    "run.tests_none": ("I see no sign of tests here that I know. Say “Run …” with the command itself.", "没有看到我认识的测试。请用“运行 …”直接说命令。"),
    "run.ok": ("The command ended well (exit code 0). {last}", "命令正常结束（退出码 0）。{last}"),
    "run.failed": ("The command ended with exit code {code}. {last}", "命令以退出码 {code} 结束。{last}"),
    "run.unknown": ("The command has ended. {last}", "命令已结束。{last}"),
    "run.last_line": ("Its last line: “{line}”", "最后一行：“{line}”"),
    "run.no_output": ("It printed nothing.", "没有输出。"),
    # calculator and clock
    "calculate.before": ("I will have {expression} calculated.", "我来计算 {expression}。"),
    "calculate.done": ("{expression} = {value}", "{expression} = {value}"),
    "time.before": ("I look at the clock.", "我来看看时间。"),
    "time.done": ("It is {value}.", "现在是 {value}。"),
}


ALL_PHRASES = {**PHRASES, **DRILL_PHRASES, **PROJECT_PHRASES}
"""Every sentence by its name: (English, Chinese)."""


class Phrases:
    """Says things in one language.

    Attributes:
        language: ``en`` or ``zh``.
    """

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def __call__(self, name: str, /, **values: object) -> str:
        """Return the sentence of that name, filled in."""
        pattern = ALL_PHRASES[name][self.language == "zh"]
        return pattern.format(**values) if values else pattern

    def counted(self, what: str, n: int) -> str:
        """Return a number with its noun: ``1 file``, ``2 files``, ``2 个文件``; `what` is files, folders or lines."""
        one, bar, many = self(f"count.{what}", n=n).partition("|")
        return many if bar and n != 1 else one

    def listed(self, names: list[str], at_most: int = 5, *, total: int | None = None) -> str:
        """Return names in code marks as one phrase, cut to `at_most`; `total` if there are more than are known by name."""
        shown = self("comma").join(code(name) for name in names[:at_most])
        left = (len(names) if total is None else total) - min(len(names), at_most)
        return shown + (self("more", count=left) if left > 0 and shown else "")


def code(text: str) -> str:
    """Return text as code in Markdown, whatever backticks it holds, on one line."""
    text = " ".join(text.split())
    fence = "`"
    while fence in text:
        fence += "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fenced(text: str, language: str = "") -> str:
    """Return text as a fenced block whose fence is longer than any in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def shortened(text: str, at_most: int = 80) -> str:
    """Return text on one line, cut with an ellipsis."""
    line = " ".join(text[: at_most * 4].split())
    return line if len(line) <= at_most else line[: at_most - 1].rstrip() + "…"
