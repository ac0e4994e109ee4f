"""Folders: written whole or not at all, read as if somebody meant harm."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from cache.errors import RecordError
from generators.dossier.errors import FolderError, Problem
from generators.dossier.folders import Limits, read_folder, write_folder
from tests.generators.dossier.samples import read, write

FILES = {"a.txt": b"one\r\n", "b/c.bin": b"\0\xff", "b/d/e.json": b"{}"}


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return [place.name for place in folder.iterdir()]


def problems(folder: Path, limits: Limits | None = None) -> list[Problem]:
    """What keeps a folder from being read."""
    found = read_folder(folder, limits=limits)
    assert isinstance(found, list)
    return found


def test_what_is_written_is_there_and_read_back(tmp_path: Path) -> None:
    """Bytes and paths are kept, folders above are made, nothing else is left beside."""
    target = tmp_path / "deep" / "out"
    assert write_folder(target, FILES.items()) == 3
    assert read(target) == FILES
    assert read_folder(target) == FILES
    assert names(target.parent) == ["out"]


@pytest.mark.parametrize("there", ["file", "folder", "dangling link"])
def test_nothing_is_overwritten(tmp_path: Path, there: str) -> None:
    """A file, a folder, even a link to nowhere in the place is refused and stays as it was."""
    target = tmp_path / "out"
    if there == "file":
        target.write_text("mine")
    elif there == "folder":
        target.mkdir()
    else:
        target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(FolderError, match="already exists"):
        write_folder(target, FILES.items())
    assert names(tmp_path) == ["out"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    """When the content breaks off, neither the folder nor a part of it stays."""

    def broken() -> Iterator[tuple[str, bytes]]:
        yield "a.txt", b"one"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_folder(tmp_path / "out", broken())
    assert names(tmp_path) == []


def test_the_rest_of_an_interrupted_write_is_replaced(tmp_path: Path) -> None:
    """A killed call leaves a draft; the next one removes it and none of it comes through."""
    write(tmp_path / ".out.partial", {"old.txt": b"old"})
    write_folder(tmp_path / "out", FILES.items())
    assert read(tmp_path / "out") == FILES
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("path", ["../up", "/abs", "a//b", "a/./b", "a\\b", "a\nb", ""])
def test_no_file_is_written_outside(tmp_path: Path, path: str) -> None:
    """A path that is no plain path below the folder is refused, and nothing is written."""
    with pytest.raises(RecordError, match="not a name"):
        write_folder(tmp_path / "out", [(path, b"x")])
    assert names(tmp_path) == []


def test_links_and_pipes_are_named_and_not_followed(tmp_path: Path) -> None:
    """Every link (to a file, a folder, itself, nowhere) and every pipe is a problem of its own."""
    secret = write(tmp_path / "secret", {"key": b"secret"})
    folder = write(tmp_path / "in", FILES)
    (folder / "file-link").symlink_to(secret / "key")
    (folder / "folder-link").symlink_to(secret)
    (folder / "b" / "loop").symlink_to(folder / "b" / "loop")
    os.mkfifo(folder / "pipe")
    assert problems(folder) == [
        Problem(file="b/loop", problem="is a symbolic link"),
        Problem(file="file-link", problem="is a symbolic link"),
        Problem(file="folder-link", problem="is a symbolic link"),
        Problem(file="pipe", problem="is neither a file nor a folder"),
    ]


def test_names_no_other_system_knows_are_refused(tmp_path: Path) -> None:
    """Control characters and bytes that are no text; the problem shows them as escapes."""
    folder = write(tmp_path / "in", FILES)
    (folder / "red\x1b[31m").write_bytes(b"")
    Path(os.fsdecode(os.fsencode(folder) + b"/bad\xff")).write_bytes(b"")
    found = problems(folder)
    assert [problem.file for problem in found] == [r"bad\udcff", r"red\x1b[31m"]
    assert all(str(problem).isprintable() for problem in found)


def test_limits_are_exact(tmp_path: Path) -> None:
    """A folder at the limit is read, one file, byte or level more is not."""
    folder = write(tmp_path / "in", FILES)
    sizes = {"files": 3, "file_bytes": 5, "total_bytes": 9, "depth": 2}
    assert read_folder(folder, limits=Limits(**sizes)) == FILES
    worst = {
        "files": "b/d/e.json: is one of over 2 files",
        "file_bytes": "a.txt: has over 4 bytes",
        "total_bytes": "b/d/e.json: brings the folder over 8 bytes",
        "depth": "b/d: is nested too deep",
    }
    for name, text in worst.items():
        tight = Limits(**(sizes | {name: sizes[name] - 1}))
        assert [str(problem) for problem in problems(folder, tight)] == [text]


def test_what_runs_leave_behind_is_passed_over(tmp_path: Path) -> None:
    """Traces and states of a run are no part of a dossier, wherever they lie."""
    left = {"tool_trace.jsonl": b"x", "b/environment_state.json": b"{}"}
    assert read_folder(write(tmp_path / "in", FILES | left)) == FILES


def test_an_unreadable_folder_is_a_problem(tmp_path: Path) -> None:
    """A folder that is not there is a problem, not an exception."""
    assert [str(one) for one in problems(tmp_path / "no")] == [
        ".: cannot be read: No such file or directory"
    ]


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """A file where a folder has to be: one line, and nothing is left."""
    write(tmp_path, {"file": b""})
    with pytest.raises(FolderError, match="cannot be written"):
        write_folder(tmp_path / "file" / "out", FILES.items())
    assert names(tmp_path) == ["file"]
