"""Reads Chinese sentences into intents, by patterns. Words need no spaces between them, file names end where Chinese begins."""

from __future__ import annotations

import re

from workbench.practice.intents import (
    AskHelp,
    AskTime,
    AskWeather,
    AskWho,
    Calculate,
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
from workbench.practice.quoting import QUOTED, Quoted
from workbench.practice.topics import ARITHMETIC, YEAR_IN, clean_path, find_city, find_drill, looks_like_path, pattern_for, plain_expression, web_address

_POLITE = re.compile(
    r"(?:(?:请问|请|麻烦|劳驾|你好|您好|嗨|好的|好|那么|那|现在|然后|再|先|能不能|能否|可以|可不可以|你能|你可以|我想让你|我想|我要|帮我|帮忙|给我|替我|你|"
    r"一下)[，,！!\s]*)*"
)
_FILE = rf"(?:{QUOTED}|@?[^\s，。；：、“”]*?\.[A-Za-z0-9_]+(?![A-Za-z0-9_./])|@?[A-Za-z0-9_./\\~-]+)"
_PIECE = rf"(?:{QUOTED}|.+?)"
_INSIDE = r"(?:文件)?\s*+(?:里面|里边|中间|里|中|内|下面|下)?\s*+的?\s*+"
_SWAP = r"(?:全部|都|全)?\s*+(?:替换|更换|改写|修改|改|换)\s*+(?:成|为|作|做)\s*+"
_END = r"\s*+[。！!？?～~]*$"
_PROJECT = r"(?:项目|仓库|工程|代码库|代码|程序|文件夹|目录|工作区|软件|应用)"


def read_chinese(quoted: Quoted, text: str, *, only_writing: bool = False) -> Intent | None:
    """Return what a Chinese sentence asks; None when no pattern fits. Long texts are read only as something to write into a file."""
    text = text[_end_of_politeness(text) :]
    return next((intent for rule in ((_write_with,) if only_writing else _RULES) if (intent := rule(quoted, text)) is not None), None)


def _end_of_politeness(text: str) -> int:
    """Return where the request begins; short sentences that are nothing but such words are left whole."""
    found = _POLITE.match(text)
    end = found.end() if found else 0
    return end if re.search(r"\w", text[end:]) and not re.match(r"(?:你|您)(?:能|可以|会|是|好)", text) else 0


def _drill(_quoted: Quoted, text: str) -> Intent | None:
    found = re.match(r"(?:做|来|开始|进行)?(?:一个|一次|个)?\s*+(?:演练|演习|练习)\s*+[:：，,\-—]?\s*+(?P<rest>.*)", text)
    return find_drill(found["rest"]) if found else None


_REPLACE = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:把|将)\s*+(?:文件)?\s*+(?P<path>{_FILE})\s*+{_INSIDE}(?P<old>{_PIECE})\s*+{_SWAP}(?P<new>{QUOTED}|.+?){_END}",
        rf"(?:在|对)?\s*+(?:文件)?\s*+(?P<path>{_FILE})\s*+{_INSIDE}[，,]?\s*+(?:把|将)\s*+(?P<old>{_PIECE})\s*+{_SWAP}(?P<new>{QUOTED}|.+?){_END}",
        rf"用\s*+(?P<new>{_PIECE})\s*+(?:替换|替代|代替)(?:掉)?\s*+(?:文件)?\s*+(?P<path>{_FILE})\s*+{_INSIDE}(?P<old>{QUOTED}|.+?){_END}",
        rf"(?:把|将)\s*+(?P<old>{_PIECE})\s*+{_SWAP}(?P<new>{_PIECE})\s*+[，,]\s*+(?:在|文件(?:是|为)?)?\s*+(?P<path>{_FILE})\s*+(?:里面|里|中)?{_END}",
    )
)


