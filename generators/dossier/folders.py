"""Folders of files: written whole or not at all, and read as if somebody meant harm.

A folder that is read may hold links that lead out, pipes that never end, names no other system
knows, or more than any dossier has. Each of that is a problem, named by its file.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from cache.errors import StoreError
from cache.trees import check_name
from generators.dossier.errors import FolderError, Problem

RUN_LEFTOVERS: Final = frozenset({"tool_trace.jsonl", "environment_state.json"})
"""What runs may leave in a dossier's folder; never part of the dossier."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much a folder may hold. A dossier has about 105 files and 1.5 MB."""

    files: int = 1_000
    file_bytes: int = 8 * 1024 * 1024
    total_bytes: int = 64 * 1024 * 1024
    depth: int = 8


def write_folder(target: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write a new folder with `files`, pairs of POSIX path and content; how many there are.

    The folder appears when it is complete. What an interrupted call has left beside is removed.

    Raises
    ------
    FolderError
        If something is there already, or the folder cannot be written.
    """
    if os.path.lexists(target):
        raise FolderError(
            "already exists", where=str(target), hint="name a folder that does not exist"
        )
    draft = target.parent / f".{target.name}.partial"
    try:
        if draft.exists():
            shutil.rmtree(draft)
        draft.mkdir(parents=True)
        count = 0
        for path, data in files:
            place = draft.joinpath(*(check_name(step) for step in path.split("/")))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            count += 1
        draft.rename(target)
    except OSError as error:
        shutil.rmtree(draft, ignore_errors=True)
        raise FolderError(
            f"cannot be written: {error.strerror}", where=error.filename or str(target)
        ) from None
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return count


def read_folder(folder: Path, *, limits: Limits | None = None) -> dict[str, bytes] | list[Problem]:
    """POSIX path to content of every file of a folder, or everything that keeps it from being read.

    What runs leave behind is passed over.
    """
    limits = limits or Limits()
    files: dict[str, bytes] = {}
    problems: list[Problem] = []
    total = 0
    for path, place in _walk(folder, "", limits.depth, problems):
        if len(files) == limits.files:
            problems.append(Problem(file=path, problem=f"is one of over {limits.files} files"))
            break
        read = _read(place, path, limits.file_bytes)
        if isinstance(read, Problem):
            problems.append(read)
            continue
        total += len(read)
        if total > limits.total_bytes:
            text = f"brings the folder over {limits.total_bytes} bytes"
            problems.append(Problem(file=path, problem=text))
            break
        files[path] = read
    return problems or files


def read_file(place: Path, *, limit: int) -> bytes | Problem:
    """One file of a folder that is read on its own."""
    return _read(place, place.name, limit)


def _walk(
    folder: Path, above: str, depth: int, problems: list[Problem]
) -> Iterator[tuple[str, Path]]:
    """The files below a folder by path, in order of name; what is no plain file is a problem."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(file=above or ".", problem=f"cannot be read: {error.strerror}"))
        return
    for entry in entries:
        path = above + entry.name
        if entry.name in RUN_LEFTOVERS:
            continue
        problem = _unfit(entry, depth)
        if problem is not None:
            problems.append(Problem(file=ascii(path)[1:-1][:300], problem=problem))
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{path}/", depth - 1, problems)
        else:
            yield path, Path(entry.path)


def _unfit(entry: os.DirEntry[str], depth: int) -> str | None:
    """Why an entry of a folder is not looked into."""
    try:
        check_name(entry.name)
    except StoreError as error:
        return str(error.problem)
    if entry.is_symlink():
        return "is a symbolic link"
    if entry.is_dir(follow_symlinks=False):
        return "is nested too deep" if depth == 0 else None
    return None if entry.is_file(follow_symlinks=False) else "is neither a file nor a folder"


def _read(place: Path, path: str, limit: int) -> bytes | Problem:
    """The content of a plain file, even if it is exchanged for something else meanwhile."""
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return Problem(file=path, problem="is not a plain file")
            data = file.read(limit + 1)
    except OSError as error:
        return Problem(file=path, problem=f"cannot be read: {error.strerror}")
    if len(data) > limit:
        return Problem(file=path, problem=f"has over {limit} bytes")
    return data
