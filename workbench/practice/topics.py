"""What both languages share in reading sentences: file names, kinds of files, cities, arithmetic, and the words for drills."""

from __future__ import annotations

import re

from workbench.practice.intents import Drill, DrillKind

_FILES_WITHOUT_DOT = {"makefile", "dockerfile", "license", "licence", "readme", "changelog", "authors", "notice", "procfile", "gemfile", "justfile"}

KINDS_OF_FILES = {
    "python": "*.py", "markdown": "*.md", "text": "*.txt", "javascript": "*.js", "typescript": "*.ts", "rust": "*.rs", "go": "*.go", "java": "*.java",
    "html": "*.html", "css": "*.css", "json": "*.json", "yaml": "*.{yml,yaml}", "toml": "*.toml", "csv": "*.csv", "shell": "*.sh", "c++": "*.{cpp,hpp,cc,h}",
    "test": "*test*", "tests": "*test*", "测试": "*test*", "文本": "*.txt", "图片": "*.{png,jpg,jpeg,gif,svg,webp}", "image": "*.{png,jpg,jpeg,gif,svg,webp}",
}  # fmt: skip

CITIES = {
    "上海": "Shanghai", "北京": "Beijing", "广州": "Guangzhou", "深圳": "Shenzhen", "杭州": "Hangzhou", "成都": "Chengdu", "重庆": "Chongqing", "西安": "Xi'an",
    "南京": "Nanjing", "武汉": "Wuhan", "天津": "Tianjin", "苏州": "Suzhou", "香港": "Hong Kong", "台北": "Taipei", "东京": "Tokyo", "首尔": "Seoul",
    "新加坡": "Singapore", "曼谷": "Bangkok", "悉尼": "Sydney", "巴黎": "Paris", "伦敦": "London", "柏林": "Berlin", "马德里": "Madrid", "罗马": "Rome",
    "莫斯科": "Moscow", "纽约": "New York", "旧金山": "San Francisco", "洛杉矶": "Los Angeles", "芝加哥": "Chicago", "西雅图": "Seattle", "多伦多": "Toronto",
    "开罗": "Cairo", "孟买": "Mumbai", "德里": "Delhi", "迪拜": "Dubai", "圣保罗": "São Paulo", "墨西哥城": "Mexico City", "内罗毕": "Nairobi",
}  # fmt: skip
"""Cities as Chinese and English write them. Others are taken as the sentence gives them; the tool decides which it knows."""

YEAR_IN = {
    "hours": "365 * 24", "minutes": "365 * 24 * 60", "seconds": "365 * 24 * 60 * 60", "days": "365 * 1",
    "小时": "365 * 24", "分钟": "365 * 24 * 60", "秒": "365 * 24 * 60 * 60", "天": "365 * 1",
}  # fmt: skip

ARITHMETIC = r"[\d(][\d\s.+\-*/%()^×÷]*[\d)]"

_BARE_HOST = re.compile(r"(?:(?:[\w-]+\.)+(?P<ending>[a-z]{2,24})|localhost|\d{1,3}(?:\.\d{1,3}){3})(?P<rest>(?::\d{1,5})?(?:/\S*)?)", re.IGNORECASE)
_ENDINGS_OF_FILES = {"md", "txt", "py", "js", "ts", "json", "toml", "yaml", "yml", "html", "css", "csv", "sh", "rs", "go", "cfg", "ini", "xml", "log", "lock"}

