"""Reads a command text by the grammar of the understood subset of bash, and fails on everything else.

Only what stands here can ever be allowed without a question: simple commands joined by ``&& || ; | |&`` and newlines, ``!``, ``time``,
groups, ``for``, ``if``, ``[[ -f x ]]``, redirects, here-documents without expansions. Jobs in the background, functions, ``case``,
``while``, arithmetic commands and arrays are outside.
"""

from __future__ import annotations

import re
from typing import Literal

from typing_extensions import override

from workbench.permissions.shell_lexing import DEPTH_LIMIT, WORD_ENDS, Lexer
from workbench.permissions.shell_syntax import (
    Branch,
    Chain,
    Command,
    FileTest,
    Group,
    List,
    Loop,
    NotUnderstood,
    Pipeline,
    Redirect,
    Simple,
    Text,
    Word,
)  # fmt: skip

_REDIRECT = re.compile(r"(\d*)(<<<|<<-|<<|<>|<&|>&|>>|>\||<|>)|(&>>|&>)")
_HEREDOC_END = re.compile(r"'([^'\n]+)'|\"([^\"\n$`\\]+)\"|([A-Za-z0-9_.%+,:@-]+)")
_AHEAD = re.compile(r"[A-Za-z_]+|[{}!]|\[\[|\]\]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_OTHER_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\+=|\[)")
_FILE_TEST = re.compile(r"-[fdersxwLnz]")
_RESERVED = frozenset({
    "if", "then", "elif", "else", "fi", "for", "in", "do", "done", "while", "until", "case", "esac", "select", "function", "coproc", "{", "}", "!", "[[", "]]",
    "time",
})  # fmt: skip


def understood_syntax(text: str) -> List:
    """Return the tree of a text.

    Raises:
        NotUnderstood: any character of it is outside the subset.
    """
    grammar = _Grammar(text)
    tree = grammar.sequence(frozenset())
    if grammar.at < len(text):
        raise NotUnderstood(f"what begins with “{text[grammar.at : grammar.at + 12]}”")
    grammar.ends_cleanly()
    return tree


