"""List every text that people can read: writes one JSON object a line, ``{"key", "plural", "place", "given", "form"}``.

    python packaging/texts.py

What is translated: what `_("…")`, `many("…", "…", n)`, `marked("…")` and `counted("…", "…")` are called with; message ids
(``message_id="…"``), whose English sentence stays in the code; and the sentences of errors, reasons and notes that have no id of their
own, as they stand in the code, with a blank for each value of an f-string.
"""

from __future__ import annotations

import ast
import functools
import itertools
import json
import re
import string
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "workbench"
WORD = re.compile(r"[^\W\d_]+")
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FEWEST_LETTERS = 5
"""A sentence with blanks that has fewer letters of its own would fit too many others; a piece of one may be shorter."""
POINTER = re.compile(r"(/[\w{}-]+)+")
"""A place in JSON, the same in every language."""
ARTICLES = frozenset({"a", "an", "the"})
"""Words that alone make no text: ``The {place}`` would fit every text that begins with an article, and take it away."""

TEXT_AT: dict[str, tuple[int, str]] = {
    **dict.fromkeys(("Reason", "ToolError", "FileRefused", "TurnOutcome", "_denied"), (1, "text")),
    **dict.fromkeys(("Problem", "ResponseFailed", "TurnFinished"), (-1, "text")),
    **dict.fromkeys(("_always", "_if_options", "_if_verb"), (0, "text")), "text_of": (1, "name"),
    **dict.fromkeys(("ErrorBody", "Finding"), (-1, "message")), "SelfTestReport": (2, "problem"), "GateFacts": (-1, "unconfined_because"),
    "ProbeLine": (2, "text"), "SocksRefused": (0, ""), "LossRule": (0, "text"), "NotUnderstood": (0, ""), "_line": (2, "text"), "Found": (3, "text"),
}
"""Where calls take their sentence: position (-1 = never by position) and name. Errors that are not named here take it first."""
FINDINGS = {**dict.fromkeys(("error", "warning"), ((2, "message"), (3, "fix"))), "Finding": ((-1, "message"), (-1, "fix"))}
"""Where the linter's rules take their sentences: what is wrong, and what to do."""
ID_AT = {"ProbeLine": 3}
"""Where calls take a message id by position; its values stand behind it."""
KIND_AT: dict[str, tuple[int, str, str]] = {"Reason": (0, "code", ""), "ToolError": (0, "kind", "kind."), "FileRefused": (0, "kind", "kind.")}
"""Where calls take the name of their kind, and what its key in the catalogue begins with."""
LISTS: dict[str, frozenset[str]] = {
    **dict.fromkeys((f"permissions/{name}.py" for name in ("places", "shell_reader", "shell_walk")), frozenset({"problem", "problems", "options"})),
    "providers/profiles.py": frozenset({"title"}), "tools/arguments.py": frozenset({"notices", "problems"}), "wire/proxies.py": frozenset({"notices"}),
    **dict.fromkeys((f"tools/{name}.py" for name in ("bash", "edit", "edit_plan", "file_change", "write")), frozenset({"note", "notes"})),
    **dict.fromkeys((f"tools/{name}.py" for name in ("webfetch", "web_text", "html_worker")), frozenset({"note", "notes", "hops", "error"})),
    "workspace/sandbox_selftest.py": frozenset({"_SENTENCES", "_KNOWN_PROBLEMS", "problem"}), "settings/rule_files.py": frozenset({"expired"}),
}
"""Variables, tables, attributes and arguments that hold or collect sentences, by file."""
RETURNED = frozenset({"permissions/rules.py", "permissions/rule_checks.py", "permissions/shell_danger.py", "workspace/sandbox_selftest.py"})
PHRASED = frozenset({"permissions/git_repository.py", "permissions/shell_second.py"})
RAISED = frozenset({"settings/rule_file.py", "settings/sealed_file.py"})
"""Files whose functions return sentences, or phrases; files whose ValueErrors say what is wrong with a file."""
ONLY_FOR_MODELS = ("practice/", "mcp/", "capture/")
"""What these say goes to a model or a provider's client, never to a person."""


class Text(NamedTuple):
    """A text to translate.

    Attributes:
        key: the English text, the sentence with blanks, or the message id.
        plural: the plural form if it is counted.
        place: the file it stands in.
        given: names a translation may fill in; None if it is a bare text, which fills in what it finds in its key.
        form: ``text`` (as it is), ``id``, ``sentence`` (with blanks) or ``piece`` (with blanks, a part of a sentence).
    """

    key: str
    plural: str = ""
    place: str = ""
    given: frozenset[str] | None = None
    form: str = "text"


