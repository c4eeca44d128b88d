"""A few letters find the file that is meant: its name first, pieces before scattered letters, short before long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.pace import not_hung
from workbench.ui.frame.fuzzy import ROWS, best_paths

PATHS = ("src/tidewatch/dates.py", "tests/test_dates.py", "data/harbour.csv", "docs/dates/table.md", "README.md", "src/update.py")


def found(query: str, paths: tuple[str, ...] = PATHS) -> list[str]:
    return [one.path for one in best_paths(query, paths)]


def test_name_counts_before_its_folders() -> None:
    assert found("dates") == ["src/tidewatch/dates.py", "tests/test_dates.py", "docs/dates/table.md"]


def test_scattered_letters_find_what_no_piece_does() -> None:
    assert found("tdpy") == ["tests/test_dates.py", "src/tidewatch/dates.py"]
    assert found("xyz") == []


def test_case_does_not_matter() -> None:
    assert found("readme") == ["README.md"]
    assert found("README") == ["README.md"]


def test_empty_query_shows_the_top_first() -> None:
    assert found("")[0] == "README.md"
    assert len(found("")) == len(PATHS)


def test_places_of_the_letters_are_those_that_fit() -> None:
    (one,) = best_paths("bour", PATHS)
    assert "".join(one.path[place] for place in one.offsets) == "bour"
    (straße,) = best_paths("stra", ("Straße/x.py",))
    assert straße.offsets == (), "a letter that is two when folded: no places rather than wrong ones"


def test_no_more_rows_than_are_shown() -> None:
    assert len(found("a", tuple(f"a{number}" for number in range(500)))) == ROWS


def test_names_that_look_like_patterns_are_taken_as_they_are() -> None:
    assert found("a.*(", ("a.*(b", "axx(b")) == ["a.*(b"]


@given(st.text(max_size=6), st.lists(st.text(max_size=20), max_size=20))
def test_every_match_holds_the_letters_in_order(query: str, paths: list[str]) -> None:
    for one in best_paths(query, paths):
        place = -1
        for letter in query.casefold():
            place = one.path.casefold().find(letter, place + 1)
            assert place >= 0
        assert list(one.offsets) == sorted(set(one.offsets))


def test_hundred_thousand_paths_are_searched_without_a_halt() -> None:
    paths = tuple(f"src/package_{number % 700}/module_{number}.py" for number in range(100_000))
    with not_hung(2):
        assert best_paths("module_99999", paths)[0].path.endswith("module_99999.py")
