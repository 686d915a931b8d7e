"""Which inputs a run has: files, folders, globs, standard input; what `.gitignore` and `--exclude` leave out."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePath

from msgspec import Struct, field

from transcript_lint import expect, git
from transcript_lint.sources import SUFFIXES

COMPRESSED = (".zst", ".zstd", ".gz")


class Found(Struct, kw_only=True):
    """The inputs sorted, each once, the paths that name nothing, and how many were excluded.

    `searched` are the inputs that only a search of a folder brought, `closed` the folders that could not be searched,
    with the reason.
    """

    inputs: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    searched: set[str] = field(default_factory=set)
    closed: dict[str, str] = field(default_factory=dict)
    excluded: int = 0


def find(
    paths: Sequence[str], exclude: Sequence[str] = (), force_exclude: bool = False, folder: Path | None = None
) -> Found:
    """The inputs that `paths` name, whatever their order. A path given by name is read even if excluded, unless
    `force_exclude`.

    The globs of `exclude` also fit paths as they are seen from `folder`.
    """
    found = Found()
    kept: dict[str, str] = {}
    left_out: set[str] = set()

    def wanted(path: str) -> bool:
        return not any(matches(path, pattern, folder) for pattern in exclude)

    for path in sorted(set(paths)):
        place = Path(path)
        if path == "-" or (_exists(path) and not os.path.isdir(path)):  # noqa: PTH112
            named: Iterable[str] = [path]
            keep: Callable[[str], bool] = wanted if force_exclude else lambda p: True
        elif os.path.isdir(path):  # noqa: PTH112
            named = _search(place, found.closed)
            found.searched.update(named)
            keep = wanted
        elif glob.has_magic(path) and (hits := sorted(glob.glob(path, recursive=True))):  # noqa: PTH207
            named = ["./-" if m == "-" else m for m in hits if _is_file(m)]
            keep = wanted
        else:
            found.missing.append(path)
            continue
        for item in named:
            plain = item if item in ("-", "./-") else str(PurePath(item))
            if keep(item):
                kept[plain] = min(item, kept.get(plain, item), key=lambda name: (len(name), name))
            else:
                left_out.add(plain)
    found.inputs = sorted(kept.values())
    found.excluded = len(left_out - kept.keys())
    return found


def matches(path: str, pattern: str, folder: Path | None = None) -> bool:
    """Whether a glob matches a path: `logs/**` from the start or any folder on, `*.zst` by name, `old` by folder.

    The path counts as it is given, and as it is seen from `folder`, that of the file which holds the glob.
    """
    parts = PurePath(path).as_posix().removeprefix("./")
    pattern = pattern.removeprefix("./").rstrip("/")
    if any(fnmatch(parts, glob) for glob in (pattern, f"*/{pattern}", f"{pattern}/*", f"*/{pattern}/*")):
        return True
    if folder is None or path == "-":
        return False
    seen, here = Path(path).resolve(), folder.resolve()
    return seen.is_relative_to(here) and matches(str(seen.relative_to(here)), pattern)


def _exists(path: str) -> bool:
    """Whether there is anything; True too for what may not be looked at, since opening it tells what is wrong."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _is_file(path: str) -> bool:
    """Whether it is a regular file, or one whose kind may not be known: reading it tells."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)  # noqa: PTH116
    except PermissionError:
        return True
    except OSError:
        return False


def _search(folder: Path, closed: dict[str, str]) -> list[str]:
    def note(error: OSError) -> None:
        closed[str(error.filename)] = error.strerror or str(error)

    # Links to folders are not followed, so that a loop of them has no effect.
    walk = os.walk(folder, onerror=note)
    inside = sorted(str(Path(place, name)) for place, _, names in walk for name in names if _may_be_log(name))
    inside = [p for p in inside if _is_file(p)]
    tracked = _not_ignored(folder)
    if tracked is not None:
        inside = [p for p in inside if str(Path(p).resolve()) in tracked]
    names = set(inside)
    # A plain log beside its compressed twin is one log.
    return [n for n in inside if not any(n.endswith(z) and n.removesuffix(z) in names for z in COMPRESSED)]


def _may_be_log(name: str) -> bool:
    plain = next((name.removesuffix(z) for z in COMPRESSED if name.endswith(z)), name)
    return plain.endswith(SUFFIXES) and not name.endswith(expect.SUFFIX)


def _not_ignored(folder: Path) -> set[str] | None:
    """What git would not ignore in a folder, as absolute paths; None where git has no say.

    A folder that is itself ignored was named on purpose, so git has no say inside it.
    """
    inside = git.ask(folder, "rev-parse", "--is-inside-work-tree")
    if inside is None or inside.strip() != b"true" or git.ask(folder, "check-ignore", "-q", ".") is not None:
        return None
    listed = git.ask(folder, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
    if listed is None:
        return None
    base = folder.resolve()
    return {str((base / name.decode("utf-8", "surrogateescape")).resolve()) for name in listed.split(b"\0") if name}
