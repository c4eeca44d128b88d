"""The abilities that run something: a command, the project's tests, the calculator, the clock."""

from __future__ import annotations

import re

from workbench.practice.intents import AskTime, Calculate, RunCommand, RunTests
from workbench.practice.phrases import Phrases, code, shortened
from workbench.practice.reply import Draft, planned
from workbench.practice.results import Listing, first_line, read_ended, read_listing
from workbench.practice.steps import conclude, make_calls, troubles
from workbench.practice.talk import Done, Talk

TEST_COMMANDS = (
    (r"(?:.*/)?Cargo\.toml", "cargo test"),
    (r"(?:.*/)?go\.mod", "go test ./..."),
    (r"package\.json", "npm test"),
    (r"(?:.*/)?(?:test_\w+|\w+_test)\.py", "python3 -m unittest"),
    (r"tests?/.*\.py", "python3 -m unittest"),
    (r"[Mm]akefile", "make test"),
)
"""A file that shows how tests are run, and the command; the first that fits."""


def run_command(intent: RunCommand, talk: Talk, say: Phrases) -> Draft:
    """Run a command and say how it ended."""
    if not talk.steps:
        call = planned("bash", command=intent.command, description=say("run.description"))
        return make_calls(talk, say, [call], say("run.before"), rule="run")
    return _after_command(talk, say)


def run_tests(_intent: RunTests, talk: Talk, say: Phrases) -> Draft:
    """Look at the folder, choose the command by what is there, run it."""
    if not talk.steps:
        return make_calls(talk, say, [planned("list", path=".")], say("run.tests_before"), rule="tests")
    done = talk.last[-1]
    if done.name != "list" or not done.worked:
        return _after_command(talk, say)
    file, command = test_command(read_listing(done.text()))
    if not command:
        return conclude(talk, say, say("run.tests_none"))
    call = planned("bash", command=command, description=say("run.tests_description"))
    return make_calls(talk, say, [call], say("run.tests", file=code(file)))


def test_command(listing: Listing) -> tuple[str, str]:
    """Return the file that shows how tests are run here, and the command; two empty texts if there is none."""
    for pattern, command in TEST_COMMANDS:
        for entry in listing.files:
            if re.fullmatch(pattern, entry.path):
                return entry.path, command
    return "", ""


def _after_command(talk: Talk, say: Phrases) -> Draft:
    done = talk.last[-1]
    if not done.worked:
        return troubles(say, talk.last)
    return conclude(talk, say, sentence_on_command(say, done))


def sentence_on_command(say: Phrases, done: Done) -> str:
    """Return how a command ended: its exit code and last line."""
    ended = read_ended(done.text())
    last = say("run.last_line", line=shortened(ended.last_line, 160)) if ended.last_line else say("run.no_output")
    if ended.code is None:
        return say("run.unknown", last=last)
    return say("run.ok", last=last) if ended.code == 0 else say("run.failed", code=ended.code, last=last)


def calculate(intent: Calculate, talk: Talk, say: Phrases) -> Draft:
    """Have an expression calculated."""
    if not talk.steps:
        call = planned("calculator", expression=intent.expression)
        return make_calls(talk, say, [call], say("calculate.before", expression=code(intent.expression)), rule="calculate")
    done = talk.last[-1]
    if not done.worked:
        return troubles(say, talk.last)
    expression = code(done.argument("expression") or intent.expression)
    return conclude(talk, say, say("calculate.done", expression=expression, value=shortened(first_line(done.text()), 300)))


def tell_time(_intent: AskTime, talk: Talk, say: Phrases) -> Draft:
    """Look at the clock."""
    if not talk.steps:
        return make_calls(talk, say, [planned("get_current_time")], say("time.before"), rule="time")
    done = talk.last[-1]
    if not done.worked:
        return troubles(say, talk.last)
    return conclude(talk, say, say("time.done", value=shortened(first_line(done.text()), 200)))