class _Grammar(Lexer):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._awaited: list[Redirect] = []
        self._depth = 0

    def ends_cleanly(self) -> None:
        if self._awaited:
            raise NotUnderstood("a here-document without its end")

    @override
    def commands(self) -> List:
        """Read commands up to ``)``, which is taken too."""
        if self._awaited:
            raise NotUnderstood("a here-document beside a substitution")
        body = self.sequence(frozenset({")"}))
        self._take(")")
        return body

    # Lists

    def sequence(self, closers: frozenset[str]) -> List:
        """Read commands up to one of `closers`, which is left standing, or the end."""
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise NotUnderstood("nested too deeply")
        chains: list[Chain] = []
        while True:
            self._newlines()
            if not self.peek() or (")" in closers and self.peek() == ")") or self._ahead() in closers:
                break
            chains.append(self._chain())
            self.blanks()
            if self.peek() == ";" and self.text[self.at + 1 : self.at + 2] not in {";", "&"}:
                self.at += 1
            elif self.peek() != "\n":
                break
        self._depth -= 1
        if not chains:
            raise NotUnderstood("no command")
        return List(tuple(chains))

    def _chain(self) -> Chain:
        pipelines, joins = [self._pipeline()], list[Literal["&&", "||"]]()
        while True:
            self.blanks()
            if self.text.startswith("&&", self.at):
                joins.append("&&")
            elif self.text.startswith("||", self.at):
                joins.append("||")
            else:
                return Chain(tuple(pipelines), tuple(joins))
            self.at += 2
            self._newlines()
            pipelines.append(self._pipeline())

    def _pipeline(self) -> Pipeline:
        self.blanks()
        negated = self._skip_word("!")
        if self._skip_word("time") and self.text.startswith("-p", self.at):
            self.at += 2
        commands = [self._command()]
        while True:
            self.blanks()
            if self.peek() != "|" or self.text.startswith("||", self.at):
                return Pipeline(negated, tuple(commands))
            self.at += 2 if self.text.startswith("|&", self.at) else 1
            self._newlines()
            commands.append(self._command())

    # Commands

    def _command(self) -> Command:
        self.blanks()
        start = self.at
        if self.peek() == "(":
            return self._subshell(start)
        match self._ahead():
            case "{":
                self._take_word("{")
                body = self.sequence(frozenset({"}"}))
                self._take_word("}")
                return Group(self.text[start : self.at], False, body, self._redirects())
            case "for":
                return self._loop(start)
            case "if":
                return self._branch(start)
            case "[[":
                return self._file_test(start)
            case word if word in _RESERVED:
                raise NotUnderstood(f"“{word}”")
            case _:
                return self._simple(start)

    def _subshell(self, start: int) -> Group:
        if self.text.startswith("((", self.at):
            raise NotUnderstood("arithmetic")
        self.at += 1
        body = self.sequence(frozenset({")"}))
        self._take(")")
        return Group(self.text[start : self.at], True, body, self._redirects())

    def _loop(self, start: int) -> Loop:
        self._take_word("for")
        name = _NAME.match(self.text, self.at)
        if name is None:
            raise NotUnderstood("a loop without a name")
        self.at = name.end()
        self.blanks()
        self._take_word("in")
        words: list[Word] = []
        while self.peek() not in {";", "\n"}:
            words.append(self.word())
            self.blanks()
        source = self.text[start : self.at].rstrip(" \t")
        self.at += self.peek() == ";"
        self._newlines()
        self._take_word("do")
        body = self.sequence(frozenset({"done"}))
        self._take_word("done")
        return Loop(source, name[0], tuple(words), body, self._redirects())

    def _branch(self, start: int) -> Branch:
        choices: list[tuple[List, List]] = []
        otherwise: List | None = None
        self._take_word("if")
        while True:
            condition = self.sequence(frozenset({"then"}))
            self._take_word("then")
            choices.append((condition, self.sequence(frozenset({"elif", "else", "fi"}))))
            if not self._skip_word("elif"):
                break
        if self._skip_word("else"):
            otherwise = self.sequence(frozenset({"fi"}))
        self._take_word("fi")
        return Branch(self.text[start : self.at], tuple(choices), otherwise, self._redirects())

    def _file_test(self, start: int) -> FileTest:
        self._take_word("[[")
        test = self.word()
        self.blanks()
        word = self.word()
        self.blanks()
        if not _FILE_TEST.fullmatch(test.raw) or word.raw[0] in "-!":
            raise NotUnderstood("a test in [[ ]]")
        self._take_word("]]")
        return FileTest(self.text[start : self.at].rstrip(" \t"), test.raw, word, self._redirects())

    def _simple(self, start: int) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        end = start
        while True:
            if redirect := self._redirect():
                redirects.append(redirect)
            elif not self.peek() or (self.peek() in WORD_ENDS and not self.text.startswith("<(", self.at)):
                break
            else:
                self._add_word(assignments, words)
            end = self.at
            self.blanks()
        if not words and not redirects:
            raise NotUnderstood("a bare assignment" if assignments else "a command is missing")
        return Simple(self.text[start:end], tuple(assignments), tuple(words), tuple(redirects))

    def _add_word(self, assignments: list[tuple[str, Word]], words: list[Word]) -> None:
        if not words and _OTHER_ASSIGNMENT.match(self.text, self.at):
            raise NotUnderstood("an array or an addition to a variable")
        name = None if words else _ASSIGNMENT.match(self.text, self.at)
        if name is None:
            words.append(self._word())
            return
        self.at = name.end()
        blank = not self.peek() or self.peek() in WORD_ENDS
        assignments.append((name[1], Word((), "") if blank else self._word()))
        if self.peek() == "(":
            raise NotUnderstood("an array")

    def _word(self) -> Word:
        word = self.word()
        if self._awaited and "\n" in word.raw:
            raise NotUnderstood("a here-document beside a word of several lines")
        return word

    # Redirects

    def _redirects(self) -> tuple[Redirect, ...]:
        """Read the redirects behind a compound command."""
        redirects: list[Redirect] = []
        self.blanks()
        while redirect := self._redirect():
            redirects.append(redirect)
            self.blanks()
        return tuple(redirects)

    def _redirect(self) -> Redirect | None:
        match = _REDIRECT.match(self.text, self.at)
        if match is None or (not match[1] and self.text.startswith("<(", self.at)):
            return None
        self.at = match.end()
        operator = match[2] or match[3]
        while self.peek() in {" ", "\t"}:
            self.at += 1
        if operator in {"<<", "<<-"}:
            return self._here_document(match[1] or "", operator)
        if self.peek() in {"#", "<", ">", "&"} or _REDIRECT.match(self.text, self.at):
            raise NotUnderstood("a redirect")
        return Redirect(match[1] or "", operator, self._word())

    def _here_document(self, descriptor: str, operator: str) -> Redirect:
        match = _HEREDOC_END.match(self.text, self.at)
        after = self.text[match.end() : match.end() + 1] if match else "x"
        if match is None or (after and after not in WORD_ENDS) or self.nested:
            raise NotUnderstood("a here-document")
        self.at = match.end()
        end = match[1] or match[2] or match[3]
        redirect = Redirect(descriptor, operator, Word((Text(end, match[3] is None),), match[0]))
        self._awaited.append(redirect)
        return redirect

    def _newlines(self) -> None:
        """Skip blank lines and comments; the bodies of here-documents begin behind the first line's end."""
        while True:
            self.blanks()
            if self.peek() != "\n":
                return
            self.at += 1
            awaited, self._awaited = self._awaited, []
            for redirect in awaited:
                self._read_body(redirect)

    def _read_body(self, redirect: Redirect) -> None:
        end, quoted = next((piece.text, piece.quoted) for piece in redirect.target.pieces if isinstance(piece, Text))
        lines: list[str] = []
        while self.at < len(self.text):
            stop = self.text.find("\n", self.at)
            stop = len(self.text) if stop < 0 else stop
            line, self.at = self.text[self.at : stop], stop + 1
            if redirect.operator == "<<-":
                line = line.lstrip("\t")
            if line == end:
                break
            lines.append(line + "\n")
        else:
            raise NotUnderstood("a here-document without its end")
        self.at = min(self.at, len(self.text))
        redirect.body = "".join(lines)
        if not quoted and any(character in redirect.body for character in "$`\\"):
            raise NotUnderstood("a here-document with expansions")

    # Reserved words

    def _ahead(self) -> str:
        """Return the next word if it is bare letters or a reserved sign, else nothing."""
        match = _AHEAD.match(self.text, self.at)
        if match is None or (match.end() < len(self.text) and self.text[match.end()] not in WORD_ENDS):
            return ""
        return match[0]

    def _skip_word(self, word: str) -> bool:
        if self._ahead() != word:
            return False
        self.at += len(word)
        self.blanks()
        return True

    def _take_word(self, word: str) -> None:
        if not self._skip_word(word):
            raise NotUnderstood(f"“{word}” is missing")

    def _take(self, character: str) -> None:
        if self.peek() != character:
            raise NotUnderstood(f"“{character}” is missing")
        self.at += 1
