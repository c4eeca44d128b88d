"""Find the files of resources/: beside the package in a checkout, inside it (as _resources) in a wheel or a bundle."""

from __future__ import annotations

import contextlib
import shutil
import stat
import tempfile
import time
from pathlib import Path

from workbench.errors import ResourceMissing, WorkspaceError

PACKAGE = Path(__file__).resolve().parent
ABANDONED_AFTER_S = 600.0


def resource(*parts: str) -> Path:
    """Return the path of a file or folder of resources/, e.g. ``resource("prompts", "system.md")``.

    Raises:
        ResourceMissing: it is not there, so the installation is not whole.
    """
    folder = PACKAGE / "_resources"
    if not folder.is_dir():
        folder = PACKAGE.parent / "resources"
    path = folder.joinpath(*parts)
    if path.exists():
        return path
    name = "/".join(("resources", *parts))
    raise ResourceMissing(
        f"A part of the program is missing: {name} is not at {path}. Install the program again.",
        message_id="resource.missing",
        values={"name": name, "path": str(path)},
    )


def sample_project_copy(data_folder: Path) -> Path:
    """Return ``data_folder/sample``, a copy of the sample project that belongs to the user.

    It is made once and appears whole: files are copied beside it and the folder is renamed, so a kill leaves no half copy,
    two starts at once agree on one, and what the user changed in it stays.

    Raises:
        ResourceMissing: the installation carries no sample project.
        WorkspaceError: the data folder cannot be written.
    """
    sample = data_folder / "sample"
    if sample.is_dir():
        return sample
    origin = resource("sample_project")
    try:
        data_folder.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(data_folder)
        _publish(_copy_beside(origin, data_folder), sample)
    except OSError as error:
        raise WorkspaceError(
            f"The sample project could not be copied to {sample}: {error.strerror or error}. Name a folder of your own instead.",
            message_id="workspace.sample_failed",
            values={"path": str(sample), "reason": error.strerror or str(error)},
        ) from error
    return sample


def _copy_beside(origin: Path, data_folder: Path) -> Path:
    """Copy into a new folder under a name of its own; files may be changed by the user even if the originals may not."""
    part = Path(tempfile.mkdtemp(prefix="sample.part-", dir=data_folder))
    part.chmod(0o755)
    for source in sorted(origin.rglob("*")):
        target = part / source.relative_to(origin)
        if "__pycache__" in target.parts:
            continue
        if source.is_dir():
            target.mkdir()
        else:
            shutil.copyfile(source, target)
            target.chmod(source.stat().st_mode | stat.S_IWUSR)
    return part


def _publish(part: Path, sample: Path) -> None:
    """Give the copy its name; if another start was faster, its copy stays and this one goes."""
    try:
        part.rename(sample)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        if not sample.is_dir():
            raise


def _remove_abandoned(data_folder: Path) -> None:
    """Remove the copies that a kill left; one that another start is writing at this moment is younger."""
    for part in data_folder.glob("sample.part-*"):
        with contextlib.suppress(OSError):
            if time.time() - part.stat().st_mtime > ABANDONED_AFTER_S:
                shutil.rmtree(part, ignore_errors=True)
