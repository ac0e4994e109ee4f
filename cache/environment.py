"""One open LMDB environment: transactions from any thread, a map that grows, errors with names.

LMDB's own rules, kept here so that nothing above has to know them:

- A map may only be resized while the process has no transaction. One-shot reads are begun again
  when a resize ends them; a view (a snapshot held for longer) makes the resize wait.
- An environment does not survive a fork, and a process opens a file only once. Even letting go of
  one in a forked child would clear the parent's reader slots, so the child keeps it unused.
- After a failed write of a meta page an environment is dead and has to be opened again.
"""

from __future__ import annotations

import ctypes
import errno
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

import lmdb

from cache.errors import (
    CorruptionError,
    StoreError,
    StoreFormatError,
    StoreFullError,
    StoreLockedError,
    StorePlacementError,
)
from cache.layout import DATABASES
from cache.structure import DATA_FILE, cover_last_page, read_claim

Transaction: TypeAlias = "lmdb.Transaction[bytes]"
Databases: TypeAlias = "dict[str, lmdb._Database]"

T = TypeVar("T")

MAX_READERS: Final = 1024
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})
_LMDB_0_9: Final = 0


class Environment:
    """An LMDB environment in a folder.

    State: `_handle` (replaced only while `_views` is zero), guarded by `_quiet`; write
    transactions are serialised by `_write_lock`; `_resizes` counts what ended running reads.
    """

    def __init__(
        self, folder: Path, *, write: bool, map_bytes: int, sync: bool, create: bool = False
    ) -> None:
        self.folder = folder
        self._pid = os.getpid()
        self._write = write
        self._map_bytes = map_bytes
        self.sync = sync
        self._write_lock = threading.Lock()
        self._quiet = threading.Condition()
        self._views: dict[int, int] = {}
        """Thread → views it holds."""
        self._held: set[Transaction] = set()
        """The transactions of those views."""
        self._resizes = 0
        self._data_file = folder / DATA_FILE
        self._handle: lmdb.Environment | None = None
        self.databases: Databases = {}
        self._open(create=create)
        _environments.add(self)

    @property
    def map_bytes(self) -> int:
        """The size of the map now."""
        return int(self._lmdb().info()["map_size"])

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a short read transaction; it may run more than once."""

        def once(handle: lmdb.Environment) -> T:
            with handle.begin() as transaction:
                return work(transaction)

        return self._repeat(once)

    def value_size(self, database: str, key: bytes) -> int | None:
        """The size of a value, which is not copied."""

        def once(handle: lmdb.Environment) -> int | None:
            # Only the length of the buffer is used: its memory may be unmapped by a resize.
            with handle.begin(buffers=True) as transaction:
                value = transaction.get(key, db=self.databases[database])
                return None if value is None else len(value)

        return self._repeat(once)

    def _repeat(self, once: Callable[[lmdb.Environment], T]) -> T:
        while True:
            handle = self._lmdb()
            resizes = self._resizes
            try:
                return once(handle)
            except lmdb.MapResizedError:
                self._adopt_map()
            except lmdb.Error as error:
                with self._quiet:  # a resize or a reopening that ended this read is over then
                    ended_by_us = resizes != self._resizes or handle is not self._handle
                if not ended_by_us:
                    raise named(error, self.folder) from error

    @contextmanager
    def view(self) -> Iterator[Transaction]:
        """A read transaction that sees one state for as long as it is held."""
        thread = threading.get_ident()
        transaction = self._begin_view(thread)
        try:
            yield transaction
        except lmdb.Error as error:
            raise named(error, self.folder) from error
        finally:
            if os.getpid() == self._pid:
                self._end_view(thread, transaction)

    def write(self, work: Callable[[Transaction], T], *, size: int = 0) -> T:
        """Run `work` in a write transaction and commit it durably; it may run more than once.

        Parameters
        ----------
        work
            Reads and writes; whatever it raises undoes all of it.
        size
            About how many bytes it writes, for the first guess at a larger map.
        """
        with self._write_lock:
            while True:
                handle = self._lmdb()
                try:
                    with handle.begin(write=True) as transaction:
                        result = work(transaction)
                except lmdb.MapFullError:
                    self._grow_map(size)
                except lmdb.PanicError:
                    self._reopen()
                except lmdb.Error as error:
                    raise named(error, self.folder) from error
                else:
                    self._cover_last_page(handle)
                    return result

    def clear_dead_readers(self) -> int:
        """Free the reader slots of processes that have ended; how many there were."""
        return int(self._lmdb().reader_check())

    def close(self) -> None:
        """Close the environment; doing so twice, or in a forked child, does nothing."""
        if self._handle is not None and os.getpid() == self._pid:
            self._handle.close()
            self._handle = None

    def abandon(self) -> None:
        """In a forked child: never let LMDB's objects end, for their end would reach the parent."""
        for kept in (self._handle, *self._held):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))

    def _lmdb(self) -> lmdb.Environment:
        if os.getpid() != self._pid:
            raise StorePlacementError(
                "a store does not cross a fork",
                where=f"opened by process {self._pid}, used by {os.getpid()}",
                hint="start workers with spawn, or open the store after the fork",
            )
        if self._handle is None:
            raise StoreError("the store is closed", where=str(self.folder))
        return self._handle

    def _open(self, *, create: bool) -> None:
        try:
            self._handle = lmdb.open(
                str(self.folder),
                map_size=max(self._map_bytes, self._least_map()),
                readonly=not self._write,
                create=create,
                max_dbs=len(DATABASES),
                max_readers=MAX_READERS,
                max_spare_txns=4,
                readahead=False,
                sync=self.sync,
                metasync=self.sync,
                lib_version=_LMDB_0_9,
                mode=0o644,
            )
            self._handle.reader_check()
            self.databases = {
                name: self._handle.open_db(name.encode(), create=create) for name in DATABASES
            }
        except lmdb.Error as error:
            self.close()
            if isinstance(error, lmdb.NotFoundError):
                raise StoreFormatError(
                    "an LMDB file, but not a store", where=str(self._data_file)
                ) from error
            raise named(error, self.folder) from error

    def _least_map(self) -> int:
        return read_claim(self._data_file).file_bytes if self._data_file.exists() else 0

    def _begin_view(self, thread: int) -> Transaction:
        while True:
            handle = self._lmdb()
            with self._quiet:
                try:
                    transaction = handle.begin()
                except lmdb.MapResizedError:
                    pass
                except lmdb.Error as error:
                    raise named(error, self.folder) from error
                else:
                    self._views[thread] = self._views.get(thread, 0) + 1
                    self._held.add(transaction)
                    return transaction
            self._adopt_map()

    def _end_view(self, thread: int, transaction: Transaction) -> None:
        transaction.abort()
        with self._quiet:
            self._held.discard(transaction)
            self._views[thread] -= 1
            if not self._views[thread]:
                del self._views[thread]
            self._quiet.notify_all()

    def _adopt_map(self) -> None:
        """Follow a writer in another process that has made the map larger."""
        with self._resizing() as handle:
            handle.set_mapsize(0)

    def _grow_map(self, size: int) -> None:
        with self._resizing() as handle:
            larger = 2 * int(handle.info()["map_size"]) + 2 * size
            page = 1 << 20
            try:
                handle.set_mapsize(-(-larger // page) * page)
            except (lmdb.Error, OverflowError) as error:
                raise StoreFullError(
                    f"the map cannot grow to {larger} bytes",
                    where=str(self.folder),
                    hint="raise the limit on address space (ulimit -v)",
                ) from error

    def _reopen(self) -> None:
        with self._resizing() as handle:
            handle.close()
            self._open(create=False)

    @contextmanager
    def _resizing(self) -> Iterator[lmdb.Environment]:
        handle = self._lmdb()
        with self._quiet:
            if threading.get_ident() in self._views:
                raise StoreError(
                    "the map must grow while this thread holds a view",
                    hint="close the view before writing",
                )
            self._quiet.wait_for(lambda: not self._views)
            self._resizes += 1
            yield handle

    def _cover_last_page(self, handle: lmdb.Environment) -> None:
        # Only the numbers that LMDB holds in memory are compared after every commit.
        info = handle.info()
        least = (int(info["last_pgno"]) + 1) * int(handle.stat()["psize"])
        if self._data_file.stat().st_size < least:
            cover_last_page(self._data_file)


_environments: Final[weakref.WeakSet[Environment]] = weakref.WeakSet()


def _abandon_in_child() -> None:
    for environment in list(_environments):
        environment.abandon()


os.register_at_fork(after_in_child=_abandon_in_child)


def named(error: lmdb.Error, folder: Path) -> StoreError:
    """The store's own error for one of LMDB's."""
    code = getattr(error, "code", 0)
    where = str(folder)
    if isinstance(error, lmdb.MapFullError | lmdb.DiskError) or code in _NO_ROOM:
        return StoreFullError(
            "no room left on the disk",
            where=where,
            hint="free some space and repeat; everything acknowledged is safe",
        )
    if "already open in this process" in str(error):
        return StoreLockedError(
            "this process already has the store open", where=where, hint="share the one Store"
        )
    if isinstance(
        error,
        lmdb.CorruptedError | lmdb.PageNotFoundError | lmdb.InvalidError | lmdb.NotFoundError,
    ):
        return CorruptionError(
            f"LMDB cannot read the store: {error}", where=where, hint="run `dgf store verify`"
        )
    if isinstance(error, lmdb.ReadersFullError):
        return StoreError(f"more than {MAX_READERS} readers at once", where=where)
    return StoreError(f"LMDB failed: {error}", where=where)
