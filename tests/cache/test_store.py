"""The store's own promises, one by one, without any trouble from outside."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import cache
from cache import Record, Store, layout, trees
from cache.errors import (
    CorruptionError,
    MissingObjectError,
    RecordError,
    StoreConflictError,
    StoreError,
    StoreLockedError,
    UsageError,
)
from cache.ids import ObjectId, hash_object


class Note(Record, frozen=True, kw_only=True):
    """A record that names another object."""

    kind: ClassVar[str] = "note/1"

    text: str
    about: ObjectId | None = None


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    with Store.open(tmp_path / "store", "create", map_bytes=1 << 20) as opened:
        yield opened


def test_the_public_names_are_pinned() -> None:
    """What the package offers changes only on purpose."""
    assert cache.__all__ == [
        "ANY", "BLOB", "AsyncStore", "Batch", "IndexEntry", "Key", "ObjectId", "Part", "Receipt",
        "Record", "Store", "StoredObject", "Tree", "View", "WriterStatistics", "hash_object",
    ]  # fmt: skip
    assert all(hasattr(cache, name) for name in cache.__all__)


def test_putting_twice_is_putting_once(store: Store) -> None:
    """The same bytes have one id and one place, however often they are put."""
    first = store.put("blob", b"x" * 5000)
    batch = store.batch()
    assert batch.put("blob", b"x" * 5000) == first
    assert batch.put("blob", b"x" * 5000) == first
    assert store.commit(batch).added == 0
    with store.view() as view:
        assert list(view.ids()) == [first]
    assert first == hash_object("blob", b"x" * 5000)


def test_content_is_stored_compressed_only_when_that_pays(store: Store) -> None:
    """Text shrinks, noise and small content are stored as they are, and all read back."""
    noise = zstandard.ZstdCompressor(level=19).compress(bytes(range(256)) * 50)[:250] * 1
    text, small = b"all green " * 1000, b"a" * 100
    for data, compressed in [(text, True), (small, False), (noise, False)]:
        oid = store.put("blob", data)
        assert store.header(oid).compressed is compressed
        assert store.header(oid).length == len(data)
        assert store.get(oid) == data
    stored = store.environment.get("objects", hash_object("blob", text))
    assert stored is not None
    assert len(stored) < 200


def test_a_header_is_read_without_the_content(store: Store) -> None:
    """Kind and length are known of any object; an absent one is absent, or damage if named."""
    long_kind = "k" * 62 + "/1"
    for kind, data in ("blob", b""), ("blob", b"x" * 10_000_000), (long_kind, b"\x90"):
        header = store.header(store.put(kind, data))
        assert (header.kind, header.length) == (kind, len(data))
    with pytest.raises(MissingObjectError):
        store.header(ObjectId(bytes(32)))
    with pytest.raises(CorruptionError, match="ref 'r' names"):
        store.header(ObjectId(bytes(32)), named_by="ref 'r'")


def test_a_close_that_was_refused_can_be_repeated(tmp_path: Path) -> None:
    """A store is not closed under a view of the same thread; closed later, it gives its lock up."""
    store = Store.open(tmp_path / "again", "create")
    with store.view(), pytest.raises(StoreError, match="view"):
        store.close()
    store.close()
    Store.open(tmp_path / "again", "write").close()


@pytest.mark.parametrize("size", [0, 1, 191, 192, 4096, 200_000])
def test_content_of_any_size_reads_back(store: Store, size: int) -> None:
    """From nothing to many pages."""
    data = bytes(range(256)) * (size // 256) + b"z" * (size % 256)
    assert store.get(store.put("blob", data)) == data


@pytest.mark.slow
def test_content_of_hundreds_of_megabytes_reads_back(store: Store) -> None:
    """One object may be as large as a video; the map grows to take it."""
    data = random.Random(1).randbytes(10 << 20) * 15 + random.Random(2).randbytes(150 << 20)
    assert store.get(store.put("blob", data)) == data


def test_records_read_back(store: Store) -> None:
    """A record comes back equal, and as nothing else."""
    blob = store.put("blob", b"text")
    note = Note(text="look", about=blob)
    oid = store.put_record(note)
    assert store.get_record(oid, Note) == note
    assert store.get_object(oid).kind == "note/1"
    with pytest.raises(RecordError, match="no record of that kind"):
        store.get_record(blob, Note)


def test_records_are_put_in_canonical_form_only(store: Store) -> None:
    """Raw bytes of a record kind are held to the codec's rules."""
    with pytest.raises(RecordError, match="canonical"):
        store.put("note/1", b"\x82\xa4text\xd9\x01x\xa5about\xc0")