# Reading the code


class Module:
    """One file of the program, read for its texts."""

    def __init__(self, path: Path) -> None:
        self.place = path.relative_to(ROOT).as_posix()
        self.room_place = path.relative_to(PROGRAM).as_posix()
        self.lists = LISTS.get(self.room_place, frozenset[str]())
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.around: dict[ast.AST, Function | None] = {}
        self.functions: dict[str, Function] = {}
        self.calls: dict[str, list[ast.Call]] = {}
        self._followed: set[ast.expr] = set()
        self._attributes: dict[str, list[ast.expr]] = {}
        self._note(self.tree, None)

    def _note(self, node: ast.AST, function: Function | None) -> None:
        for child in ast.iter_child_nodes(node):
            self.around[child] = function
            if isinstance(child, ast.Call):
                self.calls.setdefault(name_of(child.func), []).append(child)
            inner = function
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions[child.name] = inner = child
            self._note(child, inner)

    def texts(self) -> Iterator[Text]:
        """Yield every text of the file."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield from self._words(node)
                yield from self._kinds(node)
            if not self.room_place.startswith(ONLY_FOR_MODELS):
                yield from self._said(node) if isinstance(node, ast.Call) else self._collected(node)

    def _words(self, call: ast.Call) -> Iterator[Text]:
        """Yield what is translated by its English text."""
        name = name_of(call.func)
        words = [argument.value for argument in call.args if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
        if name in ("_", "marked"):
            yield from (Text(word, place=self.place) for word in (words if name == "marked" else words[:1]))
        if name in ("many", "counted") and len(words) >= 2:
            yield Text(words[0], words[1], self.place)

    def _kinds(self, call: ast.Call) -> Iterator[Text]:
        """Yield the names of kinds; a translation of a reason's may fill in its subject."""
        name = name_of(call.func)
        if name in KIND_AT:
            position, keyword, prefix = KIND_AT[name]
            fills = frozenset[str]() if prefix else frozenset({"subject"})
            for kind in self.values(argument_of(call, position, keyword)):
                if isinstance(kind, ast.Constant) and isinstance(kind.value, str) and kind.value:
                    yield Text(prefix + kind.value, "", self.place, fills, "id")

    def _said(self, call: ast.Call) -> Iterator[Text]:
        """Yield what a call that says something has: its id, else its sentences."""
        name = name_of(call.func)
        said, place = argument_of(call, *TEXT_AT.get(name, (0, "text"))), ID_AT.get(name, -1)
        match argument_of(call, place, "message_id"):
            case ast.Constant(value=str() as key) if "." in key and name != "__init__":
                yield from self._identified(key, said, argument_of(call, place + 1 if place >= 0 else -1, "values"))
            case _ if name in FINDINGS and self.room_place.startswith("dialects/"):
                for position in FINDINGS[name]:
                    yield from self._sentences(argument_of(call, *position))
            case _ if name in ERRORS or name in TEXT_AT or (name == "ValueError" and self.room_place in RAISED):
                yield from self._sentences(said)
            case _ if name == "append" and isinstance(call.func, ast.Attribute) and name_of(call.func.value) in self.lists:
                yield from self._sentences(call.args[0])
            case _:
                pass

    def _identified(self, key: str, said: ast.expr | None, values: ast.expr | None) -> Iterator[Text]:
        """Yield a message id; but its sentences if they are several, or hold more that varies than the values tell."""
        tables = [value for value in self.values(values) if isinstance(value, ast.Dict)]
        names = frozenset(str(name.value) for table in tables for name in table.keys if isinstance(name, ast.Constant))
        sentences = list(dict.fromkeys(self.strings(said)))
        if (len(sentences) > 1 and not names) or any(len(sentence.given or ()) > len(names) for sentence in sentences):
            yield from self._sentences(said)
            return
        yield Text(key, "", self.place, names, "id")
        for part in [part for table in tables for part in table.values]:
            yield from self.strings(part)
            yield from self._pieces(part)

    def _collected(self, node: ast.AST) -> Iterator[Text]:
        """Yield the sentences of variables, attributes and arguments that hold some, and of functions that return some."""
        match node:
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value) if name_of(target) in self.lists:
                for one in value.values if isinstance(value, ast.Dict) else (value,):
                    yield from self._sentences(one)
            case ast.keyword(arg=str(name), value=value) | ast.Dict(keys=[ast.Constant(value=str(name))], values=[value]) if name in self.lists:
                yield from self._sentences(value)
            case ast.Return(value=ast.expr() as value) | ast.Yield(value=ast.expr() as value) if self.room_place in RETURNED | PHRASED:
                yield from self._sentences(value) if self.room_place in PHRASED or any(text.key.endswith(".") for text in self.strings(value)) else ()
            case _:
                pass

    def _sentences(self, expression: ast.expr | None) -> Iterator[Text]:
        for text in self.strings(expression):
            yield text
            whole = text.key[:1].isupper() or text.key.endswith(".")
            if text.form == "piece" and whole and sum(map(str.isalpha, without_blanks(text.key))) >= FEWEST_LETTERS:
                yield text._replace(form="sentence")
        yield from self._pieces(expression)

    def _pieces(self, expression: ast.expr | None) -> Iterator[Text]:
        """Yield what can stand in the blanks of a sentence, and in the blanks of that."""
        for value in self.values(expression):
            for part in ast.walk(value):
                if isinstance(part, ast.FormattedValue) and len(next(parts_of(part.value))) == 1:
                    yield from list(self.strings(part.value))
                    yield from self._pieces(part.value)

    def strings(self, expression: ast.expr | None) -> Iterator[Text]:
        """Yield the strings an expression can be, as far as they stand in this file."""
        for value in self.values(expression):
            for text in templates(value):
                if text.says_something:
                    yield Text(text.key, "", self.place, text.names or None, "piece" if text.names else "text")

    def values(self, expression: ast.expr | None) -> Iterator[ast.expr]:
        """Yield the expressions that can be the value of one: branches, members, and what names and functions of this file stand for."""
        if expression is None or expression in self._followed:
            return
        self._followed.add(expression)
        try:
            for deeper in self._one_step(expression):
                yield from (deeper,) if deeper is expression else self.values(deeper)
        finally:
            self._followed.discard(expression)

    def _one_step(self, expression: ast.expr) -> Iterator[ast.expr]:
        match expression:
            case ast.IfExp(body=one, orelse=other):
                yield from (one, other)
            case ast.BoolOp(values=several) | ast.List(elts=several) | ast.Tuple(elts=several):
                yield from several
            case ast.Starred(value=one) | ast.ListComp(elt=one) | ast.GeneratorExp(elt=one) | ast.Call(func=ast.Name(id="clean_text" | "tuple"), args=[one]):
                yield one
            case ast.Subscript(value=table) | ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_]):
                yield from members(table, self)
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, default]):
                yield from (*members(table, self), default)
            case ast.Await(value=one) | ast.Call(func=ast.Attribute(value=one, attr="rstrip" | "strip")):
                yield one
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in self.functions:
                yield from returned(self.functions[name])
            case ast.Attribute(attr=name):
                yield from self._of_attribute(name)
            case ast.Name(id=name):
                yield from self._of_name(name, self.around.get(expression))
            case _:
                yield expression

    def _of_attribute(self, name: str) -> Iterator[ast.expr]:
        """Yield what an attribute is set to anywhere in the file, as a default of a class too, and what a property of its name returns."""
        for node in ast.walk(self.tree) if not self._attributes else ():
            match node:
                case ast.AnnAssign(target=ast.Name(id=other), value=ast.expr() as value) if self.around[node] is None:
                    self._attributes.setdefault(other, []).append(value)
                case ast.Assign(targets=[ast.Attribute(attr=other)], value=value):
                    self._attributes.setdefault(other, []).append(value)
                case ast.FunctionDef(name=other, decorator_list=[ast.Name(id="property")]):
                    self._attributes.setdefault(other, []).extend(returned(node))
                case _:
                    pass
        yield from self._attributes.get(name, ())

    def _of_name(self, name: str, function: Function | None) -> Iterator[ast.expr]:
        """Yield what a name stands for: what is assigned to it around it, what its function is called with, or a constant of the file."""
        found = list(assignments(function).get(name, [])) if function is not None else []
        if not found and function is not None:
            names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
            taken = [argument.arg for argument in function.args.kwonlyargs]
            if name in (*names, *taken):
                own = 1 if names[:1] in (["self"], ["cls"]) else 0
                position = names.index(name) - own if name in names else -1
                found = [value for call in self.calls.get(function.name, []) if (value := argument_of(call, position, name)) is not None]
        yield from found or (value for node in self.tree.body for value in assignments(node).get(name, []))


