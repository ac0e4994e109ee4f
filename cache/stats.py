"""What a store holds and what it saves: objects, bytes, names, pages.

Two byte counts are what was put (`plain`) and what it takes after compression (`stored`). The
third, `expanded`, is what the same content would take without sharing: a copy for each field of
a record that names an object, and for what is in a tree a copy for each copy of that tree. Refs and
index entries are names only and add none; what no object names counts once. The dedupe factor is
`expanded / plain`, so content that nobody shares has factor 1. Small trees that name each other
twice can stand for any amount of copies; at `MOST` the count ends.
"""

from __future__ import annotations

import collections
from typing import Final

import msgspec

from cache import codec, structure
from cache.ids import ObjectId, is_record
from cache.layout import read_header, unpack_object
from cache.progress import Progress, silent
from cache.reach import postorder
from cache.store import Store
from cache.trees import Tree
from cache.verify import used_pages
from cache.view import View

MOST: Final = 2**63 - 1


class KindStats(msgspec.Struct, frozen=True, kw_only=True):
    """The objects of one kind."""

    kind: str
    objects: int
    plain: int
    """Bytes as they were put."""
    stored: int
    """Bytes of the stored values, headers included."""
    expanded: int
    """Bytes if nothing were shared."""
    dedupe: float
    """How many times each byte is used: `expanded / plain`."""


class StoreStats(msgspec.Struct, frozen=True, kw_only=True):
    """A store, counted."""

    objects: int
    plain: int
    stored: int
    expanded: int
    dedupe: float
    kinds: tuple[KindStats, ...]
    refs: int
    indexes: dict[str, int]
    """Entries by index."""
    logs: dict[str, int]
    """Entries by log."""
    file_bytes: int
    map_bytes: int
    page_bytes: int
    used_pages: int
    free_pages: int
    """What compaction gives back to the disk, in pages."""


def stats(store: Store, *, progress: Progress = silent) -> StoreStats:
    """Count what is in a store. Records are read, blobs are not."""
    with store.environment.view() as transaction:
        databases = store.environment.databases
        view = View(transaction, databases)
        kinds = _kinds(view, progress)
        total = store.environment.last_page + 1
        used = used_pages(transaction, databases)
        plain = sum(k.plain for k in kinds)
        expanded = min(MOST, sum(k.expanded for k in kinds))
        return StoreStats(
            objects=sum(k.objects for k in kinds),
            plain=plain,
            stored=sum(k.stored for k in kinds),
            expanded=expanded,
            dedupe=_factor(expanded, plain),
            kinds=kinds,
            refs=transaction.stat(databases["refs"])["entries"],
            indexes={name: sum(1 for _ in view.index_scan(name)) for name in view.index_names()},
            logs={name: view.log_length(name) for name in view.log_names()},
            file_bytes=(store.folder / structure.DATA_FILE).stat().st_size,
            map_bytes=store.environment.map_bytes,
            page_bytes=transaction.stat()["psize"],
            used_pages=used,
            free_pages=total - used,
        )


def _kinds(view: View, progress: Progress) -> tuple[KindStats, ...]:
    names: collections.Counter[ObjectId] = collections.Counter()
    sizes: dict[ObjectId, tuple[str, int, int]] = {}
    trees: dict[ObjectId, list[ObjectId]] = {}
    for done, (oid, value) in enumerate(view.raw_objects()):
        header = read_header(oid, value)
        sizes[oid] = (header.kind, header.length, len(value))
        if is_record(header.kind):
            named = list(codec.references(*unpack_object(oid, value)))
            if header.kind == Tree.kind:
                trees[oid] = named
            else:
                names.update(named)
        progress("counting", done, None)
    _count_copies(names, trees)

    sums: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0, 0])
    for oid, (kind, plain, stored) in sizes.items():
        for at, amount in enumerate((1, plain, stored, plain * max(1, names[oid]))):
            sums[kind][at] = min(MOST, sums[kind][at] + amount)
    return tuple(
        KindStats(
            kind=kind,
            objects=objects,
            plain=plain,
            stored=stored,
            expanded=expanded,
            dedupe=_factor(expanded, plain),
        )
        for kind, (objects, plain, stored, expanded) in sorted(sums.items())
    )


def _count_copies(
    names: collections.Counter[ObjectId], trees: dict[ObjectId, list[ObjectId]]
) -> None:
    """Add to `names` what trees name: once for each copy of the tree, from the topmost down."""

    def subtrees(oid: ObjectId) -> list[ObjectId]:
        return [named for named in trees[oid] if named in trees]

    for tree in reversed(list(postorder(sorted(trees), subtrees))):
        copies = min(MOST, max(1, names[tree]))
        for named in trees[tree]:
            names[named] += copies


def _factor(expanded: int, plain: int) -> float:
    return round(expanded / plain, 3) if plain else 1.0
