"""Reads English sentences into intents, by patterns: verbs first, then what the sentence is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

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

Match: TypeAlias = "re.Match[str]"
Rule: TypeAlias = Callable[[Quoted, str], Intent | None]

_POLITE = re.compile(
    r"(?:(?:please|pls|hi|hello|hey|ok|okay|now|then|and|also|so|first|next)[,!.]?\s++)*"
    r"(?:(?:can|could|would|will) you\s++|i(?: want| need|'d like| would like) you to\s++|i (?:want|need) to\s++|let(?:'s| us)\s++|help me\s++(?:to\s++)?)?"
    r"(?:please\s++)?",
    re.IGNORECASE,
)
_PATH = rf"(?:{QUOTED}|@?[^\s,;]+)"
_PIECE = rf"(?:{QUOTED}|.+?)"
_PROJECT = r"(?:project|repo|repository|code ?base|code|program|package|workspace|folder|directory|app|application|library)"
_HERE = {"here", "this", "it", "project", "folder", "directory", "repository", "repo", "workspace", "everything", "all", "files", "there", "root"}
_EVERYWHERE = _HERE | {"everywhere", "code", "codebase"}


def read_english(quoted: Quoted, text: str, *, only_writing: bool = False) -> Intent | None:
    """Return what an English sentence asks; None when no pattern fits. Long texts are read only as something to write into a file."""
    text = text[_end_of_politeness(text) :]
    return next((intent for rule in ((_write_with,) if only_writing else _RULES) if (intent := rule(quoted, text)) is not None), None)


def _end_of_politeness(text: str) -> int:
    found = _POLITE.match(text)
    return found.end() if found else 0


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_DRILL = _compiled(r"(?:(?:do|run|start|show)\s++(?:me\s++)?(?:a|the)\s++)?drill\b[\s:：,\-–]*(?P<rest>.*)|(?P<front>[\w ]{2,40}) drill[.!]?$")


def _drill(_quoted: Quoted, text: str) -> Intent | None:
    found = _DRILL.match(text)
    return find_drill(found["rest"] if found["rest"] is not None else found["front"]) if found else None


_WRITE_WITH = re.compile(
    rf"(?:write|create|make|save|add)(?: me)?(?: an?| the)?(?: new)?(?: text)?(?: file)?(?: called| named)?\s++(?P<path>{QUOTED}|@?[^\s,:]+)(?: file)?,?\s*+"
    r"(?:(?:with|containing|that (?:says|contains|holds)|saying)(?: the)?(?: following)?(?: contents?| text| words?| lines?)?|contents?|:)\s*+"
    r"(?::|is\b)?[ \t]*\n?(?P<content>.*)",
    re.IGNORECASE | re.DOTALL,
)
_WRITE_TO = _compiled(
    rf"(?:write|save|put)\s++(?:the (?:text|words?|line)\s++)?(?P<content>{_PIECE})\s++(?:to|into|in)\s++(?:the\s++|a\s++)?(?:new\s++)?(?:file\s++)?"
    rf"(?P<path>{_PATH})$"
)
_WRITE_BARE = _compiled(rf"(?:write|create|make)(?: an?| the)?(?: new)?(?P<empty> empty)?(?: text)?(?: file)?(?: called| named)?\s++(?P<path>{_PATH})$")


def _write_with(quoted: Quoted, text: str) -> Intent | None:
    return _content_of(quoted, _WRITE_WITH.match(text))


def _content_of(quoted: Quoted, found: Match | None) -> Intent | None:
    if found and (path := _named_file(quoted, found["path"])):
        return WriteFile(path, quoted.content(found["content"]))
    return None


def _write(quoted: Quoted, text: str) -> Intent | None:
    if intent := _write_with(quoted, text) or _content_of(quoted, _WRITE_TO.match(text)):
        return intent
    bare = _WRITE_BARE.match(text)
    if bare and (path := _named_file(quoted, bare["path"])):
        return WriteFile(path, "" if bare["empty"] else None)
    return None


def _named_file(quoted: Quoted, piece: str) -> str:
    """Return a cleaned path if a piece can be one, else an empty text."""
    path = clean_path(quoted.value(piece))
    return path if quoted.is_quoted(piece) or looks_like_path(path) else ""


_REPLACE = _compiled(
    r"(?:replace|substitute|change|swap)(?: all| every| each)?(?: occurrences? of)?(?: the (?:text|word|words|string|line))?\s++"
    rf"(?P<old>{_PIECE})\s++(?:with|by|to|into|for)\s++(?P<new>{_PIECE})\s++(?:everywhere\s++)?(?:in|inside|within)\s++(?:the\s++)?(?:file\s++)?"
    rf"(?P<path>{_PATH})$"
)
_REPLACE_IN = _compiled(
    rf"in\s++(?:the\s++)?(?:file\s++)?(?P<path>{_PATH}),?\s++(?:please\s++)?(?:replace|substitute|change|swap)(?: all| every)?(?: occurrences? of)?\s++"
    rf"(?P<old>{_PIECE})\s++(?:with|by|to|into|for)\s++(?P<new>{QUOTED}|.+)$"
)


def _replace(quoted: Quoted, text: str) -> Intent | None:
    found = _REPLACE.match(text) or _REPLACE_IN.match(text)
    if found:
        return Replace(quoted.value(found["old"]), quoted.value(found["new"]), clean_path(quoted.value(found["path"])))
    return Unclear("replace") if re.match(r"(?:replace|substitute)\b", text, re.IGNORECASE) else None


_RUN = re.compile(
    r"(?:(?:run|execute|exec)(?:\s++the)?(?:\s++(?:shell|bash))?(?:\s++command)?(?:\s*+:\s*+|\s++)|[$!]\s*+)(?P<command>.+)",
    re.IGNORECASE | re.DOTALL)
_TESTS = _compiled(
    r"(?:(?:run|execute|start)\s++)?(?:all\s++)?(?:the\s++|its\s++|our\s++|my\s++)?(?:project'?s?\s++)?(?:unit\s*+)?tests?(?:\s++suite)?[.!]?$|"
    r"(?:run|execute)\s++the"
    r"\s++(?:test\s++)?suite[.!]?$"
)


def _run(quoted: Quoted, text: str) -> Intent | None:
    if _TESTS.match(text):
        return RunTests()
    found = _RUN.match(text)
    if found is None or re.match(r"(?:this|that|it|my|your)\b", found["command"], re.IGNORECASE):
        return None
    return RunCommand(quoted.value(found["command"]))


_SEARCH_WHAT = r"(?:search|grep|look|scan)(?:\s++for)?(?:\s++the)?(?:\s++(?:text|words?|string|phrase|pattern))?"
_SEARCH_IN = _compiled(
    rf"(?:{_SEARCH_WHAT}|find(?=\s++{QUOTED}))\s++(?P<text>{_PIECE})\s++(?:in|inside|within|under|through)\s++(?:all\s++)?(?:the\s++|this\s++)?(?:"
    rf"(?:folder|directory|file)\s++)?(?P<path>{_PATH})$"
)
_SEARCH_FOR = _compiled(rf"(?:search|grep|scan|look through)\s++(?:in\s++)?(?:all\s++)?(?:the\s++|this\s++)?(?P<path>{_PATH})\s++for\s++(?P<text>.+)$")
_SEARCH = _compiled(rf"{_SEARCH_WHAT}\s++(?P<text>.+)$")
_WHERE = _compiled(
    rf"(?:where|which files?)\s++(?:is|are|does|do|uses?|contains?|mentions?)\s++(?:the\s++)?(?P<text>{QUOTED}|\S+?)(?:\s++"
    r"(?:used|defined|called|mentioned|set|found|stand|appear|occur))*\??$"
)

_WHERE_IS = _compiled(
    rf"(?:find\s++(?:out\s++)?|show\s++me\s++)?where\s++(?:the\s++)?(?P<text>{QUOTED}|\S+?)\s++(?:is|are|gets?)\s++"
    r"(?:used|defined|called|mentioned|set|found)\??$"
)


def _search(quoted: Quoted, text: str) -> Intent | None:
    if re.match(r"look\s++at\b", text, re.IGNORECASE):
        return None
    text = text.rstrip("?!").rstrip()
    for pattern in (_SEARCH_FOR, _SEARCH_IN, _SEARCH, _WHERE, _WHERE_IS):
        if found := pattern.match(text):
            path = clean_path(quoted.value(found.groupdict().get("path") or ""))
            return SearchText(quoted.value(found["text"]), "" if path.lower() in _EVERYWHERE else path)
    return None


_FIND = _compiled(
    r"(?:find|locate|glob)(?:\s++me)?(?:\s++(?:all|every|any|the))*(?:\s++files?(?=\s))?(?:\s++(?:named|called|matching|like|ending in|with))?\s++"
    rf"(?P<pattern>{_PATH})"
    rf"(?:\s++files?)?(?:\s++(?:in|under|inside)\s++(?:the\s++)?(?P<path>{_PATH}))?(?:\s++folder)?$"
)


def _find(quoted: Quoted, text: str) -> Intent | None:
    found = _FIND.match(text.rstrip("?!").rstrip())
    if found is None:
        return None
    word, path = quoted.value(found["pattern"]), quoted.value(found["path"] or "")
    if quoted.is_quoted(found["pattern"]) and not re.search(r"[*?/]|\.\w", word):
        return SearchText(word, path)
    return FindFiles(pattern_for(word, "" if path.lower() in _HERE else path))


_LINES = r"(?:lines?\s++(?P<{0}first>\d+)(?:\s*+(?:-|–|to|through|and)\s*+(?P<{0}last>\d+))?)"
_READ = _compiled(
    r"(?P<verb>read|cat|show|open|print|view|display|look at|see)(?:\s++(?:me|us))?(?:\s++the)?"
    rf"(?:\s++{_LINES.format('a')}\s++(?:of|in|from))?(?:\s++(?:contents?|text|source|files?)(?:\s++of)?)?(?:\s++the)?(?:\s++files?)?\s++"
    rf"(?P<paths>{_PATH}(?:(?:\s*+,\s*+and\s++|\s*+,\s*+|\s++and\s++){_PATH})*)(?:,?\s++(?:from\s++)?{_LINES.format('b')})?$"
)


def _read(quoted: Quoted, text: str) -> Intent | None:
    found = _READ.match(text.rstrip("?!").rstrip())
    if found is None:
        return None
    pieces = [piece for piece in re.split(r"\s*+,\s*+(?:and\s++)?|\s++and\s++", found["paths"]) if piece]
    paths = [clean_path(quoted.value(piece)) for piece in pieces]
    certain = all(quoted.is_quoted(piece) or looks_like_path(path) for piece, path in zip(pieces, paths, strict=True))
    if not certain and not (found["verb"].lower() in ("read", "cat") and len(paths) == 1 and paths[0].lower() not in _HERE):
        return None
    if len(paths) == 1 and paths[0].endswith("/"):
        return ListFolder(paths[0])
    return ReadFiles(tuple(paths), *_lines(found["afirst"] or found["bfirst"], found["alast"] or found["blast"]))


def _lines(first: str | None, last: str | None) -> tuple[int | None, int | None]:
    """Return offset and limit for the lines a sentence names; digits beyond any file count as not named."""
    if first is None or len(first) > 9 or (last is not None and len(last) > 9):
        return None, None
    return int(first), max(1, int(last or first) - int(first) + 1)


_LIST = _compiled(
    r"(?:list|ls|dir|show|tree)(?:\s++(?:me|us))?(?:\s++all)?(?:\s++(?:the|my|these|this))?(?:\s++(?:files?|contents?|folders?|director"
    r"(?:y|ies)|everything|tree))?(?:\s++and\s++(?:folders|directories))?"
    rf"(?:\s++(?:in|of|under|inside|from))?(?:\s++(?:the|this))?(?:\s++(?:folder|directory))?(?:\s++(?P<path>{_PATH}))?(?:\s++(?:folder|directory))?$"
)
_WHATS_IN = _compiled(
    rf"what(?:'s| is| files are(?: there)?| do we have)\s++(?:in|inside)\s++(?:the\s++|this\s++)?(?:folder\s++|directory\s++)?(?P<path>{_PATH})(?:\s++"
    r"(?:folder|directory))?$|what files are (?:here|there)$"
)


def _list(quoted: Quoted, text: str) -> Intent | None:
    text = text.rstrip("?!. ") if not text.rstrip().endswith(" .") else text
    found = _LIST.match(text) or _WHATS_IN.match(text)
    if found is None:
        return None
    path = clean_path(quoted.value(found["path"] or ""))
    if path and text.lower().startswith("show") and not path.endswith("/") and path.lower() not in _HERE:
        return None
    return ListFolder("." if not path or path.lower() in _HERE else path)


_INTRODUCE = _compiled(
    rf"(?:introduce|describe|explain|summari[sz]e|present)\b.{{0,40}}\b{_PROJECT}\b"
    rf"|(?:tell|give|show)\s++(?:me|us)\b.{{0,30}}\b(?:about|overview|introduction|summary|tour|around)\b.{{0,20}}(?:\b{_PROJECT}\b|$)"
    rf"|what\b.{{0,20}}\b(?:this|the|my)\s++(?:\w+\s++)?{_PROJECT}\b"
    rf"|(?:an?\s++)?(?:overview|introduction|summary|tour)(?:\s++of\b.{{0,30}})?[.!]?$|what is this(?: here)?\??$|introduce it[.!]?$"
)


def _introduce(_quoted: Quoted, text: str) -> Intent | None:
    return Introduce() if _INTRODUCE.match(text) else None


_WEATHER = _compiled(r"\b(?:weather|forecast)\b|\b(?:will|does|is)\s++it\s++(?:going to\s++)?rain|\bhow (?:warm|cold|hot) is it\b")
_IN_CITY = re.compile(r"\b(?:in|for|at|of)\s++((?:[A-Z][\w.'-]*)(?:\s[A-Z][\w.'-]*){0,3})")
_IF_RAIN = _compiled(r"\b(?:if|when|should)\b.{0,20}\brain")
_YEAR = _compiled(r"\b(hours|minutes|seconds|days)\b.{0,30}\b(?:a|one|per|each)\s++year\b")


def _weather(quoted: Quoted, text: str) -> Intent | None:
    if not _WEATHER.search(text):
        return None
    city = find_city(text)
    if not city and (found := _IN_CITY.search(quoted.back(text))):
        city = re.sub(r"\s++(?:Today|Tomorrow|Now)$", "", found[1])
    if not city:
        return Unclear("weather")
    day = re.search(r"\b(today|tomorrow|tonight|now)\b", text, re.IGNORECASE)
    expression, unit = _follow_up(text) if _IF_RAIN.search(text) else ("", "")
    return AskWeather(city, day[1].lower() if day else "", expression, unit)


def _follow_up(text: str) -> tuple[str, str]:
    """Return what a sentence wants calculated: the expression, and the unit of time in a year if that is what it is about."""
    if year := _YEAR.search(text):
        return YEAR_IN[year[1].lower()], year[1].lower()
    found = re.search(ARITHMETIC, text)
    return (plain_expression(found[0]), "") if found else ("", "")


_FETCH = _compiled(
    r"(?:(?P<certain>(?:fetch|download|browse(?:\s++to)?|visit|go to|curl|get)\b)"
    r"|(?:read|open|show|load|view|see|look at|summari[sz]e|what(?:'s| is)\s++(?:at|on))\b)?"
    r"(?:\s++(?:the|this|me|us|for))*+(?:\s++(?:web\s?+)?(?P<page>page|site|address|url|link))?(?:\s++(?:at|from|of|on))?\s*+:?\s*+"
    rf"(?P<url>{QUOTED}|\S+)$"
)


def _fetch(quoted: Quoted, text: str) -> Intent | None:
    found = _FETCH.match(text)
    if found is None:
        return None
    url = web_address(quoted.value(found["url"]), certain=bool(found["certain"] or found["page"]))
    return FetchPage(url) if url else None


_CALCULATE = _compiled(rf"(?:(?:calculate|compute|evaluate|what(?:'s| is)|how much is|solve)\s++)?(?P<expression>{ARITHMETIC})\s*+=?\s*+[?.]?$")
_HOW_MANY = _compiled(r"(?:(?:calculate|compute|tell me)\s++)?how many\s++(?P<unit>hours|minutes|seconds|days)\b.{0,20}\b(?:a|one)\s++year\b")


def _calculate(_quoted: Quoted, text: str) -> Intent | None:
    if many := _HOW_MANY.match(text):
        return Calculate(YEAR_IN[many["unit"].lower()])
    found = _CALCULATE.match(text)
    return Calculate(expression) if found and (expression := plain_expression(found["expression"])) else None


_SHORT: tuple[tuple[re.Pattern[str], Intent], ...] = (
    (_compiled(
        r"what(?:'s| is)\s++(?:the\s++)?(?:current\s++)?(?:time|date)\b|what (?:time|day|date) is (?:it|today)|(?:the )?current (?:time|date)"
    ), AskTime()),
    (_compiled(
        r"what can you do|what do you (?:do|understand|know)|help[.!?]*$|\?+$|how do(?:es)? (?:this|it|you) work|what (?:are|can) "
        r"(?:your|i)\b|examples?[.!?]*$|commands?[.!?]*$"
    ), AskHelp()),
    (_compiled(
        r"who (?:are|made|is) (?:you|this)|what are you|are you\b|introduce yourself|your name|(?:hi|hello|hey|good (?:morning|evening|day))\b[ ,!.]*"
        r"(?:there|you)?[!.]*$|which model"
    ), AskWho()),
    (_compiled(r"(?:many )?thank(?:s| you)\b|thx\b|great[.!]*$|(?:very )?good[.!]*$|nice[.!]*$|well done|perfect[.!]*$"), Thank()),
    (_compiled(r"(?:go on|continue|proceed|carry on|(?:try|do it|once) again|again|retry|repeat(?: that)?|more)(?:\s++please)?[.!]*$"), GoOn()),
)  # fmt: skip


def _short(_quoted: Quoted, text: str) -> Intent | None:
    return next((intent for pattern, intent in _SHORT if pattern.match(text)), None)


_RULES: tuple[Rule, ...] = (_drill, _short, _replace, _run, _write, _calculate, _fetch, _list, _search, _find, _read, _introduce, _weather)
