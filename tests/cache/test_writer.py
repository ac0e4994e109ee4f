"""The async store: durable before awaited, grouped, bounded, and whole under cancellation."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from cache import AsyncStore, Batch, ObjectId, Record, Store
from cache.commit import Outcome
from cache.errors import (
    CorruptionError,
    MissingObjectError,
    StoreConflictError,
    StoreError,
    StoreFullError,
)
from cache.ids import hash_object
from cache.view import StoredObject

pytestmark = pytest.mark.asyncio


class Memo(Record, frozen=True, kw_only=True):
    """A small record."""

    kind: ClassVar[str] = "memo/1"

    text: str


class HeldStore(Store):
    """A store whose commits wait at a gate, so that a test decides when they happen."""

    gate: ClassVar[threading.Event]
    groups: ClassVar[list[int]]

    def commit_group(self, batches: Sequence[Batch]) -> list[Outcome]:
        """Commit when the gate is open."""
        self.gate.wait(10)
        self.groups.append(len(batches))
        return super().commit_group(batches)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[HeldStore]:
    """A store that commits nothing before `held.gate.set()`."""
    HeldStore.gate, HeldStore.groups = threading.Event(), []
    with HeldStore.open(tmp_path / "store", "create") as store:
        yield store
        HeldStore.gate.set()


async def until_blocked() -> None:
    """Let every task run until it waits for something outside the loop."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_what_is_awaited_is_durable(tmp_path: Path) -> None:
    """After `put` and `commit` return, the store holds what they were given."""
    async with AsyncStore.open(tmp_path) as store:
        oid = await store.put("blob", b"x" * 100_000)
        memo = await store.put_record(Memo(text="m"))
        batch = store.batch()
        batch.ref("r", oid)
        assert (await store.commit(batch)).added == 0
        assert await store.get(oid) == b"x" * 100_000
        assert await store.get_record(memo, Memo) == Memo(text="m")
        assert (await store.get_object(memo)).kind == "memo/1"
        assert await store.read(lambda view: list(view.refs())) == [("r", oid)]
    with Store.open(tmp_path) as reopened:
        assert not reopened.checked
        assert reopened.ref("r") == oid


async def test_nothing_is_acknowledged_before_its_commit(held: HeldStore) -> None:
    """A waiter is woken by the commit that holds its batch, not earlier."""
    async with AsyncStore(held) as store:
        task = asyncio.create_task(store.put("blob", b"x"))
        await asyncio.sleep(0.05)
        assert not task.done()
        assert not held.contains(hash_object("blob", b"x"))
        held.gate.set()
        assert held.contains(await task)


async def test_waiting_batches_share_one_sync(held: HeldStore) -> None:
    """What gathers during a commit is written by the next one, in order, up to the group size."""
    async with AsyncStore(held, max_group=8) as store:
        tasks = [asyncio.create_task(store.put("blob", b"%d" % number)) for number in range(20)]
        await until_blocked()
        assert store.statistics().waiting_batches == 20
        held.gate.set()
        await asyncio.gather(*tasks)
        assert sum(held.groups) == 20
        assert max(held.groups) == 8
        assert len(held.groups) <= 4
        statistics = store.statistics()
        assert (statistics.committed, statistics.failed) == (20, 0)
        assert (statistics.groups, statistics.largest_group) == (len(held.groups), 8)
        assert (statistics.waiting_batches, statistics.waiting_bytes) == (0, 0)


async def test_a_failing_batch_does_not_poison_its_group(held: HeldStore) -> None:
    """Each waiter gets its own outcome."""
    async with AsyncStore(held) as store:
        bad = store.batch()
        bad.ref("r", ObjectId(bytes(32)))
        tasks = [
            asyncio.create_task(store.put("blob", b"1")),
            asyncio.create_task(store.commit(bad)),
            asyncio.create_task(store.put("blob", b"2")),
        ]
        await until_blocked()
        held.gate.set()
        first, failed, last = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(failed, MissingObjectError)
        assert held.contains(hash_object("blob", b"1"))
        assert held.contains(hash_object("blob", b"2"))
        assert store.statistics().failed == 1
        assert (first, last) == (hash_object("blob", b"1"), hash_object("blob", b"2"))


