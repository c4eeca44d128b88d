"""A file of secrets is shown by its names, and what stands in the place of a value never gets into a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.running import Bench

SECRET = "canary-env-7711"  # noqa: S105 - nobody's


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    (made.ws / ".env").write_text(f"# shop\nDB_PASSWORD={SECRET}\nPORT=80\n")
    return made


@pytest.mark.parametrize("name", [".env", ".ENV", "keys/../.env"])
async def test_names_are_shown_and_the_values_are_counted(bench: Bench, name: str) -> None:
    (bench.ws / "keys").mkdir()
    (bench.ws / ".ENV").write_text(f"# shop\nDB_PASSWORD={SECRET}\nPORT=80\n")
    result = await bench.run("read", file_path=name)
    assert "<content>\n1: # shop\n2: DB_PASSWORD=[REDACTED:DB_PASSWORD]\n3: PORT=[REDACTED:PORT]\n</content>\n(lines 1-3 of 3)\n" in result.text
    assert "show_secrets asks the user" in result.text
    assert (result.secrets_replaced, result.shows_secrets) == (2, False)


async def test_a_link_to_a_file_of_secrets_is_one(bench: Bench) -> None:
    (bench.ws / "plain.txt").symlink_to(bench.ws / ".env")
    assert SECRET not in (await bench.run("read", file_path="plain.txt")).text


async def test_an_ordinary_file_and_an_example_are_shown_as_they_are(bench: Bench) -> None:
    for name in ("notes.txt", ".env.example"):
        (bench.ws / name).write_text("A=b\n")
        result = await bench.run("read", file_path=name)
        assert "1: A=b" in result.text
        assert not result.secrets_replaced
        assert (await bench.plan("read", file_path=name)).preview.notes == ()


async def test_values_are_shown_only_on_demand_and_a_person_is_told_before(bench: Bench) -> None:
    assert "not the values" in (await bench.plan("read", file_path=".env")).preview.notes[0]
    plan = await bench.plan("read", file_path=".env", show_secrets=True)
    assert "sent to its provider" in plan.preview.notes[0]
    result = await bench.apply(plan)
    assert SECRET in result.text
    assert result.shows_secrets


async def test_a_mark_is_never_written_over_a_secret(bench: Bench) -> None:
    await bench.run("read", file_path=".env")
    whole = await bench.run("write", file_path=".env", content="# shop\nDB_PASSWORD=[REDACTED:DB_PASSWORD]\nPORT=81\n")
    assert whole.text.startswith("Error (invalid_arguments): The new text holds [REDACTED:DB_PASSWORD]")
    edit = await bench.run("edit", file_path=".env", old_string="DB_PASSWORD=[REDACTED:DB_PASSWORD]", new_string="DB_PASSWORD=x")
    assert "is not in the file" in edit.text
    assert SECRET in (bench.ws / ".env").read_text()
    other = await bench.run("edit", file_path=".env", old_string="PORT=80", new_string="PORT=81")
    assert other.status == "ok"
    assert (bench.ws / ".env").read_text() == f"# shop\nDB_PASSWORD={SECRET}\nPORT=81\n"


async def test_a_mark_that_is_in_the_file_already_may_stay(bench: Bench) -> None:
    (bench.ws / "notes.md").write_text("It shows [REDACTED:key] then.\n")
    await bench.run("read", file_path="notes.md")
    result = await bench.run("edit", file_path="notes.md", old_string="It shows [REDACTED:key] then.", new_string="It shows [REDACTED:key] now.")
    assert result.status == "ok"