def _replace(quoted: Quoted, text: str) -> Intent | None:
    for pattern in _REPLACE:
        found = pattern.match(text)
        if found and (quoted.is_quoted(found["path"]) or looks_like_path(found["path"])):
            return Replace(quoted.value(found["old"]), quoted.value(found["new"]), clean_path(quoted.value(found["path"])))
    return Unclear("replace") if re.match(rf"(?:把|将).*{_SWAP}|替换", text) else None


_RUN = re.compile(r"(?:(?:运行|执行|跑)(?:一下|一遍)?(?:这个|下面的|以下)?(?:shell)?(?:命令|指令)?\s*+[:：]?\s*+|[$!]\s*+)(?P<command>.+)", re.DOTALL)
_TESTS = re.compile(rf"(?:运行|执行|跑|做)?(?:一下|一遍)?(?:所有|全部|全|项目|这个项目)?(?:的)?(?:单元)?测试(?:套件|用例)?{_END}")


def _run(quoted: Quoted, text: str) -> Intent | None:
    if _TESTS.match(text):
        return RunTests()
    found = _RUN.match(text)
    if found is None or re.match(rf"(?:这个|该|本)?{_PROJECT}{_END}", found["command"]):
        return None
    return RunCommand(quoted.value(re.sub(r"\s*+[。！]+$", "", found["command"])))


_CONTENT = r"[，,、；;]?\s*+(?:文件)?(?:里面|里|其)?(?:写(?:上|入|着)?|内容|正文)[ \t]*+(?:是|为|如下|写)?[ \t]*+[:：]?[ \t]*+\n?"
_WRITE_WITH = re.compile(
    rf"(?:写(?:入|个|一个|到)?|新建|创建|建立?|生成|保存)\s*+(?:一个|个|新的?|文本|文件|名为|叫做?)*\s*+(?P<path>{_FILE})\s*+(?:的?文件)?\s*+"
    rf"(?:{_CONTENT}|[:：]"
    r"[ \t]*+\n?)(?P<content>.+)",
    re.DOTALL)
_WRITE_TO = re.compile(
    rf"(?:(?:把|将)\s*+(?P<content>{_PIECE})\s*+(?:写|保存|存|放)\s*+(?:入|到|进|在)?|在)\s*+(?:文件)?\s*+(?P<path>{_FILE})\s*+(?:文件)?(?:里面|里|中)?(?:写"
    rf"(?:入|上)?\s*+[:：]?\s*+(?P<late>{QUOTED}|.+?))?{_END}"
)
_WRITE_BARE = re.compile(
    rf"(?:写(?:入|个|一个)?|新建|创建|建立?|生成)\s*+(?:一个|个|新的?)*\s*+(?P<empty>空的?|空白的?)?\s*+(?:文本|文件|名为|叫做?)*\s*+(?P<path>{_FILE})\s*+"
    rf"(?:文件)?{_END}"
)


def _write_with(quoted: Quoted, text: str) -> Intent | None:
    found = _WRITE_WITH.match(text)
    if found and _is_file(quoted, found["path"]):
        return WriteFile(clean_path(quoted.value(found["path"])), quoted.content(found["content"]))
    return None


def _write(quoted: Quoted, text: str) -> Intent | None:
    if intent := _write_with(quoted, text):
        return intent
    found = _WRITE_TO.match(text)
    content = (found["content"] or found["late"]) if found else None
    if found and content and _is_file(quoted, found["path"]):
        return WriteFile(clean_path(quoted.value(found["path"])), quoted.content(content))
    found = _WRITE_BARE.match(text)
    if found and _is_file(quoted, found["path"]):
        return WriteFile(clean_path(quoted.value(found["path"])), "" if found["empty"] else None)
    return None


def _is_file(quoted: Quoted, piece: str) -> bool:
    return quoted.is_quoted(piece) or looks_like_path(clean_path(piece))


