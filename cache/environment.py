"""One open LMDB environment: transactions from any thread, a map that grows, errors with names.

LMDB's own rules, kept here so that nothing above has to know them:

- A map may only be resized, and an environment only closed, while the process reads nothing: all
  reads pass a gate.
- An environment does not survive a fork, and a process opens a file only once. Even letting go of
  one in a forked child would clear the parent's reader slots, so the child keeps it unused.
- After a failed write of a meta page an environment is dead and has to be opened again.
"""

from __future__ import annotations

import contextlib
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
from cache.gate import Gate
from cache.layout import DATABASES
from cache.structure import DATA_FILE, cover_last_page, read_claim

Transaction: TypeAlias = "lmdb.Transaction[bytes]"
Databases: TypeAlias = "dict[str, lmdb._Database]"

T = TypeVar("T")

MAX_READERS: Final = 1024
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})
_LMDB_0_9: Final = 0
_MEBIBYTE: Final = 1 << 20


class Environment:
    """An LMDB environment in a folder.

    State: `_handle` and `databases` are replaced only by who is alone behind `_gate`; write
    transactions are serialised by `_write_lock`, which is taken before the gate.
    """

    def __init__(
        self, folder: Path, *, write: bool, map_bytes: int, sync: bool, create: bool = False
    ) -> None:
        self.folder = folder
        self.sync = sync
        self.databases: Databases = {}
        self._pid = os.getpid()
        self._write = write
        self._map_bytes = map_bytes
        self._data_file = folder / DATA_FILE
        self._write_lock = threading.RLock()
        self._gate = Gate()
        self._views: set[Transaction] = set()
        self._handle: lmdb.Environment | None = None
        self._open(create=create)
        _environments.add(self)

    @property
    def map_bytes(self) -> int:
        """The size of the map now."""
        return self._inside(lambda _: int(self._lmdb().info()["map_size"]))

    @property
    def last_page(self) -> int:
        """The number of the last page that LMDB has taken in the file."""
        return self._inside(lambda _: int(self._lmdb().info()["last_pgno"]))

    def copy(self, folder: Path, transaction: Transaction) -> None:
        """Write what `transaction` sees, without free pages, to a new data file in `folder`."""
        self._lmdb().copy(str(folder), compact=True, txn=transaction)

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a short read transaction; it may run more than once."""

        def once(_: object) -> T:
            with self._lmdb().begin() as transaction:
                return work(transaction)

        return self._inside(once)

    def get(self, database: str, key: bytes) -> bytes | None:
        """One value in a transaction of its own."""

        def once(_: object) -> bytes | None:
            with self._lmdb().begin(self.databases[database]) as transaction:
                return transaction.get(key)

        return self._inside(once)

    def head(self, database: str, key: bytes, size: int) -> bytes | None:
        """The first bytes of a value; the rest is not read."""

        def once(_: object) -> bytes | None:
            with self._lmdb().begin(self.databases[database], buffers=True) as transaction:
                value = transaction.get(key)
                return None if value is None else bytes(value[:size])

        return self._inside(once)

    @contextmanager
    def view(self) -> Iterator[Transaction]:
        """A read transaction that sees one state for as long as it is held."""
        token, transaction = self._inside(self._begin_view)
        try:
            yield transaction
        except lmdb.Error as error:
            raise named(error, self.folder) from error
        finally:
            if os.getpid() == self._pid:
                transaction.abort()
                self._views.discard(transaction)
                self._gate.end_stay(token)

    def write(self, work: Callable[[Transaction], T], *, size: int = 0) -> T:
        """Run `work` in a write transaction and commit it durably; it may run more than once.

        Parameters
        ----------
        work
            Reads and writes; whatever it raises undoes all of it.
        size
            About how many bytes it writes, for the first guess at a larger map.
        """
        self._check_process()
        with self._write_lock:
            while True:
                handle = self._lmdb()
                try:
                    result = self._transact(handle, work)
                except lmdb.MapFullError:
                    self._grow_map(size)
                except lmdb.PanicError:
                    self._revive()
                except lmdb.Error as error:
                    if getattr(error, "code", 0) == errno.EIO and self._is_full(size):
                        raise _full(self.folder) from error
                    raise named(error, self.folder) from error
                else:
                    self._cover_last_page(handle)
                    return result

    def close(self) -> None:
        """Close the environment; doing so twice, or in a forked child, does nothing."""
        if os.getpid() == self._pid and self._handle is not None:
            with self._write_lock, self._gate.alone():
                self._handle.close()
                self._handle = None

    def abandon(self) -> None:
        """In a forked child: never let LMDB's objects end, for their end would reach the parent."""
        for kept in (self._handle, *self._views):
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))

    def _inside(self, once: Callable[[object], T]) -> T:
        """Do something that reads, again after the map was adjusted."""
        while True:
            self._check_process()
            token = self._gate.enter()
            try:
                return once(token)
            except lmdb.MapResizedError:
                adjust = self._adopt_map
            except lmdb.PanicError:
                adjust = self._revive
            except lmdb.Error as error:
                raise named(error, self.folder) from error
            finally:
                self._gate.leave(token)
            adjust()

    def _transact(self, handle: lmdb.Environment, work: Callable[[Transaction], T]) -> T:
        transaction = handle.begin(write=True)
        try:
            result = work(transaction)
            transaction.commit()
        except BaseException:
            # The binding ends a transaction in a moment without any read: make that moment.
            with self._gate.alone(but_for_staying=True):
                transaction.abort()
            raise
        return result

    def _begin_view(self, token: object) -> tuple[object, Transaction]:
        transaction = self._lmdb().begin()
        self._views.add(transaction)
        self._gate.stay(token)
        return token, transaction

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            raise StorePlacementError(
                "a store does not cross a fork",
                where=f"opened by process {self._pid}, used by {os.getpid()}",
                hint="start workers with spawn, or open the store after the fork",
            )

    def _lmdb(self) -> lmdb.Environment:
        if self._handle is None:
            raise StoreError("the store is closed", where=str(self.folder))
        return self._handle

    def _open(self, *, create: bool) -> None:
        try:
            self._handle = lmdb.open(
                os.fsencode(self.folder),  # lmdb fails to encode what the locale cannot
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
            self._handle.reader_check()  # frees the slots of processes that were killed
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

    def _adopt_map(self) -> None:
        """Follow a writer in another process that has made the map larger."""
        with self._write_lock, self._gate.alone():
            self._lmdb().set_mapsize(0)

    def _grow_map(self, size: int) -> None:
        with self._gate.alone():
            handle = self._lmdb()
            before = int(handle.info()["map_size"])
            larger = -(-(2 * before + 2 * size) // _MEBIBYTE) * _MEBIBYTE
            try:
                handle.set_mapsize(larger)
            except (lmdb.Error, OverflowError) as error:
                self._map_bytes = before
                self._open_again(handle)  # a failed resize leaves an environment without a map
                raise StoreFullError(
                    f"the map cannot grow to {larger} bytes",
                    where=str(self.folder),
                    hint="raise the limit on address space (ulimit -v)",
                ) from error
            self._map_bytes = larger

    def _revive(self) -> None:
        """Open the environment again when LMDB has given it up."""
        with self._write_lock, self._gate.alone():
            handle = self._lmdb()
            try:
                handle.begin().abort()
            except lmdb.PanicError:
                self._open_again(handle)

    def _open_again(self, handle: lmdb.Environment) -> None:
        handle.close()
        self._handle = None
        self._open(create=False)

    def _is_full(self, size: int) -> bool:
        """Whether the disk is why a commit failed: LMDB calls a write cut short an I/O error."""
        probe = self.folder / "probe"
        try:
            with probe.open("wb") as file:
                file.seek(self._data_file.stat().st_size)
                for _ in range(2 * size // _MEBIBYTE + 1):
                    file.write(bytes(_MEBIBYTE))
        except OSError as error:
            return error.errno in _NO_ROOM
        finally:
            probe.unlink(missing_ok=True)
        return False

    def _cover_last_page(self, handle: lmdb.Environment) -> None:
        # Only the numbers that LMDB holds in memory are compared after every commit.
        info = handle.info()
        least = (int(info["last_pgno"]) + 1) * int(handle.stat()["psize"])
        with contextlib.suppress(OSError):  # the commit is durable; the next writer tries again
            if self._data_file.stat().st_size < least:
                cover_last_page(self._data_file)


_environments: Final[weakref.WeakSet[Environment]] = weakref.WeakSet()


def _abandon_in_child() -> None:
    for environment in list(_environments):
        environment.abandon()


os.register_at_fork(after_in_child=_abandon_in_child)


def _full(folder: Path) -> StoreFullError:
    return StoreFullError(
        "no room left on the disk",
        where=str(folder),
        hint="free some space and repeat; everything acknowledged is safe",
    )


def named(error: lmdb.Error, folder: Path) -> StoreError:
    """The store's own error for one of LMDB's."""
    code = getattr(error, "code", 0)
    where = str(folder)
    if isinstance(error, lmdb.MapFullError | lmdb.DiskError) or code in _NO_ROOM:
        return _full(folder)
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