async def test_an_error_of_the_transaction_is_answered_batch_by_batch(
    held: HeldStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a whole group fails, each batch is tried alone, and only the culprit fails."""
    honest = Store.commit_group

    def full_for_large(store: Store, batches: Sequence[Batch]) -> list[Outcome]:
        if sum(batch.size for batch in batches) > 5_000:
            raise StoreFullError("no room left on the disk")
        return honest(store, batches)

    monkeypatch.setattr(Store, "commit_group", full_for_large)
    async with AsyncStore(held) as store:
        contents = (b"first", b"a" * 100, b"b" * 6_000, b"c" * 100)
        tasks = [asyncio.create_task(store.put("blob", data)) for data in contents]
        await until_blocked()
        held.gate.set()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    failed = [isinstance(outcome, StoreFullError) for outcome in outcomes]
    assert failed == [False, False, True, False]
    assert max(held.groups) >= 2  # whatever the thread took first, the culprit had company


async def test_a_cancelled_waiter_leaves_all_or_nothing(held: HeldStore) -> None:
    """A batch handed to the writer is written whole although nobody waits for it any more."""
    async with AsyncStore(held) as store:
        batch = store.batch()
        oid = batch.put("blob", b"paid for")
        batch.append("ledger", b"paid")
        task = asyncio.create_task(store.commit(batch))
        other = asyncio.create_task(store.put("blob", b"other"))
        await until_blocked()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        held.gate.set()
        await other
    assert held.contains(oid)
    assert held.log_read("ledger") == [(0, b"paid")]


async def test_the_queue_is_bounded(held: HeldStore) -> None:
    """Beyond the limit commits wait for room, in order; a batch above the limit goes alone."""
    async with AsyncStore(held, max_waiting_bytes=1000) as store:
        tasks = [asyncio.create_task(store.put("blob", bytes([n]) * 400)) for n in range(6)]
        await until_blocked()
        statistics = store.statistics()
        assert (statistics.waiting_batches, statistics.blocked) == (2, 4)
        assert statistics.waiting_bytes <= 1000
        large = asyncio.create_task(store.put("blob", b"L" * 5000))
        await until_blocked()
        assert store.statistics().blocked == 5
        held.gate.set()
        await asyncio.gather(*tasks, large)
        assert store.statistics().waiting_bytes == 0


async def test_cancelling_while_waiting_for_room_takes_the_batch_back(held: HeldStore) -> None:
    """What was not handed over is not written, its room goes to the next, the batch is free."""
    async with AsyncStore(held, max_waiting_bytes=1000) as store:
        first = asyncio.create_task(store.put("blob", b"1" * 900))
        batch = store.batch()
        oid = batch.put("blob", b"2" * 900)
        second = asyncio.create_task(store.commit(batch))
        third = asyncio.create_task(store.put("blob", b"3" * 900))
        await until_blocked()
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        batch.put("blob", b"more")  # not sealed any more
        held.gate.set()
        await asyncio.gather(first, third)
        assert store.statistics().waiting_bytes == 0
    assert not held.contains(oid)


async def test_cancelling_the_head_of_the_queue_lets_the_next_pass(held: HeldStore) -> None:
    """A small batch behind a large one that gives up does not wait for the next commit."""
    async with AsyncStore(held, max_waiting_bytes=1000) as store:
        running = asyncio.create_task(store.put("blob", b"1" * 400))
        large = asyncio.create_task(store.put("blob", b"2" * 800))
        small = asyncio.create_task(store.put("blob", b"3" * 10))
        await until_blocked()
        assert store.statistics().blocked == 2
        large.cancel()
        await until_blocked()
        statistics = store.statistics()
        assert (statistics.blocked, statistics.waiting_batches) == (0, 2)
        held.gate.set()
        await asyncio.gather(running, small)


async def test_cancelling_in_the_moment_of_room_loses_no_room(
    held: HeldStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room given to a task that is cancelled before it runs again is given on."""
    async with AsyncStore(held, max_waiting_bytes=1000) as store:
        first = asyncio.create_task(store.put("blob", b"1" * 900))
        second = asyncio.create_task(store.put("blob", b"2" * 900))
        third = asyncio.create_task(store.put("blob", b"3" * 900))
        await until_blocked()
        give_room = store._give_room

        def give_and_cancel() -> None:
            give_room()
            second.cancel()

        monkeypatch.setattr(store, "_give_room", give_and_cancel)
        held.gate.set()
        await asyncio.gather(first, third)
        assert second.cancelled()
        statistics = store.statistics()
        assert (statistics.waiting_bytes, statistics.blocked) == (0, 0)


async def test_closing_writes_what_was_handed_over(held: HeldStore) -> None:
    """Leaving the context waits for every commit under way, those waiting for room included."""
    async with AsyncStore(held, max_waiting_bytes=1000) as store:
        tasks = [asyncio.create_task(store.put("blob", bytes([n]) * 400)) for n in range(6)]
        await until_blocked()
        asyncio.get_running_loop().call_later(0.01, held.gate.set)
    assert all(held.contains(task.result()) for task in tasks)
    with pytest.raises(StoreError, match="closed for writing"):
        await store.put("blob", b"late")


async def test_cancelling_the_close_still_writes_everything(held: HeldStore) -> None:
    """A cancelled task that leaves the context finishes the writing, then ends as cancelled."""
    inside = asyncio.Event()

    async def use() -> None:
        async with AsyncStore(held) as store:
            asyncio.get_running_loop().create_task(store.put("blob", b"x"))
            await until_blocked()
            inside.set()

    task = asyncio.create_task(use())
    await inside.wait()
    await until_blocked()
    task.cancel()
    await until_blocked()
    task.cancel()
    asyncio.get_running_loop().call_later(0.01, held.gate.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert held.contains(hash_object("blob", b"x"))


async def test_many_racing_writers_and_one_ref(tmp_path: Path) -> None:
    """Compare and set lets exactly one of many racers win each step."""
    async with AsyncStore.open(tmp_path) as store:
        start = await store.put("blob", b"start")
        batch = store.batch()
        batch.ref("head", start)
        await store.commit(batch)

        async def race(number: int) -> bool:
            attempt = store.batch()
            attempt.ref("head", attempt.put("blob", b"%d" % number), expected=start)
            try:
                await store.commit(attempt)
            except StoreConflictError:
                return False
            return True

        assert sum(await asyncio.gather(*map(race, range(200)))) == 1


async def test_the_loop_is_free_while_the_disk_is_slow(held: HeldStore) -> None:
    """The loop turns as it likes while a commit takes its time in the thread."""
    async with AsyncStore(held) as store:
        task = asyncio.create_task(store.put("blob", b"x"))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert not task.done()
        held.gate.set()
        await task


async def test_reading_says_what_is_missing(tmp_path: Path) -> None:
    """The same errors as the store's own."""
    absent = ObjectId(bytes(32))
    async with AsyncStore.open(tmp_path) as store:
        with pytest.raises(MissingObjectError):
            await store.get(absent)
        with pytest.raises(CorruptionError, match="a tree names"):
            await store.get(absent, named_by="a tree")
        assert "0 batches waiting" in repr(store)


async def test_a_waiter_cancelled_just_before_room_is_passed_over(
    held: HeldStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Room that comes between a cancellation and its arrival goes to the next in the queue."""
    async with AsyncStore(held, max_waiting_bytes=1000) as store:
        first = asyncio.create_task(store.put("blob", b"1" * 900))
        second = asyncio.create_task(store.put("blob", b"2" * 900))
        third = asyncio.create_task(store.put("blob", b"3" * 900))
        await until_blocked()
        give_room = store._give_room

        def cancel_and_give() -> None:
            second.cancel()
            give_room()

        monkeypatch.setattr(store, "_give_room", cancel_and_give)
        held.gate.set()
        await asyncio.wait_for(asyncio.gather(first, third), 10)
        assert second.cancelled()
        statistics = store.statistics()
        assert (statistics.waiting_bytes, statistics.blocked) == (0, 0)


async def test_the_end_of_the_loop_leaves_nothing_unwritten(tmp_path: Path) -> None:
    """What was handed to the writer is written even if the loop ends while the store closes."""
    HeldStore.gate, HeldStore.groups = threading.Event(), []
    store = HeldStore.open(tmp_path, "create")

    async def use() -> None:
        try:
            async with AsyncStore(store, max_group=1) as writer:
                tasks = [
                    asyncio.create_task(writer.put("blob", b"%d" % number)) for number in range(3)
                ]
                await until_blocked()
                tasks.clear()
        finally:
            store.close()

    async def main() -> asyncio.Task[None]:
        task = asyncio.create_task(use())
        for _ in range(10):
            await until_blocked()
        threading.Timer(0.2, HeldStore.gate.set).start()
        return task  # it is closing: asyncio.run cancels it, and all that it waits for

    assert (await asyncio.to_thread(asyncio.run, main())).cancelled()
    with Store.open(tmp_path) as again:
        assert all(again.contains(hash_object("blob", b"%d" % number)) for number in range(3))


async def test_content_that_unpacks_to_much_is_read_off_the_loop(tmp_path: Path) -> None:
    """What counts is how much a reader gets, not how small it was stored."""
    threads: set[int] = set()

    class Noting(Store):
        def get_object(self, oid: ObjectId, *, named_by: str | None = None) -> StoredObject:
            threads.add(threading.get_ident())
            return super().get_object(oid, named_by=named_by)

    with Noting.open(tmp_path / "store", "create") as inner:
        large, small = inner.put("blob", bytes(20_000_000)), inner.put("blob", b"small")
        async with AsyncStore(inner) as store:
            await store.get(large)
            assert threading.get_ident() not in threads
            await store.get(small)
            assert threading.get_ident() in threads