_SEARCH_IN = re.compile(
    rf"(?:在|从)\s*+(?:文件夹|目录|文件)?\s*+(?P<path>{_FILE}|(?:整个|所有|全部|这个)?(?:{_PROJECT}|文件|地方))\s*+(?:里面|里|中|内|下面|下)?\s*+"
    rf"(?:搜索|搜寻|搜|查找|寻找|找)(?:一下|出)?\s*+(?:文本|文字|字符串|关键字|关键词)?\s*+(?P<text>{QUOTED}|.+?){_END}"
)
_SEARCH = re.compile(rf"(?:搜索|搜寻|搜|检索)(?:一下|出)?\s*+(?:文本|文字|字符串|关键字|关键词)?\s*+(?P<text>{QUOTED}|.+?){_END}")
_WHERE = re.compile(
    r"(?:哪里|哪儿|哪些地方|哪个文件|哪些文件|什么地方)(?:里|中)?\s*+(?:用到|用|使用|提到|出现|定义|包含|调用|有|写)(?:了|到|过)*\s*+"
    rf"(?P<text>{QUOTED}|.+?){_END}"
)
_WHERE_2 = re.compile(
    rf"(?P<text>{QUOTED}|[^\s，]+?)\s*+(?:在|是在)\s*+(?:哪里|哪儿|什么地方|哪个文件|哪些文件)(?:里|中)?\s*+(?:用到|使用|提到|出现|定义|调用)?(?:的|了)?{_END}"
)
_FIND = re.compile(
    rf"(?:查找|寻找|找|列出)(?:一下|出|到)?\s*+(?:所有|全部|一切)?\s*+(?:的)?\s*+(?:名为|叫做?|匹配)?\s*+(?:文件)?\s*+(?P<pattern>{QUOTED}|[^\s，。？！]+?)\s*+"
    rf"(?:的?\s*+文件)?{_END}"
)
_FIND_IN = re.compile(
    rf"(?:在|从)\s*+(?P<path>{_FILE})\s*+(?:文件夹|目录)?\s*+(?:里面|里|中|下面|下)?\s*+(?:查找|寻找|找)(?:出|到)?\s*+(?:所有|全部)?\s*+(?:的)?\s*+"
    rf"(?P<pattern>[^\s，。？！]*[*?][^\s，。？！]*?)\s*+(?:的?\s*+文件)?{_END}"
)
_LINES = r"(?:的?\s*+第?\s*+(?P<first>\d{1,9})\s*+(?:行?\s*+(?:到|至|-|–|~)\s*+第?\s*+(?P<last>\d{1,9}))?\s*+行)"
_READ = re.compile(
    rf"(?P<verb>阅读|读取|读|看看|看一看|看|查看|打开|显示|展示|输出)(?:一下|一读|下)?\s*+(?:文件)?\s*+(?P<paths>{_FILE}(?:\s*+(?:、|，|,|和|与|以及|及)"
    rf"\s*+{_FILE})*)\s*+(?:这个|这些|两个)?(?:文件)?\s*+{_LINES}?\s*+(?:的?(?:全部|所有)?(?:内容|源码|源代码|代码|文本|正文))?{_END}"
)
_LIST = re.compile(
    rf"(?:列出|列一下|列|显示|查看|看看|看一下|看|打开)(?:一下|下)?\s*+(?:目录|文件夹)?\s*+(?P<path>{_FILE}|(?:当前|这个|本|该|整个|项目)*"
    rf"(?:{_PROJECT}|根目录))?\s*+(?:目录|文件夹)?\s*+(?:里面|里|中|下面|下)?\s*+(?:有哪些|有什么|的)?\s*+(?:所有|全部)?(?:的)?\s*+"
    rf"(?:文件和文件夹|文件和目录|文件|目录结构|目录|内容|东西|结构)?{_END}"
)
_WHATS_IN = re.compile(
    rf"(?P<path>{_FILE}|(?:当前|这个|本|该|项目)*(?:{_PROJECT}|根目录|这里))?\s*+(?:目录|文件夹)?\s*+(?:里面|里|中|下面|下)?\s*+(?:都)?有\s*+"
    rf"(?:哪些|什么|些什么)\s*+(?:文件|内容|东西|目录)?{_END}"
)


