"""Small stores for the tests of maintenance, and plain-Python pictures of what is in them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

import lmdb
from hypothesis import strategies as st

from cache import keys
from cache.batch import Batch
from cache.codec import Record
from cache.ids import ObjectId
from cache.store import Store
from cache.view import StoredObject


class Node(Record, frozen=True, kw_only=True):
    """A record that names others."""

    kind: ClassVar[str] = "test-node/1"

    label: int
    names: list[ObjectId]


class Picture(NamedTuple):
    """Everything in a store, as plain values."""

    objects: dict[ObjectId, StoredObject]
    refs: dict[str, ObjectId]
    entries: dict[tuple[str, keys.Key], tuple[ObjectId, bytes]]
    logs: dict[str, list[bytes]]


def picture(store: Store) -> Picture:
    """What the store's own reads say is in it."""
    with store.view() as view:
        return Picture(
            objects={oid: view.get_object(oid) for oid in view.ids()},
            refs=dict(view.refs()),
            entries={
                (name, entry.key): (entry.target, entry.payload)
                for name in view.index_names()
                for entry in view.index_scan(name)
            },
            logs={name: [data for _, data in view.log_read(name)] for name in view.log_names()},
        )


class Graph(NamedTuple):
    """Objects that name earlier ones, and what names them from outside."""

    edges: Sequence[Sequence[int]]
    """For each object, which earlier objects it names; one that names none is a blob."""
    refs: dict[str, int]
    entries: dict[tuple[str, int], int]
    logs: dict[str, list[bytes]]


@st.composite
def graphs(draw: st.DrawFn, *, max_size: int = 12) -> Graph:
    """Any small graph without cycles."""
    size = draw(st.integers(1, max_size))
    edges = [
        draw(st.lists(st.integers(0, number - 1), max_size=4)) if number else []
        for number in range(size)
    ]
    some = st.integers(0, size - 1)
    return Graph(
        edges,
        draw(st.dictionaries(st.sampled_from(["a", "b", "c/d", "c/ü"]), some, max_size=3)),
        draw(st.dictionaries(st.tuples(st.sampled_from("xy"), st.integers(-2, 2)), some)),
        draw(st.dictionaries(st.sampled_from("lm"), st.lists(st.binary(max_size=3), min_size=1))),
    )


def fresh(folder: Path) -> Store:
    """A new store that does not wait for the disk: for tests of what is in it, not of crashes."""
    return Store.open(folder, "create", sync=False, map_bytes=1 << 20)


def fill(store: Store, graph: Graph) -> list[ObjectId]:
    """Put a graph in one commit; the ids of its objects."""
    batch = store.batch()
    oids: list[ObjectId] = []
    for number, named in enumerate(graph.edges):
        oids.append(add(batch, number, [oids[at] for at in named]))
    name(batch, graph, oids)
    store.commit(batch)
    return oids


def add(batch: Batch, number: int, named: list[ObjectId]) -> ObjectId:
    """Put one object of a graph."""
    if named:
        return batch.put_record(Node(label=number, names=named))
    return batch.put("blob", b"blob %d " % number * 50)


def name(batch: Batch, graph: Graph, oids: Sequence[ObjectId]) -> None:
    """Set the refs, index entries and logs of a graph."""
    for ref, at in graph.refs.items():
        batch.ref(ref, oids[at])
    for (index, part), at in graph.entries.items():
        batch.index(index, [part], oids[at], payload=b"%d" % part)
    for log, lines in graph.logs.items():
        for line in lines:
            batch.append(log, line)


def reached(edges: Sequence[Sequence[int]], roots: set[int]) -> set[int]:
    """What the roots reach, by the definition: nothing more can be added."""
    found = set(roots)
    while more := {at for number in found for at in edges[number]} - found:
        found |= more
    return found


def tamper(folder: Path, database: str, key: bytes, value: bytes | None) -> None:
    """Write (or remove) bytes behind the store's back, in a structure that stays whole."""
    with lmdb.open(str(folder), map_size=1 << 30, max_dbs=8, lib_version=0) as environment:
        db = environment.open_db(database.encode(), create=False)
        with environment.begin(db=db, write=True) as transaction:
            if value is None:
                assert transaction.delete(key)
            else:
                transaction.put(key, value)
    (folder / "clean").unlink(missing_ok=True)