_DRILLS: tuple[tuple[DrillKind, str], ...] = (
    ("rate_limit", r"rate.?limit|too many requests|\b429\b|限流|限速|频率"),
    ("overloaded", r"overload|\b5[02][39]\b|busy|过载|繁忙"),
    ("cut_call", r"cut.{0,12}(call|argument)|(call|argument).{0,12}cut|(参数|调用).{0,4}(中断|断|截)|(中断|断|截).{0,4}(参数|调用)"),
    ("broken_arguments", r"(broken|bad|invalid|malformed).?(argument|json)|(坏|错误|损坏|非法|无效)的?(参数|json)|参数.{0,2}(损坏|错误|坏)"),
    ("unknown_tool", r"(unknown|missing|no such).?tool|未知工具|不存在的工具"),
    ("broken_history", r"(broken|bad|invalid|damaged).?(history|conversation)|history|历史"),
    ("endless_loop", r"loop|endless|infinite|循环|没完没了"),
    ("slow_first_token", r"slow|latency|wait|慢|等待|首字"),
    ("error_inside", r"error.{0,8}(inside|in|mid|within|stream)|stream.?error|流(内|中|里).{0,2}(错误|出错|报错)|错误流"),
    ("cut_stream", r"cut|drop|disconnect|broken.?stream|断流|中断|断开|断线|截断"),
)
_SECONDS = re.compile(r"(\d+(?:\.\d+)?)\s*(?:s|sec|secs|seconds?|秒)(?![a-z])", re.IGNORECASE)


def looks_like_path(text: str) -> bool:
    """Say whether a word can be a file or folder: it has a dot or a slash, or is a well-known name such as Makefile."""
    bare = text.strip().lstrip("@")
    return bool(re.search(r"[./\\]\w|\w[./\\]|^\.{1,2}$|^/$", bare)) or bare.lower() in _FILES_WITHOUT_DOT


def clean_path(text: str) -> str:
    """Return a path without the ``@`` of a mention and the punctuation of the sentence around it."""
    bare = text.strip().lstrip("@").rstrip(",;:!?，。；：！？、")
    return bare[:-1] if bare.endswith(".") and bare.strip("./") else bare


def web_address(word: str, *, certain: bool) -> str:
    """Return the address of a page that a word means; empty if it means none.

    Args:
        word: as it stands in the sentence.
        certain: the sentence can only be about the web, so that a bare host such as ``docs.python.org`` is one, too.
    """
    word = word.strip().rstrip(".,;:!?，。；：！？、").removeprefix("<").removesuffix(">")
    if re.fullmatch(r"https?://[^\s/]\S*", word, re.IGNORECASE):
        return word
    found = _BARE_HOST.fullmatch(word) if certain else None
    if found is None or (found["ending"] and found["ending"].lower() in _ENDINGS_OF_FILES and not found["rest"]):
        return ""
    return f"{'https' if found['ending'] else 'http'}://{word}"


def pattern_for(word: str, folder: str = "") -> str:
    """Return the glob pattern that a word means: a pattern or file name as it is, a kind of files, else a part of a name."""
    word = clean_path(word)
    if word.lower() in KINDS_OF_FILES:
        word = KINDS_OF_FILES[word.lower()]
    elif not re.search(r"[*?\[{./]", word) and not looks_like_path(word):
        word = f"*{word}*"
    folder = clean_path(folder).strip("/")
    return f"{folder}/**/{word}" if folder and folder != "." else word


def find_city(sentence: str) -> str:
    """Return the known city that a sentence names, spelled as there; empty if there is none."""
    for chinese, english in CITIES.items():
        if chinese in sentence:
            return chinese
        if found := re.search(rf"\b{re.escape(english)}\b", sentence, re.IGNORECASE):
            return english if found[0].islower() else found[0]
    return ""


def plain_expression(text: str) -> str:
    """Return arithmetic with the signs of a keyboard; empty when the text holds no operator between numbers."""
    text = text.strip().replace("×", "*").replace("÷", "/").replace("^", "**").rstrip("=").strip()
    return text if re.search(r"[\d)]\s*[-+*/%]{1,2}\s*[\d(-]", text) else ""


def find_drill(words: str) -> Drill:
    """Return the drill that the words behind "drill" name; kind ``unknown`` when they name none."""
    seconds = _SECONDS.search(words)
    amount = float(seconds[1]) if seconds else None
    for kind, pattern in _DRILLS:
        if re.search(pattern, words, re.IGNORECASE):
            return Drill(kind, amount)
    return Drill("unknown", amount)