def _work_on_files(quoted: Quoted, text: str) -> Intent | None:
    """Read, list, find, search: the more particular pattern first."""
    return _find_in(quoted, text) or _search(quoted, text) or _list(quoted, text) or _read(quoted, text) or _find(quoted, text)


def _find_in(quoted: Quoted, text: str) -> Intent | None:
    found = _FIND_IN.match(text)
    return FindFiles(pattern_for(quoted.value(found["pattern"]), quoted.value(found["path"]))) if found else None


def _search(quoted: Quoted, text: str) -> Intent | None:
    for pattern in (_SEARCH_IN, _SEARCH, _WHERE, _WHERE_2):
        if found := pattern.match(text):
            path = quoted.value(found.groupdict().get("path") or "")
            return SearchText(quoted.value(found["text"]), "" if _means_here(path) else clean_path(path))
    return None


def _means_here(path: str) -> bool:
    return not path or bool(re.fullmatch(rf"(?:当前|这个|本|该|整个|所有|全部|项目)*(?:{_PROJECT}|根目录|文件|地方|这里)", path))


def _list(quoted: Quoted, text: str) -> Intent | None:
    found = _LIST.match(text) or _WHATS_IN.match(text)
    if found is None:
        return None
    path = quoted.value(found["path"] or "")
    if _means_here(path):
        return ListFolder()
    reads = re.match(r"显示|查看|看|打开", text) and not path.endswith("/") and not re.search(r"目录|文件夹|有哪些|有什么|结构", text)
    return None if reads else ListFolder(clean_path(path))


def _read(quoted: Quoted, text: str) -> Intent | None:
    found = _READ.match(text)
    if found is None:
        return None
    pieces = re.findall(_FILE, found["paths"])
    paths = tuple(clean_path(quoted.value(piece)) for piece in pieces)
    first, last = found["first"], found["last"]
    return ReadFiles(paths, int(first) if first else None, max(1, int(last or first) - int(first) + 1) if first else None)


def _find(quoted: Quoted, text: str) -> Intent | None:
    found = _FIND.match(text)
    if found is None:
        return None
    word = quoted.value(found["pattern"])
    if quoted.is_quoted(found["pattern"]) and not re.search(r"[*?/]|\.\w", word):
        return SearchText(word)
    return FindFiles(pattern_for(word))


_INTRODUCE = re.compile(
    rf"(?:简单|详细|大致)?(?:地)?(?:介绍|说明|讲解|讲讲|讲|概述|概括|总结|描述|解释|说说|了解|分析)(?:一下|下)?.{{0,8}}{_PROJECT}"
    rf"|(?:这|本|该|这个|当前)(?:个)?{_PROJECT}.{{0,4}}(?:是|做|干|有什么用|用来).{{0,12}}|这是(?:个|一个)?(?:什么|啥){_PROJECT}|这里是(?:什么|做什么)|"
    rf"(?:项目|整体)?(?:介绍|概览|概述){_END}"
)


def _introduce(_quoted: Quoted, text: str) -> Intent | None:
    return Introduce() if _INTRODUCE.match(text) else None


_CITY_BEFORE = re.compile(
    r"(?P<city>[\u4e00-\u9fff]{2,7}?|[A-Za-z][A-Za-z .'-]{1,30}?)\s*+(?:市)?(?:的|今天|明天|后天|现在|今晚|当前|会|有)*(?:天气|气温|温度|下雨|雨)"
)
_WORDS_BEFORE_CITY = re.compile(r"^(?:今天|明天|后天|现在|今晚|当前|查询|查一下|查查|查|看看|看一下|问一下|告诉我|想知道|知道|的)+")


