"""Takes a bash text apart as bash itself would read it: continuations, quotes, substitutions, here-documents. It never judges and never fails.

Reading is one pass from left to right; where bash and simpler parsers differ (a continued ``$(``, nested backticks, text after a
here-document's operator), this follows bash.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from workbench.permissions.shell_text import QUOTED, UNKNOWN, Draft, Redirect, Script, Word, quoted

DEPTH_LIMIT = 20
_WORD_ENDS = frozenset(" \t\n;&|<>()")
_REDIRECTS = ("<<<", "<<-", "&>>", "<<", "<>", "<&", ">&", ">>", ">|", "&>", "<", ">")
_SEPARATORS = ("&&", "||", ";;", "|&", ";", "|", "&")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(\[[^\]]*\])?\+?=")
_ANSI_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}


def take_apart(text: str, *, variables: dict[str, str] | None = None) -> Script:
    """Take a command text apart.

    Args:
        text: as it would be given to ``bash -c``.
        variables: the variables whose value is known, e.g. HOME and PWD.
    """
    reader = _Reader(text, variables or {})
    reader.commands(closer="")
    return Script(tuple(draft.command() for draft in reader.found), tuple(dict.fromkeys(reader.problems)))


@dataclass(frozen=True)
class _HereDocument:
    """A here-document whose body has still to come, and the command that reads it."""

    end: str
    literal: bool
    tabs_removed: bool
    draft: Draft


class _Reader:
    """Reads one text once. `found` holds the commands in order, `problems` what was not understood."""

    def __init__(self, text: str, variables: dict[str, str], depth: int = 0) -> None:
        self.found: list[Draft] = []
        self.problems: list[str] = []
        self._text = text
        self._variables = variables
        self._depth = depth
        self._at = 0
        self._group: tuple[int, ...] = ()
        self._groups = 0
        self._here: list[_HereDocument] = []
        if QUOTED in text or UNKNOWN in text:
            self.problems.append("control characters")

    # Lists of commands

    def commands(self, closer: str) -> None:
        """Read commands up to `closer` (taken too) or the end of the text."""
        draft = Draft(self._at)
        while True:
            self._skip_blanks()
            character = self._peek()
            if not character or character == closer:
                self._finish(draft, "")
                self._at += bool(character)
                if closer and not character:
                    self.problems.append(f"no closing {closer}")
                return
            draft = self._step(draft, character)

    def _step(self, draft: Draft, character: str) -> Draft:
        """Read the next piece; return the command that is being read afterwards."""
        if character == "\n":
            self._at += 1
            following = draft if draft.empty else self._next(draft, "\n")
            self._read_here_documents()
            return following
        if character == "#":
            self._at = _found_or_end(self._text, "\n", self._at)
            return draft
        if character == "(":
            return self._parenthesis(draft)
        if character == ")":
            self._at += 1
            self.problems.append("a ) without (")
            return self._next(draft, ")")
        operator = self._operator(_REDIRECTS)
        if operator and not self._at_process_substitution():
            self._redirect(draft, operator)
            return draft
        separator = "" if operator else self._operator(_SEPARATORS)
        if separator:
            self._at += len(separator)
            return self._next(draft, separator)
        self._take_word(draft)
        return draft

    def _next(self, draft: Draft, operator: str) -> Draft:
        self._finish(draft, operator)
        return Draft(self._at, before=operator)

    def _finish(self, draft: Draft, operator: str) -> None:
        if draft.empty:
            return
        draft.after = operator
        draft.group = self._group
        draft.source = self._text[draft.start : self._at - len(operator)].strip(" \t\n;&|")
        draft.upstream = self.found[-1] if draft.before in {"|", "|&"} and self.found else None
        self.found.append(draft)

    def _parenthesis(self, draft: Draft) -> Draft:
        """Read a sub-shell, an arithmetic command, a function's ``()`` or an array."""
        if draft.empty and self._text.startswith("((", self._at):
            self.problems.append("arithmetic")
            self._at += 2
            self._skip_arithmetic(draft)
            return draft
        if not draft.empty:
            self.problems.append("a function or an array")
        self._at += 1
        self._groups += 1
        outer, self._group = self._group, (*self._group, self._groups)
        if self._deeper():
            self.commands(closer=")")
        self._depth -= 1
        self._group = outer
        return draft if draft.empty else self._next(draft, "")

    def _redirect(self, draft: Draft, operator: str) -> None:
        self._at += len(operator)
        self._skip_blanks()
        word = self._word(draft)
        match operator:
            case "<<" | "<<-":
                self._here.append(_HereDocument(word.text, word.raw != word.text, operator == "<<-", draft))
            case "<<<":
                draft.body.append(word.text + "\n")
            case "<&" | ">&" if word.text == "-" or word.text.rstrip("-").isdigit():
                pass
            case _:
                draft.redirects.append(Redirect(operator, word))

    def _read_here_documents(self) -> None:
        pending, self._here = self._here, []
        for document in pending:
            lines: list[str] = []
            while self._at < len(self._text):
                end = _found_or_end(self._text, "\n", self._at)
                line, self._at = self._text[self._at : end], end + 1
                if (line.lstrip("\t") if document.tabs_removed else line) == document.end:
                    break
                lines.append(line + "\n")
            else:
                self.problems.append("a here-document without its end")
            body = "".join(lines)
            document.draft.body.append(body)
            if not document.literal:
                self._read_expansions(body, document.draft)

    def _read_expansions(self, text: str, draft: Draft) -> None:
        """Find the substitutions in text that bash expands like a double-quoted string."""
        reader = _Reader(text, self._variables, self._depth + 1)
        while character := reader._take():
            match character:
                case "\\":
                    reader._take()
                case "$":
                    reader._dollar(draft, in_quotes=True)
                case "`":
                    reader._backticks(draft)
                case _:
                    pass
        self.problems.extend(reader.problems)

    # Words

    def _take_word(self, draft: Draft) -> None:
        start = self._at
        if draft.empty:
            draft.start = start
        word = self._word(draft)
        if self._at == start:
            self._at += 1  # never stand still
        elif self._peek() in {"<", ">"} and (word.raw.isdigit() or (word.raw[:1] + word.raw[-1:] == "{}")):
            pass  # a descriptor: it belongs to the redirect that follows
        elif not draft.words and _ASSIGNMENT.match(word.raw):
            draft.assignments.append(word)
        else:
            draft.words.append(word)

    def _word(self, draft: Draft) -> Word:
        shape: list[str] = []
        start = self._at
        while (character := self._peek()) and (character not in _WORD_ENDS or (not shape and self._at_process_substitution())):
            self._at += 1
            match character:
                case "\\":
                    shape.append(quoted(self._take()))
                case "'":
                    shape.append(quoted(self._single_quoted()))
                case '"':
                    shape.append(self._double_quoted(draft))
                case "$":
                    shape.append(self._dollar(draft, in_quotes=False))
                case "`":
                    shape.append(self._backticks(draft))
                case "<" | ">":
                    self._at += 1
                    shape.append(self._substitution(draft))
                case _:
                    shape.append(character)
        return Word("".join(shape), self._text[start : self._at])

    def _single_quoted(self) -> str:
        end = _found_or_end(self._text, "'", self._at)
        if end == len(self._text):
            self.problems.append("an open quote")
        content, self._at = self._text[self._at : end], end + 1
        return content

    def _double_quoted(self, draft: Draft) -> str:
        shape: list[str] = []
        while character := self._take():
            match character:
                case '"':
                    return "".join(shape)
                case "\\":
                    following = self._take()
                    shape.append(quoted(following if following in '$`"\\' else "\\" + following))
                case "$":
                    shape.append(self._dollar(draft, in_quotes=True))
                case "`":
                    shape.append(self._backticks(draft))
                case _:
                    shape.append(quoted(character))
        self.problems.append("an open quote")
        return "".join(shape)

    def _ansi_quoted(self) -> str:
        start = self._at
        while (character := self._text[self._at : self._at + 1]) and character != "'":
            self._at += 2 if character == "\\" else 1
        content = self._text[start : self._at]
        self._at += 1
        return _ANSI_ESCAPE.sub(_ansi_character, content)

    # Expansions

    def _dollar(self, draft: Draft, *, in_quotes: bool) -> str:
        """Read what follows a ``$`` and return its shape."""
        character = self._peek()
        if character == "(":
            self._at += 1
            if self._peek() == "(":
                self._at += 1
                return self._skip_arithmetic(draft)
            return self._substitution(draft)
        if character == "{":
            self._at += 1
            return self._braced(draft)
        if character == "'" and not in_quotes:
            self._at += 1
            return quoted(self._ansi_quoted())
        if character == '"' and not in_quotes:
            self._at += 1
            return self._double_quoted(draft)
        if character and (character.isalnum() or character in "_?#@*!$-"):
            return self._variable(self._name())
        return "$"

    def _name(self) -> str:
        name = self._take()
        if name.isalpha() or name == "_":
            while (character := self._peek()) and (character.isalnum() or character == "_"):
                name += self._take()
        return name

    def _variable(self, name: str) -> str:
        value = self._variables.get(name)
        return UNKNOWN if value is None else quoted(value)

    def _braced(self, draft: Draft) -> str:
        """Read a ``${…}`` after its brace; only a bare name can have a known value."""
        start = self._at
        if self._deeper():
            while (character := self._take()) and character != "}":
                self._skip_quoted(character, draft)
            if not character:
                self.problems.append("an open ${")
        self._depth -= 1
        name = self._text[start : self._at - 1]
        return self._variable(name) if name.isidentifier() else UNKNOWN

    def _skip_arithmetic(self, draft: Draft) -> str:
        """Read arithmetic up to its ``))``; substitutions in it are found."""
        depth = 2
        if self._deeper():
            while depth and (character := self._take()):
                depth += {"(": 1, ")": -1}.get(character, 0)
                self._skip_quoted(character, draft)
            if depth:
                self.problems.append("an open ((")
        self._depth -= 1
        return UNKNOWN

    def _skip_quoted(self, character: str, draft: Draft) -> None:
        """Read on from a character that may begin something quoted or expanded; commands inside are kept."""
        match character:
            case "\\":
                self._take()
            case "'":
                self._single_quoted()
            case '"':
                self._double_quoted(draft)
            case "$":
                self._dollar(draft, in_quotes=False)
            case "`":
                self._backticks(draft)
            case _:
                pass

    def _substitution(self, draft: Draft) -> str:
        """Read the commands of a ``$(…)``, ``<(…)`` or ``>(…)`` after its parenthesis."""
        outer, self.found = self.found, []
        if self._deeper():
            self.commands(closer=")")
        self._depth -= 1
        draft.inside.extend(self.found)
        self.found = outer
        return UNKNOWN

    def _backticks(self, draft: Draft) -> str:
        content: list[str] = []
        while (character := self._text[self._at : self._at + 1]) and character != "`":
            following = self._text[self._at + 1 : self._at + 2]
            escaped = character == "\\" and following in {"`", "\\", "$"}
            content.append(following if escaped else character)
            self._at += 2 if escaped else 1
        self._at += 1
        if self._deeper():
            reader = _Reader("".join(content), self._variables, self._depth)
            reader.commands(closer="")
            draft.inside.extend(reader.found)
            self.problems.extend(reader.problems)
        self._depth -= 1
        return UNKNOWN

    # Characters

    def _deeper(self) -> bool:
        """Go one level down; at the limit the rest of the text is given up."""
        self._depth += 1
        if self._depth <= DEPTH_LIMIT:
            return True
        self.problems.append("nested too deeply")
        self._at = len(self._text)
        return False

    def _peek(self) -> str:
        """Return the next character without taking it, past continued lines; empty at the end."""
        while self._text.startswith("\\\n", self._at):
            self._at += 2
        return self._text[self._at : self._at + 1]

    def _take(self) -> str:
        character = self._peek()
        self._at += len(character)
        return character

    def _skip_blanks(self) -> None:
        while self._peek() in {" ", "\t"}:
            self._at += 1

    def _operator(self, operators: tuple[str, ...]) -> str:
        return next((operator for operator in operators if self._text.startswith(operator, self._at)), "")

    def _at_process_substitution(self) -> bool:
        return self._text.startswith(("<(", ">("), self._at)


def _found_or_end(text: str, wanted: str, start: int) -> int:
    found = text.find(wanted, start)
    return len(text) if found < 0 else found


def _ansi_character(match: re.Match[str]) -> str:
    short, four, eight, octal, letter = match.groups()
    if letter is not None:
        return _ANSI_LETTERS.get(letter, letter if letter in "\\'\"?" else "\\" + letter)
    number = int(octal, 8) & 0xFF if octal else int(short or four or eight, 16)
    return chr(number) if number < 0x110000 else UNKNOWN
