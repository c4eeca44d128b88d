"""Secret and governing files are recognised by name in every spelling a file system would accept."""

from __future__ import annotations

import pytest

from workbench.permissions.danger import Danger
from workbench.permissions.names import folded, is_secret, protection, runs_later

SECRET = [
    ".env", "config/.env.production", ".ENV", ".env.", ".env ", ".e\u200bnv", "\uff0eenv", "prod.env", ".envrc", ".netrc", ".npmrc", ".pypirc",
    ".git-credentials", "id_rsa", "id_rsa.bak", "id_ed25519", "id_ed25519_sk", "id_work", "certs/server.pem", "a.KEY", "store.p12", "x.pfx", "passwords.kdbx",
    "credentials", "credentials.json", "Credentials.toml", "home/.ssh/config", ".aws/config", ".gnupg/x", ".env:stream", "C:\\Users\\u\\.ssh\\config",
]  # fmt: skip
NOT_SECRET = [
    ".env.example", ".env.sample", ".env.template", "environment.py", "env", "id_rsa.pub", "id_generator.py", "src/credentials.py", "credentialing.md",
    "keys.py", "README.md", "monkey", "pem.txt", "", ".", "a/..",
]  # fmt: skip


@pytest.mark.parametrize("path", SECRET)
def test_secret_name_is_recognised(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", NOT_SECRET)
def test_ordinary_name_is_no_secret(path: str) -> None:
    assert not is_secret(path)


GOVERNING = [
    ".git/hooks/pre-commit", ".git/config", ".git/info/attributes", ".GIT/config", "src/.git/hooks/post-checkout", "git~1/config", ".git", ".git./config",
    ".git /config", ".g\u200dit/config", ".gitmodules", ".gitattributes", ".gitconfig", ".husky/pre-commit", ".githooks/x", ".workbench/permissions.json",
    ".Workbench/Permissions.JSON", ".mcp.json", ".claude/settings.json", ".cursor/x", ".gemini/x", ".codex/x", "AGENTS.md", "docs/agents.MD", "CLAUDE.md",
    ".vscode/tasks.json", ".idea/x", ".envrc", ".tool-versions", ".bashrc", ".zshenv", ".profile", "workbench.toml", ".git\\hooks\\x",
    ".git::$INDEX_ALLOCATION",
]  # fmt: skip


@pytest.mark.parametrize("path", GOVERNING)
def test_writing_a_governing_file_is_red(path: str) -> None:
    found = protection(path)
    assert found is not None
    assert found.danger is Danger.DESTROY


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", ".GITHUB/Workflows/x", ".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile"])
def test_writing_what_a_build_server_runs_is_one_level_below(path: str) -> None:
    found = protection(path)
    assert found is not None
    assert found.danger is Danger.REACH


@pytest.mark.parametrize("path", ["src/app.py", ".gitignore", ".github/CODEOWNERS", "git/config", "docs/git.md", "agents.py", "claude.py", "vscode/x", ""])
def test_ordinary_file_is_not_protected(path: str) -> None:
    assert protection(path) is None


def test_what_ordinary_tools_run_later_is_marked_only() -> None:
    assert runs_later("Makefile")
    assert runs_later("sub/conftest.py")
    assert runs_later("x.pth")
    assert not runs_later("src/app.py")
    assert protection("Makefile") is None


def test_folding_is_the_same_for_folded_names() -> None:
    for name in ("\u00c5ngstr\u00f6m", "STRASSE", "\u1e9e", "\ufb01le", ".GIT ", "a\u034fb"):
        assert folded(folded(name)) == folded(name)
