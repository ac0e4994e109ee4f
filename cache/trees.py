"""Trees: names to objects, nested, and pure functions over them.

A folder of files is one `Tree` per directory. Its id covers everything below it, so two folders
share every object and every subtree they have in common, and comparing them skips what is equal.
The functions here compute; a `Load` reads trees that exist, and what is new is returned to be put
into a batch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, Final, NamedTuple, TypeAlias

import msgspec

from cache import codec
from cache.errors import MissingObjectError, RecordError
from cache.ids import ObjectId, hash_object

MAX_NAME_BYTES: Final = 255
MAX_DEPTH: Final = 200
_BAD_NAME = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class Entry(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What a name in a tree stands for."""

    id: ObjectId
    is_tree: bool


class Tree(codec.Record, frozen=True, kw_only=True):
    """One directory."""

    kind: ClassVar[str] = "tree/1"

    entries: dict[str, Entry]
    """Name → object or subtree; stored sorted by name."""

    def __post_init__(self) -> None:
        for name in self.entries:
            check_name(name)


Load: TypeAlias = Callable[[ObjectId], Tree]
"""Reads a tree that is stored, as `Store.get_record` does."""


class Built(NamedTuple):
    """A root and the trees that have to be stored for it, children before parents."""

    root: ObjectId
    trees: list[Tree]


class Change(NamedTuple):
    """A path whose object differs; None where the path is absent."""

    path: str
    before: ObjectId | None
    after: ObjectId | None


def check_name(name: str) -> str:
    """Refuse a name that is not one plain path component on every system."""
    if (
        name in {"", ".", ".."}
        or _BAD_NAME.search(name)
        or len(name.encode(errors="replace")) > MAX_NAME_BYTES
    ):
        raise RecordError(
            "not a name for an entry of a tree",
            where=ascii(name[:80]),
            hint="no empty name, '.', '..', slash, backslash or control character",
        )
    return name


def build(files: Mapping[str, ObjectId]) -> Built:
    """The trees for a set of files by POSIX path, such as `docs/plan.pdf`."""
    return _assemble(files, None, _no_trees)


def update(root: ObjectId, changes: Mapping[str, ObjectId | None], load: Load) -> Built:
    """The tree `root` with some files set or (None) removed.

    Only what a change touches is new; a directory that loses its last file goes with it. Setting a
    file where a directory was replaces the directory, and the other way round.
    """
    return _assemble(changes, root, load)


def walk(root: ObjectId, load: Load) -> Iterator[tuple[str, ObjectId]]:
    """Every file below `root`, by path: directories and files in order of name."""
    waiting = [("", Entry(root, is_tree=True))]
    while waiting:
        path, entry = waiting.pop()
        if entry.is_tree:
            inner = sorted(load(entry.id).entries.items(), reverse=True)
            waiting += [(_below(path, name), found) for name, found in inner]
        else:
            yield path, entry.id


def lookup(root: ObjectId, path: str, load: Load) -> Entry:
    """The file or subtree at a path.

    Raises
    ------
    MissingObjectError
        When the tree has no such path.
    """
    entry = Entry(root, is_tree=True)
    for name in path.split("/"):
        found = load(entry.id).entries.get(name) if entry.is_tree else None
        if found is None:
            raise MissingObjectError("no such path in the tree", where=f"{path} in {root.hex()}")
        entry = found
    return entry


def diff(before: ObjectId, after: ObjectId, load: Load) -> Iterator[Change]:
    """What changed between two trees, in order of path; equal subtrees are never loaded."""
    waiting: list[tuple[str, Entry | None, Entry | None]] = [
        ("", Entry(before, is_tree=True), Entry(after, is_tree=True))
    ]
    while waiting:
        path, old, new = waiting.pop()
        if old == new:
            continue
        old_file, old_entries = _opened(old, load)
        new_file, new_entries = _opened(new, load)
        if old_file != new_file:
            yield Change(path, old_file, new_file)
        waiting += [
            (_below(path, name), old_entries.get(name), new_entries.get(name))
            for name in sorted(old_entries.keys() | new_entries.keys(), reverse=True)
        ]


# -- building

_Nested: TypeAlias = "dict[str, ObjectId | _Nested | None]"


def _assemble(changes: Mapping[str, ObjectId | None], root: ObjectId | None, load: Load) -> Built:
    new: dict[ObjectId, Tree] = {}
    top = _apply(root, _nest(changes), load, new)
    if top is None:
        top = _add(Tree(entries={}), new)
    return Built(top, list(new.values()))


def _nest(changes: Mapping[str, ObjectId | None]) -> _Nested:
    nested: _Nested = {}
    for path, target in changes.items():
        *folders, name = [check_name(part) for part in path.split("/")]
        if len(folders) >= MAX_DEPTH:
            raise RecordError(f"a path has more than {MAX_DEPTH} parts", where=path[:80])
        folder = nested
        for part in folders:
            inner = folder.setdefault(part, {})
            if not isinstance(inner, dict):
                raise _both(path)
            folder = inner
        if name in folder:
            raise _both(path)
        folder[name] = target
    return nested


def _both(path: str) -> RecordError:
    return RecordError("a path is both a file and a directory", where=path)


def _apply(
    base: ObjectId | None, changes: _Nested, load: Load, new: dict[ObjectId, Tree]
) -> ObjectId | None:
    """The id of the tree `base` with `changes`; None when nothing is left in it."""
    entries = {} if base is None else dict(load(base).entries)
    for name, change in changes.items():
        entry: Entry | None = None
        if isinstance(change, dict):
            there = entries.get(name)
            subtree = _apply(there.id if there and there.is_tree else None, change, load, new)
            if subtree is not None:
                entry = Entry(subtree, is_tree=True)
            elif there is not None and not there.is_tree:
                entry = there  # only removals below what is a file: nothing to remove
        elif change is not None:
            entry = Entry(change, is_tree=False)
        if entry is None:
            entries.pop(name, None)
        else:
            entries[name] = entry
    return _add(Tree(entries=entries), new) if entries else None


def _add(tree: Tree, new: dict[ObjectId, Tree]) -> ObjectId:
    oid = hash_object(tree.kind, codec.encode(tree))
    new[oid] = tree
    return oid


def _no_trees(oid: ObjectId) -> Tree:
    raise MissingObjectError("a new tree has nothing to load", where=oid.hex())


# -- reading


def _below(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _opened(entry: Entry | None, load: Load) -> tuple[ObjectId | None, dict[str, Entry]]:
    """What stands at a path: a file, or the entries of a directory, or neither."""
    if entry is None:
        return None, {}
    return (None, load(entry.id).entries) if entry.is_tree else (entry.id, {})
