"""What a store holds, as one stream: what an archive carries and what a merge takes in.

Objects come first, each after every object it names, then index entries, log entries and refs in
the order of their keys. The order follows from the content alone: two stores that hold the same
give the same stream, in whatever order they were filled.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from cache import codec, keys
from cache.errors import UsageError
from cache.ids import ObjectId, is_record
from cache.reach import postorder
from cache.view import View


class ObjectItem(NamedTuple):
    """An object."""

    oid: ObjectId
    kind: str
    data: bytes


class IndexItem(NamedTuple):
    """An entry of an index."""

    name: str
    parts: keys.Key
    target: ObjectId
    payload: bytes


class LogItem(NamedTuple):
    """An entry of a log."""

    name: str
    position: int
    data: bytes


class RefItem(NamedTuple):
    """A ref."""

    name: str
    target: ObjectId


Item: TypeAlias = ObjectItem | IndexItem | LogItem | RefItem


def contents(view: View, refs: Iterable[str] | None = None) -> Iterator[Item]:
    """Everything in a store, or everything that some refs reach.

    Parameters
    ----------
    view
        The state to read. A damaged object ends the stream with its error.
    refs
        Names of refs; one that ends in a slash stands for all refs below it. Along come the
        objects they reach and the index entries that name one of these, but no logs, which belong
        to no ref.

    Raises
    ------
    UsageError
        When there is no such ref.
    """
    chosen = list(view.refs()) if refs is None else choose_refs(view, refs)
    reached: set[ObjectId] = set()
    roots = _roots(view, chosen, whole=refs is None)
    for oid in postorder(roots, functools.partial(_named_by, view), reached):
        yield ObjectItem(oid, *view.get_object(oid, named_by=_BY))
    for name in view.index_names():
        for entry in view.index_scan(name):
            if entry.target in reached:
                yield IndexItem(name, entry.key, entry.target, entry.payload)
    if refs is None:
        for name in view.log_names():
            for position, data in view.log_read(name):
                yield LogItem(name, position, data)
    yield from (RefItem(name, target) for name, target in chosen)


def choose_refs(view: View, names: Iterable[str]) -> list[tuple[str, ObjectId]]:
    """The refs of these names, or (names with a slash at the end) below them."""
    chosen: dict[str, ObjectId] = {}
    for name in names:
        if name.endswith("/"):
            found = dict(view.refs(name))
        else:
            target = view.ref(name)
            found = {} if target is None else {name: target}
        if not found:
            raise UsageError(
                "no such ref in this store", where=name, hint="`dgf store ls` lists the refs"
            )
        chosen |= found
    return sorted(chosen.items(), key=lambda ref: keys.encode_ref(ref[0]))


_BY: Final = "something in the store"
"""What names an object that is met on the way: all that matters is that it is no mere guess."""


def _roots(view: View, chosen: list[tuple[str, ObjectId]], *, whole: bool) -> Iterator[ObjectId]:
    yield from (target for _, target in chosen)
    if whole:
        yield from (target for target, _ in view.roots())
        yield from view.ids()


def _named_by(view: View, oid: ObjectId) -> Iterable[ObjectId]:
    # Raw bytes name nothing and are read once, when it is their turn in the stream. A kind that is
    # damaged is noticed then: the hash covers it.
    if not is_record(view.header(oid, named_by=_BY).kind):
        return ()
    return codec.references(*view.get_object(oid, named_by=_BY))
