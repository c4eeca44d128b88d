"""Reads the words of the understood subset of bash, character by character; anything that is not positively known stops it.

Rules are those of bash's manual, chapter "Quoting" and "Shell Expansions" (https://www.gnu.org/software/bash/manual/bash.html).
"""

from __future__ import annotations

import re

from workbench.permissions.shell_syntax import List, NotUnderstood, Number, Piece, Substitution, Text, Variable, Word

DEPTH_LIMIT = 10
_PLAIN = re.compile(r"[^ \t\n;&|()<>\\'\"$`]+")
_QUOTED = re.compile(r'[^"\\$`]+')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACED = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
_ARITHMETIC = re.compile(r"\(\(([0-9 +*/%-]+)\)\)")
_ANSI = re.compile(r"'((?:[^'\\]|\\[tn\\'\"])*)'")
_ANSI_ESCAPE = re.compile(r"\\(.)")
_AFTER_LONE_DOLLAR = frozenset(" \t\n\"/.,:|)%^=]+;&<>")
_NUMBER_LIMIT = 1 << 31
WORD_ENDS = frozenset(" \t\n;&|()<>")


class Lexer:
    """A place in a text, and the words from there on. `commands` of `shell_grammar` reads what stands in ``$(…)``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.nested = 0

    def commands(self) -> List:
        """Read commands up to ``)``, which is taken too."""
        raise NotImplementedError

    def peek(self) -> str:
        """Return the next character; empty at the end."""
        return self.text[self.at : self.at + 1]

    def blanks(self) -> None:
        """Skip blanks, continued lines and a comment: what may stand between two words."""
        while True:
            character = self.peek()
            if character in {" ", "\t"}:
                self.at += 1
            elif character == "\\" and self.text.startswith("\\\n", self.at):
                self.at += 2
            else:
                break
        if character == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def word(self) -> Word:
        """Read one word.

        Raises:
            NotUnderstood: it holds something outside the subset, or none stands here.
        """
        start = self.at
        pieces: list[Piece] = []
        while (character := self.peek()) and (character not in WORD_ENDS or (self.at == start and self.text.startswith("<(", start))):
            match character:
                case "'":
                    pieces.append(Text(self._until("'"), True))
                case '"':
                    self._double_quoted(pieces)
                case "\\":
                    pieces.append(Text(self._escaped(), True))
                case "$":
                    pieces.append(self._dollar(quoted=False))
                case "`":
                    raise NotUnderstood("backticks")
                case "<":
                    self.at += 1
                    pieces.append(self._substitution(quoted=False, as_file=True))
                case _:
                    pieces.append(Text(self._run(_PLAIN), False))
        if self.at == start:
            raise NotUnderstood("a word is missing")
        if self.peek() == "(" or (self.peek() in {"<", ">"} and self.text[start] == "{"):
            raise NotUnderstood("a function, an array, a pattern list or a named descriptor")
        return Word(tuple(pieces), self.text[start : self.at])

    def _run(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise NotUnderstood("a character")
        self.at = match.end()
        return match[0]

    def _until(self, end: str) -> str:
        found = self.text.find(end, self.at + 1)
        if found < 0:
            raise NotUnderstood("an open quote")
        content, self.at = self.text[self.at + 1 : found], found + 1
        return content

    def _escaped(self) -> str:
        character = self.text[self.at + 1 : self.at + 2]
        if character in {"", "\n"}:
            raise NotUnderstood("a word that goes on in the next line")
        self.at += 2
        return character

    def _double_quoted(self, pieces: list[Piece]) -> None:
        self.at += 1
        pieces.append(Text("", True))
        while character := self.peek():
            match character:
                case '"':
                    self.at += 1
                    return
                case "\\":
                    following = self.text[self.at + 1 : self.at + 2]
                    if following in {"", "\n"}:
                        raise NotUnderstood("a quoted text that goes on in the next line")
                    pieces.append(Text(following if following in '$`"\\' else "\\" + following, True))
                    self.at += 2
                case "$":
                    pieces.append(self._dollar(quoted=True))
                case "`":
                    raise NotUnderstood("backticks")
                case _:
                    pieces.append(Text(self._run(_QUOTED), True))
        raise NotUnderstood("an open quote")

    def _dollar(self, *, quoted: bool) -> Piece:
        """Read what begins with a ``$``."""
        self.at += 1
        character = self.peek()
        if character == "(":
            return self._arithmetic() if self.text.startswith("((", self.at) else self._substitution(quoted=quoted)
        if character == "{":
            return self._variable(_BRACED.match(self.text, self.at), quoted)
        if character in {"?", "#"}:
            self.at += 1
            return Variable(character, quoted)
        if character == "'" and not quoted:
            return self._ansi_quoted()
        if name := _NAME.match(self.text, self.at):
            return self._variable(name, quoted)
        if (character in _AFTER_LONE_DOLLAR and (quoted or character != '"')) or not character:
            return Text("$", True)
        raise NotUnderstood("an expansion")

    def _variable(self, match: re.Match[str] | None, quoted: bool) -> Variable:
        if match is None:
            raise NotUnderstood("an expansion with an operator")
        self.at = match.end()
        return Variable(match[match.lastindex or 0], quoted)

    def _ansi_quoted(self) -> Text:
        match = _ANSI.match(self.text, self.at)
        if match is None:
            raise NotUnderstood("an escape in $'…'")
        self.at = match.end()
        return Text(_ANSI_ESCAPE.sub(lambda escape: {"t": "\t", "n": "\n"}.get(escape[1], escape[1]), match[1]), True)

    def _arithmetic(self) -> Number:
        match = _ARITHMETIC.match(self.text, self.at)
        if match is None:
            raise NotUnderstood("arithmetic")
        self.at = match.end()
        return Number(str(calculated(match[1])))

    def _substitution(self, *, quoted: bool, as_file: bool = False) -> Substitution:
        self.at += 1
        self.nested += 1
        if self.nested > DEPTH_LIMIT:
            raise NotUnderstood("nested too deeply")
        commands = self.commands()
        self.nested -= 1
        return Substitution(commands, as_file, quoted)


def calculated(expression: str) -> int:
    """Return what bash makes of a sum of plain decimal numbers.

    Raises:
        NotUnderstood: it is anything else, or a number is too large to be the same for every shell.
    """
    tokens = re.findall(r"\d+|[-+*/%]", expression)
    numbers, operators = tokens[0::2], tokens[1::2]
    plain = re.fullmatch(r"\s*\d+(?:\s*[-+*/%]\s*\d+)*\s*", expression)
    if not plain or any(len(number) > 9 or (number[0] == "0" and number != "0") for number in numbers):
        raise NotUnderstood("arithmetic")
    terms = [int(numbers[0])]
    for operator, number in zip(operators, map(int, numbers[1:]), strict=True):
        match operator:
            case "+" | "-":
                terms.append(number if operator == "+" else -number)
            case _ if operator != "*" and number == 0:
                raise NotUnderstood("a division by zero")
            case _:
                terms[-1] = _by(operator, terms[-1], number)
        if abs(terms[-1]) > _NUMBER_LIMIT:
            raise NotUnderstood("a large number")
    return sum(terms)


def _by(operator: str, left: int, right: int) -> int:
    """Multiply, or divide towards zero as C does."""
    if operator == "*":
        return left * right
    size = abs(left) // right if operator == "/" else abs(left) % right
    return size if left >= 0 else -size