def test_a_tree_is_committed_with_its_files(store: Store) -> None:
    """Files, trees and the ref that names the root go in together and are walked again."""
    batch = store.batch()
    files = {path: batch.put("blob", path.encode()) for path in ("a/b", "a/c", "d")}
    built = trees.build(files)
    batch.put_records(built.trees)
    batch.ref("dossiers/one", built.root)
    store.commit(batch)

    def load(oid: ObjectId) -> trees.Tree:
        return store.get_record(oid, trees.Tree, named_by="a tree")

    root = store.ref("dossiers/one")
    assert root is not None
    assert dict(trees.walk(root, load)) == files


def test_nothing_names_an_absent_object(store: Store) -> None:
    """A commit whose record, ref or index entry names an unknown object stores nothing of it."""
    unknown = ObjectId(bytes(32))
    for place in ("record", "ref", "index"):
        batch = store.batch()
        other = batch.put("blob", b"in the same batch")
        if place == "record":
            batch.put_record(Note(text="x", about=unknown))
        elif place == "ref":
            batch.ref("r", unknown)
        else:
            batch.index("i", ["k"], unknown)
        with pytest.raises(MissingObjectError, match="put the object in the same batch"):
            store.commit(batch)
        assert not store.contains(other)


def test_refs_move_only_from_where_they_are_expected(store: Store) -> None:
    """Compare and set: a ref that somebody else has moved is not overwritten."""
    one, two = store.put("blob", b"1"), store.put("blob", b"2")

    def move(target: ObjectId | None, expected: ObjectId | None) -> None:
        batch = store.batch()
        batch.ref("head", target, expected=expected)
        store.commit(batch)

    with pytest.raises(StoreConflictError, match="'head' is absent"):
        move(two, one)
    move(one, None)
    with pytest.raises(StoreConflictError, match=one.hex()):
        move(two, None)
    move(two, one)
    assert store.ref("head") == two
    move(None, two)
    assert store.ref("head") is None


def test_refs_are_listed_by_prefix(store: Store) -> None:
    """Refs come in order of name, from a prefix of the text."""
    batch = store.batch()
    oid = batch.put("blob", b"")
    for name in ("runs/b", "runs/a", "runs-x", "sets/é", "r"):
        batch.ref(name, oid)
    store.commit(batch)
    assert [name for name, _ in store.refs("runs/")] == ["runs/a", "runs/b"]
    assert [name for name, _ in store.refs()] == ["r", "runs-x", "runs/a", "runs/b", "sets/é"]
    assert store.refs("x") == []


def test_index_entries_are_written_once(store: Store) -> None:
    """The same entry again is nothing new; another under its key is refused unless asked for."""
    one, two = store.put("blob", b"1"), store.put("blob", b"2")

    def add(target: ObjectId, payload: bytes = b"p", *, replace: bool = False) -> None:
        batch = store.batch()
        batch.index("cells", ["m", 1], target, payload=payload, replace=replace)
        store.commit(batch)

    add(one)
    add(one)
    for other in ((two, b"p"), (one, b"q")):
        with pytest.raises(StoreConflictError, match="already names something else"):
            add(*other)
    add(two, b"q", replace=True)
    assert store.index_get("cells", ["m", 1]) == (("m", 1), two, b"q")
    batch = store.batch()
    batch.unindex("cells", ["m", 1])
    batch.unindex("cells", ["never", "was"])
    store.commit(batch)
    assert store.index_get("cells", ["m", 1]) is None


