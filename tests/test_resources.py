"""Files of resources/ are found in a checkout and in a wheel, and the sample project is copied once and whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from tests.shared import ROOT
from workbench import resources
from workbench.errors import ResourceMissing, WorkspaceError


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose sample project has a read-only file, a script and a folder."""
    project = tmp_path / "checkout"
    sample = project / "resources" / "sample_project"
    (sample / "notes").mkdir(parents=True)
    (sample / "a.py").write_text("print('你好')\n", encoding="utf-8")
    (sample / "notes" / "read-only.txt").write_text("text\n")
    (sample / "notes" / "read-only.txt").chmod(0o444)
    (sample / "start.sh").write_text("#!/bin/sh\n")
    (sample / "start.sh").chmod(0o755)
    monkeypatch.setattr(resources, "PACKAGE", project / "workbench")
    return project


def test_resource_is_found_in_this_checkout() -> None:
    assert resources.resource() == ROOT / "resources"
    assert (resources.resource("sample_project") / "README.md").is_file()


def test_resources_inside_the_package_win(checkout: Path) -> None:
    inside = checkout / "workbench" / "_resources"
    (inside / "prompts").mkdir(parents=True)
    (inside / "prompts" / "system.md").write_text("text")
    assert resources.resource("prompts", "system.md") == inside / "prompts" / "system.md"


def test_missing_resource_is_named_in_one_sentence(checkout: Path) -> None:
    with pytest.raises(ResourceMissing) as caught:
        resources.resource("icons", "none.svg")
    assert "resources/icons/none.svg" in caught.value.text
    assert caught.value.values["path"] == str(checkout / "resources" / "icons" / "none.svg")


def test_sample_is_copied_with_its_folders_and_modes(checkout: Path, tmp_path: Path) -> None:
    sample = resources.sample_project_copy(tmp_path / "new" / "data")
    assert sample == tmp_path / "new" / "data" / "sample"
    assert sorted(str(path.relative_to(sample)) for path in sample.rglob("*")) == ["a.py", "notes", "notes/read-only.txt", "start.sh"]
    assert (sample / "a.py").read_bytes() == (checkout / "resources" / "sample_project" / "a.py").read_bytes()
    assert os.access(sample / "start.sh", os.X_OK)
    assert (sample / "notes" / "read-only.txt").stat().st_mode & 0o200


@pytest.mark.usefixtures("checkout")
def test_users_changes_in_the_sample_stay(tmp_path: Path) -> None:
    sample = resources.sample_project_copy(tmp_path)
    (sample / "a.py").write_text("changed")
    (sample / "start.sh").unlink()
    assert resources.sample_project_copy(tmp_path) == sample
    assert (sample / "a.py").read_text() == "changed"
    assert not (sample / "start.sh").exists()


@pytest.mark.usefixtures("checkout")
def test_half_copy_is_never_taken_for_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        """Nothing in the program catches it, as nothing catches a kill."""

    def die(*_args: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", die)
        with pytest.raises(Killed):
            resources.sample_project_copy(tmp_path)
    assert not (tmp_path / "sample").exists()
    assert (resources.sample_project_copy(tmp_path) / "notes" / "read-only.txt").is_file()


@pytest.mark.usefixtures("checkout")
def test_old_half_copy_is_removed_and_a_young_one_stays(tmp_path: Path) -> None:
    old, young = tmp_path / "sample.part-old", tmp_path / "sample.part-young"
    old.mkdir()
    young.mkdir()
    os.utime(old, (0, 0))
    resources.sample_project_copy(tmp_path)
    assert (old.exists(), young.exists()) == (False, True)


@pytest.mark.usefixtures("checkout")
def test_starts_at_the_same_time_agree_on_one_copy(tmp_path: Path) -> None:
    barrier = threading.Barrier(8)
    found: list[Path] = []

    def start() -> None:
        barrier.wait()
        found.append(resources.sample_project_copy(tmp_path))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [tmp_path / "sample"] * 8
    assert [path.name for path in tmp_path.glob("sample*")] == ["sample"]


@pytest.mark.usefixtures("checkout")
def test_data_folder_that_is_a_file_gives_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(WorkspaceError, match=r"could not be copied to .*data"):
        resources.sample_project_copy(tmp_path / "data")


def test_wheel_carries_the_resources_where_the_program_looks(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=50)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "site")
    assert "workbench/resources.py" in names
    assert not [name for name in names if name.startswith(("tests/", "packaging/", "resources/"))]
    code = "from workbench.resources import resource; print(resource('sample_project'))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    found = subprocess.check_output([sys.executable, "-P", "-c", code], cwd=tmp_path, env=environment, text=True)
    assert Path(found.strip()) == tmp_path / "site" / "workbench" / "_resources" / "sample_project"