class Template(NamedTuple):
    """A string as it stands in the code: its key, what does not vary in it, and the names of its blanks."""

    key: str
    literal: str
    names: frozenset[str]

    @property
    def says_something(self) -> bool:
        """Whether it holds words of its own; where something varies, other ones than articles."""
        if self.names and ARTICLES.issuperset(word.lower() for word in WORD.findall(self.literal)):
            return False
        if POINTER.fullmatch(self.key):
            return False
        return sum(map(str.isalpha, self.literal)) >= 2 and (" " in self.literal or not (self.names or "_" in self.key))


def templates(value: ast.expr) -> Iterator[Template]:
    """Yield what a string constant, an f-string or a sum of these can be, as texts with blanks; nothing for anything else."""
    parts = list(parts_of(value))
    if any(isinstance(part, str) for choices in parts for part in choices):
        yield from map(template, itertools.product(*parts))


def template(parts: Sequence[str | ast.expr]) -> Template:
    """Return constant and varying parts as a text with blanks."""
    key, literal, names = "", "", set[str]()
    for part in parts:
        if isinstance(part, str):
            key, literal = key + part.replace("{", "{{").replace("}", "}}"), literal + part
        else:
            base = hint(part)
            name = next(name for number in range(1, 99) if (name := base if number == 1 else f"{base}{number}") not in names)
            names.add(name)
            key += f"{{{name}}}"
    return Template(key if names else literal, literal, frozenset(names))


