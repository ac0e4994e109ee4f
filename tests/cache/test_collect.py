"""Garbage collection: only what is unreachable and old goes, whoever reads or writes meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cache import collect as collecting
from cache.collect import Sum, collect
from cache.errors import CorruptionError, UsageError
from cache.ids import ObjectId
from cache.store import Store
from cache.verify import verify
from tests.cache.reading import reader
from tests.cache.samples import Graph, add, fill, fresh, graphs, name, picture, reached, tamper

SECOND = 10**9
NOW = 1_000_000 * SECOND
GRACE = timedelta(seconds=100)


class Clock:
    """A clock that is set."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """Shows `NOW` until it is set."""
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """An empty store with that clock."""
    with Store.open(tmp_path / "store", "create", sync=False, clock=clock) as opened:
        yield opened


@settings(deadline=None, max_examples=80)
@given(graphs(), st.data())
def test_only_the_unreachable_and_old_is_removed(
    tmp_path_factory: pytest.TempPathFactory, graph: Graph, data: st.DataObject
) -> None:
    """Kept is what names reach, and what was put within the grace time with all it names."""
    ages = [data.draw(st.sampled_from([0, 99, 101, 9999])) for _ in graph.edges]
    clock = Clock()
    folder = tmp_path_factory.mktemp("gc")
    with Store.open(folder, "create", sync=False, clock=clock) as store:
        oids: list[ObjectId] = []
        for number, named in enumerate(graph.edges):
            clock.now = NOW - ages[number] * SECOND
            batch = store.batch()
            oids.append(add(batch, number, [oids[at] for at in named]))
            store.commit(batch)
        batch = store.batch()
        name(batch, graph, oids)
        store.commit(batch)

        before = picture(store)
        dry = collect(store, grace=GRACE, now_ns=NOW)
        assert picture(store) == before
        done = collect(store, grace=GRACE, now_ns=NOW, delete=True)
        after = picture(store)

    kept = reached(graph.edges, {*graph.refs.values(), *graph.entries.values()})
    young = {number for number, age in enumerate(ages) if age <= 100}
    stays = kept | reached(graph.edges, young)
    assert after.objects.keys() == {oids[at] for at in stays}
    assert after._replace(objects={}) == before._replace(objects={})
    assert verify(folder).whole

    assert (dry.deleted, dry.removed) == (False, 0)
    assert (done.kept.objects, done.young.objects) == (len(kept), len(stays - kept))
    assert done.removed == done.removable.objects == len(oids) - len(stays)
    assert dry.kinds == done.kinds


def test_the_report_counts_by_kind(store: Store, clock: Clock) -> None:
    """Objects and stored bytes of each kind add up to what is in the store."""
    fill(store, Graph([[], [], [0], [1]], {"a": 2}, {}, {}))
    clock.now += 1000 * SECOND
    store.put("blob", b"young")
    report = collect(store, grace=GRACE, now_ns=clock.now)
    blob, node = report.kinds
    assert (blob.kind, node.kind) == ("blob", "test-node/1")
    assert (blob.kept.objects, blob.young.objects, blob.removable.objects) == (1, 1, 1)
    assert (node.kept.objects, node.young, node.removable.objects) == (1, Sum(), 1)
    assert blob.young.bytes == len(b"young") + len(b"blob") + 10
    with store.view() as view:
        stored = sum(len(value) for _, value in view.raw_objects())
    assert report.kept.bytes + report.young.bytes + report.removable.bytes == stored


def test_putting_again_makes_young(store: Store, clock: Clock) -> None:
    """What was put long ago and again just now stays: somebody is about to name it."""
    oid = store.put("blob", b"again")
    clock.now += 1000 * SECOND
    store.put("blob", b"again")
    assert collect(store, grace=GRACE, now_ns=clock.now, delete=True).removed == 0
    clock.now += 1000 * SECOND
    assert collect(store, grace=GRACE, now_ns=clock.now, delete=True).removed == 1
    assert not store.contains(oid)


def test_a_later_collection_knows_the_times_of_what_stays(store: Store, clock: Clock) -> None:
    """A collection with a short grace time does not make the next one forget what is young."""
    oid = store.put("blob", b"named for now")
    batch = store.batch()
    batch.ref("a", oid)
    store.commit(batch)
    store.put("blob", b"gone")
    clock.now += SECOND
    assert collect(store, grace=timedelta(0), now_ns=clock.now, delete=True).removed == 1
    batch = store.batch()
    batch.ref("a", None)
    store.commit(batch)
    assert collect(store, grace=GRACE, now_ns=clock.now, delete=True).removed == 0
    assert store.contains(oid)


def test_times_of_what_is_gone_are_forgotten(store: Store, clock: Clock) -> None:
    """The journal of write times does not grow with what was removed."""
    for number in range(5):
        store.put("blob", b"%d" % number)
    clock.now += 1000 * SECOND
    kept = store.put("blob", b"young")
    collect(store, grace=GRACE, now_ns=clock.now, delete=True)
    with store.view() as view:
        assert [oids for _, oids in view.journal()] == [[kept]]


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each transaction of a collection removes one object."""
    monkeypatch.setattr(collecting, "BATCH_OBJECTS", 1)


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("how", ["ref", "index", "record", "put"])
def test_what_is_named_or_put_meanwhile_stays(store: Store, clock: Clock, how: str) -> None:
    """A commit between choosing and removing is seen by the transaction that removes."""
    chain = [store.put("blob", b"%d" % number) for number in range(6)]
    clock.now += 1000 * SECOND
    order = sorted(chain)  # removed from the last to the first
    saved = order[2]

    def meanwhile(doing: str, done: int, total: int | None) -> None:
        if (doing, done) == ("removing", 2):
            batch = store.batch()
            if how == "put":
                batch.put("blob", b"%d" % chain.index(saved))
            elif how == "ref":
                batch.ref("a", saved)
            elif how == "index":
                batch.index("x", [1], saved)
            else:
                add(batch, 7, [saved])
            store.commit(batch)

    report = collect(store, grace=GRACE, now_ns=clock.now, delete=True, progress=meanwhile)
    assert (report.removable.objects, report.removed) == (6, 5)
    assert [oid for oid in chain if store.contains(oid)] == [saved]


