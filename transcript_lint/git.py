"""What git knows of a folder; nothing where there is no git or no repository."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, urlsplit

from msgspec import Struct

_SCP = re.compile(r"(?:[^@/:]+@)?(?P<host>[^@/:]{2,}):(?!//)(?P<path>.+)")


class Revision(Struct, frozen=True, kw_only=True):
    """A work tree: the uri of its origin without a user's name or password, the commit, the branch if there is one."""

    uri: str
    commit: str
    branch: str | None = None


def ask(folder: Path, *arguments: str) -> bytes | None:
    """What a git command prints, run in a folder; None when it fails."""
    import subprocess  # late: most audits need none of it

    # A log folder may be anybody's repository: its configuration must not run programs of its own.
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def revision(folder: Path) -> Revision | None:
    """What is checked out there; None without a commit, or without an origin that others could reach."""
    commit, branch, origin = (
        (ask(folder, *question) or b"").decode("utf-8", "replace").strip()
        for question in (
            ("rev-parse", "--verify", "HEAD"),
            ("symbolic-ref", "--quiet", "--short", "HEAD"),
            ("config", "--get", "remote.origin.url"),
        )
    )
    uri = _uri(origin)
    return Revision(uri=uri, commit=commit, branch=branch or None) if commit and uri else None


def _uri(origin: str) -> str | None:
    """`git@host:owner/name.git` and `https://user:token@host/owner/name` as uris that hold no secret."""
    try:
        if "://" in origin:
            parts = urlsplit(origin)
            scheme, host, path = parts.scheme, parts.netloc.rpartition("@")[2], parts.path
        elif match := _SCP.fullmatch(origin):
            scheme, host, path = "ssh", match["host"], match["path"]
        else:
            return None
    except ValueError:
        return None
    reachable = scheme in ("https", "http", "ssh", "git") and host
    return f"{scheme}://{host}/{quote(path.lstrip('/'), safe='/%~')}" if reachable else None