def test_one_batch_gives_an_index_entry_one_value(store: Store) -> None:
    """Two values for one key inside a batch are refused when the second is added."""
    batch = store.batch()
    one, two = batch.put("blob", b"1"), batch.put("blob", b"2")
    batch.index("cells", ["m"], one)
    batch.index("cells", ["m"], one)
    with pytest.raises(StoreConflictError, match="two values"):
        batch.index("cells", ["m"], two)
    batch.index("cells", ["m"], two, replace=True)
    store.commit(batch)
    entry = store.index_get("cells", ["m"])
    assert entry is not None
    assert entry.target == two


def test_an_index_is_read_in_pages(store: Store) -> None:
    """Prefix, order, limit and going on behind the last key, both ways."""
    batch = store.batch()
    oid = batch.put("blob", b"")
    keys = [("a", number) for number in range(-5, 6)] + [("b", 0), ("aa", 0)]
    for name in ("cells", "cells2", "cell"):
        for key in keys:
            batch.index(name, key, oid, payload=name.encode())
    store.commit(batch)
    ordered = [("a", number) for number in range(-5, 6)]
    assert [entry.key for entry in store.index_scan("cells", ["a"])] == ordered
    assert [entry.key for entry in store.index_scan("cells")] == [*ordered, ("aa", 0), ("b", 0)]
    assert {entry.payload for entry in store.index_scan("cells")} == {b"cells"}
    for reverse in (False, True):
        pages: list[cache.Key] = []
        after: cache.Key | None = None
        while page := store.index_scan("cells", ["a"], after=after, reverse=reverse, limit=4):
            assert len(page) <= 4
            pages += [entry.key for entry in page]
            after = pages[-1]
        assert pages == (ordered[::-1] if reverse else ordered)
    with store.view() as view:
        assert view.index_names() == ["cell", "cells", "cells2"]


def test_logs_only_grow(store: Store) -> None:
    """Entries are numbered from 0 in the order of commits, and logs do not mix."""
    for number in range(300):
        batch = store.batch()
        batch.append("ledger", b"entry %d" % number)
        if number % 100 == 0:
            batch.append("ledger/other", b"x")
            batch.append("ledger/other", b"y")
        receipt = store.commit(batch)
        assert receipt.log_positions["ledger"] == number
    assert store.log_length("ledger") == 300
    assert store.log_length("ledger/other") == 6
    assert store.log_length("unknown") == 0
    assert store.log_read("ledger", 298) == [(298, b"entry 298"), (299, b"entry 299")]
    assert store.log_read("ledger", 5, limit=1) == [(5, b"entry 5")]
    assert store.log_read("ledger", 300) == []
    with store.view() as view:
        assert view.log_names() == ["ledger", "ledger/other"]


def test_a_failing_batch_leaves_nothing_and_spares_its_group(store: Store) -> None:
    """In a group each batch is judged alone: one that fails is left out whole."""
    good, bad, last = store.batch(), store.batch(), store.batch()
    a = good.put("blob", b"a")
    good.ref("once", a, expected=None)
    b = bad.put("blob", b"b")
    bad.append("ledger", b"b")
    bad.ref("once", b, expected=None)  # the batch before has just set it
    c = last.put("blob", b"c")
    last.ref("once", c, expected=a)
    last.append("ledger", b"c")
    outcomes = store.commit_group([good, bad, last])
    assert [type(outcome).__name__ for outcome in outcomes] == [
        "Receipt", "StoreConflictError", "Receipt",
    ]  # fmt: skip
    assert (store.contains(a), store.contains(b), store.contains(c)) == (True, False, True)
    assert store.log_read("ledger") == [(0, b"c")]