@pytest.mark.usefixtures("one_by_one")
def test_a_stopped_collection_leaves_nothing_missing(tmp_path: Path) -> None:
    """After each single removal, everything that an object names is there."""
    clock = Clock()
    graph = Graph([[], [], [0, 1], [0, 2], [3, 1], [2]], {}, {}, {})
    left = len(graph.edges)
    with Store.open(tmp_path, "create", sync=False, clock=clock) as store:
        fill(store, graph)
    clock.now += 1000 * SECOND
    while left:
        with Store.open(tmp_path, "write", sync=False, clock=clock) as store:

            class Stopped(Exception):  # noqa: N818  # not an error
                pass

            def stop(doing: str, done: int, total: int | None) -> None:
                if doing == "removing":
                    raise Stopped

            with pytest.raises(Stopped):
                collect(store, grace=GRACE, now_ns=clock.now, delete=True, progress=stop)
        verdict = verify(tmp_path)
        assert verdict.whole
        left -= 1
        assert verdict.orphans == left


def test_a_reader_keeps_the_state_it_began_with(tmp_path: Path) -> None:
    """A second process reads every removed object as long as its view is open."""
    with Store.open(tmp_path, "create", sync=False) as store:
        for number in range(300):
            store.put("blob", b"%d " % number * 2000)
        with reader(tmp_path) as other:
            assert collect(store, grace=timedelta(0), delete=True).removed == 300
            for number in range(300):  # would reuse free pages, if they were
                store.put("blob", b"other %d " % number * 2000)
            assert other.finish() == 300
        with reader(tmp_path) as other:
            assert other.finish() == 300


@pytest.mark.parametrize("value", [b"wrong", None])
def test_a_damaged_store_is_not_collected(tmp_path: Path, value: bytes | None) -> None:
    """What a damaged or missing object named cannot be known, so nothing is removed."""
    with fresh(tmp_path) as store:
        oids = fill(store, Graph([[], [0], []], {"a": 1}, {}, {}))
    tamper(tmp_path, "objects", oids[1], value)
    with Store.open(tmp_path, "write") as store:
        with pytest.raises(CorruptionError):
            collect(store, grace=timedelta(0), delete=True)
        assert store.contains(oids[0])
        assert store.contains(oids[2])


def test_damage_that_nothing_names_can_be_collected(tmp_path: Path) -> None:
    """A damaged orphan is removed like any other."""
    with fresh(tmp_path) as store:
        oids = fill(store, Graph([[], [], [1]], {"a": 0}, {}, {}))
    tamper(tmp_path, "objects", oids[2], b"wrong")
    with Store.open(tmp_path, "write") as store:
        report = collect(store, grace=timedelta(0), delete=True)
        assert report.removed == 2
        assert [kind.kind for kind in report.kinds] == ["(damaged)", "blob"]
    assert verify(tmp_path).whole


def test_a_reader_can_only_look(tmp_path: Path) -> None:
    """A store that is open for reading gives the dry run and refuses the rest."""
    with fresh(tmp_path) as store:
        store.put("blob", b"orphan")
    with Store.open(tmp_path) as store:
        assert collect(store, grace=timedelta(0)).removable.objects == 1
        with pytest.raises(UsageError, match="open for reading"):
            collect(store, grace=timedelta(0), delete=True)
