"""The store for an event loop: one writer thread, group commit, reads that never stall the loop.

Many tasks commit small batches at once, and a sync costs the same for one batch as for a hundred.
So a thread takes whatever has gathered while it wrote the last group, writes it in one
transaction, and then wakes every task whose batch is in it: awaiting `commit` returns after the
sync that holds the batch, never before. When more bytes wait than `max_waiting_bytes`, new commits
wait for room first, in order.

Cancelling a task that waits for room takes its batch back. Once handed to the writer a batch is
written whole even if nobody waits for it any more: what has been paid for is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Final, NamedTuple, Self, TypeVar

import msgspec

from cache.batch import Batch, Receipt
from cache.codec import Record, decode
from cache.errors import StoreError
from cache.ids import ObjectId
from cache.store import Mode, Store
from cache.view import StoredObject, View

INLINE_BYTES: Final = 16 << 10
"""Content up to this size is read on the loop: tens of microseconds, less than a thread."""

MAX_WAITING_BYTES: Final = 64 << 20
MAX_GROUP: Final = 1024

R = TypeVar("R", bound=Record)
T = TypeVar("T")


class WriterStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """What the writer of a store has done and has to do."""

    waiting_batches: int
    """Handed to the writer and not yet durable."""
    waiting_bytes: int
    blocked: int
    """Tasks that wait for room."""
    committed: int
    """Batches that are durable."""
    failed: int
    """Batches that were refused."""
    groups: int
    """Transactions, each with one sync."""
    largest_group: int
    """Batches in the largest transaction."""


class _Request(NamedTuple):
    batch: Batch
    size: int
    done: asyncio.Future[Receipt]


class AsyncStore:
    """A store whose writes are awaited. Use it as an async context manager.

    State: every counter and queue below belongs to the loop's thread, except `_requests`, through
    which batches pass to the writer thread; results come back by `call_soon_threadsafe`.
    """

    def __init__(
        self,
        store: Store,
        *,
        max_waiting_bytes: int = MAX_WAITING_BYTES,
        max_group: int = MAX_GROUP,
    ) -> None:
        self.store = store
        self._max_waiting_bytes = max_waiting_bytes
        self._max_group = max_group
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._blocked: deque[tuple[asyncio.Future[None], int]] = deque()
        self._callers = 0
        self._no_callers = asyncio.Event()
        self._waiting_batches = self._waiting_bytes = 0
        self._committed = self._failed = self._groups = self._largest_group = 0
        self._accepting = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._write_groups, name="store-writer", daemon=True)

    def __repr__(self) -> str:
        return f"<AsyncStore of {self.store!r}, {self._waiting_batches} batches waiting>"

    @classmethod
    @asynccontextmanager
    async def open(
        cls, path: str | os.PathLike[str], mode: Mode = "create", *, allow_network: bool = False
    ) -> AsyncIterator[Self]:
        """Open a store as `Store.open` does, and close it at the end."""
        store = await asyncio.to_thread(Store.open, path, mode, allow_network=allow_network)
        try:
            async with cls(store) as opened:
                yield opened
        finally:
            store.close()

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._accepting = True
        self._thread.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await _to_the_end(self._finish())
        finally:  # the end of the loop ends the waiting above, but not the writing
            self._requests.put(None)
            self._thread.join()

    def statistics(self) -> WriterStatistics:
        """What the writer has done and has to do, now."""
        return WriterStatistics(
            waiting_batches=self._waiting_batches,
            waiting_bytes=self._waiting_bytes,
            blocked=len(self._blocked),
            committed=self._committed,
            failed=self._failed,
            groups=self._groups,
            largest_group=self._largest_group,
        )

    # -- writing

    def batch(self) -> Batch:
        """A batch that masks the secrets of this store."""
        return self.store.batch()

    async def put(self, kind: str, data: bytes) -> ObjectId:
        """Store an object; returns when it is durable."""
        batch = self.batch()
        if len(data) > INLINE_BYTES:
            oid = await asyncio.to_thread(batch.put, kind, data)
        else:
            oid = batch.put(kind, data)
        await self.commit(batch)
        return oid

    async def put_record(self, record: Record) -> ObjectId:
        """Store a record; returns when it is durable."""
        batch = self.batch()
        oid = batch.put_record(record)
        await self.commit(batch)
        return oid

    async def commit(self, batch: Batch) -> Receipt:
        """Write a batch, all of it or nothing; returns when it is durable. See `Store.commit`."""
        if not self._accepting or self._loop is None:
            raise StoreError("the store is closed for writing", where=str(self.store.folder))
        batch.seal()
        self._callers += 1
        try:
            await self._wait_for_room(batch)
            request = _Request(batch, batch.size, self._loop.create_future())
            self._waiting_batches += 1
            self._requests.put(request)
            return await request.done
        finally:
            self._callers -= 1
            if not self._callers:
                self._no_callers.set()

    async def _wait_for_room(self, batch: Batch) -> None:
        size = batch.size
        if not self._blocked and self._has_room(size):
            self._waiting_bytes += size
            return
        turn = asyncio.get_running_loop().create_future()
        self._blocked.append((turn, size))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # room was given in the same moment
                self._waiting_bytes -= size
            elif (turn, size) in self._blocked:  # and not passed over yet
                self._blocked.remove((turn, size))
            self._give_room()
            batch.unseal()
            raise

    def _has_room(self, size: int) -> bool:
        # A batch larger than the limit goes alone.
        return not self._waiting_bytes or self._waiting_bytes + size <= self._max_waiting_bytes

    def _give_room(self) -> None:
        while self._blocked and self._has_room(self._blocked[0][1]):
            turn, size = self._blocked.popleft()
            if not turn.cancelled():
                self._waiting_bytes += size
                turn.set_result(None)

    # -- reading

    async def get(self, oid: ObjectId, *, named_by: str | None = None) -> bytes:
        """The content of an object, proved by its hash. See `View.get_object`."""
        return (await self.get_object(oid, named_by=named_by)).data

    async def get_object(self, oid: ObjectId, *, named_by: str | None = None) -> StoredObject:
        """The kind and content of an object: small ones at once, large ones in a thread."""
        if self.store.header(oid, named_by=named_by).length <= INLINE_BYTES:
            return self.store.get_object(oid, named_by=named_by)
        return await asyncio.to_thread(self.store.get_object, oid, named_by=named_by)

    async def get_record(self, oid: ObjectId, wanted: type[R], *, named_by: str | None = None) -> R:
        """An object as a record. See `View.get_record`."""
        kind, data = await self.get_object(oid, named_by=named_by)
        return decode(kind, data, wanted)

    async def read(self, work: Callable[[View], T]) -> T:
        """Run `work` on one state of the store, in a thread: for scans and for many reads.

        Single names (`store.ref`, `store.index_get`, `store.contains`, `store.log_length`) take
        microseconds and need no thread.
        """

        def on_thread() -> T:
            with self.store.view() as view:
                return work(view)

        return await asyncio.to_thread(on_thread)

    # -- the writer thread

    def _write_groups(self) -> None:
        while (request := self._requests.get()) is not None:
            group = [request, *self._take_waiting(request.size)]
            outcomes = self._write([request.batch for request in group])
            assert self._loop is not None
            with contextlib.suppress(RuntimeError):  # the loop ended without closing the store
                self._loop.call_soon_threadsafe(self._settle, group, outcomes)

    def _take_waiting(self, size: int) -> list[_Request]:
        taken: list[_Request] = []
        while len(taken) + 1 < self._max_group and size < self._max_waiting_bytes:
            try:
                request = self._requests.get_nowait()
            except queue.Empty:
                break
            if request is None:
                self._requests.put(None)  # the end, for after this group
                break
            taken.append(request)
            size += request.size
        return taken

    def _write(self, batches: Sequence[Batch]) -> list[Receipt | Exception]:
        try:
            return list(self.store.commit_group(batches))
        except Exception as error:  # noqa: BLE001  # whatever it is, it belongs to who waits
            if len(batches) == 1:
                return [error]
        # The whole transaction failed: apart, each batch gets its own answer.
        return [self._write([batch])[0] for batch in batches]

    def _settle(self, group: list[_Request], outcomes: list[Receipt | Exception]) -> None:
        self._groups += 1
        self._largest_group = max(self._largest_group, len(group))
        for request, outcome in zip(group, outcomes, strict=True):
            self._waiting_batches -= 1
            self._waiting_bytes -= request.size
            if isinstance(outcome, Exception):
                self._failed += 1
                if not request.done.done():
                    request.done.set_exception(outcome)
            else:
                self._committed += 1
                if not request.done.done():
                    request.done.set_result(outcome)
        self._give_room()

    async def _finish(self) -> None:
        self._accepting = False
        while self._callers:
            self._no_callers.clear()
            await self._no_callers.wait()
        self._requests.put(None)
        await asyncio.to_thread(self._thread.join)


async def _to_the_end(work: Coroutine[None, None, None]) -> None:
    """Await `work` to its end even while cancelled, then let the cancellation through."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    task.result()
    if cancelled is not None:
        raise cancelled