def test_an_error_inside_a_transaction_undoes_all_of_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects, index, refs and log are one transaction: there is no half of a batch."""

    def fail(*_: object) -> bytes:
        raise RuntimeError("stop")

    batch = store.batch()
    oid = batch.put("blob", b"x")
    batch.index("i", ["k"], oid)
    batch.ref("r", oid)
    batch.append("ledger", b"x")
    with monkeypatch.context() as patched:
        patched.setattr("cache.commit.join_ids", fail)  # the journal is written last
        with pytest.raises(RuntimeError):
            store.commit(batch)
    assert not store.contains(oid)
    assert store.index_get("i", ["k"]) is None
    assert store.ref("r") is None
    assert store.log_length("ledger") == 0
    store.commit(batch)
    assert store.contains(oid)


def test_a_view_sees_one_state(store: Store) -> None:
    """What is committed while a view is held is not in the view."""
    first = store.put("blob", b"1")
    with store.view() as view:
        second = store.put("blob", b"2")
        assert view.contains(first)
        assert not view.contains(second)
        assert store.contains(second)


def test_write_times_are_outside_the_ids(tmp_path: Path) -> None:
    """The journal knows what was put when, again or for the first time; ids do not."""
    now = iter(range(0, 1000, 10))
    with Store.open(tmp_path, "create", clock=lambda: next(now)) as store:
        one = store.put("blob", b"1")  # at 10: creating the store took 0
        two = store.put("blob", b"2")
        assert store.put("blob", b"1") == one
        with store.view() as view:
            assert list(view.journal()) == [(10, [one]), (20, [two]), (30, [one])]
            assert view.written_since(30) == {one}
            assert view.written_since(31) == set()


def test_a_discarded_object_can_be_put_again(store: Store) -> None:
    """Making room for a whole copy of a damaged object: it goes, whatever names it."""
    one, other = store.put("blob", b"1"), store.put("blob", b"2")
    assert store.discard(one)
    assert not store.discard(one)
    with store.view() as view:
        assert list(view.ids()) == [other]
    assert store.put("blob", b"1") == one


def test_everything_that_is_named_is_a_root(store: Store) -> None:
    """Roots are the targets of all refs and of all entries of all indexes."""
    batch = store.batch()
    a, b, c = (batch.put("blob", data) for data in (b"a", b"b", b"c"))
    batch.put("blob", b"unnamed")
    batch.ref("r", a)
    batch.index("i", ["k"], b)
    batch.index("j", [1], c)
    store.commit(batch)
    with store.view() as view:
        assert [target for target, _ in view.roots()] == [a, b, c]


def test_reading_needs_no_lock_and_cannot_write(tmp_path: Path) -> None:
    """A store opened for reading refuses to write, and says how to."""
    Store.open(tmp_path, "create").close()
    with Store.open(tmp_path) as store, pytest.raises(UsageError, match="open for reading"):
        store.put("blob", b"x")


def test_a_process_opens_a_store_once(tmp_path: Path) -> None:
    """LMDB cannot open a file twice in one process; the error says what to do instead."""
    with Store.open(tmp_path, "create"), pytest.raises(StoreLockedError):
        Store.open(tmp_path, "write")
    with Store.open(tmp_path), pytest.raises(StoreLockedError, match="share the one Store"):
        Store.open(tmp_path)


def test_a_closed_store_says_so(store: Store) -> None:
    """Using a closed store is a named error; closing it twice is harmless."""
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.get(ObjectId(bytes(32)))
    assert "closed" in repr(store)


def test_a_batch_being_committed_takes_nothing_more(store: Store) -> None:
    """What is on its way to the disk cannot be changed any more."""
    batch = store.batch()
    batch.seal()
    with pytest.raises(UsageError, match="being committed"):
        batch.put("blob", b"x")
    batch.unseal()
    batch.put("blob", b"x")
    store.commit(batch)
    batch.put("blob", b"y")


def test_payloads_are_small(store: Store) -> None:
    """An index is for listing: what is larger belongs into the object."""
    batch = store.batch()
    oid = batch.put("blob", b"x")
    batch.index("i", [1], oid, payload=b"p" * 1024)
    with pytest.raises(UsageError, match="too large"):
        batch.index("i", [2], oid, payload=b"p" * 1025)


@given(st.binary(max_size=3000))
def test_packing_loses_nothing(data: bytes) -> None:
    """Any content reads back from its stored form."""
    value = layout.pack_object("blob", data)
    assert layout.unpack_object(hash_object("blob", data), value) == ("blob", data)
