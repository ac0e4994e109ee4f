"""Merging: the union of both, every disagreement listed, nothing that was here changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from cache.contents import Item, ObjectItem, contents
from cache.errors import ArchiveError, CorruptionError, SecretError
from cache.ids import hash_object
from cache.merge import BATCH_ITEMS, Conflict, MergeReport, merge
from cache.store import Store
from tests.cache.samples import Graph, fill, fresh, graphs, picture, tamper


def take(store: Store, other: Store) -> MergeReport:
    """Merge one store into another."""
    with other.view() as view:
        return merge(store, lambda: contents(view))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Store]:
    """The store that is merged into."""
    with fresh(tmp_path / "here") as store:
        yield store


@pytest.fixture
def there(tmp_path: Path) -> Iterator[Store]:
    """The store that is merged from."""
    with fresh(tmp_path / "there") as store:
        yield store


@settings(deadline=None, max_examples=60)
@given(graphs(), graphs())
def test_a_merge_is_the_union(
    tmp_path_factory: pytest.TempPathFactory, ours: Graph, theirs: Graph
) -> None:
    """All objects of both; a name keeps what it names here; each disagreement is listed once."""
    folder = tmp_path_factory.mktemp("merge")
    with fresh(folder / "here") as here, fresh(folder / "there") as there:
        fill(here, ours)
        fill(there, theirs)
        old, other = picture(here), picture(there)
        report = take(here, there)
        new = picture(here)
        again = take(here, there)

    assert new.objects == old.objects | other.objects
    assert new.refs == other.refs | old.refs
    assert new.entries == other.entries | old.entries
    refs = {name for name in old.refs.keys() & other.refs if old.refs[name] != other.refs[name]}
    assert {c.name for c in report.conflicts if c.what == "ref"} == refs
    both = old.entries.keys() & other.entries
    differ = [key for key in both if old.entries[key] != other.entries[key]]
    assert sum(c.what == "index" for c in report.conflicts) == len(differ)
    for name in old.logs.keys() | other.logs.keys():
        mine, their = old.logs.get(name, []), other.logs.get(name, [])
        shared = min(len(mine), len(their))
        longer = max(mine, their, key=len)
        assert new.logs[name] == (longer if mine[:shared] == their[:shared] else mine)

    assert report.objects == len(other.objects)
    assert report.objects_added == len(new.objects) - len(old.objects)
    assert report.refs_added == len(new.refs) - len(old.refs)
    assert report.index_entries_added == len(new.entries) - len(old.entries)
    assert again.conflicts == report.conflicts
    added = (
        again.objects_added,
        again.refs_added,
        again.index_entries_added,
        again.log_entries_added,
    )
    assert added == (0, 0, 0, 0)


def test_conflicts_say_what_stays(here: Store, there: Store) -> None:
    """A conflict names both sides, as they can be looked up."""
    one, two = here.put("blob", b"one"), there.put("blob", b"two")
    for store, target in (here, one), (there, two):
        batch = store.batch()
        batch.ref("run", target)
        batch.index("cells", ["m", 1], target, payload=b"p")
        batch.append("ledger", b"line %s" % target[:1].hex().encode())
        store.commit(batch)
    assert take(here, there).conflicts == (
        Conflict(
            what="index", name="cells ('m', 1)", ours=f"{one.hex()} p", theirs=f"{two.hex()} p"
        ),
        Conflict(
            what="log",
            name="ledger, entry 0",
            ours=f"line {one[:1].hex()}",
            theirs=f"line {two[:1].hex()}",
        ),
        Conflict(what="ref", name="run", ours=one.hex(), theirs=two.hex()),
    )
    assert here.ref("run") == one
    assert here.contains(two)


@pytest.mark.parametrize(
    ("ours", "theirs", "merged", "conflict_at"),
    [
        ([], [b"a", b"b"], [b"a", b"b"], None),
        ([b"a"], [b"a", b"b"], [b"a", b"b"], None),
        ([b"a", b"b"], [b"a"], [b"a", b"b"], None),
        ([b"a", b"b"], [b"a", b"b"], [b"a", b"b"], None),
        ([b"a", b"x"], [b"a", b"b", b"c"], [b"a", b"x"], 1),
        ([b"x"], [b"a"], [b"x"], 0),
    ],
)
def test_a_log_is_continued_or_left_alone(
    here: Store,
    there: Store,
    ours: list[bytes],
    theirs: list[bytes],
    merged: list[bytes],
    conflict_at: int | None,
) -> None:
    """A log that begins as ours goes on; one that differs anywhere adds nothing and is listed."""
    for store, lines in (here, ours), (there, theirs):
        batch = store.batch()
        for line in lines:
            batch.append("ledger", line)
        store.commit(batch)
    report = take(here, there)
    assert [line for _, line in here.log_read("ledger")] == merged
    places = [] if conflict_at is None else [f"ledger, entry {conflict_at}"]
    assert [c.name for c in report.conflicts] == places
    assert report.log_entries_added == max(0, len(merged) - len(ours))


def test_a_damaged_source_changes_nothing(here: Store, tmp_path: Path) -> None:
    """The last object of a source is proved before its first is written."""
    with fresh(tmp_path / "there") as there:
        oids = fill(there, Graph([[], [], [0], [1, 2]], {"top": 3}, {}, {}))
    for oid in oids:
        tamper(
            tmp_path / "there", "objects", oid, b"\0\x04" + (5).to_bytes(8, "big") + b"blobwrong"
        )
        with Store.open(tmp_path / "there") as there, pytest.raises(CorruptionError):
            take(here, there)
        assert picture(here).objects == {}


def test_a_merge_repairs_what_is_damaged_here(there: Store, tmp_path: Path) -> None:
    """A damaged or lost object is replaced by the proved one of the source."""
    graph = Graph([[], [], [0, 1]], {"top": 2}, {}, {})
    with fresh(tmp_path / "here") as here:
        oids = fill(here, graph)
        whole = picture(here)
    fill(there, graph)
    tamper(tmp_path / "here", "objects", oids[0], b"wrong")
    tamper(tmp_path / "here", "objects", oids[1], None)
    with Store.open(tmp_path / "here", "write") as here:
        report = take(here, there)
        assert picture(here) == whole
    assert (report.objects_repaired, report.objects_added) == (1, 1)


def test_many_items_are_written_in_bounded_batches(here: Store, there: Store) -> None:
    """What does not fit into one batch arrives whole all the same."""
    batch = there.batch()
    target = batch.put("blob", b"target")
    for number in range(2 * BATCH_ITEMS + 1):
        batch.index("many", [number], target)
        batch.append("long", b"%d" % number)
    there.commit(batch)
    report = take(here, there)
    assert picture(here) == picture(there)
    assert report.index_entries_added == report.log_entries_added == 2 * BATCH_ITEMS + 1


def test_a_source_that_changes_between_its_readings_cannot_do_harm(here: Store) -> None:
    """What is written is proved again, so an object that was right only at first is refused."""
    with fresh(here.folder.parent / "there") as there:
        there.put("blob", b"right")
        with there.view() as view:
            items = list(contents(view))
    oid = hash_object("blob", b"right")
    readings: Iterator[list[Item]] = iter([items, [ObjectItem(oid, "blob", b"wrong")]])
    with pytest.raises(ArchiveError, match="does not match its id"):
        merge(here, lambda: next(readings))
    assert picture(here).objects == {}


def test_a_forbidden_secret_is_not_taken_in(here: Store, there: Store) -> None:
    """Masking would change ids, so a source that holds a secret of this store is refused."""
    there.put("blob", b"the key is hunter2-hunter2")
    here.forbid("hunter2-hunter2")
    with pytest.raises(SecretError):
        take(here, there)
    assert picture(here).objects == {}


def test_progress_is_told(here: Store, there: Store) -> None:
    """Both passes report how far they are."""
    fill(there, Graph([[], []], {}, {}, {}))
    told: list[tuple[str, int, int | None]] = []

    def items() -> Iterator[Item]:
        with there.view() as view:
            yield from contents(view)

    merge(here, items, progress=lambda *report: told.append(report))
    assert [doing for doing, _, _ in told] == ["checking"] * 2 + ["merging"] * 2
    assert told[-1] == ("merging", 1, 2)