def parts_of(value: ast.expr) -> Iterator[tuple[str | ast.expr, ...]]:
    """Yield the constant and the varying parts of a string in order, each with what it can be."""
    match value:
        case ast.Constant(value=str() as text):
            yield (text,)
        case ast.JoinedStr(values=parts):
            for part in parts:
                match part:
                    case ast.FormattedValue(value=ast.IfExp() as choice):
                        yield from parts_of(choice)
                    case ast.FormattedValue(value=blank):
                        yield (blank,)
                    case _:
                        yield from parts_of(part)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            yield from (*parts_of(left), *parts_of(right))
        case ast.IfExp(body=ast.Constant(value=str() as one), orelse=ast.Constant(value=str() as other)):
            yield (one, other)
        case _:
            yield (value,)


def hint(value: ast.AST) -> str:
    """Return a name for a blank, from what fills it."""
    match value:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.strip("_").lower()
        case ast.Call(args=[inner, *_]) | ast.IfExp(body=ast.Name() | ast.Attribute() | ast.Call() as inner) | ast.IfExp(test=inner):
            return hint(inner)
        case ast.Call(func=ast.Attribute(value=inner)) | ast.Subscript(value=inner) | ast.FormattedValue(value=inner) | ast.Starred(value=inner):
            return hint(inner)
        case ast.BinOp(left=inner) | ast.BoolOp(values=[inner, *_]) | ast.Compare(left=inner) | ast.UnaryOp(operand=inner):
            return hint(inner)
        case ast.GeneratorExp(generators=[inner, *_]) | ast.ListComp(generators=[inner, *_]):
            return hint(inner.iter)
        case _:
            return "part"


def returned(function: Function) -> Iterator[ast.expr]:
    """Yield what a function returns or yields."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            yield node.value


def members(table: ast.expr, module: Module) -> Iterator[ast.expr]:
    """Yield the values of a dict, or what a slice is taken of."""
    for value in list(module.values(table)):
        yield from value.values if isinstance(value, ast.Dict) else (value,)


@functools.lru_cache(maxsize=1024)
def assignments(scope: ast.AST) -> dict[str, list[ast.expr]]:
    """Return what is assigned to each name inside a node."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) | ast.NamedExpr(target=ast.Name(id=name), value=value):
                found.setdefault(name, []).append(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    found.setdefault(name_of(target), []).append(value)
            case _:
                pass
    return found


def without_blanks(key: str) -> str:
    """Return what does not vary in a sentence."""
    return "".join(literal for literal, _name, _spec, _conversion in string.Formatter().parse(key))


def argument_of(call: ast.Call, position: int, keyword: str) -> ast.expr | None:
    """Return an argument of a call, by its name or its position (-1: only by name)."""
    named = next((given.value for given in call.keywords if given.arg == keyword), None)
    return named if named is not None else call.args[position] if 0 <= position < len(call.args) else None


def name_of(node: ast.AST) -> str:
    """Return the last name of what is called or assigned to."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def texts() -> Iterator[Text]:
    """Yield every text of the program, in the order of files and lines."""
    for path in sorted(PROGRAM.rglob("*.py")):
        yield from Module(path).texts()


ERRORS = frozenset(node.name for node in ast.parse((PROGRAM / "errors.py").read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef))

if __name__ == "__main__":
    for found in dict.fromkeys(texts()):
        shown = found._asdict() | {"given": None if found.given is None else sorted(found.given)}
        sys.stdout.write(json.dumps(shown, ensure_ascii=False) + "\n")
