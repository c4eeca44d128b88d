"""Commands that destroy, publish or take control, and commands that reach the network: recognised by name and options.

A list of bad things is never complete, so nothing is allowed because it is not listed here; it only decides what is shown in red.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from workbench.permissions.shell_wrappers import SHELLS, program

Judge = Callable[[Sequence[str]], str]

_SQL = re.compile(r"\b(drop\s+(table|database|schema|index|view|user|role|collection)|truncate\s+(table\s+)?\w|delete\s+from)\b", re.IGNORECASE)
_FUNCTION = re.compile(r"([^\s(){}|&;]{1,64})\s*\(\s*\)\s*\{")
_PIPED_INTO_ITSELF = re.compile(r"([^\s(){}|&;]{1,64})\s*\|\s*\1\s*&")
_DOWNLOADERS = frozenset({"curl", "wget", "fetch", "aria2c", "http", "https", "lynx", "nc", "ncat", "netcat"})
_INTERPRETERS = SHELLS | {"python", "python3", "perl", "ruby", "node", "php", "lua", "source", ".", "eval", "iex"}


def letters(arguments: Sequence[str]) -> frozenset[str]:
    """Return the letters of the short options, up to ``--``."""
    found: set[str] = set()
    for argument in arguments:
        if argument == "--":
            break
        if argument.startswith("-") and not argument.startswith("--"):
            found.update(argument[1:])
    return frozenset(found)


def has_long(arguments: Sequence[str], *names: str) -> bool:
    """Say whether a long option is given, also abbreviated or with a value."""
    given = [argument[2:].partition("=")[0] for argument in arguments if argument.startswith("--") and len(argument) > 2]
    return any(name.startswith(short) for name in names for short in given)


def operands(arguments: Sequence[str]) -> list[str]:
    """Return what is not an option; option values that stand apart are among them."""
    return [argument for argument in arguments if not argument.startswith("-")]


def destroys(argv: Sequence[str]) -> str:
    """Return why a command destroys, publishes or takes control, as one sentence; empty if it is not known to."""
    name = program(argv[0])
    judge = _DESTROYING.get(name)
    if judge is not None:
        return judge(argv[1:])
    return "It makes a file system and wipes what was there." if name.startswith("mkfs.") else ""


def is_fork_bomb(text: str) -> bool:
    """Say whether a text defines a function that starts itself twice."""
    if not {"(", "|", "&"} <= set(text):
        return False
    return not set(_FUNCTION.findall(text)).isdisjoint(_PIPED_INTO_ITSELF.findall(text))


def runs_a_download(programs: Sequence[tuple[str, bool, bool]]) -> bool:
    """Say whether something downloaded is run.

    Args:
        programs: for each command of the text its program, whether its output goes on (a pipe or a substitution), and whether it takes
            code from elsewhere (piped into, or from a substitution).
    """
    loads = any(name in _DOWNLOADERS and goes_on for name, goes_on, _takes in programs)
    return loads and any(name in _INTERPRETERS and takes for name, _goes_on, takes in programs)


def reaches_network(argv: Sequence[str]) -> str:
    """Return why a command reaches the network, as one sentence; empty if it is not known to."""
    name, arguments = program(argv[0]), argv[1:]
    if name in _NETWORK:
        return f"{name} reaches the network."
    first = next(iter(operands(arguments)), "")
    if name == "git":
        verb, rest = git_verb(arguments)
        if verb in _GIT_NETWORK or (verb == "remote" and operands(rest)[:1] in (["show"], ["update"], ["prune"])):
            return f"git {verb} talks to another computer."
    if first in _NETWORK_VERBS.get(name, frozenset()):
        return f"{name} {first} reaches the network."
    if name in {"python", "python3"} and ("http.server" in arguments or list(arguments[:2]) == ["-m", "pip"]):
        return "This Python module reaches the network."
    return ""


def git_verb(arguments: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return git's sub-command and what follows it, past the global options."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at += 2 if arguments[at] in {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"} else 1
    return (arguments[at], arguments[at + 1 :]) if at < len(arguments) else ("", ())


def _always(text: str) -> Judge:
    return lambda _arguments: text


def _if_options(text: str, short: str = "", *long: str) -> Judge:
    return lambda arguments: text if letters(arguments) & set(short) or has_long(arguments, *long) else ""


def _if_verb(text: str, *verbs: str) -> Judge:
    """Judge by the first operand, or by two in order (``system prune``) when a verb has a blank."""
    wanted = [verb.split() for verb in verbs]

    def judge(arguments: Sequence[str]) -> str:
        given = operands(arguments)
        return text if any(given[: len(words)] == words for words in wanted) else ""

    return judge


def _if_sql(arguments: Sequence[str]) -> str:
    return "It deletes data in a database." if any(_SQL.search(argument) for argument in arguments) else ""


def _crontab(arguments: Sequence[str]) -> str:
    return "" if letters(arguments) == {"l"} else "It changes the commands that run by themselves at set times."


def _dd(arguments: Sequence[str]) -> str:
    return "dd overwrites its output without asking." if any(argument.startswith("of=") for argument in arguments) else ""


def _kill(arguments: Sequence[str]) -> str:
    targets = arguments[1:] if arguments[:1] and arguments[0].startswith("-") and len(arguments) > 1 else arguments
    return "It ends every process it may." if "-1" in targets else ""


def _find(arguments: Sequence[str]) -> str:
    return "find deletes everything it finds." if "-delete" in arguments else ""


def _init(arguments: Sequence[str]) -> str:
    return "It stops or restarts the machine." if operands(arguments)[:1] in (["0"], ["6"]) else ""


def _pytest(arguments: Sequence[str]) -> str:
    return "--basetemp empties the folder it names." if has_long(arguments, "basetemp") else ""


def _python(arguments: Sequence[str]) -> str:
    if list(arguments[:1]) == ["-m"] and len(arguments) > 1:
        return destroys(arguments[1:])
    return ""


def _npm(arguments: Sequence[str]) -> str:
    return _if_verb("It publishes to, or removes from, a public registry.", "publish", "unpublish", "deprecate", "dist-tag", "owner")(arguments)


def _cloud(arguments: Sequence[str]) -> str:
    given = operands(arguments)
    verbs = {"rm", "rb", "delete", "destroy", "purge", "terminate", "remove", "drop"}
    hit = next((word for word in given if word in verbs or word.startswith(("delete-", "terminate-"))), "")
    return "It removes things on a server." if hit else ""


def _git(arguments: Sequence[str]) -> str:
    verb, rest = git_verb(arguments)
    judge = _GIT_DESTROYING.get(verb)
    return judge(rest) if judge else ""


def _git_push(arguments: Sequence[str]) -> str:
    forced = letters(arguments) & set("fd") or has_long(arguments, "force", "force-with-lease", "force-if-includes", "mirror", "delete", "prune")
    refs = operands(arguments)[1:]
    return "It overwrites or deletes branches on the other computer." if forced or any(ref.startswith(("+", ":")) for ref in refs) else ""


def _git_checkout(arguments: Sequence[str]) -> str:
    throws_away = "--" in arguments or "." in arguments or letters(arguments) & set("f") or has_long(arguments, "force")
    return "It throws away changes that were not committed." if throws_away else ""


def _git_restore(arguments: Sequence[str]) -> str:
    only_staged = (has_long(arguments, "staged") or "S" in letters(arguments)) and not (has_long(arguments, "worktree") or "W" in letters(arguments))
    return "" if only_staged else "It throws away changes that were not committed."


def _git_config(arguments: Sequence[str]) -> str:
    given = operands(arguments)
    if has_long(arguments, "get", "get-all", "get-regexp", "get-urlmatch", "list") or "l" in letters(arguments) or given[:1] in (["get"], ["list"]):
        return ""
    writes = len(given) > 1 or has_long(arguments, "unset", "unset-all", "add", "replace-all", "edit", "remove-section", "rename-section")
    return "It changes git's configuration, which can name programs to run." if writes or "e" in letters(arguments) else ""


def _git_clean(arguments: Sequence[str]) -> str:
    return "" if "n" in letters(arguments) or has_long(arguments, "dry-run") else "It deletes files that git does not know."


_THROWS_AWAY = "It throws away commits or changes."
_GIT_DESTROYING: Mapping[str, Judge] = {
    "push": _git_push,
    "reset": _if_options("It throws away changes that were not committed.", "", "hard", "merge", "keep"),
    "clean": _git_clean,
    "checkout": _git_checkout,
    "switch": _if_options("It throws away changes that were not committed.", "f", "force", "discard-changes"),
    "restore": _git_restore,
    "stash": _if_verb("It throws away stashed changes.", "drop", "clear"),
    "branch": _if_options("It deletes or moves a branch whatever it holds.", "DMd", "delete", "force"),
    "tag": _if_options("It deletes or moves a tag.", "df", "delete", "force"),
    "rm": _if_options("It deletes files.", "rf", "force"),
    "config": _git_config,
    "reflog": _if_verb(_THROWS_AWAY, "expire", "delete"),
    "gc": _if_options(_THROWS_AWAY, "", "prune", "aggressive"),
    "prune": _always(_THROWS_AWAY),
    "filter-branch": _always("It rewrites the history."),
    "filter-repo": _always("It rewrites the history."),
    "rebase": _always("It rewrites the history."),
    "replace": _always("It rewrites the history."),
    "commit": _if_options("It rewrites the last commit.", "", "amend"),
    "update-ref": _if_options(_THROWS_AWAY, "d"),
    "worktree": _if_verb("It removes a working folder.", "remove", "prune"),
    "submodule": _if_verb("It removes a submodule's folder.", "deinit"),
    "remote": _if_verb("It changes where the repository is sent to.", "remove", "rm", "set-url", "prune"),
}

_MACHINE = "It stops or restarts the machine."
_DISK = "It overwrites a disk or a partition."
_OTHER_RIGHTS = "It runs with another user's rights, usually the administrator's."
_REGISTRY = "It publishes to, or removes from, a public registry."
_CONTAINERS = "It deletes containers, images or volumes."
_CONTAINER_KINDS = ("system", "volume", "image", "container", "network", "builder")
_KEYS = "It reads or changes stored passwords."

_DESTROYING: Mapping[str, Judge] = {
    "rm": _if_options("It deletes whole folders, or without asking.", "rRf", "recursive", "force", "no-preserve-root"),
    "find": _find,
    "dd": _dd,
    "shred": _always("It destroys a file beyond recovery."),
    "truncate": _always("It cuts files short."),
    "git": _git,
    "crontab": _crontab,
    "kill": _kill,
    "init": _init,
    "telinit": _init,
    "pytest": _pytest,
    "py.test": _pytest,
    "python": _python,
    "python3": _python,
    "terraform": _if_verb("It destroys what it manages.", "destroy"),
    "tofu": _if_verb("It destroys what it manages.", "destroy"),
    "pulumi": _if_verb("It destroys what it manages.", "destroy"),
    "cargo": _if_verb(_REGISTRY, "publish", "yank"),
    "twine": _if_verb(_REGISTRY, "upload"),
    "gem": _if_verb(_REGISTRY, "push", "yank"),
    "gh": _if_verb("It changes things on GitHub for everybody.", "release", "repo delete", "pr merge", "pr close", "workflow run", "secret"),
    "kubectl": _if_verb("It deletes things in a cluster.", "delete", "drain"),
    "helm": _if_verb("It deletes things in a cluster.", "uninstall", "delete"),
    "redis-cli": _if_verb("It deletes data in a database.", "flushall", "flushdb", "FLUSHALL", "FLUSHDB"),
    "systemctl": _if_verb(_MACHINE, "poweroff", "reboot", "halt", "kexec", "suspend", "hibernate"),
    "setfacl": _if_options("It changes the rights of whole folders.", "R", "recursive"),
    "rsync": _if_options("It deletes what the source does not have.", "", "delete", "delete-before", "delete-after", "delete-excluded", "remove-source-files"),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _npm),
    **dict.fromkeys(("poetry", "uv", "flit", "hatch", "pdm", "lerna"), _if_verb(_REGISTRY, "publish")),
    **dict.fromkeys(("chmod", "chown", "chgrp"), _if_options("It changes the rights of whole folders.", "R", "recursive")),
    **dict.fromkeys(("killall", "pkill", "skill"), _always("It ends every process of a name.")),
    **dict.fromkeys(("shutdown", "reboot", "halt", "poweroff"), _always(_MACHINE)),
    **dict.fromkeys(("mkfs", "wipefs", "fdisk", "sfdisk", "gdisk", "sgdisk", "parted", "blkdiscard", "mkswap", "format", "diskpart"), _always(_DISK)),
    **dict.fromkeys(("sudo", "doas", "su", "pkexec", "run0", "runas"), _always(_OTHER_RIGHTS)),
    **dict.fromkeys(("keyring", "secret-tool", "security", "kwallet-query"), _always(_KEYS)),
    **dict.fromkeys(("psql", "mysql", "mariadb", "sqlite3", "mongosh", "mongo", "sqlcmd", "duckdb", "clickhouse-client"), _if_sql),
    **dict.fromkeys(("dropdb", "dropuser"), _always("It deletes data in a database.")),
    **dict.fromkeys(
        ("docker", "podman", "nerdctl"),
        _if_verb(_CONTAINERS, "rm", "rmi", "prune", *(f"{kind} {verb}" for kind in _CONTAINER_KINDS for verb in ("prune", "rm"))),
    ),
    **dict.fromkeys(("aws", "gcloud", "az", "gsutil", "s3cmd", "rclone", "flyctl", "heroku"), _cloud),
}  # fmt: skip

_NETWORK = _DOWNLOADERS | {
    "ssh", "scp", "sftp", "rsync", "ftp", "telnet", "socat", "ping", "nslookup", "dig", "host", "traceroute", "whois", "ssh-copy-id",
    "apt", "apt-get", "dnf", "yum", "apk", "brew", "pip", "pip3", "pipx", "npx", "uvx", "aws", "gcloud", "az", "gh", "kubectl", "helm", "terraform",
}  # fmt: skip
_GIT_NETWORK = frozenset({"push", "pull", "fetch", "clone", "ls-remote", "submodule"})
_NETWORK_VERBS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"),
        frozenset({"install", "i", "ci", "add", "update", "upgrade", "audit", "publish", "view", "login", "exec", "dlx"}),
    ),
    "cargo": frozenset({"install", "fetch", "update", "publish", "search", "add", "login", "yank"}),
    "go": frozenset({"get", "install", "mod"}),
    "docker": frozenset({"pull", "push", "login", "build", "run", "compose"}),
    "podman": frozenset({"pull", "push", "login", "build", "run"}),
    "poetry": frozenset({"install", "add", "update", "publish", "lock"}),
    "uv": frozenset({"sync", "add", "pip", "lock", "publish", "tool", "run"}),
    "gem": frozenset({"install", "push", "update"}),
    "bundle": frozenset({"install", "update"}),
    "conda": frozenset({"install", "update", "create"}),
    "mypy": frozenset(),
}
