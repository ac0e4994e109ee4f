"""Statistics: every number is the one a reader would count by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from cache import trees
from cache.collect import collect
from cache.compact import compact
from cache.stats import KindStats, StoreStats, stats
from cache.store import Store
from tests.cache.samples import add, fresh


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with fresh(tmp_path / "store") as opened:
        yield opened


def kind(counted: StoreStats, name: str) -> KindStats:
    """The line of one kind."""
    return next(k for k in counted.kinds if k.kind == name)


def test_an_empty_store_has_nothing(store: Store) -> None:
    """Zeros everywhere, and no division by them."""
    counted = stats(store)
    assert (counted.objects, counted.plain, counted.stored, counted.refs) == (0, 0, 0, 0)
    assert (counted.kinds, counted.indexes, counted.logs) == ((), {}, {})
    assert counted.dedupe == 1.0
    assert counted.file_bytes == (store.folder / "data.mdb").stat().st_size


def test_names_are_counted(store: Store) -> None:
    """Refs, entries by index and entries by log."""
    batch = store.batch()
    oid = batch.put("blob", b"x")
    for number in range(3):
        batch.index("cells", [number], oid)
        batch.append("ledger", b"line")
    batch.index("runs/open", ["a"], oid)
    batch.ref("a", oid)
    batch.ref("b", oid)
    store.commit(batch)
    counted = stats(store)
    assert counted.refs == 2
    assert counted.indexes == {"cells": 3, "runs/open": 1}
    assert counted.logs == {"ledger": 3}


def test_bytes_are_counted_before_and_after_compression(store: Store) -> None:
    """Plain is what was put, stored is what is in the file for it."""
    store.put("blob", b"a" * 10_000)
    store.put("blob", b"short")
    counted = stats(store)
    assert counted.plain == 10_005
    with store.view() as view:
        assert counted.stored == sum(len(value) for _, value in view.raw_objects()) < 200


def test_sharing_between_trees_is_expanded_as_files(store: Store) -> None:
    """A file counts once per copy of its tree: what `cp -r` of every variant would take."""
    batch = store.batch()
    same = batch.put("blob", b"s" * 1000)
    mine = [batch.put("blob", bytes([number]) * 100) for number in (1, 2, 3)]
    for number, blob in enumerate(mine):
        files = {"docs/same": same, "docs/again": same, f"own/{number}": blob}
        batch.put_records(trees.build(files).trees)
    store.commit(batch)
    blobs = kind(stats(store), "blob")
    # three variants, each with two copies of the same 1000 bytes and 100 of its own
    assert blobs.plain == 1000 + 3 * 100
    assert blobs.expanded == 3 * (2 * 1000 + 100)
    assert blobs.dedupe == round(6300 / 1300, 3)


def test_each_field_that_names_is_a_copy(store: Store) -> None:
    """A record that names an object stands for a copy of it; refs and index entries do not."""
    batch = store.batch()
    oid = batch.put("blob", b"x" * 10)
    unnamed = batch.put("blob", b"y" * 10)
    for number in range(3):
        add(batch, number, [oid])
    for name in "abcd":
        batch.ref(name, oid)
        batch.index("x", [name], unnamed)
    store.commit(batch)
    counted = stats(store)
    assert kind(counted, "blob").expanded == 3 * 10 + 10
    assert kind(counted, "test-node/1").dedupe == 1.0


def test_free_pages_are_what_compaction_gives_back(tmp_path: Path) -> None:
    """Free and used pages are all pages; after a compaction hardly any are free."""
    folder = tmp_path / "store"
    with fresh(folder) as store:
        chance = random.Random(1)
        for _ in range(30):
            store.put("blob", chance.randbytes(4000))
        collect(store, grace=timedelta(0), delete=True)
        before = stats(store)
    compact(folder)
    with Store.open(folder) as store:
        after = stats(store)
    assert before.free_pages > 10
    assert after.free_pages <= 1
    assert after.used_pages <= before.used_pages
    assert (after.used_pages + after.free_pages) * after.page_bytes == after.file_bytes


def test_a_bomb_of_trees_is_counted_up_to_a_limit(store: Store) -> None:
    """Trees that stand for 2^1100 copies of a file leave numbers that fit JSON and 64 bits."""
    batch = store.batch()
    entry = trees.Entry(batch.put("blob", b"copied"), is_tree=False)
    for _ in range(1100):
        tree = batch.put_record(trees.Tree(entries={"a": entry, "b": entry}))
        entry = trees.Entry(tree, is_tree=True)
    batch.ref("bomb", entry.id)
    store.commit(batch)
    counted = stats(store)
    assert counted.expanded == 2**63 - 1
    assert kind(counted, "blob").expanded == 2**63 - 1
    assert msgspec.json.decode(msgspec.json.encode(counted), type=StoreStats) == counted
