"""Kept rules outlive the program, hold in their project alone, and a file that somebody else touched gives no rule at all."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.settings.projects import project, put
from tests.settings.test_credentials import Ring
from workbench.errors import SettingsError
from workbench.permissions.rules import ArgvRule, PathRule, Rule, RuleSet, ServerRule, TextRule
from workbench.settings.credentials import KeyringBackend
from workbench.settings.rule_files import RuleFiles
from workbench.settings.sealed_file import SealKey

PYTEST = ArgvRule(effect="allow", argv=("pytest", "**"))
NO_CURL = ArgvRule(effect="deny", argv=("curl", "**"))


def files(tmp_path: Path, ring: KeyringBackend | None = None) -> RuleFiles:
    async def keyring() -> KeyringBackend | None:
        return ring

    folder = tmp_path / "data" / "permissions"
    return RuleFiles(folder, SealKey(folder, keyring))


def bare(rules: tuple[Rule, ...]) -> list[tuple[str, str]]:
    return [(rule.scope, rule.argv[0] if isinstance(rule, ArgvRule) else type(rule).__name__) for rule in rules]


async def test_kept_rules_outlive_the_program_and_hold_where_they_were_kept(tmp_path: Path) -> None:
    here, there = project(tmp_path / "here"), project(tmp_path / "there")
    first = files(tmp_path)
    await first.load(here)
    (kept,) = await first.keep([PYTEST], "project", here)
    await first.keep([NO_CURL], "user", here)
    assert kept.rule_id.startswith("project-")
    for owner in (first, files(tmp_path)):
        assert bare((await owner.load(here)).rules) == [("user", "curl"), ("project", "pytest")]
        assert bare((await owner.load(there)).rules) == [("user", "curl")]
    assert (await files(tmp_path).load(here)).rules[1] == kept


async def test_files_are_for_their_owner_alone_and_outside_the_project(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    await files(tmp_path).keep([PYTEST, TextRule(effect="allow", text="make x")], "project", here)
    folder = tmp_path / "data" / "permissions"
    for path in (folder, folder / "projects"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    kept = [path for path in folder.rglob("*") if path.is_file()]
    assert kept
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert not list((tmp_path / "here").iterdir())


async def test_another_folder_in_the_projects_place_has_none_of_its_rules(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    await files(tmp_path).keep([PYTEST], "project", here)
    (tmp_path / "here").rename(tmp_path / "moved")
    assert (await files(tmp_path).load(project(tmp_path / "here"))).rules == ()


async def test_a_file_cut_at_any_byte_means_that_nothing_may_be_changed(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    await files(tmp_path).keep([PYTEST, NO_CURL], "project", here)
    (path,) = (tmp_path / "data" / "permissions" / "projects").glob("*.json")
    whole = path.read_bytes()
    assert len(whole) > 200
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        rules = await files(tmp_path).load(here)
        assert (rules.rules, bool(rules.broken)) == ((), True), length
    path.write_bytes(whole)
    assert (await files(tmp_path).load(here)).broken == ""


@pytest.mark.parametrize("at", ["body", "seal"])
async def test_a_changed_rule_breaks_the_seal_until_a_person_accepts_it(tmp_path: Path, at: str) -> None:
    here = project(tmp_path / "here")
    await files(tmp_path).keep([PYTEST], "project", here)
    (path,) = (tmp_path / "data" / "permissions" / "projects").glob("*.json")
    value = json.loads(path.read_text())
    if at == "body":
        value["body"]["rules"][0]["rule"]["argv"] = ["curl", "**"]
    else:
        value["seal"] = "hmac-sha256:" + "0" * 64
    path.write_text(json.dumps(value))
    owner = files(tmp_path)
    rules = await owner.load(here)
    assert (rules.rules, "seal" in rules.broken) == ((), True)
    problem = owner.problem
    assert problem is not None
    assert str(path) in problem.text
    with pytest.raises(SettingsError, match="cannot be used"):
        await owner.keep([NO_CURL], "project", here)
    proposed = owner.proposed()
    assert proposed is not None
    assert bare(proposed) == [("project", "curl" if at == "body" else "pytest")]
    await owner.accept()
    assert owner.problem is None
    assert bare(owner.rules(here).rules) == bare(proposed)
    assert (await files(tmp_path).load(here)).broken == ""


async def test_the_last_sealed_rules_can_be_restored(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    await files(tmp_path).keep([PYTEST], "project", here)
    (path,) = (tmp_path / "data" / "permissions" / "projects").glob("*.json")
    path.write_bytes(path.read_bytes()[:50])
    owner = files(tmp_path)
    await owner.load(here)
    assert owner.proposed() is None
    assert await owner.restore()
    assert bare(owner.rules(here).rules) == [("project", "pytest")]
    assert list(path.parent.glob("*.broken"))


async def test_accepting_a_file_that_cannot_be_read_sets_it_aside(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    put(tmp_path / "data" / "permissions", "user.json", "{")
    owner = files(tmp_path)
    assert (await owner.load(here)).broken
    await owner.accept()
    assert owner.rules(here) == RuleSet()
    (aside,) = (tmp_path / "data" / "permissions").glob("user.json.*.broken")
    assert aside.read_text() == "{"


async def test_a_file_of_another_project_is_refused(tmp_path: Path) -> None:
    here, there = project(tmp_path / "here"), project(tmp_path / "there")
    owner = files(tmp_path)
    await owner.keep([PYTEST], "project", here)
    await owner.keep([NO_CURL], "project", there)
    folder = tmp_path / "data" / "permissions" / "projects"
    first, second = sorted(folder.glob("*.json"))
    first.write_bytes(second.read_bytes())
    broken = [(await files(tmp_path).load(place)).broken for place in (here, there)]
    assert sum("another project" in sentence for sentence in broken) == 1


async def test_a_change_by_somebody_else_is_told_and_not_applied(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    owner, other = files(tmp_path), files(tmp_path)
    await owner.keep([PYTEST], "project", here)
    assert await owner.changed() is None
    await other.keep([NO_CURL], "project", here)
    told = await owner.changed()
    assert told is not None
    assert "outside of this program" in told.text
    assert bare((await owner.load(here)).rules) == [("project", "pytest")]
    await owner.keep([ArgvRule(effect="allow", argv=("mypy", "**"))], "project", here)
    assert bare(owner.rules(here).rules) == [("project", "pytest"), ("project", "mypy")]
    assert await owner.changed() is not None
    await owner.accept()
    assert bare(owner.rules(here).rules) == [("project", "pytest"), ("project", "curl"), ("project", "mypy")]
    assert await owner.changed() is None


async def test_removed_rule_is_gone_everywhere(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    owner = files(tmp_path)
    await owner.load(here)
    heard: list[RuleSet] = []
    end = owner.listen(here, heard.append)
    (kept,) = await owner.keep([PYTEST], "project", here)
    assert await owner.remove(kept.rule_id)
    assert not await owner.remove(kept.rule_id)
    assert [bare(rules.rules) for rules in heard] == [[("project", "pytest")], []]
    end()
    await owner.keep([NO_CURL], "user", here)
    assert len(heard) == 2
    assert bare((await files(tmp_path).load(here)).rules) == [("user", "curl")]


async def test_uses_are_counted_and_outlive_the_program(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    owner = files(tmp_path)
    (kept,) = await owner.keep([PYTEST], "project", here)
    owner.note_use([kept.rule_id, kept.rule_id])
    owner.note_use([kept.rule_id])
    await owner.flush()
    later = files(tmp_path)
    await later.load(here)
    (row,) = later.rows(here)
    assert (row.uses, row.source, row.expired, row.warning) == (2, "person", "", "")
    assert row.used_at is not None
    assert row.used_at >= row.made_at > 0


async def test_rule_for_a_servers_tool_expires_with_its_definition(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    owner = files(tmp_path)
    await owner.keep([ServerRule(effect="allow", server="s", name="search", definition="sha256:1")], "project", here)
    owner.note_definitions("s", {"search": "sha256:1"})
    assert owner.rows(here)[0].expired == ""
    owner.note_definitions("s", {"search": "sha256:2"})
    assert "changed this tool" in owner.rows(here)[0].expired


async def test_rule_that_never_has_an_effect_is_warned_of(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    owner = files(tmp_path)
    await owner.load(here)
    await owner.keep([ArgvRule(effect="allow", argv=("curl", "x")), NO_CURL, PathRule(effect="allow", tool="edit", path=".git/**")], "project", here)
    assert [bool(row.warning) for row in owner.rows(here)] == [True, False, True]
    assert len(owner.warnings(here)) == 2


async def test_key_of_the_seal_is_in_the_keyring_if_there_is_one(tmp_path: Path) -> None:
    here, ring = project(tmp_path / "here"), Ring()
    owner = files(tmp_path, ring)
    before = owner.seal
    assert before == ""
    await owner.keep([PYTEST], "project", here)
    assert owner.seal == "keyring"
    assert not (tmp_path / "data" / "permissions" / "seal.key").exists()
    assert (await files(tmp_path, ring).load(here)).broken == ""
    assert (await files(tmp_path).load(here)).broken, "without the keyring nothing can be checked"
    assert (await files(tmp_path, Ring(locked=True)).load(here)).broken


async def test_key_moves_from_its_file_into_a_keyring_and_the_rules_still_hold(tmp_path: Path) -> None:
    here, ring = project(tmp_path / "here"), Ring()
    owner = files(tmp_path)
    await owner.keep([PYTEST], "project", here)
    assert owner.seal == "file"
    assert stat.S_IMODE((tmp_path / "data" / "permissions" / "seal.key").stat().st_mode) == 0o600
    later = files(tmp_path, ring)
    assert bare((await later.load(here)).rules) == [("project", "pytest")]
    assert later.seal == "keyring"
    assert not (tmp_path / "data" / "permissions" / "seal.key").exists()


async def test_without_rules_no_keyring_is_asked(tmp_path: Path) -> None:
    async def keyring() -> KeyringBackend | None:
        raise AssertionError("asked")

    assert (await RuleFiles(tmp_path / "data", SealKey(tmp_path / "data", keyring)).load(project(tmp_path / "here"))) == RuleSet()


async def test_rules_that_cannot_be_written_are_not_in_force(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    put(tmp_path, "data", "a file where the folder should be")
    owner = files(tmp_path)
    with pytest.raises(SettingsError):
        await owner.keep([PYTEST], "project", here)
    assert owner.rules(here).rules == ()


async def test_rules_of_a_session_are_never_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="session"):
        await files(tmp_path).keep([PYTEST], "session", project(tmp_path / "here"))


async def test_repository_only_tightens(tmp_path: Path) -> None:
    rules = {"rules": [{"tool": "bash", "argv": ["curl", "**"], "effect": "deny"}, {"tool": "bash", "argv": ["rm", "**"], "effect": "allow"}, {"tool": 1}]}
    toml = '[permissions]\nrules = [{tool = "edit", path = "docs/**", effect = "ask"}]\n'
    here = project(tmp_path / "here")
    put(here.path, ".workbench/permissions.json", json.dumps(rules))
    put(here.path, "workbench.toml", toml)
    owner = files(tmp_path)
    found = await owner.load(here)
    assert [(rule.effect, rule.rule_id) for rule in found.rules] == [("deny", ".workbench/permissions.json:1"), ("ask", "workbench.toml:1")]
    assert [row.source for row in owner.rows(here)] == ["repository", "repository"]
    assert bare(owner.offered(here)) == [("project", "rm")]
    (warning,) = owner.warnings(here)
    assert "Rule 3" in warning.text
    assert not await owner.remove("workbench.toml:1")


@pytest.mark.parametrize("text", ["{", "[1]", '{"rules": 3}', '"\\ud800"', "[" * 100_000, "\0", '{"rules": ' + json.dumps([{}] * 600) + "}"], ids=range(7))
async def test_broken_rules_of_a_repository_are_told_and_ignored(tmp_path: Path, text: str) -> None:
    here = project(tmp_path / "here")
    put(here.path, ".workbench/permissions.json", text)
    owner = files(tmp_path)
    rules = await owner.load(here)
    assert rules == RuleSet()
    assert owner.warnings(here)


async def test_rules_of_a_repository_are_not_read_through_links(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    put(tmp_path / "elsewhere", "permissions.json", json.dumps({"rules": [{"tool": "bash", "effect": "deny"}]}))
    (here.path / ".workbench").symlink_to(tmp_path / "elsewhere")
    owner = files(tmp_path)
    assert (await owner.load(here)).rules == ()
    assert "link" in owner.warnings(here)[0].text


async def test_only_what_a_person_could_see_is_accepted(tmp_path: Path) -> None:
    """Whoever changes a file between the question and the answer, or while its rules are in force, gets nothing in unseen."""
    here = project(tmp_path / "here")
    owner = files(tmp_path)
    await owner.keep([PYTEST], "project", here)
    (path,) = (tmp_path / "data" / "permissions" / "projects").glob("*.json")
    value = json.loads(path.read_text())
    for command in ("curl", "sh"):  # first while the rules are in force, then while the changed file is shown
        value["body"]["rules"][0]["rule"]["argv"] = [command, "**"]
        path.write_text(json.dumps(value))
        assert not await owner.accept()
        proposed = owner.proposed()
        assert proposed is not None
        assert bare(proposed) == [("project", command)]
        assert (owner.rules(here).rules, bool(owner.rules(here).broken)) == ((), True)
    assert await owner.accept()
    assert bare(owner.rules(here).rules) == [("project", "sh")]


@pytest.mark.parametrize("answer", ["accept", "restore"])
async def test_a_file_that_cannot_be_written_is_not_lost_over_it(tmp_path: Path, answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    here = project(tmp_path / "here")
    await files(tmp_path).keep([NO_CURL], "project", here)
    (path,) = (tmp_path / "data" / "permissions" / "projects").glob("*.json")
    path.write_bytes(b"{")
    owner = files(tmp_path)
    await owner.load(here)

    def full(_path: Path, _content: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr("workbench.settings.rule_files.write_whole", full)
        with pytest.raises(SettingsError, match="No space left"):
            await (owner.accept() if answer == "accept" else owner.restore())
    assert path.read_bytes() == b"{"
    assert (await files(tmp_path).load(here)).broken, "it still keeps everything from being changed"



async def test_a_file_that_is_gone_does_not_take_its_refusals_with_it(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    await files(tmp_path).keep([NO_CURL], "project", here)
    (path,) = (tmp_path / "data" / "permissions" / "projects").glob("*.json")
    path.unlink()
    owner = files(tmp_path)
    assert "gone" in (await owner.load(here)).broken
    assert await owner.restore()
    assert bare(owner.rules(here).rules) == [("project", "curl")]
    path.unlink()
    other = files(tmp_path)
    await other.load(here)
    assert await other.accept()
    assert other.rules(here) == RuleSet()


async def test_a_locked_keyring_is_told_and_makes_no_other_key(tmp_path: Path) -> None:
    here, ring = project(tmp_path / "here"), Ring()
    await files(tmp_path, ring).keep([PYTEST], "project", here)
    ring.locked = True
    owner = files(tmp_path, ring)
    broken = (await owner.load(here)).broken
    assert "keyring" in broken
    assert "somebody" not in broken
    assert not (tmp_path / "data" / "permissions" / "seal.key").exists()
    ring.locked = False
    assert await owner.accept()
    assert bare(owner.rules(here).rules) == [("project", "pytest")]
    assert (await files(tmp_path, ring).load(here)).broken == ""


async def test_a_keyring_that_never_comes_back_can_be_done_without(tmp_path: Path) -> None:
    here = project(tmp_path / "here")
    await files(tmp_path, Ring()).keep([PYTEST], "project", here)
    owner = files(tmp_path)
    assert (await owner.load(here)).broken
    assert await owner.accept()
    assert (owner.seal, bare((await files(tmp_path).load(here)).rules)) == ("file", [("project", "pytest")])


async def test_two_programs_that_start_at_once_make_one_key(tmp_path: Path) -> None:
    import asyncio

    keys = [SealKey(tmp_path / "data") for _ in range(8)]
    assert len(set(await asyncio.gather(*(key.key() for key in keys)))) == 1
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["seal.key"]