def _weather(_quoted: Quoted, text: str) -> Intent | None:
    if not re.search(r"天气|气温|下雨|有雨", text):
        return None
    city = find_city(text)
    if not city and (found := _CITY_BEFORE.search(_WORDS_BEFORE_CITY.sub("", text))):
        city = _WORDS_BEFORE_CITY.sub("", found["city"]).strip()
    if not city:
        return Unclear("weather")
    day = re.search(r"今天|明天|后天|今晚|现在", text)
    expression, unit = _follow_up(text) if re.search(r"(?:如果|若|要是|假如).{0,6}雨", text) else ("", "")
    return AskWeather(city, day[0] if day else "", expression, unit)


def _follow_up(text: str) -> tuple[str, str]:
    """Return what a sentence wants calculated: the expression, and the unit of time in a year if that is what it is about."""
    if year := re.search(r"一年.{0,6}(小时|分钟|秒|天)", text):
        return YEAR_IN[year[1]], year[1]
    found = re.search(ARITHMETIC, text)
    return (plain_expression(found[0]), "") if found else ("", "")


_FETCH = re.compile(
    r"(?:(?P<certain>获取|抓取|下载|访问|浏览|拉取)|打开|读取|阅读|读|看看|看一下|看|查看|总结)?(?:一下|下)?\s*+(?:这个|该)?"
    rf"(?P<page>网页|网站|网址|地址|页面|链接)?\s*+[:：]?\s*+(?P<url>{QUOTED}|[!-~]+)\s*+(?:这个|该)?(?:网页|网站|网址|地址|页面|链接)?(?:的?(?:全部)?内容)?{_END}"
)


def _fetch(quoted: Quoted, text: str) -> Intent | None:
    found = _FETCH.match(text)
    if found is None:
        return None
    url = web_address(quoted.value(found["url"]), certain=bool(found["certain"] or found["page"]))
    return FetchPage(url) if url else None


_CALCULATE = re.compile(rf"(?:计算|算|求)?(?:一下|下)?\s*+(?P<expression>{ARITHMETIC})\s*+(?:等于|是|=)?\s*+(?:多少|几|什么)?{_END}")
_HOW_MANY = re.compile(r"(?:计算|算)?(?:一下|下)?\s*+一年.{0,6}多少个?(?P<unit>小时|分钟|秒|天)")


def _calculate(_quoted: Quoted, text: str) -> Intent | None:
    if many := _HOW_MANY.match(text):
        return Calculate(YEAR_IN[many["unit"]])
    found = _CALCULATE.match(text)
    return Calculate(expression) if found and (expression := plain_expression(found["expression"])) else None


_SHORT: tuple[tuple[re.Pattern[str], Intent], ...] = (
    (re.compile(r"(?:现在|当前|今天)?(?:是)?(?:几点|什么时间|几号|星期几|日期|时间是?)"), AskTime()),
    (re.compile(
        r"(?:你|您)(?:都|还)?(?:能|会|可以)(?:做|干|帮)?.{0,4}(?:什么|啥|哪些)|帮助|怎么用|使用(?:说明|帮助)|有什么功能|示例|例子|命令列表|如何使用"
    ), AskHelp()),
    (re.compile(r"(?:你|您)(?:是|叫|到底是)|介绍(?:一下)?(?:你|您)?自己|自我介绍|(?:你|您)好|嗨|哈喽|您?早上?好|什么模型"), AskWho()),
    (re.compile(rf"(?:谢谢|多谢|感谢|辛苦了|很好|太好了|不错|好的|真棒|棒|好){_END}|谢谢"), Thank()),
    (re.compile(rf"(?:继续|接着(?:来|做)?|再来(?:一次|一遍)?|再试(?:一次|一遍)?|重试|重来|往下){_END}"), GoOn()),
)  # fmt: skip


def _short(_quoted: Quoted, text: str) -> Intent | None:
    return next((intent for pattern, intent in _SHORT if pattern.match(text)), None)


_RULES = (_drill, _short, _replace, _run, _write, _calculate, _fetch, _work_on_files, _introduce, _weather)
