"""The profile for macOS, read as text: it was never run."""

from __future__ import annotations

from pathlib import Path

from workbench.workspace.sandbox import Bounds, Sandbox
from workbench.workspace.sandbox_seatbelt import seatbelt_line
from workbench.workspace.sandbox_survey import Survey
from workbench.workspace.started_shell import Launch


def line_for(folder: Path, *, network: bool) -> tuple[str, ...]:
    found = Survey(repositories=[folder / ".git"], protected={folder / ".vscode": ()}, secrets=[folder / ".env"], steering={folder / ".git/hooks": ()})
    launch = Launch(line=("/bin/bash",), folder=folder, environment={"TMPDIR": "/var/folders/x", "PATH": "/usr/bin"}, output=1)
    sandbox = Sandbox(rung="seatbelt", program=Path("/usr/bin/sandbox-exec"), homes=(folder.parent,))
    return seatbelt_line(sandbox, Bounds(workspace=folder, network=network), found, launch)


def test_paths_are_parameters_and_no_text(tmp_path: Path) -> None:
    folder = tmp_path / 'w") (allow default'
    folder.mkdir()
    line = line_for(folder, network=False)
    profile = line[line.index("-p") + 1]
    assert str(folder) not in profile
    assert {f"{folder}/.env", f"{folder}/.vscode", f"{folder}/.git/hooks", str(folder), "/private/var/folders/x"} <= {
        word.partition("=")[2] for word in line if word.startswith("P")
    }
    assert all(f'(param "P{number}")' in profile for number in range(sum(word == "-D" for word in line)))


def test_network_is_denied_unless_approved(tmp_path: Path) -> None:
    assert "(deny network*)" in line_for(tmp_path, network=False)[2]
    assert "(allow network*)" in line_for(tmp_path, network=True)[2]
    assert line_for(tmp_path, network=False)[-1] == "--"
