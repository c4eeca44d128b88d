"""Which file names hold secrets, and which govern what happens later: recognised by name, in whatever spelling a file system would accept.

Names are compared after Unicode normalisation, case folding and removal of what some platform ignores (invisible characters,
trailing dots and spaces, stream and short-name suffixes), on every platform: a repository moves between them.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import NamedTuple

from workbench.permissions.danger import Danger
from workbench.permissions.visible import is_hidden

_TEMPLATES = (".example", ".sample", ".template", ".dist")
_SECRET_NAMES = frozenset({
    ".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd", ".dockercfg", ".vault-token",
    ".authinfo", ".authinfo.gpg", "secring.gpg",
})  # fmt: skip
_SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".jks", ".keystore", ".ppk", ".env")
_SECRET_FOLDERS = frozenset({".aws", ".ssh", ".gnupg", ".azure", ".kube", ".password-store"})
_SSH_KEY = re.compile(r"id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?![a-z0-9])")
_CREDENTIALS = re.compile(r"credentials?(?![a-z])")
_SOURCE_ENDINGS = (
    ".py", ".pyi", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".go", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".rb", ".php", ".swift",
    ".scala", ".lua", ".sh", ".md", ".rst", ".html", ".css", ".pub",
)  # fmt: skip

_GOVERNING_FOLDERS = frozenset({
    ".git", ".husky", ".githooks", ".workbench", ".claude", ".cursor", ".gemini", ".codex", ".opencode", ".agents", ".vscode", ".idea", ".direnv",
})  # fmt: skip
_GOVERNING_NAMES = frozenset({
    ".gitmodules", ".gitattributes", ".gitconfig", ".mcp.json", "workbench.toml", "agents.md", "claude.md", "gemini.md", ".cursorrules", ".windsurfrules",
    ".envrc", ".tool-versions", ".pre-commit-config.yaml",
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
    ".kshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".xprofile", ".xinitrc", ".xsessionrc", ".xsession", "config.fish",
})  # fmt: skip
_CI_FOLDERS = ((".github", "workflows"), (".github", "actions"), (".circleci",), (".gitlab",), (".buildkite",), (".forgejo",), (".gitea",), (".ci",))
_CI_NAMES = frozenset({".gitlab-ci.yml", ".gitlab-ci.yaml", "jenkinsfile", "azure-pipelines.yml", ".travis.yml", "bitbucket-pipelines.yml", ".drone.yml"})
_SHORT_NAMES = {"git~1": ".git", "gitmod~1": ".gitmodules", "gitatt~1": ".gitattributes", "workbe~1": ".workbench", "vscode~1": ".vscode"}
_LATER_NAMES = frozenset({
    "makefile", "gnumakefile", "justfile", "package.json", "conftest.py", "setup.py", "setup.cfg", "pyproject.toml", "noxfile.py", "tox.ini", "build.rs",
    "cargo.toml", "cmakelists.txt", "dockerfile", "rakefile", "gemfile", "build.gradle", "sitecustomize.py", "usercustomize.py",
})  # fmt: skip


class Protection(NamedTuple):
    """Why a file is protected from writing: the part of its path that says so, and the level a write has."""

    name: str
    danger: Danger


@functools.lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """Return one path component in the spelling in which names are compared."""
    text = unicodedata.normalize("NFKC", "".join(character for character in name if not is_hidden(character)))
    text = unicodedata.normalize("NFKC", text.casefold())
    text = "".join(character for character in text if not is_hidden(character))
    text = text.partition(":")[0].rstrip(". ")
    return _SHORT_NAMES.get(text, text)


def components(path: str) -> tuple[str, ...]:
    """Return the folded components of a path, whichever separator it uses; empty ones and ``.`` are left out."""
    return tuple(name for part in re.split(r"[/\\]", path) if part not in {"", ".", ".."} if (name := folded(part)))


def is_secret(path: str) -> bool:
    """Say whether a file of this name usually holds keys or passwords; the content is not looked at."""
    names = components(path)
    return bool(names) and (_is_secret_name(names[-1]) or bool(_SECRET_FOLDERS.intersection(names)))


def _is_secret_name(name: str) -> bool:
    if name.endswith(_TEMPLATES):
        return False
    if name in _SECRET_NAMES or name.startswith((".env.", ".env-", ".env_")) or name.endswith(_SECRET_ENDINGS):
        return True
    if _SSH_KEY.match(name):
        return not name.endswith(".pub")
    if name.startswith("id_"):
        return "." not in name
    return bool(_CREDENTIALS.match(name)) and not name.endswith(_SOURCE_ENDINGS)


def protection(path: str) -> Protection | None:
    """Return why a path inside the workspace is protected from writing; None if it is an ordinary file.

    Files that steer git, editors, agents or shells are red in every mode; what a build server runs is one level below.
    """
    names = components(path)
    for name in names:
        if name in _GOVERNING_FOLDERS:
            return Protection(name + "/", Danger.DESTROY)
    if names and names[-1] in _GOVERNING_NAMES:
        return Protection(names[-1], Danger.DESTROY)
    for folders in _CI_FOLDERS:
        if any(names[start : start + len(folders)] == folders for start in range(len(names))):
            return Protection("/".join(folders) + "/", Danger.REACH)
    if names and names[-1] in _CI_NAMES:
        return Protection(names[-1], Danger.REACH)
    return None


def runs_later(path: str) -> bool:
    """Say whether an ordinary tool runs this file's content later (build files, test set-up); worth a mark, not a question."""
    names = components(path)
    return bool(names) and (names[-1] in _LATER_NAMES or names[-1].endswith(".pth"))
